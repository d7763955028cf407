/* SPDX-License-Identifier: BSD-3-Clause */
/* try_tune.h - a table for one application: its traced calls planned, measured
 * under its own launcher, and decided. */
#ifndef CHORALE_TUNER_TRY_TRY_TUNE_H
#define CHORALE_TUNER_TRY_TRY_TUNE_H

#include <limits.h>

#include "tuner/exchange/trace_read.h"

struct chorale_try_make {
    char **argv;             /* the command, NULL-terminated */
    int at;                  /* where the application begins; -1: look for what
                              * was traced */
    const char *dir;         /* folder of the database and the table */
    const char *trace_file;  /* of the application, and what it says: */
    const struct chorale_trace_text *trace;
    const char *command;     /* our own command line, for the record */
    double budget;           /* seconds that measuring may take */
    int allow_patented;
};

#define CHORALE_TRY_DATABASE "results.db"
#define CHORALE_TRY_TABLE "table.so"

/* Make DIR/results.db, or go on with it, and of it DIR/table.so, whose path is
 * table[]. What is done is said on stdout, in a line each. CHORALE_DATA: the
 * application calls nothing that can be measured; CHORALE_USAGE: nobody can
 * tell where the launcher's words end; CHORALE_ENV; CHORALE_STOPPED. */
enum chorale_err chorale_try_make(const struct chorale_try_make *make,
                                  char table[PATH_MAX + 16],
                                  struct chorale_errmsg *msg);

/* Remove the folder and all that is in it. */
void chorale_try_remove(const char *dir);

#endif
