/* SPDX-License-Identifier: BSD-3-Clause */
/* gnuplot.h - runs gnuplot on one of Chorale's scripts, without a shell, and
 * makes names from databases safe for labels and for files. */
#ifndef CHORALE_TUNER_BASE_GNUPLOT_H
#define CHORALE_TUNER_BASE_GNUPLOT_H

#include <stddef.h>

#include "db/err.h"

/* Copy text to out [size bytes] for a label: printable ASCII without quotes,
 * backslashes and backticks. Every other byte becomes '?'. */
void chorale_gnuplot_label(char *out, size_t size, const char *text);
/* The same for a part of a file name: [A-Za-z0-9_.-], neither dot nor dash at
 * the start. Every other byte becomes '_'. */
void chorale_gnuplot_file_name(char *out, size_t size, const char *text);

/* Write the absolute path of the script name to path [size bytes]. If
 * CHORALE_DATADIR is set, only that folder is searched; else the build folder
 * of the program, then the installed data. CHORALE_ENV: not found. */
enum chorale_err chorale_gnuplot_script(const char *name, char *path,
                                        size_t size,
                                        struct chorale_errmsg *msg);

/* Run gnuplot in folder dir with argv (argv[0] is replaced by gnuplot's name)
 * and wait for it. CHORALE_ENV: gnuplot cannot be started (*missing_p is then
 * 1, else unchanged), or it failed; msg then has the last line of its standard
 * error. CHORALE_STOPPED: a signal to stop arrived. */
enum chorale_err chorale_gnuplot_run(const char *dir, char **argv,
                                     int *missing_p,
                                     struct chorale_errmsg *msg);

#endif
