/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather_reduce.c - allgather of all vectors, reduced by every rank.
 *
 * Every rank combines the vectors in rank order, so all get the same bits for
 * any operation, and no message depends on a reduction.
 *
 * Rounds  as the allgather; Bruck: ceil(lg P)    P = comm_size, n = bytes
 * Volume  (P - 1) n bytes from each rank; P n bytes of memory
 * Cost    as the allgather (Bruck: ceil(lg P) alpha + (P - 1) n beta), then (P
 *         - 1) n tau; an upper bound if the allgather's is
 * Copies  the own vector, the first operand, and with Bruck or circulant_log
 *         the rotated vectors (all or half of them). Other allgathers receive
 *         in place, but need more messages or a power-of-two P
 * Needs   any P (as the allgather), any datatype, any operation
 * Source  Open MPI (allgather_reduce)
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/ordered.h"
#include "algorithms/engines/part.h"

static const long value[] = { 0, 1, 2, 3, 4, 5 };

/* Names and variants; new ones are only appended. */
static const char *const word[] = {
    "bruck",          "ring",          "recursive_doubling",
    "shift_exchange", "circulant_log", "neighbor_exchange",
};
static const struct chorale_alg *const part_of[] = {
    &chorale_allgather_bruck,
    &chorale_allgather_ring,
    &chorale_allgather_recursive_doubling,
    &chorale_allgather_shift_exchange,
    &chorale_allgather_circulant_log,
    &chorale_allgather_neighbor_exchange,
};

static int run(const struct chorale_call *call)
{
    return chorale_reduce_gathered(call, part_of[call->param[0]], 1);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gathered(pt, part_of[pt->param[0]], term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_gathered(pt, part_of[pt->param[0]]);
}

static const char *refuses(const struct chorale_point *pt)
{
    return chorale_part_refuses(part_of[pt->param[0]], pt);
}

const struct chorale_alg chorale_allreduce_allgather_reduce = {
    .coll = CHORALE_ALLREDUCE,
    .name = "allgather_reduce",
    .summary = "allgather of the vectors; each rank combines all in order",
    .formula = "ceil(lg P) alpha + (P-1) n (beta + tau); allgather=ring or "
               "shift_exchange: (P-1) (alpha + n beta + n tau); "
               "allgather=neighbor_exchange: P/2 alpha + (P-1) n (beta + tau)",
    .source = "Open MPI (allgather_reduce)",
    .order = CHORALE_ORDER_RANK,
    .nparam = 1,
    .param = { { .name = "allgather",
                 .unit = "variant",
                 .max = sizeof(part_of) / sizeof(*part_of) - 1,
                 .candidate = value,
                 .ncandidate = sizeof(part_of) / sizeof(*part_of),
                 .word = word } },
    .copies = { 1, 2 }, /* the exchange rotates all vectors */
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "with allgather=recursive_doubling P a power of two, with "
                  "neighbor_exchange P even",
    .scratch = scratch,
};
