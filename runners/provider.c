/* SPDX-License-Identifier: BSD-3-Clause */
/* provider.c - one call of a candidate: ours, or the library's default. */
#include "runners/runner.h"

#include <limits.h>

static int library(const struct chorale_bench *bench,
                   const struct chorale_problem *prob, int root)
{
    int count = (int)prob->count;
    MPI_Datatype type = prob->type;
    MPI_Comm comm = bench->lib;
    const int *counts = prob->int_counts, *displs = prob->int_displs;

    switch ((enum chorale_coll)prob->task->coll) {
    case CHORALE_BARRIER:
        return PMPI_Barrier(comm);
    case CHORALE_REDUCE_SCATTER:
        return PMPI_Reduce_scatter(prob->send, prob->recv, counts, type,
                                   prob->op, comm);
    case CHORALE_GATHERV:
        return PMPI_Gatherv(prob->send, count, type, prob->recv, counts,
                            displs, type, root, comm);
    case CHORALE_SCATTERV:
        return PMPI_Scatterv(prob->send, counts, displs, type, prob->recv,
                             count, type, root, comm);
    case CHORALE_ALLGATHERV:
        return PMPI_Allgatherv(prob->send, count, type, prob->recv, counts,
                               displs, type, comm);
    case CHORALE_ALLTOALL:
        return PMPI_Alltoall(prob->send, count, type, prob->recv, count, type,
                             comm);
    case CHORALE_ALLTOALLV:
        return PMPI_Alltoallv(prob->send, counts, displs, type, prob->recv,
                              counts, displs, type, comm);
    case CHORALE_SCAN:
        return PMPI_Scan(prob->send, prob->recv, count, type, prob->op, comm);
    case CHORALE_EXSCAN:
        return PMPI_Exscan(prob->send, prob->recv, count, type, prob->op,
                           comm);
    case CHORALE_BCAST:
        return PMPI_Bcast(prob->recv, count, type, root, comm);
    case CHORALE_REDUCE:
        return PMPI_Reduce(prob->send, prob->recv, count, type, prob->op,
                           root, comm);
    case CHORALE_ALLREDUCE:
        return PMPI_Allreduce(prob->send, prob->recv, count, type, prob->op,
                              comm);
    case CHORALE_REDUCE_SCATTER_BLOCK:
        return PMPI_Reduce_scatter_block(prob->send, prob->recv, count, type,
                                         prob->op, comm);
    case CHORALE_GATHER:
        return PMPI_Gather(prob->send, count, type, prob->recv, count, type,
                           root, comm);
    case CHORALE_SCATTER:
        return PMPI_Scatter(prob->send, count, type, prob->recv, count, type,
                            root, comm);
    case CHORALE_ALLGATHER:
        return PMPI_Allgather(prob->send, count, type, prob->recv, count,
                              type, comm);
    case CHORALE_NCOLL:
        break;
    }
    return MPI_ERR_OTHER;
}

int chorale_provider_call(struct chorale_bench *bench,
                          const struct chorale_problem *prob,
                          const struct chorale_cand *cand, int root)
{
    const struct chorale_call call = {
        .ctx = bench->ctx,
        .sendbuf = prob->send,
        .recvbuf = prob->recv,
        .sendcount = prob->count,
        .recvcount = prob->count,
        .sendtype = prob->type,
        .recvtype = prob->type,
        .sendcounts = prob->counts,
        .recvcounts = prob->counts,
        .sdispls = prob->displs,
        .rdispls = prob->displs,
        .op = prob->op,
        .commutative = 1,
        .root = root,
        .param = cand->param,
    };

    if (cand->provider == CHORALE_PROVIDER_LIBRARY)
        return library(bench, prob, root);
    return chorale_algs[cand->alg]->run(&call);
}
