/* SPDX-License-Identifier: BSD-3-Clause */
/* first_touch.c - a sorted list of disjoint address ranges. */
#include "algorithms/schedule/first_touch.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first range that ends at the address or after it. */
static size_t first_at(const struct chorale_touched *t, uintptr_t address)
{
    size_t lo = 0, hi = t->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (t->range[mid].upto < address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int grow(struct chorale_touched *t)
{
    size_t room = t->room > 0 ? 2 * t->room : 8;
    struct chorale_touched_range *more;

    if (t->n < t->room)
        return 0;
    more = realloc(t->range, room * sizeof(*more));
    if (more == NULL)
        return -1;
    t->range = more;
    t->room = room;
    return 0;
}

int chorale_touch(struct chorale_touched *t, const void *buf, size_t bytes,
                  size_t *first_p)
{
    struct chorale_touched_range all = { (uintptr_t)buf,
                                         (uintptr_t)buf + bytes };
    size_t at, end, known = 0;

    if (bytes == 0)
        return 0;
    if (grow(t) != 0)
        return -1;
    at = end = first_at(t, all.from);
    /* Merge the ranges [at, end) that overlap or adjoin. */
    for (; end < t->n && t->range[end].from <= (uintptr_t)buf + bytes; end++) {
        known += t->range[end].upto - t->range[end].from;
        if (t->range[end].from < all.from)
            all.from = t->range[end].from;
        if (t->range[end].upto > all.upto)
            all.upto = t->range[end].upto;
    }
    *first_p += all.upto - all.from - known;
    memmove(&t->range[at + 1], &t->range[end],
            (t->n - end) * sizeof(*t->range));
    t->range[at] = all;
    t->n = t->n - (end - at) + 1;
    return 0;
}

size_t chorale_touched_of(const struct chorale_touched *t, const void *buf,
                          size_t bytes)
{
    const uintptr_t from = (uintptr_t)buf, upto = from + bytes;
    size_t sum = 0;

    for (size_t i = first_at(t, from); i < t->n && t->range[i].from < upto; i++)
        sum += (t->range[i].upto < upto ? t->range[i].upto : upto) -
               (t->range[i].from > from ? t->range[i].from : from);
    return sum;
}

void chorale_touched_clear(struct chorale_touched *t)
{
    t->n = 0;
}

void chorale_touched_release(struct chorale_touched *t)
{
    free(t->range);
    *t = (struct chorale_touched){ NULL, 0, 0 };
}
