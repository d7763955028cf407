/* SPDX-License-Identifier: BSD-3-Clause */
/* submission.h - batch jobs in the database: the rows of `chorale submit` and
 * their progress. */
#ifndef CHORALE_TUNER_SLURM_SUBMISSION_H
#define CHORALE_TUNER_SLURM_SUBMISSION_H

#include "tuner/slurm/pack_launches.h"
#include "tuner/slurm/slurm.h"

/* An element of a job array. */
struct chorale_element {
    sqlite3_int64 submission;
    long element, task;
    int nodes, ppn;
    double seconds;
    char job_id[32];         /* "" if not submitted */
    char folder[4096];       /* folder of the submission */
    sqlite3_int64 cells[2];  /* first and last cell to measure */
};

/* Load the elements of a submission, or of all with 0, in order. The caller
 * frees *list_p. */
enum chorale_err chorale_elements_load(struct chorale_store *store,
                                       sqlite3_int64 submission,
                                       struct chorale_element **list_p,
                                       size_t *count_p,
                                       struct chorale_errmsg *msg);

/* Count the runs of an element for the cells from cells[0] to cells[1]: all of
 * them, and those that store has. */
enum chorale_err chorale_element_count(struct chorale_store *store,
                                       sqlite3_int64 submission, long element,
                                       const sqlite3_int64 cells[2],
                                       sqlite3_int64 *done_p,
                                       sqlite3_int64 *total_p,
                                       struct chorale_errmsg *msg);

/* The same, also counting runs of the published shard; the larger number
 * counts. If runs are missing and the shard has as many as store, *each_p is
 * set to the mean seconds of a run in its ended launches, with their starts;
 * else to 0. */
enum chorale_err chorale_element_done(struct chorale_store *store,
                                      const struct chorale_element *e,
                                      sqlite3_int64 *done_p,
                                      sqlite3_int64 *total_p, double *each_p,
                                      struct chorale_errmsg *msg);

/* Paths of an element's published shard and of the file with its last
 * message. */
void chorale_element_files(const char *folder, long element, char *shard,
                           char *words, size_t size);

/* Load a system's launches with missing runs, except those of elements in the
 * queue. The caller frees *launch_p. */
enum chorale_err chorale_submission_pending(
    struct chorale_store *store, sqlite3_int64 system_id,
    const struct chorale_slurm_queue *queue,
    struct chorale_pack_launch **launch_p, size_t *n_p,
    struct chorale_errmsg *msg);

/* Insert rows for packed launches, without job ids, in one transaction. *id_p
 * is set to the submission's id, and folder[size] to base/ID. */
enum chorale_err chorale_submission_put(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        const char *command, const char *base,
                                        const struct chorale_pack_launch *l,
                                        size_t n, sqlite3_int64 *id_p,
                                        char *folder, size_t size,
                                        struct chorale_errmsg *msg);

/* Store a job id for elements first ... last, as its tasks 0 ...; with first 0
 * for the submission's last job. */
enum chorale_err chorale_submission_job(struct chorale_store *store,
                                        sqlite3_int64 id, long first,
                                        long last, const char *job_id,
                                        struct chorale_errmsg *msg);

/* Make a database for the elements of a submission: systems, campaigns, the
 * cells that no queued job measures, and the existing runs of launches that
 * they continue. */
enum chorale_err chorale_submission_plan(struct chorale_store *store,
                                         sqlite3_int64 id, const char *file,
                                         struct chorale_errmsg *msg);

#endif
