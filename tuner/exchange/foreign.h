/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.h - what other benchmarks of collectives print: the OSU
 * Micro-Benchmarks (osu_bcast and its kin) and IMB-MPI1.
 *
 * Their tables have no repetitions: of each size the mean over calls and
 * ranks, and, if they were asked, the means of the fastest and the slowest
 * rank. What is read is what is printed; nothing is worked out here.
 *
 * Source  the output of OSU 3.8 to 7.5 (plain, -f, with percentiles) and of
 *         IMB 3.0 to 2021.10, of which tests/cli/tables has excerpts; IMB's
 *         ReadMe_IMB.txt and User Guide, "Command-line Control".
 */
#ifndef CHORALE_TUNER_EXCHANGE_FOREIGN_H
#define CHORALE_TUNER_EXCHANGE_FOREIGN_H

#include <stddef.h>

#include "algorithms/coll.h"
#include "db/store.h"

/* One row of a table. Times in seconds, NAN: not printed. */
struct chorale_foreign_row {
    enum chorale_coll coll;
    long long msg_size;      /* bytes of one rank's block; 0 of a barrier */
    int comm_size;           /* 0: the file does not say */
    long long nrep;          /* calls that the mean is over, 0: not printed */
    double avg;              /* mean over ranks and calls */
    double min, max;         /* mean over calls of the fastest and the slowest
                              * rank */
    double p50, p99;         /* of calls, over ranks */
    const char *dtype, *op, *root, *buffers, *metric; /* as in cell */
    int pass;                /* the how manieth row of this point, from 0 */
    int line;
};

struct chorale_foreign {
    char uuid[CHORALE_UUID_SIZE]; /* of the content */
    const char *kind;        /* "OSU" or "IMB" */
    char version[32];        /* "" : not said */
    char command[512], date[64]; /* as printed; "" */
    struct chorale_foreign_row *row;
    size_t nrow;
    int npass;               /* rows of one point, at most */
    char note[8][160];       /* what was left out or taken for granted */
    int nnote;
};

/* Read all of a file if it is such output: *is_p becomes 1, else 0 with
 * CHORALE_OK. CHORALE_DATA: msg names file and line. CHORALE_ENV: it cannot be
 * read. Release it in either case. */
enum chorale_err chorale_foreign_read(const char *path, int *is_p,
                                      struct chorale_foreign *f,
                                      struct chorale_errmsg *msg);
void chorale_foreign_release(struct chorale_foreign *f);

/* Between foreign_read.c and the two layouts. */

enum chorale_foreign_column {
    FOREIGN_SIZE, FOREIGN_NREP, FOREIGN_AVG, FOREIGN_MIN, FOREIGN_MAX,
    FOREIGN_P50, FOREIGN_P99,
    FOREIGN_PROCS,           /* ranks, in each row */
    FOREIGN_NAME,            /* the benchmark's name, at the head of each row */
    FOREIGN_REAL,            /* a number that is not kept */
    FOREIGN_WORD,            /* a word that is not kept */
    FOREIGN_DEFECTS          /* a number that must be 0 */
};

enum { FOREIGN_COLUMNS = 10 };

struct chorale_foreign_name {
    const char *text;        /* of its heading; % stands for digits */
    enum chorale_foreign_column column;
};

/* A table under way. ncolumn 0: its rows are not wanted. */
struct chorale_foreign_reader {
    const char *path;
    int line;
    struct chorale_foreign *f;
    struct chorale_errmsg *msg;
    enum chorale_foreign_column column[FOREIGN_COLUMNS];
    int ncolumn;
    struct chorale_foreign_row at; /* what the heading says of its rows */
    int known;               /* at.coll is a collective that is imported */
    int bare;                /* line of the first row below no heading, 0 */
    /* Of IMB. */
    const char *title;       /* of this table */
    int barriers, shifts;    /* between calls; the root rotates */
    int unversioned;         /* a table was read before any version */
    const char *moved, *reduced; /* types of all others, of reductions */
    int command;             /* 1: the next line is the command; 2: it may
                              * go on */
};

/* CHORALE_DATA with file, line, what and a remedy. */
enum chorale_err chorale_foreign_bad(const struct chorale_foreign_reader *r,
                                     const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Keep a note for people, once; when there is no room for more it says so. */
void chorale_foreign_note(struct chorale_foreign *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The columns of a heading, whose names end in one of text NULL. */
enum chorale_err
chorale_foreign_columns(struct chorale_foreign_reader *r, const char *text,
                        const struct chorale_foreign_name *names);
/* "5.9" of the first number in text that has a digit; "" if there is none. */
void chorale_foreign_version(const char *text, char *version, size_t size);
/* A datatype by its name in MPI, NULL: none that is measured. */
const char *chorale_foreign_dtype(const char *text);

/* One line that is no row. *used_p: it was this layout's. */
enum chorale_err chorale_osu_line(struct chorale_foreign_reader *r,
                                  const char *line, int *used_p);
enum chorale_err chorale_imb_line(struct chorale_foreign_reader *r,
                                  const char *line, int *used_p);

#endif
