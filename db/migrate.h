/* SPDX-License-Identifier: BSD-3-Clause */
/* migrate.h - a database of an older schema becomes one of the current. */
#ifndef CHORALE_DB_MIGRATE_H
#define CHORALE_DB_MIGRATE_H

#include "db/store.h"

/* Bring an open database to the given schema in one transaction: tables that
 * differ are rebuilt with all their rows, what is new is made, views are made
 * anew; indexes, triggers and views that the user added stay. This works as
 * long as new columns have defaults and CHECKs only allow more; a version
 * that asks for more adds its own step here. Leaves foreign keys unenforced.
 * CHORALE_DATA: a row does not fit. CHORALE_ENV: another command is working on
 * it, no space. After an error the file is as it was. */
enum chorale_err chorale_migrate(struct chorale_store *store,
                                 const char *schema,
                                 struct chorale_errmsg *msg);

#endif
