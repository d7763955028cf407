/* SPDX-License-Identifier: BSD-3-Clause */
/* count_mismatch.c - broadcasts whose counts differ between the ranks: argv[1] ints at
 * the root, argv[2] elsewhere, or, with argv[3], of the last rank alone. All
 * that are not the root are told (there: the last rank is), all come back, and
 * the calls after that are right. */
#include <stdlib.h>

#include "check.h"

enum { MOST = 1 << 16 };

static int rank, size, handled, class;
static int buf[MOST];

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    MPI_Error_class(*code, &class);
    handled++;
}

/* Of other lengths, from all ranks, so that nothing is left of others. */
static void right_after(MPI_Comm comm, int n)
{
    const int before = handled;

    for (int root = 0; root < size; root++) {
        int bad = 0, sum = -1;

        for (int i = 0; i < n; i++)
            buf[i] = rank == root ? 100 * root + i : -1;
        MPI_Bcast(buf, n, MPI_INT, root, comm);
        for (int i = 0; i < n; i++)
            bad += buf[i] != 100 * root + i;
        check(bad == 0, "values of a right call", bad);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        check(sum == size * (size - 1) / 2, "sum", sum);
    }
    check(handled == before, "errors of right calls", handled - before);
}

int main(int argc, char **argv)
{
    const int n = argc > 2 ? atoi(argv[1]) : 1;
    const int m = argc > 2 ? atoi(argv[2]) : 10;
    const int alone = argc > 3;
    MPI_Errhandler handler;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* Which MPICH's MPI_Wait asks, whatever communicator it is. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    right_after(comm, 3);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    for (int root = 0; root < size - alone; root++) {
        const int other = alone ? rank == size - 1 : rank != root;
        int rc;

        handled = 0;
        rc = MPI_Bcast(buf, other ? m : n, MPI_INT, root, comm);
        if (other) {
            check(rc != MPI_SUCCESS, "the code that is returned", rc);
            check(handled == 1, "errors handled", handled);
            check(class == MPI_ERR_TRUNCATE || class == MPI_ERR_OTHER,
                  "class of the error", class);
        }
        right_after(comm, n);
        right_after(comm, m);
    }
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    check_done("count_mismatch");
    MPI_Finalize();
    return 0;
}
