/* SPDX-License-Identifier: BSD-3-Clause */
/* lower_bound.c - physical lower bound of a collective: the time of one empty
 * message, plus the bytes that some rank must receive or send at the best
 * bandwidth. That is the bandwidth of the longest messages, or of shorter ones
 * if it is higher, as in caches. Messages are measured between neighbouring
 * ranks and between the first and last rank; the faster counts. If a rank in
 * the middle has several ports, as on a mesh of links, bytes may arrive through
 * all of them at once. */
#include "runners/measure/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORT (1 << 15)      /* bytes */
#define NTRIP 5              /* round trips of longer messages */
#define NTRIP_SHORT 20       /* of short ones, which other load delays more */
#define NTRIP_EMPTY 100
#define SLOW 0.02            /* s: a trip this long is repeated only once */
#define LONG (1 << 21)       /* bytes; beta is the slope from LONG to 2 LONG */
#define MARGIN 0.98          /* for rounding of clocks and lower overheads */
#define PORTS 8              /* most ports of a rank */
#define PORT_BYTES (1 << 18)
#define AS_LONG 1.2          /* factor within which a further message counts as
                              * coming through another port */

static int trips(size_t bytes)
{
    return bytes == 0 ? NTRIP_EMPTY : bytes > SHORT ? NTRIP : NTRIP_SHORT;
}

/* Rank 0 decides, and sends to peer, that slow messages make two trips only. */
static int agree(struct chorale_bench *bench, int peer, double took,
                 int *ntrip)
{
    char few = (char)(took > SLOW);
    int rc = bench->world_rank == 0
                 ? chorale_send(bench->sync, &few, 1, MPI_BYTE, peer)
                 : chorale_recv(bench->sync, &few, 1, MPI_BYTE, 0);

    if (few)
        *ntrip = 2;
    return rc;
}

/* Half of the shortest round trip between rank 0 and peer (ranks of world), s.
 * Lowers rank 0's *best to it. */
static int one_way(struct chorale_bench *bench, int peer, char *buf,
                   size_t bytes, double *best)
{
    int me = bench->world_rank, other = me == 0 ? peer : 0, rc = MPI_SUCCESS;
    int ntrip = trips(bytes);

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
        if (rc == MPI_SUCCESS && i == 0 && bytes > 0 &&
            !chorale_simulated())
            rc = agree(bench, peer, back - sent, &ntrip);
    }
    return rc;
}

/* Shortest one-way time of a message for which peer waits, by their shared
 * clock, as rank 0's *best, s. In shared memory half of a round trip takes up
 * to 1.5 times as long, because each rank answers from the buffer in which it
 * has just received. */
static int one_message(struct chorale_bench *bench, int peer, char *buf,
                       size_t bytes, double *best)
{
    int me = bench->world_rank, rc = MPI_SUCCESS;
    int ntrip = trips(bytes);

    if (me != 0 && me != peer)
        return MPI_SUCCESS;
    for (int i = 0; i < ntrip && rc == MPI_SUCCESS; i++) {
        double sent = 0, came = 0;

        if (me == peer) {
            rc = chorale_send(bench->sync, NULL, 0, MPI_BYTE, 0);
            if (rc == MPI_SUCCESS)
                rc = chorale_recv(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                                  0);
            came = chorale_now_common(bench);
            if (rc == MPI_SUCCESS)
                rc = chorale_send(bench->sync, &came, 1, MPI_DOUBLE, 0);
            continue;
        }
        rc = chorale_recv(bench->sync, NULL, 0, MPI_BYTE, peer);
        sent = chorale_now_common(bench);
        if (rc == MPI_SUCCESS)
            rc = chorale_send(bench->sync, buf, (MPI_Count)bytes, MPI_BYTE,
                              peer);
        if (rc == MPI_SUCCESS)
            rc = chorale_recv(bench->sync, &came, 1, MPI_DOUBLE, peer);
        if (rc == MPI_SUCCESS)
            *best = fmin(*best, came - sent);
    }
    return rc;
}

/* Shortest time of simultaneous messages from n ranks into root, s. buf holds n
 * messages. */
static int into(struct chorale_bench *bench, int root, const int *from, int n,
                char *buf, double *best)
{
    int me = bench->world_rank, rc = MPI_SUCCESS;
    int times = chorale_simulated() ? 1 : NTRIP;

    *best = INFINITY;
    for (int i = 0; i < times && rc == MPI_SUCCESS; i++) {
        MPI_Request req[PORTS];
        double in, out, start;
        int late;

        start = chorale_sync_start(bench, CHORALE_SYNC_ROUNDTIME, 0, &in,
                                   &late);
        for (int k = 0; k < n && rc == MPI_SUCCESS; k++) {
            if (me == root)
                rc = chorale_irecv(bench->sync, buf + (size_t)k * PORT_BYTES,
                                   PORT_BYTES, MPI_BYTE, from[k], &req[k]);
            else if (me == from[k])
                rc = chorale_send(bench->sync, buf, PORT_BYTES, MPI_BYTE,
                                  root);
        }
        if (me == root && rc == MPI_SUCCESS)
            rc = chorale_waitall(bench->sync, n, req);
        out = chorale_now_common(bench);
        if (rc == MPI_SUCCESS)
            rc = chorale_p2p_allreduce(bench, &out, 1, 0);
        *best = fmin(*best, out - start);
    }
    return rc;
}

/* The rank in the middle whose ports are counted. */
static int middle(int size)
{
    return size / 2 + (int)sqrt(size) / 2;
}

/* Number of ports of a rank in the middle: ranks that would be its neighbours
 * on a grid of any shape, and whose messages arrive together as fast as one. */
static int ports(struct chorale_bench *bench, char *buf, double *ports_p)
{
    int size = bench->world_size, root = middle(size);
    int from[PORTS], n = 0, rc = MPI_SUCCESS;
    double alone = INFINITY, all;

    for (int side = 1; side < size && rc == MPI_SUCCESS; side++)
        for (int way = -1; way <= 1 && size % side == 0; way += 2) {
            int peer = (root + way * side + size) % size, known = 0;

            for (int k = 0; k < n; k++)
                known |= from[k] == peer;
            if (known || peer == root || n == PORTS || rc != MPI_SUCCESS)
                continue;
            from[n] = peer;
            rc = into(bench, root, from, n + 1, buf, &all);
            if (n == 0)
                alone = all;
            n += n == 0 || all <= AS_LONG * alone;
        }
    *ports_p = n;
    return rc;
}

static int counts_ports(const struct chorale_bench *bench)
{
    return bench->size > 2 && bench->work.siblings < 2 &&
           !bench->oversubscribed && !(bench->floor_ports > 0) &&
           (!chorale_simulated() || bench->size <= CHORALE_DISTANCE_RANKS);
}

/* Bytes of the messages that this rank sends or receives. Memory for the
 * longest message on every rank would be 4 GB at P = 1024. */
static size_t room(const struct chorale_bench *bench)
{
    int apart = bench->work.siblings, me = bench->world_rank;

    if (me == 0 || me == apart || me == (bench->size - 1) * apart)
        return 2 * LONG;
    if (!counts_ports(bench))
        return 1;
    return me == middle(bench->size) ? PORTS * PORT_BYTES : PORT_BYTES;
}

int chorale_floor_measure(struct chorale_bench *bench)
{
    const size_t bytes[CHORALE_NWAY] = { 0,        SHORT / 4, SHORT,
                                         8 * SHORT, LONG,     2 * LONG };
    enum { ONE = CHORALE_NWAY - 2, TWO = CHORALE_NWAY - 1 };
    double best[CHORALE_NWAY], once[CHORALE_NWAY];
    char *buf = calloc(room(bench), 1);
    int lacks = buf == NULL, rc;

    for (int i = 0; i < CHORALE_NWAY; i++) {
        best[i] = bench->floor_way[i] > 0 ? bench->floor_way[i] : INFINITY;
        once[i] = bench->floor_once[i] > 0 ? bench->floor_once[i] : INFINITY;
    }
    rc = chorale_p2p_max(bench, &lacks);
    for (int i = 0; i < CHORALE_NWAY && rc == MPI_SUCCESS && !lacks &&
                    bench->size > 1; i++) {
        if (chorale_simulated() && i > 0 && i < ONE)
            continue; /* no caches, and the values stay 0 */
        rc = one_way(bench, bench->work.siblings, buf, bytes[i], &best[i]);
        if (rc == MPI_SUCCESS && bench->size > 2)
            rc = one_way(bench, (bench->size - 1) * bench->work.siblings,
                         buf, bytes[i], &best[i]);
        if (rc == MPI_SUCCESS && i > 0 && bench->clock.shared &&
            !chorale_simulated())
            rc = one_message(bench, bench->work.siblings, buf, bytes[i],
                             &once[i]);
    }
    if (bench->world_rank == 0 && isfinite(best[TWO])) {
        memcpy(bench->floor_way, best, sizeof(best));
        double alpha = best[0]; /* subtracted from the times of longer ones */

        bench->floor_alpha = best[0];
        /* If a message with data is not slower than the empty one, other
         * programs delayed the empty one, and alpha is unknown. */
        for (int i = 1; i < CHORALE_NWAY; i++)
            if (fmin(best[i], once[i]) <= best[0]) {
                alpha = 0;
                bench->floor_alpha =
                    fmin(bench->floor_alpha, fmin(best[i], once[i]));
            }
        bench->floor_beta =
            fmax(0, fmin(best[TWO] - best[ONE], best[ONE]) / LONG);
        memcpy(bench->floor_once, once, sizeof(once));
        bench->floor_least = bench->floor_beta;
        for (int i = 1; i < CHORALE_NWAY; i++)
            bench->floor_least =
                fmax(0, fmin(bench->floor_least,
                             (fmin(best[i], once[i]) - alpha) /
                                 (double)bytes[i]));
    }
    if (rc == MPI_SUCCESS && !lacks && counts_ports(bench))
        rc = ports(bench, buf, &bench->floor_ports);
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
        /* The mean block is m; the largest, 2 m, may need no message, and with
         * two ranks then no message is needed at all. */
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
    return MARGIN * (bench->floor_alpha +
                     bench->floor_least * bytes / fmax(1, bench->floor_ports));
}

int chorale_median_below_floor(const struct chorale_bench *bench,
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
