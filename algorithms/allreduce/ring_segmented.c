/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_segmented.c - ring allreduce whose reduce-scatter runs in phases.
 *
 * Each of the P parts is split into S segments. The reduce-scatter runs once
 * for the first segments, once for the second ones and so on, so that the
 * reduced data stay in cache. The allgather sends whole parts.
 *
 * Rounds  (P - 1) (S + 1)                     P = comm_size, n = bytes,
 * Volume  2 (P - 1)/P n bytes from each rank  b = ceil(n/P), S = ceil(b/s),
 *                                             s = segsize in whole elements
 * Cost    <= (P - 1) ((S + 1) alpha + b (2 beta + tau)); exact if all parts are
 *         equal
 * Needs   any P >= 2, any datatype; a commutative operation; S >= 2
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/halves.h"
#include "algorithms/engines/rooted/pipeline.h"
#include "algorithms/tree.h"

/* Counts and displacements of segment i of every part. */
static void cut(MPI_Count elements, int parts, MPI_Count segment, MPI_Count i,
                MPI_Count *counts, MPI_Aint *displs)
{
    for (int r = 0; r < parts; r++) {
        MPI_Count from = segment * i, left;
        size_t offset, length;

        chorale_split((size_t)elements, parts, r, &offset, &length);
        if (from > (MPI_Count)length)
            from = (MPI_Count)length;
        left = (MPI_Count)length - from;
        counts[r] = left < segment ? left : segment;
        displs[r] = (MPI_Aint)offset + (MPI_Aint)from;
    }
}

/* The reduce-scatter, one phase per segment; counts and displs have P
 * entries. */
static int phases(const struct chorale_call *call,
                  const struct chorale_blocks *whole, const void *input,
                  MPI_Count *counts, MPI_Aint *displs)
{
    size_t size = chorale_type_size(call->recvtype);
    MPI_Count segment = 1, most = chorale_blocks_largest(whole);
    int n = whole->n, err = MPI_SUCCESS;

    if (size > 0)
        segment = (MPI_Count)(chorale_whole_segment(call->param[0], size) /
                              size);
    for (MPI_Count i = 0; i * segment < most && err == MPI_SUCCESS; i++) {
        struct chorale_blocks own, acc;

        cut(call->recvcount, n, segment, i, counts, displs);
        own = chorale_blocks_given(input, counts, displs, whole->type, n);
        acc = chorale_blocks_given(call->recvbuf, counts, displs,
                                   whole->type, n);
        err = chorale_scatter_reduce_ring(call->ctx, &own, &acc, call->op);
    }
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx), n = (size_t)ctx->size;
    const void *input = call->sendbuf == MPI_IN_PLACE ? call->recvbuf
                                                      : call->sendbuf;
    struct chorale_blocks whole = chorale_blocks_split(
        call->recvbuf, call->recvcount, call->recvtype, ctx->size);
    MPI_Count *counts = chorale_scratch(ctx, sizeof(*counts) * n);
    MPI_Aint *displs = chorale_scratch(ctx, sizeof(*displs) * n);
    int err = MPI_ERR_NO_MEM;

    if (counts != NULL && displs != NULL)
        err = phases(call, &whole, input, counts, displs);
    if (err == MPI_SUCCESS)
        err = chorale_gather_all_ring(ctx, &whole);
    chorale_scratch_release(ctx, mark);
    return err;
}

static size_t segments(const struct chorale_point *pt)
{
    size_t unit = chorale_unit(pt), last;

    return chorale_segments(chorale_parts_most(pt, pt->comm_size, 1),
                            chorale_whole_segment(pt->param[0], unit), &last);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double part = (double)chorale_parts_most(pt, pt->comm_size, 1);
    double steps = pt->comm_size - 1, s = (double)segments(pt);

    term[0] = (struct chorale_term){ .messages = steps * s,
                                     .bytes = part / s,
                                     .reduced = steps * part };
    term[1] = (struct chorale_term){ .messages = steps, .bytes = part };
    return 2;
}

static const char *refuses(const struct chorale_point *pt)
{
    if (pt->comm_size < 2)
        return "needs two processes or more";
    return segments(pt) < 2 ? "needs parts of two segments or more" : NULL;
}

static size_t scratch(const struct chorale_point *pt)
{
    size_t unit = chorale_unit(pt);

    return (sizeof(MPI_Count) + sizeof(MPI_Aint)) * (size_t)pt->comm_size +
           chorale_whole_segment(pt->param[0], unit);
}

const struct chorale_alg chorale_allreduce_ring_segmented = {
    .coll = CHORALE_ALLREDUCE,
    .name = "ring_segmented",
    .summary = "ring reduce-scatter in segments, then ring allgather",
    .formula = "<= (P-1) ((S+1) alpha + n/P (2 beta + tau)), S = "
               "ceil(n / (P s))",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .nparam = 1,
    .param = { CHORALE_PARAM_SEGSIZE(16384) },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P of 2 or more, n/P of two segments or more",
    .scratch = scratch,
};
