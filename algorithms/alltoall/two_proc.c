/* SPDX-License-Identifier: BSD-3-Clause */
/* two_proc.c - alltoall of two ranks: they exchange one block.
 *
 * Rounds  1                                   n = 2 m bytes
 * Volume  m bytes from each rank
 * Cost    alpha + m beta, exact
 * Needs   P = 2, any datatype; in place with one block of scratch
 * Source  Open MPI, coll/base
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/exchange_all.h"

const struct chorale_alg chorale_alltoall_two_proc = {
    .coll = CHORALE_ALLTOALL,
    .name = "two_proc",
    .summary = "two ranks exchange a block",
    .formula = "alpha + n/2 beta",
    .source = "Open MPI, coll/base",
    .needs = CHORALE_NEEDS_PAIR,
    .run = chorale_exchange_replace,
    .cost = chorale_cost_in_turn,
    .scratch = chorale_scratch_in_place,
};
