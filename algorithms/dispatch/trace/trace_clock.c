/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_clock.c - differences of the ranks' clocks.
 *
 * Source  Cristian, Distributed Computing 3, 1989 (the answer with the shortest
 *         round trip). */
#include "config.h"

#include <math.h>

#include "algorithms/dispatch/trace/tick_clock.h"
#include "algorithms/dispatch/trace/trace_clock.h"

enum { TAG = 2, TRIES = 10 };

struct answer {
    uint64_t node;
    double now, seconds;     /* s: the root's time; the sender's difference */
};

double chorale_trace_seconds(void)
{
    return 1e-9 * (double)chorale_tick_clock();
}

/* Ask a rank for the root's time, TRIES times, and store the difference by the
 * answer with the shortest round trip. Returns an MPI error code. */
static int ask(MPI_Comm comm, int rank, uint64_t node,
               struct chorale_trace_offset *mine)
{
    double shortest = INFINITY;
    int rc = MPI_SUCCESS;

    for (int i = 0; i < TRIES && rc == MPI_SUCCESS; i++) {
        struct answer got = { 0, NAN, NAN };
        const double before = chorale_trace_seconds();
        double trip;

        rc = PMPI_Send(&node, (int)sizeof(node), MPI_BYTE, rank, TAG, comm);
        if (rc == MPI_SUCCESS)
            rc = PMPI_Recv(&got, (int)sizeof(got), MPI_BYTE, rank, TAG, comm,
                           MPI_STATUS_IGNORE);
        trip = chorale_trace_seconds() - before;
        if (rc != MPI_SUCCESS || trip >= shortest)
            continue;
        shortest = trip;
        mine->at = before + trip / 2;
        mine->seconds = got.node == node ? got.seconds : got.now - mine->at;
    }
    return rc;
}

static int answer(MPI_Comm comm, int rank, uint64_t node, double seconds)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; i < TRIES && rc == MPI_SUCCESS; i++) {
        uint64_t other;
        struct answer mine = { .node = node, .seconds = seconds };

        rc = PMPI_Recv(&other, (int)sizeof(other), MPI_BYTE, rank, TAG, comm,
                       MPI_STATUS_IGNORE);
        mine.now = chorale_trace_seconds() + seconds;
        if (rc == MPI_SUCCESS)
            rc = PMPI_Send(&mine, (int)sizeof(mine), MPI_BYTE, rank, TAG,
                           comm);
    }
    return rc;
}

struct chorale_trace_offset chorale_trace_offset_find(MPI_Comm comm, int root,
                                                      uint64_t node)
{
    struct chorale_trace_offset mine = { chorale_trace_seconds(), 0 };
    const struct chorale_trace_offset unknown = { mine.at, NAN };
    int rank, size, place, step = 1, rc = MPI_SUCCESS;

    if (comm == MPI_COMM_NULL || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
        PMPI_Comm_size(comm, &size) != MPI_SUCCESS)
        return unknown;
    place = (rank - root + size) % size;
    while (step < size && (place & step) == 0)
        step *= 2;
    if (place != 0)
        rc = ask(comm, (place - step + root) % size, node, &mine);
    for (step /= 2; step > 0 && rc == MPI_SUCCESS; step /= 2)
        if (place + step < size)
            rc = answer(comm, (place + step + root) % size, node,
                        mine.seconds);
    return rc == MPI_SUCCESS ? mine : unknown;
}

double chorale_trace_common(const struct chorale_trace_offset *first,
                            const struct chorale_trace_offset *last,
                            double seconds)
{
    const double span = last->at - first->at;
    const double share = span > 0 ? (seconds - first->at) / span : 0;

    return seconds + first->seconds + share * (last->seconds - first->seconds);
}
