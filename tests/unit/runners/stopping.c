/* SPDX-License-Identifier: BSD-3-Clause */
/* stopping.c - when cells stop, for which reason, and which are raced out. */
#include <math.h>
#include <string.h>

#include "runners/measure/stop_rule.h"
#include "tests/tap.h"

static const struct chorale_stop usual = {
    .nrep_min = 10, .nrep_max = 100, .target_width = 0.05,
    .cell_seconds = 0.5, .racing = 1,
};

static int is(const char *got, const char *want)
{
    return got == want ||
           (got != NULL && want != NULL && strcmp(got, want) == 0);
}

/* Check a single cell: repetitions, seconds spent, relative width. */
static void alone(int nrep, double spent, double width, const char *want)
{
    const struct chorale_interim seen = {
        .nrep = nrep, .spent = spent, .median = 1,
        .lo = width < 1 ? 1 - width / 2 : NAN,
        .hi = width < 1 ? 1 + width / 2 : NAN,
    };
    const char *got = chorale_stop_reason(&usual, &seen, 1, 0);

    tap_ok(is(got, want), "%d repetitions, %g s, width %g: %s", nrep, spent,
           width, got != NULL ? got : "continues");
}

/* Third cell of a point; the others' intervals are at 1 and up to 1.1. */
static void beside(double lo, int nrep, int keep, int racing,
                   const char *want)
{
    struct chorale_stop stop = usual;
    const struct chorale_interim seen[3] = {
        { .nrep = 20, .median = 1, .lo = 0.9, .hi = 1.05 },
        { .nrep = 20, .median = 1.05, .lo = 1, .hi = 1.1 },
        { .nrep = nrep, .median = lo + 0.1, .lo = lo, .hi = lo + 0.2,
          .keep = keep },
    };
    const char *got;

    stop.racing = racing;
    got = chorale_stop_reason(&stop, seen, 3, 2);
    tap_ok(is(got, want), "beginning %g times the second best%s%s: %s",
           lo / 1.1, keep ? ", the library" : "",
           racing ? "" : ", without racing", got != NULL ? got : "continues");
}

int main(void)
{
    alone(9, 0.1, 0.01, NULL);
    alone(10, 0.1, 0.04, "width");
    alone(10, 0.1, 0.06, NULL);
    alone(10, 0.1, 1, NULL);
    alone(99, 0.1, 0.06, NULL);
    alone(100, 0.1, 0.06, "nrep");
    alone(2, 0.6, 0.01, NULL);
    alone(3, 0.6, 1, "time");
    alone(3, 0.49, 1, NULL);
    alone(100, 0.6, 0.01, "time");

    beside(1.1 * 1.3, 20, 0, 1, "raced");
    beside(1.1 * 1.2, 20, 0, 1, NULL);
    beside(1.1 * 1.3, 9, 0, 1, NULL);
    beside(1.1 * 1.3, 20, 1, 1, NULL);
    beside(1.1 * 1.3, 20, 0, 0, NULL);
    return tap_done();
}
