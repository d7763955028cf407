/* SPDX-License-Identifier: BSD-3-Clause */
/* k_bruck.c - allgather by Bruck's algorithm with any radix.
 *
 * In the phase with w = 1, k, k^2, ... blocks collected, a rank receives w more
 * from each of k - 1 others, w, 2 w, ... ranks above, all in flight together.
 * Blocks are packed bytes and are moved to their places at the end.
 *
 * Rounds  <= (k - 1) ceil(log_k P)            P = comm_size, n = m P bytes,
 * Volume  (P - 1) m bytes from each rank      k = radix
 * Cost    one message for every multiple d w < P of w, d < k, with min(w, P - d
 *         w) blocks; less if messages in flight overlap
 * Needs   any P, any datatype; n bytes of scratch
 * Source  Bruck et al., IEEE TPDS 8(11), 1997
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/radix.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);

    return err == MPI_SUCCESS ? chorale_gather_all_bruck(call->ctx, &b,
                                                         (int)call->param[0])
                              : err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_bruck(CHORALE_SIZES_EQUAL, pt,
                                         (int)pt->param[0], term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size < 2 ? 0
                             : pt->n + chorale_scratch_gather_all_bruck(
                                           pt->comm_size, (int)pt->param[0]);
}

const struct chorale_alg chorale_allgather_k_bruck = {
    .coll = CHORALE_ALLGATHER,
    .name = "k_bruck",
    .summary = "Bruck's algorithm to another base than 2",
    .formula = "<= (k-1) ceil(log_k P) alpha + (P-1)/P n beta",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997",
    .fallback = "a radix beyond P is P",
    .overlaps = 1,
    .scratch = scratch,
    .nparam = 1,
    .param = { CHORALE_PARAM_BASE("base of the digits") },
    .copies = { 1, 1 }, /* rotates all blocks at the end */
    .run = run,
    .cost = cost,
};
