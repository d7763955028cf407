/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.h - merge the runs of one database into another. */
#ifndef CHORALE_DB_MERGE_H
#define CHORALE_DB_MERGE_H

#include "db/foreign_db.h"

/* Kinds of rows that a merge counts. */
enum chorale_merged_kind {
    CHORALE_MERGED_SYSTEMS,
    CHORALE_MERGED_CELLS,
    CHORALE_MERGED_LAUNCHES,
    CHORALE_MERGED_RUNS,
    CHORALE_NMERGED
};

struct chorale_merged {
    sqlite3_int64 added[CHORALE_NMERGED];
    sqlite3_int64 there[CHORALE_NMERGED]; /* rows of the shard that target
                                           * already had */
    sqlite3_int64 samples, traces;        /* added */
    sqlite3_int64 computed; /* rows of model, decision, validation and baseline
                             * in the shard: not merged; target's user computes
                             * or names them again */
};

/* Progress callback. share: part of the shard's runs copied, 0 to 1. */
struct chorale_merge_watch {
    void (*progress)(void *arg, double share);
    void *arg;
};

/* Options of a merge, or-ed. */
enum {
    CHORALE_MERGE_DRY = 1,   /* count only */
    CHORALE_MERGE_SYSTEMS = 2 /* add systems that target does not have */
};

/* Merge systems, campaigns, cells, launches, their environment, runs,
 * summaries, samples, counters and imported traces of the shard into target, in
 * one transaction. A system that target does not have is refused, unless target
 * is empty or flags allow it.
 *
 * Existing rows stay as they are, with these exceptions:
 * - a cell's number of launches becomes the larger of the two;
 * - a launch recorded as running or killed takes the end that the shard knows;
 * - a cell planned twice belongs to the older campaign;
 * - a system keeps its older name and UUID.
 * The order of merges is therefore visible in row ids only (canonical_ids.h).
 * A launch that is `running` in the shard was killed, because the shard is
 * locked against writers.
 *
 * into: name of target in messages. watch: progress callback or NULL. Memory
 * use does not grow with the databases: the maps from the shard's row ids to
 * target's are temporary tables.
 *
 * After any error target and *merged are unchanged. CHORALE_DATA with *stop_p
 * 0: the shard contradicts target or does not fit; other shards can still be
 * merged. *stop_p 1: target is unusable (disk full, locked, damaged), or the
 * user stopped the command (CHORALE_STOPPED). */
enum chorale_err chorale_merge(struct chorale_store *target, const char *into,
                               struct chorale_shard *shard, unsigned flags,
                               const struct chorale_merge_watch *watch,
                               struct chorale_merged *merged, int *stop_p,
                               struct chorale_errmsg *msg);

#endif
