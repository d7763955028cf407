/* SPDX-License-Identifier: BSD-3-Clause */
/* job_status.h - how far the batch jobs of a database are. */
#ifndef CHORALE_TUNER_SLURM_JOB_STATUS_H
#define CHORALE_TUNER_SLURM_JOB_STATUS_H

#include <jansson.h>

#include <time.h>

#include "db/store.h"
#include "tuner/slurm/slurm.h"

/* What is kept from one look to the next. Zeroed, it is new; to be freed in the
 * end. */
struct chorale_jobs_watch {
    struct chorale_slurm_queue queue;
    struct timespec asked;   /* when */
    char *ended;             /* what sacct says; NULL: it was not asked */
    struct timespec ended_asked; /* when */
    long waiting;            /* elements that lack runs and are in the queue,
                              * by the last look */
    size_t nelement;         /* and all there are */
};

/* Print a line for each element: runs done, the work that is left, what Slurm
 * says of its job, what it said last; or append objects to list, unless that is
 * NULL. Slurm is not asked where all is done; that it does not answer is told
 * once. */
enum chorale_err chorale_status_jobs(struct chorale_store *store,
                                     json_t *list,
                                     struct chorale_jobs_watch *watch,
                                     struct chorale_errmsg *msg);
void chorale_jobs_watch_free(struct chorale_jobs_watch *watch);

#endif
