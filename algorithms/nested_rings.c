/* SPDX-License-Identifier: BSD-3-Clause */
/* nested_rings.c - see nested_rings.h. */
#include "algorithms/nested_rings.h"

#include "algorithms/gather_all.h"
#include "algorithms/halves.h"
#include "algorithms/scatter_reduce.h"

/* The ring of one dimension, and the vector that is reduced there. */
struct level {
    struct chorale_ctx ring;
    struct chorale_blocks own, acc;
};

static int level_init(struct level *l, struct chorale_ctx *ctx, int stride,
                      int length)
{
    int place = ctx->rank / stride % length;
    int *map = chorale_scratch(ctx, sizeof(*map) * (size_t)length);

    if (map == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < length; i++)
        map[i] = ctx->rank + (i - place) * stride;
    chorale_ctx_view(ctx, &l->ring, place, length, map);
    return MPI_SUCCESS;
}

/* The part that is left of the level above, in place there. */
static void cut(struct level *l, const struct level *above)
{
    MPI_Count count;
    void *part = chorale_block(&above->acc, above->ring.rank, &count);

    l->acc = chorale_blocks_split(part, count, above->acc.type,
                                  l->ring.size);
    l->own = l->acc;
}

static int rings(const struct chorale_call *call, struct level *level,
                 int nlevel)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < nlevel && err == MPI_SUCCESS; i++) {
        struct level *l = &level[i];

        if (i > 0)
            cut(l, l - 1);
        err = chorale_scatter_reduce_ring(&l->ring, &l->own, &l->acc,
                                          call->op);
    }
    for (int i = nlevel - 1; i >= 0 && err == MPI_SUCCESS; i--)
        err = chorale_gather_all_ring(&level[i].ring, &level[i].acc);
    return err;
}

int chorale_nested_rings(const struct chorale_call *call, const int *dim,
                         int ndim)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct level level[CHORALE_MAX_DIM];
    int stride = 1, err = MPI_SUCCESS;

    for (int i = 0; i < ndim && err == MPI_SUCCESS; i++) {
        err = level_init(&level[i], ctx, stride, dim[i]);
        stride *= dim[i];
    }
    level[0].acc = chorale_blocks_split(call->recvbuf, call->recvcount,
                                        call->recvtype, dim[0]);
    level[0].own = level[0].acc;
    if (call->sendbuf != MPI_IN_PLACE)
        level[0].own = chorale_blocks_at(&level[0].acc, call->sendbuf);
    if (err == MPI_SUCCESS)
        err = rings(call, level, ndim);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_nested_rings_cost(const struct chorale_point *pt, const int *dim,
                              int ndim, struct chorale_term *term)
{
    struct chorale_point part = *pt;
    int n = 0;

    for (int i = 0; i < ndim; i++) {
        n = chorale_half_cost(&part, CHORALE_WAY_RING, 0, dim[i], 1, term, n);
        n = chorale_half_cost(&part, CHORALE_WAY_RING, 0, dim[i], 0, term, n);
        part.msg_size = chorale_parts_most(&part, dim[i], 1);
    }
    return n;
}

size_t chorale_nested_rings_scratch(const struct chorale_point *pt,
                                    const int *dim, int ndim)
{
    size_t maps = 0;

    for (int i = 0; i < ndim; i++)
        maps += sizeof(int) * (size_t)dim[i];
    return maps + chorale_parts_most(pt, dim[0], 1);
}
