/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.h - prints a system's decisions and measurements on one page for
 * people. */
#ifndef CHORALE_TUNER_SUMMARY_SUMMARY_H
#define CHORALE_TUNER_SUMMARY_SUMMARY_H

#include <stdio.h>

#include "db/store.h"

/* Print the measured points, the decisions and their gain, the fitted
 * parameters, and remarks on the quality of the numbers. Lines have at most 100
 * columns; markdown selects Markdown. Only reads the database. CHORALE_DATA: no
 * such system. CHORALE_ENV: out cannot be written. */
enum chorale_err chorale_summary_print(struct chorale_store *store,
                                       sqlite3_int64 system_id, FILE *out,
                                       int markdown,
                                       struct chorale_errmsg *msg);

/* Write the page as a Markdown file, which is replaced atomically. */
enum chorale_err chorale_summary_write(struct chorale_store *store,
                                       sqlite3_int64 system_id,
                                       const char *path,
                                       struct chorale_errmsg *msg);

/* Write the page of one system of the database at path to file, as
 * chorale_summary_write() does, and print it to standard output. system: its
 * name, NULL: the only one. Errors as above, and those of opening path. */
enum chorale_err chorale_summary_report(const char *path, const char *system,
                                        const char *file,
                                        struct chorale_errmsg *msg);

/* Queries with the system as ?1, and their columns:
 *  load: number of launches beside which other programs ran, of all launches;
 *    highest load of a node after a launch, most ranks on a node.
 *  kept: reason why ranges stay with the library, except that no variant was
 *    faster; number of ranges. */
extern const char chorale_summary_load_sql[];
extern const char chorale_summary_kept_sql[];

/* How many different sets of nodes the multi-node launches used. One row covers
 * the process counts with several sets, one those with a single set.
 * chorale_summary_places() prints a row as a line. */
extern const char chorale_summary_places_sql[];
void chorale_summary_places(FILE *out, sqlite3_stmt *row);

#endif
