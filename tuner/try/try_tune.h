/* SPDX-License-Identifier: BSD-3-Clause */
/* try_tune.h - makes a table for one application: plans its traced calls,
 * measures them under its own launcher, and decides. */
#ifndef CHORALE_TUNER_TRY_TRY_TUNE_H
#define CHORALE_TUNER_TRY_TRY_TUNE_H

#include <limits.h>

#include "tuner/exchange/trace_read.h"

struct chorale_try_make {
    char **argv;             /* the command, NULL-terminated */
    int at;                  /* index of the application; -1: look for the
                              * traced program */
    const char *dir;         /* folder of the database and the table */
    char *trace_file;        /* the application's trace */
    const struct chorale_trace_text *trace; /* the same, parsed */
    const char *command;     /* command line of chorale, for the record */
    double budget;           /* seconds of measuring */
    int allow_patented;
    int oversubscribe;       /* continue with more ranks than processors */
};

#define CHORALE_TRY_DATABASE "results.db"
#define CHORALE_TRY_TABLE "table.so"

/* Make or continue DIR/results.db, and make DIR/table.so from it, whose path is
 * stored in table[]. Each step prints a line on stdout. CHORALE_DATA: the
 * application makes no call that can be measured. CHORALE_USAGE: the end of the
 * launcher's words is unknown. CHORALE_ENV; CHORALE_STOPPED. */
enum chorale_err chorale_try_make(const struct chorale_try_make *make,
                                  char table[PATH_MAX + 16],
                                  struct chorale_errmsg *msg);

/* Remove the folder with all its files. */
void chorale_try_remove(const char *dir);

#endif
