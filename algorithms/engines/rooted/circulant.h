/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.h - broadcast schedule on a circulant graph with the fewest rounds.
 *
 * Rank 0 broadcasts S blocks in S + L - 1 rounds, L = ceil(lg P), which is
 * optimal. In each round every rank sends to the rank a skip above it and
 * receives from the rank that skip below, at the same time. The L skips are s_L
 * = P, s_{j-1} = ceil(s_j / 2), down to s_0 = 1, and are used cyclically. Each
 * rank computes its own schedule, in about O(log^3 P). Run backwards, the
 * schedule is a reduction.
 *
 * Source  Traeff, arXiv 2312.11236, 2407.18004
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_CIRCULANT_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_CIRCULANT_H

#include "algorithms/alg.h"

#define CHORALE_CIRCULANT_MAX 32

/* The schedule of virtual rank v (0: the root) among size >= 1. */
struct chorale_circulant {
    int v, size;
    int rounds;    /* L, the rounds of one phase */
    long skip[CHORALE_CIRCULANT_MAX + 1];
    /* Blocks of round k of a phase, relative to the phase's first block;
     * negative: blocks of the phase before. */
    int recv[CHORALE_CIRCULANT_MAX], send[CHORALE_CIRCULANT_MAX];
};

/* One round of one rank: virtual ranks and blocks 0 ... S - 1, or -1 if nothing
 * is sent or received. */
struct chorale_circulant_round {
    int to, out;
    int from, in;
};

/* Compute the schedule of virtual rank v. init_recv computes only recv, which
 * takes a small part of the time; send is then undefined. */
void chorale_circulant_init(struct chorale_circulant *c, int v, int size);
void chorale_circulant_init_recv(struct chorale_circulant *c, int v,
                                 int size);

/* Total rounds for nblocks >= 1 blocks: nblocks + L - 1; 0 for one rank. */
int chorale_circulant_rounds(const struct chorale_circulant *c, int nblocks);

/* Round i of these, counted from 0. */
struct chorale_circulant_round
chorale_circulant_round(const struct chorale_circulant *c, int nblocks, int i);

/* Number of blocks for the parameter value param and n bytes split in units:
 * param blocks, at most one per unit; 0: one per 8 KiB. At least 1. */
int chorale_circulant_nblocks(long param, size_t n, size_t unit);

enum { CHORALE_NNBLOCKS = 8 };
extern const long chorale_circulant_nblocks_values[CHORALE_NNBLOCKS];
#define CHORALE_CIRCULANT_NBLOCKS(what)                                      \
    {                                                                        \
        .name = "nblocks", .unit = what ", 0: one for every 8 KiB",          \
        .def = 0, .min = 0, .max = 1L << 20,                                 \
        .candidate = chorale_circulant_nblocks_values,                       \
        .ncandidate = CHORALE_NNBLOCKS, .by = CHORALE_BY_BLOCKS              \
    }

/* Upper bound of the critical path: every round takes as long as the largest
 * block, which is also reduced if reduces is 1. Fills term as chorale_alg.cost
 * does. */
int chorale_circulant_cost(const struct chorale_point *pt, int reduces,
                           struct chorale_term *term);

#endif
