/* SPDX-License-Identifier: BSD-3-Clause */
/* padded_bruck.c - alltoallv by Bruck's algorithm with padded blocks.
 *
 * The ranks agree on the size of the largest block and then exchange slots of
 * that size like alltoall bruck.
 *
 * Rounds  2 ceil(lg P), 2 more for the allreduce of a folded P
 * Volume  M times the bits of 1 ... P - 1 from each rank, M = the largest
 *         block
 * Cost    that of allreduce recursive_doubling of 8 bytes, and of alltoall
 *         bruck with blocks of M
 * Needs   any P, any datatype; up to 2 P M bytes of scratch; works in place
 * Source  Fan et al., HPDC 2022
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/bruck.h"

#include <stdint.h>

/* Largest block of all ranks in bytes. The caller releases the scratch. */
static int agree(const struct chorale_exchange *ex, size_t *slot)
{
    int64_t *most = chorale_scratch(ex->ctx, sizeof(*most));
    struct chorale_call call = {
        .ctx = ex->ctx,
        .sendbuf = MPI_IN_PLACE,
        .recvbuf = most,
        .recvcount = 1,
        .recvtype = MPI_INT64_T,
        .op = MPI_MAX,
        .commutative = 1,
    };
    int err;

    if (most == NULL)
        return MPI_ERR_NO_MEM;
    *most = (int64_t)chorale_blocks_largest(&ex->out) *
            (int64_t)chorale_type_size(ex->out.type);
    err = chorale_allreduce_recursive_doubling.run(&call);
    *slot = (size_t)*most;
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_exchange ex = chorale_exchange_of(call);
    size_t mark = chorale_scratch_mark(call->ctx);
    size_t slot = 0;
    int err = agree(&ex, &slot);

    if (err == MPI_SUCCESS)
        err = chorale_bruck(&ex, slot, 2);
    chorale_scratch_release(call->ctx, mark);
    return err;
}

static size_t slot_of(const struct chorale_point *pt)
{
    return chorale_ramp(pt->msg_size, pt->type_size, pt->comm_size,
                        pt->comm_size - 1);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point first = *pt;
    int n;

    if (pt->comm_size < 2)
        return 0;
    first.msg_size = first.n = first.type_size = 8;
    n = chorale_allreduce_recursive_doubling.cost(&first, term);
    return n + chorale_cost_bruck(pt->comm_size, 2, (double)slot_of(pt),
                                  term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    size_t slots = chorale_scratch_bruck(pt->comm_size, 2, slot_of(pt),
                                         pt->in_place);

    if (pt->comm_size < 2)
        return sizeof(int64_t);
    return slots + 2 * slot_of(pt) + 2 * sizeof(int64_t);
}

const struct chorale_alg chorale_alltoallv_padded_bruck = {
    .coll = CHORALE_ALLTOALLV,
    .name = "padded_bruck",
    .summary = "bruck with all blocks padded to the largest",
    .formula = "F (alpha + 8 beta + 8 tau) + ceil(lg P) alpha + W M beta, "
               "F = floor(lg P), W the ones of the binary numbers below P, M "
               "the largest block; P not a power of two: + 2 (alpha + 8 beta) "
               "+ 8 tau",
    .source = "Fan et al., HPDC 2022",
    .patents = "US 9,772,876",
    .tells = 1,
    /* as alltoall bruck, with the largest block in every place */
    .copies = { 6, 2 },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
