/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h - what the shim's test programs share: counting what is wrong and
 * saying it on rank 0 at the end. */
#ifndef CHORALE_TESTS_SHIM_PROGRAMS_CHECK_H
#define CHORALE_TESTS_SHIM_PROGRAMS_CHECK_H

#include <mpi.h>
#include <stdio.h>

static int check_wrong;

/* One fact; what and a number tell which. */
__attribute__((unused)) static void check(int cond, const char *what, int k)
{
    if (!cond && check_wrong++ < 5) {
        printf("wrong: %s (%d)\n", what, k);
        fflush(stdout);
    }
}

/* Sum over the ranks, said by rank 0: "NAME: wrong=0". Returns it. */
__attribute__((unused)) static int check_done(const char *name)
{
    int rank, sum = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&check_wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: wrong=%d\n", name, sum);
    fflush(stdout);
    return sum;
}

#endif
