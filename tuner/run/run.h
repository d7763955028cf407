/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h - execute what is pending. */
#ifndef CHORALE_TUNER_RUN_RUN_H
#define CHORALE_TUNER_RUN_RUN_H

#include "db/store.h"

#define CHORALE_RUN_LEAD 60.0
#define CHORALE_RUN_PUBLISH 60.0

struct chorale_run_opts {
    const char *system;      /* NULL: all systems */
    sqlite3_int64 campaign;  /* only cells that this campaign planned last;
                              * 0: all */
    const char *launcher_cmd;/* of kind custom; never taken from the file */
    double stall_seconds;    /* a silent launch is ended after this */
    double hang_seconds;     /* and one in a call of a cell after this; 0: by
                              * the cells' time cap */
    const char *command;     /* our command line, for the record, or NULL */
    const char *part;        /* only cells of this part; NULL: all but those
                              * of decision tables, which need their module */
    const char *module;      /* of such a part, on a real system: the dispatch
                              * table that the shim serves */
    int served;              /* with a module and no part: the library's default
                              * is called as applications call it, so that the
                              * shim serves it */
    long max_launches;       /* 0: no end before all is measured */
    long element;            /* only launches of that element of a job array;
                              * 0: all */
    const char *mpi;         /* what srun's --mpi gets, NULL: its default */
    int bind;                /* each rank to a core of its own */
    int one_per_p;           /* each launch has a start of its own */
    int turns;               /* each has its nodes in an order of its own:
                              * runners/launch/node_order.h */
    double lead_seconds;     /* SIGUSR1 comes so long ahead of the end: most
                              * of it a launch has to end by itself; 0: it is
                              * ended at once */
    double kill_seconds;     /* SIGTERM, which all ranks get as well, comes so
                              * long ahead of SIGKILL: likewise, and they
                              * outlive it; 0: it ends a launch at once */
    /* After each launch, whose runs are committed; while one runs, after a
     * point that is stored as long as that takes a hundredth of the time, else
     * every publish_seconds; NULL: nothing. What it fails with after a launch
     * ends the command. */
    enum chorale_err (*launched)(void *arg, struct chorale_store *store,
                                 struct chorale_errmsg *msg);
    void *launched_arg;
    double publish_seconds;
    const char *published;   /* where that publishes it: what the runner stores
                              * goes to that copy's tail (db/tail.h); NULL:
                              * nowhere */
    int quiet, verbose;
    int as_step;             /* of another verb: the bar, and no line in the
                              * end that says what was made */
    int retry_failed;        /* cells that have failed are pending again */
};

#define CHORALE_RUN_DEFAULTS                                                 \
    { .stall_seconds = 300, .lead_seconds = CHORALE_RUN_LEAD,                \
      .publish_seconds = CHORALE_RUN_PUBLISH }

/* Launch by launch until nothing is pending. CHORALE_STOPPED after SIGINT,
 * SIGTERM or SIGUSR1, and where max_launches leaves something pending;
 * CHORALE_ENV if a launch fails and stored nothing new. What is stored stays,
 * and the same command goes on with the rest.
 *
 * Launches of one ordinal on several nodes share a start, in groups of whole
 * nodes (runners/launch/groups.h), if they measure in the same way; not with one_per_p
 * or max_launches, and no more after such a start has failed. */
enum chorale_err chorale_run(const char *path,
                             const struct chorale_run_opts *opts,
                             struct chorale_errmsg *msg);

#endif
