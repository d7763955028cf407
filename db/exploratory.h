/* SPDX-License-Identifier: BSD-3-Clause */
/* exploratory.h - tables that were decided by too few launches to confirm a
 * choice. */
#ifndef CHORALE_DB_EXPLORATORY_H
#define CHORALE_DB_EXPLORATORY_H

#include "db/store.h"

enum { CHORALE_EXPLORATORY_TEXT = 160 };

/* Describe in one line, without a newline, why the table of a system (0: of any
 * system) is exploratory: "exploratory: ...". text is "" if it is not.
 * CHORALE_DATA, CHORALE_ENV: the database cannot be read. */
enum chorale_err chorale_exploratory(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_EXPLORATORY_TEXT],
                                     struct chorale_errmsg *msg);

#endif
