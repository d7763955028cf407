/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.h - the few questions that are put to Slurm. Its programs are started
 * without a shell. */
#ifndef CHORALE_TUNER_SLURM_SLURM_H
#define CHORALE_TUNER_SLURM_SLURM_H

#include <stddef.h>
#include <time.h>

#include "db/err.h"
#include "tuner/base/process.h"

#define CHORALE_SLURM_POLL 30 /* seconds: at most one squeue in them */
#define CHORALE_SLURM_PATIENCE 600 /* seconds: a controller may be restarted */

/* 1 if that is less than CHORALE_SLURM_POLL from now, by CLOCK_REALTIME. */
int chorale_slurm_recent(const struct timespec *then);

/* Run one of its programs and keep what it prints; free *text_p. CHORALE_ENV:
 * it is not there, or it fails, and msg has its own first line. */
enum chorale_err chorale_slurm_say(const struct chorale_args *args,
                                   char **text_p, struct chorale_errmsg *msg);

/* What `scontrol show config` says. */
struct chorale_slurm {
    char cluster[64];
    long max_array;          /* MaxArraySize: indexes are below it */
    int binds;               /* a task plugin binds ranks to cores */
    double kill_seconds;     /* KillWait, from SIGTERM to SIGKILL; 0: it does
                              * not say */
};

/* CHORALE_ENV: no Slurm here, or it does not answer. */
enum chorale_err chorale_slurm_ask(struct chorale_slurm *slurm,
                                   struct chorale_errmsg *msg);

/* Names of nodes. */
struct chorale_slurm_nodes {
    char **name;             /* in natural order */
    size_t count;
};

/* The nodes of a partition, NULL: of the default one, that work and have
 * processors for so many ranks, as sinfo says. Free nodes. CHORALE_ENV: it
 * fails, nodes is empty. */
enum chorale_err chorale_slurm_usable(const char *partition, int ppn,
                                      struct chorale_slurm_nodes *nodes,
                                      struct chorale_errmsg *msg);
void chorale_slurm_nodes_free(struct chorale_slurm_nodes *nodes);

/* Start sbatch with these words after its own, and keep the job's id, digits
 * only. The variables of this process that sbatch would take over what the
 * script says are forgotten. CHORALE_ENV: it refuses, msg has its reason. */
enum chorale_err chorale_slurm_submit(const struct chorale_args *words,
                                      char job_id[32],
                                      struct chorale_errmsg *msg);

/* scontrol requeue of a job. CHORALE_ENV: it refuses. */
enum chorale_err chorale_slurm_requeue(const char *job_id,
                                       struct chorale_errmsg *msg);

/* scancel, as far as it goes. */
void chorale_slurm_cancel(const char *job_id);

/* The jobs of this user that are queued or run. */
struct chorale_slurm_queue {
    char *text;              /* lines "JOB TASK STATE REASON" */
};

/* Ask squeue, or take its last answer, if that is younger than
 * CHORALE_SLURM_POLL: it is kept for all databases of this user and cluster in
 * chorale/squeue-CLUSTER.txt of the user's folder of caches ($XDG_CACHE_HOME,
 * or .cache at home), else in squeue.txt of that folder; so is that it failed.
 * Of several commands at a moment one asks, the others wait for what it is told
 * (its .lock). Free queue. CHORALE_ENV: it failed, queue is empty. */
enum chorale_err chorale_slurm_look(const char *folder,
                                    struct chorale_slurm_queue *queue,
                                    struct chorale_errmsg *msg);
void chorale_slurm_forget(struct chorale_slurm_queue *queue);
/* Jobs that were just submitted: lines "JOB TASK STATE REASON". An answer that
 * is kept gets them too, and is as old as it was; without one nothing is done,
 * the next look asks. */
void chorale_slurm_submitted(const char *folder, const char *lines);

/* Whether one who waits goes on although a look at time now [s] failed (looked
 * is not CHORALE_OK): it does for CHORALE_SLURM_PATIENCE from the first failure
 * in a row on. *since_p: that time, 0 before; 0 again after a good look. */
int chorale_slurm_patient(enum chorale_err looked, long long now,
                          long long *since_p);

/* What sacct says of these jobs, "ID,ID": lines to be looked up by
 * chorale_slurm_ending(); "" where there is none, or nothing is accounted.
 * Free it; NULL: out of memory. */
char *chorale_slurm_ended(const char *jobs);

/* How JOB_TASK ended, in that text: "TIMEOUT", "FAILED (exit code 3)". 0: it
 * is not there, and text[size] is left as it was. */
int chorale_slurm_ending(const char *ended, const char *job, char *text,
                         size_t size);

/* State of task of an array, or of the job itself with task < 0, as squeue
 * says it; text[size] gets "STATE (REASON)". 0: it is not in the queue. */
int chorale_slurm_state(const struct chorale_slurm_queue *queue,
                        const char *job_id, long task, char *text,
                        size_t size);

/* 1: a job of that state is not started until someone releases it, as after a
 * launch that slurmd could not make: its disk is full, or its prologue
 * fails. */
int chorale_slurm_held(const char *state);

#endif
