/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange_barriers.c - pairwise exchanges with synchronised rounds. */
#include "algorithms/engines/exchange/exchange_all.h"

#include "algorithms/catalogue.h"
#include "algorithms/tree.h"

/* Tell the source of the next block to send it, and wait for the same message
 * from the destination. */
static int tokens(const struct chorale_exchange *ex, int dest, int source)
{
    MPI_Count out, in;
    int sends, receives;
    char none = 0;

    chorale_block(&ex->out, dest, &out);
    chorale_block(&ex->in, source, &in);
    sends = chorale_exchange_sent(ex, &ex->in, in);
    receives = chorale_exchange_sent(ex, &ex->out, out);
    if (sends && receives)
        return chorale_sendrecv(ex->ctx, &none, 0, MPI_BYTE, source, &none, 0,
                                MPI_BYTE, dest);
    if (sends)
        return chorale_send(ex->ctx, &none, 0, MPI_BYTE, source);
    if (receives)
        return chorale_recv(ex->ctx, &none, 0, MPI_BYTE, dest);
    return MPI_SUCCESS;
}

const long chorale_barrier_kinds[] = { CHORALE_EXCHANGE_LIGHT,
                                       CHORALE_EXCHANGE_FULL,
                                       CHORALE_EXCHANGE_ONCE };
const char *const chorale_barrier_kind_word[] = { "light", "full", "once" };
const long chorale_barrier_orders[] = { 0, 1 };
const char *const chorale_barrier_order_word[] = { "xor", "shift" };

int chorale_exchange_barriers(const struct chorale_call *call)
{
    long kind = call->param[0];
    int by_xor = call->param[1] == 0;
    struct chorale_exchange ex = chorale_exchange_of(call);
    struct chorale_call barrier = { .ctx = call->ctx };
    int rank = ex.ctx->rank, size = ex.ctx->size;
    int err = chorale_exchange_own(&ex);

    ex.empties = call->recvcounts != NULL && call->param[2] != 0;
    for (int i = 1; i < size && err == MPI_SUCCESS; i++) {
        int up = rank < size - i ? rank + i : rank - (size - i);
        int down = rank < i ? rank - i + size : rank - i;
        int dest = by_xor ? rank ^ i : up;
        int source = by_xor ? rank ^ i : down;

        /* The first round needs no token: no earlier message can delay it. */
        if (kind == CHORALE_EXCHANGE_LIGHT)
            err = i > 1 ? tokens(&ex, dest, source) : MPI_SUCCESS;
        else if (kind == CHORALE_EXCHANGE_FULL || i == 1)
            err = chorale_barrier_dissemination.run(&barrier);
        if (err == MPI_SUCCESS)
            err = chorale_exchange_round(&ex, dest, source);
    }
    return err;
}

const char *chorale_refuses_barriers(const struct chorale_point *pt)
{
    return pt->param[1] == 0 && (pt->comm_size & (pt->comm_size - 1)) != 0
               ? "order xor needs a power-of-two number of processes"
               : NULL;
}

int chorale_cost_barriers(const struct chorale_point *pt,
                          struct chorale_term *term)
{
    long kind = pt->param[0];
    int size = pt->comm_size;
    double rounds = chorale_ceil_log2(size);

    if (size < 2)
        return 0;
    term[0] = (struct chorale_term){
        .messages = kind == CHORALE_EXCHANGE_LIGHT  ? size - 2
                    : kind == CHORALE_EXCHANGE_FULL ? rounds * (size - 1)
                                                    : rounds,
    };
    return 1;
}
