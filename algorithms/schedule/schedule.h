/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.h - records a variant's messages and computes its critical path.
 *
 * Each rank's run() is called once, in one process, with a context that records
 * messages and reductions and moves no data. The recorded events of all ranks
 * are then replayed on a one-port, full-duplex network. This gives the exact
 * critical path of any variant at any point, also where no formula is exact
 * (incomplete trees, folds, short last segments). The MPI library is not
 * called.
 */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_SCHEDULE_H
#define CHORALE_ALGORITHMS_SCHEDULE_SCHEDULE_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* Totals of a schedule. */
struct chorale_schedule_sum {
    double seconds;          /* of the critical path */
    double messages, bytes, reduced; /* A, B, C on the critical path */
    long long total_messages, total_bytes, total_reduced; /* sums over all
                                                           * ranks */
    long long most_messages, most_bytes, most_reduced; /* maximum over ranks */
    long long most_copied;   /* maximum over ranks of the bytes copied inside
                              * a rank's memory, for types stored as packed
                              * bytes */
    size_t scratch;          /* bytes, maximum over ranks */
    int overlaps;            /* 1: two sends or two receives of a rank were in
                              * flight at once and had to queue */
    int most_peers;          /* maximum over ranks of the ranks it sends to */
    int nterm;               /* the critical path, as filled by
                              * chorale_alg.cost */
    struct chorale_term term[CHORALE_MAX_TERM];
};

/* Reason for a missing schedule: the MPI library runs a part. */
#define CHORALE_SCHEDULE_LIBRARY "the library does a part of it"

/* Record and replay alg at pt. The root is pt->root; types follow
 * pt->type_size. pt->in_place applies to every collective that allows
 * MPI_IN_PLACE, for rooted ones at the root. Uses pt->alpha, beta, tau.
 * Returns 0, or -1 if there is no schedule: alg does not run at pt, the library
 * runs a part, memory is exhausted, or messages do not match (a defect of the
 * variant). *why, if why is not NULL, is the reason. */
int chorale_schedule_walk(const struct chorale_alg *alg,
                          const struct chorale_point *pt,
                          struct chorale_schedule_sum *sum, const char **why);

/* The same if every rank has a separate port to every other rank, as neighbours
 * have on a ring or mesh: messages share only a link in one direction. Such
 * networks are neither simulated nor fitted; this function is for testing
 * published claims about algorithms for two or four ports. */
int chorale_schedule_walk_links(const struct chorale_alg *alg,
                                const struct chorale_point *pt,
                                struct chorale_schedule_sum *sum,
                                const char **why);

/* Counters of each rank in the schedule: stat has pt->comm_size entries.
 * Returns 0, or -1 if the variant fails, memory is exhausted or the library
 * runs a part. Mismatched messages are not detected. */
int chorale_schedule_stat(const struct chorale_alg *alg,
                          const struct chorale_point *pt,
                          struct chorale_stat *stat);

#endif
