/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh3d.c - alltoall along the three dimensions of a mesh, the last one first.
 *
 * The mesh has rows x cols x depth ranks. All blocks for one coordinate travel
 * in one message; the messages of one dimension are in flight together.
 *
 * Rounds  (x - 1) + (y - 1) + (z - 1)         P = x y z, n = m P bytes
 * Volume  n (3 - 1/x - 1/y - 1/z) from each rank
 * Cost    sum over the dimensions d of (d - 1) (alpha + P/d m beta); less if
 *         messages in flight overlap
 * Needs   P with three factors above 1, any datatype; at most 4 n bytes of
 *         scratch; works in place
 * Source  Johnsson, Ho, IEEE Transactions on Computers 38(9), 1989
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/exchange/mesh_exchange.h"

static int run(const struct chorale_call *call)
{
    return chorale_alltoall_mesh_run(call, 3);
}

static const char *refuses(const struct chorale_point *pt)
{
    return chorale_mesh_refuses(pt, 3);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_alltoall_mesh_cost(pt, 3, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_alltoall_mesh_scratch(pt, 3);
}

const struct chorale_alg chorale_alltoall_mesh3d = {
    .coll = CHORALE_ALLTOALL,
    .name = "mesh3d",
    .summary = "along the three dimensions of a mesh",
    .formula = "(x+y+z-3) alpha + (3 - 1/x - 1/y - 1/z) n beta, x = rows, y = "
               "cols, z = P/(x y)",
    .source = "Johnsson, Ho, IEEE Transactions on Computers 38(9), 1989",
    .overlaps = 1,
    .nparam = 2,
    .param = { CHORALE_MESH_PARAM("rows",
                                  "rows, 0: as near to a cube as can be", 5),
               CHORALE_MESH_PARAM_BY("cols",
                                     "columns, 0: as near to a cube as can be",
                                     5, CHORALE_BY_FULL) },
    .copies = { 3, 0 }, /* each phase sorts the blocks */
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P of three factors, all 2 or more",
    .scratch = scratch,
};
