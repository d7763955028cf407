/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_shards.h - the stage `merge`: gathers shards, each its own database,
 * into one. */
#ifndef CHORALE_TUNER_BASE_MERGE_SHARDS_H
#define CHORALE_TUNER_BASE_MERGE_SHARDS_H

#include "db/err.h"

/* Options of `chorale merge`; zero is the default of each. */
struct chorale_merge_opts {
    int dry_run, other_systems, quiet, verbose;
};

/* Merge shard[0, count) into the database at path, which is created if missing.
 * A refused shard is reported on stderr and skipped; *refused_p is the error of
 * the first, or CHORALE_OK. Returns errors of the target;
 * CHORALE_USAGE: a shard is the target; CHORALE_STOPPED. */
enum chorale_err chorale_shards_merge(const char *path, char *const *shard,
                                      int count,
                                      const struct chorale_merge_opts *opts,
                                      enum chorale_err *refused_p,
                                      struct chorale_errmsg *msg);

#endif
