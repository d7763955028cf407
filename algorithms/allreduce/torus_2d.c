/* SPDX-License-Identifier: BSD-3-Clause */
/* torus_2d.c - allreduce by rings in the rows and columns of a torus.
 *
 * For long vectors, on rows x cols ranks numbered row by row: a ring
 * reduce-scatter in every row, a ring allreduce of its result in every column,
 * a ring allgather in every row.
 *
 * Rounds  2 (cols - 1) + 2 (rows - 1)         P = comm_size, n = bytes
 * Volume  2 (P - 1)/P n bytes from each rank, up to rounding
 * Cost    2 (rows + cols - 2) alpha + (P - 1)/P n (2 beta + tau); exact, with
 *         parts of whole elements
 * Needs   P = rows cols, both 2 or more; rows 0: the most square torus. Any
 *         datatype; a commutative operation
 * Source  Mikami et al., Massively distributed SGD, arXiv 1811.05233
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/exchange/mesh_exchange.h"
#include "algorithms/engines/reduction/nested_rings.h"

#include <limits.h>

/* The torus, or the reason why it does not exist. */
static const char *shape(struct chorale_torus *torus, int size, long rows)
{
    if (rows == 0)
        return chorale_torus_cubic(torus, size, 2)
                   ? NULL
                   : "needs two rows and columns or more";
    if (size % rows != 0)
        return "rows do not divide the number of processes";
    *torus = (struct chorale_torus){ .ndim = 2 };
    torus->length[1] = (int)rows;
    torus->length[0] = size / (int)rows;
    return rows < 2 || rows == size ? "needs two rows and columns or more"
                                    : NULL;
}

static int run(const struct chorale_call *call)
{
    struct chorale_torus torus;

    if (shape(&torus, call->ctx->size, call->param[0]) != NULL)
        return MPI_ERR_OTHER;
    return chorale_nested_rings(call, &torus);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_torus torus;

    if (shape(&torus, pt->comm_size, pt->param[0]) != NULL)
        return 0;
    return chorale_nested_rings_cost(pt, &torus, term);
}

static const char *refuses(const struct chorale_point *pt)
{
    struct chorale_torus torus;

    return shape(&torus, pt->comm_size, pt->param[0]);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_torus torus;

    if (shape(&torus, pt->comm_size, pt->param[0]) != NULL)
        return 0;
    return chorale_nested_rings_scratch(pt, &torus);
}

const struct chorale_alg chorale_allreduce_torus_2d = {
    .coll = CHORALE_ALLREDUCE,
    .name = "torus_2d",
    .summary = "row reduce-scatter, column allreduce, row allgather, by "
               "rings",
    .formula = "2 (rows + cols - 2) alpha + (P-1)/P n (2 beta + tau), cols = "
               "P/rows",
    .source = "Mikami et al., Massively distributed SGD, arXiv 1811.05233",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .nparam = 1,
    .param = { CHORALE_MESH_PARAM("rows", "rows of the torus, 0: most square",
                                  CHORALE_NMESH_LENGTH) },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P = rows columns, both 2 or more",
    .scratch = scratch,
};
