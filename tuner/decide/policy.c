/* SPDX-License-Identifier: BSD-3-Clause */
/* policy.c - options of `chorale decide`, stored with the table. */
#include "config.h"

#include "tuner/decide/policy.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tuner/decide/decide_arrival.h"
#include "tuner/base/suggest.h"
#include "tuner/base/process.h"
#include "tuner/base/verb.h"

#define THRESHOLD_REAL 0.03
#define COMPACT 0.01
#define FALSE_DISCOVERIES 0.05

struct held {
    struct chorale_policy policy;
};

static const struct chorale_opt rows[] = {
    CHORALE_POLICY_OPTS(struct held, policy),
    CHORALE_POLICY_ARRIVAL_OPT(struct held, policy),
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

enum chorale_err chorale_policy_check(const struct chorale_policy *policy,
                                      struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    if (policy->arrival != NULL)
        err = chorale_word_check("--arrival", policy->arrival,
                                 "sync,traced,robust", msg);
    if (err == CHORALE_OK && policy->objective != NULL)
        err = chorale_word_check("--objective", policy->objective,
                                 "median,p95", msg);
    return err;
}

enum chorale_arrival_policy
chorale_policy_arrivals(const struct chorale_policy *policy)
{
    int found = chorale_arrival_policy_find(policy->arrival);

    return found > 0 ? (enum chorale_arrival_policy)found
                     : CHORALE_ARRIVALS_SYNC;
}

enum chorale_objective
chorale_policy_objective(const struct chorale_policy *policy)
{
    return policy->objective != NULL && strcmp(policy->objective, "p95") == 0
               ? CHORALE_OBJECTIVE_P95
               : CHORALE_OBJECTIVE_MEDIAN;
}

struct chorale_decide_opts
chorale_policy_decide(const struct chorale_policy *policy, int simulated)
{
    struct chorale_decide_opts how = {
        .simulated = simulated, .fdr = FALSE_DISCOVERIES,
        .threshold = policy->threshold, .compact = policy->compact,
        .deterministic = policy->deterministic,
        .allow_patented = policy->allow_patented,
        .max_scratch = policy->max_scratch,
        .noise = isnan(policy->launch_noise) ? CHORALE_LAUNCH_NOISE
                                             : policy->launch_noise,
        .arrivals = chorale_policy_arrivals(policy),
    };

    if (isnan(how.threshold))
        how.threshold = simulated ? 0 : THRESHOLD_REAL;
    if (isnan(how.compact))
        how.compact = COMPACT;
    return how;
}

double chorale_policy_cost(const struct chorale_policy *policy, int simulated)
{
    if (!isnan(policy->dispatch_cost))
        return policy->dispatch_cost;
    return simulated ? 0 : CHORALE_DISPATCH_SECONDS;
}

static size_t count_means(const struct chorale_points *points)
{
    size_t count = 0;

    for (size_t i = 0; i < points->count; i++)
        count += points->row[i].not_duration != 0;
    return count;
}

enum chorale_err chorale_policy_points(struct chorale_store *store,
                                       sqlite3_int64 system_id, int simulated,
                                       const struct chorale_policy *policy,
                                       struct chorale_points *points,
                                       struct chorale_arrival_count *count_p,
                                       size_t *means_p,
                                       struct chorale_errmsg *msg)
{
    const struct chorale_decide_opts how = chorale_policy_decide(policy,
                                                                 simulated);
    size_t means;
    enum chorale_err err = chorale_points_load_by(
        store, system_id, chorale_policy_objective(policy), how.arrivals,
        points, msg);

    if (err != CHORALE_OK)
        return err;
    means = policy->accept_mean ? count_means(points)
                                : chorale_points_remove_means(points);
    if (means_p != NULL)
        *means_p = means;
    chorale_points_dispatched(points, chorale_policy_cost(policy, simulated));
    if (how.arrivals != CHORALE_ARRIVALS_SYNC &&
        chorale_arrivals_combine(points, &how, count_p) != 0)
        err = chorale_fail_memory(msg, chorale_store_path(store));
    return err;
}

/* A real value of a row, NAN for NULL. */
static double real(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) != SQLITE_NULL
               ? sqlite3_column_double(stmt, column)
               : NAN;
}

enum chorale_err chorale_policy_load(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     struct chorale_policy *policy,
                                     struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT threshold, compact, dispatch_cost, objective,"
        " deterministic, coalesce(max_scratch, -1), allow_patented, arrival,"
        " accept_mean, launch_noise, exploratory"
        " FROM policy WHERE system_id = ?1", CHORALE_FIELDS(system_id), &stmt,
        msg);

    if (chorale_store_next(store, stmt, &err, msg)) {
        int arrival = chorale_arrival_policy_find(chorale_text(stmt, 7));

        *policy = (struct chorale_policy){
            .threshold = real(stmt, 0), .compact = real(stmt, 1),
            .dispatch_cost = real(stmt, 2),
            .objective = strcmp(chorale_text(stmt, 3), "p95") == 0 ? "p95"
                                                                   : NULL,
            .deterministic = sqlite3_column_int(stmt, 4),
            .max_scratch = (long)sqlite3_column_int64(stmt, 5),
            .allow_patented = sqlite3_column_int(stmt, 6),
            .accept_mean = sqlite3_column_int(stmt, 8),
            .launch_noise = real(stmt, 9),
            .arrival = arrival > 0 ? chorale_arrival_policy_name(
                           (enum chorale_arrival_policy)arrival) : NULL,
        };
        snprintf(policy->exploratory, sizeof(policy->exploratory), "%s",
                 chorale_text(stmt, 10));
    }
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_policy_inherit(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        struct chorale_policy *policy,
                                        struct chorale_errmsg *msg)
{
    struct chorale_policy old = CHORALE_POLICY_DEFAULTS;
    enum chorale_err err = chorale_policy_load(store, system_id, &old, msg);

    if (err != CHORALE_OK)
        return err;
    if (isnan(policy->threshold))
        policy->threshold = old.threshold;
    if (isnan(policy->compact))
        policy->compact = old.compact;
    if (isnan(policy->dispatch_cost))
        policy->dispatch_cost = old.dispatch_cost;
    if (isnan(policy->launch_noise))
        policy->launch_noise = old.launch_noise;
    if (policy->objective == NULL)
        policy->objective = old.objective;
    if (policy->max_scratch < 0)
        policy->max_scratch = old.max_scratch;
    if (policy->arrival == NULL)
        policy->arrival = old.arrival;
    policy->deterministic |= old.deterministic;
    policy->accept_mean |= old.accept_mean;
    return CHORALE_OK;
}

enum chorale_err chorale_policy_store(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      const struct chorale_policy *policy,
                                      struct chorale_errmsg *msg)
{
    return chorale_store_run(
        store, "INSERT OR REPLACE INTO policy (system_id, threshold, compact,"
        " dispatch_cost, objective, deterministic, max_scratch,"
        " allow_patented, arrival, accept_mean, launch_noise, exploratory)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, iif(?7 < 0, NULL, ?7), ?8, ?9, ?10,"
        " ?11, ?12)",
        CHORALE_FIELDS(system_id, policy->threshold, policy->compact,
                       policy->dispatch_cost, policy->objective,
                       policy->deterministic, policy->max_scratch,
                       policy->allow_patented,
                       chorale_arrival_policy_name(
                           chorale_policy_arrivals(policy)),
                       policy->accept_mean, policy->launch_noise,
                       policy->exploratory), msg);
}

void chorale_policy_words(const struct chorale_policy *policy, char *text,
                          size_t size)
{
    static const struct held none = { CHORALE_POLICY_DEFAULTS };
    struct held held = { *policy };
    struct chorale_args args = { .count = 0 };
    size_t len = 0;

    text[0] = '\0';
    chorale_opts_words(rows, &held, &none, &args);
    for (int i = 0; i < args.count && len < size; i++)
        len += (size_t)snprintf(text + len, size - len, "%s%s",
                                i > 0 ? " " : "", args.word[i]);
    chorale_args_free(&args);
}
