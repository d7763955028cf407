/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_bidir.c - allgather on a ring in both directions at once.
 *
 * Half of every block travels to the right, the other half to the left.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    with two ports (P - 1) (alpha + m/2 beta). Stated for one port:
 *         (P - 1) (2 alpha + m beta)
 * Needs   any P, any datatype: blocks are split as packed bytes
 * Source  Chen, Lee, broadcasting on a ring
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int rounds(const struct chorale_call *call, char *bytes, size_t m)
{
    struct chorale_ctx *ctx = call->ctx;
    int size = ctx->size, rank = ctx->rank, err = MPI_SUCCESS;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    struct chorale_ring_way way[2] = {
        { bytes, m, m / 2, size, rank, -1, right, left },
        { bytes + m / 2, m, m - m / 2, size, rank, 1, left, right },
    };

    for (int i = 1; i < size && err == MPI_SUCCESS; i++)
        err = chorale_ring_ways_round(ctx, way, 2);
    return err;
}

static int run(const struct chorale_call *call)
{
    return chorale_allgather_packed(call, rounds);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){
        .messages = 2.0 * (pt->comm_size - 1),
        .bytes = (double)pt->msg_size / 2,
    };
    return 1;
}

const struct chorale_alg chorale_allgather_ring_bidir = {
    .coll = CHORALE_ALLGATHER,
    .name = "ring_bidir",
    .summary = "a ring in both directions, half of every block in each",
    .formula = "2 (P-1) alpha + (P-1)/P n beta; two ports: half of it",
    .source = "Chen, Lee, broadcasting on a ring",
    .overlaps = 1,
    .run = run,
    .cost = cost,
};
