/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c - allgatherv on a ring, whole or in segments.
 *
 * Every rank forwards the block received last. With segsize it forwards
 * segments of that many bytes: a large block then travels as a pipeline and
 * does not delay all ranks for P - 1 rounds.
 *
 * Rounds  P - 1; segments about S + P - 2     P = comm_size, M = max m_i,
 * Volume  n - m_{i+1} bytes from rank i       n = sum of m_i, s = segsize
 * Cost    (P - 1) (alpha + M beta), exact; segments: an upper bound, (S + S/(P
 *         - 1) + P - 2) (alpha + min(s, M) beta), S = segments of all blocks: a
 *         rank without any leaves a gap that travels around
 * Needs   any P, any datatype, displacements in any order; segments of a
 *         type with gaps pass through scratch
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; Traeff et al.,
 *         EuroPVM/MPI 2008
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/gather_all.h"

#include <limits.h>

static int run(const struct chorale_call *call)
{
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);

    if (err != MPI_SUCCESS)
        return err;
    if (call->param[0] == 0)
        return chorale_gather_all_ring(call->ctx, &b);
    return chorale_gather_all_segmented_ring(call->ctx, &b,
                                             (size_t)call->param[0]);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_gather_all_segmented_ring(
        CHORALE_SIZES_RAMP, pt, (size_t)pt->param[0], term);
}

static const long segsize[] = { 0,     1024,   4096,   8192,   16384,  32768,
                                65536, 131072, 262144, 524288, 1048576 };

const struct chorale_alg chorale_allgatherv_ring = {
    .coll = CHORALE_ALLGATHERV,
    .name = "ring",
    .summary = "every rank forwards the block or segment received last",
    .formula = "<= (P-1) (alpha + M beta), M the largest block; segsize > 0: "
               "<= T (alpha + s beta), T = ceil(n/s) + 2 P - 3; segsize > 0, "
               "P > 2: + floor(T/(P-1)) (alpha + s beta)",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; Traeff "
              "et al., EuroPVM/MPI 2008",
    .cost_is = CHORALE_COST_BOUND,
    .within = 2.19,
    .within_default = 1,
    .core = CHORALE_CORE_ANY,
    .nparam = 1,
    .param = { {
        .name = "segsize",
        .unit = "bytes, 0: whole blocks",
        .def = 0,
        .min = 0,
        .max = INT_MAX,
        .candidate = segsize,
        .ncandidate = sizeof(segsize) / sizeof(*segsize),
    } },
    .run = run,
    .cost = cost,
};
