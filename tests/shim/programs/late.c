/* SPDX-License-Identifier: BSD-3-Clause */
/* late.c LIBRARY RANK|all none|dup|half - loads a library after the first
 * communicators were set up.
 *
 * The steps are:
 * - broadcasts of 1024 bytes on MPI_COMM_WORLD, and of 1000 on a half of it;
 * - dlopen of LIBRARY, on that rank or on all;
 * - broadcasts of 3000 bytes on a new communicator: of all ranks (dup), of the
 *   half again (half), or none;
 * - broadcasts of 2048 and 2000 bytes on the first two communicators.
 *
 * LATE_THREADS=1 in the environment starts with MPI_THREAD_MULTIPLE. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 8 };

static char buf[4096];

static int bcasts(MPI_Comm comm, int n)
{
    int rank, size, wrong = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < TIMES; i++) {
        memset(buf, rank == i % size ? i + 1 : 0, (size_t)n);
        MPI_Bcast(buf, n, MPI_CHAR, i % size, comm);
        for (int k = 0; k < n; k++)
            wrong += buf[k] != i + 1;
    }
    return wrong;
}

static int load(const char *library, const char *who, int rank)
{
    if (strcmp(who, "all") != 0 && atoi(who) != rank)
        return 0;
    if (dlopen(library, RTLD_NOW | RTLD_GLOBAL) != NULL)
        return 0;
    fprintf(stderr, "late: %s\n", dlerror());
    return 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 3 ? argv[3] : "";
    MPI_Comm half, next = MPI_COMM_NULL;
    int rank, level, wrong = argc != 4, sum = 1;

    MPI_Init_thread(&argc, &argv, getenv("LATE_THREADS") != NULL
                                      ? MPI_THREAD_MULTIPLE
                                      : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    wrong += bcasts(MPI_COMM_WORLD, 1024);
    wrong += bcasts(half, 1000);
    if (wrong == 0)
        wrong += load(argv[1], argv[2], rank);
    if (strcmp(how, "dup") == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &next);
    else if (strcmp(how, "half") == 0)
        MPI_Comm_dup(half, &next);
    if (next != MPI_COMM_NULL) {
        wrong += bcasts(next, 3000);
        MPI_Comm_free(&next);
    }
    wrong += bcasts(MPI_COMM_WORLD, 2048);
    wrong += bcasts(half, 2000);
    MPI_Comm_free(&half);
    MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("late: wrong=%d\n", sum);
    fflush(stdout);
    MPI_Finalize();
    return sum != 0;
}
