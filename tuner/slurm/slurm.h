/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.h - calls of Slurm's programs, which are started without a shell. */
#ifndef CHORALE_TUNER_SLURM_SLURM_H
#define CHORALE_TUNER_SLURM_SLURM_H

#include <stddef.h>
#include <time.h>

#include "db/err.h"
#include "tuner/base/process.h"

#define CHORALE_SLURM_POLL 30 /* least seconds between two squeue calls */
#define CHORALE_SLURM_PATIENCE 600 /* seconds without answer to tolerate */

/* Returns 1 if `then` is less than CHORALE_SLURM_POLL from now, by
 * CLOCK_REALTIME. */
int chorale_slurm_recent(const struct timespec *then);

/* Run a Slurm program and store its output in *text_p, which the caller frees.
 * CHORALE_ENV: it is missing or fails; msg has the first line of its standard
 * error. CHORALE_STOPPED. */
enum chorale_err chorale_slurm_run(const struct chorale_args *args,
                                   char **text_p, struct chorale_errmsg *msg);

/* The configuration by `scontrol show config`. */
struct chorale_slurm {
    char cluster[64];
    long max_array;          /* MaxArraySize: array indices are below it */
    int binds;               /* a task plugin binds ranks to cores */
    double kill_seconds;     /* KillWait, from SIGTERM to SIGKILL; 0: unknown */
};

/* Load the configuration. CHORALE_ENV: Slurm is missing, does not answer, or
 * allows no job arrays. */
enum chorale_err chorale_slurm_config(struct chorale_slurm *slurm,
                                      struct chorale_errmsg *msg);

/* A list of node names. */
struct chorale_slurm_nodes {
    char **name;             /* in natural order */
    size_t count;
};

/* List the usable nodes of a partition (NULL: the default one) that have
 * processors for ppn ranks, by sinfo. Free *nodes. CHORALE_ENV: sinfo failed,
 * and *nodes is empty. */
enum chorale_err chorale_slurm_usable(const char *partition, int ppn,
                                      struct chorale_slurm_nodes *nodes,
                                      struct chorale_errmsg *msg);
void chorale_slurm_nodes_free(struct chorale_slurm_nodes *nodes);

/* Run sbatch with these words and store the job's id (digits only). Environment
 * variables of this process that would override the script's options are
 * removed. CHORALE_ENV: sbatch refuses; msg has its reason. */
enum chorale_err chorale_slurm_submit(const struct chorale_args *words,
                                      char job_id[32],
                                      struct chorale_errmsg *msg);

/* Requeue a job by scontrol. CHORALE_ENV: it refuses. */
enum chorale_err chorale_slurm_requeue(const char *job_id,
                                       struct chorale_errmsg *msg);

/* Cancel a job by scancel. An error is printed to stderr, and ignored. */
void chorale_slurm_cancel(const char *job_id);

/* This user's queued and running jobs. */
struct chorale_slurm_queue {
    char *text;              /* lines "JOB TASK STATE REASON" */
};

/* Get the queue from squeue, or its last answer if that is younger than
 * CHORALE_SLURM_POLL. The answer, or failure, is cached for all databases of
 * this user and cluster in chorale/squeue-CLUSTER.txt of the user's cache
 * folder ($XDG_CACHE_HOME, or .cache in the home). Without a cache folder it is
 * kept in squeue.txt of `folder`. Of concurrent commands one asks and the
 * others wait for its answer (.lock). Free *queue. CHORALE_ENV: squeue failed,
 * and *queue is empty. */
enum chorale_err chorale_slurm_squeue(const char *folder,
                                      struct chorale_slurm_queue *queue,
                                      struct chorale_errmsg *msg);
void chorale_slurm_queue_free(struct chorale_slurm_queue *queue);
/* Add jobs that were just submitted, as lines "JOB TASK STATE REASON", to the
 * cached answer, which keeps its age. Without a cached answer it does nothing
 * and the next look asks squeue. */
void chorale_slurm_submitted(const char *folder, const char *lines);

/* Returns 1 if a waiting command should continue although a look at time now,
 * in seconds, failed (looked is not CHORALE_OK). It continues for
 * CHORALE_SLURM_PATIENCE seconds from the first of consecutive failures.
 * *since_p is that time; it is 0 without a failure. */
int chorale_slurm_may_retry(enum chorale_err looked, long long now,
                            long long *since_p);

/* Ask sacct about jobs "ID,ID". Returns lines for chorale_slurm_end_state(), ""
 * if sacct is missing or accounting is off, NULL if out of memory. The caller
 * frees them. */
char *chorale_slurm_sacct(const char *jobs);

/* Find in that text how JOB_TASK ended: "TIMEOUT", "FAILED (exit code 3)".
 * Returns 0, and leaves text[size] unchanged, if the job is not listed. */
int chorale_slurm_end_state(const char *ended, const char *job, char *text,
                            size_t size);

/* The state of a task of an array, or of the job itself with task < 0, by
 * squeue. text[size] is set to "STATE (REASON)". Returns 0 if it is not in the
 * queue. */
int chorale_slurm_state(const struct chorale_slurm_queue *queue,
                        const char *job_id, long task, char *text,
                        size_t size);

/* Returns 1 if a job in this state is held until a person releases it. Slurm
 * holds a job after slurmd could not launch it, as on a full disk or a failing
 * prologue. */
int chorale_slurm_held(const char *state);

#endif
