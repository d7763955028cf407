/* SPDX-License-Identifier: BSD-3-Clause */
/* skewed.c - four ranks: only rank 2 receives a large reduction, and rank 1 is
 * in most communicators. "abort": rank 0 aborts while rank 2 waits for it and
 * the others are in MPI_Finalize. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { N = 20000 };

static double in[N], out[N];
static int rank;

static void use(MPI_Comm comm)
{
    int x = rank;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Bcast(&x, 1, MPI_INT, 0, comm);
    check(x == 0 || x == 2 || x == 3, "bcast", x);
}

/* A communicator of a few ranks, rank 2 first. */
static MPI_Comm make(int mine)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, mine ? 0 : MPI_UNDEFINED, (rank + 2) % 4,
                   &comm);
    use(comm);
    return comm;
}

int main(int argc, char **argv)
{
    MPI_Comm comm[4];
    int ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    use(MPI_COMM_WORLD);
    comm[0] = make(rank == 0 || rank == 1);
    comm[1] = make(rank == 1 || rank == 2);
    comm[2] = make(rank == 1 || rank == 3);
    comm[3] = make(rank > 0);
    for (int i = 0; i < N; i++)
        in[i] = rank;
    if (comm[3] != MPI_COMM_NULL)
        MPI_Reduce(in, out, N, MPI_DOUBLE, MPI_SUM, 0, comm[3]);
    check(rank != 2 || out[N - 1] == 6, "reduce", (int)out[N - 1]);
    if (argc > 1 && rank == 0) {
        sleep(1);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (argc > 1 && rank == 2)
        MPI_Recv(out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ret = argc > 1 ? 0 : check_done("skewed");
    for (int i = 0; i < 4; i++)
        if (comm[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    return ret != 0;
}
