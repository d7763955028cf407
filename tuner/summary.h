/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.h - the decision table as a page that a person reads. */
#ifndef CHORALE_TUNER_SUMMARY_H
#define CHORALE_TUNER_SUMMARY_H

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

#endif
