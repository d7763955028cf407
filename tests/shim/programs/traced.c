/* SPDX-License-Identifier: BSD-3-Clause */
/* traced.c - makes known calls, so that its trace is known. The first argument
 * selects them. Exits with 0 if MPI gave the right results. */
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { N = 512 };

static int rank, size;
static double in[N], out[64 * N]; /* for up to 64 ranks */

static void rooted(void)
{
    int *a = (int *)in, *b = (int *)out;

    for (int i = 0; i < 10; i++)
        MPI_Bcast(in, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++)
        MPI_Bcast(in, 33, MPI_BYTE, size - 1, MPI_COMM_WORLD);
    MPI_Reduce(a, b, 6, MPI_INT, MPI_SUM, size / 2, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, b, 3, MPI_INT, 0,
                   MPI_COMM_WORLD);
    else
        MPI_Gather(a, 3, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, 0,
                   MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Scatter(out, 5, MPI_LONG, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, 0,
                    MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, in, 5, MPI_LONG, 0,
                    MPI_COMM_WORLD);
}

static void first(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)a;
    (void)b;
    (void)count;
    (void)type;
}

static void unrooted(void)
{
    MPI_Datatype pair;
    MPI_Op op;

    for (int i = 0; i < 7; i++)
        MPI_Allreduce(MPI_IN_PLACE, in, 20, MPI_FLOAT, MPI_MAX,
                      MPI_COMM_WORLD);
    MPI_Allgather(in, 5, MPI_BYTE, out, 5, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(out, in, 2, MPI_LONG, MPI_BXOR, MPI_COMM_WORLD);
    MPI_Type_contiguous(3, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(in, 2, pair, 0, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
    MPI_Op_create(first, 1, &op);
    MPI_Allreduce(in, out, 2, MPI_SHORT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Allreduce(in, out, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
}

/* Blocks of rank + 1 integers; from rank i to rank j, i + 1 integers. */
static void irregular(void)
{
    int count[64], place[64], mine[64], none[64], *a = (int *)in;
    int *b = (int *)out, sum = size * (size + 1) / 2;

    for (int i = 0; i < size; i++) {
        count[i] = i + 1;
        place[i] = i * (i + 1) / 2;
        mine[i] = rank + 1;
        none[i] = i * (rank + 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Scan(a, b, 9, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Exscan(a, b, 9, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Reduce_scatter(b, a, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgatherv(a, rank + 1, MPI_INT, b, count, place, MPI_INT,
                   MPI_COMM_WORLD);
    for (int root = 0; root < size; root += size > 1 ? size - 1 : 1) {
        MPI_Gatherv(rank == root ? MPI_IN_PLACE : (void *)a, rank + 1,
                    MPI_INT, b, count, place, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Scatterv(b, count, place, MPI_INT,
                     rank == root ? MPI_IN_PLACE : (void *)a, rank + 1,
                     MPI_INT, root, MPI_COMM_WORLD);
    }
    MPI_Alltoallv(a, mine, none, MPI_INT, b + sum, count, place, MPI_INT,
                  MPI_COMM_WORLD);
}

/* The same arguments on a duplicate add to the same rows; on half of the ranks
 * they make new rows; on an inter-communicator no row. */
static void others(void)
{
    MPI_Comm twin, half, two;

    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Bcast(in, 100, MPI_DOUBLE, 0, twin);
    MPI_Comm_free(&twin);
    MPI_Bcast(in, 100, MPI_DOUBLE, 0, MPI_COMM_SELF);
    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, 0, &half);
    MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
                         rank < size / 2 ? size / 2 : 0, 7, &two);
    MPI_Allreduce(in, out, 77, MPI_DOUBLE, MPI_SUM, two);
    MPI_Comm_free(&two);
    MPI_Comm_free(&half);
}

static void wrong_arguments(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(MPI_Bcast(in, -1, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS,
          "negative count", 0);
    check(MPI_Bcast(in, 1, MPI_INT, size, MPI_COMM_WORLD) != MPI_SUCCESS,
          "root", 0);
}

static void *work(void *data)
{
    MPI_Comm *comm = data;

    for (int i = 0; i < 500; i++) {
        MPI_Bcast(in, 8, MPI_INT, 0, *comm);
        MPI_Bcast(in, 1 + i, MPI_BYTE, 0, *comm);
    }
    return NULL;
}

static int threads(void)
{
    enum { NTHREAD = 4 };
    pthread_t thread[NTHREAD];
    MPI_Comm comm[NTHREAD];

    for (int i = 0; i < NTHREAD; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < NTHREAD; i++)
        pthread_create(&thread[i], NULL, work, &comm[i]);
    for (int i = 0; i < NTHREAD; i++) {
        pthread_join(thread[i], NULL);
        MPI_Comm_free(&comm[i]);
    }
    return 0;
}

/* More rows than the first table holds. */
static void many(void)
{
    for (int i = 0; i < 2000; i++)
        MPI_Bcast(out, i, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* Rank 2 enters each reduction 0.1 s late, the root each broadcast. */
static void late(void)
{
    const struct timespec while_late = { 0, 100000000 };

    for (int i = 0; i < 5; i++) {
        if (rank == 2)
            nanosleep(&while_late, NULL);
        MPI_Allreduce(in, out, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            nanosleep(&while_late, NULL);
        MPI_Bcast(in, 8, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void signalled(void)
{
    for (int i = 0; i < 5; i++)
        MPI_Bcast(in, 8, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == size - 1)
        raise(SIGUSR2);
    for (int i = 0; i < 3; i++)
        MPI_Bcast(in, 8, MPI_INT, 0, MPI_COMM_WORLD);
}

static int run(const char *what)
{
    if (strcmp(what, "threads") == 0)
        return threads();
    if (strcmp(what, "many") == 0)
        many();
    else if (strcmp(what, "late") == 0)
        late();
    else if (strcmp(what, "signal") == 0)
        signalled();
    else if (strcmp(what, "wrong") == 0)
        wrong_arguments();
    else
        rooted(), unrooted(), irregular(), others();
    if (strcmp(what, "abort") == 0 && rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 9);
    while (strcmp(what, "abort") == 0)
        pause(); /* in MPI the loss of a peer may end a rank first */
    if (strcmp(what, "exit") == 0)
        exit(0);
    if (strcmp(what, "vanish") == 0 && rank == size - 1)
        exit(0); /* the others finalize */
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "calls";
    int provided, need = strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE
                                                      : MPI_THREAD_SINGLE;

    setlocale(LC_ALL, "");
    if (need == MPI_THREAD_SINGLE)
        MPI_Init(&argc, &argv);
    else
        MPI_Init_thread(&argc, &argv, need, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (need != MPI_THREAD_SINGLE && provided < need) {
        MPI_Finalize();
        return 77;
    }
    if (argc > 2 && chdir(argv[2]) != 0)
        check(0, "chdir", 0);
    run(what);
    MPI_Finalize();
    return check_wrong != 0;
}
