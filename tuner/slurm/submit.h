/* SPDX-License-Identifier: BSD-3-Clause */
/* submit.h - a submission in progress, shared by submit.c, which finds the work
 * to submit, and submit_send.c, which submits it. */
#ifndef CHORALE_TUNER_SLURM_SUBMIT_H
#define CHORALE_TUNER_SLURM_SUBMIT_H

#include <limits.h>

#include "db/snapshot.h"
#include "tuner/plan/plan.h"
#include "tuner/base/progress.h"
#include "tuner/slurm/batch_scripts.h"
#include "tuner/slurm/submission.h"

/* Options of `submit`. */
struct chorale_submit_opts {
    struct chorale_plan plan;
    const char *site, *partition, *account, *qos, *reservation, *constraint;
    const char *switches, *mpi, *shards;
    const char *compare, *fail_on; /* a database to compare with, or NULL */
    double seconds, node_hours, threshold, change;
    double start_up;         /* s, of a launch; < 0: unset */
    long nodes, attempts, at_once;
    int dry_run, wait, quiet, verbose, shared, unpaired, one_per_p;
    int any_nodes;
};

/* A submission in progress. */
struct chorale_submit {
    struct chorale_submit_opts *opts;
    struct chorale_site site;
    struct chorale_slurm slurm;
    int answers;             /* Slurm is available */
    struct chorale_slurm_nodes nodes; /* from which elements exclude some */
    struct chorale_slurm_queue queue;
    struct chorale_scripts scripts;
    struct chorale_store *store;
    struct chorale_copy scratch;  /* copy of the database for a dry run */
    struct chorale_pack_launch *launch;
    size_t nlaunch;
    long nelement;
    sqlite3_int64 system_id, submission;
    char path[PATH_MAX];     /* absolute path of the database */
    char work[PATH_MAX];     /* database to write: path or the scratch copy */
    char base[2 * CHORALE_SITE_WORD];   /* folder of all its submissions */
    char folder[3 * CHORALE_SITE_WORD]; /* folder of this submission */
    char program[PATH_MAX], system[128], gather_job[32];
    struct chorale_args depends; /* job ids that the last job waits for */
    struct chorale_progress bar; /* shown while waiting */
    long nheld_reported;              /* held jobs already reported */
    struct chorale_errmsg *msg;
};

/* Plan the cells of the options into the database at path, and submit its
 * pending launches; command is stored. With opts->wait, wait for the last job,
 * and then compare if opts->compare is set. CHORALE_USAGE: options contradict
 * each other, or a limit is exceeded. CHORALE_ENV: Slurm refuses or cannot bind
 * ranks. CHORALE_STOPPED: interrupted, or runs are missing at the end. Other
 * errors as of the last job and of chorale_comparing(). */
enum chorale_err chorale_campaign_submit(const char *path,
                                         struct chorale_submit_opts *opts,
                                         const char *command,
                                         struct chorale_errmsg *msg);

/* Pack the launches and print their node-hours. CHORALE_USAGE: the node-hours,
 * the nodes of a launch, or the starts of an element exceed the options'
 * limits. */
enum chorale_err chorale_submit_pack(struct chorale_submit *s);

/* List the nodes and put the elements into sets, each of which excludes other
 * nodes. Does nothing if the site selects nodes itself, if --any-nodes is
 * given, or, with a warning, if Slurm cannot list the nodes. */
enum chorale_err chorale_submit_sets(struct chorale_submit *s);

/* The nodes that the element of this launch excludes, in Slurm's notation. The
 * caller frees *names_p; NULL means none. */
enum chorale_err
chorale_submit_excluded_nodes(const struct chorale_submit *s,
                              const struct chorale_pack_launch *l,
                              char **names_p);

/* The end of the launches from number `from` on whose elements form one job
 * array: they share group and set, and the indices are below Slurm's limit. */
size_t chorale_submit_array(const struct chorale_submit *s, size_t from);

/* Make the folder, the list of elements, their initial database and the
 * scripts, and submit them. A dry run prints list and scripts. After an error
 * the jobs submitted so far are cancelled. */
enum chorale_err chorale_submit_all(struct chorale_submit *s,
                                    const char *command);

/* Wait until the merging job ends, and return its result. CHORALE_ENV: it left
 * no result. CHORALE_STOPPED: interrupted. */
enum chorale_err chorale_submit_wait(struct chorale_submit *s);

/* Report once how to release an element whose job is held. *held counts the
 * held jobs in one queue listing; s->nheld_reported: the most reported so far.
 * */
void chorale_submit_warn_held(struct chorale_submit *s,
                              const struct chorale_element *element,
                              const char *state, long *held);

/* Finish when all runs are submitted. If the last submission's merging job
 * is not in the queue and made no complete table, it is submitted again. With
 * --wait, wait for it. */
enum chorale_err chorale_submit_last(struct chorale_submit *s);

#endif
