/* SPDX-License-Identifier: BSD-3-Clause */
/* try_app.h - runs an application once with tracing. */
#ifndef CHORALE_TUNER_TRY_TRY_APP_H
#define CHORALE_TUNER_TRY_TRY_APP_H

#include "tuner/exchange/trace_read.h"

/* Run argv (NULL-terminated) with the shim preloaded into all programs that it
 * starts. table is the table to load; NULL leaves all calls to the library.
 * what names the run in messages.
 * trace_file is overwritten and read into *trace, which the caller releases. It
 * is removed afterwards, unless keep is set and it could be read. The program's
 * output is passed on.
 * *wall is set to the seconds from MPI_Init to MPI_Finalize of the slowest
 * rank, *inside to those in collectives, mean over ranks. CHORALE_ENV: the
 * application failed, wrote no trace, or its ranks do not see each other. CHORALE_STOPPED: interrupted. */
enum chorale_err chorale_try_run(char **argv, const char *what,
                                 const char *table,
                                 const char *trace_file, int keep,
                                 struct chorale_trace_text *trace,
                                 double *wall, double *inside,
                                 struct chorale_errmsg *msg);

#endif
