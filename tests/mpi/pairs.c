/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.c - the cover of all pairs, greedily: each row begins with a pair
 * that is still missing, and takes for each further factor the level that
 * meets most missing pairs with what the row has so far. */
#include "tests/mpi/pairs.h"

#include <stdlib.h>
#include <string.h>

/* met[f][a][g][b], f < g: some row has level a of f and b of g. */
struct met {
    unsigned char at[PAIRS_FACTORS][PAIRS_LEVELS][PAIRS_FACTORS]
                    [PAIRS_LEVELS];
};

static unsigned char *seen(struct met *m, int f, int a, int g, int b)
{
    return f < g ? &m->at[f][a][g][b] : &m->at[g][b][f][a];
}

/* Missing pairs that level a of factor f would meet in a row; -1 marks the
 * factors that are still open. */
static int gain(struct met *m, const int *row, int nfactor, int f, int a)
{
    int sum = 0;

    for (int g = 0; g < nfactor; g++)
        if (g != f && row[g] >= 0)
            sum += !*seen(m, f, a, g, row[g]);
    return sum;
}

/* The best level of f; of equals the one that shift comes to first, so that
 * all levels have their share. */
static int best(struct met *m, const struct pairs *p, const int *row, int f,
                int shift)
{
    int most = -1, level = 0;

    for (int i = 0; i < p->levels[f]; i++) {
        int a = (i + shift) % p->levels[f];
        int g = gain(m, row, p->nfactor, f, a);

        if (g > most) {
            most = g;
            level = a;
        }
    }
    return level;
}

/* The first missing pair begins the row. Returns 0 if there is none. */
static int begin(struct met *m, const struct pairs *p, int *row)
{
    for (int f = 0; f < p->nfactor; f++)
        for (int g = f + 1; g < p->nfactor; g++)
            for (int a = 0; a < p->levels[f]; a++)
                for (int b = 0; b < p->levels[g]; b++)
                    if (!m->at[f][a][g][b]) {
                        row[f] = a;
                        row[g] = b;
                        return 1;
                    }
    return 0;
}

static int keep(struct pairs *p, struct met *m, const int *row)
{
    unsigned char (*grown)[PAIRS_FACTORS];

    grown = realloc(p->row, sizeof(*grown) * (size_t)(p->nrow + 1));
    if (grown == NULL)
        return -1;
    p->row = grown;
    for (int f = 0; f < p->nfactor; f++) {
        grown[p->nrow][f] = (unsigned char)row[f];
        for (int g = f + 1; g < p->nfactor; g++)
            m->at[f][row[f]][g][row[g]] = 1;
    }
    p->nrow++;
    return 0;
}

int pairs_init(struct pairs *p, const int *levels, int nfactor)
{
    struct met *m = calloc(1, sizeof(*m));
    int row[PAIRS_FACTORS], bad = m == NULL;

    *p = (struct pairs){ .nfactor = nfactor };
    memcpy(p->levels, levels, sizeof(*levels) * (size_t)nfactor);
    for (;;) {
        for (int f = 0; f < nfactor; f++)
            row[f] = -1;
        /* one factor, or a level each: no pairs, but still a row */
        if (bad || (!begin(m, p, row) && p->nrow > 0))
            break;
        for (int f = 0; f < nfactor; f++)
            if (row[f] < 0)
                row[f] = best(m, p, row, f, p->nrow + f);
        bad = keep(p, m, row) != 0;
    }
    for (int a = 1; !bad && nfactor == 1 && a < levels[0]; a++)
        bad = keep(p, m, &a) != 0;
    free(m);
    if (bad)
        pairs_release(p);
    return bad ? -1 : 0;
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
