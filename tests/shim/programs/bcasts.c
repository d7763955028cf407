/* SPDX-License-Identifier: BSD-3-Clause */
/* bcasts.c - ten broadcasts of 1 KiB and one allreduce on MPI_COMM_WORLD:
 * small enough to count its calls. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char buf[1024];
    int rank, size, wrong = 0, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++) {
        memset(buf, rank == i % size ? i + 1 : 0, sizeof(buf));
        MPI_Bcast(buf, sizeof(buf), MPI_CHAR, i % size, MPI_COMM_WORLD);
        for (size_t k = 0; k < sizeof(buf); k++)
            wrong += buf[k] != i + 1;
    }
    MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("bcasts: wrong=%d\n", sum);
    fflush(stdout);
    MPI_Finalize();
    return sum != 0;
}
