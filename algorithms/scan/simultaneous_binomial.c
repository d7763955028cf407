/* SPDX-License-Identifier: BSD-3-Clause */
/* simultaneous_binomial.c - scan by shifts of 1, 2, 4, ... ranks.
 *
 * In round j every rank sends its value to the rank 2^j above and combines it
 * with the one from the rank 2^j below. This amounts to one binomial tree per
 * rank, all run at once.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = bytes
 * Volume  at most L n bytes from each rank
 * Cost    L (alpha + n beta + n tau), exact
 * Needs   any P, any datatype, any operation
 * Source  Sanders, Traeff, EuroPVM/MPI 2006
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/prefix.h"
#include "algorithms/tree.h"

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int err = chorale_prefix_start(call);
    void *tmp = NULL;

    if (err == MPI_SUCCESS && ctx->rank > 0) {
        tmp = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
        err = tmp == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    if (err == MPI_SUCCESS)
        err = chorale_prefix_shifts(call, call->recvbuf, tmp, 0);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double rounds = chorale_ceil_log2(pt->comm_size);
    double m = (double)pt->msg_size;

    term[0] = (struct chorale_term){ .messages = rounds,
                                     .bytes = m,
                                     .reduced = rounds * m };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size < 2 ? 0 : pt->msg_size;
}

const struct chorale_alg chorale_scan_simultaneous_binomial = {
    .coll = CHORALE_SCAN,
    .name = "simultaneous_binomial",
    .summary = "to the rank 1, 2, 4, ... above: fewest rounds",
    .formula = "ceil(lg P) (alpha + n beta + n tau)",
    .source = "Sanders, Traeff, EuroPVM/MPI 2006",
    .order = CHORALE_ORDER_RANK,
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
