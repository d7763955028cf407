/* SPDX-License-Identifier: BSD-3-Clause */
/* linear.c - flat scatterv: the root sends each rank its block in turn.
 *
 * Empty blocks are not sent.
 *
 * Rounds  P - 1, less one for each empty block
 * Volume  n - m_root bytes, all from the root
 * Cost    (P - 1) alpha + (n - m_root) beta, exact
 * Needs   any P, any root, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/flat.h"

static int run(const struct chorale_call *call)
{
    return chorale_flat_scatterv(call, CHORALE_IN_TURN);
}

const struct chorale_alg chorale_scatterv_linear = {
    .coll = CHORALE_SCATTERV,
    .name = "linear",
    .summary = "the root sends every rank its block in turn",
    .formula = "<= (P-1) alpha + (n - m_root) beta, less a message for every "
               "empty block",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = chorale_cost_flat_v,
};
