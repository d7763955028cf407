/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.c - extends an allreduce to any number of ranks. */
#include "algorithms/engines/reduction/fold.h"

#include "algorithms/engines/radix.h"

/* A rank outside the core. */
static int run_folded(const struct chorale_call *call, int keeper)
{
    const void *own = call->sendbuf == MPI_IN_PLACE ? call->recvbuf
                                                    : call->sendbuf;
    int err = chorale_send(call->ctx, own, call->recvcount, call->recvtype,
                           keeper);

    if (err == MPI_SUCCESS)
        err = chorale_recv(call->ctx, call->recvbuf, call->recvcount,
                           call->recvtype, keeper);
    return err;
}

/* Receive the vectors of the run's other ranks and combine them with the own
 * one, into recvbuf. */
static int take(const struct chorale_call *call,
                const struct chorale_fold *fold)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    void *in = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
    int err = in == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;

    if (err == MPI_SUCCESS && call->sendbuf != MPI_IN_PLACE)
        err = chorale_copy(ctx, call->sendbuf, call->recvcount,
                           call->recvtype, call->recvbuf, call->recvcount,
                           call->recvtype);
    for (int r = fold->keeper - 1; r >= fold->first && err == MPI_SUCCESS;
         r--) {
        err = chorale_recv(ctx, in, call->recvcount, call->recvtype, r);
        if (err == MPI_SUCCESS)
            err = chorale_reduce_local(ctx, in, call->recvbuf,
                                       call->recvcount, call->recvtype,
                                       call->op);
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

/* Run the core on a view of its ranks. */
static int run_core(const struct chorale_call *call, int k,
                    const struct chorale_fold *fold,
                    int (*core)(const struct chorale_call *call))
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int *map = chorale_scratch(ctx, sizeof(*map) * (size_t)fold->core);
    struct chorale_call inner = *call;
    struct chorale_ctx view;
    int err;

    if (map == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < fold->core; i++)
        map[i] = chorale_fold_rank(i, ctx->size, k);
    chorale_ctx_view(ctx, &view, fold->place, fold->core, map);
    inner.ctx = &view;
    if (fold->first < fold->keeper)
        inner.sendbuf = MPI_IN_PLACE;
    err = core(&inner);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_fold_run(const struct chorale_call *call, int k,
                     int (*core)(const struct chorale_call *call))
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_fold fold;
    int err = MPI_SUCCESS;

    if (chorale_power_below(ctx->size, k, NULL) == ctx->size)
        return core(call);
    chorale_fold_init(&fold, ctx->rank, ctx->size, k);
    if (fold.place < 0)
        return run_folded(call, fold.keeper);
    if (fold.first < fold.keeper)
        err = take(call, &fold);
    if (err == MPI_SUCCESS)
        err = run_core(call, k, &fold, core);
    for (int r = fold.first; r < fold.keeper && err == MPI_SUCCESS; r++)
        err = chorale_send(ctx, call->recvbuf, call->recvcount,
                           call->recvtype, r);
    return err;
}

int chorale_fold_cost(const struct chorale_point *pt, int k,
                      struct chorale_term *term, int n)
{
    double m = (double)pt->msg_size;
    struct chorale_fold fold;

    chorale_fold_init(&fold, 0, pt->comm_size, k);
    if (fold.most == 0)
        return n;
    term[n] = (struct chorale_term){ .messages = 2.0 * fold.most,
                                     .bytes = m,
                                     .reduced = m * fold.most };
    return n + 1;
}

size_t chorale_fold_scratch(const struct chorale_point *pt, int k,
                            size_t *passing)
{
    struct chorale_fold fold;

    chorale_fold_init(&fold, 0, pt->comm_size, k);
    *passing = fold.most > 0 ? pt->msg_size : 0;
    return fold.most > 0 ? sizeof(int) * (size_t)fold.core : 0;
}
