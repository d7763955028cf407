/* SPDX-License-Identifier: BSD-3-Clause */
/* served_kinds.h - which type and operation represents a collective in a table.
 *
 * A system may be measured with several types and operations, but a table has
 * one set of rules for each collective. It takes the rows of double and sum
 * (byte without a reduction), else those of the first type and operation
 * by name. */
#ifndef CHORALE_TUNER_DECIDE_SERVED_KINDS_H
#define CHORALE_TUNER_DECIDE_SERVED_KINDS_H

#include "db/store.h"

/* dtype is "" for a collective without rows. */
struct chorale_served_kind {
    char dtype[32], op[32];
};

/* Load the type and operation that represent coll, a name; both are "" if coll
 * has no rows or is unknown. target: column target of table decision,
 * "dispatch", or "rules" for the files of an MPI library. */
enum chorale_err chorale_served_kind_load(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          const char *coll, const char *target,
                                          struct chorale_served_kind *kind,
                                          struct chorale_errmsg *msg);

/* Step *stmt_p to the row of that type and operation, columns 0 and 1, in full
 * length. *got_p: there is a row. The caller finalizes it. */
enum chorale_err chorale_served_kind_find(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          const char *coll, const char *target,
                                          sqlite3_stmt **stmt_p, int *got_p,
                                          struct chorale_errmsg *msg);
/* Copy columns 0 and 1 of that statement. */
void chorale_served_kind_copy(sqlite3_stmt *stmt,
                              struct chorale_served_kind *kind);

/* What a table with this kind answers for a type, operation and class of
 * operation (columns of table cell): "" its own rows, "float sum" the rows of
 * that kind, "library" the library's default. Returns text. */
const char *chorale_served_kind_instead(const struct chorale_served_kind *kind,
                                        const char *dtype, const char *op,
                                        const char *op_class, char text[72]);

/* A note for people about a decision that is not in the table, from the result
 * of chorale_served_kind_instead(); "" if it is in the table. Returns text. */
const char *chorale_served_kind_note(const char *instead, char text[128]);

#endif
