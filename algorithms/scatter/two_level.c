/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - scatter of the nodes' blocks to the leaders, then in each
 * node. The root leads its node, and sorts the blocks by nodes first, if they
 * do not lie so.
 *
 * Rounds  those of outer on N nodes and of inner on p ranks a node
 * Volume  (P - 1) m bytes from the root, as in any scatter
 * Cost    at most outer(N, p m) + inner(p, m)
 * Needs   several nodes with several ranks; any placement, root and datatype
 * Source  MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/two_level.h"

static const struct chorale_alg *const inner[] = {
    &chorale_scatter_binomial,
    &chorale_scatter_linear,
};
static const char *const inner_word[] = { "binomial", "linear" };
static const long choice[] = { 0, 1 };

/* all: at the root, every block, node after node. mine: at a leader, those of
 * its node. */
struct state {
    const struct chorale_call *call;
    struct chorale_topology t;
    size_t m; /* bytes of a block */
    char *all, *mine;
    int is_root;
    int direct; /* all is the root's own buffer */
};

/* whole: the root's buffer of that type. */
static int set_buffers(struct state *st, const void *whole, MPI_Datatype type)
{
    struct chorale_ctx *ctx = st->call->ctx;
    const struct chorale_topology *t = &st->t;

    if (!t->leads)
        return MPI_SUCCESS;
    if (!st->is_root) {
        st->mine = chorale_scratch(ctx, st->m * (size_t)t->inner.size);
        return st->mine == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    st->direct = t->in_order && chorale_type_is_packed(type);
    st->all = st->direct ? chorale_at(whole, 0, 0)
                         : chorale_scratch(ctx, st->m * (size_t)ctx->size);
    st->mine = chorale_at(st->all, (MPI_Aint)st->m, t->start[t->node]);
    return st->all == NULL && !st->direct ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static int levels(struct state *st)
{
    const struct chorale_call *call = st->call;
    struct chorale_call part = *call;
    int err = set_buffers(st, call->sendbuf, call->sendtype);

    if (err == MPI_SUCCESS && st->is_root && !st->direct)
        err = chorale_nodes_pack(call->ctx, &st->t, call->sendbuf,
                                 call->sendcount, call->sendtype, st->all);
    if (err == MPI_SUCCESS && st->t.leads)
        err = chorale_outer_scatter(&st->t, st->t.index[call->root],
                                    call->param[1], st->m, st->all, st->mine);
    if (err != MPI_SUCCESS)
        return err;
    part.ctx = &st->t.inner;
    part.root = st->t.lead;
    part.sendbuf = st->mine;
    part.sendcount = (MPI_Count)st->m;
    part.sendtype = MPI_PACKED;
    return chorale_part_run(inner[call->param[0]], &part);
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct state st = { .call = call, .is_root = ctx->rank == call->root };
    int err = chorale_topology_init(&st.t, ctx, call->root);

    st.m = st.is_root ? chorale_type_size(call->sendtype) *
                            (size_t)call->sendcount
                      : chorale_type_size(call->recvtype) *
                            (size_t)call->recvcount;
    if (err == MPI_SUCCESS)
        err = levels(&st);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point in, out;
    int n;

    chorale_topology_points(pt, &in, &out);
    n = chorale_outer_cost(&out, pt->param[1], pt->ppn, term);
    return n + chorale_part_cost(inner[pt->param[0]], &in, term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_point in, out;
    size_t a, b;

    chorale_topology_points(pt, &in, &out);
    a = chorale_part_scratch(inner[pt->param[0]], &in);
    b = chorale_outer_scratch(&out, pt->param[1], pt->ppn);
    return chorale_topology_scratch(pt) +
           pt->msg_size * (size_t)pt->comm_size + (a > b ? a : b);
}

const struct chorale_alg chorale_scatter_two_level = {
    .coll = CHORALE_SCATTER,
    .name = "two_level",
    .summary = "to the leaders of the nodes, then in each node",
    .formula = "<= outer(N, p m) + inner(p, m)",
    .source = "MPICH, smp; Open MPI, HAN; Kandalla et al., CAC 2010",
    .needs = CHORALE_NEEDS_NODES,
    .cost_is = CHORALE_COST_BOUND,
    .nparam = 2,
    .param = {
        {
            .name = "inner",
            .unit = "in a node",
            .def = 0,
            .min = 0,
            .max = 1,
            .candidate = choice,
            .ncandidate = sizeof(choice) / sizeof(*choice),
            .word = inner_word,
        },
        {
            .name = "outer",
            .unit = "among leaders",
            .def = CHORALE_OUTER_BINOMIAL,
            .min = 0,
            .max = CHORALE_OUTERS - 1,
            .candidate = choice,
            .ncandidate = sizeof(choice) / sizeof(*choice),
            .word = chorale_outer_word,
        },
    },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
