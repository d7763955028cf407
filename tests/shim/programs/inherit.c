/* SPDX-License-Identifier: BSD-3-Clause */
/* inherit.c - communicators without an error handler of their own behave as
 * without the shim.
 *
 * They are made first. Then MPI_COMM_WORLD gets MPI_ERRORS_RETURN, and an
 * error occurs on each. Prints one line for each, with the class of the error;
 * no line if the program ends, as it does with some libraries.
 *
 *     inherit send|receive|group|child|threads CALLS
 *
 * CALLS: collectives on them before the error. child: the error is on a
 * communicator made after them. threads: both, with MPI_THREAD_MULTIPLE. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(const char *what, int rc)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(rc, &class);
    printf("%s: class %d\n", what, class);
    fflush(stdout);
}

static void call(MPI_Comm comm, int n)
{
    int value = 1;

    for (int i = 0; i < n; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[1] : "";
    const int threads = strcmp(what, "threads") == 0;
    int calls = argc > 2 ? atoi(argv[2]) : 0, rank, size, x[4] = { 0 };
    int provided;
    MPI_Comm dup, part, made;

    MPI_Init_thread(&argc, &argv,
                    threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
    call(dup, calls);
    call(part, calls);
    if (strcmp(what, "child") == 0)
        MPI_Comm_dup(part, &dup);
    if (threads)
        MPI_Comm_dup(dup, &made);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (strcmp(what, "send") == 0 || strcmp(what, "child") == 0 || threads)
        tell(what, MPI_Send(x, 1, MPI_INT, size, 0, dup));
    if (threads)
        tell("child", MPI_Send(x, 1, MPI_INT, size, 0, made));
    if (strcmp(what, "receive") == 0 && rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Send(x, 4, MPI_INT, i, 0, part);
    else if (strcmp(what, "receive") == 0)
        tell(what, MPI_Recv(x, 1, MPI_INT, 0, 0, part, MPI_STATUS_IGNORE));
    if (strcmp(what, "group") == 0)
        tell(what, MPI_Comm_create(dup, MPI_GROUP_NULL, &made));
    MPI_Finalize();
    return 0;
}
