/* SPDX-License-Identifier: BSD-3-Clause */
/* job_status.h - shows the progress of a database and of its batch jobs. */
#ifndef CHORALE_TUNER_SLURM_JOB_STATUS_H
#define CHORALE_TUNER_SLURM_JOB_STATUS_H

#include "db/err.h"

struct chorale_status_opts {
    int json;                /* print JSON */
    int rounds, jobs;        /* print only this part; not both */
    double watch;            /* s between two displays of jobs; NAN: one */
};

/* Print what is done, pending and failed in the database at path, rounds of
 * adaptive plans, and a line for each element of its batch jobs. With watch it
 * is repeated until no queued element lacks runs, or a signal asks to stop.
 * Slurm is asked only if runs are missing. */
enum chorale_err chorale_status_show(const char *path,
                                     const struct chorale_status_opts *opts,
                                     struct chorale_errmsg *msg);

#endif
