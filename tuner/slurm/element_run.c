/* SPDX-License-Identifier: BSD-3-Clause */
/* element_run.c - measures an element into its own shard and publishes copies
 * of it. */
#include "config.h"

#include "tuner/slurm/element_run.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "db/publish.h"
#include "tuner/run/launcher.h"
#include "tuner/base/merge_shards.h"
#include "tuner/run/run.h"
#include "tuner/slurm/slurm.h"
#include "tuner/slurm/detect_launcher.h"
#include "tuner/slurm/submission.h"

/* Attempts of `scontrol requeue`, and seconds between them. */
enum { REQUEUES = 5, REQUEUE_PAUSE = 3 };

struct element {
    const struct chorale_element_opts *opts;
    const char *folder;
    char work[PATH_MAX];     /* the shard being written */
    char shard[PATH_MAX];    /* its published copy */
    char words[PATH_MAX];    /* message file for `chorale status` */
    sqlite3_int64 submission, done, total, before;
    long attempt;
    struct chorale_errmsg *msg;
};

/* Write a progress line. state is a word; reason is a text or "". */
static void tell(const struct element *e, const char *state,
                 const char *reason)
{
    char name[PATH_MAX + 8];
    FILE *out;

    snprintf(name, sizeof(name), "%s.new", e->words);
    out = fopen(name, "w");
    if (out == NULL)
        return;
    fprintf(out, "%s attempt %ld done %lld of %lld%s%s\n", state, e->attempt,
            (long long)e->done, (long long)e->total,
            reason[0] != '\0' ? ": " : "", reason);
    if (fclose(out) == 0)
        rename(name, e->words);
}

static enum chorale_err publish(struct element *e, struct chorale_store *store,
                                struct chorale_errmsg *msg)
{
    static const sqlite3_int64 all[2] = { 0, INT64_MAX };
    enum chorale_err err = chorale_publish(store, e->shard, msg);

    if (err == CHORALE_OK)
        err = chorale_element_count(store, e->submission, e->opts->element,
                                    all, &e->done, &e->total, msg);
    if (err == CHORALE_OK)
        tell(e, "running", "");
    return err;
}

/* Unbound ranks would measure the scheduler. If the launcher failed to bind
 * them, the launch ended before its first point; fail with a message. */
static enum chorale_err check_bound(const struct element *e,
                                    struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_stmt *stmt = NULL;
    int row = 0;
    enum chorale_err err = chorale_store_open(e->work, CHORALE_STORE_READ,
                                              &store, msg);

    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            store,
            "SELECT sum(value LIKE 'free%'), count(*), min(CASE WHEN value"
            "  LIKE 'free%' THEN substr(key, 9) || ' is ' || value END)"
            " FROM environment WHERE key LIKE 'binding:%' AND launch_id ="
            "  (SELECT max(launch_id) FROM environment WHERE key = 'binding:0')",
            &stmt, msg);
    if (err == CHORALE_OK)
        err = chorale_store_step(store, stmt, &row, msg);
    if (err == CHORALE_OK && row && sqlite3_column_int(stmt, 0) > 0)
        err = chorale_fail(msg, CHORALE_ENV, "element %ld: %d of %d ranks are "
                           "not bound to cores (rank %.150s); let the launcher "
                           "bind them, or write bind = no in the site file",
                           e->opts->element, sqlite3_column_int(stmt, 0),
                           sqlite3_column_int(stmt, 1), chorale_text(stmt, 2));
    sqlite3_finalize(stmt);
    chorale_store_close(store);
    return err;
}

/* Called after a launch and while it runs: publish the shard if it is time. */
static enum chorale_err launched(void *arg, struct chorale_store *store,
                                 struct chorale_errmsg *msg)
{
    return publish(arg, store, msg);
}

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Set the names of the element's files, and load its submission. */
static enum chorale_err find_files(struct element *e)
{
    char uuid[CHORALE_UUID_SIZE] = "", plan[PATH_MAX];
    struct chorale_store *store = NULL;
    sqlite3_stmt *stmt = NULL;
    int row = 0;
    enum chorale_err err;

    snprintf(plan, sizeof(plan), "%s/plan.db", e->folder);
    chorale_element_files(e->folder, e->opts->element, e->shard, e->words,
                          sizeof(e->shard));
    /* VACUUM INTO requires a database opened for writing, but only reads it.
     * All elements read it at once, without the lock file. */
    err = chorale_store_open(plan, CHORALE_STORE_LAUNCH, &store, e->msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            store,
            "SELECT submission_id, uuid FROM submission"
            " JOIN element USING (submission_id) WHERE element = ?1", &stmt,
            e->msg);
    if (err == CHORALE_OK) {
        sqlite3_bind_int64(stmt, 1, e->opts->element);
        err = chorale_store_step(store, stmt, &row, e->msg);
    }
    if (err == CHORALE_OK && !row)
        err = chorale_fail(e->msg, CHORALE_USAGE, "%s has no element %ld; "
                           "see `chorale status` for the elements",
                           e->folder, e->opts->element);
    if (err == CHORALE_OK) {
        e->submission = sqlite3_column_int64(stmt, 0);
        snprintf(uuid, sizeof(uuid), "%s", chorale_text(stmt, 1));
    }
    sqlite3_finalize(stmt);
    /* Submissions share the nodes' folders, so names include the UUID. */
    if (e->opts->shards != NULL)
        snprintf(e->work, sizeof(e->work), "%s/chorale-%s-%ld.db",
                 e->opts->shards, uuid, e->opts->element);
    else
        snprintf(e->work, sizeof(e->work), "%s/work-%ld.db", e->folder,
                 e->opts->element);
    if (err == CHORALE_OK && !exists(e->work))
        err = chorale_publish(store, e->work, e->msg);
    chorale_store_close(store);
    return err;
}

/* Merge what earlier attempts published, on this node or another, and count the
 * finished work. */
static enum chorale_err merge_published_shard(struct element *e)
{
    const struct chorale_merge_opts opts = { .quiet = 1 };
    char *shard = e->shard;
    struct chorale_store *store = NULL;
    enum chorale_err err = CHORALE_OK, refused = CHORALE_OK;

    if (exists(e->shard))
        err = chorale_shards_merge(e->work, &shard, 1, &opts, &refused,
                                   e->msg);
    if (err == CHORALE_OK)
        err = refused; /* reported on stderr */
    if (err == CHORALE_OK)
        err = chorale_store_open(e->work, CHORALE_STORE_WRITE, &store,
                                 e->msg);
    if (err == CHORALE_OK)
        err = publish(e, store, e->msg);
    e->before = e->done;
    chorale_store_close(store);
    return err;
}

static enum chorale_err measure(struct element *e)
{
    struct chorale_run_opts run = CHORALE_RUN_DEFAULTS;
    char mpi[8];

    run.element = e->opts->element;
    run.mpi = e->opts->mpi;
    run.bind = e->opts->bind;
    run.no_bind = !e->opts->bind;
    run.one_per_p = e->opts->one_per_p;
    run.turns = !e->opts->any_nodes;
    run.quiet = 1;
    run.launched = launched;
    run.launched_arg = e;
    run.lead_seconds = e->opts->lead;
    run.kill_seconds = e->opts->kill_wait;
    run.publish_seconds = e->opts->publish;
    if (run.mpi != NULL && strcmp(run.mpi, "auto") == 0) {
        enum chorale_err err = chorale_probe_srun_mpi(mpi, e->msg);

        if (err != CHORALE_OK)
            return err;
        run.mpi = mpi;
    }
    return chorale_run(e->work, &run, e->msg);
}

/* Publish the results of a launch that was ended. */
static void publish_rest(struct element *e)
{
    struct chorale_store *store = NULL;
    struct chorale_errmsg why;

    if (chorale_store_open(e->work, CHORALE_STORE_WRITE, &store, &why) !=
            CHORALE_OK ||
        publish(e, store, &why) != CHORALE_OK)
        fprintf(stderr, "chorale: element %ld is not published: %s\n",
                e->opts->element, why.text);
    chorale_store_close(store);
}

/* Slurm's name of this task. SLURM_JOB_ID is not usable: for one task of each
 * array it is the id of the whole array, and requeueing it would requeue all
 * tasks. */
static int task_name(char name[64])
{
    const char *array = getenv("SLURM_ARRAY_JOB_ID");
    const char *task = getenv("SLURM_ARRAY_TASK_ID");

    return array != NULL && task != NULL &&
           snprintf(name, 64, "%s_%s", array, task) < 64;
}

/* Requeue with retries, as the controller may be busy or restarting. Slurm ends
 * the task after a quarter of a minute at the earliest. */
static enum chorale_err requeue(const char *job, struct chorale_errmsg *why)
{
    enum chorale_err err = chorale_slurm_requeue(job, why);

    for (int i = 1; i < REQUEUES && err != CHORALE_OK &&
                    !chorale_stop_requested(); i++) {
        nanosleep(&(struct timespec){ REQUEUE_PAUSE, 0 }, NULL);
        err = chorale_slurm_requeue(job, why);
    }
    return err;
}

/* Requeue the stopped element after SIGUSR1, which precedes the time limit,
 * unless its attempts are used up or this one added no run, as the next one
 * would not either. After another signal Slurm decides. */
static enum chorale_err requeue_element(struct element *e, int signal,
                                        struct chorale_errmsg *msg)
{
    struct chorale_errmsg why;
    char reason[CHORALE_ERRMSG_SIZE] = "", job[64];

    if (signal != SIGUSR1 || chorale_stop_requested() || !task_name(job)) {
        /* Slurm has cancelled, preempted or requeued it. */
        tell(e, "ended", "stopped by Slurm");
        return CHORALE_STOPPED;
    }
    if (e->attempt >= e->opts->attempts)
        snprintf(reason, sizeof(reason), "%ld attempt%s not enough; "
                 "repeat `chorale submit` for the missing runs",
                 e->attempt, e->attempt == 1 ? " was" : "s were");
    else if (e->done == e->before)
        snprintf(reason, sizeof(reason), "attempt %ld added no run; give "
                 "it a longer --time", e->attempt);
    if (reason[0] != '\0') {
        tell(e, "ended", reason);
        return chorale_fail(msg, CHORALE_STOPPED, "element %ld: %s",
                            e->opts->element, reason);
    }
    tell(e, "requeued", "");
    if (requeue(job, &why) != CHORALE_OK) {
        tell(e, "ended", why.text);
        return chorale_fail(msg, CHORALE_STOPPED, "element %ld: %.900s",
                            e->opts->element, why.text);
    }
    return chorale_fail(msg, CHORALE_STOPPED, "element %ld: %lld of %lld runs "
                        "are done; it is requeued",
                        e->opts->element, (long long)e->done,
                        (long long)e->total);
}

/* Check the partition: times of two partitions are never mixed. */
static enum chorale_err check_place(const struct chorale_element_opts *opts,
                                    struct chorale_errmsg *msg)
{
    const char *is = getenv("SLURM_JOB_PARTITION");

    if (opts->partition == NULL || is == NULL ||
        strcmp(is, opts->partition) == 0)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_ENV, "element %ld: runs in partition "
                        "%.100s but was planned for %.100s; submit for the "
                        "former with --partition, or do not move its jobs",
                        opts->element, is, opts->partition);
}

enum chorale_err chorale_element_run(const char *folder,
                                     const struct chorale_element_opts *opts,
                                     struct chorale_errmsg *msg)
{
    const char *restarts = getenv("SLURM_RESTART_COUNT");
    struct element e = { .opts = opts, .folder = folder, .msg = msg };
    enum chorale_err err;
    int signal;

    e.attempt = 1 + (restarts != NULL ? strtol(restarts, NULL, 10) : 0);
    chorale_stop_catch();
    err = find_files(&e);
    if (err == CHORALE_OK)
        err = check_place(opts, msg);
    if (err == CHORALE_OK && e.attempt > opts->attempts)
        err = chorale_fail(msg, CHORALE_ENV, "element %ld: Slurm starts it for "
                           "the %ldth time, but --attempts allows %ld; find "
                           "what ends its nodes, then repeat `chorale "
                           "submit`", opts->element, e.attempt,
                           opts->attempts);
    if (err == CHORALE_OK)
        err = merge_published_shard(&e);
    if (err != CHORALE_OK) {
        tell(&e, "failed", msg->text);
        return err;
    }
    err = measure(&e);
    if (err == CHORALE_ENV && opts->bind) {
        struct chorale_errmsg why;

        if (check_bound(&e, &why) == CHORALE_ENV)
            *msg = why;
    }
    if (err != CHORALE_STOPPED && err != CHORALE_OK) {
        publish_rest(&e);
        tell(&e, "failed", msg->text);
        return err;
    }
    /* From here on the request is being handled. */
    signal = chorale_stop_requested();
    chorale_stop_forget();
    publish_rest(&e);
    if (err == CHORALE_STOPPED)
        return requeue_element(&e, signal, msg);
    tell(&e, "done", "");
    unlink(e.work); /* all is published */
    return CHORALE_OK;
}
