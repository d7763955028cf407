/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c - from launches to elements of job arrays: see pack.h. */
#include "config.h"

#include "tuner/pack.h"

#include <stdlib.h>
#include <string.h>

static int order(long a, long b)
{
    return (a > b) - (a < b);
}

/* By group, ordinal and then length, the longest first: first fit is at most
 * 11/9 of the fewest elements then. The rest makes the order certain. */
static int by_group(const void *left, const void *right)
{
    const struct chorale_pack_launch *a = left, *b = right;
    int way = order(a->nodes, b->nodes);

    if (way == 0)
        way = order(a->ppn, b->ppn);
    if (way == 0)
        way = order(a->p.ordinal, b->p.ordinal);
    if (way == 0)
        way = (b->seconds > a->seconds) - (b->seconds < a->seconds);
    if (way == 0)
        way = order(a->p.comm_size, b->p.comm_size);
    if (way == 0)
        way = order(a->p.siblings, b->p.siblings);
    if (way == 0)
        way = order((long)a->p.system_id, (long)b->p.system_id);
    if (way == 0)
        way = strcmp(a->p.shape, b->p.shape);
    return way != 0 ? way : strcmp(a->p.part, b->p.part);
}

static int by_element(const void *left, const void *right)
{
    const struct chorale_pack_launch *a = left, *b = right;
    int way = order(a->element, b->element);

    return way != 0 ? way : by_group(left, right);
}

/* Seconds that the element has among launch[from ... to - 1]. */
static double filled(const struct chorale_pack_launch *launch, size_t from,
                     size_t to, long element)
{
    double sum = 0;

    for (size_t i = from; i < to; i++)
        if (launch[i].element == element)
            sum += launch[i].seconds;
    return sum;
}

long chorale_pack_launches(struct chorale_pack_launch *launch, size_t n,
                           double limit)
{
    long last = 0, first = 1; /* elements of this group and ordinal */
    size_t from = 0;

    for (size_t i = 0; i < n; i++) {
        launch[i].ppn = launch[i].p.ppn * launch[i].p.siblings;
        launch[i].nodes = (launch[i].p.comm_size + launch[i].p.ppn - 1) /
                          launch[i].p.ppn;
    }
    qsort(launch, n, sizeof(*launch), by_group);
    for (size_t i = 0; i < n; i++) {
        long e;

        if (i > 0 && (launch[i].nodes != launch[i - 1].nodes ||
                      launch[i].ppn != launch[i - 1].ppn ||
                      launch[i].p.ordinal != launch[i - 1].p.ordinal)) {
            first = last + 1;
            from = i;
        }
        for (e = first; e <= last; e++)
            if (filled(launch, from, i, e) + launch[i].seconds <= limit)
                break;
        launch[i].element = e;
        last = e > last ? e : last;
    }
    qsort(launch, n, sizeof(*launch), by_element);
    return last;
}
