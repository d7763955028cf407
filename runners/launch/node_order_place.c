/* SPDX-License-Identifier: BSD-3-Clause */
/* node_order_place.c - position of each node in a launch's order. */
#include "config.h"

#include "runners/launch/node_order.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Pseudo-random generator splitmix64. */
static uint64_t bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Greatest common divisor. */
static int common(int a, int b)
{
    while (b != 0) {
        int rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

int chorale_node_order_place(int i, int n, uint64_t seed, int ordinal)
{
    int others = n - 1, way, begin, step;
    uint64_t state = seed;

    if (i == 0 || others < 2)
        return i;
    /* Visit all starting nodes in a seeded order before any is repeated. */
    begin = (int)(bits(&state) % (uint64_t)others);
    step = 1 + (int)(bits(&state) % (uint64_t)others);
    while (common(step, others) > 1)
        step--;
    begin = (int)((begin + (long long)step * ordinal) % others);
    state ^= (uint64_t)ordinal;
    way = bits(&state) & 1 ? 1 : others - 1;
    return 1 + (int)((begin + (long long)way * (i - 1)) % others);
}

int chorale_node_order_parse(const char *word, uint64_t *seed_p, int *ordinal_p)
{
    char *end;
    long ordinal;

    errno = 0;
    *seed_p = strtoull(word, &end, 10);
    if (end == word || *end != ':' || word[0] == '-')
        return -1;
    word = end + 1;
    ordinal = strtol(word, &end, 10);
    *ordinal_p = (int)ordinal;
    return end == word || *end != '\0' || errno != 0 || ordinal < 0 ||
                   ordinal > INT_MAX
               ? -1
               : 0;
}
