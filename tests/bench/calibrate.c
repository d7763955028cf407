/* SPDX-License-Identifier: BSD-3-Clause */
/* calibrate.c - error rates of the verdicts of `chorale compare`: how often a
 * whole comparison of unchanged cells is red, and how often a changed cell is
 * found, by size of the change and number of launches.
 *
 * Usage: calibrate [COMPARISONS [CELLS]] (default: 2000 2000) */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tuner/trial.h"

static const struct noise plain = NOISE_PLAIN, full = NOISE_FULL;
static const char *const ways[] = { "again, paired", "again, head alone",
                                    "once" };

/* Repeat a comparison; count red ones, and cells found, flagged, excused. */
static void repeat(const struct trial *t, size_t times, uint64_t seed,
                   size_t *red_p, struct outcome *sum)
{
    struct bench_trial b;

    *red_p = 0;
    *sum = (struct outcome){ 0, 0, 0, 0 };
    if (trial_alloc(&b, t) != 0)
        abort();
    for (size_t k = 0; k < times; k++) {
        struct outcome out;

        if (trial_run(t, &b, seed + k, &out) != 0)
            abort();
        *red_p += out.red > 0;
        sum->found += out.found;
        sum->flagged += out.flagged;
        sum->machine += out.machine;
    }
    trial_release(&b);
}

static void false_alarms(size_t times, size_t ncell)
{
    static const struct {
        enum trial_way way;
        int full;
        double shift;
        size_t first;
    } rows[] = {
        { TRIAL_PAIRED, 0, 0, 6 },   { TRIAL_PAIRED, 1, 0, 6 },
        { TRIAL_PAIRED, 1, 0.05, 6 }, { TRIAL_HEAD, 0, 0, 6 },
        { TRIAL_HEAD, 1, 0, 6 },     { TRIAL_HEAD, 1, 0.05, 6 },
        { TRIAL_ONCE, 0, 0, 20 },    { TRIAL_ONCE, 1, 0, 20 },
    };

    printf("\nRed although nothing changed, of %zu comparisons of %zu cells:\n"
           "%-18s %-28s %-8s %8s %8s %10s\n", times, ncell, "second look",
           "noise", "launches", "red", "share", "measured again");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct trial t = { .noise = rows[i].full ? full : plain,
                           .ncell = ncell, .first = rows[i].first,
                           .again = CHORALE_COMPARE_AGAIN,
                           .shift = rows[i].shift, .way = rows[i].way };
        struct outcome sum;
        size_t red;

        repeat(&t, times, 1, &red, &sum);
        printf("%-18s %-28s %8zu %8zu %7.2f%% %9.1f%%\n", ways[t.way],
               !rows[i].full ? "own, 1.5 %"
               : rows[i].shift > 0 ? "all, machine 5 % slower" : "all",
               t.first, red, 100 * (double)red / (double)times,
               100 * (double)sum.flagged / (double)(times * ncell));
        fflush(stdout);
    }
}

static void power(size_t times, size_t ncell, enum trial_way way, int all)
{
    static const double effect[] = { 0.01, 0.02, 0.03, 0.04, 0.05, 0.10 };
    static const size_t budget[][2] = { { 6, 16 }, { 6, 20 }, { 6, 30 },
                                        { 10, 20 }, { 10, 30 }, { 20, 30 } };

    printf("\nFound, %s, noise %s; one cell of 50 changed:\n"
           "launches first + again", ways[way], all ? "of all kinds"
                                                   : "1.5 %");
    for (size_t e = 0; e < sizeof(effect) / sizeof(effect[0]); e++)
        printf("%7.0f%%", 100 * effect[e]);
    printf("\n");
    for (size_t k = 0; k < sizeof(budget) / sizeof(budget[0]); k++) {
        printf("%14zu + %-5zu", budget[k][0], budget[k][1]);
        for (size_t e = 0; e < sizeof(effect) / sizeof(effect[0]); e++) {
            struct trial t = { .noise = all ? full : plain, .ncell = ncell,
                               .first = budget[k][0], .again = budget[k][1],
                               .effect = log1p(effect[e]),
                               .nslow = ncell / 50, .way = way };
            struct outcome sum;
            size_t red;

            repeat(&t, times, 1000000, &red, &sum);
            printf("%7.1f%%", 100 * (double)sum.found /
                                 (double)(times * t.nslow));
            fflush(stdout);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    size_t times = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    size_t ncell = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000;

    false_alarms(times, ncell);
    for (int all = 0; all < 2; all++)
        for (int way = TRIAL_PAIRED; way <= TRIAL_HEAD; way++)
            power(times / 40 + 1, ncell, (enum trial_way)way, all);
    return 0;
}
