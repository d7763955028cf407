/* SPDX-License-Identifier: BSD-3-Clause */
/* locality_bruck.c - Bruck's allgather among nodes.
 *
 * Each rank of a node fetches the blocks of another node, and the ranks share
 * them before the next step. Step j multiplies the number of known nodes by p.
 * Few messages of each rank leave its node.
 *
 * Rounds  ceil(log_p N) between nodes, ceil(lg p) in a node before the first
 *         and after each of them              p ranks per node, N nodes
 * Volume  (N - 1) p m bytes into each node, one message per rank and step
 * Cost    at most one message per step with all blocks that the node knows,
 *         plus exchanges in a node of the blocks just fetched. These use
 *         recursive doubling if p is a power of two, else Bruck's, with as many
 *         messages and bytes
 * Needs   several nodes with the same number of ranks, at least two, placed in
 *         blocks; or a group of at least two that divides P and is less than P:
 *         that many consecutive ranks then count as a node. Any datatype; P m
 *         bytes of scratch, twice that if p is not a power of two. The
 *         algorithm is valid for other nodes, but without a known cost it is
 *         refused there
 * Source  Bienz, Gautam, Kharel, arXiv 2206.03564
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/exchange/mesh_exchange.h"
#include "algorithms/tree.h"
#include "algorithms/engines/composed/two_level.h"

/* all: packed blocks, ordered by node starting with this rank's, cyclically. */
struct state {
    struct chorale_ctx *ctx;
    struct chorale_topology *t;
    size_t m; /* bytes of a block */
    char *all;
    MPI_Count *counts; /* bytes fetched by each rank of the node */
    MPI_Aint *displs;
};

/* Offset in all of the node i positions above this one, i <= nodes. */
static size_t offset_of(const struct state *st, long i)
{
    const struct chorale_topology *t = st->t;
    int own = t->start[t->node], places = st->ctx->size;

    if (i < t->nodes) {
        places = t->start[(t->node + i) % t->nodes] - own;
        places += places < 0 ? st->ctx->size : 0;
    }
    return st->m * (size_t)places;
}

/* Pieces first ... end - 1 of a step are fetched by rank place of a node of the
 * given number of members. Piece i is that of the node i w positions above;
 * piece 0 is the own one. */
static void pieces_of(int pieces, int members, int place, int *first,
                      int *end)
{
    size_t offset, length;

    chorale_split((size_t)pieces, members, place, &offset, &length);
    *first = offset > 0 ? (int)offset : 1;
    *end = (int)(offset + length);
}

/* The rank of a node that fetches piece i. */
static int fetcher(const struct state *st, long node, int pieces, int i)
{
    const struct chorale_topology *t = st->t;
    int members = chorale_topology_members(t, (int)node), place = 0;
    int first, end;

    for (;; place++) {
        pieces_of(pieces, members, place, &first, &end);
        if (i < end)
            return t->order[t->start[node] + place];
    }
}

/* Receive this rank's pieces, and send this node's blocks to the ranks that
 * fetch them. w nodes are known. */
static int fetch(const struct state *st, long w, int pieces)
{
    const struct chorale_topology *t = st->t;
    int first, end, err = MPI_SUCCESS;

    pieces_of(pieces, t->inner.size, t->inner.rank, &first, &end);
    for (int i = first; i < end && err == MPI_SUCCESS; i++) {
        long far = i * w, k = w < t->nodes - far ? w : t->nodes - far;
        long to = (t->node - far + t->nodes) % t->nodes;
        long from = (t->node + far) % t->nodes;
        size_t at = offset_of(st, far);

        err = chorale_sendrecv(
            st->ctx, st->all, (MPI_Count)offset_of(st, k), MPI_PACKED,
            fetcher(st, to, pieces, i), st->all + at,
            (MPI_Count)(offset_of(st, far + k) - at), MPI_PACKED,
            fetcher(st, from, pieces, i));
    }
    return err;
}

static int is_pow2(int members)
{
    return (members & (members - 1)) == 0;
}

/* Exchange blocks among the node's ranks: by recursive doubling if their number
 * is a power of two, which works in place; else by Bruck's algorithm, which
 * rotates, with as many messages and bytes. */
static int in_node(struct chorale_ctx *inner, const struct chorale_blocks *b)
{
    return is_pow2(inner->size)
               ? chorale_gather_all_doubling(inner, b)
               : chorale_gather_all_bruck(inner, b, 2);
}

/* Share the pieces fetched by each rank with the whole node. */
static int share(struct state *st, long w, int pieces)
{
    struct chorale_topology *t = st->t;
    struct chorale_blocks b;

    for (int r = 0; r < t->inner.size; r++) {
        int first, end;
        size_t at;

        pieces_of(pieces, t->inner.size, r, &first, &end);
        at = offset_of(st, first * w);
        st->displs[r] = (MPI_Aint)at;
        st->counts[r] = end <= first
                            ? 0
                            : (MPI_Count)(offset_of(st, end * w) - at);
    }
    b = chorale_blocks_given(st->all, st->counts, st->displs, MPI_PACKED,
                             t->inner.size);
    return in_node(&t->inner, &b);
}

/* Exchange within the node, then the steps with p pieces each. */
static int exchange(struct state *st)
{
    struct chorale_topology *t = st->t;
    struct chorale_blocks b = chorale_blocks_equal(
        st->all, (MPI_Count)st->m, MPI_PACKED, t->inner.size);
    int ways = 2, err = in_node(&t->inner, &b);

    for (int i = 0; i < t->nodes; i++)
        if (chorale_topology_members(t, i) > ways)
            ways = chorale_topology_members(t, i);
    for (long w = 1; w < t->nodes && err == MPI_SUCCESS; w *= ways) {
        long pieces = (t->nodes + w - 1) / w;

        if (pieces > ways)
            pieces = ways;
        err = fetch(st, w, (int)pieces);
        if (err == MPI_SUCCESS)
            err = share(st, w, (int)pieces);
    }
    return err;
}

/* Pack the own block, or unpack all other blocks. */
static int pack_own(const struct state *st, const struct chorale_call *call,
                    const struct chorale_blocks *whole)
{
    char *at = st->all + st->m * (size_t)st->t->inner.rank;
    MPI_Count count;
    void *block = chorale_block(whole, st->ctx->rank, &count);

    if (call->sendbuf == MPI_IN_PLACE)
        return chorale_pack(st->ctx, block, count, whole->type, at);
    return chorale_pack(st->ctx, call->sendbuf, call->sendcount,
                        call->sendtype, at);
}

static int unpack_all(const struct state *st, int in_place,
                      const struct chorale_blocks *whole)
{
    const struct chorale_topology *t = st->t;
    int size = st->ctx->size, err = MPI_SUCCESS;

    for (int i = 0; i < size && err == MPI_SUCCESS; i++) {
        int rank = t->order[(t->start[t->node] + i) % size];
        MPI_Count count;
        void *block = chorale_block(whole, rank, &count);

        if (!in_place || rank != st->ctx->rank)
            err = chorale_unpack(st->ctx, st->all + st->m * (size_t)i, block,
                                 count, whole->type);
    }
    return err;
}

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t members = (size_t)t->inner.size;
    struct chorale_blocks whole = chorale_blocks_equal(
        call->recvbuf, call->recvcount, call->recvtype, ctx->size);
    struct state st = { .ctx = ctx, .t = t };
    int err;

    st.m = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    st.all = chorale_scratch(ctx, st.m * (size_t)ctx->size);
    st.counts = chorale_scratch(ctx, members * sizeof(*st.counts));
    st.displs = chorale_scratch(ctx, members * sizeof(*st.displs));
    if (st.all == NULL || st.counts == NULL || st.displs == NULL)
        return MPI_ERR_NO_MEM;
    err = pack_own(&st, call, &whole);
    if (err == MPI_SUCCESS)
        err = exchange(&st);
    return err == MPI_SUCCESS
               ? unpack_all(&st, call->sendbuf == MPI_IN_PLACE, &whole)
               : err;
}

static int run(const struct chorale_call *call)
{
    return chorale_two_level_groups_run(call, (int)call->param[0], levels);
}

/* Number of ranks of a group or node. */
static int ranks_at(const struct chorale_point *pt)
{
    return pt->param[0] > 0 ? (int)pt->param[0] : pt->ppn;
}

/* Largest number of nodes' blocks in one message of round r = 1, 2, 4, ... of
 * an exchange in a node of p ranks. It follows a step that fetched blocks
 * beyond the w of N nodes known before. Recursive doubling: the blocks of the
 * group of r ranks that fetched most. */
static long nodes_shared(long w, long nodes, int p, int r)
{
    long left = nodes - w, pieces = (nodes + w - 1) / w, most = 0;
    int k = r < p - r ? r : p - r, first, end, last;

    if (!is_pow2(p))
        return k * w < left ? k * w : left;
    for (int base = 0; base < p; base += r) {
        long to;

        pieces_of((int)(pieces < p ? pieces : p), p, base, &first, &end);
        pieces_of((int)(pieces < p ? pieces : p), p, base + r - 1, &last,
                  &end);
        to = end * w < nodes ? end * w : nodes;
        if (to - first * w > most)
            most = to - first * w;
    }
    return most;
}

/* Within a node no round carries more than one step has fetched. */
static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point at = *pt, in, out;
    const int p = at.ppn = ranks_at(pt);
    double node = (double)pt->msg_size * p;
    int n;

    chorale_topology_points(&at, &in, &out);
    n = chorale_cost_gather_all_bruck(CHORALE_SIZES_EQUAL, &in, 2, term);
    for (long w = 1; w < out.comm_size; w *= p) {
        long left = out.comm_size - w;

        term[n++] = (struct chorale_term){
            .messages = 1,
            .bytes = node * (double)(w < left ? w : left),
        };
        for (int r = 1; r < p; r *= 2)
            term[n++] = (struct chorale_term){
                .messages = 1,
                .bytes = node * (double)nodes_shared(w, out.comm_size, p, r),
            };
    }
    return n;
}

static const char *refuses(const struct chorale_point *pt)
{
    const int p = ranks_at(pt), size = pt->comm_size;

    if (p >= 2 && p < size && size % p == 0)
        return NULL;
    return pt->param[0] > 0
               ? "needs several groups of two processes or more that divide "
                 "their number"
               : "without a group it needs several nodes with equally many "
                 "processes, two or more, placed in blocks";
}

/* All blocks, and a second copy if the exchange in a node rotates them. */
static size_t scratch(const struct chorale_point *pt)
{
    const int p = ranks_at(pt);

    return chorale_topology_scratch(pt) +
           (is_pow2(p) ? 1 : 2) * pt->msg_size * (size_t)pt->comm_size +
           (sizeof(MPI_Count) + sizeof(MPI_Aint)) * (size_t)p;
}

const struct chorale_alg chorale_allgather_locality_bruck = {
    .coll = CHORALE_ALLGATHER,
    .name = "locality_bruck",
    .summary = "Bruck's allgather among nodes; each rank of a node fetches "
               "a part",
    .formula = "<= (q (l+1) + l) alpha + (p-1 + (l+1) (N-1) p) m beta, l = "
               "ceil(lg p), q = ceil(log_p N), N groups of p ranks",
    .source = "Bienz, Gautam, Kharel, arXiv 2206.03564",
    .fallback = "on nodes of unequal size a rank may fetch several pieces "
                "in a step",
    .by_node = 1,
    .cost_is = CHORALE_COST_BOUND,
    .nparam = 1,
    .param = { CHORALE_MESH_PARAM("group", "consecutive ranks, 0: a node's",
                                  6) },
    .copies = { 1, 1 }, /* rotates the nodes' blocks */
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "a group of 2 or more that divides P and is less; with "
                  "group=0 several nodes with equally many ranks, two or "
                  "more, placed in blocks",
    .scratch = scratch,
};
