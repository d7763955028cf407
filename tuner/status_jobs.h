/* SPDX-License-Identifier: BSD-3-Clause */
/* status_jobs.h - how far the batch jobs of a database are. */
#ifndef CHORALE_TUNER_STATUS_JOBS_H
#define CHORALE_TUNER_STATUS_JOBS_H

#include <jansson.h>

#include "db/store.h"

/* Print a line for each element: runs done, what Slurm says of its job, what
 * it said last; or append objects to list, unless that is NULL. Slurm is not
 * asked where all is done; that it does not answer is told once. */
enum chorale_err chorale_status_jobs(struct chorale_store *store,
                                     json_t *list,
                                     struct chorale_errmsg *msg);

#endif
