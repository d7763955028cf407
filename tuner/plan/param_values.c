/* SPDX-License-Identifier: BSD-3-Clause */
/* param_values.c - the values of a variant's parameters at a point. */
#include "config.h"

#include "tuner/plan/param_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree.h"

#define MAX_COMBINATIONS 4096

static void add_value(struct chorale_values *ls, int i, long value)
{
    const struct chorale_param *par = &ls->alg->param[i];

    for (int j = 0; j < ls->n[i]; j++)
        if (ls->value[i][j] == value)
            return;
    if (value >= par->min && value <= par->max &&
        ls->n[i] < CHORALE_MAX_VALUES)
        ls->value[i][ls->n[i]++] = value;
}

/* Add the values for a number of blocks, half of it, and twice of it. */
static void add_blocks(struct chorale_values *ls, int i, double best,
                       long (*value_of)(const struct chorale_point *at,
                                        long blocks),
                       const struct chorale_point *at)
{
    long s = lround(best);

    add_value(ls, i, value_of(at, s > 1 ? s / 2 : 1));
    add_value(ls, i, value_of(at, s > 0 ? s : 1));
    add_value(ls, i, value_of(at, s > 0 ? 2 * s : 1));
}

static long same_blocks(const struct chorale_point *at, long blocks)
{
    (void)at;
    return blocks;
}

/* Segment size with that many segments in each half of the vector. */
static long segment_of_half(const struct chorale_point *at, long blocks)
{
    double bytes = ceil((double)at->n / (2.0 * (double)blocks));

    return bytes < 1 ? 1 : lround(bytes);
}

/* Add the values derived from the point (enum chorale_by). */
static void add_by_point(struct chorale_values *ls, int i,
                         const struct chorale_point *at)
{
    const unsigned by = ls->alg->param[i].by;
    long p = at->comm_size, root = lround(ceil(sqrt((double)p)));
    double bytes = TYPICAL_BETA * (double)at->msg_size / TYPICAL_ALPHA;
    double levels = p > 1 ? chorale_ceil_log2((int)p) : 0;

    if ((by & CHORALE_BY_ROOT) && root < p)
        add_value(ls, i, root);
    if (by & CHORALE_BY_SIDES)
        for (long d = root; d >= 2; d--)
            if (p % d == 0 && d * d < p)
                add_value(ls, i, d);
    if ((by & CHORALE_BY_BLOCKS) && p > 2)
        add_blocks(ls, i, sqrt((levels - 1) * bytes), same_blocks, at);
    if ((by & CHORALE_BY_HALVES) && p > 2 && at->n > 0)
        add_blocks(ls, i, sqrt(levels * bytes / 2), segment_of_half, at);
}

/* Add the values of the set ALL only. */
static void add_more(struct chorale_values *ls, int i,
                     const struct chorale_point *at)
{
    const struct chorale_param *par = &ls->alg->param[i];

    for (int j = 0; j < par->nmore; j++)
        add_value(ls, i, par->more[j]);
    if (par->by & CHORALE_BY_FULL)
        add_by_point(ls, i, at);
}

static int compare(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return (x > y) - (x < y);
}

/* Add the geometric mean of neighbouring sizes or counts that differ by a
 * factor of 1.5 or more. */
static void add_between(struct chorale_values *ls, int i)
{
    long sorted[CHORALE_MAX_VALUES];
    int n = ls->n[i];

    if (ls->alg->param[i].word != NULL)
        return;
    memcpy(sorted, ls->value[i], (size_t)n * sizeof(*sorted));
    qsort(sorted, (size_t)n, sizeof(*sorted), compare);
    for (int j = 0; j + 1 < n; j++)
        if (sorted[j] > 0 && sorted[j + 1] - sorted[j] > 1 &&
            2 * sorted[j + 1] >= 3 * sorted[j])
            add_value(ls, i, lround(sqrt((double)sorted[j] *
                                         (double)sorted[j + 1])));
}

/* The additional values of the set ALL are inserted before the last listed one:
 * tests/sim/medians.sh uses the first ones and the last. */
void chorale_values_init(struct chorale_values *ls,
                         const struct chorale_alg *alg,
                         const struct chorale_point *at, enum chorale_set set)
{
    memset(ls, 0, sizeof(*ls));
    ls->alg = alg;
    for (int i = 0; i < alg->nparam; i++) {
        const struct chorale_param *par = &alg->param[i];

        for (int j = 0; j < par->ncandidate; j++) {
            if (j + 1 == par->ncandidate && set != CHORALE_SET_CORE)
                add_more(ls, i, at);
            add_value(ls, i, par->candidate[j]);
        }
        if (par->ncandidate > 0 && !(par->by & CHORALE_BY_FULL))
            add_by_point(ls, i, at);
        if (set == CHORALE_SET_MODEL)
            add_between(ls, i);
    }
}

long chorale_values_count(const struct chorale_values *ls)
{
    long total = 1;

    for (int i = 0; i < ls->alg->nparam; i++)
        if (ls->n[i] > 0)
            total *= ls->n[i];
    return total < MAX_COMBINATIONS ? total : MAX_COMBINATIONS;
}

void chorale_values_get(const struct chorale_values *ls, long k, long *value)
{
    for (int i = 0; i < ls->alg->nparam; i++) {
        value[i] = ls->alg->param[i].def;
        if (ls->n[i] > 0) {
            value[i] = ls->value[i][k % ls->n[i]];
            k /= ls->n[i];
        }
    }
}

