/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - flat scatter: the root sends each rank its block in turn.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes, all from the root
 * Cost    (P - 1) (alpha + m beta), exact
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/rooted/flat.h"

static int run(const struct chorale_call *call)
{
    return chorale_flat_scatter(call, CHORALE_IN_TURN);
}

const struct chorale_alg chorale_scatter_linear = {
    .coll = CHORALE_SCATTER,
    .name = "linear",
    .summary = "the root sends every rank its block in turn",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = chorale_cost_in_turn,
};
