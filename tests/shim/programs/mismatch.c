/* SPDX-License-Identifier: BSD-3-Clause */
/* mismatch.c - a program with an error that MPI libraries need not detect:
 * argv[1] names the argument in which the last rank's call differs. Messages
 * are short, so all ranks return. "none": a correct program. With -DLARGE,
 * "absent": large-count calls with a null array, in front of a library that
 * reports it; MPICH 4.0 itself crashes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { N = 4, MAX = 64 };

static int rank, size, other;
static int in[N * MAX], out[N * MAX], counts[MAX], displs[MAX];

static void one_of(const char *what)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    if (strcmp(what, "root") == 0)
        MPI_Bcast(in, N, MPI_INT, other ? rank : 0, comm);
    else if (strcmp(what, "count") == 0)
        MPI_Bcast(in, other ? 2 * N : N, MPI_INT, 0, comm);
    else if (strcmp(what, "type") == 0)
        MPI_Bcast(in, N, other ? MPI_FLOAT : MPI_INT, 0, comm);
    else if (strcmp(what, "op") == 0)
        MPI_Allreduce(in, out, N, MPI_INT, other ? MPI_MAX : MPI_SUM, comm);
    else if (strcmp(what, "collective") == 0 && other)
        MPI_Reduce(in, out, N, MPI_INT, MPI_SUM, 0, comm);
    else if (strcmp(what, "collective") == 0)
        MPI_Bcast(in, N, MPI_INT, 0, comm);
    else if (strcmp(what, "block") == 0)
        MPI_Gather(in, other ? N / 2 : N, MPI_INT, out, N, MPI_INT, 0, comm);
    else if (strcmp(what, "negative") == 0)
        MPI_Bcast(in, other ? -1 : N, MPI_INT, 0, comm);
}

#ifdef LARGE
/* The last rank is the root. */
static void absent(void)
{
    const int root = size - 1;
    MPI_Comm comm = MPI_COMM_WORLD;
    int rc;

    rc = MPI_Gatherv_c(in, N, MPI_INT, out, NULL, NULL, MPI_INT, root, comm);
    check(rc != MPI_SUCCESS, "gatherv", rc);
    rc = MPI_Scatterv_c(in, NULL, NULL, MPI_INT, out, 0, MPI_INT, root, comm);
    check(rc != MPI_SUCCESS, "scatterv", rc);
    rc = MPI_Allgatherv_c(in, N, MPI_INT, out, NULL, NULL, MPI_INT, comm);
    check(rc != MPI_SUCCESS, "allgatherv", rc);
    rc = MPI_Reduce_scatter_c(in, out, NULL, MPI_INT, MPI_SUM, comm);
    check(rc != MPI_SUCCESS, "reduce_scatter", rc);
    rc = MPI_Alltoallv_c(in, NULL, NULL, MPI_INT, out, NULL, NULL, MPI_INT,
                         comm);
    check(rc != MPI_SUCCESS, "alltoallv", rc);
    rc = MPI_Bcast_c(in, 1, MPI_INT, 0, comm);
    check(rc == MPI_SUCCESS, "the call after them", rc);
}
#endif

/* Correct calls, where ranks match in different ways. */
static void right(void)
{
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < 8; i++) {
        MPI_Bcast(in, other ? N / 2 : N, other ? pair : MPI_INT, i % size,
                  MPI_COMM_WORLD);
        MPI_Gather(in, N, MPI_INT, rank == 0 ? out : NULL,
                   rank == 0 ? N : -7, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Gather(rank == 0 ? MPI_IN_PLACE : in, rank == 0 ? -3 : N, MPI_INT,
                   out, rank == 0 ? N / 2 : 0, pair, 0, MPI_COMM_WORLD);
        MPI_Scatter(in, rank == 0 ? N : -5, MPI_INT, out, N, MPI_INT, 0,
                    MPI_COMM_WORLD);
        MPI_Bcast(in, 4 * N, other ? MPI_BYTE : MPI_CHAR, 0, MPI_COMM_WORLD);
        MPI_Allreduce(other ? MPI_IN_PLACE : in, out, N, MPI_INT, MPI_SUM,
                      MPI_COMM_WORLD);
        MPI_Gatherv(in, rank + 1, MPI_INT, out, counts, displs, MPI_INT, 0,
                    MPI_COMM_WORLD);
        MPI_Allgatherv(in, rank + 1, MPI_INT, out, counts, displs, MPI_INT,
                       MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = rank == size - 1;
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        displs[i] = i * (i + 1) / 2;
    }
    if (argc < 2 || strcmp(argv[1], "none") == 0
        || strcmp(argv[1], "absent") == 0) {
        int ret;

#ifdef LARGE
        absent();
#endif
        right();
        ret = check_done("mismatch");
        MPI_Finalize();
        return ret != 0;
    }
    one_of(argv[1]);
    _exit(0); /* MPI_Finalize may find unreceived messages */
}
