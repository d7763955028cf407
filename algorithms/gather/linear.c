/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - flat gather: the root receives from each rank in turn.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes, all into the root
 * Cost    (P - 1) (alpha + m beta), exact: the receives block
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/rooted/flat.h"

static int run(const struct chorale_call *call)
{
    return chorale_flat_gather(call, CHORALE_IN_TURN);
}

const struct chorale_alg chorale_gather_linear = {
    .coll = CHORALE_GATHER,
    .name = "linear",
    .summary = "the root receives from every rank in turn",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = chorale_cost_in_turn,
};
