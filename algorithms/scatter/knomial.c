/* SPDX-License-Identifier: BSD-3-Clause */
/* knomial.c - k-nomial-tree scatter, farthest child first.
 *
 * It has fewer levels than a binomial tree, for networks where a rank sends
 * several messages at once.
 *
 * Rounds  at most (k - 1) ceil(log_k P)       P = comm_size, k = radix
 * Volume  (P - 1) m bytes from the root       n = m P bytes
 * Cost    A alpha + (P - 1) m beta, A the children of the root: exact for
 *         every P: no subtree ends after the root's last send
 * Needs   any P, any root, any datatype; a rank with a subtree of s blocks
 *         holds s m bytes
 * Source  MPICH, scatter over trees (iscatter tsp_tree)
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/block_tree.h"
#include "algorithms/engines/rooted/pipeline.h"

static int run(const struct chorale_call *call)
{
    return chorale_scatter_tree(call, call->param[0], 1);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_block_tree(pt, pt->param[0], term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_block_tree(pt, pt->param[0]);
}

const struct chorale_alg chorale_scatter_knomial = {
    .coll = CHORALE_SCATTER,
    .name = "knomial",
    .summary = "k-nomial tree, farthest child first",
    .formula = "<= (k-1) ceil(log_k P) alpha + (P-1)/P n beta",
    .source = "MPICH, scatter over trees (iscatter tsp_tree)",
    .fallback = "a radix beyond P is P",
    .nparam = 1,
    .param = { CHORALE_PARAM_RADIX(4) },
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
