/* SPDX-License-Identifier: BSD-3-Clause */
/* many_comms.c - makes communicators until the library runs out, at most
 * argv[1], with argv[2] broadcasts on each before the next is made. Prints how
 * many there were and the class of the error; all must work until they are
 * freed.
 *
 * argv[3] is the way:
 *
 *   mixed     several functions that all ranks call
 *   group     MPI_Comm_create_group of all ranks
 *   part      MPI_Comm_create_group of rank 0 alone
 *   idup      MPI_Comm_idup
 *   threads   mixed, with MPI_THREAD_MULTIPLE
 *
 * The first argv[4] are duplicates. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int rank, size, handled, inherited;

static int dup_later(MPI_Comm *comm)
{
    MPI_Request request;
    int rc = MPI_Comm_idup(MPI_COMM_WORLD, comm, &request);

    return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
}

static int by_group(MPI_Comm *comm, int collective, int all)
{
    const int first = 0;
    MPI_Group world, group;
    int rc;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &first, &group);
    rc = collective ? MPI_Comm_create(MPI_COMM_WORLD, world, comm)
                    : MPI_Comm_create_group(MPI_COMM_WORLD,
                                            all ? world : group, 7, comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return rc;
}

static int make(MPI_Comm *comm, const char *how, int i)
{
    if (strcmp(how, "group") == 0)
        return by_group(comm, 0, 1);
    if (strcmp(how, "part") == 0)
        return by_group(comm, 0, 0);
    if (strcmp(how, "idup") == 0)
        return dup_later(comm);
    if (i % 3 == 0)
        return MPI_Comm_dup(MPI_COMM_WORLD, comm);
    return i % 3 == 1 ? MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, comm)
                      : by_group(comm, 1, 1);
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
    int among;

    MPI_Comm_size(comm, &among);
    for (int k = 0; k < times; k++) {
        int x, me;

        MPI_Comm_rank(comm, &me);
        x = me == k % among ? 40 + k : -1;
        MPI_Bcast(&x, 1, MPI_INT, k % among, comm);
        check(x == 40 + k, "bcast", x);
    }
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 1;
    const int times = argc > 2 ? atoi(argv[2]) : 5;
    const char *how = argc > 3 ? argv[3] : "mixed";
    const int before = argc > 4 ? atoi(argv[4]) : 0;
    MPI_Comm *comm = malloc(sizeof(*comm) * (size_t)most);
    MPI_Errhandler handler;
    int n = 0, rc = MPI_SUCCESS, class, level = MPI_THREAD_SINGLE, ret;

    if (strcmp(how, "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    use(MPI_COMM_WORLD, times);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (; n < before && n < most; n++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[n]);
        use(comm[n], times);
    }
    while (n < most && (strcmp(how, "part") != 0 || rank == 0)) {
        rc = make(&comm[n], how, n);
        if (rc != MPI_SUCCESS)
            break;
        use(comm[n++], times);
    }
    MPI_Error_class(rc, &class);
    check(handled == (rc != MPI_SUCCESS), "calls of the handler", handled);
    check(has(MPI_COMM_WORLD, handler), "its own handler", 0);
    for (int i = 0; i < n; i++) {
        inherited += has(comm[i], handler);
        use(comm[i], 1);
    }
    use(MPI_COMM_WORLD, times);
    if (rank == 0)
        printf("made=%d\ninherited=%d\nclass=%d\nlevel=%d\n", n, inherited,
               class, level == MPI_THREAD_MULTIPLE);
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Errhandler_free(&handler);
    free(comm);
    ret = check_done("many_comms");
    MPI_Finalize();
    return ret != 0;
}
