/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh2d.c - allgather along the rows, then the columns of a mesh.
 *
 * The mesh has rows x cols ranks, numbered row by row. A ring in every row is
 * followed by one in every column with the blocks of the whole row; or all
 * messages of a row, then of a column, are sent at once.
 *
 * Rounds  (cols - 1) + (rows - 1)             P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (cols - 1) (alpha + m beta) + (rows - 1) (alpha + cols m beta), exact
 *         for rings; less if messages sent at once overlap
 * Needs   P = rows cols, both 2 or more; rows 0: the most square mesh. Any
 *         datatype
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_allgather_mesh_run(call, 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_allgather_mesh_cost(pt, 2, term);
}

static const char *refuses(const struct chorale_point *pt)
{
    return chorale_mesh_refuses(pt, 2);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_allgather_mesh_scratch(pt, 2);
}

static int overlaps_at(const struct chorale_point *pt)
{
    return pt->param[1] == CHORALE_MESH_DIRECT;
}

const struct chorale_alg chorale_allgather_mesh2d = {
    .coll = CHORALE_ALLGATHER,
    .name = "mesh2d",
    .summary = "rings in the rows of a mesh, then in its columns; or directly",
    .formula = "(rows + cols - 2) alpha + (P-1)/P n beta, cols = P/rows",
    .source = "Faraj, Yuan, ICS 2005",
    .nparam = 2,
    .param = { CHORALE_MESH_PARAM("rows", "rows of the mesh, 0: most square",
                                  6),
               CHORALE_PARAM_MESH_WAY },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "P = rows columns, both 2 or more",
    .scratch = scratch,
    .within = 1,
    .overlaps_at = overlaps_at,
};
