/* SPDX-License-Identifier: BSD-3-Clause */
/* merge_shards.c - gather shards, each its own database, into one. */
#include "config.h"

#include "tuner/base/merge_shards.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "db/foreign_db.h"
#include "db/snapshot.h"
#include "db/merge.h"
#include "db/canonical_ids.h"
#include "tuner/base/progress.h"
#include "tuner/base/output.h"
#include "tuner/base/process.h"

/* 32 MiB, since the UUIDs of a shard with many runs are spread over the whole
 * index. SQLite's default is 2 MB. */
#define CACHE "PRAGMA cache_size = -32768"

/* Share of reading and checking in the work for a shard; the rest is
 * copying. */
#define CHECKING 0.3
#define UNIT 65536.0 /* bytes of a shard per step of the bar */

#define WAIT_SECONDS 20 /* for another merge or an ending runner */

struct gather {
    const struct chorale_merge_opts *opts;
    const char *path;           /* path of the target */
    struct chorale_store *target;
    struct chorale_copy scratch; /* copy of the target for a dry run */
    sqlite3_int64 runs, computed;
    int merged;                 /* number of merged shards */
    enum chorale_err *refused;  /* error of the first refused shard */
    struct chorale_progress bar;
    const char *shard;          /* current shard */
    double before, size;        /* its first bar step, and their number */
    struct chorale_errmsg *msg;
};

static int exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 || errno != ENOENT;
}

/* A dry run neither makes nor migrates the target. */
static enum chorale_err check_dry(struct gather *g)
{
    struct chorale_store *store = NULL;
    enum chorale_err err = chorale_store_open(g->path, CHORALE_STORE_READ,
                                              &store, g->msg);

    chorale_store_close(store);
    return err;
}

static enum chorale_err open_target(struct gather *g)
{
    const char *path = g->path;
    enum chorale_err err = CHORALE_OK;

    if (g->target != NULL)
        return CHORALE_OK;
    if (g->opts->dry_run && exists(path))
        err = check_dry(g);
    else if (g->opts->dry_run) {
        err = chorale_copy_folder(&g->scratch, g->msg);
        path = g->scratch.file;
    }
    if (err == CHORALE_OK)
        err = chorale_store_open(path, CHORALE_STORE_CREATE, &g->target,
                                 g->msg);
    if (err == CHORALE_OK)
        err = chorale_store_lock(g->target, CHORALE_LOCK_CAMPAIGN,
                                 WAIT_SECONDS, g->msg);
    if (err == CHORALE_OK)
        err = chorale_store_lock(g->target, CHORALE_LOCK_RUNNER, WAIT_SECONDS,
                                 g->msg);
    if (err == CHORALE_OK)
        err = chorale_store_exec(g->target, CACHE, g->msg);
    if (err == CHORALE_OK)
        chorale_store_stop(g->target, chorale_stop_requested);
    return err;
}

/* Print "3 cells" or "1 cell". */
static void print_count(const char *before, sqlite3_int64 n, const char *one,
                        const char *many)
{
    printf("%s%lld %s", before, (long long)n, n == 1 ? one : many);
}

static void report(const char *name, int dry,
                   const struct chorale_merged *merged)
{
    static const char *const noun[CHORALE_NMERGED][2] = {
        { "system", "systems" },   { "cell", "cells" },
        { "launch", "launches" },  { "run", "runs" },
    };

    printf("%s: ", name);
    for (int i = 0; i < CHORALE_NMERGED; i++)
        print_count(i > 0 ? ", " : "", merged->added[i], noun[i][0],
                    noun[i][1]);
    print_count(" with ", merged->samples, "sample", "samples");
    if (merged->traces > 0)
        print_count(", ", merged->traces, "trace", "traces");
    printf(dry ? " would be added" : " added");
    for (int i = 0; i < CHORALE_NMERGED; i++)
        print_count(i > 0 ? ", " : "; there already: ", merged->there[i],
                    noun[i][0], noun[i][1]);
    if (merged->computed > 0)
        print_count("; not merged: ", merged->computed,
                    "row of models, decisions, validations, baselines",
                    "rows of models, decisions, validations, baselines");
    printf("\n");
}

/* Report an error of a shard and continue with the others. */
static void refuse(struct gather *g, enum chorale_err err)
{
    chorale_progress_clear(&g->bar);
    fprintf(stderr, "chorale: %s\n", g->msg->text);
    g->msg->text[0] = '\0';
    if (*g->refused == CHORALE_OK)
        *g->refused = err;
}

static double steps(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 ? 1 + (double)st.st_size / UNIT : 1;
}

/* Advance the bar to a share of the current shard. */
static void advance(struct gather *g, double share)
{
    chorale_progress_to(&g->bar, (long)(g->before + g->size * share),
                        g->shard);
}

static void copied(void *arg, double share)
{
    advance(arg, CHECKING + (1 - CHECKING) * share);
}

/* Merge one shard. An error of the target is returned; an error of the shard is
 * reported and kept in *g->refused. */
static enum chorale_err gather_shard(struct gather *g, const char *name)
{
    const struct chorale_merge_watch watch = { copied, g };
    struct chorale_shard *shard = NULL;
    struct chorale_merged merged;
    int stop = 0;
    enum chorale_err err;

    g->shard = name;
    g->before += g->size;
    g->size = steps(name);
    advance(g, 0);
    err = chorale_shard_open(name, chorale_stop_requested, &shard, g->msg);
    if (err == CHORALE_STOPPED)
        return err;
    if (err != CHORALE_OK) {
        refuse(g, err);
        return CHORALE_OK;
    }
    advance(g, CHECKING);
    err = open_target(g);
    if (err != CHORALE_OK)
        stop = 1;
    else
        err = chorale_merge(g->target, g->path, shard,
                            (g->opts->dry_run ? CHORALE_MERGE_DRY : 0u) |
                                (g->opts->other_systems
                                     ? CHORALE_MERGE_SYSTEMS : 0u),
                            &watch, &merged, &stop, g->msg);
    chorale_shard_close(shard);
    if (err != CHORALE_OK && !stop) {
        refuse(g, err);
        return CHORALE_OK;
    }
    if (err != CHORALE_OK)
        return err;
    g->merged++;
    g->runs += merged.added[CHORALE_MERGED_RUNS];
    g->computed += merged.computed;
    chorale_progress_clear(&g->bar);
    if (!g->opts->quiet)
        report(name, g->opts->dry_run, &merged);
    return CHORALE_OK;
}

/* Refuse to merge a database into itself. */
static enum chorale_err check_names(int nshard, char *const *shard,
                                    const char *target,
                                    struct chorale_errmsg *msg)
{
    for (int i = 0; i < nshard; i++)
        if (chorale_output_same(shard[i], target))
            return chorale_fail(msg, CHORALE_USAGE, "merge: %s is the database"
                                " to merge into; name it once, first, and "
                                "then the shards", shard[i]);
    return CHORALE_OK;
}

/* Remind that models and decisions do not include the new runs. */
static enum chorale_err remind(struct gather *g)
{
    sqlite3_int64 stale = 0;
    enum chorale_err err;

    if (g->target == NULL || g->opts->quiet || g->opts->dry_run ||
        g->runs == 0)
        return CHORALE_OK;
    err = chorale_store_int(g->target, "SELECT (SELECT count(*) FROM model) +"
                            " (SELECT count(*) FROM decision)", 0, &stale,
                            g->msg);
    if (err == CHORALE_OK && stale + g->computed > 0)
        printf("%s: `chorale fit` and `chorale decide` compute models and "
               "decisions from all runs\n", g->path);
    return err;
}

enum chorale_err chorale_shards_merge(const char *path, char *const *shard,
                                      int count,
                                      const struct chorale_merge_opts *opts,
                                      enum chorale_err *refused_p,
                                      struct chorale_errmsg *msg)
{
    struct gather g = { .opts = opts, .path = path, .refused = refused_p,
                        .msg = msg };
    double total = 0;
    enum chorale_err err = check_names(count, shard, path, msg);

    *refused_p = CHORALE_OK;
    chorale_stop_catch();
    /* Check an existing target before reading any shard. */
    if (err == CHORALE_OK && exists(path))
        err = open_target(&g);
    for (int i = 0; i < count && err == CHORALE_OK; i++)
        total += steps(shard[i]);
    chorale_progress_start(&g.bar, opts->quiet || err != CHORALE_OK,
                           opts->verbose, 0, (long)total);
    for (int i = 0; i < count && err == CHORALE_OK; i++)
        err = gather_shard(&g, shard[i]);
    chorale_progress_clear(&g.bar);
    /* Also without new rows: an earlier merge may have been killed. */
    if (err == CHORALE_OK && g.merged > 0 && !opts->dry_run)
        err = chorale_ids_renumber(g.target, msg);
    if (err == CHORALE_OK)
        err = remind(&g);
    chorale_store_close(g.target);
    chorale_copy_remove(&g.scratch);
    return err;
}
