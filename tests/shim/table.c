/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c - a hand-written dispatch table for tests: variants for all
 * collectives. Macros change it or make it invalid:
 *
 *   ABI      interface version
 *   DIGEST   digest
 *   VARIANT  variant of bcast
 *   PARAMS   parameters of bcast
 *   SCATTER  variant of long scatters
 *   LIBRARY  MPI library it was measured under
 *   TRANSPORT, CPU, VARIABLES  other fields of the fingerprint
 *   HULL     range of all selectors
 *   NO_TABLE no symbol chorale_table
 *   PROVIDER provider of bcast
 *   LACKS    calls an undefined function
 *   NOTHING  the bcast selector returns NULL
 *   BEYOND   the bcast selector returns a choice of another table
 *   SHAPED   bcast of a known shape is linear at all sizes
 *   FINE     bcast has boundaries at 12, 24, 48 and 64 bytes */
#include "algorithms/dispatch/table/table.h"

#ifndef LIBRARY
#define LIBRARY ""
#endif
#ifndef TRANSPORT
#define TRANSPORT NULL
#endif
#ifndef CPU
#define CPU NULL
#endif
#ifndef VARIABLES
#define VARIABLES NULL
#endif
#ifndef ABI
#define ABI CHORALE_TABLE_ABI
#endif
#ifndef DIGEST
#define DIGEST "by hand"
#endif
#ifndef VARIANT
#define VARIANT "binomial"
#endif
#ifndef PARAMS
#define PARAMS ""
#endif
#ifndef SCATTER
#define SCATTER "linear_nb"
#endif

#ifndef PROVIDER
#define PROVIDER "chorale"
#endif

#define CHOICE(i, what, text)                                                \
    { .provider = "chorale", .variant = what, .params = text, .index = i }

static const struct chorale_choice choice[] = {
    { .provider = "library", .variant = "default", .params = "" },
    { .provider = PROVIDER, .variant = VARIANT, .params = PARAMS,
      .index = 1 },
    CHOICE(2, "linear", ""),
    CHOICE(3, "scatter_ring_allgather", ""),
    CHOICE(4, "binomial", ""),
    CHOICE(5, "recursive_doubling", ""),
    CHOICE(6, "reduce_bcast", ""),
    CHOICE(7, "ring", ""),
    CHOICE(8, "gather_bcast", ""),
    CHOICE(9, SCATTER, ""),
    CHOICE(10, "dissemination", ""),
    CHOICE(11, "pairwise", ""),
    CHOICE(12, "pairwise_shift", ""),
    CHOICE(13, "bruck", ""),
    CHOICE(14, "inplace_shift", ""),
    CHOICE(15, "binomial_counts", ""),
    CHOICE(16, "direct", "")
};

/* Choices for small, middle and large sizes. */
#define SELECT(coll, small, middle, large)                                   \
    static const struct chorale_choice *select_##coll(size_t n, int size)    \
    {                                                                        \
        (void)size;                                                          \
        return &choice[n < 64 ? small : n < 4096 ? middle : large];          \
    }                                                                        \
    static const struct chorale_choice *                                     \
    shape_##coll(size_t n, int size, enum chorale_shape shape)               \
    {                                                                        \
        (void)shape;                                                         \
        return select_##coll(n, size);                                       \
    }                                                                        \
    static const struct chorale_choice *                                     \
    ppn_##coll(size_t n, int size, enum chorale_shape shape, int ppn)        \
    {                                                                        \
        (void)ppn;                                                           \
        return shape_##coll(n, size, shape);                                 \
    }

#if defined(LACKS)
const struct chorale_choice *nobody_has_this(size_t n);
#define SELECT_BCAST(n) nobody_has_this(n)
#elif defined(NOTHING)
#define SELECT_BCAST(n) ((void)(n), (const struct chorale_choice *)0)
#elif defined(BEYOND)
static const struct chorale_choice beyond = CHOICE(1000000, "linear", "");
#define SELECT_BCAST(n) ((void)(n), &beyond)
#elif defined(SHAPED)
#define SELECT_BCAST(n) ((void)(n), &choice[2])
#elif defined(FINE)
#define SELECT_BCAST(n)                                                      \
    (&choice[(n) < 12 ? 2 : (n) < 24 ? 0 : (n) < 48 ? 4 : (n) < 64 ? 2 : 3])
#endif

#ifdef SELECT_BCAST
static const struct chorale_choice *select_bcast(size_t n, int size)
{
    (void)size;
#ifdef SHAPED
    (void)n;
    return &choice[1];
#else
    return SELECT_BCAST(n);
#endif
}
static const struct chorale_choice *
shape_bcast(size_t n, int size, enum chorale_shape shape)
{
    return shape == CHORALE_SHAPE_UNKNOWN ? select_bcast(n, size)
                                          : SELECT_BCAST(n);
}
static const struct chorale_choice *
ppn_bcast(size_t n, int size, enum chorale_shape shape, int ppn)
{
    (void)ppn;
    return shape_bcast(n, size, shape);
}
#else
SELECT(bcast, 2, 1, 3)
#endif
SELECT(reduce, 4, 4, 4)
SELECT(allreduce, 5, 6, 5)
SELECT(reduce_scatter_block, 7, 7, 7)
SELECT(gather, 2, 4, 2)
SELECT(scatter, 4, 2, 9)
SELECT(allgather, 8, 7, 7)
SELECT(barrier, 10, 10, 10)
SELECT(reduce_scatter, 11, 7, 11)
SELECT(gatherv, 15, 15, 15)
SELECT(scatterv, 15, 15, 15)
SELECT(allgatherv, 16, 7, 13)
SELECT(alltoall, 13, 12, 14)
SELECT(alltoallv, 14, 14, 14)
SELECT(scan, 5, 2, 5)
SELECT(exscan, 5, 2, 5)

#ifndef HULL
#define HULL { 1, 1 << 30, 0, (unsigned long long)-1 }
#endif
#define ROW(coll)                                                            \
    { #coll, select_##coll, shape_##coll, ppn_##coll, HULL }

static const struct chorale_selector selector[] = {
    ROW(bcast), ROW(reduce), ROW(allreduce), ROW(reduce_scatter_block),
    ROW(gather), ROW(scatter), ROW(allgather), ROW(barrier),
    ROW(reduce_scatter), ROW(gatherv), ROW(scatterv), ROW(allgatherv),
    ROW(alltoall), ROW(alltoallv), ROW(scan), ROW(exscan)
};

#ifdef NO_TABLE
#define SYMBOL other_table
extern const struct chorale_table SYMBOL;
#else
#define SYMBOL chorale_table
#endif

const struct chorale_table SYMBOL = {
    .abi = ABI, .digest = DIGEST, .campaign = "", .system = "hand",
    .mpi_library = LIBRARY, .transport = TRANSPORT, .cpu_model = CPU,
    .variables = VARIABLES, .coverage = "",
    .nchoice = (int)(sizeof(choice) / sizeof(choice[0])), .choice = choice,
    .nselector = (int)(sizeof(selector) / sizeof(selector[0])),
    .selector = selector
};
