/* SPDX-License-Identifier: BSD-3-Clause */
/* history.h - times of cells over campaigns: commits, releases, nights. */
#ifndef CHORALE_TUNER_COMPARE_HISTORY_H
#define CHORALE_TUNER_COMPARE_HISTORY_H

#include "db/foreign_db.h"
#include "tuner/compare/changepoint.h"
#include "tuner/model/observations.h"

/* A run of the benchmark: all campaigns of one label, or one without. */
struct chorale_history_run {
    char label[128], started[24]; /* of its first launch; safe text */
};

/* A cell's time in one run of the benchmark. */
struct chorale_history_value {
    size_t run;
    double seconds, lo, hi;  /* median, least and most of its launches */
    size_t nlaunch;
};

struct chorale_history_cell {
    struct chorale_run_point at;
    struct chorale_history_value *value; /* by run */
    size_t nvalue;
    struct chorale_change *change; /* in log seconds; first: of value[] */
    size_t nchange;
    int few;                 /* too few runs for any change */
};

struct chorale_history {
    struct chorale_history_run *run; /* by time */
    size_t nrun;
    struct chorale_history_cell *cell;
    size_t ncell;
    int simulated;
    struct chorale_points *points; /* [nfile] */
    size_t nfile;
    char system[2][128];     /* of the first file, and the first other one;
                              * safe text */
    size_t other;            /* the file that has it, 0: none */
};

struct chorale_history_opts {
    const char *system;
    double threshold, level; /* changes up to the first do not count */
    long rounds;
};

/* Load the databases and find the changes of every cell. Second measurements
 * and validations are no runs. CHORALE_USAGE: no such system, or several;
 * CHORALE_DATA: nothing measured, simulated and measured times. */
enum chorale_err chorale_history_load(char **path, size_t npath,
                                      const struct chorale_history_opts *opts,
                                      struct chorale_history *history,
                                      struct chorale_errmsg *msg);
void chorale_history_release(struct chorale_history *history);

#endif
