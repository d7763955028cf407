/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c - store results in the database, one transaction a point, so that a
 * killed campaign holds complete points only. */
#include "runners/measure/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/quantiles.h"
#include "runners/measure/counters.h"
#include "runners/measure/samples.h"

struct writer {
    struct chorale_store *store;
    sqlite3_stmt *run, *summary, *sample, *counter;
    struct chorale_samples table; /* source of the sample statement */
    struct chorale_errmsg *msg;
};

static enum chorale_err prepare(struct writer *w)
{
    enum chorale_err err;
    int rc = chorale_samples_table(chorale_store_db(w->store), &w->table);

    if (rc != SQLITE_OK)
        return chorale_store_check(w->store, rc, w->msg);
    err = chorale_store_prepare(
        w->store,
        "INSERT INTO run (uuid, cell_id, launch_id, status, reason,"
        " stop_reason, validity, first_call, sync, batch, separator,"
        " clock_error, skew) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
        &w->run, w->msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            w->store,
            "INSERT INTO run_summary VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            &w->summary, w->msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            w->store, "INSERT INTO sample SELECT * FROM runner_sample",
            &w->sample, w->msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            w->store, "INSERT INTO counter VALUES (?,-1,?,?)", &w->counter,
            w->msg);
    return err;
}

static void finalize(struct writer *w)
{
    sqlite3_finalize(w->run);
    sqlite3_finalize(w->summary);
    sqlite3_finalize(w->sample);
    sqlite3_finalize(w->counter);
    chorale_samples_table(chorale_store_db(w->store), NULL);
}

static void validity(const struct chorale_bench *bench,
                     const struct chorale_result *res, char *text, size_t size)
{
    int nlate = 0;

    for (int i = 0; i < res->nsample; i++)
        nlate += res->sample[i].late;
    snprintf(text, size, "%s%s%s%s%s%s%s",
             bench->oversubscribed ? ",oversubscribed" : "",
             2 * nlate > res->nsample ? ",late" : "",
             res->clock_lost ? ",clock" : "",
             res->suspicious ? ",suspicious" : "",
             bench->straggler ? ",straggler" : "",
             bench->mixed_cpus ? ",mixed_cpus" : "",
             bench->loaded ? ",load" : "");
    if (text[0] == ',')
        memmove(text, text + 1, strlen(text));
}

static enum chorale_err put_run(struct writer *w,
                                const struct chorale_bench *bench,
                                const struct chorale_cand *cand,
                                const struct chorale_result *res,
                                sqlite3_int64 *run_id)
{
    static const char *const status[] = { "ok", "invalid", "inapplicable",
                                          "failed" };
    char uuid[CHORALE_UUID_SIZE], flags[96];
    enum chorale_err err;

    chorale_uuid_near(bench->work.launch_uuid, cand->cell_id, uuid);
    validity(bench, res, flags, sizeof(flags));
    err = chorale_store_put(
        w->store, w->run, 1,
        CHORALE_FIELDS(uuid, cand->cell_id, bench->work.launch_id,
                       status[res->status], res->reason,
                       res->status == CHORALE_RUN_OK &&
                               res->stop_reason != NULL
                           ? res->stop_reason
                           : "",
                       flags, res->first_call > 0 ? res->first_call : NAN,
                       res->nsample > 0 ? chorale_sync_names[res->sync] : "",
                       res->batch, res->separated ? res->separator : NAN,
                       res->nsample > 0 ? res->clock_error : NAN,
                       res->skew > 0 ? res->skew : NAN), w->msg);
    *run_id = sqlite3_last_insert_rowid(chorale_store_db(w->store));
    return err;
}

static enum chorale_err put_summary(struct writer *w, sqlite3_int64 run_id,
                                    const struct chorale_result *res)
{
    struct chorale_summary s;
    double *x = malloc((size_t)res->nsample * sizeof(*x));
    int nlate = 0;

    if (x == NULL)
        return chorale_fail_memory(w->msg, NULL);
    for (int i = 0; i < res->nsample; i++) {
        x[i] = res->sample[i].seconds;
        nlate += res->sample[i].late;
    }
    chorale_summarise(x, (size_t)res->nsample, &s);
    free(x);
#ifdef CHORALE_SIM
    s.lo = s.hi = s.median; /* no variation */
#endif
    return chorale_store_put(
        w->store, w->summary, 1,
        CHORALE_FIELDS(run_id, res->nsample, nlate, s.median, s.lo, s.hi,
                       s.mean, s.min, s.q25, s.q75, s.p95, s.p99, s.max),
        w->msg);
}

static enum chorale_err put_samples(struct writer *w, sqlite3_int64 run_id,
                                    const struct chorale_task *task,
                                    const struct chorale_result *res)
{
    w->table = (struct chorale_samples){
        .run_id = run_id,
        .rooted = chorale_coll_info((enum chorale_coll)task->coll)->rooted,
        .result = res,
    };
    return chorale_store_step(w->store, w->sample, NULL, w->msg);
}

static enum chorale_err put_counter(struct writer *w, sqlite3_int64 run_id,
                                    const char *event, double value)
{
    return chorale_store_put(w->store, w->counter, 1,
                             CHORALE_FIELDS(run_id, event, value), w->msg);
}

static enum chorale_err put_counters(struct writer *w,
                                     const struct chorale_bench *bench,
                                     const struct chorale_cand *cand,
                                     const struct chorale_result *res,
                                     sqlite3_int64 run_id)
{
    struct chorale_stat stat = res->stat;
    enum chorale_err err = CHORALE_OK;
    char own[64];

    /* The library's own messages cannot be counted: NULL, not zero. */
    if (cand->provider == CHORALE_PROVIDER_CHORALE)
        for (int i = 0; i < CHORALE_OWN && err == CHORALE_OK; i++) {
            snprintf(own, sizeof(own), "chorale::%s", chorale_own_name(i));
            err = put_counter(w, run_id, own,
                              res->counted
                                  ? (double)*chorale_own_value(&stat, i)
                                  : NAN);
        }
    for (int i = 0; i < chorale_counters_count(bench) && err == CHORALE_OK;
         i++) {
        const char *name = chorale_counters_name(bench, i);

        err = put_counter(w, run_id, name,
                          res->counter == NULL ||
                                  (cand->provider !=
                                       CHORALE_PROVIDER_CHORALE &&
                                   strncmp(name, CHORALE_OWN_PREFIX,
                                           strlen(CHORALE_OWN_PREFIX)) == 0)
                              ? NAN
                              : res->counter[i]);
    }
    return err;
}

/* Within a transaction: insert a run of each candidate and its dependent
 * rows. */
static enum chorale_err put_point(struct writer *w,
                                  const struct chorale_bench *bench,
                                  const struct chorale_task *task,
                                  const struct chorale_result *result)
{
    enum chorale_err err = CHORALE_OK;

    for (int c = 0; c < task->ncand && err == CHORALE_OK; c++) {
        const struct chorale_cand *cand = &bench->work.cand[task->first + c];
        const struct chorale_result *res = &result[c];
        sqlite3_int64 run_id;

        err = put_run(w, bench, cand, res, &run_id);
        if (err == CHORALE_OK && res->status == CHORALE_RUN_OK &&
            res->nsample > 0) {
            err = put_summary(w, run_id, res);
            if (err == CHORALE_OK)
                err = put_samples(w, run_id, task, res);
            if (err == CHORALE_OK)
                err = put_counters(w, bench, cand, res, run_id);
        }
    }
    return err;
}

enum chorale_err chorale_record_point(struct chorale_store *store,
                                      const struct chorale_bench *bench,
                                      const struct chorale_task *task,
                                      const struct chorale_result *result,
                                      struct chorale_errmsg *msg)
{
    struct writer w = { .store = store, .msg = msg };
    enum chorale_err err = prepare(&w);

    if (err == CHORALE_OK)
        err = chorale_store_begin(store, msg);
    if (err == CHORALE_OK)
        err = put_point(&w, bench, task, result);
    err = chorale_store_end(store, err, msg);
    finalize(&w);
    return err;
}

enum chorale_err chorale_record_finish(struct chorale_store *store,
                                       const struct chorale_bench *bench,
                                       struct chorale_errmsg *msg)
{
    char now[32];

    chorale_time_now(now);
    return chorale_store_run(
        store, "UPDATE launch SET status = 'done',"
        " finished = ?2 WHERE launch_id = ?1",
        CHORALE_FIELDS(bench->work.launch_id, now), msg);
}
