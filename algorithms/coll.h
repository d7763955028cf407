/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h - the collectives and the rules that hold for all their variants.
 *
 * This header does not use MPI: the command, the emitters and the readers of
 * the database include it too. A new collective needs an enum member, a row in
 * coll.c and its fields in the comment of struct chorale_call (alg.h).
 * HACKING.md lists its other places in runners/ and algorithms/dispatch/.
 */
#ifndef CHORALE_ALGORITHMS_COLL_H
#define CHORALE_ALGORITHMS_COLL_H

#include <stddef.h>
#include <stdint.h>

enum chorale_coll {
    CHORALE_BARRIER,
    CHORALE_BCAST,
    CHORALE_REDUCE,
    CHORALE_ALLREDUCE,
    CHORALE_REDUCE_SCATTER_BLOCK,
    CHORALE_REDUCE_SCATTER,
    CHORALE_GATHER,
    CHORALE_GATHERV,
    CHORALE_SCATTER,
    CHORALE_SCATTERV,
    CHORALE_ALLGATHER,
    CHORALE_ALLGATHERV,
    CHORALE_ALLTOALL,
    CHORALE_ALLTOALLV,
    CHORALE_SCAN,
    CHORALE_EXSCAN,
    CHORALE_NCOLL /* number of collectives */
};

struct chorale_coll_info {
    const char *name; /* as in MPI, lower case: "bcast" */
    int rooted;       /* has a root argument */
    int reduces;      /* has an op argument */
    int blocks;       /* n = msg_size * comm_size (else n = msg_size) */
    int irregular;    /* block sizes differ by rank: see chorale_ramp() */
    int dataless;     /* moves no data (barrier); n = 0 */
    int blind;        /* no rank knows n: one choice for all n */
};

/* Properties of a collective; coll < CHORALE_NCOLL. */
const struct chorale_coll_info *chorale_coll_info(enum chorale_coll coll);

/* The collective of the given name, or -1. */
int chorale_coll_find(const char *name);

/* n, the bytes of an operation with per-rank blocks of msg_size bytes;
 * saturates at SIZE_MAX. For irregular collectives msg_size is the mean
 * block. */
size_t chorale_coll_n(enum chorale_coll coll, size_t msg_size, int comm_size);

/* Roots that campaigns rotate over, for turn 0, 1, 2: first, middle and last
 * rank. If ppn > 1 and ranks are placed in blocks, the middle root is not the
 * first rank of a node, unless comm_size / 2 is the last rank. */
int chorale_coll_root(int turn, int comm_size, int ppn);

/* Bytes of one block in campaigns of irregular collectives. Sizes rise linearly
 * from 0 at block 0 to twice the mean msg_size at the last block, in whole
 * elements of type_size bytes. alltoallv: the block from rank i to rank j is
 * block (i + j) mod comm_size. Returns msg_size if comm_size is 1 or type_size
 * is 0. */
size_t chorale_ramp(size_t msg_size, size_t type_size, int comm_size,
                    int block);

/* Tables treat all broadcasts of 1 to CHORALE_BCAST_ALIKE - 1 bytes as one
 * size. An erroneous program may pass different counts on different ranks (one
 * int at the root, room for ten at the others); with such small counts all
 * ranks still choose the same variant. */
#define CHORALE_BCAST_ALIKE 64

/* The n [bytes] for which to query a table, given an operation of n bytes and
 * the table's smallest decided size n_lo [bytes]. Returns n, except for a
 * broadcast of 1 to CHORALE_BCAST_ALIKE - 1 bytes if n_lo is also below
 * CHORALE_BCAST_ALIKE: then max(n_lo, 1). */
size_t chorale_coll_query_n(enum chorale_coll coll, size_t n,
                            unsigned long long n_lo);

/* The msg_size of an irregular call of sum bytes in total: the mean block,
 * rounded up to whole elements of type_size > 0 bytes. For the blocks of
 * chorale_ramp() this is their msg_size, if that is a whole number of elements;
 * the blocks may add up to less than comm_size * msg_size. */
size_t chorale_coll_mean(size_t sum, size_t type_size, int comm_size);

#endif
