/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.h - broadcasting S blocks from rank 0 in S + L - 1 rounds,
 * L = ceil(lg P), the fewest possible. In each round every rank sends to the
 * one at a skip above it and receives from the one at that skip below, at the
 * same time; the L skips are s_L = P, s_{j-1} = ceil(s_j / 2), down to
 * s_0 = 1, and are taken in turn. Each rank works its own schedule out, in
 * O(log^3 P) or so. Read backwards it is a reduction.
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
    int rounds;    /* L, of one phase */
    long skip[CHORALE_CIRCULANT_MAX + 1];
    /* Blocks of round k of a phase, counted from the phase's first block;
     * below 0: blocks of the phase before. */
    int recv[CHORALE_CIRCULANT_MAX], send[CHORALE_CIRCULANT_MAX];
};

/* One round of one rank: virtual ranks, and blocks 0 ... S - 1, or -1 where
 * nothing is sent or received. */
struct chorale_circulant_round {
    int to, out;
    int from, in;
};

/* The schedule of virtual rank v; recv: what it receives alone, which takes a
 * small part of the time: the blocks of send are meaningless then. */
void chorale_circulant_init(struct chorale_circulant *c, int v, int size);
void chorale_circulant_init_recv(struct chorale_circulant *c, int v,
                                 int size);

/* Rounds in all for nblocks >= 1 blocks: nblocks + L - 1; 0 for one rank. */
int chorale_circulant_rounds(const struct chorale_circulant *c, int nblocks);

/* Round i of them, from 0. */
struct chorale_circulant_round
chorale_circulant_round(const struct chorale_circulant *c, int nblocks, int i);

/* The parameter nblocks for n bytes that are cut in units: as many blocks, at
 * most one a unit; 0: one for every 8 KiB. At least 1. */
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

/* A bound of the critical path: every round takes as long as the largest
 * block; that is reduced in each of them where reduces is 1. Fills term as
 * chorale_alg.cost. */
int chorale_circulant_cost(const struct chorale_point *pt, int reduces,
                           struct chorale_term *term);

#endif
