/* SPDX-License-Identifier: BSD-3-Clause */
/* provider.c - one call of a candidate: a variant of Chorale, the library's
 * default, a forced algorithm of the library, or a call that a preloaded shim
 * handles. */
#include "runners/measure/runner.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define NAMES(X)                                                             \
    X(Barrier) X(Bcast) X(Reduce) X(Allreduce) X(Reduce_scatter)             \
    X(Reduce_scatter_block) X(Gather) X(Gatherv) X(Scatter) X(Scatterv)      \
    X(Allgather) X(Allgatherv) X(Alltoall) X(Alltoallv) X(Scan) X(Exscan)

/* The calls by names that no tool interposes (PMPI), and by the names that
 * applications use. */
struct calls {
#define X(name) __typeof__(PMPI_##name) *name;
    NAMES(X)
#undef X
};
#define X(name) .name = PMPI_##name,
static const struct calls direct = { NAMES(X) };
#undef X
#define X(name) .name = MPI_##name,
static const struct calls as_applications = { NAMES(X) };
#undef X

static int library(const struct calls *mpi, const struct chorale_problem *prob,
                   int root, MPI_Comm comm)
{
    int count = (int)prob->count;
    MPI_Datatype type = prob->type;
    const int *counts = prob->int_counts, *displs = prob->int_displs;

    switch ((enum chorale_coll)prob->task->coll) {
    case CHORALE_BARRIER:
        return mpi->Barrier(comm);
    case CHORALE_REDUCE_SCATTER:
        return mpi->Reduce_scatter(prob->send, prob->recv, counts, type,
                                   prob->op, comm);
    case CHORALE_GATHERV:
        return mpi->Gatherv(prob->send, count, type, prob->recv, counts,
                            displs, type, root, comm);
    case CHORALE_SCATTERV:
        return mpi->Scatterv(prob->send, counts, displs, type, prob->recv,
                             count, type, root, comm);
    case CHORALE_ALLGATHERV:
        return mpi->Allgatherv(prob->send, count, type, prob->recv, counts,
                               displs, type, comm);
    case CHORALE_ALLTOALL:
        return mpi->Alltoall(prob->send, count, type, prob->recv, count, type,
                             comm);
    case CHORALE_ALLTOALLV:
        return mpi->Alltoallv(prob->send, counts, displs, type, prob->recv,
                              counts, displs, type, comm);
    case CHORALE_SCAN:
        return mpi->Scan(prob->send, prob->recv, count, type, prob->op, comm);
    case CHORALE_EXSCAN:
        return mpi->Exscan(prob->send, prob->recv, count, type, prob->op,
                           comm);
    case CHORALE_BCAST:
        return mpi->Bcast(prob->recv, count, type, root, comm);
    case CHORALE_REDUCE:
        return mpi->Reduce(prob->send, prob->recv, count, type, prob->op,
                           root, comm);
    case CHORALE_ALLREDUCE:
        return mpi->Allreduce(prob->send, prob->recv, count, type, prob->op,
                              comm);
    case CHORALE_REDUCE_SCATTER_BLOCK:
        return mpi->Reduce_scatter_block(prob->send, prob->recv, count, type,
                                         prob->op, comm);
    case CHORALE_GATHER:
        return mpi->Gather(prob->send, count, type, prob->recv, count, type,
                           root, comm);
    case CHORALE_SCATTER:
        return mpi->Scatter(prob->send, count, type, prob->recv, count, type,
                            root, comm);
    case CHORALE_ALLGATHER:
        return mpi->Allgather(prob->send, count, type, prob->recv, count,
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

/* Check whether a native algorithm can be called. If it needs a communicator of
 * its own, each sibling creates one. */
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
        chorale_native_is_hierarchical(bench->native, coll, cand->place))
        rc = chorale_nodes_levels(bench);
    pt.levels = bench->levels;
    pt.in_blocks = bench->in_blocks;
    *why_p = chorale_native_refuses(bench->native, coll, cand->place, &pt);
    if (rc != MPI_SUCCESS || *why_p != NULL ||
        !chorale_native_needs_comm(bench->native, coll, cand->place))
        return rc;
    could_not = chorale_native_prepare(bench->native, coll, cand->place) != 0;
    rc = chorale_p2p_max(bench, &could_not);
    if (could_not)
        *why_p = "the library does not let its algorithm be chosen";
    if (rc == MPI_SUCCESS)
        rc = chorale_native_make(bench->native, coll, cand->place, !could_not,
                                 bench->lib);
    return rc;
}

/* The name that the shim exports (algorithms/dispatch/shim/shim.h). */
typedef int ran_fn(int coll, intptr_t comm, size_t msg_size, char *text,
                   size_t size);

static ran_fn *find_shim(void)
{
    ran_fn *found = NULL;

#ifndef CHORALE_SIM
    *(void **)&found = dlsym(RTLD_DEFAULT, "chorale_shim_ran");
#endif
    return found;
}

/* Block size as the shim sees it: of an irregular collective it knows only the
 * sum, and without a reduction it does not know elements. */
static size_t shim_block_size(const struct chorale_bench *bench,
                              const struct chorale_problem *prob)
{
    enum chorale_coll coll = (enum chorale_coll)prob->task->coll;
    size_t unit = prob->pt.type_size, sum = 0;

    if (!chorale_coll_info(coll)->irregular)
        return prob->pt.msg_size;
    for (int i = 0; i < bench->size; i++)
        sum += (size_t)prob->counts[i] * unit;
    return chorale_coll_mean(sum,
                             chorale_coll_info(coll)->reduces ? unit : 1,
                             bench->size);
}

/* Check that the shim handled the call with a loaded table. */
static int confirm_served(struct chorale_bench *bench,
                          const struct chorale_problem *prob, ran_fn *shim,
                          const char **why_p)
{
    char text[512] = "";
    int bad = 0, rc;

    if (shim == NULL ||
        shim(prob->task->coll, (intptr_t)bench->lib,
             shim_block_size(bench, prob),
             text, sizeof(text)) != 0)
        bad = 1;
    else if (strncmp(text, "default ", 8) == 0)
        bad = 2;
    rc = chorale_p2p_max(bench, &bad);
    if (bad != 0)
        *why_p = bad == 1 ? "the shim did not see this call"
                          : "the shim serves no table: this one was made for "
                            "another system, or cannot be loaded";
    return rc;
}

/* Check, by the messages of the last watched call, that a forced algorithm's
 * component of the library served it. If messages are not watched, a call
 * without data proves nothing: the library may return before it selects an
 * algorithm, and then reports no error for one that it cannot run. */
static int confirm_native(struct chorale_bench *bench,
                          const struct chorale_problem *prob,
                          const struct chorale_cand *cand, const char **why_p)
{
    const enum chorale_coll coll = (enum chorale_coll)prob->task->coll;
    double most[CHORALE_NSENT];
    int rc;

    if (!chorale_native_sent(bench->native, most)) {
        if (prob->pt.n == 0 && !chorale_coll_info(coll)->dataless)
            *why_p = "unproved: calls without data need no algorithm";
        return MPI_SUCCESS;
    }
    _Static_assert((int)CHORALE_NSENT <= (int)CHORALE_AGREE_MAX, "at once");
    rc = chorale_p2p_allreduce(bench, most, CHORALE_NSENT, 0);
    *why_p = chorale_native_unproved(bench->native, coll, cand->place, most,
                                     prob->pt.n);
    return rc;
}

void chorale_provider_watch(struct chorale_bench *bench,
                            const struct chorale_task *task,
                            const struct chorale_cand *cand)
{
    if (cand->provider == CHORALE_PROVIDER_NATIVE)
        chorale_native_watch(bench->native, (enum chorale_coll)task->coll,
                             cand->place, bench->lib);
}

void chorale_provider_unwatch(struct chorale_bench *bench,
                              const struct chorale_cand *cand)
{
    if (cand->provider == CHORALE_PROVIDER_NATIVE)
        chorale_native_unwatch(bench->native);
}

int chorale_provider_confirm(struct chorale_bench *bench,
                             const struct chorale_problem *prob,
                             const struct chorale_cand *cand,
                             const char **why_p, char *ran, size_t size)
{
    ran_fn *shim = find_shim();
    const char *digest = strchr(bench->work.part, '-');
    char text[512] = "", want[320] = "library", params[256];
    size_t len = digest != NULL ? strlen(++digest) : 0;
    int bad = 0, rc;

    *why_p = NULL;
    ran[0] = '\0';
    if (cand->provider == CHORALE_PROVIDER_LIBRARY && bench->served)
        return confirm_served(bench, prob, shim, why_p);
    if (cand->provider == CHORALE_PROVIDER_NATIVE)
        return confirm_native(bench, prob, cand, why_p);
    if (cand->provider != CHORALE_PROVIDER_TABLE)
        return MPI_SUCCESS;
    if (shim == NULL ||
        shim(prob->task->coll, (intptr_t)bench->lib,
             shim_block_size(bench, prob),
             text, sizeof(text)) != 0)
        bad = 1;
    else if (len == 0 || strncmp(text, digest, len) != 0 || text[len] != ' ')
        bad = 2;
    rc = chorale_p2p_max(bench, &bad);
    if (bad != 0)
        *why_p = bad == 1 ? "the shim did not see this call"
                          : "the shim has loaded another table than the "
                            "validated one";
    if (bad != 0)
        return rc;
    if (cand->alg >= 0) {
        chorale_alg_params_format(chorale_algs[cand->alg], cand->param,
                                  params, sizeof(params));
        snprintf(want, sizeof(want), "%s%s%s", chorale_algs[cand->alg]->name,
                 params[0] != '\0' ? ":" : "", params);
    }
    if (strcmp(text + len + 1, want) != 0)
        snprintf(ran, size, "the shim ran %.100s", text + len + 1);
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
    if (cand->provider == CHORALE_PROVIDER_TABLE && find_shim() == NULL)
        *why_p = "libchorale_pmpi.so is not loaded; run such cells with "
                 "`chorale validate`";
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
        chorale_native_end(bench->native, (enum chorale_coll)task->coll,
                           cand->place);
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
        return library(bench->served ? &as_applications : &direct, prob, root,
                       bench->lib);
    if (cand->provider == CHORALE_PROVIDER_TABLE)
        return library(&as_applications, prob, root, bench->lib);
    if (cand->provider == CHORALE_PROVIDER_NATIVE)
        return library(&direct, prob, root,
                       chorale_native_comm(bench->native,
                                           (enum chorale_coll)prob->task->coll,
                                           cand->place, bench->lib));
    return chorale_algs[cand->alg]->run(&call);
}
