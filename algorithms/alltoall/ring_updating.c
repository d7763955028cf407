/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_updating.c - alltoall between neighbours on a ring of ranks.
 *
 * Blocks travel in the shorter direction, those of one rank in one message that
 * loses a block at each hop. If P is even, half of the block for the opposite
 * rank goes in each direction.
 *
 * Rounds  floor(P/2)                          P = comm_size, n = m P bytes
 * Volume  floor(P^2/4) m bytes from each rank
 * Cost    with two ports floor(P/2) alpha + floor(P^2/4)/2 m beta, up to
 *         rounding. Stated for one port: twice that.
 * Needs   any P, any datatype, separate buffers; about 2 n bytes of scratch
 * Source  Chen, Lee, proposition 3.3; Chen's thesis, Cornell, 1993
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/updating.h"

static int run(const struct chorale_call *call)
{
    return chorale_updating_run(call, CHORALE_UPDATING_RING);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_updating(CHORALE_UPDATING_RING, pt->comm_size,
                                 pt->msg_size, term, 0);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_updating(CHORALE_UPDATING_RING, pt->comm_size,
                                    pt->msg_size);
}

const struct chorale_alg chorale_alltoall_ring_updating = {
    .coll = CHORALE_ALLTOALL,
    .name = "ring_updating",
    .summary = "blocks pass from neighbour to neighbour, in the shorter "
               "direction of a ring",
    .formula = "2 floor(P/2) alpha + floor(P^2/4) n/P beta; two ports: half "
               "of it",
    .source = "Chen, Lee, proposition 3.3; Chen, thesis, Cornell, 1993",
    .needs = CHORALE_NEEDS_SEPARATE,
    .overlaps = 1,
    .copies = { 2, 1 }, /* what travels on is laid together */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
