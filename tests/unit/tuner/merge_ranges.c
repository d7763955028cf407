/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_ranges.c - the dynamic programs of tuner/decide/merge_ranges.h find the
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

static struct best judge(const double *loss, size_t nstop, size_t ncand,
                         const size_t *pick)
{
    struct best b = { 0, 0 };

    for (size_t i = 0; i < nstop; i++) {
        b.ranges += i == 0 || pick[i] != pick[i - 1];
        b.loss += loss[i * ncand + pick[i]];
    }
    return b;
}

static int is_less(struct best a, struct best b)
{
    return isfinite(a.loss) && (a.ranges < b.ranges ||
                                (a.ranges == b.ranges && a.loss < b.loss));
}

/* Best of all ncand^nstop choices. */
static struct best try_all(const double *loss, size_t nstop, size_t ncand)
{
    struct best least = { 99, INFINITY };
    size_t total = 1;

    for (size_t i = 0; i < nstop; i++)
        total *= ncand;
    for (size_t k = 0; k < total; k++) {
        size_t pick[MAX_STOP], rest = k;
        struct best b;

        for (size_t i = 0; i < nstop; i++, rest /= ncand)
            pick[i] = rest % ncand;
        b = judge(loss, nstop, ncand, pick);
        if (is_less(b, least))
            least = b;
    }
    return least;
}

/* Best of all ways to cut the layers, each run by exhaustive search. */
static struct best cut_all(const double *loss, size_t nlayer, size_t nstop,
                           size_t ncand)
{
    struct best least = { 99, INFINITY };
    size_t square = nstop * ncand;

    for (size_t cuts = 0; cuts < (size_t)1 << (nlayer - 1); cuts++) {
        double sum[MAX_STOP * MAX_CAND] = { 0 };
        struct best all = { 0, 0 };

        for (size_t l = 0; l < nlayer; l++) {
            struct best b;

            for (size_t i = 0; i < square; i++)
                sum[i] += loss[l * square + i];
            if (l + 1 < nlayer && !(cuts >> l & 1))
                continue;
            b = try_all(sum, nstop, ncand);
            all.ranges += b.ranges;
            all.loss += b.loss;
            memset(sum, 0, sizeof(sum));
        }
        if (is_less(all, least))
            least = all;
    }
    return least;
}

static void test_line(void)
{
    double loss[MAX_STOP * MAX_CAND];
    size_t pick[MAX_STOP];
    int wrong = 0;

    for (int k = 0; k < 2000; k++) {
        size_t nstop = 1 + random_below(MAX_STOP);
        size_t ncand = 1 + random_below(MAX_CAND), got;
        struct best want, have;

        fill(loss, nstop, ncand);
        want = try_all(loss, nstop, ncand);
        got = chorale_compact_line(loss, nstop, ncand, pick);
        have = judge(loss, nstop, ncand, pick);
        wrong += got != want.ranges || have.ranges != want.ranges ||
                 have.loss > want.loss || have.loss < want.loss;
    }
    tap_ok(wrong == 0, "2000 random lines: ranges and loss equal those of"
           " exhaustive search");
}

static void test_layers(void)
{
    double loss[MAX_LAYER * MAX_STOP * MAX_CAND];
    size_t pick[MAX_LAYER * MAX_STOP], last[MAX_LAYER];
    int wrong = 0, merged = 0;

    for (int k = 0; k < 500; k++) {
        size_t nlayer = 1 + random_below(MAX_LAYER);
        size_t nstop = 1 + random_below(3), ncand = 1 + random_below(3), got;
        struct best want, have = { 0, 0 };

        for (size_t l = 0; l < nlayer; l++)
            fill(loss + l * nstop * ncand, nstop, ncand);
        want = cut_all(loss, nlayer, nstop, ncand);
        got = chorale_compact_layers(loss, nlayer, nstop, ncand, last, pick);
        for (size_t l = 0; l < nlayer; l++) {
            struct best b = judge(loss + l * nstop * ncand, nstop, ncand,
                                  pick + l * nstop);

            have.loss += b.loss;
            have.ranges += last[l] == l ? b.ranges : 0;
            merged += last[l] > l;
            wrong += last[l] > l && memcmp(pick + l * nstop,
                                           pick + (l + 1) * nstop,
                                           nstop * sizeof(*pick)) != 0;
        }
        wrong += got != want.ranges || have.ranges != want.ranges ||
                 have.loss > want.loss || have.loss < want.loss;
    }
    tap_ok(wrong == 0, "500 random stacks of lines: rectangles and loss equal"
           " those of exhaustive search");
    tap_ok(merged > 100, "many layers share ranges");
}

static void test_nothing(void)
{
    static const double none[] = { 0, INFINITY, INFINITY, INFINITY };
    size_t pick[2], last[2];

    tap_ok(chorale_compact_line(none, 2, 2, pick) == 0 &&
           chorale_compact_layers(none, 2, 1, 2, last, pick) == 0,
           "a stop without an allowed candidate is an error");
}

int main(void)
{
    test_line();
    test_layers();
    test_nothing();
    return tap_done();
}
