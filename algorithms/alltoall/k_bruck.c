/* SPDX-License-Identifier: BSD-3-Clause */
/* k_bruck.c - alltoall by Bruck's algorithm with any radix k.
 *
 * Digit d at position j of a block's distance is a hop of d k^j, in one message
 * with all blocks that have this digit. The messages of one position are in
 * flight together.
 *
 * Rounds  at most (k - 1) ceil(log_k P)       P = comm_size, n = m P bytes
 * Volume  m times the digits other than 0 of 1 ... P - 1 from each rank
 * Cost    sum over positions j and digits d > 0 of alpha + m beta b(j, d), b
 *         the numbers below P with digit d at position j, without messages if b
 *         = 0; less if messages in flight overlap
 * Needs   any P, any datatype; up to 3 n bytes of scratch; works in place
 * Source  Bruck et al., IEEE TPDS 8(11), 1997; Fan et al., HPDC 2022
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/bruck.h"
#include "algorithms/engines/radix.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    struct chorale_exchange ex = chorale_exchange_of(call);

    return chorale_bruck(&ex, chorale_type_size(ex.in.type) *
                                  (size_t)ex.in.count, (int)call->param[0]);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_bruck(pt->comm_size, (int)pt->param[0],
                              (double)pt->msg_size, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_bruck(pt->comm_size, (int)pt->param[0],
                                 pt->msg_size, pt->in_place);
}

const struct chorale_alg chorale_alltoall_k_bruck = {
    .coll = CHORALE_ALLTOALL,
    .name = "k_bruck",
    .summary = "blocks travel by the digits of their distance",
    .formula = "D alpha + W m beta, D the pairs of d < k and j with d k^j < "
               "P, W the digits other than 0 of the numbers below P to base "
               "k, k = radix",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; Fan et al., HPDC 2022",
    .fallback = "a radix beyond P is P",
    .core = CHORALE_CORE_ANY,
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_PARAM_BASE("digits") },
    .copies = { 3, 0 }, /* rotates, and lays each round's blocks together */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
