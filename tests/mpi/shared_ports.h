/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_ports.h - time of a schedule where simultaneous messages share ports,
 * as in simulation: the overlapped critical path. Costs that add up the
 * messages one after the other are only a bound of it. */
#ifndef CHORALE_TESTS_MPI_SHARED_PORTS_H
#define CHORALE_TESTS_MPI_SHARED_PORTS_H

#include "algorithms/alg.h"

/* Header bytes of a message; their time is part of alpha. */
enum { SHARED_HEADER = 16 };

/* Seconds on a network with pt->alpha, beta and tau. Latencies overlap; bytes
 * and headers occupy the ports of both ranks, which simultaneous messages share
 * fairly. NAN without a schedule, without memory, and in builds for a real MPI
 * library. */
double shared_seconds(const struct chorale_alg *alg,
                      const struct chorale_point *pt);

#endif
