/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.h - a progress bar on a terminal, or progress lines in a log. */
#ifndef CHORALE_TUNER_BASE_PROGRESS_H
#define CHORALE_TUNER_BASE_PROGRESS_H

struct chorale_progress {
    int shown;               /* standard error is a terminal */
    int lines;               /* --verbose: print a line for each item */
    long done, total, first; /* first: done before this command */
    double started, drawn;
    double every;            /* seconds between log lines, 0: no log lines */
    char what[128];          /* the current work, as last given */
};

/* Begin with done of total units completed. quiet: no output; verbose: a line
 * for each item instead of the bar. */
void chorale_progress_start(struct chorale_progress *bar, int quiet,
                            int verbose, long done, long total);
/* Where the bar is not shown, print a line at most every given seconds, for
 * the log of a job. Call after chorale_progress_start(). */
void chorale_progress_report(struct chorale_progress *bar, double seconds);
/* n more units are done; what names the work that follows. */
void chorale_progress_step(struct chorale_progress *bar, long n,
                           const char *what);
/* Set the number of completed units; what names the work that follows. */
void chorale_progress_to(struct chorale_progress *bar, long done,
                         const char *what);
/* Erase the bar: before other output, and at the end. */
void chorale_progress_clear(struct chorale_progress *bar);

#endif
