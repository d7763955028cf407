/* SPDX-License-Identifier: BSD-3-Clause */
/* migrate.h - upgrade a database from an older schema to the current one. */
#ifndef CHORALE_DB_MIGRATE_H
#define CHORALE_DB_MIGRATE_H

#include "db/store.h"

/* Upgrade an open database to the given schema in one transaction. Tables that
 * differ are rebuilt with all their rows; missing tables are created; views are
 * recreated. Indexes, triggers and views added by the user are kept.
 *
 * This is enough while new columns have defaults and CHECKs only become wider;
 * a version that needs more must add its own step here. Afterwards foreign keys
 * are not enforced on this connection until the caller enables them.
 *
 * CHORALE_DATA: a row does not fit the new schema. CHORALE_ENV: in use by
 * another command, no space. After an error the file is unchanged. */
enum chorale_err chorale_migrate(struct chorale_store *store,
                                 const char *schema,
                                 struct chorale_errmsg *msg);

#endif
