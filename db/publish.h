/* SPDX-License-Identifier: BSD-3-Clause */
/* publish.h - copies of a database for others to read. */
#ifndef CHORALE_DB_PUBLISH_H
#define CHORALE_DB_PUBLISH_H

#include "db/store.h"

/* Publish a copy of the database under the name file: SQLite's backup writes it
 * to the disk as FILE.new, which is then renamed. Readers see the old copy or
 * all of the new one, also after a power failure. store has no open
 * transaction; another process may write to the database. CHORALE_ENV: the copy
 * cannot be written; the old one stays. */
enum chorale_err chorale_publish(struct chorale_store *store, const char *file,
                                 struct chorale_errmsg *msg);

#endif
