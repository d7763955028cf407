/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_rings.c - reduce-scatter on several rings at once.
 *
 * A way (struct way) is a ring in one direction. */
#include "algorithms/engines/reduction/scatter_reduce.h"

#include <limits.h>

enum half { WHOLE, FIRST, SECOND };
enum { WAYS = 4 };

struct way {
    const struct chorale_rs *rs; /* for its context, type and operation */
    struct chorale_blocks own;   /* the part of the operands that goes this
                                  * way */
    int step;                    /* sends to the rank step further on */
    int b;                       /* the block being received */
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

/* Start step i of the ring, as in chorale_rs_ring(). Empty pieces are not sent:
 * both ends know their size. */
static int way_post(struct way *way, int i)
{
    struct chorale_ctx *ctx = way->rs->ctx;
    int err = MPI_SUCCESS;

    way->b = (way->b - way->step + ctx->size) % ctx->size;
    way->mine = chorale_block(&way->own, way->b, &way->count);
    way->in = i == ctx->size - 2 ? way->result : way->spare[i % 2];
    if (way->count > 0)
        err = chorale_irecv(ctx, way->in, way->count, way->own.type,
                            neighbour(way, -way->step),
                            &way->req[way->under_way]);
    way->under_way += way->count > 0 && err == MPI_SUCCESS;
    if (err != MPI_SUCCESS || way->out_count == 0)
        return err;
    err = chorale_isend(ctx, way->out, way->out_count, way->own.type,
                        neighbour(way, way->step),
                        &way->req[way->under_way]);
    way->under_way += err == MPI_SUCCESS;
    return err;
}

/* Complete the messages of way_post(), and add the own operand. */
static int way_finish(struct way *way)
{
    struct chorale_ctx *ctx = way->rs->ctx;
    int err = chorale_waitall(ctx, way->under_way, way->req);

    way->under_way = 0;
    way->out = way->in;
    way->out_count = way->count;
    return err == MPI_SUCCESS && way->count > 0
               ? chorale_reduce_local(ctx, way->mine, way->in, way->count,
                                      way->own.type, way->rs->op)
               : err;
}

/* Run all ways together: one advances while the others have messages in flight.
 * Active requests are completed even after an error. */
static int ways_run(struct way *way, int n)
{
    int err = MPI_SUCCESS, more = 1;

    for (int i = 0; more && err == MPI_SUCCESS; i++) {
        more = 0;
        for (int w = 0; w < n && err == MPI_SUCCESS; w++) {
            int steps = way[w].rs->ctx->size - 1;

            if (i > 0 && i <= steps)
                err = way_finish(&way[w]);
            if (err == MPI_SUCCESS && i < steps)
                err = way_post(&way[w], i);
            more |= i < steps;
        }
    }
    for (int w = 0; w < n; w++)
        chorale_waitall(way[w].rs->ctx, way[w].under_way, way[w].req);
    return err;
}

/* Number of a block's elements that go one way; *first is their offset. */
static MPI_Count half_of(MPI_Count count, enum half half, MPI_Count *first)
{
    *first = half == SECOND ? count - count / 2 : 0;
    return half == WHOLE ? count : half == FIRST ? count - count / 2
                                                 : count / 2;
}

/* The second halves travel backwards. */
static int way_init(struct way *way, const struct chorale_rs *rs,
                    enum half half)
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
        MPI_Count count = chorale_cyclic_count(own, i, 1), first;

        counts[i] = half_of(count, half, &first);
        displs[i] = at + (MPI_Aint)first;
        if (i == rs->ctx->rank)
            mine = (MPI_Aint)first;
        at += (MPI_Aint)count;
    }
    *way = (struct way){ .rs = rs, .step = half == SECOND ? -1 : 1 };
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

/* Run the rings of n sets of operands at once, n <= WAYS / 2. A ring of at
 * least halved ranks is split into halves that run in both directions. */
static int rings(const struct chorale_rs *rs, int n, int halved)
{
    size_t mark = chorale_scratch_mark(rs->ctx);
    struct way way[WAYS];
    int nway = 0, err = MPI_SUCCESS;

    for (int i = 0; i < n && err == MPI_SUCCESS; i++) {
        int both = rs[i].ctx->size >= halved;

        err = way_init(&way[nway++], &rs[i], both ? FIRST : WHOLE);
        if (both && err == MPI_SUCCESS)
            err = way_init(&way[nway++], &rs[i], SECOND);
    }
    if (err == MPI_SUCCESS)
        err = ways_run(way, nway);
    chorale_scratch_release(rs->ctx, mark);
    return err;
}

int chorale_rs_ring_bidir(const struct chorale_rs *rs)
{
    return rings(rs, 1, 1);
}

/* --- torus ------------------------------------------------------------ */

/* One part of all blocks, ordered line by line. */
struct part {
    struct chorale_blocks packed;
    MPI_Count *counts;
    MPI_Aint *displs;
    MPI_Count *line_counts; /* elements of each line */
    MPI_Aint *line_displs;
    void *line;             /* sums of the own line's blocks */
    struct chorale_ctx across, along; /* first across the lines, then along one
                                       * line */
    struct chorale_blocks lines, blocks;
};

/* Number of a block's elements in part 0; the others are in part 1. */
static MPI_Count share(MPI_Count count, int percent)
{
    return count / 100 * percent + count % 100 * percent / 100;
}

/* The rank at a place of a line. Part 0's lines are rows, part 1's columns. */
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

/* Make the views; across has the ranks with this rank's place in their line. */
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

/* Pack one part of all blocks, and allocate the sums of the own line. */
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
        MPI_Count count = chorale_cyclic_count(own, b, 1);
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
    /* The sums of the own line are stored separately. */
    line = part->across.rank;
    for (int i = 0; i < length; i++)
        part->displs[line * length + i] -= part->line_displs[line];
    part->blocks = chorale_blocks_given(
        part->line, part->counts + line * length,
        part->displs + line * length, own->type, length);
    return err;
}

/* Both parts across the lines, then both along their line. A ring of two ranks
 * has only one direction. */
static int torus_rings(const struct chorale_rs *rs, struct part part[2],
                       int percent, int both)
{
    struct chorale_rs pair[2] = { *rs, *rs };
    int halved = both ? 3 : INT_MAX;
    MPI_Count mine = chorale_cyclic_count(rs->own, rs->ctx->rank, 1);
    int err;

    for (int p = 0; p < 2; p++) {
        pair[p].ctx = &part[p].across;
        pair[p].own = &part[p].lines;
        pair[p].result = part[p].line;
    }
    err = rings(pair, 2, halved);
    for (int p = 0; p < 2; p++) {
        pair[p].ctx = &part[p].along;
        pair[p].own = &part[p].blocks;
        pair[p].result = p == 0 ? rs->result
                                : chorale_at(rs->result, rs->own->extent,
                                             (MPI_Aint)share(mine, percent));
    }
    return err == MPI_SUCCESS ? rings(pair, 2, halved) : err;
}

int chorale_rs_torus(const struct chorale_rs *rs, int rows, int percent,
                     int both)
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
        err = torus_rings(rs, part, percent, both);
    chorale_scratch_release(rs->ctx, mark);
    return err;
}
