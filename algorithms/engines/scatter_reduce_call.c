/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce_call.c - the two reduce-scatters as calls of an engine: see
 * scatter_reduce_call.h. */
#include "algorithms/engines/scatter_reduce_call.h"

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

/* In place the result needs memory apart: its place is another's operand. */
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
    count = chorale_cyclic(&own, ctx->rank, 1);
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

/* Collect the operands of our run where they may be overwritten: own's base
 * is there afterwards. */
static int take(const struct chorale_rs *rs, const struct chorale_fold *fold,
                struct chorale_blocks *own)
{
    MPI_Count n = chorale_cyclic(own, 0, own->n);
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

/* The blocks of each run as one: *runs. map: the survivors. */
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
        counts[i] = chorale_cyclic(own, first, (*map)[i] + 1 - first);
        displs[i] = at;
        at += (MPI_Aint)counts[i];
        first = (*map)[i] + 1;
    }
    *runs = chorale_blocks_given(own->base, counts, displs, own->type, core);
    return MPI_SUCCESS;
}

/* Give the blocks of our run to their ranks; sum: all of them. */
static int give(const struct chorale_rs *rs, const struct chorale_fold *fold,
                const char *sum)
{
    const struct chorale_blocks *own = rs->own;
    int err = MPI_SUCCESS;

    for (int r = fold->first; r <= fold->keeper && err == MPI_SUCCESS; r++) {
        MPI_Count count = chorale_cyclic(own, r, 1);

        err = r == rs->ctx->rank
                  ? chorale_copy(rs->ctx, sum, count, own->type, rs->result,
                                 count, own->type)
                  : chorale_send(rs->ctx, sum, count, own->type, r);
        sum += own->extent * (MPI_Aint)count;
    }
    return err;
}

/* A survivor: the engine runs on a view of them. */
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
            rs->ctx, chorale_cyclic(&runs, fold->place, 1), own.type);
        if (inner.result == NULL)
            return MPI_ERR_NO_MEM;
    }
    chorale_ctx_view(rs->ctx, &view, fold->place, fold->core, map);
    inner.ctx = &view;
    err = engine(&inner);
    return err == MPI_SUCCESS && !lone ? give(rs, fold, inner.result) : err;
}

/* An engine itself, made of another. */
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
    err = chorale_send(rs->ctx, own->base, chorale_cyclic(own, 0, own->n),
                       own->type, fold.keeper);
    if (err != MPI_SUCCESS)
        return err;
    return chorale_recv(rs->ctx, rs->result,
                        chorale_cyclic(own, rs->ctx->rank, 1), own->type,
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

/* --- torus ------------------------------------------------------------ */

int chorale_rs_torus_rows(long rows, int size)
{
    int most = 0;

    for (int r = 2; r <= size / r; r++)
        if (size % r == 0 && (rows == 0 || rows == r))
            most = r;
    return most;
}

/* Both parts end their first half together: the columns' share of bytes
 * times (R-1)/R is the rows' share times (C-1)/C. */
int chorale_rs_torus_percent(long percent, int rows, int size)
{
    long in_column = (long)size - size / rows, in_row = (long)size - rows;

    if (percent >= 0)
        return (int)percent;
    return (int)((100 * in_row + (in_column + in_row) / 2) /
                 (in_column + in_row));
}

int chorale_rs_torus_split(const struct chorale_rs *rs)
{
    int rows = chorale_rs_torus_rows(rs->param[0], rs->ctx->size);

    return chorale_rs_torus(rs, rows,
                            chorale_rs_torus_percent(rs->param[1], rows,
                                                     rs->ctx->size));
}

/* --- costs ------------------------------------------------------------ */

double chorale_rs_block(const struct chorale_point *pt, int irregular, int i)
{
    size_t bytes = pt->msg_size;

    if (irregular)
        bytes = chorale_ramp(pt->msg_size, pt->type_size, pt->comm_size, i);
    return (double)bytes;
}

double chorale_rs_total(const struct chorale_point *pt, int irregular)
{
    double sum = 0;

    if (!irregular)
        return (double)pt->msg_size * pt->comm_size;
    for (int i = 0; i < pt->comm_size; i++)
        sum += chorale_rs_block(pt, 1, i);
    return sum;
}

double chorale_rs_largest(const struct chorale_point *pt, int irregular)
{
    return chorale_rs_block(pt, irregular, pt->comm_size - 1);
}

int chorale_rs_cost_ring(const struct chorale_point *pt, int irregular,
                         struct chorale_term *term)
{
    double rounds = pt->comm_size - 1;
    double m = chorale_rs_largest(pt, irregular);

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = rounds,
                                     .bytes = m,
                                     .reduced = rounds * m };
    return 1;
}

/* Bytes of the run of a place. */
static double run_bytes(const struct chorale_point *pt, int irregular,
                        int radix, int place)
{
    int last = chorale_fold_rank(place, pt->comm_size, radix);
    int first = place == 0 ? 0
                           : chorale_fold_rank(place - 1, pt->comm_size,
                                               radix) + 1;
    double sum = 0;

    if (!irregular)
        return (double)pt->msg_size * (last + 1 - first);
    for (int i = first; i <= last; i++)
        sum += chorale_rs_block(pt, 1, i);
    return sum;
}

/* Bytes of span places of the core, step apart. */
static double part_bytes(const struct chorale_point *pt, int irregular,
                         int radix, int first, int step, int span)
{
    double sum = 0;

    for (int i = 0; i < span; i++)
        sum += run_bytes(pt, irregular, radix, first + i * step);
    return sum;
}

/* The largest part of span places: consecutive ones, or every so many. Equal
 * blocks: it is that of place 0. */
static double largest_part(const struct chorale_point *pt, int irregular,
                           int radix, int core, int span, int near)
{
    int parts = core / span, step = near ? parts : 1;
    double most = 0;

    for (int i = 0; i < (irregular ? parts : 1); i++) {
        double sum = part_bytes(pt, irregular, radix, near ? i : i * span,
                                step, span);

        most = sum > most ? sum : most;
    }
    return most;
}

/* The smallest part of span consecutive places: in either case the first or
 * the last one. */
static double smallest_part(const struct chorale_point *pt, int irregular,
                            int core, int span)
{
    double first = part_bytes(pt, irregular, 2, 0, 1, span);
    double last = part_bytes(pt, irregular, 2, core - span, 1, span);

    return first < last ? first : last;
}

/* What folding costs, before and after; returns how many terms. */
static int cost_fold(const struct chorale_point *pt, int irregular,
                     const struct chorale_fold *fold,
                     struct chorale_term *term)
{
    double all = chorale_rs_total(pt, irregular);

    if (fold->most == 0)
        return 0;
    term[0] = (struct chorale_term){ .messages = fold->most,
                                     .bytes = all,
                                     .reduced = fold->most * all };
    term[1] = (struct chorale_term){
        .messages = fold->most,
        .bytes = chorale_rs_largest(pt, irregular),
    };
    return 2;
}

int chorale_rs_cost_exchange(const struct chorale_point *pt, int irregular,
                             int radix, int near, struct chorale_term *term)
{
    int n, steps = radix - 1;
    struct chorale_fold fold;

    if (pt->comm_size < 2)
        return 0;
    chorale_fold_init(&fold, 0, pt->comm_size, radix);
    n = cost_fold(pt, irregular, &fold, term);
    for (int span = fold.core / radix; span > 0; span /= radix) {
        double m = largest_part(pt, irregular, radix, fold.core, span, near);

        term[n++] = (struct chorale_term){ .messages = steps,
                                           .bytes = m,
                                           .reduced = steps * m };
    }
    return n;
}

int chorale_rs_cost_doubling(const struct chorale_point *pt, int irregular,
                             struct chorale_term *term)
{
    double all = chorale_rs_total(pt, irregular), own;
    struct chorale_fold fold;
    int n;

    if (pt->comm_size < 2)
        return 0;
    chorale_fold_init(&fold, 0, pt->comm_size, 2);
    n = cost_fold(pt, irregular, &fold, term);
    own = largest_part(pt, irregular, 2, fold.core, 1, 0);
    for (int span = 1; span < fold.core; span *= 2) {
        double out = all - smallest_part(pt, irregular, fold.core, span);
        double rest = all - smallest_part(pt, irregular, fold.core, 2 * span);

        term[n++] = (struct chorale_term){ .messages = 1,
                                           .bytes = out,
                                           .reduced = rest + own };
    }
    return n;
}

int chorale_rs_cost_circulant(const struct chorale_point *pt, int irregular,
                              struct chorale_term *term)
{
    int n = 0;

    for (int left = pt->comm_size; left > 1; left = (left + 1) / 2) {
        double sum = 0;

        /* Blocks grow with their number, if they differ. */
        for (int i = 1; i <= left / 2; i++)
            sum += chorale_rs_block(pt, irregular, pt->comm_size - i);
        term[n++] = (struct chorale_term){ .messages = 1,
                                           .bytes = sum,
                                           .reduced = sum };
    }
    return n;
}

/* One port does with 2 (P - 1) messages where blocks are equal. Where they are
 * not, the two directions get out of step and ports stand idle now and then:
 * a round more for every two. */
int chorale_rs_cost_ring_bidir(const struct chorale_point *pt, int irregular,
                               struct chorale_term *term)
{
    double rounds = pt->comm_size - 1, unit = (double)pt->type_size;
    double m = chorale_rs_largest(pt, irregular);

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = (irregular ? 3 : 2) * rounds,
                                     .bytes = (m + unit) / 2,
                                     .reduced = rounds * m };
    return 1;
}

/* Bytes of k blocks in a row, or every step-th, of which a line that is
 * reduced consists: the largest such line. */
static double largest_line(const struct chorale_point *pt, int irregular,
                           int k, int step)
{
    double sum = 0;

    for (int i = 0; i < k; i++)
        sum += chorale_rs_block(pt, irregular, pt->comm_size - 1 - i * step);
    return sum;
}

int chorale_rs_cost_torus(const struct chorale_point *pt, int irregular,
                          struct chorale_term *term)
{
    int size = pt->comm_size, rows, cols;
    double first, m, row, column, unit = (double)pt->type_size;

    if (size < 2)
        return 0;
    rows = chorale_rs_torus_rows(pt->param[0], size);
    cols = size / rows;
    first = chorale_rs_torus_percent(pt->param[1], rows, size) / 100.0;
    m = chorale_rs_largest(pt, irregular);
    row = largest_line(pt, irregular, cols, 1);
    column = largest_line(pt, irregular, rows, cols);
    /* A block's first part is rounded down, its second up. */
    term[0] = (struct chorale_term){ .messages = rows - 1,
                                     .bytes = first * row };
    term[1] = (struct chorale_term){
        .messages = cols - 1, .bytes = (1 - first) * column + rows * unit
    };
    term[2] = (struct chorale_term){ .messages = cols - 1,
                                     .bytes = first * m };
    term[3] = (struct chorale_term){ .messages = rows - 1,
                                     .bytes = (1 - first) * m + unit };
    for (int i = 0; i < 4; i++) {
        term[i].reduced = term[i].messages * term[i].bytes;
        term[i].messages *= 2; /* on one port, served as they are posted */
    }
    return 4;
}

size_t chorale_rs_scratch(const struct chorale_point *pt, int irregular,
                          double all, double largest)
{
    double bytes = all * chorale_rs_total(pt, irregular) +
                   largest * chorale_rs_largest(pt, irregular);
    size_t each = sizeof(MPI_Count) + sizeof(MPI_Aint) + sizeof(int);

    /* Where blocks are: of the call, of a fold, of an engine. */
    return (size_t)bytes + 3 * each * (size_t)pt->comm_size;
}
