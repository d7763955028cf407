/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_clock.h - a clock that all ranks share, so that a trace can tell which
 * ranks enter a call late. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_CLOCK_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_CLOCK_H

#include <stdint.h>

#include "algorithms/dispatch/base/pmpi.h"

/* The difference between the root's CLOCK_MONOTONIC and this rank's. */
struct chorale_trace_offset {
    double at, seconds;      /* s: this rank's clock when it was measured, and
                              * what to add to it; NAN: unknown */
};

/* Measure the difference, along a binomial tree in ceil(lg P) steps: each rank
 * asks its parent for the time, and keeps the shortest of several answers. Its
 * error is at most half a round trip for each step. Ranks of one node share
 * their clock: difference 0.
 *
 * comm  over all ranks, without other messages; MPI_COMM_NULL: unknown
 * node  of this rank, equal on ranks that share a clock
 *
 * Collective over comm. */
struct chorale_trace_offset chorale_trace_offset_find(MPI_Comm comm, int root,
                                                      uint64_t node);

/* Now, s, by CLOCK_MONOTONIC. */
double chorale_trace_seconds(void);

/* The root's clock when this rank's clock showed `seconds`: the difference is
 * interpolated linearly between two measurements, as clocks drift. NAN if one
 * of them is unknown. */
double chorale_trace_common(const struct chorale_trace_offset *first,
                            const struct chorale_trace_offset *last,
                            double seconds);

#endif
