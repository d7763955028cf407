/* SPDX-License-Identifier: BSD-3-Clause */
/* try_app.h - runs an application once with tracing. */
#ifndef CHORALE_TUNER_TRY_TRY_APP_H
#define CHORALE_TUNER_TRY_TRY_APP_H

#include "tuner/exchange/trace_read.h"

/* Run argv (NULL-terminated) with the shim preloaded into all programs that it
 * starts. The program's output is passed on.
 *
 * what        names the run in messages
 * table       the table to load; NULL leaves all calls to the library
 * trace_file  is overwritten and read into *trace, which the caller releases.
 *             It is removed afterwards, unless keep is set and it could be read
 * wall        out: s from MPI_Init to MPI_Finalize of the slowest rank
 * inside      out: s in collectives, mean over ranks
 *
 * CHORALE_ENV: the application failed, wrote no trace, or each of its ranks is
 * alone in MPI_COMM_WORLD. CHORALE_STOPPED: interrupted. */
enum chorale_err chorale_try_run(char **argv, const char *what,
                                 const char *table,
                                 const char *trace_file, int keep,
                                 struct chorale_trace_text *trace,
                                 double *wall, double *inside,
                                 struct chorale_errmsg *msg);

#endif
