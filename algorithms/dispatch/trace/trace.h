/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.h - which collectives an application calls, and for how long.
 *
 *   CHORALE_TRACE=FILE      count the calls of this process; rank 0 writes
 *                           FILE in MPI_Finalize, of all ranks together
 *   CHORALE_TRACE_SIGNAL=N  at this signal a process writes what it has so far
 *                           to FILE.rankR, at its next traced call
 *
 * Calls are summed by what they pose and by what ran them: a row per
 * (collective, n, comm_size, shape, type, operation, root, variant). Whatever
 * goes wrong costs one line on stderr and the program goes on untraced.
 *
 * FILE is text, a line each, words separated by one space:
 *
 *   chorale-trace 1                  the format's version
 *   mpi MPICH Version: 4.0.2         the rest of the line
 *   program NAME
 *   started 2026-01-31T12:00:00Z     when MPI_Init returned, UTC
 *   comm_size 4                      of MPI_COMM_WORLD
 *   ranks 4                          how many of them are summed here
 *   part RANK WHY                    only if it is one rank's, and why so
 *   wall_seconds 12.5 12.6           from MPI_Init to MPI_Finalize, mean over
 *                                    ranks, and the longest
 *   unlisted 0 0                     calls that are in no row (arguments were
 *                                    wrong, or out of memory), and their time
 *   columns coll n comm_size shape type op root ran rank_calls calls
 *           seconds max_seconds      (one line)
 *   bcast 1024 4 single-node double - first library 400 100 0.012 0.013
 *   end 1                            how many rows there were
 *
 * n [bytes] is that of the models (HACKING.md), of gatherv, scatterv and
 * alltoallv the mean over the calls, as no rank knows a single one's. type is
 * byte, int, int64, float, double, other (predefined) or derived; op is -,
 * sum, prod, min, max, band, bor, bxor, other (predefined) or user; root is -,
 * first, middle (any in between) or last; ran is library, or variant:params.
 * rank_calls and seconds are sums over the ranks, so that seconds divided by
 * ranks and by wall_seconds is a share of the run; calls are operations:
 * rank_calls / comm_size, if all ranks are summed, else the same scaled up.
 * max_seconds is the sum of the rank that spent most.
 */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/table/settings.h"
#include "algorithms/dispatch/trace/trace_enabled.h"

/* Read the environment, after MPI_Init; secure: do not. Once a process.
 * suffix: put after the file's name. Returns what is to be given to
 * chorale_trace_join(): 0, or this rank wants to trace. */
int chorale_trace_wish(int secure, const char *suffix,
                       void (*warn)(const char *line));

/* Begin, if any rank wants to: largest is the largest wish. Collective over
 * MPI_COMM_WORLD; at most once. All its ranks will meet again in
 * chorale_trace_finish(), also those that do not trace. */
void chorale_trace_join(int largest);

/* Begin without the others, if this rank wants to. It may join later. */
void chorale_trace_alone(void);

/* Sum up over MPI_COMM_WORLD and write the file; collective over it where
 * chorale_trace_join() was, else each process that traces writes its own part.
 * The first time counts. Before the library's MPI_Finalize does anything. */
void chorale_trace_finish(void);

/* Write this process's part now, with the reason (and a line on stderr; NULL:
 * the signal). Nothing if it does not trace. Not collective. */
void chorale_trace_part(const char *why);

void chorale_trace_call_slow(enum chorale_coll coll, MPI_Comm comm,
                             const struct chorale_call *call,
                             const struct chorale_ints *ints);
void chorale_trace_ran_slow(const struct chorale_plan *plan);

/* Inside chorale_trace_open() and chorale_trace_done(): what is called, from
 * where on its time counts; and, if it is not the library's, what runs it. */
static inline void chorale_trace_call(enum chorale_coll coll, MPI_Comm comm,
                                      const struct chorale_call *call,
                                      const struct chorale_ints *ints)
{
    if (atomic_load_explicit(&chorale_trace_on, memory_order_acquire))
        chorale_trace_call_slow(coll, comm, call, ints);
}

static inline void chorale_trace_ran(const struct chorale_plan *plan)
{
    if (atomic_load_explicit(&chorale_trace_on, memory_order_acquire))
        chorale_trace_ran_slow(plan);
}

#endif
