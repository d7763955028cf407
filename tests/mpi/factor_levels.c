/* SPDX-License-Identifier: BSD-3-Clause */
/* factor_levels.c - the levels of each factor of a variant's calls. */
#include "tests/mpi/factor_levels.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/tree.h"

/* Counts in units. FEW is above the segments tried. MANY, in the short matrix,
 * is above a segment of 4 KiB; MANY_FULL is for the full matrix with few ranks.
 * With many ranks blocks are shorter, because they add up. */
enum { FEW = 131, MANY = 521, MANY_FULL = 4097, UNIT = 8 };

/* Parameter values up to this one are tried at all numbers of ranks. */
enum { SMALL = 4 };

/* Most segments of one message: more take long and add no new case. */
enum { SEGMENTS = 600 };

/* Append value unless the list has it; returns the new length. */
static int add_int(int *list, int n, int value)
{
    for (int i = 0; i < n; i++)
        if (list[i] == value)
            return n;
    list[n] = value;
    return n + 1;
}

static int add_long(long *list, int n, long value)
{
    for (int i = 0; i < n; i++)
        if (list[i] == value)
            return n;
    if (n < MAX_VALUES)
        list[n++] = value;
    return n;
}

static int roots(int *list, int p)
{
    int n = add_int(list, 0, 0);

    if (p > 1)
        n = add_int(list, n, 1);
    n = add_int(list, n, p / 2);
    return add_int(list, n, p - 1);
}

/* The largest count first: fewest variants refuse it. */
static int counts(int *list, int p, int full, int many)
{
    int n = add_int(list, 0, many), q = chorale_pow2_below(p);

    n = add_int(list, n, 0);
    n = add_int(list, n, 1);
    n = add_int(list, n, 7);
    n = add_int(list, n, p - 1);
    n = add_int(list, n, p);
    n = add_int(list, n, p + 1);
    n = add_int(list, n, 2 * p + 1);
    if (full) {
        n = add_int(list, n, q - 1);
        n = add_int(list, n, q);
    }
    return n;
}

/* Sizes in bytes: below an element, odd, some others, above all counts. */
static int byte_values(const struct chorale_param *param, long *list,
                       int full)
{
    static const long some[] = { 1, 3, 4, UNIT, 24, 100, 1001, 1024, 4096 };
    int n = add_long(list, 0, param->def);

    n = add_long(list, n, param->min);
    for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
        if (some[i] >= param->min && some[i] <= param->max)
            n = add_long(list, n, some[i]);
    for (int i = 0; i < param->ncandidate; i++)
        if (full || param->candidate[i] <= UNIT * MANY)
            n = add_long(list, n, param->candidate[i]);
    return add_long(list, n, param->max < 1L << 30 ? param->max : 1L << 30);
}

/* Radixes, requests and blocks: small values, values near the number of ranks,
 * and the largest. */
static int number_values(const struct chorale_param *param, long *list, int p,
                         int full)
{
    const long some[] = { 1, 2, 3, SMALL, p - 1, p, p + 1 };
    int n = add_long(list, 0, param->def);

    n = add_long(list, n, param->min);
    for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
        if (some[i] >= param->min && some[i] <= param->max)
            n = add_long(list, n, some[i]);
    for (int i = 0; i < param->ncandidate; i++)
        if (full || param->candidate[i] <= p + 1)
            n = add_long(list, n, param->candidate[i]);
    return add_long(list, n, param->max);
}

static int values(const struct chorale_param *param, long *list, int p,
                  int full)
{
    int n = 0;

    if (param->word != NULL) {
        n = add_long(list, n, param->def);
        for (long v = param->min; v <= param->max; v++)
            n = add_long(list, n, v);
        return n;
    }
    if (strncmp(param->unit, "bytes", 5) == 0)
        return byte_values(param, list, full);
    return number_values(param, list, p, full);
}

static int most_units(int ranks, int blocks, int full)
{
    if (full && ranks <= (blocks ? 4 : 8))
        return MANY_FULL;
    return blocks && ranks > 17 ? FEW : MANY;
}

void space_init(struct space *s, const struct chorale_alg *alg, int ranks,
                int ncomm, int nslice, int full)
{
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);

    memset(s, 0, sizeof(*s));
    s->alg = alg;
    for (int i = 0; i < NFACTOR; i++)
        s->level[i] = 1;
    s->level[SLICE] = nslice;
    s->level[COMM] = ncomm;
    if (info->rooted)
        s->level[ROOT] = roots(s->root, ranks);
    if (!info->dataless) {
        s->level[UNITS] = counts(s->units, ranks, full,
                                 most_units(ranks, info->blocks, full));
        s->level[TYPE] = info->reduces ? (int)NUSUAL : (int)NTYPE;
    }
    if (!info->dataless && alg->coll != CHORALE_BCAST)
        s->level[PLACE] = 2;
    if (info->irregular)
        s->level[SPREAD] = NSPREAD;
    if (info->irregular && !info->reduces)
        s->level[PLACING] = NPLACE;
    if (chorale_alg_by_node(alg))
        s->level[NODES] = NNODES;
    for (int i = 0; i < alg->nparam; i++)
        s->level[PARAM + i] = values(&alg->param[i], s->value[i], ranks,
                                     full);
}

int space_is_fixed(const struct space *s, int i, int v, int ranks)
{
    const struct chorale_param *param = &s->alg->param[i];
    long value = s->value[i][v];

    for (int c = 0; c < param->ncandidate; c++)
        if (param->candidate[c] == value)
            return 1;
    return value <= SMALL || value == param->def || value == param->max ||
           labs(value - ranks) > 1;
}

struct problem space_problem(const struct space *s, const struct fixture *fix,
                             const int *at, int seed)
{
    struct problem p = {
        .alg = s->alg,
        .root = s->root[at[ROOT]],
        .units = s->units[at[UNITS]],
        .in_place = at[PLACE],
        .spread = at[SPREAD],
        .placing = at[PLACING],
        .nodes = at[NODES],
        .seed = seed & 0xffff,
    };

    if (chorale_coll_info(s->alg->coll)->reduces)
        p.kind = &fix->kind[at[TYPE]];
    else
        p.layouts = at[TYPE];
    for (int i = 0; i < s->alg->nparam; i++) {
        const struct chorale_param *param = &s->alg->param[i];
        long value = s->value[i][at[PARAM + i]];

        p.param[i] = value;
        if (param->word == NULL && strncmp(param->unit, "bytes", 5) == 0 &&
            value > 0 && p.units > SEGMENTS &&
            value < (long)p.units * UNIT / SEGMENTS)
            p.units = SEGMENTS + 1;
    }
    return p;
}

int space_runs_at(const void *arg, const int *at)
{
    const struct asked *ask = arg;
    struct problem p = space_problem(ask->s, ask->fix, at, 0);
    struct chorale_point pt = problem_point_at(ask->fix, ask->ranks, &p);

    return chorale_alg_refuses(p.alg, &pt) == NULL;
}
