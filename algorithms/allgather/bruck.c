/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck.c - allgather by Bruck's algorithm, for any P.
 *
 * A rank doubles its blocks in each round. Blocks rank, rank + 1, ... are
 * collected in this order as packed bytes and moved to their places at the end.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    L alpha + (P - 1)/P n beta, exact
 * Needs   any P, any datatype; n bytes of scratch
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
    return chorale_cost_gather_all_bruck(CHORALE_SIZES_EQUAL, pt, 2, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size < 2 ? 0 : pt->n;
}

const struct chorale_alg chorale_allgather_bruck = {
    .coll = CHORALE_ALLGATHER,
    .name = "bruck",
    .summary = "a rank's blocks double in each round; rotation at the end",
    .formula = "ceil(lg P) alpha + (P-1)/P n beta",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997",
    .core = CHORALE_CORE_ANY,
    .scratch = scratch,
    .copies = { 1, 1 }, /* rotates all blocks at the end */
    .run = run,
    .cost = cost,
};
