/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.h - the runs of one database brought into another. */
#ifndef CHORALE_DB_MERGE_H
#define CHORALE_DB_MERGE_H

#include "db/foreign_db.h"

/* What a merge counts rows of. */
enum chorale_merged_kind {
    CHORALE_MERGED_SYSTEMS,
    CHORALE_MERGED_CELLS,
    CHORALE_MERGED_LAUNCHES,
    CHORALE_MERGED_RUNS,
    CHORALE_NMERGED
};

struct chorale_merged {
    sqlite3_int64 added[CHORALE_NMERGED];
    sqlite3_int64 there[CHORALE_NMERGED]; /* of the shard's, before */
    sqlite3_int64 samples, traces;        /* added */
    sqlite3_int64 computed; /* rows of model, decision, validation and baseline
                             * that the shard has: they are computed again, not
                             * merged */
};

/* Who wants to know how far a merge is: share is 0 to 1. */
struct chorale_merge_watch {
    void (*told)(void *arg, double share);
    void *arg;
};

/* What a merge may and may not, or-ed. */
enum {
    CHORALE_MERGE_DRY = 1,   /* count only */
    CHORALE_MERGE_SYSTEMS = 2 /* take other systems beside those of target */
};

/* Bring systems, campaigns, cells, launches, their environment, runs,
 * summaries, samples, counters and imported traces of the shard into target,
 * in one transaction. A shard with a system that target has not is refused,
 * unless target has none at all or flags allow it. What is there already stays
 * as it is, but for a cell's number of launches, the larger of the two; the end
 * of a launch that was not known before; and the campaign of a cell that was
 * planned twice, and the name and UUID of a system, which are the older ones.
 * So the order of merges is only in the row ids: see canonical_ids.h. A launch that
 * the shard calls running was killed: nobody is working on the shard. into:
 * target's name in messages.
 *
 * Memory does not grow with the databases: what maps the shard's row ids to
 * target's is in SQLite's temporary file. watch, unless NULL, is told now and
 * then which share of the shard's runs is copied.
 *
 * CHORALE_DATA: the shard contradicts target or does not fit: target is as it
 * was, and can take other shards. Otherwise *stop_p is 1: target is not
 * usable (full disk, locked, damaged), and is as it was, too. */
enum chorale_err chorale_merge(struct chorale_store *target, const char *into,
                               struct chorale_shard *shard, unsigned flags,
                               const struct chorale_merge_watch *watch,
                               struct chorale_merged *merged, int *stop_p,
                               struct chorale_errmsg *msg);

#endif
