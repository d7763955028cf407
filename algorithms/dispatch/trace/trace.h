/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.h - records which collectives an application calls, and their time.
 *
 *   CHORALE_TRACE=FILE      count the calls of this process; in MPI_Finalize
 *                           rank 0 writes FILE, the sum over all ranks
 *   CHORALE_TRACE_SIGNAL=N  after signal N a process writes its own counts to
 *                           FILE.rankR at the end of its next traced call
 *
 * Calls are summed by their arguments and by the variant that ran: a row for
 * each (collective, n, comm_size, shape, type, operation, root, variant). Any
 * failure prints one line on stderr, and the program continues untraced.
 *
 * FILE is text; words are separated by one space:
 *
 *   chorale-trace 2                  version of the format
 *   mpi MPICH Version: 4.0.2         the rest of the line
 *   program NAME
 *   started 2026-01-31T12:00:00Z     when MPI_Init returned, UTC; with
 *                                    libchorale the first call
 *   comm_size 4                      of MPI_COMM_WORLD
 *   ranks 4                          number of ranks summed here
 *   launched 4                       only if the launcher started another
 *                                    number of processes than comm_size
 *   oversubscribed 4 2               only if more ranks than processors are on
 *                                    the writing rank's node: both numbers
 *   part RANK WHY                    only in the file of a single rank, with
 *                                    the reason
 *   wall_seconds 12.5 12.6           from `started` to MPI_Finalize, including
 *                                    the application's callbacks on
 *                                    MPI_COMM_SELF: mean over ranks, maximum
 *   unlisted 0 0                     calls in no row (invalid arguments, too
 *                                    many different calls, or out of memory),
 *                                    and their seconds
 *   columns coll n comm_size shape type op root ran rank_calls calls
 *           seconds max_seconds skew late trend latest   (one line)
 *   bcast 1024 4 single-node double - first library 400 100 0.012 0.013
 *           5e-05 0.25 0.9 3         (one line)
 *   end 1                            number of rows
 *
 * The columns are:
 * - n: bytes of the operation, as in the models. For gatherv, scatterv and
 *   alltoallv the mean over the calls, as no rank knows it for a single call.
 * - type: byte, int, int64, float, double, other (predefined) or derived.
 * - op: -, sum, prod, min, max, band, bor, bxor, other (predefined) or user.
 * - root: -, first, middle (any in between) or last.
 * - ran: library, or variant:params.
 * - rank_calls, seconds: sums over the ranks. seconds / (ranks * wall_seconds)
 *   is the share of the run.
 * - calls: operations, which is rank_calls / comm_size if all ranks are
 *   summed; otherwise scaled up to all ranks.
 * - max_seconds: seconds of the rank that spent most.
 * - skew, late, trend, latest: how late ranks enter the calls, from the mean
 *   time of entry of each rank of MPI_COMM_WORLD. Lateness that varies between
 *   calls averages out. "-": unknown, as for smaller communicators and for
 *   ranks with different numbers of calls.
 *   - skew: s between the first and the last rank.
 *   - late: mean lateness, as a share of skew.
 *   - trend: slope over the ranks, 1 if rank r is late by r / (P - 1) of skew.
 *   - latest: the rank that enters last. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/table/settings.h"
#include "algorithms/dispatch/trace/trace_enabled.h"

/* Read the environment. Call once, after MPI_Init.
 *
 * secure  set-user-id process: ignore the environment
 * suffix  appended to the file's name
 * warn    receives one line for an invalid setting
 *
 * Returns the value to combine by maximum over all ranks and to pass to
 * chorale_trace_join(): 0, or positive if this rank wants to trace. */
int chorale_trace_wish(int secure, const char *suffix,
                       void (*warn)(const char *line));

/* Start tracing if any rank wants to. largest: the maximum over all ranks of
 * chorale_trace_wish(). Collective over MPI_COMM_WORLD; call at most once. All
 * ranks, also those that do not trace, meet again in chorale_trace_finish(). */
void chorale_trace_join(int largest);

/* Start tracing without the other ranks, if this rank wants to. It may join
 * later. */
void chorale_trace_alone(void);

/* Write the trace; later calls are not traced. MPI_Finalize calls it by the
 * attribute of MPI_COMM_SELF that also ends the dispatcher, so that collectives
 * in callbacks before it are served and traced. Collective over MPI_COMM_WORLD
 * after chorale_trace_join(), which sums over all ranks. Otherwise each tracing
 * process writes its own file. A second call does nothing. */
void chorale_trace_finish(void);

/* Write this process's file now. why: the reason, also printed on stderr;
 * NULL: the signal. Does nothing if the process does not trace. Not
 * collective. */
void chorale_trace_part(const char *why);

void chorale_trace_call_slow(enum chorale_coll coll, MPI_Comm comm,
                             const struct chorale_call *call,
                             const struct chorale_ints *ints);
void chorale_trace_ran_slow(const struct chorale_plan *plan);

/* Called between chorale_trace_open() and chorale_trace_done():
 * chorale_trace_call() records the arguments and starts the clock;
 * chorale_trace_ran() records the variant, if it is not the library. */
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
