/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.c - allgather as P concurrent broadcasts on a circulant graph.
 *
 * Each rank's block is broadcast in nblocks pieces (0: one per 8 KiB). In a
 * round all broadcasts use the same skip, so a rank has one neighbour in each
 * direction; the pieces are sent one by one. A piece that the receiver has is
 * not sent again.
 *
 * Rounds  S + L - 1, L = ceil(lg P)           P = comm_size, n = m P bytes,
 * Volume  (P - 1) m bytes from each rank      S = nblocks
 * Cost    (P - 1) (S alpha + m beta), exact: all ranks do the same at the same
 *         time
 * Needs   any P, any datatype: blocks are split as packed bytes. Every rank
 *         computes the schedules of all virtual ranks in scratch
 * Source  Traeff, arXiv 2312.11236, 2407.18004
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/circulant.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/tree.h"

/* Receive schedule of one virtual rank, the same for every root. */
struct part {
    struct chorale_circulant c;
    int complete; /* 1: it has the last piece */
};

struct state {
    struct chorale_ctx *ctx;
    struct part *part; /* of virtual ranks 0 ... P - 1 */
    char *bytes;       /* all blocks */
    size_t m;
    int nblocks;
};

static char *piece(const struct state *st, int block, int i, MPI_Count *count)
{
    size_t offset, length;

    chorale_split(st->m, st->nblocks, i, &offset, &length);
    *count = (MPI_Count)length;
    return st->bytes + st->m * (size_t)block + offset;
}

/* In round i, virtual rank v of every broadcast receives one piece or none.
 * Seen from the sender: the rank above receives one as v of another
 * broadcast. */
static int pass(const struct state *st, int i, int v)
{
    struct chorale_ctx *ctx = st->ctx;
    int size = ctx->size, rank = ctx->rank, skip, above;
    struct part *part = &st->part[v];
    struct chorale_circulant_round r =
        chorale_circulant_round(&part->c, st->nblocks, i);
    MPI_Count out_count, in_count;
    char *out, *in;

    if (r.in < 0 || (r.in == st->nblocks - 1 && part->complete))
        return MPI_SUCCESS;
    part->complete = r.in == st->nblocks - 1;
    skip = (v - r.from + size) % size;
    above = (rank + skip) % size;
    out = piece(st, (above - v + size) % size, r.in, &out_count);
    in = piece(st, (rank - v + size) % size, r.in, &in_count);
    return chorale_sendrecv(ctx, out, out_count, MPI_PACKED, above, in,
                            in_count, MPI_PACKED,
                            (rank - skip + size) % size);
}

static int broadcasts(const struct chorale_call *call, char *bytes, size_t m)
{
    struct chorale_ctx *ctx = call->ctx;
    struct state st = {
        .ctx = ctx,
        .bytes = bytes,
        .m = m,
        .nblocks = chorale_circulant_nblocks(call->param[0], m, 1),
    };
    int rounds, err = MPI_SUCCESS;

    st.part = chorale_scratch(ctx, (size_t)ctx->size * sizeof(*st.part));
    if (st.part == NULL)
        return MPI_ERR_NO_MEM;
    for (int v = 0; v < ctx->size; v++) {
        chorale_circulant_init_recv(&st.part[v].c, v, ctx->size);
        st.part[v].complete = 0;
    }
    rounds = chorale_circulant_rounds(&st.part[0].c, st.nblocks);
    for (int i = 0; i < rounds; i++)
        for (int v = 1; v < ctx->size && err == MPI_SUCCESS; v++)
            err = pass(&st, i, v);
    return err;
}

static int run(const struct chorale_call *call)
{
    return chorale_allgather_packed(call, broadcasts);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double s = chorale_circulant_nblocks(pt->param[0], pt->msg_size, 1);

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){
        .messages = (pt->comm_size - 1) * s,
        .bytes = (double)pt->msg_size / s,
    };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return (size_t)pt->comm_size * sizeof(struct part);
}

const struct chorale_alg chorale_allgather_circulant = {
    .coll = CHORALE_ALLGATHER,
    .name = "circulant",
    .summary = "P broadcasts at a time on the circulant graph",
    .formula = "(P-1) S alpha + (P-1)/P n beta, S = nblocks",
    .source = "Traeff, arXiv 2312.11236, 2407.18004",
    .fallback = "no more pieces of a block than bytes",
    .nparam = 1,
    .param = { CHORALE_CIRCULANT_NBLOCKS("pieces of a block") },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
