/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier.c - no rank leaves a barrier before the last rank has entered. Each
 * rank in turn arrives late; then three barriers follow without a pause. */
#include "tests/mpi/clock.h"
#include "tests/mpi/problem.h"

enum { IN_A_ROW = 3, ROUNDS = MAX_RANKS + IN_A_ROW };

/* Far longer than a barrier takes. */
#define LATE 2e-3

void try_barrier(struct stage *st, const struct problem *p)
{
    int n = st->ctx->size, rounds = n + IN_A_ROW;
    double entered[ROUNDS] = { 0 }, left[ROUNDS] = { 0 };
    double last[ROUNDS], first[ROUNDS];

    for (int i = 0; i < rounds; i++) {
        struct chorale_call call = {
            .sendtype = MPI_DATATYPE_NULL,
            .recvtype = MPI_DATATYPE_NULL,
            .op = MPI_OP_NULL,
            .commutative = 1,
        };

        if (i == st->ctx->rank)
            clock_sleep(LATE);
        entered[i] = clock_now();
        problem_run(st, p, &call);
        left[i] = clock_now();
    }
    MPI_Allreduce(entered, last, rounds, MPI_DOUBLE, MPI_MAX, st->ctx->comm);
    MPI_Allreduce(left, first, rounds, MPI_DOUBLE, MPI_MIN, st->ctx->comm);
    for (int i = 0; i < rounds; i++)
        if (first[i] < last[i])
            problem_fail(st, p,
                         i < n ? "left before the late rank had "
                                 "entered; late rank"
                               : "left before the last had entered; round",
                         i);
}
