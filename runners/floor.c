/* SPDX-License-Identifier: BSD-3-Clause */
/* floor.c - what no collective can be faster than: one message of no bytes,
 * and the bytes that some rank must receive (or send) anyway, at the
 * bandwidth of the longest messages. Measured between neighbours in rank and
 * between the ends, the quicker of which counts. */
#include "runners/runner.h"

#include <math.h>
#include <stdlib.h>

#define NTRIP 5              /* of long messages */
#define NTRIP_EMPTY 100      /* of empty ones, which other load delays more */
#define LONG (1 << 21)       /* bytes; the slope is taken to twice as many */
#define MARGIN 0.98          /* rounding of clocks, lower overheads */

/* One way from rank 0 to peer, both of world: half the quickest round trip;
 * rank 0's result. In simulation the first is as good as any. */
static int one_way(struct chorale_bench *bench, int peer, char *buf,
                   size_t bytes, double *best)
{
    int me = bench->world_rank, other = me == 0 ? peer : 0, rc = MPI_SUCCESS;
    int ntrip = bytes > 0 ? NTRIP : NTRIP_EMPTY;

    if (me != 0 && me != peer)
        return MPI_SUCCESS;
    for (int i = 0; i < ntrip && rc == MPI_SUCCESS; i++) {
        double sent = chorale_now_common(bench), back;

        if (me == 0)
            rc = chorale_send(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                              other);
        if (rc == MPI_SUCCESS)
            rc = chorale_recv(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                              other);
        if (rc == MPI_SUCCESS && me != 0)
            rc = chorale_send(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                              other);
        back = chorale_now_common(bench);
        if ((back - sent) / 2 < *best)
            *best = (back - sent) / 2;
    }
    return rc;
}

int chorale_floor_measure(struct chorale_bench *bench)
{
    const size_t bytes[3] = { 0, LONG, 2 * LONG };
    double best[3] = { INFINITY, INFINITY, INFINITY };
    char *buf = calloc(bytes[2], 1);
    int lacks = buf == NULL, rc;

    rc = chorale_own_most(bench, &lacks);
    for (int i = 0; i < 3 && rc == MPI_SUCCESS && !lacks && bench->size > 1;
         i++) {
        rc = one_way(bench, bench->work.siblings, buf, bytes[i], &best[i]);
        if (rc == MPI_SUCCESS && bench->size > 2)
            rc = one_way(bench, (bench->size - 1) * bench->work.siblings,
                         buf, bytes[i], &best[i]);
    }
    if (bench->world_rank == 0 && isfinite(best[2])) {
        double beta = fmin(best[2] - best[1], best[1]) / LONG;
        int first = !(bench->floor_alpha > 0);

        if (first || best[0] < bench->floor_alpha)
            bench->floor_alpha = best[0];
        if (first || beta < bench->floor_beta)
            bench->floor_beta = fmax(0, beta);
    }
    free(buf);
    return rc;
}

double chorale_floor(const struct chorale_bench *bench,
                     const struct chorale_task *task)
{
    double m = (double)task->msg_size, bytes = m;

    if (bench->size < 2)
        return 0;
    switch ((enum chorale_coll)task->coll) {
    case CHORALE_BARRIER:
        bytes = 0;
        break;
    case CHORALE_GATHER:
    case CHORALE_SCATTER:
    case CHORALE_ALLGATHER:
    case CHORALE_ALLTOALL:
    case CHORALE_REDUCE_SCATTER_BLOCK:
        bytes = m * (bench->size - 1);
        break;
    case CHORALE_GATHERV:
    case CHORALE_SCATTERV:
    case CHORALE_ALLGATHERV:
    case CHORALE_ALLTOALLV:
    case CHORALE_REDUCE_SCATTER:
        /* The blocks' mean is m; the largest, 2 m, may stay at home, and
         * then two ranks have nothing to say to each other. */
        bytes = bench->size > 2 ? m * (bench->size - 2) : 0;
        break;
    case CHORALE_BCAST:
    case CHORALE_REDUCE:
    case CHORALE_ALLREDUCE:
    case CHORALE_SCAN:
    case CHORALE_EXSCAN:
    case CHORALE_NCOLL:
        break;
    }
    if (task->coll != CHORALE_BARRIER && !(bytes > 0))
        return 0;
    return MARGIN * (bench->floor_alpha + bench->floor_beta * bytes);
}

int chorale_floor_below(const struct chorale_bench *bench,
                        const struct chorale_task *task, double median,
                        int separated, double separator)
{
    double least = chorale_floor(bench, task);

    if (task->metric != CHORALE_METRIC_DURATION)
        return 0;
    if (separated && !(median > 0))
        return 1;
    if (separated && least > 0)
        least += MARGIN * bench->floor_alpha;
    return median + separator < least;
}
