/* SPDX-License-Identifier: BSD-3-Clause */
/* try_pairs.h - measures what a table gains an application: runs it with the
 * table and without it, in turns. */
#ifndef CHORALE_TUNER_TRY_TRY_PAIRS_H
#define CHORALE_TUNER_TRY_TRY_PAIRS_H

#include "db/err.h"

enum { CHORALE_TRY_REPEATS = 1000 }; /* most pairs of runs */

struct chorale_try_opts {
    long repeat;             /* pairs of runs, at most CHORALE_TRY_REPEATS */
    double budget;           /* s of measuring for a table; 0: not given */
    const char *system;      /* of a database as the table; NULL: its only */
    const char *keep;        /* folder for a made table and its database; NULL:
                              * both are removed */
    int allow_patented;      /* tables of databases may choose patented
                              * variants */
    int measure;             /* make a table even if one is installed */
    int oversubscribe;       /* continue with more ranks than processors */
    const char *command;     /* command line of chorale */
};

/* Run the command argv (NULL-terminated) in pairs and print the ratios of its
 * times. at: index of the application after its launcher's words, -1: not
 * given. table: a compiled table or a database; NULL: the installed table, or
 * one made for the application's calls. Errors:
 * - CHORALE_NO: the program is significantly slower with the table.
 * - CHORALE_USAGE: options contradict each other, or a node has more ranks than
 *   processors without opts->oversubscribe.
 * - CHORALE_ENV: the application failed, or a file cannot be used.
 * - CHORALE_DATA: the application makes no call that can be measured.
 * - CHORALE_STOPPED: interrupted. */
enum chorale_err chorale_app_try(char **argv, int at, const char *table,
                                 const struct chorale_try_opts *opts,
                                 struct chorale_errmsg *msg);

#endif
