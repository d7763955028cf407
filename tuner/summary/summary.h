/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.h - the decision table as a page that a person reads. */
#ifndef CHORALE_TUNER_SUMMARY_SUMMARY_H
#define CHORALE_TUNER_SUMMARY_SUMMARY_H

#include <stdio.h>

#include "db/store.h"

/* Print what was measured of a system, what was decided and what it gains,
 * the fitted parameters, and what speaks against the numbers. At most 100
 * columns; with markdown the same as Markdown. Reads only. CHORALE_DATA: no
 * such system; CHORALE_ENV: out cannot be written. */
enum chorale_err chorale_summary_print(struct chorale_store *store,
                                       sqlite3_int64 system_id, FILE *out,
                                       int markdown,
                                       struct chorale_errmsg *msg);

/* Write it as a Markdown file, which is there in full or not at all. */
enum chorale_err chorale_summary_write(struct chorale_store *store,
                                       sqlite3_int64 system_id,
                                       const char *path,
                                       struct chorale_errmsg *msg);

/* Write the page of one system of the database at path to file, as
 * chorale_summary_write() does, and print it to standard output. system: its
 * name, NULL for the only one. Errors as above, and those of opening it. */
enum chorale_err chorale_summary_report(const char *path, const char *system,
                                        const char *file,
                                        struct chorale_errmsg *msg);

/* What v_summary.validity may say of a cell, and in words; the last, "", stands
 * for all others. */
#define CHORALE_NFLAG 8
extern const char *const chorale_flags[CHORALE_NFLAG][2];
/* Which of them a list names: has[i] 1 or 0. */
void chorale_flags_read(const char *list, int has[CHORALE_NFLAG]);

/* With the system as ?1. Other programs ran beside: of how many launches, of
 * how many, most processes of a node at their end, ranks of a node. Why the
 * library stays where that is not that nothing was faster: reason, ranges. */
extern const char chorale_summary_load_sql[];
extern const char chorale_summary_kept_sql[];

/* On how many sets of nodes launches of several nodes ran: a row for those
 * numbers of ranks of which they are more than one, and one for the others,
 * which a line is written of. */
extern const char chorale_summary_places_sql[];
void chorale_summary_places(FILE *out, sqlite3_stmt *row);

#endif
