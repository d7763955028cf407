/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - table of the collectives. */
#include "algorithms/coll.h"

#include <string.h>

static const struct chorale_coll_info info[CHORALE_NCOLL] = {
    [CHORALE_BARRIER] = { .name = "barrier", .dataless = 1 },
    [CHORALE_BCAST] = { .name = "bcast", .rooted = 1 },
    [CHORALE_REDUCE] = { .name = "reduce", .rooted = 1, .reduces = 1 },
    [CHORALE_ALLREDUCE] = { .name = "allreduce", .reduces = 1 },
    [CHORALE_REDUCE_SCATTER_BLOCK] = { .name = "reduce_scatter_block",
                                       .reduces = 1, .blocks = 1 },
    [CHORALE_REDUCE_SCATTER] = { .name = "reduce_scatter", .reduces = 1,
                                 .blocks = 1, .irregular = 1 },
    [CHORALE_GATHER] = { .name = "gather", .rooted = 1, .blocks = 1 },
    [CHORALE_GATHERV] = { .name = "gatherv", .rooted = 1, .blocks = 1,
                          .irregular = 1, .blind = 1 },
    [CHORALE_SCATTER] = { .name = "scatter", .rooted = 1, .blocks = 1 },
    [CHORALE_SCATTERV] = { .name = "scatterv", .rooted = 1, .blocks = 1,
                           .irregular = 1, .blind = 1 },
    [CHORALE_ALLGATHER] = { .name = "allgather", .blocks = 1 },
    [CHORALE_ALLGATHERV] = { .name = "allgatherv", .blocks = 1,
                             .irregular = 1 },
    [CHORALE_ALLTOALL] = { .name = "alltoall", .blocks = 1 },
    [CHORALE_ALLTOALLV] = { .name = "alltoallv", .blocks = 1,
                            .irregular = 1, .blind = 1 },
    [CHORALE_SCAN] = { .name = "scan", .reduces = 1 },
    [CHORALE_EXSCAN] = { .name = "exscan", .reduces = 1 },
};

const struct chorale_coll_info *chorale_coll_info(enum chorale_coll coll)
{
    return &info[coll];
}

int chorale_coll_find(const char *name)
{
    for (int i = 0; i < CHORALE_NCOLL; i++)
        if (strcmp(info[i].name, name) == 0)
            return i;
    return -1;
}

size_t chorale_coll_n(enum chorale_coll coll, size_t msg_size, int comm_size)
{
    if (info[coll].dataless)
        return 0;
    if (!info[coll].blocks)
        return msg_size;
    if (msg_size > SIZE_MAX / (size_t)comm_size)
        return SIZE_MAX;
    return msg_size * (size_t)comm_size;
}

int chorale_coll_root(int turn, int comm_size, int ppn)
{
    int middle = comm_size / 2;

    if (ppn > 1 && middle % ppn == 0 && middle + 1 < comm_size)
        middle++;
    return turn == 0 ? 0 : turn == 1 ? middle : comm_size - 1;
}

size_t chorale_ramp(size_t msg_size, size_t type_size, int comm_size,
                    int block)
{
    size_t steps = (size_t)comm_size - 1, elements, whole, rest;

    if (comm_size < 2 || type_size == 0)
        return msg_size;
    elements = msg_size / type_size;
    whole = 2 * elements / steps; /* elements per step, and the remainder */
    rest = 2 * elements % steps;
    return type_size * (whole * (size_t)block +
                        rest * (size_t)block / steps);
}

size_t chorale_coll_mean(size_t sum, size_t type_size, int comm_size)
{
    size_t elements = sum / type_size + (sum % type_size != 0);
    size_t n = (size_t)comm_size;

    return type_size * (elements / n + (elements % n != 0));
}

size_t chorale_coll_query_n(enum chorale_coll coll, size_t n,
                            unsigned long long n_lo)
{
    if (coll != CHORALE_BCAST || n == 0 || n >= CHORALE_BCAST_ALIKE ||
        n_lo >= CHORALE_BCAST_ALIKE)
        return n;
    return n_lo > 0 ? (size_t)n_lo : 1;
}
