/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh2d_updating.c - alltoall between neighbours on a mesh.
 *
 * The mesh has x rows and y >= x columns. Every block is split into halves: the
 * first travels along its row to its column, then along the column; the second
 * travels along the column first. Rows and columns are therefore busy in both
 * phases, with all halves for one column or row in one packet. wrap: rows and
 * columns are rings, else lines.
 *
 * Rounds  2 floor(y^2/4), wrapped 2 floor(y/2)   P = x y, n = m P bytes
 * Volume  about 2 m (x floor(y^2/4) + y floor(x^2/4)) bytes from the middle
 *         ranks; wrapped half of it
 * Cost    with four ports 2 floor(y^2/4) (alpha + x m/2 beta), wrapped 2
 *         floor(y/2) alpha + x floor(y^2/4) m/2 beta. Stated for one port: the
 *         sum over rows and columns as separate lines or rings, plus a quarter,
 *         because a row and a column that share a rank lose step
 * Needs   P with two factors above 1, rows <= columns, any datatype; 2 n bytes
 *         of scratch and the packets in flight; works in place
 * Source  Chen, Lee, propositions 3.2 and 3.4; Chen's thesis, Cornell, 1993
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/exchange_all.h"
#include "algorithms/engines/exchange/mesh_exchange.h"
#include "algorithms/engines/exchange/updating.h"

#include <limits.h>

/* Halves in packed arrays, ordered by the packets of a phase. */
struct state {
    struct chorale_ctx *ctx;
    struct chorale_exchange ex;
    enum chorale_updating_kind kind;
    int x, y, row, col;
    size_t m, part[2];         /* bytes of a block, of its halves */
    char *out[2], *in[2];      /* of half h: packets to send, received */
    char *block;               /* one packed block */
};

/* Address of half h at position minor of packet major; packets have length
 * halves. */
static char *half_at(const struct state *st, int h, char *array, int major,
                     int length, int minor)
{
    return array + st->part[h] * ((size_t)major * (size_t)length +
                                  (size_t)minor);
}

/* First phase: half 0 in packets for columns, half 1 for rows. */
static int cut(const struct state *st)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < st->x * st->y && err == MPI_SUCCESS; i++) {
        int row = i / st->y, col = i % st->y;
        MPI_Count count;
        const char *block = chorale_block(&st->ex.out, i, &count);

        if (!chorale_type_is_packed(st->ex.out.type)) {
            err = chorale_pack(st->ctx, block, count, st->ex.out.type,
                               st->block);
            block = st->block;
        }
        chorale_memmove(st->ctx, half_at(st, 0, st->out[0], col, st->x, row),
                        block, st->part[0]);
        chorale_memmove(st->ctx, half_at(st, 1, st->out[1], row, st->y, col),
                        chorale_at(block, 1, (MPI_Aint)st->part[0]),
                        st->part[1]);
    }
    return err;
}

/* Second phase: half 0 in packets for rows, half 1 for columns. */
static void turn(const struct state *st)
{
    for (int row = 0; row < st->x; row++)
        for (int col = 0; col < st->y; col++) {
            chorale_memmove(st->ctx,
                            half_at(st, 0, st->out[0], row, st->y, col),
                            half_at(st, 0, st->in[0], col, st->x, row),
                            st->part[0]);
            chorale_memmove(st->ctx,
                            half_at(st, 1, st->out[1], col, st->x, row),
                            half_at(st, 1, st->in[1], row, st->y, col),
                            st->part[1]);
        }
}

/* After both phases half 0 is ordered by row, then column of its source. */
static int join(const struct state *st)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < st->x * st->y && err == MPI_SUCCESS; i++) {
        int row = i / st->y, col = i % st->y;
        MPI_Count count;
        char *to = chorale_block(&st->ex.in, i, &count);
        int direct = chorale_type_is_packed(st->ex.in.type);
        char *block = direct ? to : st->block;

        chorale_memmove(st->ctx, block,
                        half_at(st, 0, st->in[0], row, st->y, col),
                        st->part[0]);
        chorale_memmove(st->ctx, chorale_at(block, 1, (MPI_Aint)st->part[0]),
                        half_at(st, 1, st->in[1], col, st->x, row),
                        st->part[1]);
        if (!direct)
            err = chorale_unpack(st->ctx, block, to, count, st->ex.in.type);
    }
    return err;
}

/* Rows (0) and columns (1), each in its own slot. */
struct both {
    struct chorale_updating u[2];
    MPI_Request req[2][4];
    int posted[2];
    long slot_takes[2]; /* duration of a slot, in any unit */
};

/* End of the current slot of rows or columns, if not delayed; LONG_MAX if no
 * slot remains. */
static long ends(const struct both *b, int i)
{
    return chorale_updating_more(&b->u[i])
               ? (b->u[i].slot + 1) * b->slot_takes[i]
               : LONG_MAX;
}

static int post(struct both *b)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < 2 && err == MPI_SUCCESS; i++)
        if (!b->posted[i] && chorale_updating_more(&b->u[i])) {
            b->posted[i] = 1;
            err = chorale_updating_post(&b->u[i], b->req[i]);
        }
    return err;
}

/* Wait for the slot that ends first, or for both if they end together. A packet
 * of a row has x half blocks, one of a column y: in lockstep, the rows would
 * wait for the columns in each slot. */
static int step(struct state *st, struct both *b)
{
    long end[2] = { ends(b, 0), ends(b, 1) };
    int err = post(b);

    for (int i = 0; i < 2; i++)
        if (b->posted[i] && end[i] <= end[!i]) {
            int last = chorale_waitall(st->ctx, 4, b->req[i]);

            err = err == MPI_SUCCESS ? last : err;
            if (err == MPI_SUCCESS)
                err = chorale_updating_done(&b->u[i]);
            b->posted[i] = 0;
        }
    return err;
}

/* Half row_half travels along the rows, the other along the columns. */
static int phase(struct state *st, int row_half)
{
    size_t mark = chorale_scratch_mark(st->ctx);
    struct chorale_blocks out[2], in[2];
    struct both b = { .slot_takes = { 1, 1 } };
    int err = MPI_SUCCESS;

    for (int i = 0; i < 2 && err == MPI_SUCCESS; i++) {
        int h = i == 0 ? row_half : !row_half;
        int n = i == 0 ? st->y : st->x;
        size_t m = st->part[h] * (size_t)(i == 0 ? st->x : st->y);
        int place = i == 0 ? st->col : st->row;

        out[i] = chorale_blocks_equal(st->out[h], (MPI_Count)m, MPI_PACKED,
                                      n);
        in[i] = chorale_blocks_at(&out[i], st->in[h]);
        chorale_memmove(st->ctx, st->in[h] + m * (size_t)place,
                        st->out[h] + m * (size_t)place, m);
        b.u[i] = (struct chorale_updating){
            .ctx = st->ctx, .kind = st->kind, .n = n, .place = place,
            .base = i == 0 ? st->row * st->y : st->col,
            .stride = i == 0 ? 1 : st->y,
            .out = &out[i], .in = &in[i], .m = m,
        };
        if (st->kind == CHORALE_UPDATING_LINE)
            b.slot_takes[i] = i == 0 ? st->x : st->y;
        err = chorale_updating_init(&b.u[i]);
    }
    while (err == MPI_SUCCESS && (chorale_updating_more(&b.u[0]) ||
                                  chorale_updating_more(&b.u[1])))
        err = step(st, &b);
    for (int i = 0; i < 2; i++)
        if (b.posted[i]) /* after an error */
            chorale_waitall(st->ctx, 4, b.req[i]);
    chorale_scratch_release(st->ctx, mark);
    return err;
}

/* rows <= columns. */
static const char *shape(struct chorale_mesh *mesh, int size,
                         const long *param)
{
    const char *why = chorale_mesh_init(mesh, size, 2, param);

    if (why == NULL && mesh->dim[0] > mesh->dim[1])
        return "needs no more rows than columns";
    return why;
}

static enum chorale_updating_kind kind(const long *param)
{
    return param[1] ? CHORALE_UPDATING_RING : CHORALE_UPDATING_LINE;
}

static int run_mesh(const struct chorale_call *call, int x, int y)
{
    struct state st = {
        .ctx = call->ctx, .ex = chorale_exchange_of(call),
        .kind = kind(call->param), .x = x, .y = y,
        .row = call->ctx->rank / y, .col = call->ctx->rank % y,
        .m = chorale_type_size(call->recvtype) * (size_t)call->recvcount,
    };
    size_t size = (size_t)call->ctx->size;
    char *mem = chorale_scratch(call->ctx, (2 * size + 1) * st.m);
    int err;

    if (mem == NULL)
        return MPI_ERR_NO_MEM;
    st.part[1] = st.m / 2;
    st.part[0] = st.m - st.part[1];
    st.block = mem + 2 * size * st.m;
    for (int i = 0; i < 4; i++) {
        *(i % 2 ? &st.in[i / 2] : &st.out[i / 2]) = mem;
        mem += size * st.part[i / 2];
    }
    err = cut(&st);
    if (err == MPI_SUCCESS)
        err = phase(&st, 0);
    if (err == MPI_SUCCESS) {
        turn(&st);
        err = phase(&st, 1);
    }
    return err == MPI_SUCCESS ? join(&st) : err;
}

static int run(const struct chorale_call *call)
{
    size_t mark = chorale_scratch_mark(call->ctx);
    struct chorale_mesh mesh;
    int err;

    if (shape(&mesh, call->ctx->size, call->param) != NULL)
        return MPI_ERR_OTHER;
    err = run_mesh(call, mesh.dim[0], mesh.dim[1]);
    chorale_scratch_release(call->ctx, mark);
    return err;
}

static const char *refuses(const struct chorale_point *pt)
{
    struct chorale_mesh mesh;

    return shape(&mesh, pt->comm_size, pt->param);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_mesh mesh;
    int n = 0;

    if (shape(&mesh, pt->comm_size, pt->param) != NULL)
        return 0;
    for (int h = 0; h < 2; h++) {
        size_t part = pt->msg_size / 2 + (h == 0 ? pt->msg_size % 2 : 0);

        for (int i = 0; i < 2; i++)
            n = chorale_cost_updating(kind(pt->param), mesh.dim[i],
                                      part * (size_t)mesh.dim[!i], term, n);
    }
    for (int i = 0; i < n; i++)
        term[i].messages *= 1.25;
    return n;
}

static size_t scratch(const struct chorale_point *pt)
{
    size_t m = pt->msg_size, part = m - m / 2;
    struct chorale_mesh mesh;

    if (shape(&mesh, pt->comm_size, pt->param) != NULL)
        return 0;
    return (2 * (size_t)pt->comm_size + 1) * m +
           chorale_scratch_updating(kind(pt->param), mesh.dim[0],
                                    part * (size_t)mesh.dim[1]) +
           chorale_scratch_updating(kind(pt->param), mesh.dim[1],
                                    part * (size_t)mesh.dim[0]);
}

static const long wrap[] = { 0, 1 };

const struct chorale_alg chorale_alltoall_mesh2d_updating = {
    .coll = CHORALE_ALLTOALL,
    .name = "mesh2d_updating",
    .summary = "half blocks pass from neighbour to neighbour on a mesh, rows "
               "and columns at once",
    .formula = "wrap=0: <= 5/2 (a + b) alpha + 5/4 (y a + x b) n/P beta, a = 2 "
               "u(x) + floor(x/2) - 1, b = 2 u(y) + floor(y/2) - 1, u(y) = "
               "floor(y^2/4), x = rows, y = P/rows; wrap=1: <= 5 (floor(x/2) "
               "+ floor(y/2)) alpha + 5/4 (y u(x) + x u(y)) n/P beta; wrap=0, "
               "four ports: 2 u(y) alpha + x u(y) n/P beta; wrap=1, four "
               "ports: floor(y/2) for u(y) messages, and half the bytes",
    .source = "Chen, Lee, propositions 3.2, 3.4; Chen, thesis, Cornell, 1993",
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.57,
    .overlaps = 1,
    .nparam = 2,
    .param = { CHORALE_MESH_PARAM("rows", "rows, 0: as square as can be",
                                  CHORALE_NMESH_LENGTH), {
        .name = "wrap",
        .unit = "0: lines, 1: rings",
        .def = 0,
        .min = 0,
        .max = 1,
        .candidate = wrap,
        .ncandidate = sizeof(wrap) / sizeof(*wrap),
    } },
    .copies = { 4, 0 }, /* each phase sorts halves of blocks */
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P = rows columns, 2 <= rows <= columns",
    .scratch = scratch,
};
