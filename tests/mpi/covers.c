/* SPDX-License-Identifier: BSD-3-Clause */
/* covers.c - divide a variant's cover among several launches. Together they
 * make each pair of levels with which the variant runs at any of their numbers
 * of ranks. Levels are compared by meaning, for instance the last root, one
 * unit more than there are ranks, or radix 8. */
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/pairs.h"
#include "tests/mpi/cover_share.h"

enum { MANY_UNITS, LESS, AS_MANY, MORE, TWICE_MORE, MIDDLE, LAST, NTAG };
enum { MAX_MEANINGS = 96 };

enum { POSSIBLE = 1, MADE = 2 };

/* One launch's cover, and the rows that it makes. */
struct rows {
    struct space s;
    struct pairs cover;
    unsigned char *mine; /* [nrow] */
};

/* For one variant: meanings of levels, possible pairs, rows per launch. */
struct sums {
    struct rows launch[MAX_LAUNCHES];
    int n[NFACTOR];
    long meaning[NFACTOR][MAX_MEANINGS];
    unsigned char met[NFACTOR][MAX_MEANINGS][NFACTOR][MAX_MEANINGS];
};

/* Code of a tag: below all values, so that the two cannot be confused. */
static long tag(int which)
{
    return -1000000L - which;
}

static int intern(struct sums *x, int f, long meaning)
{
    int i = 0;

    while (i < x->n[f] && x->meaning[f][i] != meaning)
        i++;
    if (i == MAX_MEANINGS)
        return -1;
    x->meaning[f][i] = meaning;
    x->n[f] += i == x->n[f];
    return i;
}

/* Append the tags of a value at p ranks; returns their number. */
static int relative(long value, int p, long *list)
{
    const struct { long value; int tag; } all[] = {
        { p - 1, LESS }, { p, AS_MANY }, { p + 1, MORE },
        { 2L * p + 1, TWICE_MORE },
    };
    int n = 0;

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i].value == value)
            list[n++] = tag(all[i].tag);
    return n;
}

/* List all meanings of level at of factor f at p ranks; returns how many. */
static int meanings(const struct space *s, int f, int at, int p, long *list)
{
    int n = 0;

    if (f == ROOT && s->level[ROOT] > 1) {
        int root = s->root[at];

        if (root < 2)
            list[n++] = root;
        if (root == p / 2)
            list[n++] = tag(MIDDLE);
        if (root == p - 1)
            list[n++] = tag(LAST);
    } else if (f == UNITS && s->level[UNITS] > 1) {
        n = relative(s->units[at], p, list);
        if (at == 0)
            list[n++] = tag(MANY_UNITS);
        else if (s->units[at] < 2 || s->units[at] == 7)
            list[n++] = s->units[at];
    } else if (f >= PARAM && s->level[f] > 1) {
        if (s->alg->param[f - PARAM].word == NULL)
            n = relative(s->value[f - PARAM][at], p, list);
        if (space_is_fixed(s, f - PARAM, at, p))
            list[n++] = s->value[f - PARAM][at];
    } else
        list[n++] = at;
    return n;
}

/* Add flags to all pairs of meanings of a row. Returns 1 if a pair was possible
 * and not made before, else 0; -1 if there are too many meanings. */
static int take_row(struct sums *x, const struct space *s, int p,
                    const unsigned char *row, int flags)
{
    int id[NFACTOR][8], n[NFACTOR], lacked = 0;

    for (int f = SLICE + 1; f < NFACTOR; f++) {
        long list[8];

        n[f] = meanings(s, f, row[f], p, list);
        for (int i = 0; i < n[f]; i++)
            if ((id[f][i] = intern(x, f, list[i])) < 0)
                return -1;
    }
    for (int f = SLICE + 1; f < NFACTOR; f++)
        for (int g = f + 1; g < NFACTOR; g++)
            for (int i = 0; i < n[f]; i++)
                for (int k = 0; k < n[g]; k++) {
                    unsigned char *met = &x->met[f][id[f][i]][g][id[g][k]];

                    lacked |= *met == POSSIBLE;
                    *met |= (unsigned char)flags;
                }
    return lacked;
}

/* --- rows per launch -------------------------------------------------- */

/* Make each launch's cover and its part of it. Returns -1 without memory. */
static int take_part(struct sums *x, const struct share *sh,
                     const struct chorale_alg *alg, const struct fixture *fix,
                     int ncomm, int i)
{
    int ranks = sh->ranks[i];
    struct part part = share_part(sh, alg, fix, ranks, 0);
    struct rows *l = &x->launch[i];
    struct asked ask = { &l->s, fix, ranks };

    space_init(&l->s, alg, ranks, ncomm, part.of, 0);
    if (pairs_init(&l->cover, l->s.level, NFACTOR, space_runs_at, &ask) != 0)
        return -1;
    l->mine = calloc((size_t)l->cover.nrow + 1, 1);
    if (l->mine == NULL)
        return -1;
    for (int r = 0; r < l->cover.nrow; r++) {
        const unsigned char *row = l->cover.row[r];

        l->mine[r] = row[SLICE] == part.index;
        if (take_row(x, &l->s, ranks, row,
                     l->mine[r] ? POSSIBLE | MADE : POSSIBLE) < 0)
            return -1;
    }
    return 0;
}

/* Add the rows with pairs that no part has. */
static void add_missing_pairs(struct sums *x, const struct share *sh)
{
    for (int i = 0; i < sh->n; i++)
        for (int r = 0; r < x->launch[i].cover.nrow; r++) {
            struct rows *l = &x->launch[i];
            const unsigned char *row = l->cover.row[r];

            if (!l->mine[r] && take_row(x, &l->s, sh->ranks[i], row, 0) > 0) {
                take_row(x, &l->s, sh->ranks[i], row, MADE);
                l->mine[r] = 1;
            }
        }
}

static void sums_free(struct sums *x)
{
    for (int i = 0; x != NULL && i < MAX_LAUNCHES; i++) {
        pairs_release(&x->launch[i].cover);
        free(x->launch[i].mine);
    }
    free(x);
}

/* Decide which launch makes which rows. Returns NULL without memory. */
static struct sums *settle(const struct share *sh,
                           const struct chorale_alg *alg,
                           const struct fixture *fix, int ncomm)
{
    struct sums *x = calloc(1, sizeof(*x));

    for (int i = 0; x != NULL && i < sh->n; i++)
        if (take_part(x, sh, alg, fix, ncomm, i) != 0) {
            sums_free(x);
            return NULL;
        }
    if (x != NULL)
        add_missing_pairs(x, sh);
    return x;
}

int share_rows(const struct share *sh, const struct chorale_alg *alg,
               const struct fixture *fix, int ncomm, int ranks,
               unsigned char *mine, int nrow)
{
    struct sums *x = settle(sh, alg, fix, ncomm);
    int status = -1;

    for (int i = 0; x != NULL && i < sh->n; i++)
        if (sh->ranks[i] == ranks && x->launch[i].cover.nrow == nrow) {
            memcpy(mine, x->launch[i].mine, (size_t)nrow);
            status = 0;
        }
    sums_free(x);
    return status;
}

long share_pairs(const struct share *sh, const struct chorale_alg *alg,
                 const struct fixture *fix, int ncomm, long *missing,
                 long *rows)
{
    struct sums *x = settle(sh, alg, fix, ncomm);
    long pairs = 0;

    if (x == NULL)
        return -1;
    *missing = 0;
    for (int f = SLICE + 1; f < NFACTOR; f++)
        for (int g = f + 1; g < NFACTOR; g++)
            for (int a = 0; a < x->n[f]; a++)
                for (int b = 0; b < x->n[g]; b++) {
                    pairs += x->met[f][a][g][b] != 0;
                    *missing += x->met[f][a][g][b] == POSSIBLE;
                }
    for (int i = 0; i < sh->n; i++)
        for (int r = 0; r < x->launch[i].cover.nrow; r++)
            *rows += x->launch[i].mine[r];
    sums_free(x);
    return pairs;
}
