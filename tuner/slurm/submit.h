/* SPDX-License-Identifier: BSD-3-Clause */
/* submit.h - a submission while it is made, between submit.c, which finds out
 * what to submit, and submit_send.c, which does. */
#ifndef CHORALE_TUNER_SLURM_SUBMIT_H
#define CHORALE_TUNER_SLURM_SUBMIT_H

#include <limits.h>

#include "db/snapshot.h"
#include "tuner/plan/plan.h"
#include "tuner/base/progress.h"
#include "tuner/slurm/batch_scripts.h"
#include "tuner/slurm/submission.h"

/* What the options of `submit` say. */
struct chorale_submit_opts {
    struct chorale_plan plan;
    const char *site, *partition, *account, *qos, *reservation, *constraint;
    const char *switches, *mpi, *shards;
    const char *compare, *fail_on; /* a database to compare with, or NULL */
    double seconds, node_hours, threshold, change;
    double start_up;         /* s, of a launch; below 0: not said */
    long nodes, attempts, at_once;
    int dry_run, wait, quiet, verbose, shared, unpaired, one_per_p;
    int any_nodes;
};

/* A submission while it is made. */
struct chorale_submit {
    struct chorale_submit_opts *opts;
    struct chorale_site site;
    struct chorale_slurm slurm;
    int answers;             /* there is a Slurm */
    struct chorale_slurm_nodes nodes; /* of which elements leave some out */
    struct chorale_slurm_queue queue;
    struct chorale_scripts scripts;
    struct chorale_store *store;
    struct chorale_copy scratch;  /* stands in for the database, dry */
    struct chorale_pack_launch *launch;
    size_t nlaunch;
    long nelement;
    sqlite3_int64 system_id, submission;
    char path[PATH_MAX];     /* absolute, of the database */
    char work[PATH_MAX];     /* what is written: it, or scratch */
    char base[2 * CHORALE_SITE_WORD];   /* folder of all its submissions */
    char folder[3 * CHORALE_SITE_WORD]; /* of this one */
    char program[PATH_MAX], system[128], gather_job[32];
    struct chorale_args depends; /* job ids, for the last job */
    struct chorale_progress bar; /* while it waits */
    long told_held;
    struct chorale_errmsg *msg;
};

/* Pack the launches, and say for how many node-hours. CHORALE_USAGE: these, or
 * the nodes of one, are more than the options allow. */
enum chorale_err chorale_submit_pack(struct chorale_submit *s);

/* Ask which nodes there are and put the elements into sets, each of which
 * leaves out others, unless the site names its nodes or wants any. */
enum chorale_err chorale_submit_sets(struct chorale_submit *s);

/* The nodes that the element of this launch leaves out, as Slurm writes them;
 * free *names_p, NULL: none. */
enum chorale_err chorale_submit_left_out(const struct chorale_submit *s,
                                         const struct chorale_pack_launch *l,
                                         char **names_p);

/* Past the last of the launches whose elements make one job array with that of
 * launch number from: of one group and set, and of indexes that Slurm takes. */
size_t chorale_submit_array(const struct chorale_submit *s, size_t from);

/* Make the folder, the elements' table, the database that they start from and
 * the scripts, and submit these; a dry run shows table and scripts. What was
 * submitted is cancelled if the rest cannot be. */
enum chorale_err chorale_submit_all(struct chorale_submit *s,
                                    const char *command);

/* Wait until the job that merges is gone, and return its verdict. CHORALE_ENV:
 * it left none. CHORALE_STOPPED: we were told to end. */
enum chorale_err chorale_submit_wait(struct chorale_submit *s);

/* Say of an element whose job is in that state and held what to do, once:
 * *held counts those of a look, s->told_held the most that were ever told. */
void chorale_submit_tell_held(struct chorale_submit *s,
                              const struct chorale_element *element,
                              const char *state, long *held);

/* Nothing is left to submit. If the job that merges what was submitted last is
 * neither in the queue nor has made the whole table, it is submitted again;
 * with --wait wait for it as above, else for what is in the queue. */
enum chorale_err chorale_submit_last(struct chorale_submit *s);

#endif
