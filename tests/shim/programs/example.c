/* SPDX-License-Identifier: BSD-3-Clause */
/* example.c - a program linked with libchorale: calls each collective of
 * chorale.h once and compares the results with the library's. argv[1]: the
 * table. */
#include <chorale.h>
#include <stdio.h>
#include <string.h>

enum { N = 500, MAX_SIZE = 64 };

static int wrong;
static int a[N * MAX_SIZE], b[N * MAX_SIZE], c[N * MAX_SIZE];

static void fill(int *x, int n, int rank)
{
    for (int i = 0; i < n; i++)
        x[i] = rank * 1000003 + i;
}

static void compare(const char *what, int n)
{
    if (memcmp(b, c, (size_t)n * sizeof(b[0])) != 0) {
        printf("example: %s differs\n", what);
        wrong++;
    }
}

static void movers(int rank, int size, int root)
{
    fill(b, N, rank);
    fill(c, N, rank);
    chorale_bcast(b, N, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Bcast(c, N, MPI_INT, root, MPI_COMM_WORLD);
    compare("bcast", N);
    chorale_gather(a, N, MPI_INT, b, N, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Gather(a, N, MPI_INT, c, N, MPI_INT, root, MPI_COMM_WORLD);
    compare("gather", N * size);
    chorale_scatter(a, N, MPI_INT, b, N, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatter(a, N, MPI_INT, c, N, MPI_INT, root, MPI_COMM_WORLD);
    compare("scatter", N);
    chorale_allgather(a, N, MPI_INT, b, N, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(a, N, MPI_INT, c, N, MPI_INT, MPI_COMM_WORLD);
    compare("allgather", N * size);
    chorale_alltoall(a, N, MPI_INT, b, N, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(a, N, MPI_INT, c, N, MPI_INT, MPI_COMM_WORLD);
    compare("alltoall", N * size);
    chorale_barrier(MPI_COMM_WORLD);
}

/* Blocks that grow by one element per rank. */
static void irregular(int rank, int size, int root)
{
    int counts[MAX_SIZE], displs[MAX_SIZE], all = 0, mine = rank + 1;
    int between[MAX_SIZE], apart[MAX_SIZE];

    for (int r = 0; r < size; r++) {
        counts[r] = r + 1;
        displs[r] = all;
        all += counts[r];
        between[r] = (rank + r) % 5;
        apart[r] = 5 * r;
    }
    chorale_gatherv(a, mine, MPI_INT, b, counts, displs, MPI_INT, root,
                    MPI_COMM_WORLD);
    MPI_Gatherv(a, mine, MPI_INT, c, counts, displs, MPI_INT, root,
                MPI_COMM_WORLD);
    compare("gatherv", all);
    chorale_scatterv(a, counts, displs, MPI_INT, b, mine, MPI_INT, root,
                     MPI_COMM_WORLD);
    MPI_Scatterv(a, counts, displs, MPI_INT, c, mine, MPI_INT, root,
                 MPI_COMM_WORLD);
    compare("scatterv", mine);
    chorale_allgatherv(a, mine, MPI_INT, b, counts, displs, MPI_INT,
                       MPI_COMM_WORLD);
    MPI_Allgatherv(a, mine, MPI_INT, c, counts, displs, MPI_INT,
                   MPI_COMM_WORLD);
    compare("allgatherv", all);
    chorale_alltoallv(a, between, apart, MPI_INT, b, between, apart, MPI_INT,
                      MPI_COMM_WORLD);
    MPI_Alltoallv(a, between, apart, MPI_INT, c, between, apart, MPI_INT,
                  MPI_COMM_WORLD);
    compare("alltoallv", 5 * size);
    chorale_reduce_scatter(a, b, counts, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    MPI_Reduce_scatter(a, c, counts, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    compare("reduce_scatter", mine);
}

static void reducers(int rank, int root)
{
    chorale_reduce(a, b, N, MPI_INT, MPI_BXOR, root, MPI_COMM_WORLD);
    MPI_Reduce(a, c, N, MPI_INT, MPI_BXOR, root, MPI_COMM_WORLD);
    compare("reduce", N);
    chorale_allreduce(a, b, N, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    MPI_Allreduce(a, c, N, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    compare("allreduce", N);
    chorale_reduce_scatter_block(a, b, N, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(a, c, N, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    compare("reduce_scatter_block", N);
    chorale_scan(a, b, N, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    MPI_Scan(a, c, N, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    compare("scan", N);
    chorale_exscan(a, b, N, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    MPI_Exscan(a, c, N, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
    if (rank > 0) /* the result of rank 0 is undefined */
        compare("exscan", N);
}

int main(int argc, char **argv)
{
    int rank, size, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (chorale_init_table(argc > 1 ? argv[1] : NULL) != 0)
        printf("example: the table is refused\n");
    fill(a, N * size, rank);
    movers(rank, size, size - 1);
    irregular(rank, size, size - 1);
    reducers(rank, size - 1);
    chorale_finalize();
    movers(rank, size, 0);
    MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("example: wrong=%d\n", sum);
    fflush(stdout);
    MPI_Finalize();
    return sum != 0;
}
