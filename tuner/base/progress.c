/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - a progress bar with the estimated time left. */
#include "tuner/base/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tuner/base/units.h"

#define WIDTH 30
#define COLUMNS 80           /* if the terminal's width is unknown */
#define REDRAW 0.1

/* Terminal width: a wrapped line could not be overwritten by the next one. */
static int columns(void)
{
    struct winsize size;

    return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                               : COLUMNS;
}

/* Copy what with unprintable bytes replaced by '?': names come from files and
 * databases and must not send control sequences to the terminal. */
static void plain(char *text, size_t size, const char *what)
{
    snprintf(text, size, "%s", what);
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
}

static int percent(const struct chorale_progress *bar)
{
    long done = bar->done < bar->total ? bar->done : bar->total;

    return bar->total > 0 ? (int)(100.0 * (double)done / (double)bar->total)
                          : 100;
}

/* Estimated seconds left; 0 while no unit was completed by this command. */
static double time_left(const struct chorale_progress *bar)
{
    long fresh = bar->done - bar->first;

    return fresh > 0 && bar->total > bar->done
               ? (chorale_seconds() - bar->started) / (double)fresh *
                     (double)(bar->total - bar->done)
               : 0;
}

static void say(const struct chorale_progress *bar)
{
    double left = time_left(bar);

    fprintf(stderr, "%3d%%  %ld:%02ld left  %s\n", percent(bar),
            (long)left / 60, (long)left % 60, bar->what);
}

static void draw(struct chorale_progress *bar)
{
    int full = WIDTH * percent(bar) / 100;
    long fresh = bar->done - bar->first;
    double left = time_left(bar);
    char line[256];
    int used = snprintf(line, sizeof(line), "[%.*s%*s] %3d%%", full,
                        "##############################", WIDTH - full, "",
                        percent(bar));

    if (fresh > 0)
        used += snprintf(line + used, sizeof(line) - (size_t)used,
                         "  %ld:%02ld left", (long)left / 60,
                         (long)left % 60);
    snprintf(line + used, sizeof(line) - (size_t)used, "  %s", bar->what);
    fprintf(stderr, "\r%.*s\033[K", columns() - 1, line);
    fflush(stderr);
}

void chorale_progress_start(struct chorale_progress *bar, int quiet,
                            int verbose, long done, long total)
{
    *bar = (struct chorale_progress){ .shown = !quiet && !verbose && isatty(2),
                                      .lines = !quiet && verbose,
                                      .done = done,
                                      .first = done,
                                      .total = total,
                                      .started = chorale_seconds() };
    if (bar->shown)
        draw(bar);
}

void chorale_progress_report(struct chorale_progress *bar, double seconds)
{
    bar->every = seconds;
    bar->drawn = bar->started;
}

void chorale_progress_to(struct chorale_progress *bar, long done,
                         const char *what)
{
    char text[sizeof(bar->what)];
    double t = chorale_seconds();
    int other;

    plain(text, sizeof(text), what);
    other = strcmp(text, bar->what) != 0;
    memcpy(bar->what, text, sizeof(text));
    bar->done = done;
    if (bar->lines && other && text[0] != '\0')
        fprintf(stderr, "%3d%% %s\n", percent(bar), text);
    if (!bar->shown && bar->every > 0 && t - bar->drawn >= bar->every) {
        bar->drawn = t;
        say(bar);
    }
    if (!bar->shown || (t - bar->drawn < REDRAW && bar->done < bar->total))
        return;
    bar->drawn = t;
    draw(bar);
}

void chorale_progress_step(struct chorale_progress *bar, long n,
                           const char *what)
{
    chorale_progress_to(bar, bar->done + n, what);
}

void chorale_progress_clear(struct chorale_progress *bar)
{
    if (bar->shown)
        fprintf(stderr, "\r\033[K");
}
