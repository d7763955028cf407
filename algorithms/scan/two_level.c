/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.c - scan in each node, then an exscan of the nodes' totals.
 *
 * The last ranks of the nodes run the exscan; each node then combines its
 * values with the prefix. A node whose ranks are not consecutive counts as
 * several, so rank order is preserved for any placement.
 *
 * Rounds  see the cost                        p ranks per node, N nodes
 * Volume  between nodes that of outer
 * Cost    at most inner(p) + outer(N) + bcast(p) + n tau, for ranks placed in
 *         blocks
 * Needs   several nodes with several ranks, placed in blocks; any datatype and
 *         operation. The algorithm is valid for any placement, but without a
 *         known cost it is refused there
 * Source  MPICH, smp
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/composed/two_level.h"

static const struct chorale_alg *const inner[] = {
    &chorale_scan_simultaneous_binomial,
    &chorale_scan_recursive_doubling,
    &chorale_scan_linear,
    &chorale_scan_linear_segmented,
};
static const char *const inner_word[] = {
    "simultaneous_binomial", "recursive_doubling", "linear",
    "linear_segmented",
};

static const struct chorale_alg *const outer[] = {
    &chorale_exscan_doubling_123,
    &chorale_exscan_shift_scan,
    &chorale_exscan_recursive_doubling,
    &chorale_exscan_linear,
    &chorale_exscan_linear_segmented,
};
static const char *const outer_word[] = {
    "doubling_123", "shift_scan", "recursive_doubling", "linear",
    "linear_segmented",
};

/* Pass the total of all previous nodes to all ranks of this node, into
 * prefix. */
static int get_prefix(const struct chorale_call *call,
                      struct chorale_topology *t, void *prefix)
{
    struct chorale_call part = *call;
    int err = MPI_SUCCESS;

    part.recvbuf = prefix;
    if (t->leads) {
        part.ctx = &t->outer;
        part.sendbuf = call->recvbuf;
        err = chorale_part_run(outer[call->param[1]], &part);
    }
    if (err != MPI_SUCCESS || t->node == 0)
        return err;
    part.ctx = &t->inner;
    part.root = t->lead;
    return chorale_part_run(&chorale_bcast_binomial, &part);
}

static int levels(const struct chorale_call *call, struct chorale_topology *t)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_call part = *call;
    void *prefix;
    int err;

    part.ctx = &t->inner;
    err = chorale_part_run(inner[call->param[0]], &part);
    if (err != MPI_SUCCESS || t->nodes == 1)
        return err;
    prefix = chorale_scratch_typed(ctx, call->recvcount, call->recvtype);
    err = prefix == NULL ? MPI_ERR_NO_MEM : get_prefix(call, t, prefix);
    if (err != MPI_SUCCESS || t->node == 0)
        return err;
    return chorale_reduce_local(ctx, prefix, call->recvbuf, call->recvcount,
                                call->recvtype, call->op);
}

static int run(const struct chorale_call *call)
{
    return chorale_two_level_run(call, CHORALE_RUNS, levels);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_two_level_cost(pt, inner[pt->param[0]],
                                   outer[pt->param[1]], term);

    n += chorale_two_level_cost(pt, &chorale_bcast_binomial, NULL, term + n);
    term[n] = (struct chorale_term){ .reduced = (double)pt->msg_size };
    return n + 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->msg_size + chorale_two_level_scratch(pt, inner[pt->param[0]],
                                                    outer[pt->param[1]]);
}

const struct chorale_alg chorale_scan_two_level = {
    .coll = CHORALE_SCAN,
    .name = "two_level",
    .summary = "in each node, then the nodes' totals",
    .formula = "<= as inner(p) + outer(N) + bcast(p) + n tau",
    .source = "MPICH, smp",
    .fallback = "if the ranks of a node are not consecutive, each run of "
                "consecutive ranks counts as a node",
    .needs = CHORALE_NEEDS_NODES,
    .order = CHORALE_ORDER_RANK,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.67,
    .core = CHORALE_CORE_LEVELS,
    .nparam = 2,
    .param = {
        CHORALE_PARAM_PARTS("inner", "in a node", 0, inner_word, 3),
        CHORALE_PARAM_PARTS("outer", "exscan of totals", 0, outer_word, 4),
    },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
