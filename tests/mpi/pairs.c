/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.c - make covering arrays greedily. Each row begins with a missing pair;
 * each further factor takes the level that adds most missing pairs. If that row
 * is impossible, further factors return to the base, a possible row. */
#include "tests/mpi/pairs.h"

#include <stdlib.h>
#include <string.h>

enum { MISSING, MET, NEVER };

/* at[f][a][g][b], f < g: 1 if a row has level a of f and b of g. */
struct met {
    unsigned char at[PAIRS_FACTORS][PAIRS_LEVELS][PAIRS_FACTORS]
                    [PAIRS_LEVELS];
    unsigned char dead[PAIRS_FACTORS][PAIRS_LEVELS]; /* in no possible row */
};

struct maker {
    struct pairs *p;
    struct met *m;
    pairs_can can;
    const void *arg;
};

static int can_be(const struct maker *k, const int *row)
{
    return k->can == NULL || k->can(k->arg, row);
}

/* --- possible rows ---------------------------------------------------- */

/* Change one factor that is not fixed to another level so that the row becomes
 * possible. Returns 1 if there is such a change, which is made. */
static int vary_one(const struct maker *k, int *row, const char *fixed)
{
    for (int f = 0; f < k->p->nfactor; f++) {
        int kept = row[f];

        if (fixed[f])
            continue;
        for (row[f] = 0; row[f] < k->p->levels[f]; row[f]++)
            if (row[f] != kept && can_be(k, row))
                return 1;
        row[f] = kept;
    }
    return 0;
}

/* Find the possible row with fewest levels, at most two, other than 0. */
static int find_base(const struct maker *k)
{
    int *row = k->p->base;
    char fixed[PAIRS_FACTORS] = { 0 };

    if (can_be(k, row) || vary_one(k, row, fixed))
        return 1;
    for (int f = 0; f < k->p->nfactor; f++) {
        fixed[f] = 1;
        for (row[f] = 1; row[f] < k->p->levels[f]; row[f]++)
            if (vary_one(k, row, fixed))
                return 1;
        row[f] = 0;
    }
    return 0;
}

/* Change levels that are not fixed, as few as possible and the last factors
 * first, until the row is possible. Returns 0 if no such row is found; row is
 * then the base but for the fixed levels. */
static int repair(const struct maker *k, int *row, const char *fixed)
{
    const int *base = k->p->base;

    if (can_be(k, row))
        return 1;
    for (int f = k->p->nfactor - 1; f >= 0; f--) {
        int kept = row[f];

        if (fixed[f] || kept == base[f])
            continue;
        row[f] = base[f];
        if (can_be(k, row))
            return 1;
        row[f] = kept;
    }
    for (int f = k->p->nfactor - 1; f >= 0; f--) {
        if (fixed[f] || row[f] == base[f])
            continue;
        row[f] = base[f];
        if (can_be(k, row))
            return 1;
    }
    return vary_one(k, row, fixed);
}

/* Find levels that no possible row has; their pairs are not missing. */
static void find_dead(const struct maker *k)
{
    for (int f = 0; f < k->p->nfactor; f++)
        for (int a = 0; a < k->p->levels[f]; a++) {
            int row[PAIRS_FACTORS];
            char fixed[PAIRS_FACTORS] = { 0 };

            memcpy(row, k->p->base, sizeof(row));
            row[f] = a;
            fixed[f] = 1;
            k->m->dead[f][a] = !repair(k, row, fixed);
        }
}

/* --- the cover -------------------------------------------------------- */

static unsigned char *seen(struct met *m, int f, int a, int g, int b)
{
    return f < g ? &m->at[f][a][g][b] : &m->at[g][b][f][a];
}

/* Number of missing pairs that level a of factor f would add to a row. -1 in
 * row marks factors that are still open. */
static int gain(struct met *m, const int *row, int nfactor, int f, int a)
{
    int sum = 0;

    for (int g = 0; g < nfactor; g++)
        if (g != f && row[g] >= 0)
            sum += *seen(m, f, a, g, row[g]) == MISSING;
    return sum;
}

/* The best level of f. Of equal levels the first from shift on, so that all
 * levels are used. */
static int best(const struct maker *k, const int *row, int f, int shift)
{
    const struct pairs *p = k->p;
    int most = -1, level = 0;

    for (int i = 0; i < p->levels[f]; i++) {
        int a = (i + shift) % p->levels[f];
        int g = k->m->dead[f][a] ? -1 : gain(k->m, row, p->nfactor, f, a);

        if (g > most) {
            most = g;
            level = a;
        }
    }
    return level;
}

/* Complete a row that has its first pair. Returns 0 if no possible row has
 * it. */
static int complete(const struct maker *k, int *row)
{
    char fixed[PAIRS_FACTORS];

    for (int f = 0; f < k->p->nfactor; f++)
        fixed[f] = row[f] >= 0;
    for (int f = 0; f < k->p->nfactor; f++)
        if (row[f] < 0)
            row[f] = best(k, row, f, k->p->nrow + f);
    return repair(k, row, fixed);
}

/* Begin a row with the first missing pair that a possible row has. Returns 0 if
 * no pair is left. */
static int begin(const struct maker *k, int *row)
{
    const struct pairs *p = k->p;
    struct met *m = k->m;

    for (int f = 0; f < p->nfactor; f++)
        for (int g = f + 1; g < p->nfactor; g++)
            for (int a = 0; a < p->levels[f]; a++)
                for (int b = 0; b < p->levels[g]; b++) {
                    if (m->at[f][a][g][b] != MISSING)
                        continue;
                    for (int i = 0; i < p->nfactor; i++)
                        row[i] = i == f ? a : i == g ? b : -1;
                    if (!m->dead[f][a] && !m->dead[g][b] && complete(k, row))
                        return 1;
                    m->at[f][a][g][b] = NEVER;
                }
    return 0;
}

static int keep(const struct maker *k, const int *row)
{
    struct pairs *p = k->p;
    unsigned char (*grown)[PAIRS_FACTORS];

    grown = realloc(p->row, sizeof(*grown) * (size_t)(p->nrow + 1));
    if (grown == NULL)
        return -1;
    p->row = grown;
    memset(grown[p->nrow], 0, sizeof(*grown));
    for (int f = 0; f < p->nfactor; f++) {
        grown[p->nrow][f] = (unsigned char)row[f];
        for (int g = f + 1; g < p->nfactor; g++)
            k->m->at[f][row[f]][g][row[g]] = MET;
    }
    p->nrow++;
    return 0;
}

int pairs_init(struct pairs *p, const int *levels, int nfactor, pairs_can can,
               const void *arg)
{
    struct met *m = calloc(1, sizeof(*m));
    struct maker k = { .p = p, .m = m, .can = can, .arg = arg };
    int row[PAIRS_FACTORS], bad = m == NULL;

    *p = (struct pairs){ .nfactor = nfactor };
    memcpy(p->levels, levels, sizeof(*levels) * (size_t)nfactor);
    if (!bad && find_base(&k)) {
        find_dead(&k);
        while (!bad && begin(&k, row))
            bad = keep(&k, row) != 0;
        /* a single factor has rows but no pairs */
        for (int a = 0; !bad && nfactor == 1 && a < levels[0]; a++)
            if (!m->dead[0][a])
                bad = keep(&k, &a) != 0;
    }
    free(m);
    if (bad)
        pairs_release(p);
    return bad ? -1 : 0;
}

int pairs_any(const int *levels, int nfactor, pairs_can can, const void *arg)
{
    struct pairs p = { .nfactor = nfactor };
    struct maker k = { .p = &p, .can = can, .arg = arg };

    memcpy(p.levels, levels, sizeof(*levels) * (size_t)nfactor);
    return find_base(&k);
}

void pairs_release(struct pairs *p)
{
    free(p->row);
    *p = (struct pairs){ 0 };
}

static int has(const struct pairs *p, int f, int a, int g, int b)
{
    for (int r = 0; r < p->nrow; r++)
        if (p->row[r][f] == a && p->row[r][g] == b)
            return 1;
    return 0;
}

long pairs_missing(const struct pairs *p)
{
    long missing = 0;

    for (int f = 0; f < p->nfactor; f++)
        for (int g = f + 1; g < p->nfactor; g++)
            for (int a = 0; a < p->levels[f]; a++)
                for (int b = 0; b < p->levels[g]; b++)
                    missing += !has(p, f, a, g, b);
    return missing;
}
