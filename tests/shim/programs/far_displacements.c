/* SPDX-License-Identifier: BSD-3-Clause */
/* far_displacements.c - large counts: blocks of a few bytes with displacements
 * beyond 2^31 elements. It reserves address space; only pages that are written
 * take memory. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { LENGTH = 40, MAX_SIZE = 16 };

static const MPI_Count apart = (MPI_Count)INT32_MAX + 12345;
static int rank, size;
static MPI_Count count[MAX_SIZE];
static MPI_Aint near[MAX_SIZE], far[MAX_SIZE]; /* rank 0's block is first */
static unsigned char *room, block[LENGTH * MAX_SIZE];

static void fill(unsigned char *at, int from, int to)
{
    for (int i = 0; i < LENGTH; i++)
        at[i] = (unsigned char)(1 + from * 37 + to * 11 + i);
}

static int holds(const unsigned char *at, int from, int to)
{
    unsigned char want[LENGTH];

    fill(want, from, to);
    return memcmp(at, want, LENGTH) == 0;
}

static void clear(void)
{
    memset(block, 0, sizeof(block));
    for (int r = 0; r < size; r++)
        memset(room + far[r], 0, LENGTH);
}

static void gathers(int root)
{
    clear();
    fill(block, rank, 0);
    MPI_Gatherv_c(block, LENGTH, MPI_BYTE, room, count, far, MPI_BYTE, root,
                  MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check(rank != root || holds(room + far[r], r, 0), "gatherv", r);
    clear();
    fill(block, rank, 0);
    MPI_Allgatherv_c(block, LENGTH, MPI_BYTE, room, count, far, MPI_BYTE,
                     MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check(holds(room + far[r], r, 0), "allgatherv", r);
}

static void scatters(int root)
{
    clear();
    for (int r = 0; r < size; r++)
        fill(room + far[r], root, r);
    MPI_Scatterv_c(room, count, far, MPI_BYTE, block, LENGTH, MPI_BYTE, root,
                   MPI_COMM_WORLD);
    check(holds(block, root, rank), "scatterv", rank);
}

static void exchanges(void)
{
    clear();
    for (int r = 0; r < size; r++)
        fill(room + far[r], rank, r);
    MPI_Alltoallv_c(room, count, far, MPI_BYTE, block, count, near, MPI_BYTE,
                    MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check(holds(block + near[r], r, rank), "alltoallv, sent", r);
    clear();
    for (int r = 0; r < size; r++)
        fill(block + near[r], rank, r);
    MPI_Alltoallv_c(block, count, near, MPI_BYTE, room, count, far, MPI_BYTE,
                    MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check(holds(room + far[r], r, rank), "alltoallv, received", r);
}

int main(int argc, char **argv)
{
    int ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    room = mmap(NULL, (size_t)apart * (size_t)size + LENGTH,
                PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        printf("far_displacements: no addresses\n");
        MPI_Abort(MPI_COMM_WORLD, 77);
    }
    for (int r = 0; r < size; r++) {
        count[r] = LENGTH;
        near[r] = (MPI_Aint)r * LENGTH;
        far[r] = (MPI_Aint)(apart * r);
    }
    for (int root = 0; root < size; root++) {
        gathers(root);
        scatters(root);
    }
    exchanges();
    ret = check_done("far_displacements");
    MPI_Finalize();
    return ret != 0;
}
