/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_replace.c - alltoallv by pairs that swap their blocks in place.
 *
 * The pairs follow a round-robin tournament, in which every rank meets every
 * other once.
 *
 * Rounds  P - 1 for even P, P for odd P       P = comm_size
 * Volume  as given by the call; empty blocks are not sent
 * Cost    at most (P - 1 + P mod 2) (alpha + M beta), M the largest block. On
 *         the ramp: odd P, all blocks of round i are block i of the ramp, and
 *         the cost is their sum, exact. Even P: those of round i are block i or
 *         i - 1, except for the pair of the last rank: an upper bound.
 * Needs   any P, any datatype; in place with the largest block of scratch,
 *         with a send buffer without any copy
 * Source  MPICH (pairwise_sendrecv_replace), with another order of pairs
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/exchange_all.h"

/* The largest block of round i. */
static size_t largest(const struct chorale_point *pt, int i)
{
    int p = pt->comm_size;
    int apart = p % 2 ? i : chorale_tournament(p - 1, p, i) + p - 1;
    int block = apart % p > i ? apart % p : i;

    return chorale_ramp(pt->msg_size, pt->type_size, p, block);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int p = pt->comm_size;
    double messages = 0, bytes = 0;

    if (p < 2)
        return 0;
    for (int i = 0; i < p - 1 + p % 2; i++) {
        size_t block = largest(pt, i);

        messages += block > 0;
        bytes += (double)block;
    }
    if (!(messages > 0))
        return 0;
    term[0] = (struct chorale_term){ .messages = messages,
                                     .bytes = bytes / messages };
    return 1;
}

const struct chorale_alg chorale_alltoallv_pairwise_replace = {
    .coll = CHORALE_ALLTOALLV,
    .name = "pairwise_replace",
    .summary = "pairs swap blocks, in the rounds of a tournament; works in "
               "place",
    .formula = "<= (P-1) (alpha + M beta), M the largest block; P odd: + "
               "alpha + M beta",
    .source = "MPICH, coll/alltoallv",
    .cost_is = CHORALE_COST_BOUND,
    .run = chorale_exchange_replace,
    .cost = cost,
    .scratch = chorale_scratch_in_place_v,
};
