/* SPDX-License-Identifier: BSD-3-Clause */
/* preflight.c - which nodes are slower than the others: see preflight.h. */
#include "config.h"

#include "db/preflight.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Appends to text[size]; what has no room is cut. */
__attribute__((format(printf, 3, 4)))
static void append(char *text, size_t size, const char *format, ...)
{
    size_t len = strlen(text);
    va_list ap;

    va_start(ap, format);
    vsnprintf(text + len, size - len, format, ap);
    va_end(ap);
}

int chorale_preflight_judge(const struct chorale_node_speed *node, int n,
                            char *text, size_t size)
{
    double *copy = calloc(3 * (size_t)(n > 0 ? n : 1), sizeof(*copy));
    double *message = copy + n, *room = copy + 2 * n, usual[2];
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
        append(text, size, "%s%d (", text[0] != '\0' ? ", " : "", i);
        if (slow)
            append(text, size, "copies %.2g%s", copy[i] / usual[0],
                   far ? ", " : "");
        if (far)
            append(text, size, "messages %.2g", message[i] / usual[1]);
        append(text, size, " of the median)");
    }
    free(copy);
    return count;
}
