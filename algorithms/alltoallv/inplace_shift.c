/* SPDX-License-Identifier: BSD-3-Clause */
/* inplace_shift.c - alltoallv by shifts of -1, 1, -2, 2, ..., in place.
 *
 * The block for the rank i above is saved while the one for the rank i below is
 * sent, which frees its place.
 *
 * Rounds  P - 1                               P = comm_size
 * Volume  as given by the call; empty blocks are not sent
 * Cost    at most (P - 1) (alpha + M beta), M the largest block. On the ramp
 *         exact: the two rounds of odd i take the largest block, those of even
 *         i the second largest, except in the last round of odd P.
 * Needs   any P, any datatype; in place with the largest block of scratch,
 *         with a send buffer without any copy
 * Source  Open MPI, coll/base (alltoallv in place)
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/exchange_all.h"

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int p = pt->comm_size, half = p / 2;
    int odd = (half + 1) / 2 * 2, even = half / 2 * 2; /* rounds */
    size_t m = pt->msg_size;

    if (p < 2 || m == 0)
        return 0;
    if (p % 2 == 0) /* i = P/2 is one round */
        *(half % 2 ? &odd : &even) -= 1;
    else if (half % 2 == 0) {
        odd++;
        even--;
    }
    term[0] = (struct chorale_term){
        .messages = odd,
        .bytes = (double)chorale_ramp(m, pt->type_size, p, p - 1),
    };
    term[1] = (struct chorale_term){
        .messages = even,
        .bytes = (double)chorale_ramp(m, pt->type_size, p, p - 2),
    };
    return even > 0 ? 2 : 1;
}

const struct chorale_alg chorale_alltoallv_inplace_shift = {
    .coll = CHORALE_ALLTOALLV,
    .name = "inplace_shift",
    .summary = "shifts by -1, 1, -2, 2, ...; works in place",
    .formula = "<= (P-1) (alpha + M beta), M the largest block",
    .source = "Open MPI, coll/base",
    .run = chorale_exchange_shift_in_place,
    .cost = cost,
    .scratch = chorale_scratch_in_place_v,
};
