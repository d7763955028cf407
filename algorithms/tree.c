/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - the binomial tree and the balanced split, once for all variants:
 * a shape that two files draw differently is a hang that nobody finds. */
#include "algorithms/tree.h"

int chorale_ceil_log2(int p)
{
    int r = 0;

    while (r < 31 && (1U << r) < (unsigned)p)
        r++;
    return r;
}

int chorale_pow2_below(int p)
{
    int q = 1;

    while (q <= p / 2)
        q *= 2;
    return q;
}

/* Distance of the farthest child that v may have, doubled: its lowest set
 * bit, or for the root the first power of two that leaves the tree. */
static unsigned reach(int v, int size)
{
    if (v == 0)
        return 1U << chorale_ceil_log2(size);
    return (unsigned)v & (0U - (unsigned)v);
}

int chorale_binomial(int v, int size, int *parent, int child[32])
{
    unsigned bit = reach(v, size);
    int n = 0;

    *parent = v == 0 ? -1 : (int)((unsigned)v - bit);
    for (bit /= 2; bit > 0; bit /= 2)
        if ((unsigned)v + bit < (unsigned)size)
            child[n++] = (int)((unsigned)v + bit);
    return n;
}

int chorale_binomial_subtree(int v, int size)
{
    unsigned bit = reach(v, size);
    unsigned left = (unsigned)(size - v);

    return (int)(bit < left ? bit : left);
}

void chorale_split(size_t total, int parts, int i, size_t *offset,
                   size_t *length)
{
    size_t each = total / (size_t)parts;
    size_t longer = total % (size_t)parts;
    size_t index = (size_t)i;

    *offset = each * index + (index < longer ? index : longer);
    *length = each + (index < longer);
}
