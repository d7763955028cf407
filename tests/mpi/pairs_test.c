/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs_test.c - covers have all pairs, are small, and are deterministic. */
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/pairs.h"
#include "tests/tap.h"

struct shape {
    int nfactor, levels[PAIRS_FACTORS];
    int most; /* most rows of a good cover */
};

static const struct shape shapes[] = {
    { 1, { 5 }, 5 },
    { 2, { 1, 1 }, 1 },
    { 2, { 4, 7 }, 28 },
    { 4, { 3, 3, 3, 3 }, 12 },
    { 9, { 1, 2, 4, 8, 7, 2, 5, 3, 1 }, 75 },
    { 13, { 3, 2, 4, 9, 7, 2, 1, 1, 4, 14, 6, 1, 1 }, 190 },
    { 16, { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 }, 14 },
    { 3, { 32, 1, 32 }, 1024 },
};

static void test_shape(const struct shape *s)
{
    struct pairs p, again;
    long seen[PAIRS_LEVELS] = { 0 }, unseen = 0;

    if (!tap_ok(pairs_init(&p, s->levels, s->nfactor, NULL, NULL) == 0 &&
                    pairs_init(&again, s->levels, s->nfactor, NULL,
                               NULL) == 0,
                "%d factors: a cover is made", s->nfactor))
        return;
    for (int r = 0; r < p.nrow; r++)
        seen[p.row[r][0]]++;
    for (int a = 0; a < s->levels[0]; a++)
        unseen += seen[a] == 0;
    tap_ok(pairs_missing(&p) == 0 && unseen == 0, "the cover has all pairs");
    tap_ok(p.nrow <= s->most, "the cover has %d rows, at most %d", p.nrow,
           s->most);
    tap_ok(p.nrow == again.nrow &&
               memcmp(p.row, again.row,
                      sizeof(*p.row) * (size_t)p.nrow) == 0,
           "a second cover is equal");
    pairs_release(&p);
    pairs_release(&again);
}

/* pairs_missing() must notice a removed row. */
static void test_missing(void)
{
    const int levels[3] = { 3, 4, 2 };
    struct pairs p;

    if (pairs_init(&p, levels, 3, NULL, NULL) != 0)
        abort();
    p.nrow--;
    tap_ok(pairs_missing(&p) > 0, "without its last row, pairs are missing");
    pairs_release(&p);
}

/* --- with impossible rows --------------------------------------------- */

enum { FACTORS = 5 };
static const int few[FACTORS] = { 3, 4, 2, 5, 3 };

static int any(const int *row)
{
    (void)row;
    return 1;
}

static int not_in_place(const int *row)
{
    return row[2] == 0;
}

/* A large level of one factor needs a large one of another. */
static int enough(const int *row)
{
    return row[1] + row[3] >= 5;
}

/* Level 0 is impossible for both of two factors. */
static int both(const int *row)
{
    return row[1] > 0 && row[3] > 1 && !(row[1] == 2 && row[4] == 1);
}

static int lone(const int *row)
{
    return row[0] == 2 && row[3] == 4;
}

static int none(const int *row)
{
    return row[0] > 2;
}

static const struct limit {
    const char *name;
    int (*can)(const int *row);
} limits[] = {
    { "no limit", any },     { "an impossible level", not_in_place },
    { "one level needs another", enough }, { "two levels not 0", both },
    { "one pair", lone },    { "no row", none },
};

static int can(const void *arg, const int *row)
{
    return ((const struct limit *)arg)->can(row);
}

/* Advance to the next row of the product; 0 after the last. */
static int next(int *row)
{
    for (int f = 0; f < FACTORS; f++) {
        if (++row[f] < few[f])
            return 1;
        row[f] = 0;
    }
    return 0;
}

static int level_of(int pair, int *f, int *a)
{
    for (*f = 0; *f < FACTORS; pair -= few[(*f)++])
        if (pair < few[*f]) {
            *a = pair;
            return 1;
        }
    return 0;
}

/* 1 if a possible row has level a of f and b of g. */
static int possible(const struct limit *l, int f, int a, int g, int b)
{
    int row[FACTORS] = { 0 };

    do
        if (row[f] == a && row[g] == b && l->can(row))
            return 1;
    while (next(row));
    return 0;
}

/* Number of pairs of the product that no possible row has. */
static long impossible(const struct limit *l)
{
    long n = 0;
    int f, a, g, b;

    for (int i = 0; level_of(i, &f, &a); i++)
        for (int j = 0; level_of(j, &g, &b); j++)
            n += f < g && !possible(l, f, a, g, b);
    return n;
}

static void test_limit(const struct limit *l)
{
    struct pairs p;
    int wrong = 0, row[FACTORS];

    if (pairs_init(&p, few, FACTORS, can, l) != 0)
        abort();
    for (int r = 0; r < p.nrow; r++) {
        for (int f = 0; f < FACTORS; f++)
            row[f] = p.row[r][f];
        wrong += !l->can(row);
    }
    tap_ok(wrong == 0 && (p.nrow == 0 || l->can(p.base)),
           "%s: the cover has only possible rows", l->name);
    tap_ok(pairs_missing(&p) == impossible(l),
           "%s: the cover has all possible pairs, in %d rows", l->name, p.nrow);
    tap_ok(pairs_any(few, FACTORS, can, l) == (p.nrow > 0),
           "%s: pairs_any() agrees with the cover", l->name);
    pairs_release(&p);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        test_shape(&shapes[i]);
    test_missing();
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
        test_limit(&limits[i]);
    return tap_done();
}
