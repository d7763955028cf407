/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh2d.c - alltoall along the rows, then the columns of a mesh.
 *
 * Along a row, all blocks for one column travel in one message. The messages of
 * a row, or of a column, are in flight together.
 *
 * Rounds  (x - 1) + (y - 1)                   P = x y, n = m P bytes,
 * Volume  n (2 - 1/x - 1/y) from each rank    x rows, y columns
 * Cost    (y - 1) (alpha + x m beta) + (x - 1) (alpha + y m beta); less if
 *         messages in flight overlap
 * Needs   P with two factors above 1, any datatype; n + 2 (n - n/y) bytes of
 *         scratch; works in place
 * Source  Johnsson, Ho, IEEE Transactions on Computers 38(9), 1989
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/exchange/mesh_exchange.h"

static int run(const struct chorale_call *call)
{
    return chorale_alltoall_mesh_run(call, 2);
}

static const char *refuses(const struct chorale_point *pt)
{
    return chorale_mesh_refuses(pt, 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_alltoall_mesh_cost(pt, 2, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_alltoall_mesh_scratch(pt, 2);
}

const struct chorale_alg chorale_alltoall_mesh2d = {
    .coll = CHORALE_ALLTOALL,
    .name = "mesh2d",
    .summary = "along the rows of a mesh, then along its columns",
    .formula = "(x+y-2) alpha + (2 - 1/x - 1/y) n beta, x = rows, y = P/x",
    .source = "Johnsson, Ho, IEEE Transactions on Computers 38(9), 1989",
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_MESH_PARAM("rows", "rows, 0: as square as can be", 6) },
    .copies = { 2, 2 }, /* each phase sorts the blocks */
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P = rows columns, both 2 or more",
    .scratch = scratch,
};
