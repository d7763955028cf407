/* SPDX-License-Identifier: BSD-3-Clause */
/* inplace_shift.c - alltoall by shifts of -1, 1, -2, 2, ..., in place.
 *
 * The block for the rank i above is saved while the one for the rank i below is
 * sent, which frees its place.
 *
 * Rounds  P - 1                               P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta), exact
 * Needs   any P, any datatype; in place with one packed block of scratch, with
 *         a send buffer without any copy
 * Source  Open MPI, coll/base (alltoall in place)
 */
#include "algorithms/catalogue.h"
#include "algorithms/cost.h"
#include "algorithms/engines/exchange/exchange_all.h"

const struct chorale_alg chorale_alltoall_inplace_shift = {
    .coll = CHORALE_ALLTOALL,
    .name = "inplace_shift",
    .summary = "shifts by -1, 1, -2, 2, ...; works in place",
    .formula = "(P-1) alpha + (P-1)/P n beta",
    .source = "Open MPI, coll/base",
    .run = chorale_exchange_shift_in_place,
    .cost = chorale_cost_in_turn,
    .scratch = chorale_scratch_in_place,
};
