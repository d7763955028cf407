/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions.c - a communicator from a session. argv[1]: "alone" without
 * MPI_Init, "both" together with it, "after" MPI_Finalize. */
#include <string.h>

#include "check.h"

static MPI_Comm make(MPI_Session *session)
{
    MPI_Group group;
    MPI_Comm comm;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session);
    MPI_Group_from_session_pset(*session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "a-tag", MPI_INFO_NULL,
                               MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void use(MPI_Comm comm)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 12; i++) {
        int x = rank == i % size ? i : -1, sum;

        MPI_Bcast(&x, 1, MPI_INT, i % size, comm);
        check(x == i, "bcast", i);
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
        check(sum == i * size, "allreduce", i);
    }
}

static void say(MPI_Comm comm)
{
    int rank, sum = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&check_wrong, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0)
        printf("sessions: wrong=%d\n", sum);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "alone";
    MPI_Session session;
    MPI_Comm comm;

    if (strcmp(how, "alone") != 0)
        MPI_Init(&argc, &argv);
    if (strcmp(how, "alone") != 0)
        use(MPI_COMM_WORLD);
    comm = make(&session);
    use(comm);
    if (strcmp(how, "after") == 0) {
        MPI_Finalize();
        use(comm);
    }
    say(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (strcmp(how, "both") == 0)
        MPI_Finalize();
    return 0;
}
