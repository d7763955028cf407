/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_rings.c - reduce-scatter on several rings at once: see
 * scatter_reduce.h. A way is a ring in one direction. */
#include "algorithms/scatter_reduce.h"

enum { MAX_WAYS = 4 };

struct way {
    const struct chorale_rs *rs; /* its context, type and operation */
    struct chorale_blocks own;   /* what of the operands goes this way */
    int step;                    /* to the rank step further on */
    int b;                       /* the block that arrives */
    const void *out, *mine;
    MPI_Count out_count, count;
    void *in, *result, *spare[2];
    MPI_Request req[2];
    int under_way;
};

/* --- steps ------------------------------------------------------------ */

static int neighbour(const struct way *way, int step)
{
    int size = way->rs->ctx->size;

    return (way->rs->ctx->rank + step + size) % size;
}

/* Step i of the ring: see chorale_rs_ring. */
static int way_post(struct way *way, int i)
{
    struct chorale_ctx *ctx = way->rs->ctx;
    int err;

    way->b = (way->b - way->step + ctx->size) % ctx->size;
    way->mine = chorale_block(&way->own, way->b, &way->count);
    way->in = i == ctx->size - 2 ? way->result : way->spare[i % 2];
    err = chorale_irecv(ctx, way->in, way->count, way->own.type,
                        neighbour(way, -way->step), &way->req[0]);
    if (err != MPI_SUCCESS)
        return err;
    way->under_way = 1;
    err = chorale_isend(ctx, way->out, way->out_count, way->own.type,
                        neighbour(way, way->step), &way->req[1]);
    way->under_way += err == MPI_SUCCESS;
    return err;
}

static int way_finish(struct way *way)
{
    struct chorale_ctx *ctx = way->rs->ctx;
    int pending = way->under_way, err;

    way->under_way = 0;
    if (pending == 0)
        return MPI_SUCCESS;
    err = chorale_waitall(ctx, pending, way->req);
    way->out = way->in;
    way->out_count = way->count;
    return err == MPI_SUCCESS && pending == 2
               ? chorale_reduce_local(ctx, way->mine, way->in, way->count,
                                      way->own.type, way->rs->op)
               : err;
}

/* All ways together; what is under way is completed even after an error. */
static int ways_run(struct way *way, int n)
{
    int steps = 0, err = MPI_SUCCESS;

    for (int w = 0; w < n; w++)
        if (way[w].rs->ctx->size - 1 > steps)
            steps = way[w].rs->ctx->size - 1;
    for (int i = 0; i < steps && err == MPI_SUCCESS; i++) {
        for (int w = 0; w < n && err == MPI_SUCCESS; w++)
            if (i < way[w].rs->ctx->size - 1)
                err = way_post(&way[w], i);
        for (int w = 0; w < n; w++) {
            int one = way_finish(&way[w]);

            err = err == MPI_SUCCESS ? one : err;
        }
    }
    return err;
}

/* --- halves ----------------------------------------------------------- */

/* Half of each block of rs->own, the first half forward, the other back. */
static int way_init(struct way *way, const struct chorale_rs *rs, int back)
{
    const struct chorale_blocks *own = rs->own;
    size_t n = (size_t)own->n;
    MPI_Count *counts = chorale_scratch(rs->ctx, n * sizeof(*counts));
    MPI_Aint *displs = chorale_scratch(rs->ctx, n * sizeof(*displs));
    MPI_Aint at = 0, mine = 0;
    MPI_Count most;

    if (counts == NULL || displs == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < own->n; i++) {
        MPI_Count count = chorale_cyclic(own, i, 1), half = count - count / 2;

        displs[i] = at + (MPI_Aint)(back ? half : 0);
        counts[i] = back ? count - half : half;
        if (i == rs->ctx->rank)
            mine = displs[i] - at;
        at += (MPI_Aint)count;
    }
    *way = (struct way){ .rs = rs, .step = back ? -1 : 1 };
    way->own = chorale_blocks_given(own->base, counts, displs, own->type,
                                    own->n);
    way->b = neighbour(way, -way->step);
    way->out = chorale_block(&way->own, way->b, &way->out_count);
    way->result = chorale_at(rs->result, own->extent, mine);
    most = chorale_blocks_largest(&way->own);
    for (int i = 0; i < 2 && i < own->n - 2; i++) {
        way->spare[i] = chorale_scratch_typed(rs->ctx, most, own->type);
        if (way->spare[i] == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

/* n pairs of rings, all at once. */
static int rings(const struct chorale_rs *rs, int n)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    struct way way[MAX_WAYS];
    int err = MPI_SUCCESS;

    for (int w = 0; w < 2 * n && err == MPI_SUCCESS; w++)
        err = way_init(&way[w], &rs[w / 2], w % 2);
    if (err == MPI_SUCCESS)
        err = ways_run(way, 2 * n);
    chorale_scratch_release(rs->ctx, mark);
    return err;
}

int chorale_rs_ring_bidir(const struct chorale_rs *rs)
{
    return rings(rs, 1);
}

/* --- torus ------------------------------------------------------------ */

/* One part: its blocks lie in the order in which lines follow each other. */
struct part {
    struct chorale_blocks packed;
    MPI_Count *counts;
    MPI_Aint *displs;
    MPI_Count *line_counts; /* of the blocks of each line */
    MPI_Aint *line_displs;
    void *line;             /* sums of our line's blocks */
    struct chorale_ctx across, along; /* first over the lines, then in one */
    struct chorale_blocks lines, blocks;
};

/* Elements of a block that belong to part 0; the rest is part 1's. */
static MPI_Count share(MPI_Count count, int percent)
{
    return count / 100 * percent + count % 100 * percent / 100;
}

/* Rank of a place in a line. Part 0's lines are rows, part 1's columns. */
static int rank_at(int p, int cols, int line, int place)
{
    return p == 0 ? line * cols + place : place * cols + line;
}

static int part_alloc(struct part *part, struct chorale_ctx *ctx, int lines)
{
    size_t n = (size_t)ctx->size, k = (size_t)lines;

    part->counts = chorale_scratch(ctx, n * sizeof(*part->counts));
    part->displs = chorale_scratch(ctx, n * sizeof(*part->displs));
    part->line_counts = chorale_scratch(ctx, k * sizeof(*part->line_counts));
    part->line_displs = chorale_scratch(ctx, k * sizeof(*part->line_displs));
    return part->counts == NULL || part->displs == NULL ||
                   part->line_counts == NULL || part->line_displs == NULL
               ? MPI_ERR_NO_MEM
               : MPI_SUCCESS;
}

/* The views: across is over the ranks that have our place in their line. */
static int part_views(struct part *part, struct chorale_ctx *ctx, int p,
                      int rows, int cols)
{
    int lines = p == 0 ? rows : cols, length = ctx->size / lines;
    int i = ctx->rank / cols, j = ctx->rank % cols;
    int line = p == 0 ? i : j, place = p == 0 ? j : i;
    int *map = chorale_scratch(ctx, (size_t)(lines + length) * sizeof(*map));

    if (map == NULL)
        return MPI_ERR_NO_MEM;
    for (int l = 0; l < lines; l++)
        map[l] = rank_at(p, cols, l, place);
    for (int l = 0; l < length; l++)
        map[lines + l] = rank_at(p, cols, line, l);
    chorale_ctx_view(ctx, &part->across, line, lines, map);
    chorale_ctx_view(ctx, &part->along, place, length, map + lines);
    return MPI_SUCCESS;
}

/* Collect a part of all blocks, and room for the sums of our line. */
static int part_pack(struct part *part, const struct chorale_rs *rs, int p,
                     int rows, int cols, int percent)
{
    const struct chorale_blocks *own = rs->own;
    int lines = p == 0 ? rows : cols, length = own->n / lines;
    MPI_Aint at = 0;
    char *mem;
    int line, err = MPI_SUCCESS;

    for (int i = 0; i < own->n; i++) {
        int b = rank_at(p, cols, i / length, i % length);
        MPI_Count count = chorale_cyclic(own, b, 1);
        MPI_Count first = share(count, percent);

        if (i % length == 0)
            part->line_displs[i / length] = at;
        part->counts[i] = p == 0 ? first : count - first;
        part->displs[i] = at;
        at += (MPI_Aint)part->counts[i];
        part->line_counts[i / length] = at - part->line_displs[i / length];
    }
    mem = chorale_scratch_typed(rs->ctx, (MPI_Count)at, own->type);
    part->line = chorale_scratch_typed(
        rs->ctx, part->line_counts[part->across.rank], own->type);
    if (mem == NULL || part->line == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < own->n && err == MPI_SUCCESS; i++) {
        int b = rank_at(p, cols, i / length, i % length);
        MPI_Count count;
        char *from = chorale_block(own, b, &count);

        if (p == 1)
            from += own->extent * (MPI_Aint)share(count, percent);
        err = chorale_copy(rs->ctx, from, part->counts[i], own->type,
                           mem + own->extent * part->displs[i],
                           part->counts[i], own->type);
    }
    part->lines = chorale_blocks_given(mem, part->line_counts,
                                       part->line_displs, own->type, lines);
    /* The sums of our line are where the line begins. */
    line = part->across.rank;
    part->blocks = chorale_blocks_given(
        chorale_at(part->line, -own->extent, part->line_displs[line]),
        part->counts + line * length, part->displs + line * length, own->type,
        length);
    return err;
}

/* Both parts over the lines, then both in their line. */
static int torus_rings(const struct chorale_rs *rs, struct part part[2],
                       int percent)
{
    struct chorale_rs pair[2] = { *rs, *rs };
    MPI_Count mine = chorale_cyclic(rs->own, rs->ctx->rank, 1);
    int err;

    for (int p = 0; p < 2; p++) {
        pair[p].ctx = &part[p].across;
        pair[p].own = &part[p].lines;
        pair[p].result = part[p].line;
    }
    err = rings(pair, 2);
    for (int p = 0; p < 2; p++) {
        pair[p].ctx = &part[p].along;
        pair[p].own = &part[p].blocks;
        pair[p].result = p == 0 ? rs->result
                                : chorale_at(rs->result, rs->own->extent,
                                             (MPI_Aint)share(mine, percent));
    }
    return err == MPI_SUCCESS ? rings(pair, 2) : err;
}

int chorale_rs_torus(const struct chorale_rs *rs, int rows, int percent)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    int cols = rs->ctx->size / rows, err = MPI_SUCCESS;
    struct part part[2];

    for (int p = 0; p < 2 && err == MPI_SUCCESS; p++) {
        err = part_alloc(&part[p], rs->ctx, p == 0 ? rows : cols);
        if (err == MPI_SUCCESS)
            err = part_views(&part[p], rs->ctx, p, rows, cols);
        if (err == MPI_SUCCESS)
            err = part_pack(&part[p], rs, p, rows, cols, percent);
    }
    if (err == MPI_SUCCESS)
        err = torus_rings(rs, part, percent);
    chorale_scratch_release(rs->ctx, mark);
    return err;
}
