/* SPDX-License-Identifier: BSD-3-Clause */
/* many.c - as many communicators at once as there are, at most argv[1], each
 * with argv[2] broadcasts before the next is made. Tells how many there
 * were; all of them work until they are freed. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int rank, size, handled, inherited;

static int make(MPI_Comm *comm, int how)
{
    MPI_Group group;
    int rc;

    if (how == 0)
        return MPI_Comm_dup(MPI_COMM_WORLD, comm);
    if (how == 1)
        return MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, comm);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    rc = MPI_Comm_create(MPI_COMM_WORLD, group, comm);
    MPI_Group_free(&group);
    return rc;
}

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    check(*comm == MPI_COMM_WORLD, "handler's communicator", handled);
    handled++;
}

static int has(MPI_Comm comm, MPI_Errhandler want)
{
    MPI_Errhandler found;
    int same;

    MPI_Comm_get_errhandler(comm, &found);
    same = found == want;
    MPI_Errhandler_free(&found);
    return same;
}

static void use(MPI_Comm comm, int times)
{
    for (int k = 0; k < times; k++) {
        int x, me;

        MPI_Comm_rank(comm, &me);
        x = me == k % size ? 40 + k : -1;
        MPI_Bcast(&x, 1, MPI_INT, k % size, comm);
        check(x == 40 + k, "bcast", x);
    }
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 1;
    const int times = argc > 2 ? atoi(argv[2]) : 5;
    MPI_Comm *comm = malloc(sizeof(*comm) * (size_t)most);
    MPI_Errhandler handler;
    int n = 0, ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    use(MPI_COMM_WORLD, times);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    while (n < most && make(&comm[n], n % 3) == MPI_SUCCESS)
        use(comm[n++], times);
    check(handled == (n < most), "calls of the handler", handled);
    check(has(MPI_COMM_WORLD, handler), "its own handler", 0);
    for (int i = 0; i < n; i++) {
        inherited += has(comm[i], handler);
        use(comm[i], 1);
    }
    use(MPI_COMM_WORLD, times);
    if (rank == 0)
        printf("made=%d\ninherited=%d\n", n, inherited);
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Errhandler_free(&handler);
    free(comm);
    ret = check_done("many");
    MPI_Finalize();
    return ret != 0;
}
