/* SPDX-License-Identifier: BSD-3-Clause */
/* shared.h - how long a schedule takes where the messages that are under way at
 * once share ports, as they do in simulation: the overlapped path, that a cost
 * of one message after the other only bounds. */
#ifndef CHORALE_TESTS_MPI_SHARED_H
#define CHORALE_TESTS_MPI_SHARED_H

#include "algorithms/alg.h"

/* Bytes of each message's header: their time is a part of alpha. */
enum { SHARED_HEADER = 16 };

/* Seconds, on a network of pt->alpha, beta and tau: latencies pass beside each
 * other, bytes and headers go through the ports of both ranks, which their
 * messages share fairly. NAN if there is no schedule, or no memory. Only in
 * simulation, else NAN too. */
double shared_seconds(const struct chorale_alg *alg,
                      const struct chorale_point *pt);

#endif
