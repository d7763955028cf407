/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_time.h - compare the times of a call with and without the shim. Both
 * ways alternate; the result is the median difference of adjacent pairs. */
#ifndef CHORALE_TESTS_BENCH_SHIM_TIME_H
#define CHORALE_TESTS_BENCH_SHIM_TIME_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 500, ROUNDS = 2001 };

static int rounds = ROUNDS; /* lowered if ranks wait for each other */

/* Monotonic time in ns. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof(*x), compare);
    return x[n / 2];
}

static double time_of(void (*volatile call)(int))
{
    double t = now();

    for (int i = 0; i < CALLS; i++)
        call(i);
    return (now() - t) / CALLS;
}

/* Print the median extra ns of a call through the shim, the median of the plain
 * call, and whether the extra time exceeds target. */
static void show(const char *what, void (*plainly)(int), void (*shim)(int),
                 double target)
{
    static double plain[ROUNDS], more[ROUNDS];
    int rank, size;
    double cost;

    for (int i = 0; i < rounds; i++) {
        const int turn = i & 1;
        double a = time_of(turn ? shim : plainly);
        double b = time_of(turn ? plainly : shim);

        plain[i] = turn ? b : a;
        more[i] = turn ? a - b : b - a;
    }
    cost = median(more, rounds);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("# %-34s P = %d: %5.1f ns more than %5.1f (at most %.0f)%s\n",
               what, size, cost, median(plain, rounds), target,
               cost > target ? ", MISSED" : "");
}

#endif
