/* SPDX-License-Identifier: BSD-3-Clause */
/* system.h - identify the system that a plan measures, and store it. */
#ifndef CHORALE_TUNER_PLAN_SYSTEM_H
#define CHORALE_TUNER_PLAN_SYSTEM_H

#include "db/store.h"
#include "tuner/plan/plan.h"

struct chorale_system {
    sqlite3_int64 id;
    int simulated;
    int named;               /* name was given by the user */
    char name[128];
    char signature[1600];    /* equal signatures mean the same system */
    char mpi_library[256];
    char *platform;          /* text of the platform file if simulated */
    int nhost;               /* simulated hosts */
};

/* Examine this machine, or the platform, according to the plan's launcher. Call
 * chorale_system_release(). */
enum chorale_err chorale_system_describe(const struct chorale_plan *plan,
                                         struct chorale_system *sys,
                                         struct chorale_errmsg *msg);
void chorale_system_release(struct chorale_system *sys);

/* Read a platform file; the caller frees *text_p. CHORALE_ENV: it cannot be
 * read; CHORALE_DATA: it is larger than 16 MiB. */
enum chorale_err chorale_platform_read(const char *path, char **text_p,
                                       struct chorale_errmsg *msg);

/* Find the system by its signature, or add it under an unused name; sets id and
 * name. Call in a transaction. CHORALE_USAGE: the system is stored under a name
 * that differs from the user's, or that name belongs to an imported system. */
enum chorale_err chorale_system_store(struct chorale_store *store,
                                      struct chorale_system *sys,
                                      struct chorale_errmsg *msg);

#endif
