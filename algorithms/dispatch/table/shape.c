/* SPDX-License-Identifier: BSD-3-Clause */
/* shape.c - computes the shape of a communicator from the nodes of its
 * ranks. */
#include "algorithms/dispatch/table/shape.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int count_nodes(const uint64_t *node, int size, uint64_t *sorted)
{
    int nodes = 1;

    memcpy(sorted, node, (size_t)size * sizeof(*node));
    qsort(sorted, (size_t)size, sizeof(*sorted), compare);
    for (int i = 1; i < size; i++)
        nodes += sorted[i] != sorted[i - 1];
    return nodes;
}

/* 1 if ranks lie in runs of ppn, each run on another node. */
static int is_block(const uint64_t *node, int size, int nodes, int ppn)
{
    if ((size - 1) / ppn + 1 != nodes)
        return 0;
    for (int i = 1; i < size; i++)
        if ((node[i] != node[i - 1]) != (i % ppn == 0))
            return 0;
    return 1;
}

static int is_cyclic(const uint64_t *node, int size, int nodes)
{
    for (int i = nodes; i < size; i++)
        if (node[i] != node[i - nodes])
            return 0;
    return 1;
}

enum chorale_shape chorale_shape_of(const uint64_t *node, int size,
                                    uint64_t *sorted)
{
    const int nodes = count_nodes(node, size, sorted);
    int ppn = 1;

    if (nodes == 1)
        return CHORALE_SHAPE_SINGLE_NODE;
    if (nodes == size)
        return CHORALE_SHAPE_ONE_PER_NODE;
    while (node[ppn] == node[0])
        ppn++;
    if (is_block(node, size, nodes, ppn))
        return CHORALE_SHAPE_BLOCK;
    return is_cyclic(node, size, nodes) ? CHORALE_SHAPE_CYCLIC
                                        : CHORALE_SHAPE_IRREGULAR;
}

/* Index of the first value >= x. */
static int first_place(const uint64_t *sorted, int size, uint64_t x)
{
    int lo = 0, hi = size;

    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;

        if (sorted[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int chorale_shape_nodes(const uint64_t *node, int size,
                        const uint64_t *sorted, int *id)
{
    int nodes = 1, ppn = 1;

    for (int i = 0; i < size; i++)
        id[i] = first_place(sorted, size, node[i]);
    for (int i = 1; i < size; i++)
        nodes += sorted[i] != sorted[i - 1];
    while (ppn < size && node[ppn] == node[0])
        ppn++;
    return nodes > 1 && is_block(node, size, nodes, ppn) ? ppn : 0;
}
