/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - collectives with blocks that differ from rank to rank. An
 * ordinary MPI program, unaware of Chorale.
 *
 * Blocks are equal, rising, on one rank only, or empty; in any order in
 * memory, with gaps between and inside. Checks all values, and memory that MPI
 * must not touch. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "comms.h"
#include "names.h"

enum { ROOM = 1 << 19, MAX_SIZE = 64, EMPTY = -1 };

/* How block sizes differ. */
enum { RISING, EQUAL, ONE, NOTHING, NKIND };

static MPI_Comm comm;
static MPI_Datatype spread;  /* an int followed by a gap */
static int rank, size, kind;
static int quick; /* with an argument: fewer calls */
static int *in, *before, *out, *want;
static count_t scount[MAX_SIZE], rcount[MAX_SIZE];
static displ_t sdispl[MAX_SIZE], rdispl[MAX_SIZE];

static int value(int from, int to, int k)
{
    return (from * 1009 + to * 31 + k) % 1000003;
}

/* Number of elements of block b; n is about the mean. */
static int count_of(int b, int n)
{
    if (kind == EQUAL)
        return n;
    if (kind == NOTHING)
        return 0;
    if (kind == ONE)
        return b == size - 1 ? n * size : 0;
    return size > 1 ? 2 * n * b / (size - 1) : n;
}

/* From rank i to rank j. With two ranks it is the same in both directions. */
static int count_between(int i, int j, int n)
{
    return count_of((i + j) % size, n);
}

/* Places blocks in ascending or descending order, with a gap between them. On
 * one rank the allgatherv of MPICH 4.0 itself ignores the displacement: not
 * called. */
static int place(const count_t *count, displ_t *displ, int reversed)
{
    int next = size > 1;

    for (int i = 0; i < size; i++) {
        const int b = reversed ? size - 1 - i : i;

        displ[b] = next;
        next += (int)count[b] + 1;
    }
    return next;
}

static void clear(int *buf, int n)
{
    for (int i = 0; i < n; i++)
        buf[i] = EMPTY;
}

static void put(int *buf, int first, int step, int count, int from, int to)
{
    for (int k = 0; k < count; k++)
        buf[(first + k) * step] = value(from, to, k);
}

static void expect(const int *buf, const int *wanted, int n,
                   const char *what)
{
    check(memcmp(buf, wanted, (size_t)n * sizeof(int)) == 0, what, kind);
}

static void gatherv(int n, int root, int in_place, int step)
{
    const int mine = count_of(rank, n);
    int room;

    for (int r = 0; r < size; r++)
        rcount[r] = count_of(r, n);
    room = step * place(rcount, rdispl, 1);
    clear(out, room);
    clear(want, room);
    put(in, 0, 1, mine, rank, root);
    for (int r = 0; r < size; r++)
        put(want, (int)rdispl[r], step, (int)rcount[r], r, root);
    if (rank != root) { /* other arguments are not significant */
        MPI_Gatherv(mine > 0 ? in : NULL, mine, MPI_INT, NULL, NULL, NULL,
                    MPI_DATATYPE_NULL, root, comm);
        return;
    }
    if (in_place)
        put(out, (int)rdispl[rank], step, mine, rank, root);
    MPI_Gatherv(in_place ? MPI_IN_PLACE : in, mine, MPI_INT, out, rcount,
                rdispl, step == 1 ? MPI_INT : spread, root, comm);
    expect(out, want, room, "gatherv");
}

static void scatterv(int n, int root, int in_place, int step)
{
    const int mine = count_of(rank, n);
    int room;

    for (int r = 0; r < size; r++)
        scount[r] = count_of(r, n);
    room = step * place(scount, sdispl, 1);
    clear(out, mine + 1);
    clear(want, mine + 1);
    put(want, 0, 1, mine, root, rank);
    if (rank != root) {
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, out, mine, MPI_INT,
                     root, comm);
    } else {
        clear(in, room);
        for (int r = 0; r < size; r++)
            put(in, (int)sdispl[r], step, (int)scount[r], root, r);
        memcpy(before, in, (size_t)room * sizeof(int));
        MPI_Scatterv(in, scount, sdispl, step == 1 ? MPI_INT : spread,
                     in_place ? MPI_IN_PLACE : out, mine, MPI_INT, root,
                     comm);
        expect(in, before, room, "scatterv wrote its input");
        if (in_place)
            return;
    }
    expect(out, want, mine + 1, "scatterv");
}

/* Every other rank has gaps in its buffer, with equal signatures. From 32 KiB
 * on MPICH 4.0 itself cuts blocks by the extent of each rank's own type, so
 * ranks cut them differently: not called. */
static void allgatherv(int n, int in_place, int step)
{
    const int mine = count_of(rank, n);
    int room;

    if (rank % 2 == 0 && n <= 300)
        step = 1;
    for (int r = 0; r < size; r++)
        rcount[r] = count_of(r, n);
    room = step * place(rcount, rdispl, rank % 3 == 1);
    clear(out, room);
    clear(want, room);
    put(in, 0, 1, mine, rank, 0);
    for (int r = 0; r < size; r++)
        put(want, (int)rdispl[r], step, (int)rcount[r], r, 0);
    if (in_place)
        put(out, (int)rdispl[rank], step, mine, rank, 0);
    MPI_Allgatherv(in_place ? MPI_IN_PLACE : in, mine, MPI_INT, out, rcount,
                   rdispl, step == 1 ? MPI_INT : spread, comm);
    expect(out, want, room, "allgatherv");
}

static void alltoallv(int n, int in_place, int step)
{
    int room, sent;

    for (int r = 0; r < size; r++)
        scount[r] = rcount[r] = count_between(rank, r, n);
    room = step * place(rcount, rdispl, rank % 2);
    sent = place(scount, sdispl, 1);
    clear(out, room);
    clear(want, room);
    clear(in, sent);
    for (int r = 0; r < size; r++) {
        put(in, (int)sdispl[r], 1, (int)scount[r], rank, r);
        put(want, (int)rdispl[r], step, (int)rcount[r], r, rank);
        if (in_place)
            put(out, (int)rdispl[r], step, (int)rcount[r], rank, r);
    }
    if (in_place)
        MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out,
                      rcount, rdispl, step == 1 ? MPI_INT : spread, comm);
    else
        MPI_Alltoallv(in, scount, sdispl, MPI_INT, out, rcount, rdispl,
                      step == 1 ? MPI_INT : spread, comm);
    expect(out, want, room, "alltoallv");
}

/* Counts from i to j differ from those from j to i. */
static void alltoallv_one_way(int n)
{
    int room, sent;

    for (int r = 0; r < size; r++) {
        scount[r] = rank < r ? count_of(r, n) : 0;
        rcount[r] = r < rank ? count_of(rank, n) : 0;
    }
    room = place(rcount, rdispl, 0);
    sent = place(scount, sdispl, 0);
    clear(out, room);
    clear(want, room);
    clear(in, sent);
    for (int r = 0; r < size; r++) {
        put(in, (int)sdispl[r], 1, (int)scount[r], rank, r);
        put(want, (int)rdispl[r], 1, (int)rcount[r], r, rank);
    }
    MPI_Alltoallv(in, scount, sdispl, MPI_INT, out, rcount, rdispl, MPI_INT,
                  comm);
    expect(out, want, room, "alltoallv upwards");
}

static void reduce_scatter(int n, int in_place)
{
    int all = 0, first = 0;

    for (int r = 0; r < size; r++) {
        rcount[r] = count_of(r, n);
        if (r < rank)
            first += (int)rcount[r];
        all += (int)rcount[r];
    }
    put(in, 0, 1, all, rank, 0);
    memcpy(out, in, (size_t)all * sizeof(int));
    for (int k = 0; k < (int)rcount[rank]; k++) {
        want[k] = 0;
        for (int r = 0; r < size; r++)
            want[k] += value(r, 0, first + k);
    }
    MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : in, out, rcount, MPI_INT,
                       MPI_SUM, comm);
    expect(out, want, (int)rcount[rank], "reduce_scatter");
}

static void all_of(int n)
{
    for (int step = 1; step < 3; step++)
        for (int in_place = 0; in_place < 2; in_place++) {
            for (int root = 0; root < size; root += size > 1 ? size - 1 : 1) {
                gatherv(n, root, in_place, step);
                scatterv(n, root, in_place, step);
            }
            allgatherv(n, in_place, step);
            alltoallv(n, in_place, step);
        }
    alltoallv_one_way(n);
    reduce_scatter(n, 0);
    reduce_scatter(n, 1);
}

static void all(MPI_Comm on)
{
    static const int mean[] = { 1, 5, 300, 5000 };

    comm = on;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 4 - quick; i++)
        for (kind = 0; kind < NKIND; kind++)
            all_of(mean[i]);
}

int main(int argc, char **argv)
{
    int ret;

    MPI_Init(&argc, &argv);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    in = malloc(ROOM * sizeof(int));
    before = malloc(ROOM * sizeof(int));
    out = malloc(ROOM * sizeof(int));
    want = malloc(ROOM * sizeof(int));
    quick = argc > 1;
    on_comms(all, quick);
    free(in);
    free(before);
    free(out);
    free(want);
    MPI_Type_free(&spread);
    ret = check_done("blocks");
    MPI_Finalize();
    return ret != 0;
}
