/* SPDX-License-Identifier: BSD-3-Clause */
/* ordered.c - reduces the gathered vectors of all ranks in rank order. */
#include "algorithms/engines/rooted/ordered.h"

#include "algorithms/engines/part.h"

int chorale_reduce_ordered(const struct chorale_call *call, const void *x,
                           MPI_Aint stride, int n)
{
    int err = chorale_copy(call->ctx, chorale_at(x, stride, n - 1),
                           call->recvcount, call->recvtype, call->recvbuf,
                           call->recvcount, call->recvtype);

    for (int i = n - 2; i >= 0 && err == MPI_SUCCESS; i--)
        err = chorale_reduce_local(call->ctx, chorale_at(x, stride, i),
                                   call->recvbuf, call->recvcount,
                                   call->recvtype, call->op);
    return err;
}

int chorale_reduce_gathered(const struct chorale_call *call,
                            const struct chorale_alg *gather, int here)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct chorale_call part = *call;
    struct chorale_apart apart;
    int err = MPI_SUCCESS;

    part.recvbuf = NULL;
    part.sendcount = call->recvcount;
    part.sendtype = call->recvtype;
    if (call->sendbuf == MPI_IN_PLACE)
        part.sendbuf = call->recvbuf;
    if (here)
        err = chorale_layout_init(&apart, call->recvcount, call->recvtype);
    if (here && err == MPI_SUCCESS) {
        part.recvcount = apart.count;
        part.recvtype = apart.type;
        part.recvbuf = chorale_scratch_typed(
            ctx, apart.count * (MPI_Count)ctx->size, apart.type);
        err = part.recvbuf == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    if (err == MPI_SUCCESS)
        err = chorale_part_run(gather, &part);
    if (err == MPI_SUCCESS && here)
        err = chorale_reduce_ordered(call, part.recvbuf, apart.stride,
                                     ctx->size);
    if (here)
        chorale_layout_free(&apart, call->recvtype);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_cost_gathered(const struct chorale_point *pt,
                          const struct chorale_alg *gather,
                          struct chorale_term *term)
{
    int n = chorale_part_cost(gather, pt, term);

    if (pt->comm_size > 1)
        term[n++] = (struct chorale_term){
            .reduced = (double)pt->msg_size * (pt->comm_size - 1),
        };
    return n;
}

size_t chorale_scratch_gathered(const struct chorale_point *pt,
                                const struct chorale_alg *gather)
{
    return pt->msg_size * (size_t)pt->comm_size +
           chorale_part_scratch(gather, pt);
}
