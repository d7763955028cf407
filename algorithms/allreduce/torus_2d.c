/* SPDX-License-Identifier: BSD-3-Clause */
/* torus_2d.c - allreduce of long vectors on a torus of rows x cols ranks, row
 * by row: a ring reduce-scatter in every row, a ring allreduce of what is
 * left in every column, a ring allgather in every row.
 *
 * Rounds  2 (cols - 1) + 2 (rows - 1)         P = comm_size, n = bytes
 * Volume  2 (P - 1)/P n bytes from each rank, but for rounding
 * Cost    2 (rows + cols - 2) alpha + (P - 1)/P n (2 beta + tau); exact, with
 *         parts of whole elements as they are
 * Needs   P = rows cols, both 2 or more; rows 0: the most square torus. Any
 *         datatype; a commutative operation
 * Source  Mikami et al., Massively distributed SGD, arXiv 1811.05233
 */
#include "algorithms/catalogue.h"
#include "algorithms/gather_all.h"
#include "algorithms/nested_rings.h"

#include <limits.h>

/* dim[0] is along a row. */
static void shape(int size, const long *param, int dim[2])
{
    dim[1] = param[0] > 0 ? (int)param[0] : chorale_mesh_side(size, 2);
    dim[0] = size / dim[1];
}

static int run(const struct chorale_call *call)
{
    int dim[2];

    shape(call->ctx->size, call->param, dim);
    return chorale_nested_rings(call, dim, 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int dim[2];

    shape(pt->comm_size, pt->param, dim);
    return chorale_nested_rings_cost(pt, dim, 2, term);
}

static const char *refuses(const struct chorale_point *pt)
{
    int dim[2];

    shape(pt->comm_size, pt->param, dim);
    if (pt->comm_size % dim[1] != 0)
        return "rows do not divide the number of processes";
    return dim[0] < 2 || dim[1] < 2 ? "needs two rows and columns or more"
                                    : NULL;
}

static size_t scratch(const struct chorale_point *pt)
{
    int dim[2];

    shape(pt->comm_size, pt->param, dim);
    return chorale_nested_rings_scratch(pt, dim, 2);
}

static const long rows[] = { 0, 2, 3, 4, 8, 16 };

const struct chorale_alg chorale_allreduce_torus_2d = {
    .coll = CHORALE_ALLREDUCE,
    .name = "torus_2d",
    .summary = "row reduce-scatter, column allreduce, row allgather, by "
               "rings",
    .formula = "2 (rows + cols - 2) alpha + (P-1)/P n (2 beta + tau)",
    .source = "Mikami et al., Massively distributed SGD, arXiv 1811.05233",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .nparam = 1,
    .param = { {
        .name = "rows",
        .unit = "rows of the torus, 0: most square",
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
