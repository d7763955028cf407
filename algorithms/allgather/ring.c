/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c - allgather on a ring: every rank forwards the block received last.
 *
 *   step i = 0 ... P - 2: send block rank - i to the right, receive block
 *   rank - i - 1 from the left
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta), exact
 * Needs   any P, any datatype
 * Source  Barnett et al., 1994; Thakur, Rabenseifner, Gropp, IJHPCA 19(1),
 *         2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_ring);
}

const struct chorale_alg chorale_allgather_ring = {
    .coll = CHORALE_ALLGATHER,
    .name = "ring",
    .summary = "every rank forwards the block received last",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Barnett et al., 1994; Thakur, Rabenseifner, Gropp, IJHPCA "
              "19(1), 2005",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = chorale_cost_in_turn,
};
