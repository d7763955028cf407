/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_mesh.c - allgather along the dimensions of a mesh. */
#include "algorithms/engines/exchange/gather_all.h"

const char *const chorale_mesh_way_word[] = { "ring", "direct" };
const long chorale_mesh_ways[] = { CHORALE_MESH_RING, CHORALE_MESH_DIRECT };

/* Allgather of length bundles of stride blocks each, among the ranks that
 * differ only in one coordinate. */
static int along(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                 int stride, int length, enum chorale_mesh_way way)
{
    size_t mark = chorale_scratch_mark(ctx);
    int *map = chorale_scratch(ctx, (size_t)length * sizeof(*map));
    int inner = ctx->rank % stride, place = ctx->rank / stride % length;
    int base = ctx->rank - inner - place * stride;
    struct chorale_blocks bundles;
    struct chorale_ctx view;
    MPI_Count count;
    int err;

    if (map == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < length; i++)
        map[i] = base + inner + i * stride;
    chorale_ctx_view(ctx, &view, place, length, map);
    bundles = chorale_blocks_equal(chorale_block(b, base, &count),
                                   b->count * stride, b->type, length);
    err = way == CHORALE_MESH_DIRECT
              ? chorale_gather_all_direct(&view, &bundles, 0)
              : chorale_gather_all_ring(&view, &bundles);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_gather_all_mesh(struct chorale_ctx *ctx,
                            const struct chorale_blocks *b,
                            const struct chorale_mesh *mesh,
                            enum chorale_mesh_way way)
{
    int stride = 1, err = MPI_SUCCESS;

    for (int d = mesh->ndim - 1; d >= 0 && err == MPI_SUCCESS; d--) {
        err = along(ctx, b, stride, mesh->dim[d], way);
        stride *= mesh->dim[d];
    }
    return err;
}

int chorale_allgather_mesh_run(const struct chorale_call *call, int ndim)
{
    struct chorale_mesh mesh;
    struct chorale_blocks b;
    int err;

    if (chorale_mesh_init(&mesh, call->ctx->size, ndim, call->param) != NULL)
        return MPI_ERR_ARG;
    err = chorale_allgather_blocks(call, &b);
    if (err != MPI_SUCCESS)
        return err;
    return chorale_gather_all_mesh(
        call->ctx, &b, &mesh, (enum chorale_mesh_way)call->param[ndim - 1]);
}

int chorale_allgather_mesh_cost(const struct chorale_point *pt, int ndim,
                                struct chorale_term *term)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, ndim, pt->param) == NULL
               ? chorale_cost_gather_all_mesh(pt, &mesh, term)
               : 0;
}

size_t chorale_allgather_mesh_scratch(const struct chorale_point *pt,
                                      int ndim)
{
    size_t each = sizeof(int);

    if (pt->param[ndim - 1] == CHORALE_MESH_DIRECT)
        each += 2 * sizeof(MPI_Request);
    return (size_t)pt->comm_size * each;
}
