/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall_reduce.c - exchange of all operands, reduced by their owners.
 *
 * Each rank combines the operands of its block in rank order, so the order of
 * the messages does not affect the result's bits.
 *
 * Rounds  P - 1                               P = comm_size, n = sum of m_i
 *         M = the largest m_i
 * Volume  at most n from each rank
 * Cost    (P - 1) (alpha + M beta + M tau), exact unless all blocks are empty
 * Needs   any P (pairwise_xor: a power of two), any datatype, any operation;
 *         memory for P operands of the own block
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_parts.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_alltoall_cost(pt, 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_alltoall_scratch(pt, 1);
}

const struct chorale_alg chorale_reduce_scatter_alltoall_reduce = {
    .coll = CHORALE_REDUCE_SCATTER,
    .name = "alltoall_reduce",
    .summary = "exchange of all operands, reduced in rank order by each rank",
    .formula = "<= (P-1) (alpha + M (beta + tau)), M the largest block",
    .source = "Faraj, Yuan, ICS 2005",
    .order = CHORALE_ORDER_RANK,
    .cost_is = CHORALE_COST_BOUND,
    .nparam = 1,
    .param = { CHORALE_RS_ALLTOALL_PARAM },
    .copies = { 0, 4 }, /* as reduce_scatter_block */
    .run = chorale_rs_alltoall_run,
    .cost = cost,
    .refuses = chorale_rs_alltoall_refuses,
    .constraint = "with alltoall=pairwise_xor P a power of two",
    .scratch = scratch,
};
