/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_bcast.c - allreduce as a reduction to rank 0 and a broadcast, both
 * binomial. All ranks get the same bits, and rank order is kept.
 *
 * Rounds  2 ceil(lg P)                        P = comm_size, n = bytes
 * Volume  2 (P - 1) n bytes in all
 * Cost    ceil(lg P) (2 alpha + 2 n beta + n tau), exact: all wait for rank 0
 * Needs   any P, any datatype, any operation
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"

static int run(const struct chorale_call *call)
{
    struct chorale_call part = *call;
    int err;

    part.root = 0;
    part.param = NULL;
    /* MPI_Reduce takes MPI_IN_PLACE at the root only. */
    if (call->ctx->rank != 0 && call->sendbuf == MPI_IN_PLACE)
        part.sendbuf = call->recvbuf;
    err = chorale_reduce_binomial.run(&part);
    return err == MPI_SUCCESS ? chorale_bcast_binomial.run(&part) : err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point part = *pt;
    int n;

    part.commutative = 1; /* with root 0 order costs nothing */
    n = chorale_reduce_binomial.cost(&part, term);
    return n + chorale_bcast_binomial.cost(&part, term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_reduce_binomial.scratch(pt);
}

const struct chorale_alg chorale_allreduce_reduce_bcast = {
    .coll = CHORALE_ALLREDUCE,
    .name = "reduce_bcast",
    .summary = "binomial reduce to rank 0, then binomial bcast",
    .formula = "ceil(lg P) (2 alpha + 2 n beta + n tau)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .order = CHORALE_ORDER_RANK,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
