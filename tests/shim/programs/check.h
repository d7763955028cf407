/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h - counts wrong results in the shim's test programs; rank 0 prints
 * the sum at the end. */
#ifndef CHORALE_TESTS_SHIM_PROGRAMS_CHECK_H
#define CHORALE_TESTS_SHIM_PROGRAMS_CHECK_H

#include <mpi.h>
#include <stdio.h>

static int check_wrong;

/* Check one condition; what and k identify it. */
__attribute__((unused)) static void check(int cond, const char *what, int k)
{
    if (!cond && check_wrong++ < 5) {
        printf("wrong: %s (%d)\n", what, k);
        fflush(stdout);
    }
}

/* Sum the wrong results over all ranks. Rank 0 prints "NAME: wrong=0". Returns
 * the sum. */
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
