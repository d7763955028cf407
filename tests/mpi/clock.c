/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - one clock for all ranks: simulated time or host time. */
#include "tests/mpi/clock.h"

#include <time.h>

static struct timespec split(double seconds)
{
    struct timespec ts;

    ts.tv_sec = (time_t)seconds;
    ts.tv_nsec = (long)((seconds - (double)ts.tv_sec) * 1e9 + 0.5);
    if (ts.tv_nsec >= 1000000000L) {
        ts.tv_sec++;
        ts.tv_nsec = 0;
    }
    return ts;
}

#ifdef CHORALE_SIM
int smpi_nanosleep(const struct timespec *tp, struct timespec *rest);

double clock_now(void)
{
    return MPI_Wtime();
}

void clock_sleep(double seconds)
{
    struct timespec ts = split(seconds);

    smpi_nanosleep(&ts, NULL);
}

void clock_start_together(MPI_Comm comm)
{
    double now = MPI_Wtime(), last;

    MPI_Allreduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    clock_sleep(last + 0.5 - MPI_Wtime());
}
#else
double clock_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

void clock_sleep(double seconds)
{
    struct timespec ts = split(seconds);

    nanosleep(&ts, NULL);
}

void clock_start_together(MPI_Comm comm)
{
    MPI_Barrier(comm);
}
#endif
