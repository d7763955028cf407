/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - one clock for all ranks of a test, simulated or this host's. */
#ifndef CHORALE_TESTS_MPI_CLOCK_H
#define CHORALE_TESTS_MPI_CLOCK_H

#include <mpi.h>

/* Seconds. In simulation the simulated time, else of the host's clock, which
 * all its processes share. */
double clock_now(void);

/* Let this rank sleep, in that time. */
void clock_sleep(double seconds);

/* All ranks leave at the same instant of simulated time, to a nanosecond. In
 * reality: after each other's messages. */
void clock_start_together(MPI_Comm comm);

#endif
