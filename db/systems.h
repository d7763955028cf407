/* SPDX-License-Identifier: BSD-3-Clause */
/* systems.h - the systems of a database, and the one a verb works on. */
#ifndef CHORALE_DB_SYSTEMS_H
#define CHORALE_DB_SYSTEMS_H

#include <stddef.h>

#include "db/store.h"

/* Systems of a database in the order of their names. */
struct chorale_system_row {
    sqlite3_int64 id;
    int simulated;
    int imported;            /* its runs are what another benchmark printed */
    char *name;
};

/* All systems, or the one of that name. *list_p is allocated, *count_p >= 1.
 * CHORALE_DATA: none; CHORALE_USAGE: no such name. */
enum chorale_err chorale_systems_load(struct chorale_store *store,
                                      const char *name,
                                      struct chorale_system_row **list_p,
                                      size_t *count_p,
                                      struct chorale_errmsg *msg);
void chorale_systems_free(struct chorale_system_row *list, size_t count);

/* The one system of that name, or with name NULL the only one. simulated_p may
 * be NULL. Fails as chorale_systems_load, and with CHORALE_USAGE if there are
 * several and none is named (msg lists them). */
enum chorale_err chorale_store_system(struct chorale_store *store,
                                      const char *name,
                                      sqlite3_int64 *system_id_p,
                                      int *simulated_p,
                                      struct chorale_errmsg *msg);

/* Facts of a launch (table environment) in which all launches of a system
 * agree that have them, as a table of key and what, its name for people. */
#define CHORALE_SYSTEM_FACTS                                                 \
    "(SELECT 'fabric' AS key, 'the fabric' AS what"                          \
    " UNION ALL SELECT 'fabric_choice', 'the way to use the fabric'"         \
    " UNION ALL SELECT 'env:SLURM_CLUSTER_NAME', 'the cluster'"              \
    " UNION ALL SELECT 'env:SLURM_JOB_PARTITION', 'the partition')"

/* That launch, whose facts are stored, agrees with the first one of its system
 * that tells. CHORALE_ENV: it is on another fabric or partition; msg names
 * both. */
enum chorale_err chorale_system_agrees(struct chorale_store *store,
                                       sqlite3_int64 launch_id,
                                       struct chorale_errmsg *msg);

#endif
