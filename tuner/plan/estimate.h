/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.h - what a planned campaign will take, before anything is started.
 *
 * Launches are those that `run` would make of the campaign's cells, with what
 * was measured already left out, and those that it would measure in one start
 * (launches.h) share it: groups of nodes that are measured at once hold all of
 * the start's nodes until the last is done. What a launch takes is known to
 * adaptive.h alone: start-up, and of each cell repetitions, warm-up, verification
 * and synchronisation. A call takes what the stated cost of its variant comes
 * to on a network of three numbers, with a model that of the longest messages
 * between nodes (or within one): good enough for hours, and as quick at a
 * million ranks as at two.
 */
#ifndef CHORALE_TUNER_PLAN_ESTIMATE_H
#define CHORALE_TUNER_PLAN_ESTIMATE_H

#include "tuner/adaptive/adaptive.h"
#include "tuner/run/launches.h"

/* Launches of one number of ranks, and of ranks a node. */
struct chorale_estimate_row {
    int comm_size, ppn, nodes;
    long ncell, nlaunch;
    long nstart;             /* of the program; the other launches share one */
    long nleft;              /* of the cells: cannot run there, cost nothing */
    double seconds;          /* one launch after the other */
    double node_seconds;
    double node_seconds_each; /* if each launch had a start of its own */
    double launch_seconds;   /* the longest launch without its start, and that */
    double launch_most;      /* if no cell becomes precise; 0 if simulated */
};

/* Where a number comes from. */
enum chorale_estimate_from {
    CHORALE_ESTIMATE_DEFAULT,
    CHORALE_ESTIMATE_MODEL,  /* or, of start-up, of launches that were made */
    CHORALE_ESTIMATE_STATED
};

struct chorale_estimate {
    struct chorale_estimate_row *row; /* ascending in comm_size */
    size_t nrow;
    struct chorale_estimate_row all;  /* comm_size, ppn, nodes: 0 */
    struct chorale_family_net net;    /* between nodes; tau of the first type
                                       * and operation that reduces, or 0 */
    enum chorale_estimate_from alpha, beta, tau, start_up;
    double start_up_seconds;
    long nstarted;           /* starts that tell it */
    double in_time;          /* share of their cells whose time was over before
                              * they were precise: as many are expected here */
    double most_seconds;     /* all.seconds, all.node_seconds if it is that of */
    double most_node_seconds; /* every cell; 0 if simulated */
    int simulated;           /* a launch counts as CHORALE_ADAPT_LAUNCHES */
};

/* What is said of a system instead of the model's or the defaults, seconds;
 * below 0: nothing. */
struct chorale_estimate_said {
    double alpha, beta, start_up;
    int one_per_p;           /* no two launches share a start */
};

/* A launch, while its start is looked for. */
struct chorale_estimate_launch {
    struct chorale_pending p;
    size_t row;              /* of the estimate */
    int shares;              /* may share a start with others */
    double seconds;          /* of its cells */
    /* Filled in, zero before: */
    int placed, starts;      /* the program is started for it */
    double taken, node_taken; /* s, node-s that it adds */
};

/* Estimate that campaign. opts: the launches' way of measuring, and whether
 * they are simulated. CHORALE_STORE, CHORALE_ENV. Release it in either
 * case. */
enum chorale_err chorale_estimate_make(struct chorale_store *store,
                                       sqlite3_int64 system_id,
                                       sqlite3_int64 campaign_id,
                                       const struct chorale_adapt_opts *opts,
                                       const struct chorale_estimate_said *said,
                                       struct chorale_estimate *estimate,
                                       struct chorale_errmsg *msg);
void chorale_estimate_release(struct chorale_estimate *estimate);

/* estimate_launches.c: which of launch[n] share a start, and what each adds: the
 * largest the start and its own cells, the others the time for which the nodes
 * are held. They are in the order in which `run` comes to those of one ordinal:
 * ascending in comm_size. CHORALE_ENV: out of memory. */
enum chorale_err
chorale_estimate_starts(struct chorale_estimate_launch *launch, size_t n,
                        double start_up, struct chorale_errmsg *msg);

/* estimate_show.c: print it, as a table or as JSON. */
void chorale_estimate_show(const struct chorale_estimate *estimate);
enum chorale_err chorale_estimate_json(const struct chorale_estimate *estimate,
                                       const char *system,
                                       struct chorale_errmsg *msg);

#endif
