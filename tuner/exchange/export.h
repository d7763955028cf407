/* SPDX-License-Identifier: BSD-3-Clause */
/* export.h - the stage `export`, and its formats. */
#ifndef CHORALE_TUNER_EXCHANGE_EXPORT_H
#define CHORALE_TUNER_EXCHANGE_EXPORT_H

#include <stdio.h>

#include "db/store.h"

#define CHORALE_EXPORT_DATASETS                                             \
    "summary, samples, speedup, best, runs, counters, environment, "        \
    "decisions, cells"

/* NULL means all in system, collectives and procs. */
struct chorale_export_opts {
    const char *what;        /* one of CHORALE_EXPORT_DATASETS */
    const char *format;      /* csv or json; NULL: json if json is set, else
                              * csv */
    const char *output;      /* file to write; NULL: standard output */
    const char *system;
    const char *collectives; /* words separated by commas */
    const char *procs;       /* process counts, as 4,8 or 2:64 */
    int anonymize, csv, json;
};

/* Write the selected rows of the database at path. A file is replaced when all
 * is written. CHORALE_USAGE: the value of an option is invalid. CHORALE_ENV:
 * the output cannot be written. CHORALE_STOPPED: interrupted. */
enum chorale_err chorale_database_export(const char *path,
                                         const struct chorale_export_opts *opts,
                                         struct chorale_errmsg *msg);

/* An output format, called row by row. n: rows written before; no other state
 * is kept. Write errors are left in the stream. */
struct chorale_export_format {
    const char *name;        /* of --format */
    void (*begin)(FILE *out, sqlite3_stmt *stmt);
    /* text[i] replaces the value of column i; NULL: write the value. */
    void (*row)(FILE *out, sqlite3_stmt *stmt, const char *const *text,
                long long n);
    void (*end)(FILE *out);
};

/* CSV as in RFC 4180, but with lines ending in a single newline: column names,
 * then rows; NULL and empty text are empty fields. JSON: an array with one
 * object per line. Numbers have enough digits to be read back exactly. */
extern const struct chorale_export_format chorale_export_csv;
extern const struct chorale_export_format chorale_export_json;

/* State of --anonymize. */
struct chorale_anonymous;

/* Load the systems' names; they become s1, s2, ... in the order of their
 * ids. */
enum chorale_err chorale_anonymous_new(struct chorale_store *store,
                                       struct chorale_anonymous **anon_p,
                                       struct chorale_errmsg *msg);
void chorale_anonymous_free(struct chorale_anonymous *anon);

/* Set text[ncolumn] to the replacements for the statement's current row, NULL
 * where the value stays; valid until the next call. Chosen by column name:
 *  - system becomes s1, s2, ...
 *  - key and value: only entries that describe the measurement are kept.
 *  - free text written by Chorale (reasons, level and regime of a model,
 *    network, sim_selector): Chorale's own words are kept, other words and
 *    messages of an MPI library become a star.
 *  - the reason of a failed run is removed.
 * Returns 0 if the row must be omitted. */
int chorale_anonymous_row(struct chorale_anonymous *anon, sqlite3_stmt *stmt,
                          const char **text);

#endif
