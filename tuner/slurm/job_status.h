/* SPDX-License-Identifier: BSD-3-Clause */
/* job_status.h - shows the progress of a database's batch jobs. */
#ifndef CHORALE_TUNER_SLURM_JOB_STATUS_H
#define CHORALE_TUNER_SLURM_JOB_STATUS_H

#include <jansson.h>

#include <time.h>

#include "db/store.h"
#include "tuner/slurm/slurm.h"

/* State kept between displays. Zero-initialise it, and free it with
 * chorale_jobs_watch_free(). */
struct chorale_jobs_watch {
    struct chorale_slurm_queue queue;
    struct timespec asked;   /* when squeue was asked */
    char *ended;             /* output of sacct; NULL: not asked */
    struct timespec ended_asked; /* when sacct was asked */
    long waiting;            /* elements that lack runs and are in the queue */
    size_t nelement;         /* number of elements */
};

/* Print a line for each element: runs done, remaining work, the job's state in
 * Slurm, and its last message. If list is not NULL, append objects to it
 * instead. Slurm is not asked if all runs are done. A failing Slurm is reported
 * once. */
enum chorale_err chorale_status_jobs(struct chorale_store *store,
                                     json_t *list,
                                     struct chorale_jobs_watch *watch,
                                     struct chorale_errmsg *msg);
void chorale_jobs_watch_free(struct chorale_jobs_watch *watch);

#endif
