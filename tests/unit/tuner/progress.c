/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - progress lines without a terminal: how many are printed, and
 * their content. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/progress.h"

static char text[4096];
static double clock_s; /* time of all clocks of this program, in seconds */

int clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    t->tv_sec = (time_t)floor(clock_s);
    t->tv_nsec = lround(1e9 * (clock_s - floor(clock_s)));
    return 0;
}

/* Redirect standard error to a file until heard() reads it. */
static int listen_to(FILE *file)
{
    int kept = dup(2);

    dup2(fileno(file), 2);
    return kept;
}

static void heard(FILE *file, int kept)
{
    size_t n;

    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    rewind(file);
    n = fread(text, 1, sizeof(text) - 1, file);
    text[n] = '\0';
    fclose(file);
}

static int lines(void)
{
    int n = 0;

    for (const char *s = text; *s != '\0'; s++)
        n += *s == '\n';
    return n;
}

/* Make ten steps of 20 ms, from 10 to 20 of 110, with a report at intervals of
 * `every` seconds (0: none). */
static void work(double every)
{
    struct chorale_progress bar;
    FILE *file = tmpfile();
    int kept = listen_to(file);

    chorale_progress_start(&bar, 0, 0, 10, 110);
    if (every > 0)
        chorale_progress_report(&bar, every);
    for (int i = 0; i < 10; i++) {
        clock_s += 0.02;
        chorale_progress_step(&bar, 1, "bcast P=2\033[1m");
    }
    chorale_progress_clear(&bar);
    heard(file, kept);
}

int main(void)
{
    int percent = 0, minutes = -1, seconds = -1, read;

    work(0);
    tap_ok(text[0] == '\0', "without --verbose no line is printed");
    work(1000);
    tap_ok(text[0] == '\0', "no line is printed before the interval ends");
    work(0.05);
    tap_ok(lines() == 3, "a line is printed at each third step: %d", lines());
    read = sscanf(text, "%d%% %d:%d left", &percent, &minutes, &seconds);
    tap_ok(read == 3 && percent == 11 && minutes == 0 && seconds == 1,
           "a line has the share done and the time left: %d %%, %d:%02d",
           percent, minutes,
           seconds);
    tap_ok(strstr(text, "bcast P=2?[1m\n") != NULL &&
               strpbrk(text, "\r\033") == NULL,
           "a line has the current item without control characters");
    return tap_done();
}
