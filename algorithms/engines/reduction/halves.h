/* SPDX-License-Identifier: BSD-3-Clause */
/* halves.h - allreduces of two halves: a reduce-scatter of the vector, cut
 * evenly in one part a rank, then an allgather of the parts. Every part is
 * reduced at one rank, so all ranks end with the same bits. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_HALVES_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_HALVES_H

#include "algorithms/alg.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/reduction/scatter_reduce.h"

/* How parts travel. */
enum chorale_half {
    CHORALE_WAY_RING,      /* P - 1 rounds of one part */
    CHORALE_WAY_EXCHANGE,  /* among k ranks at a time; P a power of k */
    CHORALE_WAY_DIRECT,    /* first half only: P - 1 messages at once */
    CHORALE_WAY_CIRCULANT, /* ceil(lg P) rounds, any P */
    CHORALE_WAY_BRUCK,     /* second half only: ceil(lg P) rounds, any P */
    CHORALE_WAY_NEIGHBOR   /* second half only: P/2 rounds, P even */
};

/* Run both halves on an allreduce's call. k: of an exchange; P there is
 * pairwise exchange. Returns an MPI error code. */
int chorale_halves_run(const struct chorale_call *call, enum chorale_half rs,
                       int rs_k, enum chorale_half ag, int ag_k);

/* The critical path of one half on parts ranks with the vector of pt: fills
 * terms from term[n] on and returns how many there are then. Exact, if all
 * ranks begin together or the first half ran before. */
int chorale_half_cost(const struct chorale_point *pt, enum chorale_half way,
                      int k, int parts, int reduces,
                      struct chorale_term *term, int n);

/* Scratch of both halves, in place or not. */
size_t chorale_halves_scratch(const struct chorale_point *pt,
                              enum chorale_half rs, int rs_k,
                              enum chorale_half ag, int parts);

/* Bytes of the first k of so many parts of the vector, in whole elements:
 * the k parts that have most. */
size_t chorale_parts_most(const struct chorale_point *pt, int parts, int k);

#endif
