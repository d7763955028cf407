/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_times.c - times of the operations of which collectives inside a node
 * consist: a message from rank 0 to rank 1, an exchange of both, and a copy by
 * all ranks at once. Sizes reach from 8 bytes (copies: 16 KiB) to 1 MiB. The
 * buffers are reused, so they stay in the caches. So do those of the library:
 * exchanges of the same size precede the times of a size.
 *
 * Over these sizes the MPI library changes its protocol: a copy through shared
 * memory by both ranks, or one copy by the kernel. The data also outgrow one
 * cache level after another. The fit finds its size regimes from these times
 * (tuner/model/memory_rows.h). */
#include "runners/measure/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/quantiles.h"

#define NTIME 21             /* repetitions of a time; the median counts */
#define MOST ((size_t)1 << 20)
#define COPY_FROM 16384      /* bytes; in times of shorter copies the common
                              * start and the clocks, 80 ns, weigh too much */

#define WARM 128             /* exchanges before the times of a size, up to */
#define WARM_UPTO 65536      /* this one [bytes]: libraries have tens of buffers
                              * of at most this size for messages */

#define COARSE 1e-5          /* s; a clock with larger steps times no message */
#define LONGEST 3.0          /* s for all; a machine that needs more runs other
                              * programs, or hosts several emulated nodes */

static const size_t sizes[CHORALE_MEMORY_SIZES] = {
    8,     32,    64,    128,   256,    512,    1024,   2048,  4096,
    8192,  12288, 16384, 24576, 32768,  49152,  65536,  98304, 131072,
    262144, 524288, MOST,
};

const char *const chorale_memory_kinds[CHORALE_NMEMORY] = {
    "message", "exchange", "copy",
};

/* This rank's part of one operation. */
static int operate(struct chorale_bench *bench, int kind, size_t bytes,
                   char *buf)
{
    struct chorale_ctx *ctx = bench->sync;
    MPI_Count n = (MPI_Count)bytes;
    int me = bench->world_rank;

    if (kind == CHORALE_MEMORY_COPY) {
        memcpy(buf, buf + MOST, bytes);
        __asm__ volatile("" : : "r"(buf) : "memory"); /* keep the copy */
        return MPI_SUCCESS;
    }
    if (me > 1)
        return MPI_SUCCESS;
    if (kind == CHORALE_MEMORY_EXCHANGE)
        return chorale_sendrecv(ctx, buf, n, MPI_BYTE, 1 - me, buf + MOST, n,
                                MPI_BYTE, 1 - me);
    return me == 0 ? chorale_send(ctx, buf, n, MPI_BYTE, 1)
                   : chorale_recv(ctx, buf + MOST, n, MPI_BYTE, 0);
}

/* Use the library's buffers for messages of this size in both directions. The
 * kernel takes microseconds for the first access to a page of shared memory.
 * Returns an MPI error code. */
static int warm_up(struct chorale_bench *bench, size_t bytes, char *buf)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; i < WARM && bytes <= WARM_UPTO && rc == MPI_SUCCESS; i++)
        rc = operate(bench, CHORALE_MEMORY_EXCHANGE, bytes, buf);
    return rc;
}

/* Set *seconds to the median time from the common start until the last rank has
 * finished. Returns an MPI error code. */
static int one_time(struct chorale_bench *bench, int kind, size_t bytes,
                    char *buf, double *seconds)
{
    double took[NTIME];
    int rc = MPI_SUCCESS, n = 0;

    for (int i = 0; i <= NTIME && rc == MPI_SUCCESS; i++) {
        double in, out, start;
        int late;

        start = chorale_sync_start(bench, CHORALE_SYNC_ROUNDTIME, 0, &in,
                                   &late);
        rc = operate(bench, kind, bytes, buf);
        out = chorale_now_common(bench);
        if (rc == MPI_SUCCESS)
            rc = chorale_p2p_allreduce(bench, &out, 1, 0);
        if (i > 0) /* the first repetition warms up */
            took[n++] = out - start;
    }
    if (rc != MPI_SUCCESS)
        return rc;
    chorale_sort(took, (size_t)n);
    *seconds = chorale_quantile(took, (size_t)n, 0.5);
    return MPI_SUCCESS;
}

/* Time a kind at one size, if less than LONGEST has passed on all ranks since
 * begin. Otherwise all times are dropped. Returns an MPI error code. */
static int take(struct chorale_bench *bench, int kind, size_t bytes, char *buf,
                double begin)
{
    struct chorale_memory_time *t = &bench->memory[bench->nmemory];
    double took = chorale_now_common(bench) - begin;
    int rc = chorale_p2p_allreduce(bench, &took, 1, 0);

    if (rc == MPI_SUCCESS && took > LONGEST) {
        bench->nmemory = 0;
        bench->memory_late = 1;
        return MPI_SUCCESS;
    }
    t->kind = kind;
    t->bytes = bytes;
    if (rc == MPI_SUCCESS && kind != CHORALE_MEMORY_COPY)
        rc = warm_up(bench, bytes, buf);
    if (rc == MPI_SUCCESS)
        rc = one_time(bench, kind, bytes, buf, &t->seconds);
    bench->nmemory += rc == MPI_SUCCESS && t->seconds > 0;
    return rc;
}

int chorale_memory_measure(struct chorale_bench *bench)
{
    const double begin = chorale_now_common(bench);
    int rc = MPI_SUCCESS, lacks;
    char *buf;

    bench->nmemory = bench->memory_late = 0;
    if (chorale_simulated() || bench->world_size < 2 || bench->oversubscribed ||
        bench->work.siblings > 1 || bench->node == NULL ||
        bench->node[0] != bench->node[1])
        return MPI_SUCCESS;
    buf = malloc(2 * MOST);
    /* The resolution is 0 if the clock made no step in a thousand readings. */
    lacks = buf == NULL || !(bench->clock.resolution > 0) ||
            bench->clock.resolution > COARSE;
    if (!lacks)
        memset(buf, 1, 2 * MOST);
    rc = chorale_p2p_max(bench, &lacks);
    for (int kind = 0; kind < CHORALE_NMEMORY && !lacks; kind++)
        for (int i = 0; i < CHORALE_MEMORY_SIZES && rc == MPI_SUCCESS; i++)
            if (kind != CHORALE_MEMORY_COPY || sizes[i] >= COPY_FROM)
                rc = take(bench, kind, sizes[i], buf, begin);
    free(buf);
    return rc;
}
