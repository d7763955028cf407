/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce_call.h - run, cost and scratch of the reduce-scatter variants.
 *
 * reduce_scatter_block and reduce_scatter share one implementation per variant.
 * A call with recvcounts is a reduce_scatter. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_SCATTER_REDUCE_CALL_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_SCATTER_REDUCE_CALL_H

#include <limits.h>

#include "algorithms/alg.h"
#include "algorithms/engines/reduction/scatter_reduce.h"

typedef int chorale_rs_engine(const struct chorale_rs *rs);

/* Run an engine on a call; radix is passed as rs->radix. Returns an MPI error
 * code. */
int chorale_rs_run(const struct chorale_call *call, chorale_rs_engine *engine,
                   int radix);

/* Pairwise exchange: all ranks in one round. */
chorale_rs_engine chorale_rs_pairwise;

/* Engines for any number of ranks, made from engines that need a power of
 * rs->radix (2 for the last two). The other ranks send their operands to the
 * core rank of their run (radix.h), which works for all blocks of the run and
 * returns the results. Rank order is preserved if the engine preserves it.
 * Additional scratch of a core rank: all blocks, twice unless rs->acc is NULL,
 * the operation commutes and the radix is 2; and the result of its run. */
chorale_rs_engine chorale_rs_exchange_folded;
chorale_rs_engine chorale_rs_butterfly_folded;
chorale_rs_engine chorale_rs_doubling_folded;

/* The radix of an exchange among size ranks: k, limited to 2 ... size. */
int chorale_rs_radix(long k, int size);

/* --- variants of both collectives: run, refuses, parameters ------------ */

/* Recursive halving with the parameter order. */
extern const long chorale_rs_halving_orders[];
extern const char *const chorale_rs_halving_word[];
int chorale_rs_halving_run(const struct chorale_call *call);
#define CHORALE_RS_HALVING_PARAM                                             \
    {                                                                        \
        .name = "order", .unit = "distance of the first partner", .def = 0,  \
        .min = 0, .max = 1, .candidate = chorale_rs_halving_orders,          \
        .ncandidate = 2, .word = chorale_rs_halving_word                     \
    }

/* Recursive exchange with the parameter radix. */
enum { CHORALE_RS_NRADIX = 5 };
extern const long chorale_rs_recexch_radixes[CHORALE_RS_NRADIX];
int chorale_rs_recexch_run(const struct chorale_call *call);
#define CHORALE_RS_RECEXCH_PARAM                                             \
    {                                                                        \
        .name = "radix", .unit = "ranks that exchange in a round", .def = 2, \
        .min = 2, .max = INT_MAX, .candidate = chorale_rs_recexch_radixes,   \
        .ncandidate = CHORALE_RS_NRADIX, .by = CHORALE_BY_ROOT               \
    }

/* Torus with the parameters rows (0: as square as possible), s1, the percentage
 * of a block that travels by columns first (negative: such that both parts take
 * the same time), and both, each part in both directions.
 * chorale_rs_torus_rows() returns the rows for size processes, or 0 if no such
 * torus exists. */
enum { CHORALE_RS_NTORUS_ROWS = 4, CHORALE_RS_NTORUS_SHARE = 4 };
extern const long chorale_rs_torus_rows_values[CHORALE_RS_NTORUS_ROWS];
extern const long chorale_rs_torus_shares[CHORALE_RS_NTORUS_SHARE];
extern const long chorale_rs_torus_ways[2];
int chorale_rs_torus_rows(long rows, int size);
int chorale_rs_torus_percent(long percent, int rows, int size);
int chorale_rs_torus_run(const struct chorale_call *call);
const char *chorale_rs_torus_refuses(const struct chorale_point *pt);
#define CHORALE_RS_TORUS_ROWS_PARAM                                          \
    {                                                                        \
        .name = "rows",                                                      \
        .unit = "rows of the torus, 0: as square as can be", .def = 0,       \
        .min = 0, .max = INT_MAX,                                            \
        .candidate = chorale_rs_torus_rows_values,                           \
        .ncandidate = CHORALE_RS_NTORUS_ROWS, .by = CHORALE_BY_SIDES         \
    }
#define CHORALE_RS_TORUS_SHARE_PARAM                                         \
    {                                                                        \
        .name = "s1",                                                        \
        .unit = "per cent of a block by columns first, -1: balanced",        \
        .def = -1, .min = -1, .max = 100,                                    \
        .candidate = chorale_rs_torus_shares,                                \
        .ncandidate = CHORALE_RS_NTORUS_SHARE                                \
    }
#define CHORALE_RS_TORUS_BOTH_PARAM                                          \
    {                                                                        \
        .name = "both", .unit = "1: half of each part in each direction",    \
        .def = 1, .min = 0, .max = 1, .candidate = chorale_rs_torus_ways,    \
        .ncandidate = 2                                                      \
    }

/* The operands of a call as blocks. The displacements of a reduce_scatter are
 * stored in scratch. Returns an MPI error code. */
int chorale_rs_operands(const struct chorale_call *call,
                        struct chorale_blocks *own);

/* --- costs ------------------------------------------------------------ */

/* Bytes of block i; of all blocks; of the largest block. irregular: 1 for
 * reduce_scatter, here and below. */
double chorale_rs_block(const struct chorale_point *pt, int irregular, int i);
double chorale_rs_total(const struct chorale_point *pt, int irregular);
double chorale_rs_largest(const struct chorale_point *pt, int irregular);

/* P - 1 rounds of the largest block: ring, pairwise exchange. Exact for both
 * collectives. */
int chorale_rs_cost_ring(const struct chorale_point *pt, int irregular,
                         struct chorale_term *term);

/* Exchange with a radix, folded. near: 1: butterfly, whose first round has
 * distance 1 (radix 2). Exact for equal blocks; for unequal ones exact at
 * powers of the radix, else an upper bound. */
int chorale_rs_cost_exchange(const struct chorale_point *pt, int irregular,
                             int radix, int near, struct chorale_term *term);

/* Recursive halving and recursive exchange with their parameters. */
int chorale_rs_cost_halving(const struct chorale_point *pt, int irregular,
                            struct chorale_term *term);
int chorale_rs_cost_recexch(const struct chorale_point *pt, int irregular,
                            struct chorale_term *term);

/* Recursive doubling, folded: exact for equal blocks and powers of two, else an
 * upper bound. Circulant graph: exact for equal blocks, else an upper bound. */
int chorale_rs_cost_doubling(const struct chorale_point *pt, int irregular,
                             struct chorale_term *term);
int chorale_rs_cost_circulant(const struct chorale_point *pt, int irregular,
                              struct chorale_term *term);

/* Bidirectional ring, and torus: upper bounds on one port. */
int chorale_rs_cost_ring_bidir(const struct chorale_point *pt, int irregular,
                               struct chorale_term *term);
int chorale_rs_cost_torus(const struct chorale_point *pt, int irregular,
                          struct chorale_term *term);

/* Bytes of scratch: all times the bytes of all blocks, plus largest times the
 * largest block, plus the counts and displacements of blocks. */
size_t chorale_rs_scratch(const struct chorale_point *pt, int irregular,
                          double all, double largest);

/* Bytes of scratch of an engine's run on the busiest rank, in place or not; pt
 * tells whether the operation commutes. The ring's also holds for pairwise
 * exchange. */
typedef size_t chorale_rs_scratch_of(const struct chorale_point *pt,
                                     int irregular);
chorale_rs_scratch_of chorale_rs_ring_scratch;
chorale_rs_scratch_of chorale_rs_ring_bidir_scratch;
chorale_rs_scratch_of chorale_rs_butterfly_scratch;
chorale_rs_scratch_of chorale_rs_doubling_scratch;
chorale_rs_scratch_of chorale_rs_circulant_scratch;
size_t chorale_rs_exchange_scratch(const struct chorale_point *pt,
                                   int irregular, int radix);

/* The same for variants with parameters. */
chorale_rs_scratch_of chorale_rs_halving_scratch;
chorale_rs_scratch_of chorale_rs_recexch_scratch;
chorale_rs_scratch_of chorale_rs_torus_scratch;

#endif
