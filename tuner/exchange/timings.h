/* SPDX-License-Identifier: BSD-3-Clause */
/* timings.h - read timings of named algorithms: a tidy CSV file, tables of OSU
 * and IMB whose algorithm was forced, and files of PICO.
 *
 * CSV: a heading, and one time of one algorithm in each line. Columns may have
 * any order; README of the folder and `chorale import --help` list their names.
 * Raw files state the algorithm, and what else they lack, in their name:
 * - COLLECTIVE_NUMBER_PROCSranks_runRUN.out, a table of OSU, of the scripts
 *   ompi-collectives-tuning; NUMBER is Open MPI's, 0 its own decision;
 * - COUNT_ALGORITHM_TYPE.csv, of PICO: nanoseconds of the slowest rank, a line
 *   for each call.
 *
 * Rows with equal system, collective, number of ranks, placement and rep are of
 * one launch, whichever file they are in, so that decisions pair algorithms.
 */
#ifndef CHORALE_TUNER_EXCHANGE_TIMINGS_H
#define CHORALE_TUNER_EXCHANGE_TIMINGS_H

#include "db/quantiles.h"
#include "tuner/exchange/import_rows.h"

/* One time. Texts belong to struct chorale_timings and are equal only if the
 * pointers are. */
struct chorale_timing {
    const char *system, *mpi;
    const char *provider, *variant, *params, *dtype, *op; /* as in cell */
    const char *root, *buffers, *metric; /* as in cell; static */
    const char *rep;         /* the launch's name */
    enum chorale_coll coll;
    int comm_size, ppn, irregular; /* irregular: comm_size is not nodes x ppn */
    long long msg_size;      /* bytes of one rank's block */
    double seconds;
    int line;
    int calls;               /* index into struct chorale_timings, or -1 */
};

/* Values over the calls of a time, as in run_summary; of a raw file. */
struct chorale_timing_calls {
    struct chorale_summary summary;
    double first_call;       /* s; NAN: not in the file */
};

enum { CHORALE_TIMING_NOTES = 8 };

struct chorale_timings {
    char kind[64];           /* "CSV", "PICO", "OSU 5.6.2" */
    char seconds_text[96];   /* what the times are (import:seconds) */
    enum chorale_statistic statistic;
    struct chorale_timing *row; /* sorted by cell, then by launch */
    size_t nrow;
    struct chorale_timing_calls *calls;
    size_t ncalls;
    void *texts;             /* a tree of tsearch() */
    size_t nmeans;           /* rows that are not a duration */
    char note[CHORALE_TIMING_NOTES][200]; /* assumed or odd facts */
    size_t nnote;
};

/* Read a CSV file or a file of PICO. *is_p: 1 if it is one of them, else 0 with
 * CHORALE_OK. Call chorale_timings_release() in either case. CHORALE_DATA: msg
 * names file and line, or the file is compressed; CHORALE_USAGE: an option is
 * missing or contradicts the file. */
enum chorale_err chorale_timings_read(const char *path,
                                      const struct chorale_import_as *as,
                                      int *is_p, struct chorale_timings *t,
                                      struct chorale_errmsg *msg);

/* Whether the tables of a file are timings of named algorithms: by as->provider
 * or the name of the file. */
int chorale_timings_named(const char *path,
                          const struct chorale_import_as *as);
/* Convert such tables. Errors as above. */
enum chorale_err chorale_timings_of_tables(const char *path,
                                           const struct chorale_foreign *f,
                                           const struct chorale_import_as *as,
                                           struct chorale_timings *t,
                                           struct chorale_errmsg *msg);
/* Refuse tables of the default whose file name or text names a forced
 * algorithm: CHORALE_USAGE. */
enum chorale_err chorale_timings_refuse_forced(const char *path,
                                               const struct chorale_foreign *f,
                                               struct chorale_errmsg *msg);

/* Store the rows in the caller's transaction. Rows that are stored already add
 * to got->there. CHORALE_DATA: a row has another time in the database.
 * CHORALE_USAGE: a system's name is that of a measured system. */
enum chorale_err chorale_timings_store(struct chorale_store *store,
                                       const char *path,
                                       const struct chorale_timings *t,
                                       const struct chorale_import_as *as,
                                       struct chorale_imported *got,
                                       struct chorale_errmsg *msg);
void chorale_timings_release(struct chorale_timings *t);

/* The rest is shared by timings.c, timings_csv.c and timings_raw.c. */

enum { CHORALE_TIMINGS_MAX = 1 << 20 }; /* rows, of about 120 bytes each */

/* The one copy of text in *t; NULL: out of memory. */
const char *chorale_timings_text(struct chorale_timings *t, const char *text);
void chorale_timings_note(struct chorale_timings *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Set provider, variant and params of *row by the texts of the file, and as.
 * name is the default's name: provider library. */
enum chorale_err chorale_timings_name(struct chorale_timings *t,
                                      const char *path,
                                      const struct chorale_import_as *as,
                                      const char *name, const char *params,
                                      struct chorale_timing *row,
                                      struct chorale_errmsg *msg);
/* Set comm_size, ppn and irregular of *row from the file's values, 0 for those
 * it lacks, and as. Returns NULL, or what is missing. */
const char *chorale_timings_place(const struct chorale_import_as *as,
                                  long procs, long nodes, long ppn,
                                  struct chorale_timing *row);
enum chorale_err chorale_timings_append(struct chorale_timings *t,
                                        const char *path,
                                        const struct chorale_timing *row,
                                        struct chorale_errmsg *msg);
/* The order of cells: 0 for rows of one cell. */
int chorale_timings_compare(const struct chorale_timing *a,
                            const struct chorale_timing *b);
/* Sort the rows and check them together. */
enum chorale_err chorale_timings_finish(struct chorale_timings *t,
                                        const char *path,
                                        struct chorale_errmsg *msg);
/* A datatype of Chorale by another program's name; NULL: unknown. */
const char *chorale_timings_dtype(const char *text);

/* timings_raw.c: read a file of PICO. */
enum chorale_err chorale_timings_pico(const char *path,
                                      const struct chorale_import_as *as,
                                      struct chorale_timings *t,
                                      struct chorale_errmsg *msg);

#endif
