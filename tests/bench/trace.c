/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.c - nanoseconds per call of a single rank (trace.sh): the fastest of
 * many short loops, which shows the cost of the code only. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { CALLS = 2000, TRIES = 300 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char buf[64];
static double x[8], y[8];

/* The same call again and again. */
static void same(int i)
{
    (void)i;
    MPI_Bcast(buf, 8, MPI_BYTE, 0, MPI_COMM_SELF);
}

/* Another size at each call. */
static void sizes(int i)
{
    MPI_Bcast(buf, i & 63, MPI_BYTE, 0, MPI_COMM_SELF);
}

static void reduction(int i)
{
    (void)i;
    MPI_Allreduce(x, y, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static double quickest(void (*call)(int))
{
    double best = 1;

    for (int k = 0; k < TRIES; k++) {
        double from = now(), took;

        for (int i = 0; i < CALLS; i++)
            call(i);
        took = (now() - from) / CALLS;
        if (took < best)
            best = took;
    }
    return 1e9 * best;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("%.1f %.1f %.1f\n", quickest(same), quickest(sizes),
           quickest(reduction));
    MPI_Finalize();
    return 0;
}
