/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh3d.c - allgather along the three dimensions of a mesh.
 *
 * The mesh has rows x cols x z ranks, z fastest. Rings run along z, then along
 * the columns with the blocks received so far, then along the rows; or all
 * messages of a dimension are sent at once.
 *
 * Rounds  (z - 1) + (cols - 1) + (rows - 1)   P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (z - 1) (alpha + m beta) + (cols - 1) (alpha + z m beta) + (rows - 1)
 *         (alpha + cols z m beta), exact for rings; less if messages sent at
 *         once overlap
 * Needs   P = rows cols z, each 2 or more; rows, cols 0: the shortest side of
 *         the most cubic mesh, of the most square rest. Any datatype
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_mesh_run(call, 3);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_allgather_mesh_cost(pt, 3, term);
}

static const char *refuses(const struct chorale_point *pt)
{
    return chorale_mesh_refuses(pt, 3);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_allgather_mesh_scratch(pt, 3);
}

static int overlaps_at(const struct chorale_point *pt)
{
    return pt->param[2] == CHORALE_MESH_DIRECT;
}

const struct chorale_alg chorale_allgather_mesh3d = {
    .coll = CHORALE_ALLGATHER,
    .name = "mesh3d",
    .summary = "rings along the three dimensions of a mesh, one by one",
    .formula = "(rows + cols + z - 3) alpha + (P-1)/P n beta, z = P/(rows "
               "cols)",
    .source = "Faraj, Yuan, ICS 2005",
    .nparam = 3,
    .param = { CHORALE_MESH_PARAM("rows", "slowest dimension, 0: most cubic",
                                  5),
               CHORALE_MESH_PARAM_BY("cols",
                                     "second dimension, 0: most square rest",
                                     5, CHORALE_BY_FULL),
               CHORALE_PARAM_MESH_WAY },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P of three factors, all 2 or more",
    .scratch = scratch,
    .within = 1,
    .overlaps_at = overlaps_at,
};
