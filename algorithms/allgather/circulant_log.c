/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant_log.c - allgather on a circulant graph, without rotation.
 *
 * The skips s_0 = P, s_{j+1} = ceil(s_j / 2) are used backwards. A rank that
 * has s_{j+1} blocks, starting with its own, receives those up to s_j from the
 * rank s_{j+1} above. Blocks are received in place; only a message that wraps
 * past the last block is assembled in scratch.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    L alpha + (P - 1)/P n beta, exact
 * Needs   any P, any datatype
 * Source  Traeff, arXiv 2410.14234
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_run(call, chorale_gather_all_circulant);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_circulant(CHORALE_SIZES_EQUAL, pt, term);
}

/* One message that wraps; with three ranks none does. */
static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size > 3 ? (size_t)(pt->comm_size / 2) * pt->msg_size : 0;
}

const struct chorale_alg chorale_allgather_circulant_log = {
    .coll = CHORALE_ALLGATHER,
    .name = "circulant_log",
    .summary = "circulant graph: a rank's blocks double, without rotation",
    .formula = "ceil(lg P) alpha + (P-1)/P n beta",
    .source = "Traeff, arXiv 2410.14234",
    .core = CHORALE_CORE_ANY,
    .scratch = scratch,
    .copies = { 1, 0 }, /* blocks from behind the end travel with the first */
    .run = run,
    .cost = cost,
};
