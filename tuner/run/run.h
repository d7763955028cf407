/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h - run all pending launches. */
#ifndef CHORALE_TUNER_RUN_RUN_H
#define CHORALE_TUNER_RUN_RUN_H

#include "db/store.h"

#define CHORALE_RUN_LEAD 60.0
#define CHORALE_RUN_PUBLISH 10.0

struct chorale_run_opts {
    const char *system;      /* NULL: all systems */
    sqlite3_int64 campaign;  /* only cells that this campaign planned last;
                              * 0: all */
    const char *launcher_cmd;/* for custom; never taken from the database */
    double stall_seconds;    /* end a launch after this time without output */
    double hang_seconds;     /* end it after this time in one call; 0: derived
                              * from the cells' time limit */
    const char *command;     /* command line, to be stored, or NULL */
    const char *part;        /* only cells of this part; NULL: all parts but
                              * decision tables, which need their module */
    const char *module;      /* dispatch table of such a part, for the shim;
                              * real systems only */
    int served;              /* with module, without part: call the default as
                              * applications do, so that the shim serves it */
    long max_launches;       /* 0: no limit */
    long element;            /* only launches of this element of a job array; 0:
                              * all */
    const char *mpi;         /* argument of srun --mpi; NULL: srun's default */
    int bind;                /* bind each rank to its own core, and fail if a
                              * rank is not bound; without it, ranks are bound
                              * where they can be (tuner/run/bind.h) */
    int no_bind;             /* leave binding to the launcher */
    int one_per_p;           /* each launch has its own start */
    int turns;               /* permute the nodes of each launch
                              * (runners/launch/node_order.h) */
    double lead_seconds;     /* time from SIGUSR1 to the end of the job; most of
                              * it is left to the launch to end by itself; 0:
                              * end it at once */
    double kill_seconds;     /* time from SIGTERM, which all ranks receive and
                              * survive, to SIGKILL; used likewise; 0: SIGTERM
                              * ends a launch at once */
    /* Publishes the database, or NULL. Called after each launch, and after each
     * stored point that ends more than publish_seconds after the last call. Its
     * error after a launch ends the command. */
    enum chorale_err (*launched)(void *arg, struct chorale_store *store,
                                 struct chorale_errmsg *msg);
    void *launched_arg;
    double publish_seconds;
    int quiet, verbose;
    int as_step;             /* step of another verb: no summary line */
    int retry_failed;        /* measure failed cells again */
};

#define CHORALE_RUN_DEFAULTS                                                 \
    { .stall_seconds = 300, .lead_seconds = CHORALE_RUN_LEAD,                \
      .publish_seconds = CHORALE_RUN_PUBLISH }

/* The option --no-bind of verbs that measure; it needs tuner/base/verb.h. */
#define CHORALE_NO_BIND_OPT(type, field)                                     \
    { "no-bind", 0, CHORALE_OPT_FLAG, offsetof(type, field), NULL,           \
      "leave binding to the launcher (default: mpiexec and srun bind each "  \
      "rank to a core, if a node has a core for each of its ranks)", 0, 0 }

/* Run launches until none is pending. CHORALE_STOPPED after a request to stop
 * (chorale_stop_requested()), or if max_launches leaves some pending;
 * CHORALE_ENV if a launch fails without storing anything new; CHORALE_DATA if
 * no cell is planned. Stored results stay, and the same command resumes.
 *
 * Launches of one ordinal on several nodes share a start of the program, on
 * groups of whole nodes (runners/launch/groups.h), if they are measured alike.
 * No start is shared with one_per_p or max_launches, or after one failed. */
enum chorale_err chorale_run(const char *path,
                             const struct chorale_run_opts *opts,
                             struct chorale_errmsg *msg);

#endif
