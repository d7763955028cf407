/* SPDX-License-Identifier: BSD-3-Clause */
/* torus2d_split.c - reduce-scatter by rings on a torus.
 *
 * The torus has R rows and C columns. Part s1 of each block takes rings in the
 * columns first, then in the rows; the rest takes the rows first, at the same
 * time.
 *
 * Rounds  max(R, C) - 1 twice                 P = comm_size, n = sum of m_i
 * Volume  at most n bytes from each rank, spread over its neighbours
 * Cost    with a port to each neighbour the two parts overlap, and with both
 *         also the halves of each that travel in opposite directions: the
 *         slower of s1 (R-1)/R n and (1-s1) (C-1)/C n, then of s1 (C-1) m and
 *         (1-s1) m, or half of that, with max(R,C) - 1 messages per ring
 *         each. s1 = (C-1)/C / ((R-1)/R + (C-1)/C) makes both parts take the
 *         same time in their first half. Stated for one port: all bytes, and
 *         the messages of all rings, 2 (R + C - 2), twice as many with both.
 *         Half as many messages and a quarter of the bytes are added, because
 *         unequal blocks make the rings lose step.
 * Needs   P = R C with R, C >= 2, any datatype, a commutative operation
 * Source  Chen, Lee, integration on a wrapped mesh
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/scatter_reduce_call.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_rs_cost_torus(pt, 1, term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_rs_torus_scratch(pt, 1);
}

const struct chorale_alg chorale_reduce_scatter_torus2d_split = {
    .coll = CHORALE_REDUCE_SCATTER,
    .name = "torus2d_split",
    .summary = "rings in columns and rows of a torus, in both orders at once",
    .formula = "<= 3 (1 + both) (rows + cols - 2) alpha + 1.25 (P-1) M beta "
               "+ (P-1) M tau, cols = P/rows, M the largest block; both=1, "
               "four ports, equal blocks: 2 (max(rows, cols) - 1) alpha + "
               "about n/4 beta + n tau; both=0, two ports: about n/2 beta",
    .source = "Chen, Lee, integration on a wrapped mesh",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .cost_is = CHORALE_COST_BOUND,
    .within = 2.1,
    .overlaps = 1,
    .nparam = 3,
    .param = { CHORALE_RS_TORUS_ROWS_PARAM, CHORALE_RS_TORUS_SHARE_PARAM,
               CHORALE_RS_TORUS_BOTH_PARAM },
    .copies = { 1, 0 }, /* as reduce_scatter_block */
    .run = chorale_rs_torus_run,
    .cost = cost,
    .refuses = chorale_rs_torus_refuses,
    .constraint = "P = 1, or rows columns with 2 <= rows <= columns",
    .scratch = scratch,
};
