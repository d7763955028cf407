/* SPDX-License-Identifier: BSD-3-Clause */
/* bucket_nd.c - allreduce by rings on a torus of several dimensions.
 *
 * For long vectors. The torus is as nearly cubic as possible. The vector is
 * split into one part per dimension, each starting with another dimension.
 * Every rank therefore sends to a neighbour in each dimension at the same time.
 * Each part is reduce-scattered by rings along one dimension after the other,
 * and gathered in reverse order.
 *
 * Rounds  2 (sum of d_i - 1), dims messages    P = d_1 d_2 ... = comm_size,
 *         at a time                            n = bytes
 * Volume  2 (P - 1)/P n bytes from each rank, spread over dims neighbours
 * Cost    with one port <= 8/3 dims (sum of d_i - 1) alpha +
 *         (P - 1)/P n (8/3 beta + tau), as messages wait for each other; dims
 *         ports: 2 (sum of d_i - 1) alpha + (P - 1)/P n (2 beta/dims + tau)
 * Needs   P with dims factors above 1, any datatype; a commutative operation
 * Source  Jain, Sabharwal, ICS 2010; Sack, Gropp, 2015
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/reduction/nested_rings.h"

static int shape(struct chorale_torus *torus, int size, long dims)
{
    int fits = chorale_torus_cubic(torus, size, (int)dims);

    torus->turn = 1;
    return fits;
}

static int run(const struct chorale_call *call)
{
    struct chorale_torus torus;

    if (!shape(&torus, call->ctx->size, call->param[0]))
        return MPI_ERR_OTHER;
    return chorale_nested_rings(call, &torus);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_torus torus;

    return shape(&torus, pt->comm_size, pt->param[0])
               ? chorale_nested_rings_cost(pt, &torus, term)
               : 0;
}

static const char *refuses(const struct chorale_point *pt)
{
    struct chorale_torus torus;

    return shape(&torus, pt->comm_size, pt->param[0])
               ? NULL
               : "needs a number of processes with so many factors";
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_torus torus;

    return shape(&torus, pt->comm_size, pt->param[0])
               ? chorale_nested_rings_scratch(pt, &torus)
               : 0;
}

static const long dims[] = { 2, 3 };

const struct chorale_alg chorale_allreduce_bucket_nd = {
    .coll = CHORALE_ALLREDUCE,
    .name = "bucket_nd",
    .summary = "rings along the dimensions of a torus, one part a dimension",
    .formula = "<= 8/3 dims R alpha + (P-1)/P n (8/3 beta + tau), R the sum "
               "of lengths less 1; dims ports: 2 R alpha + (P-1)/P n (2/dims "
               "beta + tau)",
    .source = "Jain, Sabharwal, ICS 2010; Sack, Gropp, 2015",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.8,
    .overlaps = 1,
    .nparam = 1,
    .param = { { .name = "dims",
                 .unit = "dimensions",
                 .def = 3,
                 .min = 2,
                 .max = 3,
                 .candidate = dims,
                 .ncandidate = 2 } },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P of as many factors as dims, all 2 or more",
    .scratch = scratch,
};
