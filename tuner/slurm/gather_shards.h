/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_shards.h - merges the shards of batch jobs into one database and makes
 * a table from it. */
#ifndef CHORALE_TUNER_SLURM_GATHER_SHARDS_H
#define CHORALE_TUNER_SLURM_GATHER_SHARDS_H

#include "db/err.h"

/* Merge the published shards of the submission with that folder, or of all
 * submissions if folder is NULL, into the database at path. Refused shards are
 * reported and skipped. */
enum chorale_err chorale_gather_shards(const char *path, const char *folder,
                                       struct chorale_errmsg *msg);

/* Run the last job of a submission: merge its shards into path, fit, decide,
 * and write the dispatch file and the summary. threshold is for `decide`; < 0
 * means its default. The result is stored in FOLDER/gather.txt.
 * CHORALE_STOPPED: runs are missing; the table uses those present. */
enum chorale_err chorale_gather(const char *folder, const char *path,
                                double threshold, struct chorale_errmsg *msg);

/* Read gather.txt: returns its exit code and sets msg to its line. CHORALE_ENV:
 * the file is missing or invalid. */
enum chorale_err chorale_gather_verdict(const char *folder,
                                        struct chorale_errmsg *msg);

#endif
