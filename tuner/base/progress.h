/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.h - a bar with the time left, on a terminal only; elsewhere
 * lines, for those who ask for them. */
#ifndef CHORALE_TUNER_BASE_PROGRESS_H
#define CHORALE_TUNER_BASE_PROGRESS_H

struct chorale_progress {
    int shown;               /* standard error is a terminal */
    int lines;               /* a line for what is begun, wherever it goes */
    long done, total, first; /* first: done before this command */
    double started, drawn;
    double every;            /* s between two lines, 0: none */
    char what[128];          /* as it was told last */
};

/* total units of work, done of them already. quiet shows nothing, and the lines
 * of verbose take the bar's place. */
void chorale_progress_start(struct chorale_progress *bar, int quiet,
                            int verbose, long done, long total);
/* Whoever asked for it reads a line at most each so many seconds where no bar
 * is shown, as in the log of a job: after chorale_progress_start. */
void chorale_progress_report(struct chorale_progress *bar, double seconds);
/* n more units are done; what names the current work. */
void chorale_progress_step(struct chorale_progress *bar, long n,
                           const char *what);
/* That many of all units are done: for work that says where it is. */
void chorale_progress_to(struct chorale_progress *bar, long done,
                         const char *what);
/* Take the bar away, before other output and at the end. */
void chorale_progress_clear(struct chorale_progress *bar);

#endif
