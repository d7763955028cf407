/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce_parts.c - reduce-scatters composed of other collectives. */
#include "algorithms/engines/reduction/scatter_reduce_parts.h"

#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/rooted/block_tree.h"
#include "algorithms/engines/exchange/exchange_all.h"
#include "algorithms/engines/rooted/flat.h"
#include "algorithms/engines/rooted/ordered.h"
#include "algorithms/engines/part.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"
#include "algorithms/tree.h"

enum { BINOMIAL, LINEAR };

const char *const chorale_rs_reduce_word[] = { "binomial", "linear",
                                               "in_order_binary",
                                               "pipeline" };
static const struct chorale_alg *const reduce_part[] = {
    &chorale_reduce_binomial,
    &chorale_reduce_linear,
    &chorale_reduce_in_order_binary,
    &chorale_reduce_pipeline,
};

const char *const chorale_rs_scatter_word[] = { "binomial", "linear" };

const char *const chorale_rs_alltoall_word[] = { "pairwise_shift",
                                                 "pairwise_xor" };
static int (*const alltoall_part[])(const struct chorale_call *) = {
    chorale_exchange_shift,
    chorale_exchange_xor,
};

const char *const chorale_rs_allreduce_word[] = { "recursive_doubling",
                                                  "ring", "rabenseifner",
                                                  "circulant",
                                                  "reduce_bcast" };
static const struct chorale_alg *const allreduce_part[] = {
    &chorale_allreduce_recursive_doubling,
    &chorale_allreduce_ring,
    &chorale_allreduce_rabenseifner,
    &chorale_allreduce_circulant,
    &chorale_allreduce_reduce_bcast,
};

const long chorale_rs_part_values[] = { 0, 1, 2, 3, 4 };

/* The point of a sub-algorithm that works on all blocks. */
static struct chorale_point whole(const struct chorale_point *pt,
                                  int irregular)
{
    struct chorale_point all = *pt;

    all.msg_size = (size_t)chorale_rs_total(pt, irregular);
    all.root = 0;
    return all;
}

/* With one rank, copy its operand. */
static int copy_own(const struct chorale_call *call, const void *from,
                    MPI_Count count)
{
    return chorale_copy(call->ctx, from, count, call->recvtype, call->recvbuf,
                        count, call->recvtype);
}

/* --- reduce and scatter ----------------------------------------------- */

/* Scatter blocks of different sizes, which all ranks know, down a binomial
 * tree. */
static int scatter_tree(const struct chorale_call *call,
                        const struct chorale_blocks *own)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_block_tree t = chorale_block_tree_at(ctx, 0, 2, 1);
    int64_t size = (int64_t)chorale_type_size(call->recvtype), *offset;
    int err;

    t.all = chorale_blocks_at(own, call->sendbuf);
    t.buf = call->recvbuf;
    t.count = call->recvcount;
    t.type = call->recvtype;
    offset = chorale_scratch(ctx,
                             sizeof(*offset) * ((size_t)t.tree.span + 1));
    if (offset == NULL)
        return MPI_ERR_NO_MEM;
    offset[0] = 0;
    for (int i = 0; i < t.tree.span; i++)
        offset[i + 1] = offset[i] +
                        size * (int64_t)call->sendcounts[t.tree.v + i];
    t.offset = offset;
    err = chorale_scatter_down(&t);
    return err != MPI_SUCCESS || ctx->rank != 0 ? err
                                                : chorale_scatterv_own(call);
}

/* Scatter the sums, stored at sum on rank 0. */
static int scatter_sums(const struct chorale_call *call,
                        const struct chorale_blocks *own, void *sum)
{
    int in_tree = call->param[1] == BINOMIAL;
    struct chorale_call part = *call;

    part.root = 0;
    part.sendbuf = sum;
    part.sendtype = call->recvtype;
    part.sendcount = call->recvcount;
    if (sum == call->recvbuf)
        part.recvbuf = MPI_IN_PLACE;
    if (call->recvcounts == NULL)
        return in_tree ? chorale_scatter_tree(&part, 2, 1)
                       : chorale_flat_scatter(&part, CHORALE_IN_TURN);
    part.recvcount = call->recvcounts[call->ctx->rank];
    part.sendcounts = call->recvcounts;
    part.sdispls = own->displs;
    return in_tree ? scatter_tree(&part, own)
                   : chorale_flat_scatterv(&part, CHORALE_IN_TURN);
}

static int linear(const struct chorale_call *call,
                  const struct chorale_blocks *own)
{
    struct chorale_ctx *ctx = call->ctx;
    int in_place = call->sendbuf == MPI_IN_PLACE, at_root = ctx->rank == 0;
    struct chorale_call part = *call;
    int err;

    part.root = 0;
    part.recvcount = chorale_cyclic_count(own, 0, own->n);
    part.recvbuf = NULL;
    if (in_place && at_root)
        part.recvbuf = call->recvbuf;
    else if (in_place)
        part.sendbuf = call->recvbuf;
    else if (at_root)
        part.recvbuf = chorale_scratch_typed(ctx, part.recvcount, own->type);
    if (at_root && !in_place && part.recvbuf == NULL)
        return MPI_ERR_NO_MEM;
    err = chorale_part_run(reduce_part[call->param[0]], &part);
    return err == MPI_SUCCESS ? scatter_sums(call, own, part.recvbuf) : err;
}

/* Run body with the operands as blocks; with one rank, only copy. */
static int with_blocks(const struct chorale_call *call,
                       int (*body)(const struct chorale_call *call,
                                   const struct chorale_blocks *own))
{
    size_t mark = chorale_scratch_mark(call->ctx);
    struct chorale_blocks own;
    int err = chorale_rs_operands(call, &own);

    if (err == MPI_SUCCESS && call->ctx->size > 1)
        err = body(call, &own);
    else if (err == MPI_SUCCESS && call->sendbuf != MPI_IN_PLACE)
        err = copy_own(call, own.base, chorale_cyclic_count(&own, 0, 1));
    chorale_scratch_release(call->ctx, mark);
    return err;
}

int chorale_rs_linear_run(const struct chorale_call *call)
{
    return with_blocks(call, linear);
}

int chorale_rs_linear_cost(const struct chorale_point *pt, int irregular,
                           struct chorale_term *term)
{
    const struct chorale_alg *part = reduce_part[pt->param[0]];
    struct chorale_point all = whole(pt, irregular), scatter = *pt;
    int n;

    if (part == &chorale_reduce_binomial)
        all.commutative = 1; /* with root 0, rank order costs nothing extra */
    n = chorale_part_cost(part, &all, term);
    scatter.root = 0;
    if (pt->param[1] == BINOMIAL)
        return n + (irregular
                        ? chorale_cost_ramp_tree(&scatter, term + n)
                        : chorale_cost_block_tree(&scatter, 2, term + n));
    return n + (irregular ? chorale_cost_flat_v(&scatter, term + n)
                          : chorale_cost_in_turn(&scatter, term + n));
}

const char *chorale_rs_linear_refuses(const struct chorale_point *pt,
                                      int irregular)
{
    struct chorale_point all = whole(pt, irregular);

    return chorale_part_refuses(reduce_part[pt->param[0]], &all);
}

enum chorale_order chorale_rs_linear_order(const struct chorale_point *pt,
                                           int irregular)
{
    struct chorale_point all = whole(pt, irregular);

    return chorale_part_order(reduce_part[pt->param[0]], &all);
}

size_t chorale_rs_linear_scratch(const struct chorale_point *pt,
                                 int irregular)
{
    struct chorale_point all = whole(pt, irregular);
    size_t reduce = chorale_part_scratch(reduce_part[pt->param[0]], &all);
    size_t offsets = sizeof(int64_t) * ((size_t)pt->comm_size + 1);
    size_t at_root = all.msg_size, scatter = 0;

    if (pt->comm_size < 2)
        return offsets + chorale_rs_scratch(pt, irregular, 0, 0);
    /* A subtree of unequal blocks is packed in scratch, after the reduction's
     * scratch has been released. */
    all.msg_size = pt->msg_size;
    if (irregular && pt->param[1] == BINOMIAL)
        scatter = chorale_scratch_ramp_tree(&all);
    /* In place no buffer for the sums is needed; a linear reduction then takes
     * most, as much as such a buffer. Other reductions may hold received data
     * in addition. */
    if (reduce_part[pt->param[0]] != &chorale_reduce_linear)
        at_root += reduce > scatter ? reduce : scatter;
    else
        at_root = reduce > at_root + scatter ? reduce : at_root + scatter;
    /* Other ranks hold the blocks of their subtree during the scatter, which is
     * less. */
    return at_root + offsets + chorale_rs_scratch(pt, irregular, 0, 0);
}

/* --- alltoall and reduce ---------------------------------------------- */

/* Layout of received operands, part->recvcount elements each, and of those
 * sent. */
static int set_irregular(const struct chorale_call *call,
                         const struct chorale_blocks *own,
                         struct chorale_call *part)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t size = (size_t)ctx->size;
    MPI_Count *counts = chorale_scratch(ctx, size * sizeof(*counts));
    MPI_Aint *displs = chorale_scratch(ctx, size * sizeof(*displs));

    if (counts == NULL || displs == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < ctx->size; i++) {
        counts[i] = part->recvcount;
        displs[i] = (MPI_Aint)counts[i] * i;
    }
    part->sendcounts = call->recvcounts;
    part->sdispls = own->displs;
    part->recvcounts = counts;
    part->rdispls = displs;
    return MPI_SUCCESS;
}

static int alltoall(const struct chorale_call *call,
                    const struct chorale_blocks *own)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_call part = *call, sum = *call;
    struct chorale_apart apart;
    int err;

    sum.recvcount = chorale_cyclic_count(own, ctx->rank, 1);
    part.sendbuf = own->base;
    part.sendcount = call->recvcount;
    part.sendtype = call->recvtype;
    err = chorale_layout_init(&apart, sum.recvcount, own->type);
    if (err == MPI_SUCCESS) {
        part.recvcount = apart.count;
        part.recvtype = apart.type;
        part.recvbuf = chorale_scratch_typed(ctx, apart.count * ctx->size,
                                             apart.type);
        err = part.recvbuf == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    if (err == MPI_SUCCESS && call->recvcounts != NULL)
        err = set_irregular(call, own, &part);
    if (err == MPI_SUCCESS)
        err = alltoall_part[call->param[0]](&part);
    if (err == MPI_SUCCESS)
        err = chorale_reduce_ordered(&sum, part.recvbuf, apart.stride,
                                     ctx->size);
    chorale_layout_free(&apart, own->type);
    return err;
}

int chorale_rs_alltoall_run(const struct chorale_call *call)
{
    return with_blocks(call, alltoall);
}

int chorale_rs_alltoall_cost(const struct chorale_point *pt, int irregular,
                             struct chorale_term *term)
{
    /* Either exchange takes P - 1 messages in sequence. */
    return chorale_rs_cost_ring(pt, irregular, term);
}

const char *chorale_rs_alltoall_refuses(const struct chorale_point *pt)
{
    int size = pt->comm_size;

    return alltoall_part[pt->param[0]] == chorale_exchange_xor &&
                   chorale_pow2_below(size) != size
               ? "pairwise_xor needs a power-of-two number of processes"
               : NULL;
}

size_t chorale_rs_alltoall_scratch(const struct chorale_point *pt,
                                   int irregular)
{
    return chorale_rs_scratch(pt, irregular, 0,
                              pt->comm_size > 1 ? pt->comm_size : 0);
}

/* --- allreduce and select --------------------------------------------- */

static int select_own(const struct chorale_call *call,
                      const struct chorale_blocks *own)
{
    struct chorale_call part = *call;
    struct chorale_blocks sum;
    MPI_Count count;
    void *mine;
    int err;

    part.recvcount = chorale_cyclic_count(own, 0, own->n);
    part.sendbuf = own->base;
    part.recvbuf = chorale_scratch_typed(call->ctx, part.recvcount,
                                         own->type);
    if (part.recvbuf == NULL)
        return MPI_ERR_NO_MEM;
    err = chorale_part_run(allreduce_part[call->param[0]], &part);
    sum = chorale_blocks_at(own, part.recvbuf);
    mine = chorale_block(&sum, call->ctx->rank, &count);
    return err == MPI_SUCCESS ? copy_own(call, mine, count) : err;
}

int chorale_rs_select_run(const struct chorale_call *call)
{
    return with_blocks(call, select_own);
}

int chorale_rs_select_cost(const struct chorale_point *pt, int irregular,
                           struct chorale_term *term)
{
    struct chorale_point all = whole(pt, irregular);

    return chorale_part_cost(allreduce_part[pt->param[0]], &all, term);
}

const char *chorale_rs_select_refuses(const struct chorale_point *pt,
                                      int irregular)
{
    struct chorale_point all = whole(pt, irregular);

    return chorale_part_refuses(allreduce_part[pt->param[0]], &all);
}

enum chorale_order chorale_rs_select_order(const struct chorale_point *pt,
                                           int irregular)
{
    struct chorale_point all = whole(pt, irregular);

    return chorale_part_order(allreduce_part[pt->param[0]], &all);
}

size_t chorale_rs_select_scratch(const struct chorale_point *pt,
                                 int irregular)
{
    struct chorale_point all = whole(pt, irregular);

    return (pt->comm_size > 1 ? all.msg_size : 0) +
           chorale_rs_scratch(pt, irregular, 0, 0) +
           chorale_part_scratch(allreduce_part[pt->param[0]], &all);
}
