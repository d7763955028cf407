/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.h - what a variant would send, written down instead of sent.
 *
 * Each rank's run() is called once, here, in one process, with a context that
 * notes messages and reductions and moves nothing. The notes of all ranks are
 * then played on a one-port, full-duplex network. That gives the exact
 * critical path of any variant at any point, also where no formula is exact
 * (incomplete trees, folds, short last segments). No MPI library is called.
 */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_SCHEDULE_H
#define CHORALE_ALGORITHMS_SCHEDULE_SCHEDULE_H

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* What a schedule adds up to. */
struct chorale_schedule_sum {
    double seconds;          /* of the critical path */
    double messages, bytes, reduced; /* A, B, C on it */
    long long total_messages, total_bytes, total_reduced; /* of all ranks */
    long long most_messages, most_bytes, most_reduced; /* of one rank */
    long long most_copied;   /* bytes that one rank copies inside its memory,
                              * where types are their packed bytes */
    size_t scratch;          /* bytes, of the rank that holds most */
    int overlaps;            /* a rank had two sends or two receives at once
                              * and they had to queue */
    int most_peers;          /* other ranks that one rank sends to */
    int nterm;               /* the path: as chorale_alg.cost fills it */
    struct chorale_term term[CHORALE_MAX_TERM];
};

/* The reason for having no schedule where the MPI library does a part. */
#define CHORALE_SCHEDULE_LIBRARY "the library does a part of it"

/* Write down and play alg at pt (root pt->root; types, where they matter, by
 * pt->type_size; pt->in_place of any collective that may be, of a rooted one at
 * the root). Uses pt->alpha, beta, tau. Returns 0; or -1 if there is no
 * schedule: the library does a part, there is no memory, or its messages do not
 * match (a defect of the variant); *why, if why is not NULL, says which. */
int chorale_schedule_walk(const struct chorale_alg *alg,
                          const struct chorale_point *pt,
                          struct chorale_schedule_sum *sum, const char **why);

/* The same where every rank has a port to every other one, as on a ring or a
 * mesh it has to its neighbours: messages share nothing but a link in one
 * direction. No network of that kind is simulated or fitted; the claims that
 * algorithms for two or four ports make are held against it. */
int chorale_schedule_walk_links(const struct chorale_alg *alg,
                                const struct chorale_point *pt,
                                struct chorale_schedule_sum *sum,
                                const char **why);

/* Counts of each rank in the schedule: stat has pt->comm_size entries. Returns
 * 0, or -1 where the variant fails, runs out of memory, or the library does a
 * part; messages that do not match are not noticed. */
int chorale_schedule_stat(const struct chorale_alg *alg,
                          const struct chorale_point *pt,
                          struct chorale_stat *stat);

#endif
