/* SPDX-License-Identifier: BSD-3-Clause */
/* torus2d_broadcast.c - allgather on a torus in all four directions at once.
 *
 * The torus has rows x cols ranks, numbered row by row. Every block is split
 * into quarters. Two quarters travel around the row first and then, with those
 * of the whole row, around the column, one in each direction; the other two
 * take the column first.
 *
 * Rounds  rows + cols - 2, 4 messages each    P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    with four ports and rows = cols (rows + cols - 2) alpha + (P - 1) m/4
 *         beta; else quarters that change dimension early share links with the
 *         others. Stated for one port: 4 (rows + cols - 2) alpha + (P - 1) m
 *         beta
 * Needs   P = rows cols, both 2 or more; rows 0: the most square torus. Any
 *         datatype: blocks are split as packed bytes. n bytes of scratch, in
 *         which blocks sent together are contiguous
 * Source  Chen, Lee, broadcasting on a torus
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/exchange/mesh_exchange.h"
#include "algorithms/engines/rooted/packed.h"
#include "algorithms/tree.h"

#include <limits.h>

enum { QUARTERS = 4 };

/* Quarter q of all blocks is stored at base[q]: in rank order for q = 0, 1,
 * which take the row first; column by column for q = 2, 3. */
struct state {
    struct chorale_ctx *ctx;
    int rows, cols;
    char *base[QUARTERS];
    size_t offset[QUARTERS], bytes[QUARTERS]; /* within a block */
};

static int place(const struct state *st, int q, int rank)
{
    int row = rank / st->cols, col = rank % st->cols;

    return q < 2 ? rank : col * st->rows + row;
}

/* Quarter q's ring along its first dimension (phase 0), or along the second one
 * with the blocks received in the first. */
static struct chorale_ring_way way_of(const struct state *st, int q, int phase)
{
    int row = st->ctx->rank / st->cols, col = st->ctx->rank % st->cols;
    int in_row = (q < 2) == (phase == 0); /* 1: along the row */
    int length = in_row ? st->cols : st->rows;
    int at = in_row ? col : row, step = q % 2 == 0 ? -1 : 1;
    int next = (at - step + length) % length;
    int prev = (at + step + length) % length;
    int inner = q < 2 ? st->cols : st->rows; /* length of the first dimension */
    int line = q < 2 ? row : col;
    struct chorale_ring_way way = { st->base[q], st->bytes[q], st->bytes[q],
                               length, at, step, 0, 0 };

    if (phase == 0)
        way.base += way.bytes * (size_t)line * (size_t)inner;
    else
        way.pitch = way.bytes *= (size_t)inner;
    way.next = in_row ? row * st->cols + next : next * st->cols + col;
    way.prev = in_row ? row * st->cols + prev : prev * st->cols + col;
    return way;
}

static int rounds(const struct state *st)
{
    struct chorale_ring_way way[QUARTERS];
    int err = MPI_SUCCESS;

    for (int q = 0; q < QUARTERS; q++)
        way[q] = way_of(st, q, 0);
    for (int i = 0; i < st->rows + st->cols - 2 && !err; i++) {
        for (int q = 0; q < QUARTERS; q++)
            if (i == (q < 2 ? st->cols : st->rows) - 1)
                way[q] = way_of(st, q, 1);
        err = chorale_ring_ways_round(st->ctx, way, QUARTERS);
    }
    return err;
}

/* Copy between a block's packed bytes and its quarters. */
static void move_quarters(const struct state *st, int rank, char *block,
                          int out)
{
    for (int q = 0; q < QUARTERS; q++) {
        char *there = st->base[q] + st->bytes[q] *
                                        (size_t)place(st, q, rank);
        char *here = block + st->offset[q];

        chorale_memmove(st->ctx, out ? there : here, out ? here : there,
                        st->bytes[q]);
    }
}

/* Copy the own block to the quarters, or all other blocks from them. */
static int own_out(const struct state *st, struct chorale_packed *p)
{
    int err = chorale_packed_pack(p);

    if (err == MPI_SUCCESS)
        move_quarters(st, st->ctx->rank, p->bytes, 1);
    return err;
}

static int others_in(const struct state *st, const struct chorale_blocks *b,
                     struct chorale_packed *p)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < st->ctx->size && err == MPI_SUCCESS; i++) {
        MPI_Count count;

        if (i == st->ctx->rank)
            continue;
        chorale_packed_turn(p, chorale_block(b, i, &count));
        move_quarters(st, i, p->bytes, 0);
        err = chorale_packed_unpack(p);
    }
    return err;
}

static int run_torus(struct state *st, const struct chorale_blocks *b)
{
    struct chorale_ctx *ctx = st->ctx;
    struct chorale_packed p;
    MPI_Count count;
    void *own = chorale_block(b, ctx->rank, &count);
    int err = chorale_packed_init(&p, ctx, own, count, b->type);
    char *image = err ? NULL : chorale_scratch(ctx, p.n * (size_t)ctx->size);

    if (err == MPI_SUCCESS && image == NULL)
        err = MPI_ERR_NO_MEM;
    for (int q = 0; q < QUARTERS && err == MPI_SUCCESS; q++) {
        chorale_split(p.n, QUARTERS, q, &st->offset[q], &st->bytes[q]);
        st->base[q] = image + st->offset[q] * (size_t)ctx->size;
    }
    if (err == MPI_SUCCESS)
        err = own_out(st, &p);
    if (err == MPI_SUCCESS)
        err = rounds(st);
    return err == MPI_SUCCESS ? others_in(st, b, &p) : err;
}

static int run(const struct chorale_call *call)
{
    size_t mark = chorale_scratch_mark(call->ctx);
    struct state st = { .ctx = call->ctx };
    struct chorale_mesh mesh;
    struct chorale_blocks b;
    int err;

    if (chorale_mesh_init(&mesh, call->ctx->size, 2, call->param) != NULL)
        return MPI_ERR_ARG;
    st.rows = mesh.dim[0];
    st.cols = mesh.dim[1];
    err = chorale_allgather_blocks(call, &b);
    if (err == MPI_SUCCESS)
        err = run_torus(&st, &b);
    chorale_scratch_release(call->ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_mesh mesh;
    double rounds;

    if (chorale_mesh_init(&mesh, pt->comm_size, 2, pt->param) != NULL)
        return 0;
    rounds = QUARTERS * (mesh.dim[0] + mesh.dim[1] - 2.0);
    term[0] = (struct chorale_term){
        .messages = rounds,
        .bytes = (double)pt->msg_size * (pt->comm_size - 1) / rounds,
    };
    return 1;
}

static const char *refuses(const struct chorale_point *pt)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, 2, pt->param);
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->n;
}

const struct chorale_alg chorale_allgather_torus2d_broadcast = {
    .coll = CHORALE_ALLGATHER,
    .name = "torus2d_broadcast",
    .summary = "around rows and columns of a torus, in both directions at once",
    .formula = "4 (rows + cols - 2) alpha + (P-1)/P n beta, cols = P/rows; "
               "on a square with four ports: a quarter of it",
    .source = "Chen, Lee, broadcasting on a torus",
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_MESH_PARAM("rows", "rows of the torus, 0: most square",
                                  CHORALE_NMESH_LENGTH) },
    .copies = { 1, 1 }, /* quarters of the blocks are laid together */
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P = rows columns, both 2 or more",
    .scratch = scratch,
};
