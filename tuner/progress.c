/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - a bar with the time left: see progress.h. */
#include "tuner/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 30
#define REDRAW 0.1

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw(struct chorale_progress *bar, const char *what)
{
    long done = bar->done < bar->total ? bar->done : bar->total;
    int full = bar->total > 0 ? (int)(WIDTH * done / bar->total) : WIDTH;
    long fresh = bar->done - bar->first;
    double elapsed = now() - bar->started;
    double left = fresh > 0 ? elapsed / (double)fresh *
                                  (double)(bar->total - done)
                            : 0;

    fprintf(stderr, "\r[%.*s%*s] %3ld%%", full,
            "##############################", WIDTH - full, "",
            bar->total > 0 ? 100 * done / bar->total : 100);
    if (fresh > 0)
        fprintf(stderr, "  %ld:%02ld left", (long)left / 60, (long)left % 60);
    fprintf(stderr, "  %.30s\033[K", what);
    fflush(stderr);
}

void chorale_progress_start(struct chorale_progress *bar, long done,
                            long total)
{
    *bar = (struct chorale_progress){ .shown = isatty(2),
                                      .done = done,
                                      .first = done,
                                      .total = total,
                                      .started = now() };
    if (bar->shown)
        draw(bar, "");
}

void chorale_progress_step(struct chorale_progress *bar, long n,
                           const char *what)
{
    double t = now();

    bar->done += n;
    if (!bar->shown || (t - bar->drawn < REDRAW && bar->done < bar->total))
        return;
    bar->drawn = t;
    draw(bar, what);
}

void chorale_progress_clear(struct chorale_progress *bar)
{
    if (bar->shown)
        fprintf(stderr, "\r\033[K");
}
