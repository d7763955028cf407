/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_clock.h - a clock that all ranks share, by which a trace finds which
 * ranks enter a call late. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_CLOCK_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_CLOCK_H

#include <stdint.h>

#include "algorithms/dispatch/base/pmpi.h"

/* The difference between the root's CLOCK_MONOTONIC and this rank's. */
struct chorale_trace_offset {
    double at;               /* s: this rank's clock at the measurement */
    double seconds;          /* to add to this rank's clock; NAN: unknown */
};

/* Measure the difference, along a binomial tree in ceil(lg P) steps. Each rank
 * asks its parent for the time and keeps the answer with the shortest round
 * trip. The error is at most half a round trip for each step. Ranks of one node
 * share their clock, so a child has the difference of a parent on its node.
 *
 * comm  over all ranks, without other messages; MPI_COMM_NULL: the result is
 *       unknown
 * root  rank whose clock is the common one
 * node  of this rank, equal on ranks that share a clock
 *
 * Collective over comm. `seconds` of the result is NAN after an MPI error. */
struct chorale_trace_offset chorale_trace_offset_find(MPI_Comm comm, int root,
                                                      uint64_t node);

/* The time of CLOCK_MONOTONIC in seconds. */
double chorale_trace_seconds(void);

/* The root's clock when this rank's clock showed `seconds`: the difference is
 * interpolated linearly between two measurements, as clocks drift. NAN if one
 * of them is unknown. */
double chorale_trace_common(const struct chorale_trace_offset *first,
                            const struct chorale_trace_offset *last,
                            double seconds);

#endif
