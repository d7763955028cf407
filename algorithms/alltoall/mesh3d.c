/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh3d.c - alltoall on a mesh of rows x cols x depth, one dimension after
 * the other, the last one first: all blocks for one coordinate travel in one
 * message; those of one dimension are under way together.
 *
 * Rounds  (x - 1) + (y - 1) + (z - 1)         P = x y z, n = m P bytes
 * Volume  n (3 - 1/x - 1/y - 1/z) from each rank
 * Cost    sum over the dimensions d of (d - 1) (alpha + P/d m beta);
 *         less where messages under way overlap
 * Needs   P with three factors above 1, any datatype; at most 4 n bytes of
 *         scratch; works in place
 * Source  Johnsson, Ho, IEEE Transactions on Computers 38(9), 1989
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/engines/mesh_exchange.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    struct chorale_mesh mesh = { 0 };

    if (call->ctx->size > 1 &&
        chorale_mesh_init(&mesh, call->ctx->size, 3, call->param) != NULL)
        return MPI_ERR_OTHER;
    return chorale_mesh_exchange(call, &mesh);
}

static const char *refuses(const struct chorale_point *pt)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, 3, pt->param);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, 3, pt->param) == NULL
               ? chorale_cost_mesh(&mesh, pt, term)
               : 0;
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, 3, pt->param) == NULL
               ? chorale_scratch_mesh(&mesh, pt)
               : 0;
}

static const long lengths[] = { 0, 2, 3, 4, 8 };

const struct chorale_alg chorale_alltoall_mesh3d = {
    .coll = CHORALE_ALLTOALL,
    .name = "mesh3d",
    .summary = "along the three dimensions of a mesh",
    .formula = "(x+y+z-3) alpha + (3 - 1/x - 1/y - 1/z) n beta",
    .source = "Johnsson, Ho, IEEE Transactions on Computers 38(9), 1989",
    .overlaps = 1,
    .nparam = 2,
    .param = { {
        .name = "rows",
        .unit = "rows, 0: as near to a cube as can be",
        .def = 0,
        .min = 0,
        .max = INT_MAX,
        .candidate = lengths,
        .ncandidate = sizeof(lengths) / sizeof(*lengths),
    }, {
        .name = "cols",
        .unit = "columns, 0: as near to a cube as can be",
        .def = 0,
        .min = 0,
        .max = INT_MAX,
        .candidate = lengths,
        .ncandidate = sizeof(lengths) / sizeof(*lengths),
    } },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .scratch = scratch,
};
