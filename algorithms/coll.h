/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h - the collectives, one row each, and what is true of all variants.
 *
 * No MPI here: the command, the emitters and the database's readers use it
 * too. Adding a collective is one enum member and one row in coll.c, its
 * field in struct chorale_call's comment (alg.h), and its library call in
 * runners/ and algorithms/dispatch/shim/shim.c.
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
    CHORALE_NCOLL /* how many there are; never a collective */
};

struct chorale_coll_info {
    const char *name; /* as in MPI, lower case: "bcast" */
    int rooted;       /* has a root argument */
    int reduces;      /* has an op argument */
    int blocks;       /* n = msg_size * comm_size (else n = msg_size) */
    int irregular;    /* block sizes are given a rank: see chorale_ramp() */
    int dataless;     /* moves no data: barrier; n = 0 */
    int blind;        /* no rank knows n: one choice for all n */
};

/* Facts of a collective. coll must be a member below CHORALE_NCOLL. */
const struct chorale_coll_info *chorale_coll_info(enum chorale_coll coll);

/* Collective of that name, or -1. */
int chorale_coll_find(const char *name);

/* n [bytes] of an operation with per-rank block msg_size [bytes]; saturates
 * at SIZE_MAX. Of an irregular collective msg_size is the mean block. */
size_t chorale_coll_n(enum chorale_coll coll, size_t msg_size, int comm_size);

/* Roots that campaigns take in turn, turn 0, 1, 2: the first rank, the middle
 * one, the last. The middle is no first rank of a node, where the ranks of a
 * node are ppn > 1 neighbours and there is such a rank after comm_size / 2. */
int chorale_coll_root(int turn, int comm_size, int ppn);

/* The blocks that campaigns use for the irregular collectives: sizes rise
 * evenly from nothing at block 0 to twice the mean at the last one, in whole
 * elements of type_size [bytes]. alltoallv: the block from rank i to rank j is
 * block (i + j) mod comm_size. Returns bytes; msg_size if comm_size is 1, or if
 * elements hold nothing. */
size_t chorale_ramp(size_t msg_size, size_t type_size, int comm_size,
                    int block);

/* Broadcasts of fewer bytes than this are one size to a table: ranks whose
 * counts are unlike there, by mistake (one int at the root, room for ten
 * elsewhere), all run one variant. */
#define CHORALE_BCAST_ALIKE 64

/* The n [bytes] by which a table is asked for an operation of n bytes, if n_lo
 * is the least that it decided of: n, but for a broadcast of 1 to
 * CHORALE_BCAST_ALIKE - 1 bytes n_lo, at least 1, if that is as small. */
size_t chorale_coll_asked_n(enum chorale_coll coll, size_t n,
                            unsigned long long n_lo);

/* The block that an irregular call with sum [bytes] in all counts as: the
 * mean, rounded up to whole elements of type_size [bytes]. Of the blocks that
 * chorale_ramp() gives for whole elements it is msg_size, though those add up
 * to less than comm_size times that. */
size_t chorale_coll_mean(size_t sum, size_t type_size, int comm_size);

#endif
