/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_memory.c - the runner's own collectives in simulation. All simulated
 * ranks are threads of one process, of which one runs at a time. They show each
 * other the addresses of their data, and wait at SimGrid's barrier. This takes
 * no simulated time, and P steps of the simulator. The messages of
 * own_collectives.c would take up to P log P, each many times as long. */
#include "runners/measure/runner.h"

#include <simgrid/barrier.h>
#include <stdlib.h>
#include <string.h>

/* Shared by all ranks on purpose. */
static struct {
    sg_bar_t barrier;
    void **shown;            /* [world_size]: what each rank shows */
    double result[CHORALE_AGREE_MAX];
} all;

int chorale_shared_open(int size)
{
    if (all.barrier == NULL) { /* the first rank that comes here */
        all.barrier = sg_barrier_init((unsigned)size);
        all.shown = calloc((size_t)size, sizeof(*all.shown));
    }
    return all.shown != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void chorale_shared_barrier(void)
{
    sg_barrier_wait(all.barrier);
}

/* Show the others data, which must stay until the next barrier. */
static void show(struct chorale_bench *bench, void *data)
{
    all.shown[bench->world_rank] = data;
    chorale_shared_barrier();
}

int chorale_p2p_bcast(struct chorale_bench *bench, void *buf, size_t bytes,
                      int root)
{
    show(bench, buf);
    if (bench->world_rank != root && bytes > 0)
        memcpy(buf, all.shown[root], bytes);
    chorale_shared_barrier();
    return MPI_SUCCESS;
}

int chorale_p2p_gather(struct chorale_bench *bench, const void *mine,
                       void *into, size_t bytes)
{
    show(bench, into);
    memcpy((char *)all.shown[0] + bytes * (size_t)bench->world_rank, mine,
           bytes);
    chorale_shared_barrier();
    return MPI_SUCCESS;
}

/* Combine the values that the ranks show; on rank 0, in the order of ranks. */
static void combine(const struct chorale_bench *bench, double *value, int n,
                    int sum)
{
    for (int r = 1; r < bench->world_size; r++)
        chorale_values_combine(value, all.shown[r], n, sum);
}

int chorale_p2p_reduce(struct chorale_bench *bench, double *value, int n,
                       int sum, double *room)
{
    (void)room;
    show(bench, value);
    if (bench->world_rank == 0)
        combine(bench, value, n, sum);
    chorale_shared_barrier();
    return MPI_SUCCESS;
}

int chorale_p2p_allreduce(struct chorale_bench *bench, double *value, int n,
                          int sum)
{
    size_t bytes = (size_t)n * sizeof(*value);

    show(bench, value);
    if (bench->world_rank == 0) {
        combine(bench, value, n, sum);
        memcpy(all.result, value, bytes);
    }
    chorale_shared_barrier();
    memcpy(value, all.result, bytes);
    return MPI_SUCCESS;
}
