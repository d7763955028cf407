/* SPDX-License-Identifier: BSD-3-Clause */
/* inherit.c - communicators that were given no error handler follow what the
 * library has for such ones, as without the shim: they are made first, errors
 * of MPI_COMM_WORLD are returned from then on, and then something goes wrong on
 * them. A line for each, with the class of the error, or none at all where the
 * program ends by it, as it does with some libraries.
 *
 *     inherit send|receive|group|child|threads CALLS
 *
 * after so many calls on them; child: of one made after them; threads: of both,
 * where several threads may call MPI. */
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
