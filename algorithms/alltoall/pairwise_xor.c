/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_xor.c - alltoall by pairwise exchange.
 *
 * In round i pairs of ranks that differ by xor i exchange their blocks.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta), exact
 * Needs   P a power of two, any datatype, separate buffers
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/exchange_all.h"

const struct chorale_alg chorale_alltoall_pairwise_xor = {
    .coll = CHORALE_ALLTOALL,
    .name = "pairwise_xor",
    .summary = "in round i ranks that differ by xor i exchange",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .needs = CHORALE_NEEDS_POW2 | CHORALE_NEEDS_SEPARATE,
    .core = CHORALE_CORE_ANY,
    .run = chorale_exchange_xor,
    .cost = chorale_cost_in_turn,
};
