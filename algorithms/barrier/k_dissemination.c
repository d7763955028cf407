/* SPDX-License-Identifier: BSD-3-Clause */
/* k_dissemination.c - barrier by dissemination with radix k.
 *
 * In round j every rank signals the k - 1 ranks at distance i k^j, all at the
 * same time, and waits for the ranks at those distances below.
 *
 * Rounds  L = ceil(log_k P)                   P = comm_size, k = radix
 * Volume  at most (k - 1) L empty messages from each rank: distances of P and
 *         more are skipped
 * Cost    one alpha per message on one port, exact; L alpha with k - 1 ports
 * Needs   any P
 * Source  Hensgen, Finkel, Manber, IJPP 17(1), 1988; Hoefler et al., n-way
 *         dissemination, 2006
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/engines/signal.h"

#include <limits.h>

/* Messages in the round with distances step, 2 step, ... */
static int in_round(long radix, int size, long step)
{
    long within = (size - 1) / step;

    return (int)(within < radix - 1 ? within : radix - 1);
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    long radix = call->param[0], rank = ctx->rank, size = ctx->size;
    size_t most = (size_t)in_round(radix, ctx->size, 1);
    int *peer = chorale_scratch(ctx, 2 * most * sizeof(*peer));
    MPI_Request *req = chorale_scratch(ctx, most * sizeof(*req));
    int err = peer && req ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    for (long step = 1; step < size && err == MPI_SUCCESS; step *= radix) {
        int n = in_round(radix, ctx->size, step);

        for (int i = 0; i < n; i++) {
            peer[i] = (int)((rank + (i + 1) * step) % size);
            peer[n + i] = (int)((rank + size - (i + 1) * step) % size);
        }
        err = chorale_signal_round(ctx, n, peer, peer + n, req);
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double sum = 0;

    for (long step = 1; step < pt->comm_size; step *= pt->param[0])
        sum += in_round(pt->param[0], pt->comm_size, step);
    term[0] = (struct chorale_term){ .messages = sum };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return (2 * sizeof(int) + sizeof(MPI_Request)) *
           (size_t)in_round(pt->param[0], pt->comm_size, 1);
}

const struct chorale_alg chorale_barrier_k_dissemination = {
    .coll = CHORALE_BARRIER,
    .name = "k_dissemination",
    .summary = "signals to radix-1 ranks at distance i radix^j at a time",
    .formula = "D alpha, D the pairs of d < k and j with d k^j < P, k = "
               "radix; k-1 ports: ceil(log_k P) alpha",
    .source = "Hensgen, Finkel, Manber, IJPP 17(1), 1988; Hoefler et al., "
              "2006",
    .fallback = "a radix beyond P is P",
    .core = CHORALE_CORE_ANY,
    .nparam = 1,
    .param = { CHORALE_PARAM_WAYS("radix", "messages of a round, and 1", 4,
                                    2, 0) },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
