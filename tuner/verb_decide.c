/* SPDX-License-Identifier: BSD-3-Clause */
/* verb_decide.c - `chorale decide`: the decision table of each system, stored
 * as rows of decision and shown as ranges of n. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/alg.h"
#include "tuner/decide.h"
#include "tuner/each_system.h"
#include "tuner/spec.h"
#include "tuner/verb.h"

#define THRESHOLD_REAL 0.03
#define FALSE_DISCOVERIES 0.05

struct opts {
    struct chorale_each_opts each;
    int allow_patented;
    double threshold;        /* NAN: the default of the system's kind */
};

static const char insert_sql[] =
    "INSERT INTO decision (system_id, coll, comm_size, ppn, shape, dtype, op,"
    " n_lo, n_hi, provider, variant, params, basis, seconds, library_seconds,"
    " speedup, speedup_lo, speedup_hi, regret, reason)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
    " ?15, ?16, ?17, ?18, ?19, ?20)";

static void bind_text(sqlite3_stmt *stmt, int column, const char *text)
{
    sqlite3_bind_text(stmt, column, text, -1, SQLITE_STATIC);
}

static void bind_known(sqlite3_stmt *stmt, int column, double value)
{
    if (isnan(value))
        sqlite3_bind_null(stmt, column);
    else
        sqlite3_bind_double(stmt, column, value);
}

static enum chorale_err insert(struct chorale_store *store,
                               sqlite3_stmt *stmt, sqlite3_int64 system_id,
                               const struct chorale_decision *d,
                               struct chorale_errmsg *msg)
{
    sqlite3_bind_int64(stmt, 1, system_id);
    bind_text(stmt, 2, chorale_coll_info(d->coll)->name);
    sqlite3_bind_int(stmt, 3, d->comm_size);
    sqlite3_bind_int(stmt, 4, d->ppn);
    bind_text(stmt, 5, d->shape);
    bind_text(stmt, 6, d->dtype);
    bind_text(stmt, 7, d->op);
    sqlite3_bind_int64(stmt, 8, (sqlite3_int64)d->n_lo);
    sqlite3_bind_int64(stmt, 9, (sqlite3_int64)d->n_hi);
    bind_text(stmt, 10, d->provider);
    bind_text(stmt, 11, d->variant);
    bind_text(stmt, 12, d->params);
    bind_text(stmt, 13, d->basis);
    bind_known(stmt, 14, d->seconds);
    bind_known(stmt, 15, d->library_seconds);
    bind_known(stmt, 16, d->speedup);
    bind_known(stmt, 17, d->speedup_lo);
    bind_known(stmt, 18, d->speedup_hi);
    bind_known(stmt, 19, d->regret);
    bind_text(stmt, 20, d->reason);
    return chorale_store_step(store, stmt, NULL, msg);
}

/* Replace the rows of a system, all or none. */
static enum chorale_err write_rows(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   const struct chorale_decision *rows,
                                   size_t count, struct chorale_errmsg *msg)
{
    sqlite3_stmt *ins;
    enum chorale_err err = chorale_replace_begin(
        store, "DELETE FROM decision WHERE system_id = ?1", system_id,
        insert_sql, &ins, msg);

    for (size_t i = 0; i < count && err == CHORALE_OK; i++)
        err = insert(store, ins, system_id, &rows[i], msg);
    return chorale_replace_end(store, ins, err, msg);
}

static int same_table(const struct chorale_decision *a,
                      const struct chorale_decision *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->op, b->op) == 0;
}

static void print_heading(const struct chorale_decision *d)
{
    printf("%s, P = %d (%d a node, %s), %s%s%s\n",
           chorale_coll_info(d->coll)->name, d->comm_size, d->ppn, d->shape,
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
        snprintf(gain, sizeof(gain), "x%.2f", d->speedup);
    printf("  %-22s %-32s %-20s %s\n", range, what, gain, d->reason);
}

static void print_rows(const struct chorale_system_row *system,
                       double threshold, const struct chorale_decision *rows,
                       size_t count)
{
    size_t ntuned = 0, nspot = 0;

    printf("System %s (%s): a variant replaces the library from a gain of"
           " %g %% on\n", system->name,
           system->simulated ? "simulated" : "real", 100 * threshold);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same_table(&rows[i - 1], &rows[i]))
            print_heading(&rows[i]);
        print_row(&rows[i]);
        nspot += rows[i].nspot;
        if (strcmp(rows[i].provider, "library") != 0)
            ntuned += rows[i].nspot;
    }
    printf("%zu of %zu measured points are better than the library's default;"
           " what is not\nlisted stays with the library\n", ntuned, nspot);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *row_json(const struct chorale_decision *d)
{
    return json_pack(
        "{s:s, s:i, s:i, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s,"
        " s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
        "coll", chorale_coll_info(d->coll)->name, "comm_size", d->comm_size,
        "ppn", d->ppn, "shape", d->shape, "dtype", d->dtype, "op", d->op,
        "n_lo", (json_int_t)d->n_lo, "n_hi", (json_int_t)d->n_hi,
        "provider", d->provider, "variant", d->variant, "params", d->params,
        "basis", d->basis, "seconds", number(d->seconds),
        "library_seconds", number(d->library_seconds),
        "speedup", number(d->speedup), "speedup_lo", number(d->speedup_lo),
        "speedup_hi", number(d->speedup_hi), "regret", number(d->regret),
        "reason", d->reason);
}

static enum chorale_err append_json(json_t *list, const char *path,
                                    const struct chorale_system_row *system,
                                    double threshold,
                                    const struct chorale_decision *rows,
                                    size_t count, struct chorale_errmsg *msg)
{
    json_t *decisions = json_array(), *item;
    int bad = 0;

    for (size_t i = 0; i < count; i++)
        bad |= json_array_append_new(decisions, row_json(&rows[i])) != 0;
    item = json_pack("{s:s, s:s, s:f, s:o}", "system", system->name,
                     "kind", system->simulated ? "simulated" : "real",
                     "threshold", threshold, "decisions", decisions);
    bad |= json_array_append_new(list, item) != 0;
    if (bad)
        return chorale_fail(msg, CHORALE_DATA, "%s: names in it are not UTF-8;"
                            " use the table instead of --json", path);
    return CHORALE_OK;
}

/* What may not enter a table is not compared: patents unless allowed, variants
 * that are only ever measured, and what no table could call: the library's own
 * algorithms. */
static void drop_unselectable(struct chorale_points *points,
                              int allow_patented)
{
    size_t kept = 0;

    for (size_t i = 0; i < points->count; i++) {
        const struct chorale_run_point *row = &points->row[i];
        const struct chorale_alg *alg =
            strcmp(row->provider, "chorale") == 0
                ? chorale_alg_find(row->coll, row->variant)
                : NULL;

        if (strcmp(row->provider, "native") == 0)
            continue;
        if (alg == NULL ||
            chorale_alg_unselectable(alg, allow_patented) == NULL)
            points->row[kept++] = *row;
    }
    points->count = kept;
}

static enum chorale_err nothing(const char *path, const char *system,
                                struct chorale_errmsg *msg)
{
    return chorale_fail(msg, CHORALE_DATA, "%s: nothing of system %s is"
                        " measured yet that can be decided upon; `chorale "
                        "run` measures (what v_summary.validity calls clock "
                        "or suspicious does not count, nor what was measured "
                        "beside it)", path, system);
}

/* Decide, store and show one system. */
static enum chorale_err decide_system(struct chorale_store *store,
                                      const struct chorale_system_row *system,
                                      const void *arg, json_t *list,
                                      struct chorale_errmsg *msg)
{
    const struct opts *opts = arg;
    struct chorale_points points = { NULL, 0, NULL };
    struct chorale_decide_opts how = {
        .simulated = system->simulated, .fdr = FALSE_DISCOVERIES,
        .threshold = opts->threshold,
    };
    struct chorale_decision *rows = NULL;
    const char *path = chorale_store_path(store);
    size_t count = 0;
    enum chorale_err err;

    if (isnan(how.threshold))
        how.threshold = system->simulated ? 0 : THRESHOLD_REAL;
    err = chorale_points_load(store, system->id, &points, msg);
    if (err == CHORALE_OK)
        drop_unselectable(&points, opts->allow_patented);
    if (err == CHORALE_OK)
        err = chorale_decide(&points, &how, &rows, &count, msg);
    if (err == CHORALE_OK && count == 0)
        err = nothing(path, system->name, msg);
    if (err == CHORALE_OK)
        err = write_rows(store, system->id, rows, count, msg);
    if (err == CHORALE_OK && list == NULL && !opts->each.quiet)
        print_rows(system, how.threshold, rows, count);
    else if (err == CHORALE_OK && list != NULL)
        err = append_json(list, path, system, how.threshold, rows, count, msg);
    free(rows);
    chorale_points_release(&points);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { { NULL, 0, 0 }, 0, NAN };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_each_system(argv[1], &opts.each, decide_system, &opts, msg);
}

static const struct chorale_opt rows[] = {
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, each.system), "NAME",
      "decide for this system only (default: all)", 0, 0 },
    { "threshold", 0, CHORALE_OPT_PERCENT, offsetof(struct opts, threshold),
      "GAIN", "keep the library below this gain (default: 3%, 0 in "
      "simulation)", 0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG,
      offsetof(struct opts, allow_patented), NULL,
      "let variants under a patent (`chorale list` shows them) enter the "
      "table", 0, 0 },
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
        "Compares the variants with the library's default, paired within each"
        " launch. On a real system the launches of even number choose the best"
        " variant and those of odd number confirm it: it replaces the library"
        " only if its gain there is above the threshold and significant, with"
        " correction for the number of points (Benjamini and Hochberg, 5 %)."
        " So at least 4 launches are needed; with fewer the library stays. The"
        " speed-ups shown, with their 95 % intervals, come from the confirming"
        " launches only. A simulated system is deterministic and one launch"
        " decides.\n"
        "Between two measured sizes an equal choice extends, and two variants"
        " switch where their interpolated times cross. Next to the library a"
        " variant keeps to the sizes it was measured at. Outside the measured"
        " sizes and process counts the library decides.\n"
        "Provider native, the library's own algorithms, is not chosen and not"
        " compared with: a table cannot call them. v_best and `chorale plot`"
        " show where one of them would be fastest.\n"
        "There is one table for each type and operation measured. The table"
        " decision of the database is replaced for each system; the same"
        " measurements give the same rows.",
    .example = "chorale decide results.db\n"
               "chorale decide results.db --threshold 5% --json",
    .opt = rows,
    .run = run,
};
