/* SPDX-License-Identifier: BSD-3-Clause */
/* element_run.h - measures one element of a submission, in its batch job. */
#ifndef CHORALE_TUNER_SLURM_ELEMENT_RUN_H
#define CHORALE_TUNER_SLURM_ELEMENT_RUN_H

#include "tuner/run/run.h"

struct chorale_element_opts {
    long element;            /* its number in the submission */
    long attempts;           /* most starts */
    const char *mpi;         /* value of srun's --mpi; "auto": found by trial;
                              * NULL: Slurm's own */
    const char *shards;      /* folder to measure in; NULL: the submission's */
    const char *partition;   /* the planned one; NULL: any */
    int bind, one_per_p;     /* as in struct chorale_run_opts */
    int any_nodes;           /* launches use the nodes in Slurm's order */
    double lead, kill_wait;  /* s: lead_seconds and kill_seconds there */
    double publish;          /* s: publish_seconds there */
};

#define CHORALE_ELEMENT_DEFAULTS                                             \
    { .attempts = 1, .lead = CHORALE_RUN_LEAD,                               \
      .publish = CHORALE_RUN_PUBLISH }

/* Measure the element of the submission in folder into its shard, after merging
 * what earlier attempts published, and publish the shard. After SIGUSR1 it
 * requeues itself. CHORALE_STOPPED: runs are missing. CHORALE_USAGE: no such
 * element. CHORALE_ENV: too many attempts, another partition, or unbound ranks
 * with bind; other errors as of chorale_run(). */
enum chorale_err chorale_element_run(const char *folder,
                                     const struct chorale_element_opts *opts,
                                     struct chorale_errmsg *msg);

#endif
