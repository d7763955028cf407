/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.h - estimate the time of a planned campaign before it is started.
 *
 * Launches are those that `run` would start for the campaign's cells, without
 * those already measured. Launches that share a start (launches.h) share its
 * cost: groups of nodes measured concurrently hold all nodes of the start until
 * the last group is done. adaptive.h gives the time of a launch: start-up, and
 * for each cell repetitions, warm-up, verification and synchronisation. The
 * time of a call is the variant's cost formula with three network parameters.
 * With a model, alpha is that of the shortest messages between nodes (or within
 * one), beta that of the longest, and tau that of the largest reductions. This
 * is accurate enough for hours, and as fast for a million ranks as for two.
 */
#ifndef CHORALE_TUNER_PLAN_ESTIMATE_H
#define CHORALE_TUNER_PLAN_ESTIMATE_H

#include "tuner/adaptive/adaptive.h"
#include "tuner/run/launches.h"

/* The launches with one number of ranks and of ranks per node. */
struct chorale_estimate_row {
    int comm_size, ppn, nodes;
    long ncell, nlaunch;
    long nstart;             /* starts of the program, shared by launches */
    long nleft;              /* cells that cannot run there, at no cost */
    double seconds;          /* of all launches, one after the other */
    double node_seconds;
    double node_seconds_each; /* if each launch had its own start */
    double launch_seconds;   /* longest launch, without its start-up */
    double launch_most;      /* the same if every cell uses up its time limit; 0
                              * if simulated */
};

/* The source of a number. */
enum chorale_estimate_from {
    CHORALE_ESTIMATE_DEFAULT,
    CHORALE_ESTIMATE_MODEL,  /* fitted; for start-up: from earlier launches */
    CHORALE_ESTIMATE_STATED  /* given by the user */
};

struct chorale_estimate {
    struct chorale_estimate_row *row; /* ascending in comm_size */
    size_t nrow;
    struct chorale_estimate_row all;  /* comm_size, ppn, nodes: 0 */
    struct chorale_family_net net;    /* between nodes; tau of the sum of
                                       * doubles, 0 if the model lacks it */
    enum chorale_estimate_from alpha, beta, tau, start_up;
    double start_up_seconds;
    long nstarted;           /* earlier starts used for it */
    double in_time;          /* share of their cells that used up the time
                              * limit; the same share is assumed here */
    double most_seconds;     /* all.seconds if every cell uses up its time */
    double most_node_seconds; /* limit; the same in node-s; 0 if simulated */
    int simulated;           /* a launch counts as CHORALE_ADAPT_LAUNCHES */
};

/* Values given by the user, which replace those of the model or the defaults;
 * seconds; below 0: unset. */
struct chorale_estimate_given {
    double alpha, beta, start_up;
    int one_per_p;           /* each launch has its own start */
};

/* A launch during the assignment to starts. */
struct chorale_estimate_launch {
    struct chorale_pending p;
    size_t row;              /* of the estimate */
    int shares;              /* may share a start with others */
    double seconds;          /* of its cells */
    /* Results, initially zero: */
    int placed, starts;      /* starts: the program is started for it */
    double taken, node_taken; /* added cost, s and node-s */
};

/* Estimate a campaign. opts: how launches are measured, and whether they are
 * simulated. Release the estimate in either case. */
enum chorale_err
chorale_estimate_make(struct chorale_store *store, sqlite3_int64 system_id,
                      sqlite3_int64 campaign_id,
                      const struct chorale_adapt_opts *opts,
                      const struct chorale_estimate_given *said,
                      struct chorale_estimate *estimate,
                      struct chorale_errmsg *msg);
void chorale_estimate_release(struct chorale_estimate *estimate);

/* estimate_launches.c: assign launch[n], ascending in comm_size as `run` visits
 * them, to starts, and compute the cost that each adds. The largest launch of a
 * start pays for start-up and its own cells, the others for the time that they
 * hold the nodes longer. CHORALE_ENV: out of memory. */
enum chorale_err
chorale_estimate_starts(struct chorale_estimate_launch *launch, size_t n,
                        double start_up, struct chorale_errmsg *msg);

/* estimate_show.c: print the estimate as a table or as JSON. */
void chorale_estimate_show(const struct chorale_estimate *estimate);
enum chorale_err chorale_estimate_json(const struct chorale_estimate *estimate,
                                       const char *system,
                                       struct chorale_errmsg *msg);

#endif
