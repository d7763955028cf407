/* SPDX-License-Identifier: BSD-3-Clause */
/* kary.c - broadcast in segments down a complete k-ary tree.
 *
 * P = comm_size, n = bytes, s = segsize, S = ceil(n/s)
 *
 * Rounds  radix (S - 1) + steps, steps <= radix H, H the height
 * Volume  (P - 1) n bytes in total, radix n from each inner rank
 * Cost    (radix (S - 1) + steps) (alpha + s beta), exact for P > radix: steps
 *         of the last rank reached, each child in its turn; a short last
 *         segment counts with its own size. With recv_preposted=0 a rank
 *         receives a segment only after it has passed on the previous one:
 *         radix + 1 replaces radix if a child of the root has radix children
 * Needs   any P, any root, any datatype. segsize 0: S = 1
 * Source  Worringen, LCN 2003
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/pipeline.h"

static struct chorale_flow flow(const long *param)
{
    return (struct chorale_flow){
        .shape = CHORALE_KARY,
        .radix = param[0],
        .segsize = param[1],
        .waits = param[2] == 0,
    };
}

CHORALE_FLOW_BCAST(flow)

const struct chorale_alg chorale_bcast_kary = {
    .coll = CHORALE_BCAST,
    .name = "kary",
    .summary = "segments flow down a complete k-ary tree",
    .formula = "<= (k H + (S-1) k) (alpha + s beta), k = min(radix, P-1), H = "
               "ceil(log_radix(P (radix-1) + 1)) - 1; recv_preposted=0: + "
               "(S-1) (alpha + s beta)",
    .source = "Worringen, LCN 2003",
    .fallback = "a radix beyond P - 1 is P - 1",
    .nparam = 3,
    .param = { CHORALE_PARAM_RADIX(4),
               CHORALE_PARAM_SEGSIZE(8192),
               {
                   .name = "recv_preposted",
                   .unit = "0: receive a segment after sending the previous",
                   .def = 1,
                   .min = 0,
                   .max = 1,
                   .candidate = chorale_no_yes,
                   .ncandidate = 2,
               } },
    .run = run,
    .cost = cost,
};
