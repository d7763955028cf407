/* SPDX-License-Identifier: BSD-3-Clause */
/* hybrid.c - one scatter variant for small blocks, another for large ones.
 *
 * Blocks of less than switch_bytes are small. The defaults follow Open MPI's
 * decision table for 64 processes or more.
 *
 * Rounds  as the selected variant             P = comm_size, n = m P bytes
 * Volume  as the variant
 * Cost    as the variant: all of them take (P - 1)/P n beta, and P - 1 or
 *         ceil(lg P) alpha
 * Needs   any P, any root, any datatype
 * Source  a rule of tutorials; Open MPI, coll/tuned, scatter decision
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/part.h"

#include <limits.h>

static const struct chorale_alg *const part[] = {
    &chorale_scatter_linear,
    &chorale_scatter_linear_nb,
    &chorale_scatter_binomial,
};
static const char *const part_word[] = { "linear", "linear_nb", "binomial" };
enum { LINEAR, LINEAR_NB, BINOMIAL, NPART };

/* Parameters: small, large, switch_bytes. m is equal on all ranks. */
static const struct chorale_alg *choose(size_t m, const long *param)
{
    return part[m < (size_t)param[2] ? param[0] : param[1]];
}

static int run(const struct chorale_call *call)
{
    size_t m = call->ctx->rank == call->root
                   ? chorale_type_size(call->sendtype) *
                         (size_t)call->sendcount
                   : chorale_type_size(call->recvtype) *
                         (size_t)call->recvcount;

    return chorale_part_run(choose(m, call->param), call);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_part_cost(choose(pt->msg_size, pt->param), pt, term);
}

static int overlaps_at(const struct chorale_point *pt)
{
    return chorale_part_overlaps(choose(pt->msg_size, pt->param), pt);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_part_scratch(choose(pt->msg_size, pt->param), pt);
}

static const long parts[] = { LINEAR, LINEAR_NB, BINOMIAL };
static const long switch_bytes[] = { 256, 512, 2048, 8192 };

const struct chorale_alg chorale_scatter_hybrid = {
    .coll = CHORALE_SCATTER,
    .name = "hybrid",
    .summary = "one variant for small blocks, another one for large blocks",
    .formula = "as the part that runs",
    .source = "Open MPI, coll/tuned, scatter decision",
    .nparam = 3,
    .param = { {
        .name = "small",
        .unit = "variant",
        .def = BINOMIAL,
        .min = 0,
        .max = NPART - 1,
        .candidate = parts,
        .ncandidate = NPART,
        .word = part_word,
    }, {
        .name = "large",
        .unit = "variant",
        .def = LINEAR_NB,
        .min = 0,
        .max = NPART - 1,
        .candidate = parts,
        .ncandidate = NPART,
        .word = part_word,
    }, {
        .name = "switch_bytes",
        .unit = "bytes a block: from there on they are large",
        .def = 512,
        .min = 0,
        .max = LONG_MAX,
        .candidate = switch_bytes,
        .ncandidate = sizeof(switch_bytes) / sizeof(*switch_bytes),
    } },
    .run = run,
    .cost = cost,
    .overlaps_at = overlaps_at,
    .scratch = scratch,
};
