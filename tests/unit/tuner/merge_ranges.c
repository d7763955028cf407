/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_ranges.c - the dynamic program of tuner/decide/merge_ranges.h finds the
 * optimum that exhaustive search finds. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/decide/merge_ranges.h"

#define MAX_STOP 5
#define MAX_CAND 4
#define MAX_LAYER 4

static uint64_t state = 5;

/* Random number in 0 ... limit - 1, by splitmix64. */
static size_t random_below(size_t limit)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((z ^ (z >> 31)) % limit);
}

/* Random losses in quarters, so that sums are exact. A third are infinite (not
 * allowed), but at least one candidate of each stop is allowed. */
static void fill(double *loss, size_t nstop, size_t ncand)
{
    for (size_t i = 0; i < nstop; i++) {
        for (size_t c = 0; c < ncand; c++)
            loss[i * ncand + c] =
                random_below(3) == 0 ? INFINITY
                                     : (double)random_below(5) / 4;
        loss[i * ncand + random_below(ncand)] = (double)random_below(5) / 4;
    }
}

struct best {
    size_t ranges;
    double loss;
};

/* The rectangles of layers [begin, end) with one choice a stop, and their
 * loss. */
static struct best judge(const struct chorale_compact *grid, size_t begin,
                         size_t end, const size_t *pick)
{
    struct best b = { 0, 0 };

    for (size_t i = 0, j; i < grid->nstop; i = j) {
        for (j = i + 1; j < grid->nstop && pick[j] == pick[i]; j++)
            continue;
        b.ranges += chorale_compact_parts(grid, begin, end, i, j, pick[i]);
    }
    for (size_t layer = begin; layer < end; layer++)
        for (size_t i = 0; i < grid->nstop; i++)
            b.loss += grid->loss[(layer * grid->nstop + i) * grid->ncand +
                                 pick[i]];
    return b;
}

/* The sum that a finite price minimises; losses and prices are quarters. */
static double total(struct best b, double price)
{
    return price * (double)b.ranges + b.loss;
}

static int is_less(struct best a, struct best b, double price)
{
    if (!isfinite(a.loss))
        return 0;
    if (isfinite(price))
        return total(a, price) < total(b, price);
    return a.ranges < b.ranges || (a.ranges == b.ranges && a.loss < b.loss);
}

/* Best of all ncand^nstop choices for a run of layers. */
static struct best try_all(const struct chorale_compact *grid, size_t begin,
                           size_t end)
{
    struct best least = { 99, INFINITY };
    size_t total = 1;

    for (size_t i = 0; i < grid->nstop; i++)
        total *= grid->ncand;
    for (size_t k = 0; k < total; k++) {
        size_t pick[MAX_STOP], rest = k;
        struct best b;

        for (size_t i = 0; i < grid->nstop; i++, rest /= grid->ncand)
            pick[i] = rest % grid->ncand;
        b = judge(grid, begin, end, pick);
        if (is_less(b, least, grid->price))
            least = b;
    }
    return least;
}

/* Best of all ways to cut the layers, each run by exhaustive search. */
static struct best cut_all(const struct chorale_compact *grid)
{
    struct best least = { 99, INFINITY };

    for (size_t cuts = 0; cuts < (size_t)1 << (grid->nlayer - 1); cuts++) {
        struct best all = { 0, 0 };
        size_t begin = 0;

        for (size_t l = 0; l < grid->nlayer; l++) {
            struct best b;

            if (l + 1 < grid->nlayer && !(cuts >> l & 1))
                continue;
            if (l + 1 - begin > grid->most)
                all.loss = INFINITY;
            b = try_all(grid, begin, l + 1);
            all.ranges += b.ranges;
            all.loss += b.loss;
            begin = l + 1;
        }
        if (is_less(all, least, grid->price))
            least = all;
    }
    return least;
}

/* A random grid of at most these dimensions. Layers need sizes of their own if
 * shifted. */
static struct chorale_compact random_grid(size_t nlayer, size_t nstop,
                                          size_t ncand, int shifted)
{
    static double loss[MAX_LAYER * MAX_STOP * MAX_CAND];
    static double at[MAX_STOP], lo[MAX_LAYER], hi[MAX_LAYER];
    struct chorale_compact grid = {
        .loss = loss, .nlayer = 1 + random_below(nlayer),
        .nstop = 1 + random_below(nstop), .ncand = 1 + random_below(ncand),
        .most = 1 + random_below(2 * nlayer), .at = at, .lo = lo, .hi = hi,
        .price = random_below(2) == 0 ? INFINITY
                                      : (double)random_below(4) / 4,
    };

    for (size_t i = 0; i < grid.nstop; i++)
        at[i] = i > 0 ? at[i - 1] * (double)(2 + random_below(3)) : 64;
    for (size_t l = 0; l < grid.nlayer; l++) {
        double *entry = loss + l * grid.nstop * grid.ncand;

        lo[l] = at[0];
        hi[l] = at[grid.nstop - 1];
        if (shifted) {
            lo[l] *= (double)(1 + random_below(8));
            hi[l] /= (double)(1 + random_below(4));
        }
        fill(entry, grid.nstop, grid.ncand);
        for (size_t i = 0; i < grid.nstop; i++)
            for (size_t c = 0; c < grid.ncand; c++)
                if (at[i] < lo[l] || at[i] > hi[l])
                    entry[i * grid.ncand + c] = 0;
    }
    return grid;
}

/* 1 if the result is not the optimum, or not as counted. */
static int is_wrong(const struct chorale_compact *grid, int *merged)
{
    size_t pick[MAX_LAYER * MAX_STOP], last[MAX_LAYER], got = 0;
    struct best want = cut_all(grid), have = { 0, 0 };
    int rc = chorale_compact_layers(grid, last, pick, &got), wrong = 0;

    for (size_t l = 0; rc == 0 && l < grid->nlayer; l = last[l] + 1) {
        const size_t *mine = pick + l * grid->nstop;
        struct best b = judge(grid, l, last[l] + 1, mine);

        have.ranges += b.ranges;
        have.loss += b.loss;
        *merged += last[l] > l;
        wrong |= last[l] + 1 - l > grid->most;
        for (size_t k = l; k < last[l]; k++)
            wrong |= last[k] != last[l] ||
                     memcmp(mine, pick + (k + 1) * grid->nstop,
                            grid->nstop * sizeof(*pick)) != 0;
    }
    return rc != 0 || wrong || got != have.ranges ||
           is_less(have, want, grid->price) || is_less(want, have, grid->price);
}

static void test_line(void)
{
    int wrong = 0, merged = 0;

    for (int k = 0; k < 2000; k++) {
        struct chorale_compact grid = random_grid(1, MAX_STOP, MAX_CAND, 0);

        wrong += is_wrong(&grid, &merged);
    }
    tap_ok(wrong == 0, "2000 random lines: ranges and loss equal those of"
           " exhaustive search");
}

static void test_layers(void)
{
    for (int shifted = 0; shifted < 2; shifted++) {
        int wrong = 0, merged = 0;

        for (int k = 0; k < 500; k++) {
            struct chorale_compact grid = random_grid(MAX_LAYER, 3, 3,
                                                      shifted);

            wrong += is_wrong(&grid, &merged);
        }
        tap_ok(wrong == 0, "500 random stacks of lines with %s sizes:"
               " rectangles and loss equal those of exhaustive search",
               shifted ? "different" : "the same");
        tap_ok(merged > 50, "many layers share ranges");
    }
}

/* Sizes of 64 to 1024 bytes a rank: n shifts with the process count. */
static void test_parts(void)
{
    static const double at[] = { 128, 2048, 16384 };
    double lo[15], hi[15];
    struct chorale_compact grid = { .nlayer = 15, .nstop = 3, .ncand = 2,
                                    .most = 15, .at = at, .lo = lo, .hi = hi };

    for (int l = 0; l < 15; l++) {
        lo[l] = 64 * (l + 2);
        hi[l] = 1024 * (l + 2);
    }
    tap_ok(chorale_compact_parts(&grid, 0, 3, 0, 3, 1) == 1,
           "sizes that differ by a factor of 2 share a rectangle");
    tap_ok(chorale_compact_parts(&grid, 0, 4, 0, 3, 1) == 2,
           "sizes that differ by more than a factor of 2 have two");
    tap_ok(chorale_compact_parts(&grid, 0, 15, 0, 3, 1) == 3,
           "P = 2 to 16 takes three rectangles");
    tap_ok(chorale_compact_parts(&grid, 0, 15, 0, 3, 0) == 1,
           "the library takes one rectangle");
    tap_ok(chorale_compact_parts(&grid, 0, 15, 0, 1, 1) == 2,
           "process counts without a size in the range are left out");
}

static void test_nothing(void)
{
    static const double none[] = { 0, INFINITY, INFINITY, INFINITY };
    static const double at[] = { 1, 2 }, lo[] = { 1, 1 }, hi[] = { 2, 2 };
    struct chorale_compact line = {
        .loss = none, .nlayer = 1, .nstop = 2, .ncand = 2, .most = 1,
        .price = INFINITY, .at = at, .lo = lo, .hi = hi,
    };
    struct chorale_compact layers = {
        .loss = none, .nlayer = 2, .nstop = 1, .ncand = 2, .most = 2,
        .price = INFINITY, .at = at, .lo = lo, .hi = hi,
    };
    size_t pick[2], last[2], count;

    tap_ok(chorale_compact_layers(&line, last, pick, &count) != 0 &&
           chorale_compact_layers(&layers, last, pick, &count) != 0,
           "a stop without an allowed candidate is an error");
}

int main(void)
{
    test_line();
    test_layers();
    test_parts();
    test_nothing();
    return tap_done();
}
