/* SPDX-License-Identifier: BSD-3-Clause */
/* line_updating.c - alltoall between neighbours on a line of ranks.
 *
 * Blocks travel upwards and downwards at the same time: single blocks in an
 * order that keeps the middle link busy (aggregate 0), or all remaining blocks
 * in one message (aggregate 1).
 *
 * Rounds  floor(P^2/4); aggregated P - 1      P = comm_size, n = m P bytes
 * Volume  about 2 floor(P^2/4) m bytes from the middle ranks
 * Cost    with two ports floor(P^2/4) (alpha + m beta); aggregated (P - 1)
 *         alpha + P (P - 1)/2 m beta. Stated for one port: at most twice that
 *         (P = 2: once), and one message more per step.
 * Needs   any P, any datatype, separate buffers; 4 m, aggregated 2 (n + m)
 *         bytes of scratch
 * Source  Chen, Lee, proposition 3.1; Chen's thesis, Cornell, 1993
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/updating.h"

static enum chorale_updating_kind kind(const long *param)
{
    return param[0] ? CHORALE_UPDATING_TOGETHER : CHORALE_UPDATING_LINE;
}

static int run(const struct chorale_call *call)
{
    return chorale_updating_run(call, kind(call->param));
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_updating(kind(pt->param), pt->comm_size,
                                 pt->msg_size, term, 0);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_updating(kind(pt->param), pt->comm_size,
                                    pt->msg_size);
}

static const long aggregate[] = { 0, 1 };

const struct chorale_alg chorale_alltoall_line_updating = {
    .coll = CHORALE_ALLTOALL,
    .name = "line_updating",
    .summary = "blocks pass from neighbour to neighbour on a line",
    .formula = "aggregate=0: <= (2 u(P) + floor(P/2) - 1) (alpha + n/P beta), "
               "u(P) = floor(P^2/4); aggregate=1: <= 2 (P-1) alpha + (P-1) n "
               "beta; two ports, aggregate=0: u(P) (alpha + n/P beta); two "
               "ports, aggregate=1: half of it",
    .source = "Chen, Lee, proposition 3.1; Chen, thesis, Cornell, 1993",
    .needs = CHORALE_NEEDS_SEPARATE,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.52,
    .within_default = 1.29,
    .overlaps = 1,
    .nparam = 1,
    .param = { {
        .name = "aggregate",
        .unit = "0: single blocks, 1: all in one message",
        .def = 0,
        .min = 0,
        .max = 1,
        .candidate = aggregate,
        .ncandidate = sizeof(aggregate) / sizeof(*aggregate),
    } },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
