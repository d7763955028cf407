/* SPDX-License-Identifier: BSD-3-Clause */
/* hypercube.c - alltoall along the dimensions of a hypercube.
 *
 * Ranks that differ in one bit exchange all blocks whose destination has the
 * other bit.
 *
 * Rounds  lg P                                P = comm_size, n = m P bytes
 * Volume  n/2 lg P from each rank
 * Cost    lg P (alpha + n/2 beta), exact
 * Needs   P a power of two, any datatype; n bytes of scratch; works in place
 * Source  Johnsson, Ho, IEEE Transactions on Computers 38(9), 1989
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/exchange/mesh_exchange.h"

static int run(const struct chorale_call *call)
{
    struct chorale_mesh mesh;

    chorale_mesh_init_cube(&mesh, call->ctx->size);
    return chorale_mesh_exchange(call, &mesh);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_mesh mesh;

    chorale_mesh_init_cube(&mesh, pt->comm_size);
    return chorale_cost_mesh(&mesh, pt, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_mesh mesh;

    chorale_mesh_init_cube(&mesh, pt->comm_size);
    return chorale_scratch_mesh(&mesh, pt);
}

const struct chorale_alg chorale_alltoall_hypercube = {
    .coll = CHORALE_ALLTOALL,
    .name = "hypercube",
    .summary = "along the dimensions of a hypercube",
    .formula = "lg P (alpha + n/2 beta)",
    .source = "Johnsson, Ho, IEEE Transactions on Computers 38(9), 1989",
    .needs = CHORALE_NEEDS_POW2,
    .copies = { 3, 0 }, /* rotates, and lays each round's blocks together */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
