/* SPDX-License-Identifier: BSD-3-Clause */
/* unserved_calls.c - collectives that the shim does not serve: alltoallw,
 * nonblocking, persistent and neighbourhood collectives, and all collectives on
 * an inter-communicator. Results must be as without the shim. */
#include <string.h>

#include "check.h"

enum { N = 200, MAX_SIZE = 64 };

static int rank, size;
static int in[N * MAX_SIZE], out[N * MAX_SIZE];

static void fill(int *x, int from)
{
    for (int i = 0; i < N; i++)
        x[i] = from * 1000 + i;
}

static int holds(const int *x, int from)
{
    for (int i = 0; i < N; i++)
        if (x[i] != from * 1000 + i)
            return 0;
    return 1;
}

static void alltoallw(void)
{
    int counts[MAX_SIZE], displs[MAX_SIZE];
    MPI_Datatype types[MAX_SIZE];

    for (int r = 0; r < size; r++) {
        counts[r] = N;
        displs[r] = r * N * (int)sizeof(int);
        types[r] = MPI_INT;
        fill(in + r * N, rank * 64 + r);
    }
    MPI_Alltoallw(in, counts, displs, types, out, counts, displs, types,
                  MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check(holds(out + r * N, r * 64 + rank), "alltoallw", r);
}

static void finish(MPI_Request *req)
{
    MPI_Wait(req, MPI_STATUS_IGNORE);
}

static void nonblocking(void)
{
    MPI_Request req;
    int sum;

    fill(in, rank);
    MPI_Ibarrier(MPI_COMM_WORLD, &req);
    finish(&req);
    fill(out, rank);
    MPI_Ibcast(out, N, MPI_INT, size - 1, MPI_COMM_WORLD, &req);
    finish(&req);
    check(holds(out, size - 1), "ibcast", 0);
    MPI_Iallgather(in, N, MPI_INT, out, N, MPI_INT, MPI_COMM_WORLD, &req);
    finish(&req);
    for (int r = 0; r < size; r++)
        check(holds(out + r * N, r), "iallgather", r);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req);
    finish(&req);
    check(sum == size * (size - 1) / 2, "iallreduce", sum);
}

static void neighbours(void)
{
    int periodic = 1, left = (rank + size - 1) % size;
    MPI_Comm ring;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    fill(in, rank);
    fill(in + N, rank);
    MPI_Neighbor_allgather(in, N, MPI_INT, out, N, MPI_INT, ring);
    check(holds(out, left) && holds(out + N, (rank + 1) % size),
          "neighbor_allgather", 0);
    MPI_Neighbor_alltoall(in, N, MPI_INT, out, N, MPI_INT, ring);
    check(holds(out, left) && holds(out + N, (rank + 1) % size),
          "neighbor_alltoall", 0);
    MPI_Comm_free(&ring);
}

static void persistent(void)
{
#if MPI_VERSION >= 4
    MPI_Request req;

    MPI_Bcast_init(out, N, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &req);
    for (int k = 0; k < 3; k++) {
        fill(out, rank == 0 ? k : -1);
        MPI_Start(&req);
        finish(&req);
        check(holds(out, k), "a persistent bcast", k);
    }
    MPI_Request_free(&req);
#endif
}

/* Even ranks in one group, odd ranks in the other. */
static void between(void)
{
    const int odd = rank % 2, others = odd ? (size + 1) / 2 : size / 2;
    const int first = odd ? 0 : 1;
    int root, sum, want = 0;
    MPI_Comm side, both;

    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, !odd, 5, &both);
    root = odd ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    for (int k = 0; k < 6; k++) { /* beyond the call that sets a communicator
                                   * up */
        MPI_Barrier(both);
        fill(out, odd ? -1 : k);
        MPI_Bcast(out, N, MPI_INT, root, both);
        check(!odd || holds(out, k), "bcast between groups", k);
        fill(in, rank);
        MPI_Allgather(in, N, MPI_INT, out, N, MPI_INT, both);
        for (int r = 0; r < others; r++)
            check(holds(out + r * N, first + 2 * r),
                  "allgather between groups", r);
        want = 0;
        for (int r = 0; r < others; r++)
            want += first + 2 * r;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both);
        check(sum == want, "allreduce between groups", sum);
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&side);
}

int main(int argc, char **argv)
{
    int ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < 5; k++)
        MPI_Barrier(MPI_COMM_WORLD);
    alltoallw();
    nonblocking();
    neighbours();
    persistent();
    if (size > 1)
        between();
    ret = check_done("unserved_calls");
    MPI_Finalize();
    return ret != 0;
}
