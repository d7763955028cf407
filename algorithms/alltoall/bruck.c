/* SPDX-License-Identifier: BSD-3-Clause */
/* bruck.c - alltoall by Bruck's algorithm in ceil(lg P) messages.
 *
 * A block with i ranks to go takes a hop of 2^j for every bit j of i, together
 * with all other blocks that have this bit.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = m P bytes
 * Volume  m times the bits of 1 ... P - 1 from each rank: n L/2 if P = 2^L
 * Cost    sum over j of alpha + m beta b(j), b(j) the numbers below P with
 *         bit j; exact
 * Needs   any P, any datatype; up to 2 n bytes of scratch; works in place
 * Source  Bruck et al., IEEE TPDS 8(11), 1997
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/bruck.h"

static int run(const struct chorale_call *call)
{
    struct chorale_exchange ex = chorale_exchange_of(call);

    return chorale_bruck(&ex, chorale_type_size(ex.in.type) *
                                  (size_t)ex.in.count, 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_bruck(pt->comm_size, 2, (double)pt->msg_size, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_bruck(pt->comm_size, 2, pt->msg_size,
                                 pt->in_place);
}

const struct chorale_alg chorale_alltoall_bruck = {
    .coll = CHORALE_ALLTOALL,
    .name = "bruck",
    .summary = "blocks travel by the bits of their distance",
    .formula = "ceil(lg P) alpha + W m beta, W the ones of the binary numbers "
               "below P",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997",
    .core = CHORALE_CORE_ANY,
    .copies = { 3.5, 1 }, /* rotates, and lays each round's blocks together */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
