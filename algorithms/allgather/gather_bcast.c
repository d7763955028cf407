/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_bcast.c - allgather as a gather to rank 0 and a broadcast of the
 * whole, both binomial.
 *
 * Rounds  2 L, L = ceil(lg P)                 P = comm_size, n = m P bytes
 * Volume  L n bytes from rank 0, (P - 1) m into it
 * Cost    2 L alpha + ((P - 1)/P n + L n) beta, exact: all wait for rank 0
 * Needs   any P, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"

static int run(const struct chorale_call *call)
{
    struct chorale_call part = *call;
    int err;

    part.root = 0;
    part.param = NULL;
    /* MPI_Gather takes MPI_IN_PLACE at the root only. */
    if (call->ctx->rank != 0 && call->sendbuf == MPI_IN_PLACE) {
        part.sendbuf = chorale_at(call->recvbuf,
                                  chorale_type_extent(call->recvtype) *
                                      (MPI_Aint)call->recvcount,
                                  call->ctx->rank);
        part.sendcount = call->recvcount;
        part.sendtype = call->recvtype;
    }
    err = chorale_gather_binomial.run(&part);
    if (err != MPI_SUCCESS)
        return err;
    part.recvcount = call->recvcount * call->ctx->size;
    return chorale_bcast_binomial.run(&part);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point whole = *pt;
    int n = chorale_gather_binomial.cost(pt, term);

    whole.msg_size = chorale_coll_n(CHORALE_ALLGATHER, pt->msg_size,
                                    pt->comm_size);
    whole.n = whole.msg_size;
    return n + chorale_bcast_binomial.cost(&whole, term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_gather_binomial.scratch(pt);
}

const struct chorale_alg chorale_allgather_gather_bcast = {
    .coll = CHORALE_ALLGATHER,
    .name = "gather_bcast",
    .summary = "binomial gather to rank 0, then binomial bcast of the whole",
    .formula = "2 ceil(lg P) alpha + ((P-1)/P n + ceil(lg P) n) beta",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
