/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_ranges.c - the dynamic program of tuner/decide/merge_ranges.h finds the
 * optimum that exhaustive search finds. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tuner/decide/merge_ranges.h"

#define MAX_STOP 5
#define MAX_CAND 4
#define MAX_LAYER 3

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

/* The least number of rectangles of layers [begin, end) and stops [i, j) with
 * the choices pick, if each cut goes through the whole part. */
static size_t count_cuts(const struct chorale_compact *grid,
                         const size_t *pick, size_t begin, size_t end,
                         size_t i, size_t j)
{
    size_t least = 99;
    int one = 1;

    for (size_t l = begin; l < end; l++)
        for (size_t s = i; s < j; s++)
            one &= pick[l * grid->nstop + s] == pick[begin * grid->nstop + i];
    if (one)
        least = chorale_compact_parts(grid, begin, end, i, j,
                                      pick[begin * grid->nstop + i]);
    for (size_t m = begin + 1; m < end; m++) {
        size_t n = count_cuts(grid, pick, begin, m, i, j) +
                   count_cuts(grid, pick, m, end, i, j);

        least = n < least ? n : least;
    }
    for (size_t m = i + 1; m < j; m++) {
        size_t n = count_cuts(grid, pick, begin, end, i, m) +
                   count_cuts(grid, pick, begin, end, m, j);

        least = n < least ? n : least;
    }
    return least;
}

static double loss_of(const struct chorale_compact *grid, const size_t *pick)
{
    double loss = 0;

    for (size_t i = 0; i < grid->nlayer * grid->nstop; i++)
        loss += grid->loss[i * grid->ncand + pick[i]];
    return loss;
}

/* The smallest sum of price * rectangles and losses, over all choices. */
static double try_all(const struct chorale_compact *grid, double price)
{
    size_t stops = grid->nlayer * grid->nstop, total = 1;
    double least = INFINITY;

    for (size_t i = 0; i < stops; i++)
        total *= grid->ncand;
    for (size_t k = 0; k < total; k++) {
        size_t pick[MAX_LAYER * MAX_STOP], rest = k;
        double sum;

        for (size_t i = 0; i < stops; i++, rest /= grid->ncand)
            pick[i] = rest % grid->ncand;
        sum = loss_of(grid, pick);
        if (sum < least)
            sum += price * (double)count_cuts(grid, pick, 0, grid->nlayer, 0,
                                              grid->nstop);
        least = sum < least ? sum : least;
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
        .at = at, .lo = lo, .hi = hi,
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
    double price = random_below(2) == 0 ? 1e4 : (double)random_below(4) / 4;
    struct chorale_cuts *cuts = chorale_cuts_new(grid);
    struct chorale_block block[MAX_LAYER * MAX_STOP];
    size_t pick[MAX_LAYER * MAX_STOP], nblock, parts = 0;
    size_t stops = grid->nlayer * grid->nstop;
    double loss = 0;
    int wrong = 0;

    if (cuts == NULL)
        return 1;
    nblock = chorale_cuts_find(cuts, price, block);
    for (size_t i = 0; i < stops; i++)
        pick[i] = SIZE_MAX;
    for (size_t k = 0; k < nblock; k++) {
        const struct chorale_block *b = &block[k];

        parts += b->parts;
        loss += b->loss;
        *merged += b->end - b->begin > 1 && b->j - b->i > 1;
        for (size_t l = b->begin; l < b->end; l++)
            for (size_t s = b->i; s < b->j; s++) {
                wrong |= pick[l * grid->nstop + s] != SIZE_MAX;
                pick[l * grid->nstop + s] = b->cand;
            }
    }
    for (size_t i = 0; i < stops; i++)
        wrong |= pick[i] == SIZE_MAX;
    wrong = wrong || loss != loss_of(grid, pick) ||
            price * (double)parts + loss != try_all(grid, price) ||
            (price > 0 && parts != count_cuts(grid, pick, 0, grid->nlayer, 0,
                                              grid->nstop));
    chorale_cuts_free(cuts);
    return wrong;
}

static void test_line(void)
{
    int wrong = 0, merged = 0;

    for (int k = 0; k < 500; k++) {
        struct chorale_compact grid = random_grid(1, MAX_STOP, MAX_CAND, 0);

        wrong += is_wrong(&grid, &merged);
    }
    tap_ok(wrong == 0, "500 random lines: ranges and loss equal those of"
           " exhaustive search");
}

static void test_layers(void)
{
    for (int shifted = 0; shifted < 2; shifted++) {
        int wrong = 0, merged = 0;

        for (int k = 0; k < 300; k++) {
            struct chorale_compact grid = random_grid(3, 3, 3, shifted);

            wrong += is_wrong(&grid, &merged);
        }
        tap_ok(wrong == 0, "300 random stacks of lines with %s sizes:"
               " rectangles and loss equal those of exhaustive search",
               shifted ? "different" : "the same");
        tap_ok(merged > 50, "many rectangles have several lines and sizes");
    }
}

/* Sizes of 64 to 1024 bytes a rank: n shifts with the process count. */
static void test_parts(void)
{
    static const double at[] = { 128, 2048, 16384 };
    double lo[15], hi[15];
    struct chorale_compact grid = { .nlayer = 15, .nstop = 3, .ncand = 2,
                                    .at = at, .lo = lo, .hi = hi };

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
        .loss = none, .nlayer = 1, .nstop = 2, .ncand = 2, .at = at, .lo = lo,
        .hi = hi,
    };
    struct chorale_compact layers = {
        .loss = none, .nlayer = 2, .nstop = 1, .ncand = 2, .at = at, .lo = lo,
        .hi = hi,
    };

    tap_ok(chorale_cuts_new(&line) == NULL && chorale_cuts_new(&layers) == NULL,
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
