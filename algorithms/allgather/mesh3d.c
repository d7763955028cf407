/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh3d.c - allgather on a mesh of rows x cols x z ranks, z fastest: rings
 * along z, then along the columns with what they brought, then along the
 * rows.
 *
 * Rounds  (z - 1) + (cols - 1) + (rows - 1)   P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (z - 1) (alpha + m beta) + (cols - 1) (alpha + z m beta) +
 *         (rows - 1) (alpha + cols z m beta), exact
 * Needs   P = rows cols z, each 2 or more; rows, cols 0: the shortest side of
 *         the most cubic mesh, of the most square rest. Any datatype
 * Source  Faraj, Yuan, ICS, 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/gather_all.h"

#include <limits.h>

static void shape(int size, const long *param, int dim[3])
{
    int rest;

    dim[0] = param[0] > 0 ? (int)param[0] : chorale_mesh_side(size, 3);
    rest = size / dim[0];
    dim[1] = param[1] > 0 ? (int)param[1] : chorale_mesh_side(rest, 2);
    dim[2] = rest / dim[1];
}

static int run(const struct chorale_call *call)
{
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);
    int dim[3];

    shape(call->ctx->size, call->param, dim);
    return err == MPI_SUCCESS ? chorale_gather_all_mesh(call->ctx, &b, dim, 3)
                              : err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int dim[3];

    shape(pt->comm_size, pt->param, dim);
    return chorale_cost_gather_all_mesh(pt, dim, 3, term);
}

static const char *refuses(const struct chorale_point *pt)
{
    int dim[3];

    shape(pt->comm_size, pt->param, dim);
    if (pt->comm_size % dim[0] != 0 ||
        pt->comm_size / dim[0] % dim[1] != 0)
        return "rows and cols do not divide the number of processes";
    return dim[0] < 2 || dim[1] < 2 || dim[2] < 2
               ? "needs three sides of two or more"
               : NULL;
}

static size_t scratch(const struct chorale_point *pt)
{
    return (size_t)pt->comm_size * sizeof(int);
}

static const long rows[] = { 0, 2, 3, 4, 8 };

const struct chorale_alg chorale_allgather_mesh3d = {
    .coll = CHORALE_ALLGATHER,
    .name = "mesh3d",
    .summary = "rings along the three dimensions of a mesh, one by one",
    .formula = "(rows + cols + z - 3) alpha + (P-1)/P n beta",
    .source = "Faraj, Yuan, ICS, 2005",
    .nparam = 2,
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
    } },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .scratch = scratch,
};
