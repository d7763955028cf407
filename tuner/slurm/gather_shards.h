/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_shards.h - what batch jobs measured becomes one database and a table. */
#ifndef CHORALE_TUNER_SLURM_GATHER_SHARDS_H
#define CHORALE_TUNER_SLURM_GATHER_SHARDS_H

#include "db/err.h"

struct chorale_slurm_queue;

/* Whose shards, and which of their jobs are known to have ended. */
struct chorale_gather_from {
    const char *folder;      /* a submission's; NULL: of all */
    int ended;               /* all jobs of it have */
    const char *system;      /* so have this user's on it (NULL: nobody's) */
    const struct chorale_slurm_queue *queue; /* that are not in there */
};

/* Merge the published shards, with their tails (db/tail.h), into the database
 * at path; a shard that is refused is told and left. Of elements whose jobs
 * have ended what there is of points that were killed in the middle, too
 * (CHORALE_SHARD_ENDED): nobody else may know of it any more. */
enum chorale_err chorale_gather_shards(const char *path,
                                       const struct chorale_gather_from *from,
                                       struct chorale_errmsg *msg);

/* The last job of a submission: merge its shards into path, fit, decide, write
 * the dispatch file and the summary. Only as the job that was submitted for it
 * does it know that the others have ended. threshold: of `decide`, < 0: its
 * default.
 * What became of it is kept in FOLDER/gather.txt. CHORALE_STOPPED: runs are
 * missing, the table is that of what there is. */
enum chorale_err chorale_gather(const char *folder, const char *path,
                                double threshold, struct chorale_errmsg *msg);

/* What gather.txt says: its exit code, and msg its line. CHORALE_ENV: there is
 * none. */
enum chorale_err chorale_gather_verdict(const char *folder,
                                        struct chorale_errmsg *msg);

#endif
