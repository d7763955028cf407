/* SPDX-License-Identifier: BSD-3-Clause */
/* elements.c - disturbance between campaigns on disjoint sets of nodes. The
 * nodes of a simulated system are divided among elements. The first element's
 * operations are timed while the others are idle, and while they make the worst
 * possible traffic.
 *
 *   elements NODES PPN ELEMENT block|cyclic
 *
 * An element has ELEMENT nodes, consecutive (block) or cyclic. Output lines:
 * operation, bytes of a block, seconds alone, seconds beside others. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPS = 3, LARGEST = 65536 };

static char *in, *out;

static void call(int what, int bytes, MPI_Comm comm)
{
    switch (what) {
    case 0:
        MPI_Bcast(in, bytes, MPI_BYTE, 0, comm);
        break;
    case 1:
        MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, comm);
        break;
    case 2:
        MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm);
        break;
    default:
        MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm);
        break;
    }
}

/* Seconds of a call, the maximum over ranks. */
static double timed(int what, int bytes, MPI_Comm comm)
{
    double begin, took, all;

    MPI_Barrier(comm);
    begin = MPI_Wtime();
    for (int i = 0; i < REPS; i++)
        call(what, bytes, comm);
    took = (MPI_Wtime() - begin) / REPS;
    MPI_Allreduce(&took, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return all;
}

/* Make traffic until the first element's rank 0 reports the end; each element's
 * first rank checks for its message between two calls. */
static void disturb(int bytes, MPI_Comm comm)
{
    int rank, done = 0;

    MPI_Comm_rank(comm, &rank);
    while (!done) {
        for (int i = 0; i < 4; i++)
            call(3, bytes, comm);
        if (rank == 0)
            MPI_Iprobe(0, 1, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
        MPI_Bcast(&done, 1, MPI_INT, 0, comm);
    }
    if (rank == 0)
        MPI_Recv(&done, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tell_done(const int *head, int nelement)
{
    int done = 1;

    for (int e = 1; e < nelement; e++)
        MPI_Send(&done, 1, MPI_INT, head[e], 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const char *const name[] = { "bcast", "allreduce", "allgather",
                                        "alltoall" };
    static const int sizes[] = { 8, 4096, LARGEST };
    int rank, nnode, ppn, each, nelement, node, element, *head;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 5) {
        fputs("elements NODES PPN ELEMENT block|cyclic\n", stderr);
        return 2;
    }
    nnode = atoi(argv[1]);
    ppn = atoi(argv[2]);
    each = atoi(argv[3]);
    nelement = nnode / each;
    node = rank / ppn;
    element = strcmp(argv[4], "block") == 0 ? node / each : node % nelement;
    head = malloc((size_t)nelement * sizeof(*head));
    in = calloc((size_t)(each * ppn), LARGEST);
    out = calloc((size_t)(each * ppn), LARGEST);
    if (head == NULL || in == NULL || out == NULL)
        return 3;
    for (int e = 0; e < nelement; e++)
        head[e] = (strcmp(argv[4], "block") == 0 ? e * each : e) * ppn;
    MPI_Comm_split(MPI_COMM_WORLD, element, rank, &comm);
    for (int what = 0; what < 4; what++) {
        for (int s = 0; s < 3; s++) {
            double alone = 0, beside = 0;

            MPI_Barrier(MPI_COMM_WORLD);
            if (element == 0)
                alone = timed(what, sizes[s], comm);
            MPI_Barrier(MPI_COMM_WORLD);
            if (element == 0) {
                beside = timed(what, sizes[s], comm);
                if (rank == 0)
                    tell_done(head, nelement);
            } else {
                disturb(LARGEST, comm);
            }
            if (rank == 0)
                printf("%s %d %.9g %.9g\n", name[what], sizes[s], alone,
                       beside);
        }
    }
    MPI_Comm_free(&comm);
    free(head);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
