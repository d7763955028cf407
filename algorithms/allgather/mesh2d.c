/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh2d.c - allgather on a mesh of rows x cols ranks, row by row: a ring in
 * every row, then one in every column with what the row has.
 *
 * Rounds  (cols - 1) + (rows - 1)             P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (cols - 1) (alpha + m beta) + (rows - 1) (alpha + cols m beta),
 *         exact
 * Needs   P = rows cols, both 2 or more; rows 0: the most square mesh. Any
 *         datatype
 * Source  Faraj, Yuan, ICS, 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/gather_all.h"

#include <limits.h>

static void shape(int size, const long *param, int dim[2])
{
    dim[0] = param[0] > 0 ? (int)param[0] : chorale_mesh_side(size, 2);
    dim[1] = size / dim[0];
}

static int run(const struct chorale_call *call)
{
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);
    int dim[2];

    shape(call->ctx->size, call->param, dim);
    return err == MPI_SUCCESS ? chorale_gather_all_mesh(call->ctx, &b, dim, 2)
                              : err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int dim[2];

    shape(pt->comm_size, pt->param, dim);
    return chorale_cost_gather_all_mesh(pt, dim, 2, term);
}

static const char *refuses(const struct chorale_point *pt)
{
    int dim[2];

    shape(pt->comm_size, pt->param, dim);
    if (pt->comm_size % dim[0] != 0)
        return "rows do not divide the number of processes";
    return dim[0] < 2 || dim[1] < 2 ? "needs two rows and columns or more"
                                    : NULL;
}

static size_t scratch(const struct chorale_point *pt)
{
    return (size_t)pt->comm_size * sizeof(int);
}

static const long rows[] = { 0, 2, 3, 4, 8, 16 };

const struct chorale_alg chorale_allgather_mesh2d = {
    .coll = CHORALE_ALLGATHER,
    .name = "mesh2d",
    .summary = "rings in the rows of a mesh, then in its columns",
    .formula = "(rows + cols - 2) alpha + (P-1)/P n beta",
    .source = "Faraj, Yuan, ICS, 2005",
    .nparam = 1,
    .param = { {
        .name = "rows",
        .unit = "rows of the mesh, 0: most square",
        .def = 0,
        .min = 0,
        .max = INT_MAX,
        .candidate = rows,
        .ncandidate = sizeof(rows) / sizeof(*rows),
    } },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .scratch = scratch,
};
