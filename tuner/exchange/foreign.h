/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.h - read the output of other collective benchmarks: the OSU
 * Micro-Benchmarks (osu_bcast etc.) and IMB-MPI1.
 *
 * Their tables have no single repetitions. For each size they give the mean
 * over calls and ranks and, optionally, the means of the fastest and slowest
 * rank. Values are taken as printed; no value is derived.
 *
 * Text without numbers before and between tables is skipped, as launchers and
 * shells print it. Numbers that do not belong to a table are an error: their
 * heading was not recognised, and they would be taken for rows of the table
 * above.
 *
 * Source  the output of OSU 3.8 to 7.5 (plain, -f, with percentiles) and of
 *         IMB 3.0 to 2021.10 and its predecessor PMB, with excerpts in
 *         tests/cli/database/benchmarks; IMB's ReadMe_IMB.txt and User Guide,
 *         "Command-line Control".
 */
#ifndef CHORALE_TUNER_EXCHANGE_FOREIGN_H
#define CHORALE_TUNER_EXCHANGE_FOREIGN_H

#include <stddef.h>

#include "algorithms/coll.h"
#include "db/store.h"

/* One row of a table. Times in seconds; NAN: not printed. */
struct chorale_foreign_row {
    enum chorale_coll coll;
    long long msg_size;      /* bytes of one rank's block; 0 for barrier */
    int comm_size;           /* 0: not in the file */
    long long nrep;          /* calls averaged; 0: not printed */
    double avg;              /* mean over ranks and calls */
    double min, max;         /* means over calls, of the fastest and the slowest
                              * rank */
    double p50, p99;         /* percentiles of calls, over ranks */
    const char *dtype, *op, *root, *buffers, *metric; /* as in table cell */
    int pass;                /* index of this row among those of its point */
    int line;
};

struct chorale_foreign {
    char uuid[CHORALE_UUID_SIZE]; /* derived from the content */
    const char *kind;        /* "OSU" or "IMB" */
    char version[32];        /* "": not printed */
    char command[512], date[64]; /* as printed; "": not printed */
    struct chorale_foreign_row *row;
    size_t nrow;
    int npass;               /* most rows of one point */
    int forced[CHORALE_NCOLL]; /* first line that forces an algorithm, such as
                              * an echoed command; 0: none */
    char (*note)[160];       /* ignored or assumed facts, each once. After 256
                              * notes the last one is "and more" */
    size_t nnote;
};

/* Read a file. *is_p: 1 if it is such output, else 0 with CHORALE_OK. equal: 1
 * accepts collectives whose blocks are equal there but not in Chorale; sizes of
 * MPI_Reduce_scatter are then of the whole vector. CHORALE_DATA: msg names file
 * and line. CHORALE_ENV: the file cannot be read. Call
 * chorale_foreign_release() in either case. */
enum chorale_err chorale_foreign_read(const char *path, int equal, int *is_p,
                                      struct chorale_foreign *f,
                                      struct chorale_errmsg *msg);
void chorale_foreign_release(struct chorale_foreign *f);
/* Whether two rows are of the same point, and thus repeat a measurement. */
int chorale_foreign_same_point(const struct chorale_foreign_row *a,
                               const struct chorale_foreign_row *b);

/* The rest is shared by foreign_read.c, foreign_row.c, foreign_osu.c and
 * foreign_imb.c. */

enum chorale_foreign_column {
    FOREIGN_SIZE, FOREIGN_NREP, FOREIGN_AVG, FOREIGN_MIN, FOREIGN_MAX,
    FOREIGN_P50, FOREIGN_P99,
    FOREIGN_PROCS,           /* number of ranks, in each row */
    FOREIGN_NAME,            /* name of the benchmark, first in each row */
    FOREIGN_GROUP,           /* number of the group of IMB's -multi, ignored */
    FOREIGN_REAL,            /* an ignored number */
    FOREIGN_WORD,            /* an ignored word */
    FOREIGN_DEFECTS          /* a number that must be 0 */
};

enum { FOREIGN_COLUMNS = 10 };

struct chorale_foreign_name {
    const char *text;        /* of the heading; % matches digits */
    enum chorale_foreign_column column;
};

/* State while a table is read. A table has a title, a heading of columns, and
 * rows. It ends at the first other line after its rows. Another heading of
 * columns needs a title, or the datatype that OSU prints, above it. */
struct chorale_foreign_reader {
    const char *path;
    int line, equal;         /* equal: of chorale_foreign_read() */
    struct chorale_foreign *f;
    struct chorale_errmsg *msg;
    enum chorale_foreign_column column[FOREIGN_COLUMNS];
    int ncolumn;
    struct chorale_foreign_row at; /* values given by the heading */
    int known;               /* the title is of a collective, at.coll */
    int ignored;             /* the title is of something else */
    int rows;                /* of the present table so far */
    int ended;               /* the table ended: rows need a title */
    /* For IMB only. */
    const char *title;       /* of this table */
    int barriers, shifts;    /* a barrier between calls; a rotating root */
    int unversioned;         /* a table came before the version */
    const char *moved, *reduced; /* types: of plain data, of reductions */
    int command;             /* 1: the next line is the command; 2: it may be
                              * continued */
};

/* Report an error with file, line and remedy; returns CHORALE_DATA. */
enum chorale_err chorale_foreign_bad(const struct chorale_foreign_reader *r,
                                     const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Report a heading of columns without a title, or tables of two benchmarks in
 * one file; both return CHORALE_DATA. */
enum chorale_err
chorale_foreign_untitled(const struct chorale_foreign_reader *r);
enum chorale_err chorale_foreign_mixed(const struct chorale_foreign_reader *r);
/* Add a note for the user unless it exists. */
void chorale_foreign_note(struct chorale_foreign *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Parse a heading into columns; names ends in an entry with text NULL. */
enum chorale_err
chorale_foreign_columns(struct chorale_foreign_reader *r, const char *text,
                        const struct chorale_foreign_name *names);
/* Returns 1 if the present table has that column. */
int chorale_foreign_has(const struct chorale_foreign_reader *r,
                        enum chorale_foreign_column column);
/* Parse a row of the present table, cutting the line into words, and append it
 * to r->f; a row that cannot be imported becomes a note. CHORALE_DATA: the row
 * is invalid. CHORALE_ENV: out of memory. */
enum chorale_err chorale_foreign_row(struct chorale_foreign_reader *r,
                                     char *line);
/* Copy the first number in text, such as "5.9"; "" if there is no number. */
void chorale_foreign_version(const char *text, char *version, size_t size);
/* The datatype of an MPI type name; NULL: not supported. */
const char *chorale_foreign_dtype(const char *text);

/* Parse a line that is not a row, without its indentation. *used_p: 1 if it
 * belongs to this layout. */
enum chorale_err chorale_osu_line(struct chorale_foreign_reader *r,
                                  const char *line, int *used_p);
enum chorale_err chorale_imb_line(struct chorale_foreign_reader *r,
                                  const char *line, int *used_p);
/* Whether text[0, n) is IMB's name of a collective that can be imported. */
int chorale_imb_names(const char *text, size_t n);

#endif
