/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - the MPI library's own collectives as variants, to test the
 * correctness matrix itself: they must pass it too. */
#include "tests/mpi/problem.h"

/* Counts and displacements as int, as the library takes them. */
struct ints {
    int v[MAX_RANKS];
};

static struct ints counts(const struct chorale_call *c, const MPI_Count *from)
{
    struct ints to = { { 0 } };

    for (int i = 0; from != NULL && i < c->ctx->size; i++)
        to.v[i] = (int)from[i];
    return to;
}

static struct ints displs(const struct chorale_call *c, const MPI_Aint *from)
{
    struct ints to = { { 0 } };

    for (int i = 0; from != NULL && i < c->ctx->size; i++)
        to.v[i] = (int)from[i];
    return to;
}

static int run_reduction(const struct chorale_call *c, enum chorale_coll coll)
{
    const void *in = c->sendbuf;
    void *out = c->recvbuf;
    int n = (int)c->recvcount;
    MPI_Datatype t = c->recvtype;
    MPI_Op op = c->op;
    MPI_Comm comm = c->ctx->comm;

    switch (coll) {
    case CHORALE_REDUCE:
        return MPI_Reduce(in, out, n, t, op, c->root, comm);
    case CHORALE_ALLREDUCE:
        return MPI_Allreduce(in, out, n, t, op, comm);
    case CHORALE_REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(in, out, n, t, op, comm);
    case CHORALE_REDUCE_SCATTER:
        return MPI_Reduce_scatter(in, out, counts(c, c->recvcounts).v, t, op,
                                  comm);
    case CHORALE_SCAN:
        return MPI_Scan(in, out, n, t, op, comm);
    default:
        return MPI_Exscan(in, out, n, t, op, comm);
    }
}

static int run_irregular(const struct chorale_call *c, enum chorale_coll coll)
{
    struct ints sn = counts(c, c->sendcounts), rn = counts(c, c->recvcounts);
    struct ints sd = displs(c, c->sdispls), rd = displs(c, c->rdispls);
    int out = (int)c->sendcount, in = (int)c->recvcount;
    MPI_Comm comm = c->ctx->comm;

    switch (coll) {
    case CHORALE_GATHERV:
        return MPI_Gatherv(c->sendbuf, out, c->sendtype, c->recvbuf, rn.v,
                           rd.v, c->recvtype, c->root, comm);
    case CHORALE_SCATTERV:
        return MPI_Scatterv(c->sendbuf, sn.v, sd.v, c->sendtype, c->recvbuf,
                            in, c->recvtype, c->root, comm);
    case CHORALE_ALLGATHERV:
        return MPI_Allgatherv(c->sendbuf, out, c->sendtype, c->recvbuf, rn.v,
                              rd.v, c->recvtype, comm);
    default:
        return MPI_Alltoallv(c->sendbuf, sn.v, sd.v, c->sendtype, c->recvbuf,
                             rn.v, rd.v, c->recvtype, comm);
    }
}

static int run_move(const struct chorale_call *c, enum chorale_coll coll)
{
    int out = (int)c->sendcount, in = (int)c->recvcount;
    MPI_Comm comm = c->ctx->comm;

    switch (coll) {
    case CHORALE_BARRIER:
        return MPI_Barrier(comm);
    case CHORALE_BCAST:
        return MPI_Bcast(c->recvbuf, in, c->recvtype, c->root, comm);
    case CHORALE_GATHER:
        return MPI_Gather(c->sendbuf, out, c->sendtype, c->recvbuf, in,
                          c->recvtype, c->root, comm);
    case CHORALE_SCATTER:
        return MPI_Scatter(c->sendbuf, out, c->sendtype, c->recvbuf, in,
                           c->recvtype, c->root, comm);
    case CHORALE_ALLGATHER:
        return MPI_Allgather(c->sendbuf, out, c->sendtype, c->recvbuf, in,
                             c->recvtype, comm);
    default:
        return MPI_Alltoall(c->sendbuf, out, c->sendtype, c->recvbuf, in,
                            c->recvtype, comm);
    }
}

#define LIBRARY(ID, kind)                                                    \
    static int run_##ID(const struct chorale_call *c)                        \
    {                                                                        \
        return run_##kind(c, CHORALE_##ID);                                  \
    }                                                                        \
    static const struct chorale_alg library_##ID = {                         \
        .coll = CHORALE_##ID,                                                \
        .name = "library",                                                   \
        .run = run_##ID,                                                     \
    };
LIBRARY(BARRIER, move)
LIBRARY(BCAST, move)
LIBRARY(REDUCE, reduction)
LIBRARY(ALLREDUCE, reduction)
LIBRARY(REDUCE_SCATTER_BLOCK, reduction)
LIBRARY(REDUCE_SCATTER, reduction)
LIBRARY(GATHER, move)
LIBRARY(GATHERV, irregular)
LIBRARY(SCATTER, move)
LIBRARY(SCATTERV, irregular)
LIBRARY(ALLGATHER, move)
LIBRARY(ALLGATHERV, irregular)
LIBRARY(ALLTOALL, move)
LIBRARY(ALLTOALLV, irregular)
LIBRARY(SCAN, reduction)
LIBRARY(EXSCAN, reduction)

const struct chorale_alg *const library_algs[] = {
    &library_BARRIER,        &library_BCAST,
    &library_REDUCE,         &library_ALLREDUCE,
    &library_REDUCE_SCATTER_BLOCK, &library_REDUCE_SCATTER,
    &library_GATHER,         &library_GATHERV,
    &library_SCATTER,        &library_SCATTERV,
    &library_ALLGATHER,      &library_ALLGATHERV,
    &library_ALLTOALL,       &library_ALLTOALLV,
    &library_SCAN,           &library_EXSCAN,
    NULL,
};
