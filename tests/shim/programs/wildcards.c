/* SPDX-License-Identifier: BSD-3-Clause */
/* wildcards.c - receives and probes with wildcards, posted before many
 * collectives on the same communicator and on MPI_COMM_WORLD. They must match
 * only the application's messages, in order. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { N = 2000, TIMES = 12 };

static int rank, size;
static int a[N * 16], b[N * 16];

static void collectives(MPI_Comm comm, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = rank + i;
    MPI_Bcast(a, n, MPI_INT, size - 1, comm);
    check(a[n - 1] == size - 1 + n - 1, "bcast", n);
    MPI_Allreduce(a, b, n, MPI_INT, MPI_SUM, comm);
    check(b[0] == size * (size - 1), "allreduce", b[0]);
    MPI_Gather(a, n, MPI_INT, b, n, MPI_INT, 0, comm);
    MPI_Scatter(b, n, MPI_INT, a, n, MPI_INT, 0, comm);
    MPI_Allgather(a, n, MPI_INT, b, n, MPI_INT, comm);
    check(b[n * (size - 1)] == size - 1, "allgather", b[n * (size - 1)]);
}

static void nothing_came(MPI_Request *req)
{
    int flag;

    MPI_Test(req, &flag, MPI_STATUS_IGNORE);
    check(!flag, "a receive for anything got something", 0);
}

static void nothing_waits(MPI_Comm comm)
{
    int flag;

    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    check(!flag, "a probe for anything found something", 0);
}

/* Tags that a library might use internally, and a large one. */
static int tag_of(int i)
{
    static const int tag[] = { 0, 1, 67, 21077, 32767 };

    return tag[i % 5];
}

static void wild(MPI_Comm comm, MPI_Comm on)
{
    int got = -1, mine = 1000 + rank, tag;
    MPI_Request req;
    MPI_Status status;

    for (int i = 0; i < TIMES; i++) {
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, on, &req);
        collectives(comm, i % 3 == 2 ? N : 1 + i);
        nothing_came(&req);
        MPI_Barrier(comm);
        tag = tag_of(i);
        MPI_Send(&mine, 1, MPI_INT, (rank + 1) % size, tag, on);
        collectives(comm, 3);
        MPI_Wait(&req, &status);
        check(got == 1000 + (rank + size - 1) % size && status.MPI_TAG == tag,
              "the message", got);
        MPI_Barrier(comm);
        nothing_waits(on);
    }
}

/* Sent before the collectives, received after them. */
static void late(MPI_Comm comm)
{
    int got[5], from = (rank + size - 1) % size;

    MPI_Barrier(comm); /* until all have probed without a match */
    for (int i = 0; i < 5; i++)
        MPI_Send(&i, 1, MPI_INT, (rank + 1) % size, tag_of(i), comm);
    collectives(comm, 10);
    collectives(comm, N);
    for (int i = 4; i >= 0; i--) {
        MPI_Recv(&got[i], 1, MPI_INT, from, tag_of(i), comm,
                 MPI_STATUS_IGNORE);
        check(got[i] == i, "a message that waited", i);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm copy;
    int ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    wild(MPI_COMM_WORLD, MPI_COMM_WORLD);
    wild(copy, copy);
    wild(copy, MPI_COMM_WORLD);
    wild(MPI_COMM_WORLD, copy);
    late(copy);
    late(MPI_COMM_WORLD);
    MPI_Comm_free(&copy);
    ret = check_done("wildcards");
    MPI_Finalize();
    return ret != 0;
}
