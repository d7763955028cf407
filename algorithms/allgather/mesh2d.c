/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh2d.c - allgather on a mesh of rows x cols ranks, row by row: a ring in
 * every row, then one in every column with what the row has; or all messages
 * of a row, then of a column, at once.
 *
 * Rounds  (cols - 1) + (rows - 1)             P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (cols - 1) (alpha + m beta) + (rows - 1) (alpha + cols m beta),
 *         exact for rings; at once less where messages under way overlap
 * Needs   P = rows cols, both 2 or more; rows 0: the most square mesh. Any
 *         datatype
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

    if (chorale_mesh_init(&mesh, call->ctx->size, 2, call->param) != NULL)
        return MPI_ERR_ARG;
    err = chorale_allgather_blocks(call, &b);
    if (err != MPI_SUCCESS)
        return err;
    return chorale_gather_all_mesh(call->ctx, &b, &mesh,
                                   (enum chorale_mesh_way)call->param[1]);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_mesh mesh;

    if (chorale_mesh_init(&mesh, pt->comm_size, 2, pt->param) != NULL)
        return 0;
    return chorale_cost_gather_all_mesh(pt, &mesh, term);
}

static const char *refuses(const struct chorale_point *pt)
{
    struct chorale_mesh mesh;

    return chorale_mesh_init(&mesh, pt->comm_size, 2, pt->param);
}

static size_t scratch(const struct chorale_point *pt)
{
    size_t each = sizeof(int);

    if (pt->param[1] == CHORALE_MESH_DIRECT)
        each += 2 * sizeof(MPI_Request);
    return (size_t)pt->comm_size * each;
}

static const long rows[] = { 0, 2, 3, 4, 8, 16 };

const struct chorale_alg chorale_allgather_mesh2d = {
    .coll = CHORALE_ALLGATHER,
    .name = "mesh2d",
    .summary = "rings in the rows of a mesh, then in its columns; or directly",
    .formula = "(rows + cols - 2) alpha + (P-1)/P n beta",
    .source = "Faraj, Yuan, ICS, 2005",
    .overlaps = 1,
    .nparam = 2,
    .param = { {
        .name = "rows",
        .unit = "rows of the mesh, 0: most square",
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
