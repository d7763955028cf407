/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - one clock for all ranks of a test: simulated time or host time. */
#ifndef CHORALE_TESTS_MPI_CLOCK_H
#define CHORALE_TESTS_MPI_CLOCK_H

#include <mpi.h>

/* Seconds of simulated time, or of the host's monotonic clock, which all of its
 * processes share. */
double clock_now(void);

/* Let this rank sleep for so many seconds of that clock. */
void clock_sleep(double seconds);

/* Barrier that all ranks leave at the same simulated time, to a nanosecond. On
 * a real machine they leave as soon as the messages of the others arrive. */
void clock_start_together(MPI_Comm comm);

#endif
