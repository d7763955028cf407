/* SPDX-License-Identifier: BSD-3-Clause */
/* suite.c - a test of the source tree that suite.t makes. It ends as its file
 * name states: in any case, or only under the shim. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

static int rank, size;

/* Check collectives that a table serves. */
static int works(void)
{
    int good = 1;

    for (int i = 0; i < 4; i++) {
        int x = rank == 0 ? i : -1, sum = 0;

        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        good = good && x == i && sum == i * size;
    }
    return good;
}

static void hang(void)
{
    for (;;)
        sleep(1);
}

static int has_words(int argc, char **argv)
{
    const char *set = getenv("SUITE_WORD");

    return argc == 3 && strcmp(argv[1], "-n=5") == 0
        && strcmp(argv[2], "last") == 0 && set != NULL
        && strcmp(set, "one=two") == 0;
}

int main(int argc, char **argv)
{
    const int under = getenv("CHORALE_DISPATCH") != NULL;
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash != NULL ? slash + 1 : argv[0];
    int good = 1, code = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(name, "silent") != 0)
        good = works();
    if (strcmp(name, "hangs") == 0 || (under && strcmp(name, "waits") == 0))
        hang();
    if (strcmp(name, "fails") == 0 || (under && strcmp(name, "differs") == 0)
        || (strcmp(name, "words") == 0 && !has_words(argc, argv)))
        good = 0;
    if (under && strcmp(name, "ends") == 0)
        code = 3;
    if (!good && rank == 0)
        fprintf(stderr, "a value is wrong\n");
    if (rank == 0)
        printf(good ? " No Errors\n" : " Found 1 errors\n");
    MPI_Finalize();
    return code;
}
