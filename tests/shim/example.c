/* SPDX-License-Identifier: BSD-3-Clause */
/* example.c - a program linked to libchorale: each collective once by
 * chorale.h, checked against the library's. argv[1]: the table. */
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
}

static void reducers(int root)
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
    reducers(size - 1);
    chorale_finalize();
    movers(rank, size, 0);
    MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("example: wrong=%d\n", sum);
    fflush(stdout);
    MPI_Finalize();
    return sum != 0;
}
