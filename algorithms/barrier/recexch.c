/* SPDX-License-Identifier: BSD-3-Clause */
/* recexch.c - barrier by recursive exchange in groups of k ranks.
 *
 * In round j the ranks that differ only in digit j to the base k signal each
 * other, all at the same time. If P is not a power of k, ranks fold first
 * (radix.h).
 *
 * Rounds  q = floor(log_k P), folded q + 2    P = comm_size, k = radix
 * Volume  at most (k - 1) (q + 1) empty messages from a rank
 * Cost    at most ((k - 1) q + 2 f) alpha on one port, f <= k - 1 the ranks
 *         that fold onto one; q alpha and the fold with k - 1 ports
 * Needs   any P
 * Source  Ruefenacht, Bull, Booth, Parallel Computing 69, 2017
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/engines/radix.h"
#include "algorithms/engines/signal.h"

#include <limits.h>

/* The radix, limited to P. */
static int radix_of(long param, int size)
{
    int most = size > 2 ? size : 2;

    return (int)(param < most ? param : most);
}

/* The exchanges of one rank of the core. */
static int core(struct chorale_ctx *ctx, const struct chorale_fold *fold,
                int k)
{
    int size = ctx->size, n = k - 1;
    size_t bytes = (size_t)n * sizeof(int);
    int *peer = chorale_scratch(ctx, 2 * bytes);
    MPI_Request *req = chorale_scratch(ctx, (size_t)n * sizeof(*req));
    int err = peer && req ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    for (long long step = 1; step < fold->core && err == MPI_SUCCESS;
         step *= k) {
        int unit = (int)step, digit = fold->place / unit % k;
        int zero = fold->place - digit * unit;

        for (int i = 0; i < n; i++) {
            int above = (digit + i + 1) % k, below = (digit + k - i - 1) % k;

            peer[i] = chorale_fold_rank(zero + above * unit, size, k);
            peer[n + i] = chorale_fold_rank(zero + below * unit, size, k);
        }
        err = chorale_signal_round(ctx, n, peer, peer + n, req);
    }
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int k = radix_of(call->param[0], ctx->size);
    struct chorale_fold fold;
    int err = MPI_SUCCESS;

    chorale_fold_init(&fold, ctx->rank, ctx->size, k);
    if (fold.place < 0) {
        err = chorale_signal(ctx, fold.keeper);
        return err == MPI_SUCCESS ? chorale_await(ctx, fold.keeper) : err;
    }
    for (int r = fold.first; r < ctx->rank && err == MPI_SUCCESS; r++)
        err = chorale_await(ctx, r);
    if (fold.core > 1 && err == MPI_SUCCESS)
        err = core(ctx, &fold, k);
    for (int r = fold.first; r < ctx->rank && err == MPI_SUCCESS; r++)
        err = chorale_signal(ctx, r);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int k = radix_of(pt->param[0], pt->comm_size), rounds;
    struct chorale_fold fold;

    chorale_power_below(pt->comm_size, k, &rounds);
    chorale_fold_init(&fold, 0, pt->comm_size, k);
    term[0] = (struct chorale_term){
        .messages = (k - 1.0) * rounds + 2.0 * fold.most,
    };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return (2 * sizeof(int) + sizeof(MPI_Request)) *
           (size_t)(radix_of(pt->param[0], pt->comm_size) - 1);
}

const struct chorale_alg chorale_barrier_recexch = {
    .coll = CHORALE_BARRIER,
    .name = "recexch",
    .summary = "groups of radix ranks signal each other, digit by digit; "
               "ranks beyond a power of radix fold",
    .formula = "<= ((k-1) q + 2 e) alpha, k = min(radix, P), q = floor(log_k "
               "P), e = ceil(P/k^q) - 1",
    .source = "Ruefenacht, Bull, Booth, Parallel Computing 69, 2017",
    .fallback = "a radix beyond P is P",
    .cost_is = CHORALE_COST_BOUND,
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_PARAM_WAYS("radix", "ranks of a group", 4, 2, 0) },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
