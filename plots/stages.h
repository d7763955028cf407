/* SPDX-License-Identifier: BSD-3-Clause */
/* stages.h - the stages `plot` and `report`, for the verbs. */
#ifndef CHORALE_PLOTS_STAGES_H
#define CHORALE_PLOTS_STAGES_H

#include "db/err.h"

/* Options of `chorale plot`, as its help explains them; NULL and 0 are the
 * defaults. */
struct chorale_plot_opts {
    const char *dir, *format, *system, *collectives, *procs, *figures;
    const char *terminal;
    int all_variants, quiet;
};

/* Draw the figures of the database at path. CHORALE_USAGE: the value of an
 * option is invalid. CHORALE_DATA: no point matches. CHORALE_ENV: only data
 * files were written, without gnuplot. CHORALE_STOPPED: interrupted. */
enum chorale_err chorale_plots_make(const char *path,
                                    const struct chorale_plot_opts *opts,
                                    struct chorale_errmsg *msg);

/* The same for `chorale report`. */
struct chorale_page_opts {
    const char *output, *system;
    int anonymize, quiet;
};

/* Write the page of a system. CHORALE_USAGE: the output is no file, or is the
 * database. CHORALE_DATA: no measurement. CHORALE_STOPPED. */
enum chorale_err chorale_report_make(const char *path,
                                     const struct chorale_page_opts *opts,
                                     struct chorale_errmsg *msg);

#endif
