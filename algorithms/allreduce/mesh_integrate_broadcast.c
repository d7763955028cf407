/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_integrate_broadcast.c - allreduce between neighbours on a mesh.
 *
 * For long vectors, on a mesh of rows x cols ranks numbered row by row. The
 * algorithm by which Chen and Lee update shared data: integration
 * (reduce-scatter), then broadcasting (allgather), both between neighbours and
 * in both directions at the same time.
 *
 * wrap 0: one ring through all ranks, forth and back along the rows and back
 * through the first column (engines/mesh_ring.h). Half of the vector travels in
 * either direction. With an odd number of ranks one step passes over a rank
 * without sharing its links; on 3 x 3 it shares links and the bytes take twice
 * as long. wrap 1, a torus: half of the vector takes rings in the rows first,
 * then in the columns, the other half the opposite order. Half of each travels
 * in either direction.
 *
 * Rounds  2 (P - 1), 2 messages at a time;    P = comm_size, n = bytes
 *         wrap: 2 (rows + cols - 2), 4 at a time
 * Volume  2 (P - 1)/P n bytes from each rank, spread over 2 or 4 neighbours
 * Cost    with one port <= 16/3 (P - 1) alpha + (P - 1)/P n (8/3 beta + tau),
 *         because messages wait for each other; with two ports 2 (P - 1) alpha
 *         + (P - 1)/P n (beta + tau). wrap: one port <= 32/3 (rows + cols - 2)
 *         alpha and the same bytes, four ports 2 (rows + cols - 2) alpha and
 *         half of beta
 * Needs   P = rows cols, with wrap both 2 or more; rows 0: the most square
 *         mesh. Any datatype; a commutative operation
 * Source  Chen, Lee, integration and broadcasting on meshes
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/exchange/mesh_exchange.h"
#include "algorithms/engines/mesh_ring.h"
#include "algorithms/engines/reduction/nested_rings.h"

#include <limits.h>

/* The torus to run on, or the reason why it does not exist. wrap 0: a ring. */
static const char *shape(struct chorale_torus *torus, int size,
                         const long *param)
{
    long rows = param[0] > 0 ? param[0] : chorale_mesh_side(size, 2);

    *torus = (struct chorale_torus){ .ndim = 1, .both = 1 };
    torus->length[0] = size;
    if (size % rows != 0)
        return "rows do not divide the number of processes";
    if (!param[1])
        return NULL;
    torus->ndim = 2;
    torus->turn = 1;
    torus->length[1] = (int)rows;
    torus->length[0] = size / (int)rows;
    return rows < 2 || rows == size ? "needs two rows and columns or more"
                                    : NULL;
}

/* Without wrap: ranks in ring order. */
static int run_ring(const struct chorale_call *call,
                    const struct chorale_torus *torus, int cols)
{
    struct chorale_ctx *ctx = call->ctx, view;
    size_t mark = chorale_scratch_mark(ctx);
    int *map = chorale_scratch(ctx, sizeof(*map) * (size_t)ctx->size);
    struct chorale_call inner = *call;
    int place = 0, err;

    if (map == NULL)
        return MPI_ERR_NO_MEM;
    chorale_mesh_ring(ctx->size / cols, cols, map);
    while (map[place] != ctx->rank)
        place++;
    chorale_ctx_view(ctx, &view, place, ctx->size, map);
    inner.ctx = &view;
    err = chorale_nested_rings(&inner, torus);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_torus torus;
    int size = call->ctx->size;
    long rows = call->param[0] > 0 ? call->param[0]
                                   : chorale_mesh_side(size, 2);

    if (shape(&torus, size, call->param) != NULL)
        return MPI_ERR_OTHER;
    return torus.ndim == 2 ? chorale_nested_rings(call, &torus)
                           : run_ring(call, &torus, size / (int)rows);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_torus torus;

    return shape(&torus, pt->comm_size, pt->param) == NULL
               ? chorale_nested_rings_cost(pt, &torus, term)
               : 0;
}

static const char *refuses(const struct chorale_point *pt)
{
    struct chorale_torus torus;

    return shape(&torus, pt->comm_size, pt->param);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_torus torus;

    if (shape(&torus, pt->comm_size, pt->param) != NULL)
        return 0;
    return chorale_nested_rings_scratch(pt, &torus) +
           sizeof(int) * (size_t)pt->comm_size;
}

static const long wraps[] = { 0, 1 };

const struct chorale_alg chorale_allreduce_mesh_integrate_broadcast = {
    .coll = CHORALE_ALLREDUCE,
    .name = "mesh_integrate_broadcast",
    .summary = "integration, then broadcasting between neighbours on a mesh",
    .formula = "wrap=0: <= 16/3 (P-1) alpha + (P-1)/P n (8/3 beta + tau); "
               "wrap=1: <= 32/3 (rows + cols - 2) alpha + (P-1)/P n (8/3 "
               "beta + tau), cols = P/rows; wrap=0, two ports: 2 (P-1) alpha "
               "+ (P-1)/P n (beta + tau); wrap=1, four ports: 2 (rows + cols "
               "- 2) alpha + (P-1)/P n (beta/2 + tau)",
    .source = "Chen, Lee, integration and broadcasting on meshes",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.86,
    .within_default = 1.8,
    .overlaps = 1,
    .nparam = 2,
    .param = { CHORALE_MESH_PARAM("rows", "rows of the mesh, 0: most square",
                                  CHORALE_NMESH_LENGTH), {
        .name = "wrap",
        .unit = "1: a torus",
        .def = 0,
        .min = 0,
        .max = 1,
        .candidate = wraps,
        .ncandidate = 2,
    } },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P a multiple of rows; with wrap=1 rows and columns of 2 or "
                  "more",
    .scratch = scratch,
};
