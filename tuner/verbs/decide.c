/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.c - the verb `decide`: computes the decision table of each system,
 * stores it as rows of table decision and prints it as ranges of n. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/alg.h"
#include "tuner/decide/decide.h"
#include "tuner/base/for_each_system.h"
#include "tuner/emit/table.h"
#include "tuner/model/excluded_points.h"
#include "tuner/decide/policy.h"
#include "tuner/model/predict.h"
#include "tuner/base/units.h"
#include "tuner/base/verb.h"
#include "tuner/base/rows.h"

struct opts {
    struct chorale_each_opts each;
    struct chorale_policy policy;
    int as_before, explain;
    struct chorale_decide_query query; /* for --explain */
};

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
    " comm_size_hi)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
    " ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)";

static enum chorale_err insert(struct chorale_store *store,
                               sqlite3_stmt *stmt,
                               const struct chorale_decision *d,
                               const char *target, struct chorale_errmsg *msg)
{
    return chorale_store_put(
        store, stmt, 2,
        CHORALE_FIELDS(chorale_coll_info(d->coll)->name, d->comm_size, d->ppn,
                       d->shape, d->dtype, d->op, d->n_lo, d->n_hi,
                       d->provider, d->variant, d->params, d->basis,
                       d->seconds, d->library_seconds, d->speedup,
                       d->speedup_lo, d->speedup_hi, d->regret, d->reason,
                       target, d->op_class, d->comm_size_hi), msg);
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
        err = chorale_policy_keep(store, system_id, policy, msg);
    return chorale_replace_end(store, ins, err, msg);
}

static int same_table(const struct chorale_decision *a,
                      const struct chorale_decision *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->comm_size_hi == b->comm_size_hi &&
           a->ppn == b->ppn && strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->op, b->op) == 0;
}

static void print_heading(const struct chorale_decision *d)
{
    char procs[48];

    snprintf(procs, sizeof(procs), "%d", d->comm_size);
    if (d->comm_size_hi > d->comm_size)
        snprintf(procs, sizeof(procs), "%d - %d", d->comm_size,
                 d->comm_size_hi);
    printf("%s, P = %s (%d a node, %s), %s%s%s\n",
           chorale_coll_info(d->coll)->name, procs, d->ppn, d->shape,
           d->dtype, *d->op ? " " : "", d->op);
}

static void print_row(const struct chorale_decision *d)
{
    char lo[32], hi[32], range[72], what[128], gain[64] = "";

    chorale_human_bytes((double)d->n_lo, lo);
    chorale_human_bytes((double)d->n_hi, hi);
    if (strcmp(lo, hi) == 0)
        snprintf(range, sizeof(range), "%s", lo);
    else
        snprintf(range, sizeof(range), "%s - %s", lo, hi);
    snprintf(what, sizeof(what), "%s%s%s", strcmp(d->provider, "library") == 0
                 ? "library" : d->variant, *d->params ? " " : "", d->params);
    if (!isnan(d->speedup_lo) && d->speedup_lo < d->speedup_hi)
        snprintf(gain, sizeof(gain), "x%.2f [%.2f, %.2f]", d->speedup,
                 d->speedup_lo, d->speedup_hi);
    else if (strcmp(d->provider, "library") != 0)
        snprintf(gain, sizeof(gain), "x%.2f%s", d->speedup,
                 strcmp(d->basis, "modelled") == 0 ? " modelled" : "");
    printf("  %-22s %-32s %-20s %s\n", range, what, gain, d->reason);
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
    chorale_served_kind_note(chorale_served_kind_instead(&kind, d->dtype, d->op,
                                                 d->op_class, instead), said);
    if (said[0] != '\0')
        printf("  (%s)\n", said);
    return CHORALE_OK;
}

/* Report measurements that cannot be used. */
static enum chorale_err print_left_out(struct chorale_store *store,
                                       sqlite3_int64 system_id,
                                       struct chorale_errmsg *msg)
{
    struct chorale_left_out left;
    enum chorale_err err = chorale_left_out(store, system_id, CHORALE_NCOLL, 0,
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

/* Print the rows, which are already stored. */
static enum chorale_err print_rows(struct chorale_store *store,
                                   const struct chorale_system_row *system,
                                   double threshold,
                                   const struct chorale_policy *policy,
                                   const struct table *table, size_t ntable,
                                   struct chorale_errmsg *msg)
{
    size_t ntuned = 0, nspot = 0;
    char words[CHORALE_POLICY_TEXT];
    enum chorale_err err = CHORALE_OK;

    chorale_policy_words(policy, words, sizeof(words));
    printf("System %s (%s): a variant replaces the library from a gain of"
           " %g %% on%s%s\n", system->name,
           system->simulated ? "simulated" : "real", 100 * threshold,
           *words != '\0' ? "; decided by " : "", words);
    for (size_t t = 0; t < ntable; t++) {
        const struct chorale_decision *row = table[t].row;

        if (t > 0)
            printf("For rule files of the library, its own algorithms:\n");
        for (size_t i = 0; i < table[t].count && err == CHORALE_OK; i++) {
            int first = i == 0 || !same_table(&row[i - 1], &row[i]);

            if (first) {
                print_heading(&row[i]);
                err = print_instead(store, system->id, table[t].target,
                                    &row[i], msg);
            }
            print_row(&row[i]);
            nspot += t == 0 ? row[i].nspot : 0;
            if (t == 0 && strcmp(row[i].provider, "library") != 0)
                ntuned += row[i].nspot;
        }
    }
    printf("%zu of %zu measured points are faster than the library's default;"
           " points not\nlisted stay with the library\n", ntuned, nspot);
    return err == CHORALE_OK ? print_left_out(store, system->id, msg) : err;
}

static json_t *row_json(const struct chorale_decision *d)
{
    return json_pack(
        "{s:s, s:i, s:i, s:i, s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s,"
        " s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
        "coll", chorale_coll_info(d->coll)->name, "comm_size", d->comm_size,
        "comm_size_hi", d->comm_size_hi, "ppn", d->ppn, "shape", d->shape,
        "dtype", d->dtype, "op", d->op, "op_class", d->op_class,
        "n_lo", (json_int_t)d->n_lo, "n_hi", (json_int_t)d->n_hi,
        "provider", d->provider, "variant", d->variant, "params", d->params,
        "basis", d->basis, "seconds", chorale_json(d->seconds),
        "library_seconds", chorale_json(d->library_seconds),
        "speedup", chorale_json(d->speedup), "speedup_lo",
        chorale_json(d->speedup_lo),
        "speedup_hi", chorale_json(d->speedup_hi), "regret",
        chorale_json(d->regret),
        "reason", d->reason);
}

static enum chorale_err append_json(json_t *list, const char *path,
                                    const struct chorale_system_row *system,
                                    double threshold,
                                    const struct chorale_policy *policy,
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
    item = json_pack("{s:s, s:s, s:f, s:s, s:o, s:o}", "system", system->name,
                     "kind", system->simulated ? "simulated" : "real",
                     "threshold", threshold, "options", words,
                     "decisions", rows[0], "rules", rows[1]);
    bad |= json_array_append_new(list, item) != 0;
    if (bad)
        return chorale_fail_utf8(msg, path);
    return CHORALE_OK;
}

/* Returns 1 if algorithms of the library itself were measured. */
static int has_natives(const struct chorale_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (strcmp(points->row[i].provider, "native") == 0)
            return 1;
    return 0;
}

/* Load a system's runs, with the dispatch cost that a program with the table
 * would see. */
static enum chorale_err load(struct chorale_store *store,
                             const struct chorale_system_row *system,
                             const struct chorale_policy *policy,
                             struct chorale_points *points,
                             struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_points_load_by(
        store, system->id, chorale_policy_objective(policy), points, msg);

    if (err == CHORALE_OK)
        chorale_points_dispatched(
            points, chorale_policy_cost(policy, system->simulated));
    return err;
}

static enum chorale_err nothing(const char *path, const char *system,
                                struct chorale_errmsg *msg)
{
    return chorale_fail(msg, CHORALE_DATA, "%s: system %s has no measurement"
                        " that can be decided upon; run `chorale "
                        "run` (points that v_summary.validity marks clock "
                        "or suspicious do not count)", path, system);
}

/* Make both tables of a system; that of native algorithms only if measured. */
static enum chorale_err make_tables(const struct chorale_points *points,
                                    struct chorale_decide_opts how,
                                    struct table *table, size_t *ntable_p,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_decide(points, &how, &table[0].row,
                                          &table[0].count, msg);

    *ntable_p = 1;
    if (err != CHORALE_OK || !has_natives(points))
        return err;
    *ntable_p = 2;
    how.rules = 1;
    return chorale_decide(points, &how, &table[1].row, &table[1].count, msg);
}

static enum chorale_err explain(struct chorale_store *store,
                                sqlite3_int64 system_id,
                                const struct chorale_points *points,
                                const struct chorale_decide_opts *how,
                                struct chorale_decide_query query,
                                json_t *list, struct chorale_errmsg *msg)
{
    struct chorale_left_out left;
    enum chorale_err err = chorale_left_out(store, system_id, query.coll,
                                            query.msg_size, query.comm_size,
                                            &left, msg);

    query.left_out = left.count > 0;
    return err == CHORALE_OK
               ? chorale_decide_explain(points, how, &query, list, msg)
               : err;
}

/* Decide, store and print one system; with --explain print only. */
static enum chorale_err decide_system(struct chorale_store *store,
                                      const struct chorale_system_row *system,
                                      const void *arg, json_t *list,
                                      struct chorale_errmsg *msg)
{
    const struct opts *opts = arg;
    struct chorale_points points = { .row = NULL };
    struct chorale_policy policy = opts->policy;
    struct chorale_decide_opts how;
    struct table table[2] = { { "dispatch", NULL, 0 }, { "rules", NULL, 0 } };
    const char *path = chorale_store_path(store);
    size_t ntable = 0;
    enum chorale_err err = CHORALE_OK;

    if (opts->as_before)
        err = chorale_policy_inherit(store, system->id, &policy, msg);
    how = chorale_policy_decide(&policy, system->simulated);
    if (err == CHORALE_OK)
        err = chorale_predictor_load(store, system->id, &how.model, msg);
    if (err == CHORALE_OK)
        err = load(store, system, &policy, &points, msg);
    if (err == CHORALE_OK && opts->explain) {
        err = explain(store, system->id, &points, &how, opts->query, list,
                      msg);
        goto out;
    }
    if (err == CHORALE_OK)
        err = make_tables(&points, how, table, &ntable, msg);
    if (err == CHORALE_OK && table[0].count == 0)
        err = nothing(path, system->name, msg);
    if (err == CHORALE_OK)
        err = write_rows(store, system->id, &policy, table, ntable, msg);
    if (err == CHORALE_OK && list == NULL && !opts->each.quiet)
        err = print_rows(store, system, how.threshold, &policy, table, ntable,
                         msg);
    else if (err == CHORALE_OK && list != NULL)
        err = append_json(list, path, system, how.threshold, &policy, table,
                          ntable, msg);
out:
    chorale_predictor_free(how.model);
    free(table[0].row);
    free(table[1].row);
    chorale_points_release(&points);
    return err;
}

/* Parse the words COLLECTIVE SIZE P of --explain. */
static enum chorale_err parse_query(char **word,
                                    struct chorale_decide_query *query,
                                    struct chorale_errmsg *msg)
{
    int coll = chorale_coll_find(word[0]);
    long size, *procs = NULL;
    size_t nproc = 0;
    enum chorale_err err;

    if (coll < 0)
        return chorale_fail(msg, CHORALE_USAGE, "--explain: %s is no"
                            " collective; `chorale list` names them", word[0]);
    err = chorale_spec_size("--explain: SIZE", word[1], &size, msg);
    if (err == CHORALE_OK)
        err = chorale_spec_list("--explain: P", word[2], 1, &procs, &nproc,
                                msg);
    if (err == CHORALE_OK && (nproc != 1 || procs[0] > 1 << 30))
        err = chorale_fail(msg, CHORALE_USAGE, "--explain: one process count,"
                           " as in: --explain bcast 64K 128");
    if (err == CHORALE_OK)
        *query = (struct chorale_decide_query){ (enum chorale_coll)coll,
                                                (size_t)size, (int)procs[0],
                                                0 };
    free(procs);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .policy = CHORALE_POLICY_DEFAULTS };
    char **word = argv + 1, *path;
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 4,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    if (nword != (opts.explain ? 4 : 1))
        return chorale_fail(msg, CHORALE_USAGE, opts.explain
                                ? "--explain: give a database and what to"
                                  " explain, as in: chorale decide results.db"
                                  " --explain bcast 64K 128"
                                : "decide: name one database, as in: chorale "
                                  "decide results.db");
    err = chorale_policy_check(&opts.policy, msg);
    if (err != CHORALE_OK)
        return err;
    path = word[0];
    if (opts.explain && chorale_coll_find(word[0]) >= 0)
        path = word[3]; /* the database comes last */
    else
        word++;
    if (opts.explain)
        err = parse_query(word, &opts.query, msg);
    if (err != CHORALE_OK)
        return err;
    return chorale_each_system(path, &opts.each, decide_system, &opts, msg);
}

static const struct chorale_opt rows[] = {
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, each.system), "NAME",
      "decide only this system (default: all)", 0, 0 },
    { "explain", 0, CHORALE_OPT_FLAG, offsetof(struct opts, explain), NULL,
      "store nothing, and explain the decision at a point; give COLLECTIVE, "
      "SIZE of a block, and P", 0, 0 },
    { "as-before", 0, CHORALE_OPT_FLAG, offsetof(struct opts, as_before), NULL,
      "use the options of the present table for those below that are not "
      "given, except --allow-patented", 0, 0 },
    CHORALE_POLICY_OPTS(struct opts, policy),
    { "json", 0, CHORALE_OPT_FLAG, offsetof(struct opts, each.json), NULL,
      "print JSON", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, each.quiet), NULL,
      "store the table and print nothing", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_decide = {
    .name = "decide",
    .args = "results.db",
    .summary = "choose a variant for each size and process count",
    .detail =
        "Compares the variants with the library's default, paired within each "
        "launch. On a real system launches with even numbers choose the best "
        "variant and those with odd numbers confirm it. A variant replaces "
        "the library only if its gain in the confirming launches is above the "
        "threshold and significant, with correction for the number of points "
        "(Benjamini and Hochberg, 5 %).\n"
        "The variation between launches is estimated from all points "
        "together, because a few launches of one point tell little (Smyth's "
        "moderated t). If a point varies more, its own variation is used. At "
        "least 4 launches are therefore needed; with fewer the library stays. "
        "The printed speed-ups, with 95 % intervals, are those of the "
        "confirming launches. A simulated system is deterministic, and one "
        "launch is enough.\n"
        "A run calls a variant directly, but a program reaches it through the "
        "dispatcher. Therefore --dispatch-cost is added to the times of "
        "variants before they are compared, printed and stored.\n"
        "Between two measured sizes, and between two measured process counts, "
        "times are those of the fitted model, corrected by the variant's own "
        "times at the points around. Between process counts the library stays "
        "unless a variant would still be faster if this prediction were wrong "
        "by half its error. The error is measured at the adjacent process "
        "counts, predicted from their neighbours. The library also stays if "
        "that error exceeds 30 %. Outside the measured sizes and process "
        "counts the library's default is used.\n"
        "A choice is replaced by another that costs at most --compact more if "
        "this saves ranges; the table has the fewest possible ranges.\n"
        "Provider native, the library's own algorithms, is not in this table, "
        "as a dispatch table cannot call them. If they were measured, a "
        "second table is decided among them and the default, for the "
        "library's rules files (decision.target is rules).\n"
        "There is one table for each measured type and operation. Table "
        "decision of the database is replaced for each system; the same "
        "measurements give the same rows. Table policy keeps the options; "
        "`chorale tune` and campaigns decide again with those.",
    .example = "chorale decide results.db\n"
               "chorale decide results.db --threshold 5% --json\n"
               "chorale decide results.db --explain bcast 64K 128",
    .opt = rows,
    .run = run,
};
