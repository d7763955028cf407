/* SPDX-License-Identifier: BSD-3-Clause */
/* system.h - which system a plan measures: found or made in the database. */
#ifndef CHORALE_TUNER_PLAN_SYSTEM_H
#define CHORALE_TUNER_PLAN_SYSTEM_H

#include "db/store.h"
#include "tuner/plan/plan.h"

struct chorale_system {
    sqlite3_int64 id;
    int simulated;
    int named;               /* name is what the user said */
    char name[128];
    char signature[1600];    /* equal signatures: the same system */
    char mpi_library[256];
    char *platform;          /* text of the platform file, simulated */
    int nhost;               /* simulated hosts */
};

/* Look at the machine or the platform as the plan's launcher says. Free
 * platform with chorale_system_release. */
enum chorale_err chorale_system_describe(const struct chorale_plan *plan,
                                         struct chorale_system *sys,
                                         struct chorale_errmsg *msg);
void chorale_system_release(struct chorale_system *sys);

/* The text of a platform file, to be freed. CHORALE_ENV: it cannot be read;
 * CHORALE_DATA: it is larger than 16 MiB. */
enum chorale_err chorale_platform_read(const char *path, char **text_p,
                                       struct chorale_errmsg *msg);

/* Find it by signature, else add it, under a free name. In a transaction. */
enum chorale_err chorale_system_store(struct chorale_store *store,
                                      struct chorale_system *sys,
                                      struct chorale_errmsg *msg);

#endif
