/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_then_bcast.c - allreduce by reduction to rank 0 and broadcast. */
#include "algorithms/engines/reduction/reduce_then_bcast.h"

#include "algorithms/context.h"

static struct chorale_call call_with_root_0(const struct chorale_call *call)
{
    struct chorale_call part = *call;

    part.root = 0;
    /* MPI_Reduce allows MPI_IN_PLACE at the root only. */
    if (call->ctx->rank != 0 && call->sendbuf == MPI_IN_PLACE)
        part.sendbuf = call->recvbuf;
    return part;
}

int chorale_reduce_then_bcast(const struct chorale_call *call,
                              const struct chorale_alg *reduce,
                              const struct chorale_alg *bcast)
{
    struct chorale_call part = call_with_root_0(call);
    int err = chorale_part_run(reduce, &part);

    return err == MPI_SUCCESS ? chorale_part_run(bcast, &part) : err;
}

int chorale_reduce_then_bcast_alike(const struct chorale_call *call,
                                    const struct chorale_alg *reduce,
                                    const struct chorale_alg *bcast)
{
    struct chorale_call part = call_with_root_0(call);
    int err = reduce->run(&part);

    return err == MPI_SUCCESS ? bcast->run(&part) : err;
}

static struct chorale_point point_with_root_0(const struct chorale_point *pt)
{
    struct chorale_point part = *pt;

    part.root = 0;
    return part;
}

int chorale_reduce_then_bcast_cost(const struct chorale_point *pt,
                                   const struct chorale_alg *reduce,
                                   const struct chorale_alg *bcast,
                                   struct chorale_term *term)
{
    struct chorale_point part = point_with_root_0(pt);
    int n = chorale_part_cost(reduce, &part, term);

    return n + chorale_part_cost(bcast, &part, term + n);
}

size_t chorale_reduce_then_bcast_scratch(const struct chorale_point *pt,
                                         const struct chorale_alg *reduce,
                                         const struct chorale_alg *bcast)
{
    struct chorale_point part = point_with_root_0(pt);
    size_t first = chorale_part_scratch(reduce, &part);
    size_t second = chorale_part_scratch(bcast, &part);

    return first > second ? first : second;
}

int chorale_reduce_then_bcast_alike_cost(const struct chorale_point *pt,
                                         const struct chorale_alg *reduce,
                                         const struct chorale_alg *bcast,
                                         struct chorale_term *term)
{
    struct chorale_point part = point_with_root_0(pt);
    int n = reduce->cost(&part, term);

    return n + bcast->cost(&part, term + n);
}

static size_t scratch_at(const struct chorale_alg *alg,
                         const struct chorale_point *pt)
{
    return alg->scratch == NULL ? 0 : alg->scratch(pt);
}

size_t chorale_reduce_then_bcast_alike_scratch(
    const struct chorale_point *pt, const struct chorale_alg *reduce,
    const struct chorale_alg *bcast)
{
    struct chorale_point part = point_with_root_0(pt);
    size_t first = scratch_at(reduce, &part);
    size_t second = scratch_at(bcast, &part);

    return first > second ? first : second;
}

const char *chorale_reduce_then_bcast_refuses(
    const struct chorale_point *pt, const struct chorale_alg *reduce,
    const struct chorale_alg *bcast)
{
    struct chorale_point part = point_with_root_0(pt);
    const char *why = chorale_part_refuses(reduce, &part);

    return why != NULL ? why : chorale_part_refuses(bcast, &part);
}

enum chorale_order chorale_reduce_then_bcast_order(
    const struct chorale_point *pt, const struct chorale_alg *reduce)
{
    struct chorale_point part = point_with_root_0(pt);

    return chorale_part_order(reduce, &part);
}
