/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - a clock all ranks agree on.
 *
 * Ranks of one node share its monotonic clock. Between nodes, the first rank
 * of each exchanges round trips with rank 0; the fastest of them bounds the
 * offset from both sides (Cristian, Distributed Computing 3, 1989). In
 * simulation MPI_Wtime is one clock already. */
#include "config.h"

#include "runners/runner.h"

#include <math.h>
#include <time.h>

#ifdef CHORALE_SIM
#include <simgrid/actor.h>
#else
#include <sched.h>
#endif

#define NTRIP 64
#define NSTEP 200

static double local_now(void)
{
#ifdef CHORALE_SIM
    return PMPI_Wtime();
#else
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}

double chorale_clock_now(const struct chorale_bench *bench)
{
    return local_now() - bench->clock.offset;
}

void chorale_clock_wait(const struct chorale_bench *bench, double t)
{
#ifdef CHORALE_SIM
    double left = t - chorale_clock_now(bench);

    if (left > 0)
        sg_actor_sleep_for(left);
#else
    while (chorale_clock_now(bench) < t)
        if (bench->oversubscribed)
            sched_yield();
#endif
}

#ifndef CHORALE_SIM
/* Offset of this rank's clock against rank 0's by round trips. */
static int exchange(struct chorale_bench *bench, int peer, double *offset,
                    double *bound)
{
    double best = INFINITY;

    *offset = 0;
    for (int i = 0; i < NTRIP; i++) {
        double sent = local_now(), theirs = 0;
        int rc = chorale_send(bench->sync, NULL, 0, MPI_BYTE, peer);

        if (rc == MPI_SUCCESS)
            rc = chorale_recv(bench->sync, &theirs, 1, MPI_DOUBLE, peer);
        if (rc != MPI_SUCCESS)
            return rc;
        double back = local_now();
        if (back - sent < best) {
            best = back - sent;
            *offset = (sent + back) / 2 - theirs;
        }
    }
    *bound = best / 2;
    return MPI_SUCCESS;
}

static int answer(struct chorale_bench *bench, int peer)
{
    for (int i = 0; i < NTRIP; i++) {
        int rc = chorale_recv(bench->sync, NULL, 0, MPI_BYTE, peer);
        double now = local_now();

        if (rc == MPI_SUCCESS)
            rc = chorale_send(bench->sync, &now, 1, MPI_DOUBLE, peer);
        if (rc != MPI_SUCCESS)
            return rc;
    }
    return MPI_SUCCESS;
}

static double smallest_step(void)
{
    double step = INFINITY;

    for (int i = 0; i < NSTEP; i++) {
        double a = local_now(), b;
        int tries = 0;

        do
            b = local_now();
        while (b <= a && ++tries < 1000);
        if (b > a && b - a < step)
            step = b - a;
    }
    return isfinite(step) ? step : 0;
}

/* Round trips of every node's first rank with rank 0. */
static int agree(struct chorale_bench *bench, double *offset_p,
                 double *bound_p)
{
    double offset = 0, bound = 0;
    MPI_Comm node;
    int node_rank, first = 0, rc;

    rc = PMPI_Comm_split_type(bench->world, MPI_COMM_TYPE_SHARED, bench->rank,
                              MPI_INFO_NULL, &node);
    if (rc != MPI_SUCCESS)
        return rc;
    PMPI_Comm_rank(node, &node_rank);
    if (node_rank == 0)
        first = bench->rank;
    rc = PMPI_Bcast(&first, 1, MPI_INT, 0, node);
    for (int peer = 1; peer < bench->size && rc == MPI_SUCCESS; peer++) {
        int leads = peer == bench->rank && node_rank == 0 && first != 0;

        /* Rank 0 learns whether this peer leads another node. */
        if (bench->rank == peer)
            rc = chorale_send(bench->sync, &leads, 1, MPI_INT, 0);
        else if (bench->rank == 0)
            rc = chorale_recv(bench->sync, &leads, 1, MPI_INT, peer);
        if (rc == MPI_SUCCESS && leads && bench->rank == peer)
            rc = exchange(bench, 0, &offset, &bound);
        else if (rc == MPI_SUCCESS && leads && bench->rank == 0)
            rc = answer(bench, peer);
    }
    if (rc == MPI_SUCCESS)
        rc = PMPI_Bcast(&offset, 1, MPI_DOUBLE, 0, node);
    PMPI_Comm_free(&node);
    *offset_p = offset;
    *bound_p = bound;
    return rc;
}
#endif

int chorale_clock_agree(struct chorale_bench *bench)
{
    double offset = 0, bound = 0;
    int rc = MPI_SUCCESS;

    bench->clock.offset = 0;
    bench->clock.residual = 0;
    bench->clock.resolution = 0;
#ifndef CHORALE_SIM
    rc = agree(bench, &offset, &bound);
    bench->clock.resolution = smallest_step();
#endif
    if (rc == MPI_SUCCESS)
        rc = PMPI_Allreduce(MPI_IN_PLACE, &bound, 1, MPI_DOUBLE, MPI_MAX,
                            bench->world);
    bench->clock.offset = offset;
    bench->clock.residual = bound;
    return rc;
}
