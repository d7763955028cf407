/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - gather in each node, exchange among leaders, broadcast.
 *
 * The leaders exchange the nodes' blocks by a ring or in about lg N rounds;
 * then all blocks are broadcast in each node. inner selects the gather and the
 * broadcast there. If ranks are not placed in blocks, every rank moves the
 * blocks to their places.
 *
 * Rounds  those of inner on p ranks per node and of outer on N nodes
 * Volume  (P - p) m bytes into each node, and as many out of it
 * Cost    at most gather(p, m) + outer(N, p m) + bcast(p, P m)
 * Needs   several nodes with several ranks, placed in blocks; any datatype. The
 *         algorithm is valid for any placement, but without a known cost it is
 *         refused there
 * Source  MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/composed/two_level.h"

enum { RING, BRUCK, SPARBIT, CIRCULANT_LOG, K_BRUCK, DOUBLING, DIRECT,
       GATHER_BCAST };
enum { FEW_OUTER = K_BRUCK + 1, FEW_INNER = 4 }; /* candidates in all plans */

static const char *const outer_word[] = { "ring", "bruck", "sparbit",
                                          "circulant_log", "k_bruck",
                                          "recursive_doubling", "direct",
                                          "gather_bcast" };

/* Radix of k_bruck. */
enum { RADIX = 4 };

/* In a node: to the leader, and from it. */
static const struct chorale_alg *const up[] = {
    &chorale_gather_binomial,
    &chorale_gather_linear,
    &chorale_gather_binomial,
    &chorale_gather_linear,
    &chorale_gather_linear_nb,
    &chorale_gather_linear_sync,
};
static const struct chorale_alg *const down[] = {
    &chorale_bcast_binomial,
    &chorale_bcast_linear,
    &chorale_bcast_scatter_ring_allgather,
    &chorale_bcast_scatter_ring_allgather,
    &chorale_bcast_binomial,
    &chorale_bcast_binomial,
};
static const char *const inner_word[] = {
    "binomial",
    "linear",
    "binomial_scatter_ring_allgather",
    "linear_scatter_ring_allgather",
    "linear_nb",
    "linear_sync",
};

/* all: every block, ordered by node, on every rank; it is recvbuf itself if the
 * blocks are in that order there. */
struct state {
    const struct chorale_call *call;
    struct chorale_topology *t;
    size_t m; /* bytes of a block */
    char *all;
    int direct;
};

static int gather_node(struct state *st)
{
    const struct chorale_call *call = st->call;
    struct chorale_call part = *call;
    MPI_Aint stride = chorale_type_extent(call->recvtype) *
                      (MPI_Aint)call->recvcount;

    part.ctx = &st->t->inner;
    part.root = st->t->lead;
    part.recvbuf = chorale_at(st->all, (MPI_Aint)st->m,
                              st->t->start[st->t->node]);
    part.recvcount = (MPI_Count)st->m;
    part.recvtype = MPI_PACKED;
    if (call->sendbuf == MPI_IN_PLACE && !(st->t->leads && st->direct)) {
        part.sendbuf = chorale_at(call->recvbuf, stride, call->ctx->rank);
        part.sendcount = call->recvcount;
        part.sendtype = call->recvtype;
    }
    return chorale_part_run(up[call->param[0]], &part);
}

static int gather_bcast(struct state *st, const MPI_Count *counts,
                        const MPI_Aint *displs)
{
    struct chorale_call part = {
        .ctx = &st->t->outer,
        .sendbuf = MPI_IN_PLACE,
        .recvbuf = st->all,
        .recvcounts = counts,
        .rdispls = displs,
        .recvtype = MPI_PACKED,
    };

    return chorale_part_run(&chorale_allgatherv_gatherv_bcast, &part);
}

static int among_leaders(struct state *st)
{
    struct chorale_blocks b;
    MPI_Count *counts;
    MPI_Aint *displs;
    int err = chorale_topology_counts(st->t, st->call->ctx, st->m, &counts,
                                      &displs);

    if (err != MPI_SUCCESS)
        return err;
    b = chorale_blocks_given(st->all, counts, displs, MPI_PACKED,
                             st->t->nodes);
    switch (st->call->param[1]) {
    case BRUCK:
        return chorale_gather_all_bruck(&st->t->outer, &b, 2);
    case K_BRUCK:
        return chorale_gather_all_bruck(&st->t->outer, &b, RADIX);
    case CIRCULANT_LOG:
        return chorale_gather_all_circulant(&st->t->outer, &b);
    case SPARBIT:
        return chorale_gather_all_sparbit(&st->t->outer, &b);
    case DOUBLING:
        return chorale_gather_all_doubling(&st->t->outer, &b);
    case DIRECT:
        return chorale_gather_all_direct(&st->t->outer, &b, 0);
    case GATHER_BCAST:
        return gather_bcast(st, counts, displs);
    default:
        return chorale_gather_all_ring(&st->t->outer, &b);
    }
}

static int phases(struct state *st)
{
    const struct chorale_call *call = st->call;
    int except = call->sendbuf == MPI_IN_PLACE ? call->ctx->rank : -1;
    struct chorale_call part = {
        .ctx = &st->t->inner,
        .recvbuf = st->all,
        .recvcount = (MPI_Count)st->m * call->ctx->size,
        .recvtype = MPI_PACKED,
        .root = st->t->lead,
    };
    struct chorale_blocks whole;
    int err = gather_node(st);

    if (err == MPI_SUCCESS && st->t->leads)
        err = among_leaders(st);
    if (err == MPI_SUCCESS)
        err = chorale_part_run(down[call->param[0]], &part);
    if (err != MPI_SUCCESS || st->direct)
        return err;
    whole = chorale_blocks_equal(call->recvbuf, call->recvcount,
                                 call->recvtype, call->ctx->size);
    return chorale_nodes_unpack(call->ctx, st->t, st->all, &whole, except);
}

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_ctx *ctx = call->ctx;
    struct state st = { .call = call, .t = t, .all = call->recvbuf };

    st.m = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    st.direct = t->in_order && chorale_type_is_packed(call->recvtype);
    if (!st.direct)
        st.all = chorale_scratch(ctx, st.m * (size_t)ctx->size);
    return st.all == NULL && !st.direct ? MPI_ERR_NO_MEM : phases(&st);
}

static int run(const struct chorale_call *call)
{
    return chorale_two_level_run(call, CHORALE_NO_ROOT, levels);
}

/* All nodes count as large as the largest. */
static int outer_cost(const struct chorale_point *pt,
                      struct chorale_point *out, struct chorale_term *term)
{
    static const enum chorale_sizes equal = CHORALE_SIZES_EQUAL;
    int n;

    out->msg_size = pt->msg_size * (size_t)pt->ppn;
    switch (pt->param[1]) {
    case BRUCK:
        return chorale_cost_gather_all_bruck(equal, out, 2, term);
    case K_BRUCK:
        return chorale_cost_gather_all_bruck(equal, out, RADIX, term);
    case CIRCULANT_LOG:
        return chorale_cost_gather_all_circulant(equal, out, term);
    case DOUBLING:
        return chorale_cost_gather_all_doubling(equal, out, term);
    case GATHER_BCAST: /* a flat gather takes as many messages as a ring */
        n = pt->msg_size > 0
                ? chorale_cost_gather_all_ring(equal, out, term)
                : 0;
        out->msg_size = pt->msg_size * (size_t)pt->comm_size;
        out->root = 0;
        return n + chorale_part_cost(&chorale_bcast_binomial, out, term + n);
    default:
        return chorale_cost_gather_all_ring(equal, out, term);
    }
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point in, out;
    int n;

    chorale_topology_points(pt, &in, &out);
    in.root = 0;
    n = chorale_part_cost(up[pt->param[0]], &in, term);
    n += outer_cost(pt, &out, term + n);
    in.msg_size = pt->msg_size * (size_t)pt->comm_size;
    return n + chorale_part_cost(down[pt->param[0]], &in, term + n);
}

static int overlaps_at(const struct chorale_point *pt)
{
    struct chorale_point in, out;

    chorale_topology_points(pt, &in, &out);
    return pt->param[1] == SPARBIT || pt->param[1] == K_BRUCK
        || pt->param[1] == DIRECT
        || chorale_part_overlaps(up[pt->param[0]], &in);
}

/* All blocks, twice because Bruck's algorithm rotates them. */
static size_t scratch(const struct chorale_point *pt)
{
    return chorale_topology_scratch(pt) +
           2 * sizeof(MPI_Request) * (size_t)pt->comm_size +
           2 * pt->msg_size * (size_t)(pt->comm_size + pt->ppn);
}

const struct chorale_alg chorale_allgather_two_level = {
    .coll = CHORALE_ALLGATHER,
    .name = "two_level",
    .summary = "gather in each node, exchange among the leaders, broadcast "
               "in each node",
    .formula = "<= as gather(p) of m + outer(N) of p m + bcast(p) of P m",
    .source = "MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES,
    .cost_is = CHORALE_COST_BOUND,
    .core = CHORALE_CORE_LEVELS,
    .nparam = 2,
    .param = { CHORALE_PARAM_PARTS("inner", "in a node", 0, inner_word,
                                   FEW_INNER),
               CHORALE_PARAM_PARTS("outer", "among leaders", RING,
                                   outer_word, FEW_OUTER) },
    .run = run,
    .cost = cost,
    .overlaps_at = overlaps_at,
    .scratch = scratch,
};
