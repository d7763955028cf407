/* SPDX-License-Identifier: BSD-3-Clause */
/* halves.h - allreduce by reduce-scatter and allgather.
 *
 * The vector is split evenly in one part per rank. Every part is reduced on one
 * rank, so all ranks end with the same bits. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_HALVES_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_HALVES_H

#include "algorithms/alg.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/reduction/scatter_reduce.h"

/* Algorithm of either half. */
enum chorale_half {
    CHORALE_WAY_RING,      /* P - 1 rounds of one part */
    CHORALE_WAY_EXCHANGE,  /* among k ranks at a time; P a power of k */
    CHORALE_WAY_DIRECT,    /* reduce-scatter only: P - 1 messages in flight
                            * together */
    CHORALE_WAY_CIRCULANT, /* ceil(lg P) rounds, any P */
    CHORALE_WAY_BRUCK,     /* allgather only: ceil(lg P) rounds, any P */
    CHORALE_WAY_NEIGHBOR   /* allgather only: P/2 rounds, P even */
};

/* Run both halves of an allreduce's call. rs_k, ag_k: radix of
 * CHORALE_WAY_EXCHANGE; radix P is pairwise exchange. Returns an MPI error
 * code. */
int chorale_halves_run(const struct chorale_call *call, enum chorale_half rs,
                       int rs_k, enum chorale_half ag, int ag_k);

/* Append the critical path of one half, with the vector of pt in parts, to the
 * n terms in term; returns the new number. Exact if all ranks start together or
 * follow the first half. */
int chorale_half_cost(const struct chorale_point *pt, enum chorale_half way,
                      int k, int parts, int reduces,
                      struct chorale_term *term, int n);

/* Upper bound on the bytes of scratch of both halves, in place or not. */
size_t chorale_halves_scratch(const struct chorale_point *pt,
                              enum chorale_half rs, int rs_k,
                              enum chorale_half ag, int parts);

/* Bytes of the k largest of that many parts of the vector, in whole elements;
 * they are the first ones. */
size_t chorale_parts_most(const struct chorale_point *pt, int parts, int k);

#endif
