/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - the table behind coll.h. */
#include "algorithms/coll.h"

#include <string.h>

static const struct chorale_coll_info info[CHORALE_NCOLL] = {
    [CHORALE_BCAST] = { "bcast", 1, 0, 0 },
    [CHORALE_REDUCE] = { "reduce", 1, 1, 0 },
    [CHORALE_ALLREDUCE] = { "allreduce", 0, 1, 0 },
    [CHORALE_REDUCE_SCATTER_BLOCK] = { "reduce_scatter_block", 0, 1, 1 },
    [CHORALE_GATHER] = { "gather", 1, 0, 1 },
    [CHORALE_SCATTER] = { "scatter", 1, 0, 1 },
    [CHORALE_ALLGATHER] = { "allgather", 0, 0, 1 },
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
    if (!info[coll].blocks)
        return msg_size;
    if (msg_size > SIZE_MAX / (size_t)comm_size)
        return SIZE_MAX;
    return msg_size * (size_t)comm_size;
}
