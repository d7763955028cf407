/* SPDX-License-Identifier: BSD-3-Clause */
/* export.h - rows of a query as text, one at a time. */
#ifndef CHORALE_TUNER_EXCHANGE_EXPORT_H
#define CHORALE_TUNER_EXCHANGE_EXPORT_H

#include <stdio.h>

#include "db/store.h"

/* How rows become text; a row each. Nothing is kept between rows but *n, how
 * many there were before. Errors are left in the stream. */
struct chorale_export_format {
    const char *name;        /* of --format */
    void (*begin)(FILE *out, sqlite3_stmt *stmt);
    /* text: what to write instead of a column's value, NULL where it is the
     * value that counts. */
    void (*row)(FILE *out, sqlite3_stmt *stmt, const char *const *text,
                long long n);
    void (*end)(FILE *out);
};

/* CSV as in RFC 4180, but lines end in a newline alone: the names of the
 * columns, then rows; NULL and the empty text are nothing between commas.
 * JSON: an array of objects, one a line. Numbers are written with as many
 * digits as bring back the same number. */
extern const struct chorale_export_format chorale_export_csv;
extern const struct chorale_export_format chorale_export_json;

/* What --anonymize makes of a row's texts. */
struct chorale_anonymous;

/* Reads the names of the systems: s1, s2 ... by the order of their ids. */
enum chorale_err chorale_anonymous_new(struct chorale_store *store,
                                       struct chorale_anonymous **anon_p,
                                       struct chorale_errmsg *msg);
void chorale_anonymous_free(struct chorale_anonymous *anon);

/* Substitutes for the row that the statement stands at, into text[ncolumn]:
 * valid until the next call, NULL where the value stays. By the names of the
 * columns: system becomes s1; of key and value only what tells of the
 * measurement stays; of free text that we write (why a run was not made or does
 * not count, a decision's reason, a model's level and regime, network and
 * sim_selector) the words that we use, and a star for others and for what an
 * MPI library said; of why a run failed nothing. 0: leave the row out. */
int chorale_anonymous_row(struct chorale_anonymous *anon, sqlite3_stmt *stmt,
                          const char **text);

#endif
