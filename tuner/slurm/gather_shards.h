/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_shards.h - merges the shards of batch jobs into one database and makes
 * a table from it. */
#ifndef CHORALE_TUNER_SLURM_GATHER_SHARDS_H
#define CHORALE_TUNER_SLURM_GATHER_SHARDS_H

#include "db/err.h"

struct chorale_slurm_queue;

/* Selects shards, and tells which of their jobs have ended. */
struct chorale_gather_from {
    const char *folder;      /* of one submission; NULL: of all */
    int ended;               /* 1: all of its jobs have ended */
    const char *system;      /* this user's jobs for it, or NULL, ... */
    const struct chorale_slurm_queue *queue; /* ... ended unless in here */
};

/* Merge the published shards, with their tails (db/tail.h), into the database
 * at path. A refused shard is reported and left. For elements whose jobs have
 * ended, unfinished points are merged as well (CHORALE_SHARD_ENDED), as no job
 * will finish them. */
enum chorale_err chorale_gather_shards(const char *path,
                                       const struct chorale_gather_from *from,
                                       struct chorale_errmsg *msg);

/* Run the last job of a submission: merge its shards into path, fit, decide,
 * and write the dispatch file and the summary. Only in the batch job that was
 * submitted for it, all other jobs are known to have ended. threshold is for
 * `decide`; < 0 means its default. The result is stored in FOLDER/gather.txt.
 * CHORALE_STOPPED: runs are missing; the table uses those present. */
enum chorale_err chorale_gather(const char *folder, const char *path,
                                double threshold, struct chorale_errmsg *msg);

/* Read gather.txt: returns its exit code and sets msg to its line. CHORALE_ENV:
 * the file is missing or invalid. */
enum chorale_err chorale_gather_verdict(const char *folder,
                                        struct chorale_errmsg *msg);

#endif
