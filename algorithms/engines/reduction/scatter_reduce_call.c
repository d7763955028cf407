/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce_call.c - runs the reduce-scatter variants. */
#include "algorithms/engines/reduction/scatter_reduce_call.h"

#include "algorithms/engines/radix.h"

/* --- calls ------------------------------------------------------------ */

int chorale_rs_operands(const struct chorale_call *call,
                        struct chorale_blocks *own)
{
    int size = call->ctx->size;
    const void *input = call->sendbuf == MPI_IN_PLACE ? call->recvbuf
                                                      : call->sendbuf;
    MPI_Aint *displs, at = 0;

    if (call->recvcounts == NULL) {
        *own = chorale_blocks_equal(input, call->recvcount, call->recvtype,
                                    size);
        return MPI_SUCCESS;
    }
    displs = chorale_scratch(call->ctx, sizeof(*displs) * (size_t)size);
    if (displs == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < size; i++) {
        displs[i] = at;
        at += (MPI_Aint)call->recvcounts[i];
    }
    *own = chorale_blocks_given(input, call->recvcounts, displs,
                                call->recvtype, size);
    return MPI_SUCCESS;
}

/* In place, the result needs separate memory: its final place holds another
 * rank's operand. */
static int run_one(const struct chorale_call *call, chorale_rs_engine *engine,
                   int radix)
{
    struct chorale_ctx *ctx = call->ctx;
    int in_place = call->sendbuf == MPI_IN_PLACE;
    struct chorale_blocks own;
    struct chorale_rs rs = {
        .ctx = ctx,
        .own = &own,
        .acc = in_place ? &own : NULL,
        .apart = 1,
        .result = call->recvbuf,
        .op = call->op,
        .commutative = call->commutative,
        .radix = radix,
        .param = call->param,
    };
    int err = chorale_rs_operands(call, &own);
    MPI_Count count;

    if (err != MPI_SUCCESS)
        return err;
    count = chorale_cyclic_count(&own, ctx->rank, 1);
    if (ctx->size == 1)
        return in_place ? MPI_SUCCESS
                        : chorale_copy(ctx, own.base, count, own.type,
                                       call->recvbuf, count, own.type);
    if (in_place) {
        rs.result = chorale_scratch_typed(ctx, count, own.type);
        if (rs.result == NULL)
            return MPI_ERR_NO_MEM;
    }
    err = engine(&rs);
    if (err != MPI_SUCCESS || !in_place)
        return err;
    return chorale_copy(ctx, rs.result, count, own.type, call->recvbuf, count,
                        own.type);
}

int chorale_rs_run(const struct chorale_call *call, chorale_rs_engine *engine,
                   int radix)
{
    size_t mark = chorale_scratch_mark(call->ctx);
    int err = run_one(call, engine, radix);

    chorale_scratch_release(call->ctx, mark);
    return err;
}

/* --- folding ---------------------------------------------------------- */

/* Sum up the operands of this rank's run in memory that may be overwritten;
 * own's base points there afterwards. */
static int take(const struct chorale_rs *rs, const struct chorale_fold *fold,
                struct chorale_blocks *own)
{
    MPI_Count n = chorale_cyclic_count(own, 0, own->n);
    int fresh = rs->acc == NULL, err = MPI_SUCCESS;
    void *sum = own->base, *in = NULL;

    if (fresh) {
        sum = chorale_scratch_typed(rs->ctx, n, own->type);
        if (sum == NULL)
            return MPI_ERR_NO_MEM;
    }
    if (fresh && !rs->commutative) {
        err = chorale_copy(rs->ctx, own->base, n, own->type, sum, n,
                           own->type);
        fresh = 0;
    }
    for (int r = fold->keeper - 1; r >= fold->first && err == MPI_SUCCESS;
         r--) {
        if (!fresh && in == NULL)
            in = chorale_scratch_typed(rs->ctx, n, own->type);
        if (!fresh && in == NULL)
            return MPI_ERR_NO_MEM;
        err = chorale_recv(rs->ctx, fresh ? sum : in, n, own->type, r);
        if (err == MPI_SUCCESS)
            err = chorale_reduce_local(rs->ctx, fresh ? own->base : in, sum,
                                       n, own->type, rs->op);
        fresh = 0;
    }
    *own = chorale_blocks_at(own, sum);
    return err;
}

/* Set *runs to blocks that each combine the blocks of one run, and *map to the
 * core ranks. */
static int group(const struct chorale_rs *rs, int core,
                 const struct chorale_blocks *own,
                 struct chorale_blocks *runs, int **map)
{
    size_t n = (size_t)core;
    MPI_Count *counts = chorale_scratch(rs->ctx, n * sizeof(*counts));
    MPI_Aint *displs = chorale_scratch(rs->ctx, n * sizeof(*displs));
    MPI_Aint at = 0;
    int first = 0;

    *map = chorale_scratch(rs->ctx, n * sizeof(**map));
    if (counts == NULL || displs == NULL || *map == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < core; i++) {
        (*map)[i] = chorale_fold_rank(i, own->n, rs->radix);
        counts[i] = chorale_cyclic_count(own, first, (*map)[i] + 1 - first);
        displs[i] = at;
        at += (MPI_Aint)counts[i];
        first = (*map)[i] + 1;
    }
    *runs = chorale_blocks_given(own->base, counts, displs, own->type, core);
    return MPI_SUCCESS;
}

/* Send each rank of the run its block; sum holds all of them. */
static int give(const struct chorale_rs *rs, const struct chorale_fold *fold,
                const char *sum)
{
    const struct chorale_blocks *own = rs->own;
    int err = MPI_SUCCESS;

    for (int r = fold->first; r <= fold->keeper && err == MPI_SUCCESS; r++) {
        MPI_Count count = chorale_cyclic_count(own, r, 1);

        err = r == rs->ctx->rank
                  ? chorale_copy(rs->ctx, sum, count, own->type, rs->result,
                                 count, own->type)
                  : chorale_send(rs->ctx, sum, count, own->type, r);
        sum += own->extent * (MPI_Aint)count;
    }
    return err;
}

/* A core rank: runs the engine on a view of the core. */
static int keep(const struct chorale_rs *rs, const struct chorale_fold *fold,
                chorale_rs_engine *engine)
{
    struct chorale_rs inner = *rs;
    struct chorale_blocks own = *rs->own, runs;
    int lone = fold->first == fold->keeper, err = MPI_SUCCESS;
    struct chorale_ctx view;
    int *map;

    if (!lone)
        err = take(rs, fold, &own);
    if (err == MPI_SUCCESS)
        err = group(rs, fold->core, &own, &runs, &map);
    if (err != MPI_SUCCESS)
        return err;
    inner.own = &runs;
    inner.acc = lone && rs->acc == NULL ? NULL : &runs;
    if (!lone) {
        inner.result = chorale_scratch_typed(
            rs->ctx, chorale_cyclic_count(&runs, fold->place, 1), own.type);
        if (inner.result == NULL)
            return MPI_ERR_NO_MEM;
    }
    chorale_ctx_view(rs->ctx, &view, fold->place, fold->core, map);
    inner.ctx = &view;
    err = engine(&inner);
    return err == MPI_SUCCESS && !lone ? give(rs, fold, inner.result) : err;
}

/* Fold, run the engine on the core, and distribute the results. */
static int fold_around(const struct chorale_rs *rs, chorale_rs_engine *engine)
{
    const struct chorale_blocks *own = rs->own;
    struct chorale_fold fold;
    int err;

    chorale_fold_init(&fold, rs->ctx->rank, own->n, rs->radix);
    if (fold.core == own->n)
        return engine(rs);
    if (fold.place >= 0)
        return keep(rs, &fold, engine);
    err = chorale_send(rs->ctx, own->base, chorale_cyclic_count(own, 0, own->n),
                       own->type, fold.keeper);
    if (err != MPI_SUCCESS)
        return err;
    return chorale_recv(rs->ctx, rs->result,
                        chorale_cyclic_count(own, rs->ctx->rank, 1), own->type,
                        fold.keeper);
}

static int folded(const struct chorale_rs *rs, chorale_rs_engine *engine)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    int err = fold_around(rs, engine);

    chorale_scratch_release(rs->ctx, mark);
    return err;
}

int chorale_rs_radix(long k, int size)
{
    return k < size ? (int)k : size < 2 ? 2 : size;
}

int chorale_rs_pairwise(const struct chorale_rs *rs)
{
    return chorale_rs_exchange(rs, rs->ctx->size);
}

static int exchange(const struct chorale_rs *rs)
{
    return chorale_rs_exchange(rs, rs->radix);
}

int chorale_rs_exchange_folded(const struct chorale_rs *rs)
{
    return folded(rs, exchange);
}

int chorale_rs_butterfly_folded(const struct chorale_rs *rs)
{
    return folded(rs, chorale_rs_butterfly);
}

int chorale_rs_doubling_folded(const struct chorale_rs *rs)
{
    return folded(rs, chorale_rs_doubling);
}

const long chorale_rs_halving_orders[] = { 0, 1 };
const char *const chorale_rs_halving_word[] = { "far", "near" };

int chorale_rs_halving_run(const struct chorale_call *call)
{
    return chorale_rs_run(call,
                          call->param[0] != 0 ? chorale_rs_butterfly_folded
                                              : chorale_rs_exchange_folded,
                          2);
}

const long chorale_rs_recexch_radixes[] = { 2, 3, 4, 8, 16 };

int chorale_rs_recexch_run(const struct chorale_call *call)
{
    return chorale_rs_run(call, chorale_rs_exchange_folded,
                          chorale_rs_radix(call->param[0], call->ctx->size));
}

/* --- torus ------------------------------------------------------------ */

int chorale_rs_torus_rows(long rows, int size)
{
    int most = 0;

    for (int r = 2; r <= size / r; r++)
        if (size % r == 0 && (rows == 0 || rows == r))
            most = r;
    return most;
}

/* Balance the parts so that both complete their first half together: the
 * columns' share of bytes times (R-1)/R equals the rows' share times
 * (C-1)/C. */
int chorale_rs_torus_percent(long percent, int rows, int size)
{
    long in_column = (long)size - size / rows, in_row = (long)size - rows;

    if (percent >= 0)
        return (int)percent;
    return (int)((100 * in_row + (in_column + in_row) / 2) /
                 (in_column + in_row));
}

static int torus_split(const struct chorale_rs *rs)
{
    int rows = chorale_rs_torus_rows(rs->param[0], rs->ctx->size);

    return chorale_rs_torus(rs, rows,
                            chorale_rs_torus_percent(rs->param[1], rows,
                                                     rs->ctx->size),
                            rs->param[2] != 0);
}

const long chorale_rs_torus_rows_values[] = { 0, 2, 3, 4 };
const long chorale_rs_torus_shares[] = { -1, 0, 50, 100 };
const long chorale_rs_torus_ways[] = { 0, 1 };

int chorale_rs_torus_run(const struct chorale_call *call)
{
    return chorale_rs_run(call, torus_split, 0);
}

const char *chorale_rs_torus_refuses(const struct chorale_point *pt)
{
    return pt->comm_size < 2 ||
                   chorale_rs_torus_rows(pt->param[0], pt->comm_size) > 0
               ? NULL
               : "needs P = rows * columns, 2 <= rows <= columns";
}
