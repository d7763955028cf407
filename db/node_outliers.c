/* SPDX-License-Identifier: BSD-3-Clause */
/* node_outliers.c - find stragglers among the nodes of a launch. */
#include "config.h"

#include "db/node_outliers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Median of the measured values; 0 if there are too few. */
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

/* The shorter message time of the links to the previous and next node. */
static double shorter_message_time(const struct chorale_node_speed *node, int n,
                                   int i)
{
    double next = node[i].next, last = node[(i + n - 1) % n].next;

    return last > 0 && (last < next || !(next > 0)) ? last : next;
}

/* The larger bandwidth of these two links. */
static double wider(const struct chorale_node_speed *node, int n, int i)
{
    double next = node[i].bandwidth, last = node[(i + n - 1) % n].bandwidth;

    return last > next ? last : next;
}

/* Append to text[size], cutting text that does not fit. */
__attribute__((format(printf, 3, 4)))
static void append(char *text, size_t size, const char *format, ...)
{
    size_t len = strlen(text);
    va_list ap;

    va_start(ap, format);
    vsnprintf(text + len, size - len, format, ap);
    va_end(ap);
}

/* Append one reason to those already listed for this node. */
static void name(char *text, size_t size, int *named, const char *what,
                 double ratio)
{
    append(text, size, "%s%s %.2g", (*named)++ > 0 ? ", " : "", what, ratio);
}

int chorale_stragglers_find(const struct chorale_node_speed *node, int n,
                            char *text, size_t size)
{
    double *copy = calloc(4 * (size_t)(n > 0 ? n : 1), sizeof(*copy));
    double *message = copy + n, *bytes = copy + 2 * n, *room = copy + 3 * n;
    double usual[3];
    int count = 0;

    text[0] = '\0';
    if (copy == NULL)
        return -1;
    for (int i = 0; i < n; i++) {
        copy[i] = node[i].ranks > 0 ? node[i].memory / node[i].ranks : 0;
        message[i] = shorter_message_time(node, n, i);
        bytes[i] = wider(node, n, i);
    }
    usual[0] = median(copy, n, room);
    usual[1] = median(message, n, room);
    usual[2] = median(bytes, n, room);
    for (int i = 0; i < n; i++) {
        int slow = copy[i] > 0 && copy[i] < CHORALE_SLOW_COPY * usual[0];
        int far = usual[1] > 0 && message[i] > CHORALE_SLOW_MESSAGE * usual[1];
        int narrow = bytes[i] > 0 &&
                     bytes[i] < CHORALE_SLOW_BANDWIDTH * usual[2];
        int named = 0;

        if (!slow && !far && !narrow)
            continue;
        append(text, size, "%s%d (", count++ > 0 ? ", " : "", i);
        if (slow)
            name(text, size, &named, "copies", copy[i] / usual[0]);
        if (far)
            name(text, size, &named, "messages", message[i] / usual[1]);
        if (narrow)
            name(text, size, &named, "bandwidth", bytes[i] / usual[2]);
        append(text, size, " of the median)");
    }
    free(copy);
    return count;
}
