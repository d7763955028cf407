/* SPDX-License-Identifier: BSD-3-Clause */
/* provider.c - one call of a candidate: ours, the library's default, or one of
 * its own algorithms. */
#include "runners/runner.h"

#include <string.h>

static int library(const struct chorale_problem *prob, int root,
                   MPI_Comm comm)
{
    int count = (int)prob->count;
    MPI_Datatype type = prob->type;
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

void chorale_provider_open(struct chorale_bench *bench)
{
    struct chorale_worklist *work = &bench->work;
    int native = 0;

    for (int c = 0; c < work->ncand; c++)
        native |= work->cand[c].provider == CHORALE_PROVIDER_NATIVE;
    if (native)
        bench->native = chorale_native_open(work->part);
    for (int t = 0; native && t < work->ntask; t++)
        for (int i = 0; i < work->task[t].ncand; i++) {
            struct chorale_cand *cand = &work->cand[work->task[t].first + i];

            cand->place = chorale_native_find(
                bench->native, (enum chorale_coll)work->task[t].coll,
                cand->name);
        }
}

/* May a native algorithm be called? Where its communicator is to be made, by
 * each of the siblings for itself. */
static int admit_native(struct chorale_bench *bench,
                        const struct chorale_problem *prob,
                        const struct chorale_cand *cand, const char **why_p)
{
    enum chorale_coll coll = (enum chorale_coll)prob->task->coll;
    struct chorale_native_point pt = {
        .count = prob->pt.n / prob->pt.type_size,
        .type_size = prob->pt.type_size,
        .size = bench->size,
    };
    int could_not, rc = MPI_SUCCESS;

    if (cand->place >= 0 &&
        chorale_native_levelled(bench->native, coll, cand->place))
        rc = chorale_nodes_levels(bench, &pt.levels, &pt.in_blocks);
    *why_p = chorale_native_refuses(bench->native, coll, cand->place, &pt);
    if (rc != MPI_SUCCESS || *why_p != NULL ||
        !chorale_native_wanting(bench->native, coll, cand->place))
        return rc;
    could_not = chorale_native_prepare(bench->native, coll, cand->place) != 0;
    rc = chorale_own_most(bench, &could_not);
    if (could_not)
        *why_p = "the library does not let its algorithm be chosen";
    if (rc == MPI_SUCCESS)
        rc = chorale_native_make(bench->native, coll, cand->place, !could_not,
                                 bench->lib);
    return rc;
}

int chorale_provider_admit(struct chorale_bench *bench,
                           struct chorale_problem *prob,
                           const struct chorale_cand *cand,
                           const char **why_p)
{
    *why_p = NULL;
    if (cand->provider == CHORALE_PROVIDER_NATIVE)
        return admit_native(bench, prob, cand, why_p);
    if (cand->provider == CHORALE_PROVIDER_CHORALE) {
        memcpy(prob->pt.param, cand->param, sizeof(cand->param));
        *why_p = chorale_alg_refuses(chorale_algs[cand->alg], &prob->pt);
    }
    return MPI_SUCCESS;
}

void chorale_provider_begin(struct chorale_bench *bench,
                            const struct chorale_task *task,
                            const struct chorale_cand *cand)
{
    if (cand->provider == CHORALE_PROVIDER_NATIVE)
        chorale_native_begin(bench->native, (enum chorale_coll)task->coll,
                             cand->place);
}

void chorale_provider_end(struct chorale_bench *bench,
                          const struct chorale_task *task,
                          const struct chorale_cand *cand)
{
    if (cand->provider == CHORALE_PROVIDER_NATIVE)
        chorale_native_end(bench->native, (enum chorale_coll)task->coll);
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
        return library(prob, root, bench->lib);
    if (cand->provider == CHORALE_PROVIDER_NATIVE)
        return library(prob, root,
                       chorale_native_comm(bench->native,
                                           (enum chorale_coll)prob->task->coll,
                                           cand->place, bench->lib));
    return chorale_algs[cand->alg]->run(&call);
}
