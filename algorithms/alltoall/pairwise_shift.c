/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_shift.c - alltoall by shifts.
 *
 * In round i each rank sends to the rank i above it and receives from the rank
 * i below it.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta), exact
 * Needs   any P, any datatype, separate buffers
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/exchange_all.h"

const struct chorale_alg chorale_alltoall_pairwise_shift = {
    .coll = CHORALE_ALLTOALL,
    .name = "pairwise_shift",
    .summary = "in round i to the rank i above, from the rank i below",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_SEPARATE,
    .core = CHORALE_CORE_ANY,
    .run = chorale_exchange_shift,
    .cost = chorale_cost_in_turn,
};
