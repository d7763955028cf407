/* SPDX-License-Identifier: BSD-3-Clause */
/* systems.h - the systems in a database, and selecting one by name. */
#ifndef CHORALE_DB_SYSTEMS_H
#define CHORALE_DB_SYSTEMS_H

#include <stddef.h>

#include "db/store.h"

/* One system of a database. */
struct chorale_system_row {
    sqlite3_int64 id;
    int simulated;
    int imported;            /* its runs are the output of another benchmark */
    char *name;
};

/* Load all systems sorted by name, or with a name that one. *list_p is
 * allocated (chorale_systems_free()), *count_p >= 1. CHORALE_DATA: the database
 * has no system; CHORALE_USAGE: unknown name. */
enum chorale_err chorale_systems_load(struct chorale_store *store,
                                      const char *name,
                                      struct chorale_system_row **list_p,
                                      size_t *count_p,
                                      struct chorale_errmsg *msg);
void chorale_systems_free(struct chorale_system_row *list, size_t count);

/* Find the system of that name, or with name NULL the only system. simulated_p
 * may be NULL. Errors as chorale_systems_load(); also CHORALE_USAGE if name is
 * NULL and there are several (msg lists them). */
enum chorale_err chorale_store_system(struct chorale_store *store,
                                      const char *name,
                                      sqlite3_int64 *system_id_p,
                                      int *simulated_p,
                                      struct chorale_errmsg *msg);

/* Check that a system can be measured here: with name NULL any of the systems.
 * CHORALE_DATA: its runs, or those of all systems, were imported. A database
 * without systems passes. */
enum chorale_err chorale_systems_measurable(struct chorale_store *store,
                                            const char *name,
                                            struct chorale_errmsg *msg);

/* Open the database at path for reading, and find a system as
 * chorale_store_system(). The caller closes *store_p, also on error. */
enum chorale_err chorale_store_open_system(const char *path, const char *name,
                                           struct chorale_store **store_p,
                                           sqlite3_int64 *system_id_p,
                                           int *simulated_p,
                                           struct chorale_errmsg *msg);

/* Facts of a launch (table environment) on which all launches of a system must
 * agree, as a table of key and what, its readable name. */
#define CHORALE_SYSTEM_FACTS                                                 \
    "(SELECT 'fabric' AS key, 'the fabric' AS what"                          \
    " UNION ALL SELECT 'fabric_choice', 'the way to use the fabric'"         \
    " UNION ALL SELECT 'env:SLURM_CLUSTER_NAME', 'the cluster'"              \
    " UNION ALL SELECT 'env:SLURM_JOB_PARTITION', 'the partition')"

/* Check the stored facts of a launch against the first launch of its system
 * that has them. CHORALE_ENV: another fabric or partition; msg names both. */
enum chorale_err chorale_system_agrees(struct chorale_store *store,
                                       sqlite3_int64 launch_id,
                                       struct chorale_errmsg *msg);

#endif
