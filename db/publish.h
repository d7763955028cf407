/* SPDX-License-Identifier: BSD-3-Clause */
/* publish.h - copies of a database for others to read. */
#ifndef CHORALE_DB_PUBLISH_H
#define CHORALE_DB_PUBLISH_H

#include "db/store.h"

/* A copy of the database as it is now, under the name file: made beside it as
 * FILE.new by SQLite's backup, on the disk, and renamed. Readers see the old
 * copy or all of the new one, also after a power failure. A tail (tail.h) of
 * the old copy goes then. store has no transaction open. CHORALE_ENV: it cannot
 * be written; the old copy stays. */
enum chorale_err chorale_publish(struct chorale_store *store, const char *file,
                                 struct chorale_errmsg *msg);

#endif
