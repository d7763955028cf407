/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_replace.c - alltoall by pairs that swap their blocks in place.
 *
 * The pairs follow a round-robin tournament, in which every rank meets every
 * other once. In round i ranks r and s meet if r + s = i modulo P; for even P
 * modulo P - 1, and the last rank meets the rank that would pause.
 *
 * Rounds  P - 1 for even P, P for odd P       P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1 + P mod 2) (alpha + m beta), exact; P = 1: 0
 * Needs   any P, any datatype; in place with one packed block of scratch, with
 *         a send buffer without any copy
 * Source  MPICH (pairwise_sendrecv_replace), which takes the pairs in the
 *         order (0,1), (0,2), ... (1,2), ...: 2 P - 3 rounds
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/exchange_all.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int p = pt->comm_size;

    if (p < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = p - 1 + p % 2,
                                     .bytes = (double)pt->msg_size };
    return 1;
}

const struct chorale_alg chorale_alltoall_pairwise_replace = {
    .coll = CHORALE_ALLTOALL,
    .name = "pairwise_replace",
    .summary = "pairs swap blocks, in the rounds of a tournament; works in "
               "place",
    .formula = "(P-1) (alpha + n/P beta); P odd: + alpha + n/P beta",
    .source = "MPICH, coll/alltoall",
    .run = chorale_exchange_replace,
    .cost = cost,
    .scratch = chorale_scratch_in_place,
};
