/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh3d.c - allgather on a mesh of rows x cols x z ranks, z fastest: rings
 * along z, then along the columns with what they brought, then along the
 * rows; or all messages of a dimension at once.
 *
 * Rounds  (z - 1) + (cols - 1) + (rows - 1)   P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (z - 1) (alpha + m beta) + (cols - 1) (alpha + z m beta) +
 *         (rows - 1) (alpha + cols z m beta), exact for rings; at once less
 *         where messages under way overlap
 * Needs   P = rows cols z, each 2 or more; rows, cols 0: the shortest side of
 *         the most cubic mesh, of the most square rest. Any datatype
 * Source  Faraj, Yuan, ICS, 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/gather_all.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    struct chorale_mesh mesh;
    struct chorale_blocks b;
    int err;

    if (chorale_mesh_init(&mesh, call->ctx->size, 3, call->param) != NULL)
        return MPI_ERR_ARG;
    err = chorale_allgather_blocks(call, &b);
    if (err != MPI_SUCCESS)
        return err;
    return chorale_gather_all_mesh(call->ctx, &b, &mesh,
                                   (enum chorale_mesh_way)call->param[2]);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_mesh mesh;

    if (chorale_mesh_init(&mesh, pt->comm_size, 3, pt->param) != NULL)
        return 0;
    return chorale_cost_gather_all_mesh(pt, &mesh, term);
}

static const char *refuses(const struct chorale_point *pt)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, 3, pt->param);
}

static size_t scratch(const struct chorale_point *pt)
{
    size_t each = sizeof(int);

    if (pt->param[2] == CHORALE_MESH_DIRECT)
        each += 2 * sizeof(MPI_Request);
    return (size_t)pt->comm_size * each;
}

static const long rows[] = { 0, 2, 3, 4, 8 };

const struct chorale_alg chorale_allgather_mesh3d = {
    .coll = CHORALE_ALLGATHER,
    .name = "mesh3d",
    .summary = "rings along the three dimensions of a mesh, one by one",
    .formula = "(rows + cols + z - 3) alpha + (P-1)/P n beta",
    .source = "Faraj, Yuan, ICS, 2005",
    .overlaps = 1,
    .nparam = 3,
    .param = { {
        .name = "rows",
        .unit = "slowest dimension, 0: most cubic",
        .def = 0,
        .min = 0,
        .max = INT_MAX,
        .candidate = rows,
        .ncandidate = sizeof(rows) / sizeof(*rows),
    }, {
        .name = "cols",
        .unit = "second dimension, 0: most square rest",
        .def = 0,
        .min = 0,
        .max = INT_MAX,
        .candidate = rows,
        .ncandidate = sizeof(rows) / sizeof(*rows),
    }, CHORALE_PARAM_MESH_WAY },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .scratch = scratch,
};
