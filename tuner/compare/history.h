/* SPDX-License-Identifier: BSD-3-Clause */
/* history.h - time series of cells over campaigns, as of commits, releases or
 * nightly runs. */
#ifndef CHORALE_TUNER_COMPARE_HISTORY_H
#define CHORALE_TUNER_COMPARE_HISTORY_H

#include "db/foreign_db.h"
#include "tuner/compare/changepoint.h"
#include "tuner/model/observations.h"

/* One run of the benchmark: all campaigns with one label, or a single campaign
 * without a label. */
struct chorale_history_run {
    char label[128], started[24]; /* of its first launch; safe text */
};

/* A cell's time in one run of the benchmark. */
struct chorale_history_value {
    size_t run;
    double seconds, lo, hi;  /* median, minimum, maximum of its launches */
    size_t nlaunch;
};

struct chorale_history_cell {
    struct chorale_run_point at;
    struct chorale_history_value *value; /* by run */
    size_t nvalue;
    struct chorale_change *change; /* in log seconds; first indexes value[] */
    size_t nchange;
    int few;                 /* too few runs to detect a change */
};

struct chorale_history {
    struct chorale_history_run *run; /* by time */
    size_t nrun;
    struct chorale_history_cell *cell;
    size_t ncell;
    int simulated;
    struct chorale_points *points; /* [nfile] */
    size_t nfile;
    char system[2][128];     /* of the first file, and the first other system;
                              * safe text */
    size_t other;            /* index of the file with it; 0: no other system */
};

struct chorale_history_opts {
    const char *system;
    double threshold, level; /* smallest change that counts; largest p */
    long rounds;
};

/* Load the databases and find the changes above threshold of every cell. Second
 * measurements and validations are ignored. Release *history also after an
 * error. CHORALE_USAGE: no or several such systems.
 * CHORALE_DATA: no run is measured, or simulated and real times are mixed. */
enum chorale_err chorale_history_load(char **path, size_t npath,
                                      const struct chorale_history_opts *opts,
                                      struct chorale_history *history,
                                      struct chorale_errmsg *msg);
void chorale_history_release(struct chorale_history *history);

/* Options of `chorale history`. */
struct chorale_history_view {
    const char *system, *collectives; /* NULL: the only system; all */
    const char *plot;        /* folder of pictures, or NULL */
    const char *format;      /* of pictures: png, svg or pdf */
    double threshold;        /* smallest change that counts; < 0: 0.02 */
    double level;            /* largest p */
    int points, json;        /* list all runs; print JSON */
    long pictures;           /* most pictures */
};

/* history_show.c. Load the databases, and print and draw the changes. Errors as
 * of chorale_history_load(); also CHORALE_USAGE: the value of an option is
 * invalid; CHORALE_ENV: a picture cannot be written; CHORALE_STOPPED: all cells
 * have too few runs. */
enum chorale_err chorale_history_show(char **path, size_t npath,
                                      const struct chorale_history_view *opts,
                                      struct chorale_errmsg *msg);

#endif
