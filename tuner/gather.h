/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.h - what batch jobs measured becomes one database and a table. */
#ifndef CHORALE_TUNER_GATHER_H
#define CHORALE_TUNER_GATHER_H

#include "db/err.h"

struct chorale_slurm_queue;

/* Merge the published shards, with their tails (db/tail.h), in the folders of
 * all submissions of the database at path, or of that folder alone; a shard
 * that is refused is told and left. Of elements whose jobs have ended what there
 * is of points that were killed in the middle, too: those of the folder, or
 * those that the queue has not. One of folder and queue is NULL. */
enum chorale_err chorale_gather_shards(const char *path, const char *folder,
                                       const struct chorale_slurm_queue *queue,
                                       struct chorale_errmsg *msg);

/* The last job of a submission: merge its shards into path, fit, decide, write
 * the dispatch file and the summary. threshold: of `decide`, < 0: its default.
 * What became of it is kept in FOLDER/gather.txt. CHORALE_STOPPED: runs are
 * missing, the table is that of what there is. */
enum chorale_err chorale_gather(const char *folder, const char *path,
                                double threshold, struct chorale_errmsg *msg);

/* What gather.txt says: its exit code, and msg its line. CHORALE_ENV: there is
 * none. */
enum chorale_err chorale_gather_verdict(const char *folder,
                                        struct chorale_errmsg *msg);

#endif
