/* SPDX-License-Identifier: BSD-3-Clause */
/* submission.h - what batch jobs are to make, in the database: the rows of
 * `chorale submit`, and how far they are. */
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
    char job_id[32];         /* "": not submitted */
    char folder[4096];       /* of the submission */
    sqlite3_int64 cells[2];  /* the first and the last that it was made for */
};

/* All elements, of that submission or, with 0, of all, in their order. Free
 * *list_p. */
enum chorale_err chorale_elements_load(struct chorale_store *store,
                                       sqlite3_int64 submission,
                                       struct chorale_element **list_p,
                                       size_t *count_p,
                                       struct chorale_errmsg *msg);

/* Runs that an element has to make of the cells from cells[0] to cells[1], and
 * those of them that store has. */
enum chorale_err chorale_element_count(struct chorale_store *store,
                                       sqlite3_int64 submission, long element,
                                       const sqlite3_int64 cells[2],
                                       sqlite3_int64 *done_p,
                                       sqlite3_int64 *total_p,
                                       struct chorale_errmsg *msg);

/* The same, where the published shard may have more than store has: the larger
 * of the two. *each_p: seconds that a run took in the shard's launches, with
 * their starts; 0: none has ended. */
enum chorale_err chorale_element_done(struct chorale_store *store,
                                      const struct chorale_element *e,
                                      sqlite3_int64 *done_p,
                                      sqlite3_int64 *total_p, double *each_p,
                                      struct chorale_errmsg *msg);

/* The published shard of an element, and the file of its last words. */
void chorale_element_files(const char *folder, long element, char *shard,
                           char *words, size_t size);

/* The launches of a system with cells that are neither made nor those of an
 * element that the queue still has. Free *launch_p. */
enum chorale_err chorale_submission_pending(
    struct chorale_store *store, sqlite3_int64 system_id,
    const struct chorale_slurm_queue *queue,
    struct chorale_pack_launch **launch_p, size_t *n_p,
    struct chorale_errmsg *msg);

/* Rows for packed launches, without job ids, in one transaction; *id_p is the
 * submission's. base: its folder is base/ID, text in folder[size]. */
enum chorale_err chorale_submission_put(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        const char *command, const char *base,
                                        const struct chorale_pack_launch *l,
                                        size_t n, sqlite3_int64 *id_p,
                                        char *folder, size_t size,
                                        struct chorale_errmsg *msg);

/* Elements first ... last have that job, as its tasks 0 ...; with first 0 the
 * submission has it as its last one. */
enum chorale_err chorale_submission_job(struct chorale_store *store,
                                        sqlite3_int64 id, long first,
                                        long last, const char *job_id,
                                        struct chorale_errmsg *msg);

/* A new database with what the elements of a submission need: systems, plans,
 * cells but those that jobs in the queue measure, and of the launches that they
 * go on with which runs there are. */
enum chorale_err chorale_submission_plan(struct chorale_store *store,
                                         sqlite3_int64 id, const char *file,
                                         struct chorale_errmsg *msg);

#endif
