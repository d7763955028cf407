/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_tables.c - the stage `decide`: compute the decision tables of each
 * system, store them as rows of table decision and print them as ranges of
 * P and n. */
#include "tuner/decide/decide_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/remarks.h"
#include "tuner/base/rows.h"
#include "tuner/base/units.h"
#include "tuner/decide/decide_arrival.h"
#include "tuner/decide/inherit_runs.h"
#include "tuner/decide/served_kinds.h"
#include "tuner/decide/smooth.h"
#include "tuner/model/excluded_points.h"
#include "tuner/model/predict.h"

#define LOADED "; other programs ran at the same time" /* of a reason */

/* The rows of one decision table of a system. */
struct table {
    const char *target;
    struct chorale_decision *row;
    size_t count;
};

static const char insert_sql[] =
    "INSERT INTO decision (system_id, coll, comm_size, ppn, shape, dtype, op,"
    " n_lo, n_hi, provider, variant, params, basis, seconds, library_seconds,"
    " speedup, speedup_lo, speedup_hi, regret, reason, target, op_class,"
    " comm_size_hi, arrival)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
    " ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)";

static enum chorale_err insert(struct chorale_store *store,
                               sqlite3_stmt *stmt,
                               const struct chorale_decision *d,
                               const char *target, struct chorale_errmsg *msg)
{
    return chorale_store_put(
        store, stmt, 2,
        CHORALE_FIELDS(chorale_coll_info(d->coll)->name, d->comm_size, d->ppn,
                       d->shape, d->dtype, d->op, d->n_lo, d->n_hi,
                       d->run->provider, d->run->variant, d->run->params,
                       d->basis, d->seconds, d->library_seconds, d->speedup,
                       d->speedup_lo, d->speedup_hi, d->regret, d->reason,
                       target, d->op_class, d->comm_size_hi, d->arrival),
        msg);
}

/* Replace a system's rows in one transaction. */
static enum chorale_err write_rows(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   const struct chorale_policy *policy,
                                   const struct table *table, size_t ntable,
                                   struct chorale_errmsg *msg)
{
    sqlite3_stmt *ins;
    enum chorale_err err = chorale_replace_begin(
        store, "DELETE FROM decision WHERE system_id = ?1", system_id,
        insert_sql, &ins, msg);

    for (size_t t = 0; t < ntable; t++)
        for (size_t i = 0; i < table[t].count && err == CHORALE_OK; i++)
            err = insert(store, ins, &table[t].row[i], table[t].target, msg);
    if (err == CHORALE_OK)
        err = chorale_policy_store(store, system_id, policy, msg);
    return chorale_replace_end(store, ins, err, msg);
}

static int same_table(const struct chorale_decision *a,
                      const struct chorale_decision *b)
{
    return a->coll == b->coll && a->ppn == b->ppn &&
           strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->op, b->op) == 0;
}

static void print_heading(const struct chorale_decision *d)
{
    printf("%s (%d a node, %s), %s%s%s\n", chorale_coll_info(d->coll)->name,
           d->ppn, d->shape, d->dtype, *d->op ? " " : "", d->op);
}

/* Format a range of numbers like "17-31", or "17". */
static void format_procs(const struct chorale_decision *d, char *text,
                         size_t size)
{
    if (d->comm_size_hi > d->comm_size)
        snprintf(text, size, "%d-%d", d->comm_size, d->comm_size_hi);
    else
        snprintf(text, size, "%d", d->comm_size);
}

/* Print a row. first: it begins a table or another range of process counts. */
static void print_row(const struct chorale_decision *d, int first)
{
    char lo[32], hi[32], range[72], what[128], gain[64] = "", procs[48] = "";

    if (first)
        format_procs(d, procs, sizeof(procs));
    chorale_human_bytes((double)d->n_lo, lo);
    chorale_human_bytes((double)d->n_hi, hi);
    if (strcmp(lo, hi) == 0)
        snprintf(range, sizeof(range), "%s", lo);
    else
        snprintf(range, sizeof(range), "%s - %s", lo, hi);
    snprintf(what, sizeof(what), "%s%s%s", d->run == &chorale_library_run
                 ? "library" : d->run->variant, *d->run->params ? " " : "",
             d->run->params);
    if (!isnan(d->speedup_lo) && d->speedup_lo < d->speedup_hi)
        snprintf(gain, sizeof(gain), "x%.2f [%.2f, %.2f]", d->speedup,
                 d->speedup_lo, d->speedup_hi);
    else if (d->run != &chorale_library_run)
        snprintf(gain, sizeof(gain), "x%.2f%s", d->speedup,
                 strcmp(d->basis, "modelled") == 0 ? " modelled" : "");
    printf("  %s %-9s %-22s %-32s %-20s %s%s%s\n", first ? "P =" : "   ", procs,
           range, what, gain, d->reason,
           *d->arrival != '\0' && strcmp(d->arrival, "sync") != 0
               ? "; arrival " : "",
           strcmp(d->arrival, "sync") != 0 ? d->arrival : "");
}

/* Note that the table uses rows of another type or operation. */
static enum chorale_err print_instead(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      const char *target,
                                      const struct chorale_decision *d,
                                      struct chorale_errmsg *msg)
{
    struct chorale_served_kind kind;
    char instead[72], said[128];
    enum chorale_err err = chorale_served_kind_load(
        store, system_id, chorale_coll_info(d->coll)->name, target, &kind,
        msg);

    if (err != CHORALE_OK)
        return err;
    chorale_served_kind_note(
        chorale_served_kind_instead(&kind, d->dtype, d->op, d->op_class,
                                    instead), said);
    if (said[0] != '\0')
        printf("  (%s)\n", said);
    return CHORALE_OK;
}

/* Append LOADED to the reason of each row that contains a run tagged load. */
static void mark_loaded(const struct chorale_points *points,
                        const struct table *table, size_t ntable)
{
    for (size_t k = 0; k < points->count; k++) {
        const struct chorale_run_point *run = &points->row[k];

        for (size_t t = 0; t < ntable && run->loaded && run->ok; t++)
            for (size_t i = 0; i < table[t].count; i++) {
                struct chorale_decision *d = &table[t].row[i];
                const size_t len = strlen(d->reason);

                if (d->coll == run->coll && d->n_lo <= run->n &&
                    run->n <= d->n_hi && d->comm_size <= run->comm_size &&
                    run->comm_size <= d->comm_size_hi && d->ppn == run->ppn &&
                    strcmp(d->shape, run->shape) == 0 &&
                    strcmp(d->dtype, run->dtype) == 0 &&
                    strcmp(d->op, run->op) == 0 &&
                    strstr(d->reason, LOADED) == NULL)
                    snprintf(d->reason + len, sizeof(d->reason) - len, "%s",
                             LOADED);
            }
    }
}

/* Report measurements that cannot be used. */
static enum chorale_err print_left_out(struct chorale_store *store,
                                       sqlite3_int64 system_id,
                                       struct chorale_errmsg *msg)
{
    struct chorale_excluded_count left;
    enum chorale_err err = chorale_excluded_count(store, system_id,
                                                  CHORALE_NCOLL, 0,
                                                  0, &left, msg);

    if (err != CHORALE_OK || left.count == 0)
        return err;
    printf("%lld more %s measured and left out: in each launch clocks lost "
           "synchronisation\nor a time was below the floor of messages "
           "(%s%s);\nv_run.validity names it; plan more --launches to measure "
           "it again\n",
           (long long)left.count, left.count == 1 ? "is" : "are",
           left.count == 1 ? "" : "the first: ", left.first);
    return CHORALE_OK;
}

/* Print the rows, which are already stored, except in a database that may only
 * be read. */
static enum chorale_err print_rows(struct chorale_store *store,
                                   const struct chorale_system_row *system,
                                   const struct chorale_decide_opts *how,
                                   const struct chorale_policy *policy,
                                   const struct table *table, size_t ntable,
                                   struct chorale_errmsg *msg)
{
    char words[CHORALE_POLICY_TEXT], loaded[CHORALE_LOADED_TEXT] = "";
    enum chorale_err err = CHORALE_OK;

    chorale_policy_words(policy, words, sizeof(words));
    printf("System %s (%s): a variant replaces the library from a gain of"
           " %g %% on%s%s\n", system->name,
           system->simulated ? "simulated" : "real", 100 * how->threshold,
           *words != '\0' ? "; decided by " : "", words);
    if (policy->exploratory[0] != '\0')
        printf("%s\n", policy->exploratory);
    for (size_t t = 0; t < ntable; t++) {
        const struct chorale_decision *row = table[t].row;
        size_t ntuned = 0, nspot = 0;

        if (t > 0)
            printf("\nFor rule files of the library, its own algorithms:\n");
        for (size_t i = 0; i < table[t].count && err == CHORALE_OK; i++) {
            int first = i == 0 || !same_table(&row[i - 1], &row[i]);

            if (first) {
                print_heading(&row[i]);
                err = print_instead(store, system->id, table[t].target,
                                    &row[i], msg);
            }
            print_row(&row[i], first ||
                      row[i - 1].comm_size != row[i].comm_size ||
                      row[i - 1].comm_size_hi != row[i].comm_size_hi);
            nspot += row[i].nspot;
            if (row[i].run != &chorale_library_run)
                ntuned += row[i].nspot;
        }
        printf("%zu of %zu measured point%s %s%s faster than the library's "
               "default; points not\nlisted stay with the library\n", ntuned,
               nspot, nspot == 1 ? "" : "s",
               nspot == 1 || ntuned == 1 ? "is" : "are",
               how->smooth == CHORALE_SMOOTH_ALL ? " expected to be" : "");
    }
    if (err == CHORALE_OK)
        err = print_left_out(store, system->id, msg);
    if (err == CHORALE_OK)
        err = chorale_loaded_runs(store, system->id, loaded, msg);
    if (loaded[0] != '\0')
        printf("%s\n", loaded);
    if (err == CHORALE_OK)
        err = chorale_self_tuning(store, system->id, loaded, msg);
    if (err == CHORALE_OK && loaded[0] != '\0')
        printf("%s\n", loaded);
    return err;
}

static json_t *row_json(const struct chorale_decision *d)
{
    return json_pack(
        "{s:s, s:i, s:i, s:i, s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s,"
        " s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s}",
        "coll", chorale_coll_info(d->coll)->name, "comm_size", d->comm_size,
        "comm_size_hi", d->comm_size_hi, "ppn", d->ppn, "shape", d->shape,
        "dtype", d->dtype, "op", d->op, "op_class", d->op_class,
        "n_lo", (json_int_t)d->n_lo, "n_hi", (json_int_t)d->n_hi,
        "provider", d->run->provider, "variant", d->run->variant,
        "params", d->run->params,
        "basis", d->basis, "seconds", chorale_json(d->seconds),
        "library_seconds", chorale_json(d->library_seconds),
        "speedup", chorale_json(d->speedup),
        "speedup_lo", chorale_json(d->speedup_lo),
        "speedup_hi", chorale_json(d->speedup_hi),
        "regret", chorale_json(d->regret),
        "reason", d->reason, "arrival", d->arrival);
}

static enum chorale_err append_json(json_t *list, const char *path,
                                    const struct chorale_system_row *system,
                                    double threshold,
                                    const struct chorale_policy *policy,
                                    const char *self_tuning,
                                    const struct table *table, size_t ntable,
                                    struct chorale_errmsg *msg)
{
    char words[CHORALE_POLICY_TEXT];
    json_t *rows[2] = { json_array(), json_array() }, *item;
    int bad = 0;

    chorale_policy_words(policy, words, sizeof(words));
    for (size_t t = 0; t < ntable; t++)
        for (size_t i = 0; i < table[t].count; i++)
            bad |= json_array_append_new(rows[t],
                                         row_json(&table[t].row[i])) != 0;
    item = json_pack("{s:s, s:s, s:f, s:s, s:s, s:s, s:o, s:o}",
                     "system", system->name,
                     "kind", system->simulated ? "simulated" : "real",
                     "threshold", threshold, "options", words,
                     "exploratory", policy->exploratory,
                     "self_tuning", self_tuning,
                     "decisions", rows[0], "rules", rows[1]);
    bad |= json_array_append_new(list, item) != 0;
    if (bad)
        return chorale_fail_utf8(msg, path);
    return CHORALE_OK;
}

/* Returns 1 if algorithms of the library itself were measured for coll;
 * CHORALE_NCOLL: for any collective. */
static int has_natives(const struct chorale_points *points,
                       enum chorale_coll coll)
{
    for (size_t i = 0; i < points->count; i++)
        if ((coll == CHORALE_NCOLL || points->row[i].coll == coll) &&
            strcmp(points->row[i].provider, "native") == 0)
            return 1;
    return 0;
}

/* Report on stderr whether times that are not a duration decide. */
static void say_means(const char *path, const char *system, size_t count,
                      int accepted)
{
    if (count > 0)
        fprintf(stderr, "chorale: %s: system %s: %zu time%s of rooted "
                "collectives, the mean over the ranks, %s not a duration%s\n",
                path, system, count, chorale_plural((long long)count),
                count == 1 ? "is" : "are", accepted
                    ? ", but decide (--accept-mean)"
                    : " and left out; --accept-mean includes them");
}

/* Report on stderr imported times that cannot be of one placement. */
static enum chorale_err say_spread(struct chorale_store *store,
                                   const struct chorale_system_row *system,
                                   struct chorale_errmsg *msg)
{
    char text[CHORALE_SPREAD_TEXT];
    enum chorale_err err = chorale_imported_spread(store, system->id, text,
                                                   msg);

    if (err == CHORALE_OK && text[0] != '\0')
        fprintf(stderr, "chorale: %s: system %s: %s\n",
                chorale_store_path(store), system->name, text);
    return err;
}

/* Report on stderr which arrival patterns decide, at how many points, and how
 * to measure them at the others. */
static void say_arrivals(const char *path, const char *system,
                         enum chorale_arrival_policy arrivals,
                         const struct chorale_arrival_count *count)
{
    const size_t lack = count->points - count->late;
    char remedy[512] = "";

    if (arrivals == CHORALE_ARRIVALS_SYNC)
        return;
    if (arrivals == CHORALE_ARRIVALS_ROBUST && lack > 0)
        snprintf(remedy, sizeof(remedy), ", since last and ascending are not "
                 "measured there; `chorale tune %.300s --arrival robust` "
                 "measures them", path);
    else if (count->late == 0)
        snprintf(remedy, sizeof(remedy), "; `chorale plan %.300s --from-trace "
                 "--arrival traced` plans the patterns of imported traces",
                 path);
    fprintf(stderr, "chorale: %s: system %s: %zu of %zu point%s %s decided by "
                    "arrival %s", path, system, count->late, count->points,
            chorale_plural((long long)count->points),
            count->late == 1 ? "is" : "are",
            chorale_arrival_policy_name(arrivals));
    if (lack > 0)
        fprintf(stderr, ", %zu by sync%s", lack, remedy);
    fputc('\n', stderr);
}

static enum chorale_err nothing(const char *path, const char *system,
                                size_t means, struct chorale_errmsg *msg)
{
    if (means > 0)
        return chorale_fail(msg, CHORALE_DATA, "%s: system %s has only times "
                            "that are a mean over the ranks of a rooted "
                            "collective, not a duration; add --accept-mean",
                            path, system);
    return chorale_fail(msg, CHORALE_DATA, "%s: system %s has no measurement "
                        "that can be decided upon; run `chorale run` "
                        "(v_summary.validity marks what does not count)",
                        path, system);
}

/* Make both tables of a system; that of native algorithms only if measured.
 * dispatch: the runs that decide the dispatch table. */
static enum chorale_err make_tables(const struct chorale_points *points,
                                    const struct chorale_points *dispatch,
                                    struct chorale_decide_opts how,
                                    struct table *table, size_t *ntable_p,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_decide(dispatch, &how, &table[0].row,
                                          &table[0].count, msg);

    *ntable_p = 1;
    if (err != CHORALE_OK || !has_natives(points, CHORALE_NCOLL))
        return err;
    *ntable_p = 2;
    how.rules = 1;
    return chorale_decide(points, &how, &table[1].row, &table[1].count, msg);
}

static enum chorale_err explain(struct chorale_store *store,
                                sqlite3_int64 system_id,
                                const struct chorale_points *points,
                                const struct chorale_points *dispatch,
                                const struct chorale_decide_opts *how,
                                struct chorale_decide_query query,
                                json_t *list, struct chorale_errmsg *msg)
{
    struct chorale_decide_opts rules = *how;
    struct chorale_excluded_count left;
    enum chorale_err err = chorale_excluded_count(store, system_id, query.coll,
                                                  query.msg_size,
                                                  query.comm_size,
                                                  &left, msg);

    query.left_out = left.count > 0;
    if (err == CHORALE_OK)
        err = chorale_decide_explain(dispatch, how, &query, list, msg);
    if (err == CHORALE_OK && has_natives(points, query.coll)) {
        rules.rules = 1;
        err = chorale_decide_explain(points, &rules, &query, list, msg);
    }
    return err;
}

/* Decide, store and print one system; with --explain print only. */
static enum chorale_err decide_system(struct chorale_store *store,
                                      const struct chorale_system_row *system,
                                      const void *arg, json_t *list,
                                      struct chorale_errmsg *msg)
{
    const struct chorale_tables_opts *opts = arg;
    char tuned[CHORALE_LOADED_TEXT] = "";
    struct chorale_points points = { .row = NULL }, catalogue = points;
    const struct chorale_points *dispatch = &points;
    struct chorale_policy policy = opts->policy;
    struct chorale_decide_opts how;
    struct table table[2] = { { "dispatch", NULL, 0 }, { "rules", NULL, 0 } };
    const char *path = chorale_store_path(store);
    struct chorale_arrival_count arrivals = { 0, 0 };
    size_t ntable = 0, means = 0;
    enum chorale_err err = CHORALE_OK;

    if (opts->as_before)
        err = chorale_policy_inherit(store, system->id, &policy, msg);
    how = chorale_policy_decide(&policy, system->simulated);
    if (err == CHORALE_OK)
        err = chorale_predictor_load(store, system->id, &how.model, msg);
    chorale_predict_limit(how.model, 0, CHORALE_DECIDE_EVENTS);
    if (err == CHORALE_OK)
        err = chorale_policy_points(store, system->id, system->simulated,
                                    &policy, &points, &arrivals, &means, msg);
    if (err == CHORALE_OK && chorale_points_inherit(&points) != 0)
        err = chorale_fail_memory(msg, path);
    if (err == CHORALE_OK &&
        chorale_decide_exploratory(&points, &how, &catalogue,
                                   policy.exploratory) != 0)
        err = chorale_fail_memory(msg, path);
    if (how.smooth == CHORALE_SMOOTH_ALL && isnan(policy.threshold))
        how.threshold = CHORALE_SMOOTH_THRESHOLD;
    if (catalogue.row != NULL)
        dispatch = &catalogue;
    if (err == CHORALE_OK && !opts->each.quiet)
        say_means(path, system->name, means, policy.accept_mean);
    if (err == CHORALE_OK && !system->simulated && !opts->each.quiet)
        err = say_spread(store, system, msg);
    if (err == CHORALE_OK && opts->explain != NULL) {
        const size_t before = json_array_size(list);

        if (list == NULL && policy.exploratory[0] != '\0')
            printf("%s\n", policy.exploratory);
        err = explain(store, system->id, &points, dispatch, &how,
                      *opts->explain, list, msg);
        for (size_t i = before; i < json_array_size(list); i++)
            json_object_set_new(json_array_get(list, i), "exploratory",
                                json_string(policy.exploratory));
        goto out;
    }
    if (err == CHORALE_OK)
        err = make_tables(&points, dispatch, how, table, &ntable, msg);
    if (err == CHORALE_OK && table[0].count == 0)
        err = nothing(path, system->name, policy.accept_mean ? 0 : means, msg);
    if (err == CHORALE_OK)
        mark_loaded(&points, table, ntable);
    if (err == CHORALE_OK && chorale_store_reads(store))
        fprintf(stderr, "chorale: %s: may not be written: the table of system "
                        "%s is not stored\n", path, system->name);
    else if (err == CHORALE_OK)
        err = write_rows(store, system->id, &policy, table, ntable, msg);
    if (err == CHORALE_OK && (!opts->each.quiet || arrivals.late == 0 ||
                              (how.arrivals == CHORALE_ARRIVALS_ROBUST &&
                               arrivals.late < arrivals.points)))
        say_arrivals(path, system->name, how.arrivals, &arrivals);
    if (err == CHORALE_OK && list == NULL && !opts->each.quiet)
        err = print_rows(store, system, &how, &policy, table, ntable, msg);
    else if (err == CHORALE_OK && list != NULL)
        err = chorale_self_tuning(store, system->id, tuned, msg);
    if (err == CHORALE_OK && list != NULL)
        err = append_json(list, path, system, how.threshold, &policy, tuned,
                          table, ntable, msg);
out:
    chorale_predictor_free(how.model);
    free(table[0].row);
    free(table[1].row);
    free(catalogue.row);
    chorale_points_release(&points);
    return err;
}

enum chorale_err chorale_tables_decide(const char *path,
                                       const struct chorale_tables_opts *opts,
                                       struct chorale_errmsg *msg)
{
    struct chorale_each_opts each = opts->each;

    each.reads = !each.quiet || opts->explain != NULL;
    return chorale_each_system(path, &each, decide_system, opts, msg);
}
