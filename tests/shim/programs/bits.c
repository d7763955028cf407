/* SPDX-License-Identifier: BSD-3-Clause */
/* bits.c - sums of doubles that depend on the order of addition, with random
 * delays of ranks. Rank 0 prints a digest of all results, which must be equal
 * on all ranks. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { CALLS = 9, N = 500 };

static uint64_t digest(const double *x)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), bits;

    for (int i = 0; i < N; i++) {
        memcpy(&bits, &x[i], sizeof(bits));
        hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
    return hash;
}

int main(int argc, char **argv)
{
    double x[N], sum[N];
    uint64_t mine, low, high;
    int rank, ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        x[i] = 1.0 / (1 + i + 37 * rank) * (rank % 3 == 1 ? 1e9 : 1);
    srand((unsigned)getpid());
    for (int k = 0; k < CALLS; k++) {
        usleep((useconds_t)(rand() % 3 * 1000));
        MPI_Allreduce(x, sum, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        mine = digest(sum);
        PMPI_Allreduce(&mine, &low, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
        PMPI_Allreduce(&mine, &high, 1, MPI_UINT64_T, MPI_MAX,
                       MPI_COMM_WORLD);
        check(low == high, "ranks differ", k);
        if (rank == 0)
            printf("sum %016llx\n", (unsigned long long)mine);
    }
    ret = check_done("bits");
    MPI_Finalize();
    return ret != 0;
}
