/* SPDX-License-Identifier: BSD-3-Clause */
/* gapped.c - rank 0 receives a reduction of elements so far apart that a copy
 * takes 128 MiB, though each has 4 bytes of data. The operation is
 * user-defined. "return": with a handler that returns; prints the class that
 * each rank got and the handlers that ran. */
#include <stdlib.h>

#include "check.h"

enum { N = 32, STEP = 1 << 20 }; /* ints */

static int handled, right;
static MPI_Comm comm;

static void handle(MPI_Comm *which, int *code, ...)
{
    (void)code;
    handled++;
    right += *which == comm;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[(size_t)i * STEP] += ((int *)in)[(size_t)i * STEP];
}

int main(int argc, char **argv)
{
    int *in, *out, rank, size, rc, class;
    MPI_Errhandler handler;
    MPI_Datatype apart;
    MPI_Op op;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handle, &handler);
    if (argc > 1)
        MPI_Comm_set_errhandler(comm, handler);
    MPI_Type_create_resized(MPI_INT, 0, STEP * (MPI_Aint)sizeof(int), &apart);
    MPI_Type_commit(&apart);
    MPI_Op_create(add, 1, &op);
    in = calloc(N, STEP * sizeof(int));
    out = calloc(N, STEP * sizeof(int));
    for (size_t i = 0; i < N; i++)
        in[i * STEP] = rank + (int)i;
    rc = MPI_Reduce(in, out, N, apart, op, 0, comm);
    MPI_Error_class(rc, &class);
    if (rc == MPI_SUCCESS && rank == 0)
        for (int i = 0; i < N; i++)
            check(out[(size_t)i * STEP] == size * (size - 1) / 2 + size * i,
                  "sum", i);
    printf("rank %d: %s, handled %d of %d\n", rank,
           class == MPI_SUCCESS ? "done"
           : class == MPI_ERR_NO_MEM ? "no memory" : "another error",
           right, handled);
    fflush(stdout);
    MPI_Op_free(&op);
    MPI_Type_free(&apart);
    MPI_Errhandler_free(&handler);
    free(in);
    free(out);
    check_done("gapped");
    MPI_Finalize();
    return check_wrong != 0;
}
