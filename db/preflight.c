/* SPDX-License-Identifier: BSD-3-Clause */
/* preflight.c - which nodes are slower than the others: see preflight.h. */
#include "config.h"

#include "db/preflight.h"

#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Median of those that were measured; 0 if too few were. */
static double median(const double *value, int n, double *room)
{
    int k = 0;

    for (int i = 0; i < n; i++)
        if (value[i] > 0)
            room[k++] = value[i];
    if (k < CHORALE_PREFLIGHT_LEAST)
        return 0;
    qsort(room, (size_t)k, sizeof(*room), by_value);
    return k % 2 == 1 ? room[k / 2] : (room[k / 2 - 1] + room[k / 2]) / 2;
}

/* The quicker of the ways to the node before and to the node behind. */
static double quicker(const struct chorale_node_speed *node, int n, int i)
{
    double next = node[i].next, last = node[(i + n - 1) % n].next;

    return last > 0 && (last < next || !(next > 0)) ? last : next;
}

int chorale_preflight_judge(const struct chorale_node_speed *node, int n,
                            char *text, size_t size)
{
    double *copy = calloc(3 * (size_t)(n > 0 ? n : 1), sizeof(*copy));
    double *message = copy + n, *room = copy + 2 * n, usual[2];
    size_t len = 0;
    int count = 0;

    text[0] = '\0';
    if (copy == NULL)
        return -1;
    for (int i = 0; i < n; i++) {
        copy[i] = node[i].ranks > 0 ? node[i].memory / node[i].ranks : 0;
        message[i] = quicker(node, n, i);
    }
    usual[0] = median(copy, n, room);
    usual[1] = median(message, n, room);
    for (int i = 0; i < n; i++) {
        int slow = copy[i] > 0 && copy[i] < CHORALE_SLOW_COPY * usual[0];
        int far = usual[1] > 0 && message[i] > CHORALE_SLOW_MESSAGE * usual[1];

        if (!slow && !far)
            continue;
        count++;
        if (len < size)
            len += (size_t)snprintf(
                text + len, size - len, "%s%d (%s %.2g of the median)",
                len > 0 ? ", " : "", i, slow ? "copies" : "messages",
                slow ? copy[i] / usual[0] : message[i] / usual[1]);
    }
    free(copy);
    return count;
}
