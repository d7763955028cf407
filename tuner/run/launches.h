/* SPDX-License-Identifier: BSD-3-Clause */
/* launches.h - choose the next launch, and write the rows about a launch that
 * the runner itself does not write. */
#ifndef CHORALE_TUNER_RUN_LAUNCHES_H
#define CHORALE_TUNER_RUN_LAUNCHES_H

#include "db/store.h"

/* A pending launch: cells without a run in this ordinal. They agree in system,
 * comm_size, ppn, shape, part, siblings and CHORALE_CAMPAIGN_WAY
 * (db/store.h). */
struct chorale_pending {
    sqlite3_int64 system_id, campaign_id, ncell;
    int comm_size, ppn, ordinal, siblings;
    char shape[16], part[128];
};

/* Create the in-memory list of abandoned launches; call once, first. */
enum chorale_err chorale_pending_open(struct chorale_store *store,
                                      struct chorale_errmsg *msg);

/* Filter of launches. */
struct chorale_launch_filter {
    const char *system;      /* name; NULL: all systems */
    sqlite3_int64 campaign;  /* that planned the cells last; 0: all */
    const char *part;        /* NULL: all parts but those of decision tables */
    long element;            /* element of the job array that was submitted with
                              * this database; 0: all */
};

/* Find the next launch; *found: 1 if there is one. */
enum chorale_err
chorale_pending_next(struct chorale_store *store,
                     const struct chorale_launch_filter *wanted,
                     struct chorale_pending *p, int *found,
                     struct chorale_errmsg *msg);

/* A launch that shares a start of the program (runners/launch/groups.h). */
struct chorale_cosched {
    struct chorale_pending p;
    char uuid[CHORALE_UUID_SIZE]; /* of its row in launch */
    int wave, node;
};

/* Assign waves and nodes to launches that may share a start. Sharing launches
 * come first, the largest at the front. Returns their number; 0: no two can
 * share; -1: out of memory. */
int chorale_cosched_place(struct chorale_cosched *fellow, int count);

/* Find the launches with p's ordinal and way of measuring that fit into one
 * start. The first uses all ranks, on several nodes; the others use subsets. p
 * is missing if it does not fit, and stays pending. *count_p is 0 if no two
 * launches fit. Free the array. */
enum chorale_err
chorale_pending_cosched(struct chorale_store *store,
                        const struct chorale_launch_filter *wanted,
                        const struct chorale_pending *p,
                        struct chorale_cosched **fellow_p, int *count_p,
                        struct chorale_errmsg *msg);

/* Delete the failed runs of a system (NULL: of all), which makes their cells
 * pending again. */
enum chorale_err chorale_pending_retry(struct chorale_store *store,
                                       const char *system,
                                       struct chorale_errmsg *msg);

/* Skip launches of this kind for the rest of the command. */
enum chorale_err chorale_pending_give_up(struct chorale_store *store,
                                         const struct chorale_pending *p,
                                         struct chorale_errmsg *msg);

/* Insert a running launch. Cells that ended the program, or hung, in a launch
 * of another ordinal get a failed run at once; *nleft: their number. seed is
 * the campaign's. */
enum chorale_err chorale_launch_begin(struct chorale_store *store,
                                      const struct chorale_pending *p,
                                      sqlite3_int64 seed, const char *uuid,
                                      long *nleft,
                                      struct chorale_errmsg *msg);

/* Mark a launch as failed; uuid NULL: all launches marked as running. */
enum chorale_err chorale_launch_failed(struct chorale_store *store,
                                       const char *uuid, const char *reason,
                                       struct chorale_errmsg *msg);

/* The number of runs that a launch has stored. */
enum chorale_err chorale_launch_runs(struct chorale_store *store,
                                     const char *uuid, sqlite3_int64 *count,
                                     struct chorale_errmsg *msg);

/* Prefixes of the reason of a cell that ended the program, or hung. */
#define CHORALE_ENDED_PROGRAM "it ended the program: "
#define CHORALE_HANG "hang: "

/* Store a failed run for the cell, or with cell 0 for all cells of the launch
 * without a run; *count: their number. */
enum chorale_err chorale_launch_fail_cell(struct chorale_store *store,
                                          const char *uuid, sqlite3_int64 cell,
                                          const char *reason, long *count,
                                          struct chorale_errmsg *msg);

#endif
