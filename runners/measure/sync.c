/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.c - start repetitions together.
 *
 * Round-time scheme (Hunold, Carpen-Amarie, IEEE TPDS 27(12), 2016): when all
 * ranks have finished a repetition, rank 0 announces the start of the next one,
 * a little ahead on the common clock. Every rank waits for that time.
 * Window scheme: one announcement for a row of repetitions, each with a window
 * as long as it may take. Late ranks report it, and the lead grows. Barrier
 * scheme, if the clocks do not agree well enough: the ranks leave a barrier and
 * each times itself. In simulation the start is common by construction.
 *
 * With --announce rank 0 prints the cell of each repetition once all ranks have
 * finished the one before it. So a rank that ends or hangs does so in the cell
 * printed last. Each window is then announced, and the barrier scheme has a
 * second barrier, which no rank leaves before rank 0 has printed. */
#include "runners/measure/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree.h"

#define NCALIBRATE 20
#define LEAD 3.0        /* times the slowest announcement */
#define LEAST_SLACK 2e-6

const char *const chorale_sync_names[CHORALE_NSYNC] = { "roundtime", "window",
                                                        "barrier" };

double chorale_now_common(const struct chorale_bench *bench)
{
    return chorale_clock_now(&bench->clock);
}

double chorale_wait_common(const struct chorale_bench *bench, double t)
{
    return chorale_clock_wait(&bench->clock, t, bench->oversubscribed);
}

void chorale_sync_restart(struct chorale_bench *bench)
{
    bench->window = 0;
}

int chorale_sync_separate(struct chorale_bench *bench)
{
    return chorale_p2p_barrier(bench->sync);
}

int chorale_sync_end(struct chorale_bench *bench)
{
    return chorale_sync_barrier(bench);
}

#ifdef CHORALE_SIM
/* All ranks leave this barrier at the same simulated instant. */
int chorale_sync_barrier(struct chorale_bench *bench)
{
    (void)bench;
    chorale_shared_barrier();
    return MPI_SUCCESS;
}

double chorale_sync_start(struct chorale_bench *bench, enum chorale_sync how,
                          double window, double *in_p, int *late_p)
{
    (void)how;
    (void)window;
    chorale_shared_barrier();
    *late_p = 0;
    *in_p = chorale_now_common(bench);
    return *in_p;
}

int chorale_sync_calibrate(struct chorale_bench *bench)
{
    bench->slack = 0;
    return MPI_SUCCESS;
}
#else
/* Binomial broadcast of one double from rank 0. */
static int announce(struct chorale_bench *bench, double *value)
{
    int child[32], parent, rc = MPI_SUCCESS;
    int n = chorale_binomial(bench->world_rank, bench->world_size, &parent,
                             child);

    if (parent >= 0)
        rc = chorale_recv(bench->sync, value, 1, MPI_DOUBLE, parent);
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++)
        rc = chorale_send(bench->sync, value, 1, MPI_DOUBLE, child[i]);
    return rc;
}

static void print_cell(const struct chorale_bench *bench)
{
    if (bench->announce && bench->world_rank == 0 && bench->calling != 0) {
        printf("@try %lld\n", (long long)bench->calling);
        fflush(stdout);
    }
}

int chorale_sync_barrier(struct chorale_bench *bench)
{
    return chorale_sync_separate(bench);
}

/* Announce a start chosen by rank 0, a little ahead; 0 on error. */
static double announced(struct chorale_bench *bench)
{
    double start;

    /* All ranks must have finished the last repetition: otherwise rank 0 could
     * announce a start while others are busy. */
    if (chorale_sync_barrier(bench) != MPI_SUCCESS)
        return 0;
    print_cell(bench);
    start = chorale_now_common(bench) + bench->slack;
    return announce(bench, &start) == MPI_SUCCESS ? start : 0;
}

double chorale_sync_start(struct chorale_bench *bench, enum chorale_sync how,
                          double window, double *in_p, int *late_p)
{
    double start;

    if (how == CHORALE_SYNC_BARRIER) {
        bench->window = 0; /* the next common start is announced */
        *late_p = chorale_sync_barrier(bench) != MPI_SUCCESS;
        if (bench->announce && !*late_p) {
            print_cell(bench);
            *late_p = chorale_sync_barrier(bench) != MPI_SUCCESS;
        }
        *in_p = chorale_now_common(bench);
        return *in_p;
    }
    if (how == CHORALE_SYNC_WINDOW && bench->window > 0 && !bench->announce)
        start = bench->window;
    else
        start = announced(bench);
    bench->window = how == CHORALE_SYNC_WINDOW ? start + window : 0;
    *late_p = chorale_now_common(bench) > start;
    *in_p = chorale_wait_common(bench, start);
    return start;
}

int chorale_sync_calibrate(struct chorale_bench *bench)
{
    double worst = 0;
    int rc = MPI_SUCCESS;

    for (int i = 0; i < NCALIBRATE && rc == MPI_SUCCESS; i++) {
        double sent, delay;

        rc = chorale_sync_barrier(bench);
        sent = chorale_now_common(bench);
        if (rc == MPI_SUCCESS)
            rc = announce(bench, &sent);
        delay = chorale_now_common(bench) - sent;
        if (i > 0 && delay > worst) /* the first connects */
            worst = delay;
    }
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_allreduce(bench, &worst, 1, 0);
    /* One bad scheduling delay must not slow every repetition. */
    if (worst > 1e-3 && !bench->oversubscribed)
        worst = 1e-3;
    bench->slack = LEAD * worst + 2 * bench->clock.residual;
    if (bench->slack < LEAST_SLACK)
        bench->slack = LEAST_SLACK;
    return rc;
}
#endif
