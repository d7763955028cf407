/* SPDX-License-Identifier: BSD-3-Clause */
/* launches.h - which launch comes next, and the rows that a launch leaves in
 * the database from outside: what the runner itself stores is record.c's. */
#ifndef CHORALE_TUNER_RUN_LAUNCHES_H
#define CHORALE_TUNER_RUN_LAUNCHES_H

#include "db/store.h"

/* A launch to be made: cells of one system, comm_size and part that have no
 * run in its ordinal. */
struct chorale_pending {
    sqlite3_int64 system_id, campaign_id, ncell;
    int comm_size, ppn, ordinal, siblings;
    char shape[16], part[128];
};

/* Once, before the others: the list of what is given up, in memory. */
enum chorale_err chorale_pending_open(struct chorale_store *store,
                                      struct chorale_errmsg *msg);

/* Which launches. */
struct chorale_wanted {
    const char *system;      /* its name; NULL: of all */
    sqlite3_int64 campaign;  /* the one that planned last; 0: of all */
    const char *part;        /* of that; NULL: of all but those of decision
                              * tables */
    long element;            /* of that of a job array, in the database of its
                              * one submission; 0: of all */
};

/* The next one; *found: there is one. */
enum chorale_err chorale_pending_next(struct chorale_store *store,
                                      const struct chorale_wanted *wanted,
                                      struct chorale_pending *p, int *found,
                                      struct chorale_errmsg *msg);

/* A launch that shares the start of others: runners/launch/groups.h. */
struct chorale_fellow {
    struct chorale_pending p;
    char uuid[CHORALE_UUID_SIZE]; /* of the row that is made for it */
    int wave, node;
};

/* Give launches that may share a start their waves and nodes: those of one
 * start come first, the largest before all. Returns how many they are: 0, none
 * shares with another; -1: out of memory. */
int chorale_fellows_place(struct chorale_fellow *fellow, int count);

/* Launches of the ordinal and the way of p, p among them, that can be made in
 * one start: the first is of all its ranks, on several nodes, the others are
 * of some of them. *count_p is 0 where p shares with none. Free the array. */
enum chorale_err chorale_pending_fellows(struct chorale_store *store,
                                         const struct chorale_wanted *wanted,
                                         const struct chorale_pending *p,
                                         struct chorale_fellow **fellow_p,
                                         int *count_p,
                                         struct chorale_errmsg *msg);

/* Forget the failed runs of that system, NULL: of all, so that their cells are
 * pending again. */
enum chorale_err chorale_pending_retry(struct chorale_store *store,
                                       const char *system,
                                       struct chorale_errmsg *msg);

/* Leave launches of its kind out for the rest of the command. */
enum chorale_err chorale_pending_give_up(struct chorale_store *store,
                                         const struct chorale_pending *p,
                                         struct chorale_errmsg *msg);

/* A row for the launch, which is running, and a failed run for each of its
 * cells that has ended or hung a launch of another ordinal for good: *nleft
 * of them. seed is the campaign's. */
enum chorale_err chorale_launch_begin(struct chorale_store *store,
                                      const struct chorale_pending *p,
                                      sqlite3_int64 seed, const char *uuid,
                                      long *nleft,
                                      struct chorale_errmsg *msg);

/* It has failed; uuid NULL: all that are still called running. */
enum chorale_err chorale_launch_failed(struct chorale_store *store,
                                       const char *uuid, const char *reason,
                                       struct chorale_errmsg *msg);

/* How many runs it has stored. */
enum chorale_err chorale_launch_runs(struct chorale_store *store,
                                     const char *uuid, sqlite3_int64 *count,
                                     struct chorale_errmsg *msg);

/* What the reason of a cell begins with that ended the program, or hung. */
#define CHORALE_ENDED_PROGRAM "it ended the program: "
#define CHORALE_HANG "hang: "

/* That cell has failed there, cell 0: all of the launch that have no run;
 * *count of them. */
enum chorale_err chorale_launch_blame(struct chorale_store *store,
                                      const char *uuid, sqlite3_int64 cell,
                                      const char *reason, long *count,
                                      struct chorale_errmsg *msg);

#endif
