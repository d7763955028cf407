/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck.c - allgatherv by Bruck's algorithm, for any P.
 *
 * A rank doubles its blocks in each round. Blocks rank, rank + 1, ... are
 * collected in this order as packed bytes and moved to their places at the end.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, M = max m_i
 * Volume  at most n - m_i bytes from each rank n = sum of m_i
 * Cost    L alpha + sum over rounds w = 1, 2, 4, ... of the largest min(w, P -
 *         w) neighbouring blocks beta; exact for powers of two if sizes
 *         increase with the rank, else an upper bound
 * Needs   any P, any datatype, displacements in any order; n bytes of scratch
 * Source  Bruck et al., IEEE TPDS 8(11), 1997
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_bruck2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_bruck(CHORALE_SIZES_RAMP, pt, 2, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size < 2 ? 0 : pt->n;
}

const struct chorale_alg chorale_allgatherv_bruck = {
    .coll = CHORALE_ALLGATHERV,
    .name = "bruck",
    .summary = "a rank's blocks double in each round; rotation at the end",
    .formula = "<= ceil(lg P) alpha + G beta, G the 1, 2, 4, ... largest "
               "blocks",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997",
    .cost_is = CHORALE_COST_POW2,
    .core = CHORALE_CORE_ANY,
    .scratch = scratch,
    .copies = { 1, 2 }, /* rotates all blocks at the end */
    .run = run,
    .cost = cost,
};
