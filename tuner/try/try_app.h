/* SPDX-License-Identifier: BSD-3-Clause */
/* try_app.h - one run of an application, traced. */
#ifndef CHORALE_TUNER_TRY_TRY_APP_H
#define CHORALE_TUNER_TRY_TRY_APP_H

#include "tuner/exchange/trace_read.h"

/* Run argv (NULL-terminated) with the shim preloaded into whatever it starts;
 * table: what it loads, NULL: none, all is the library's. trace_file is
 * overwritten, read into *trace (release it) and, unless keep, removed. The
 * program's output is passed on. *wall: s from MPI_Init to MPI_Finalize, the
 * slowest rank's; *inside: in collectives, mean over ranks. CHORALE_ENV: it
 * failed, or left no trace; CHORALE_STOPPED. */
enum chorale_err chorale_try_run(char **argv, const char *table,
                                 const char *trace_file, int keep,
                                 struct chorale_trace_text *trace,
                                 double *wall, double *inside,
                                 struct chorale_errmsg *msg);

#endif
