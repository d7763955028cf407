/* SPDX-License-Identifier: BSD-3-Clause */
/* verb_fit.c - `chorale fit`: alpha, beta and tau of each system, stored as
 * rows of model and shown in units people and programs use. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuner/each_system.h"
#include "tuner/model.h"
#include "tuner/spec.h"
#include "tuner/verb.h"

struct opts {
    struct chorale_each_opts each;
};

/* One parameter of a fitted model. */
struct param {
    const char *name, *dtype, *op;
    double value, lo, hi;
    size_t type_size;        /* of tau */
};

static size_t params(const struct chorale_model *m,
                     struct param param[CHORALE_FIT_MAX])
{
    const struct chorale_fit_result *f = &m->fit;
    size_t n = 2;

    param[0] = (struct param){ "alpha", "", "", f->value[0], f->lo[0],
                               f->hi[0], 0 };
    param[1] = (struct param){ "beta", "", "", f->value[1], f->lo[1],
                               f->hi[1], 0 };
    for (size_t j = 0; j < m->ntau; j++) {
        int c = m->tau[j].column;

        if (c >= 0)
            param[n++] = (struct param){ "tau", m->tau[j].dtype, m->tau[j].op,
                                         f->value[c], f->lo[c], f->hi[c],
                                         m->tau[j].type_size };
    }
    return n;
}

static const char *unit(const struct param *p)
{
    return p->name[0] == 'a' ? "s" : "s/byte";
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
                               const struct chorale_model *m,
                               struct chorale_errmsg *msg)
{
    struct param param[CHORALE_FIT_MAX];
    size_t n = params(m, param);
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < n && err == CHORALE_OK; i++) {
        sqlite3_bind_int64(stmt, 1, system_id);
        sqlite3_bind_text(stmt, 2, param[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 3, param[i].dtype, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 4, param[i].op, -1, SQLITE_STATIC);
        sqlite3_bind_double(stmt, 5, param[i].value);
        bind_known(stmt, 6, param[i].lo);
        bind_known(stmt, 7, param[i].hi);
        sqlite3_bind_text(stmt, 8, unit(&param[i]), -1, SQLITE_STATIC);
        sqlite3_bind_int64(stmt, 9, (sqlite3_int64)m->npoints);
        sqlite3_bind_double(stmt, 10, m->fit.median_error);
        sqlite3_bind_double(stmt, 11, m->fit.worst_error);
        sqlite3_bind_int(stmt, 12, m->trusted);
        err = chorale_store_step(store, stmt, NULL, msg);
    }
    return err;
}

/* Replace the rows of a system, all or none. */
static enum chorale_err write_model(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    const struct chorale_model *m,
                                    struct chorale_errmsg *msg)
{
    sqlite3_stmt *ins;
    enum chorale_err err = chorale_replace_begin(
        store, "DELETE FROM model WHERE system_id = ?1", system_id,
        "INSERT INTO model (system_id, param, dtype, op, value, lo, hi, unit,"
        " npoints, error, worst_error, trusted)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        &ins, msg);

    if (err == CHORALE_OK)
        err = insert(store, ins, system_id, m, msg);
    return chorale_replace_end(store, ins, err, msg);
}

static void print_line(const char *name, double scale, const char *u,
                       double value, double lo, double hi, const char *human)
{
    printf("  %-16s %12.6g %-7s", name, value * scale, u);
    if (isnan(lo) || isnan(hi))
        printf(" %-28s", "[interval unknown]");
    else {
        char text[64];

        snprintf(text, sizeof(text), "[%.6g, %.6g]", lo * scale, hi * scale);
        printf(" %-28s", text);
    }
    printf(" %s\n", human);
}

static void rate(double seconds_per_byte, char human[64])
{
    if (seconds_per_byte > 0)
        snprintf(human, 64, "%.4g GB/s", 1e-9 / seconds_per_byte);
    else
        snprintf(human, 64, "free: no time per byte seen");
}

static void print_param(const struct param *p)
{
    char human[64], name[80];

    if (p->name[0] == 'a') {
        chorale_human_seconds(p->value, human);
        print_line("alpha", 1, "s", p->value, p->lo, p->hi, human);
        return;
    }
    rate(p->value, human);
    snprintf(name, sizeof(name), "%s%s%s%s%s", p->name, *p->dtype ? " " : "",
             p->dtype, *p->op ? "/" : "", p->op);
    print_line(name, 1, "s/byte", p->value, p->lo, p->hi, human);
    if (p->type_size == 0)
        return;
    snprintf(human, sizeof(human), "%.4g ns an element",
             p->value * (double)p->type_size * 1e9);
    print_line("", (double)p->type_size, "s/op", p->value, p->lo, p->hi,
               human);
}

static void print_variants(const struct chorale_model *m)
{
    printf("  by variant:%37s%9s%9s\n", "points", "median", "worst");
    for (size_t i = 0; i < m->nvariant; i++) {
        const struct chorale_model_variant *v = &m->variant[i];
        char name[80];

        snprintf(name, sizeof(name), "%s %s", chorale_coll_info(v->coll)->name,
                 v->name);
        printf("    %-38s%6zu%7.2f %%%7.2f %%\n", name, v->npoints,
               100 * v->median_error, 100 * v->worst_error);
    }
}

static void print_warnings(const struct chorale_model *m)
{
    const struct chorale_run_point *w = &m->worst;
    struct param param[CHORALE_FIT_MAX];
    size_t n = params(m, param);

    for (size_t j = 0; j < m->ntau; j++)
        if (m->tau[j].column < 0)
            printf("  note: tau of %s %s cannot be told from beta and was left"
                   " out with its points;\n  measure a second variant of the"
                   " reduction\n", m->tau[j].dtype, m->tau[j].op);
    for (size_t i = 0; i < n; i++)
        if (param[i].value > 0 &&
            (!(param[i].lo > 0) ||
             param[i].hi > CHORALE_MODEL_SPAN * param[i].lo))
            printf("  warning: %s%s%s is not determined by these measurements:"
                   " its interval is too wide;\n  measure more sizes,"
                   " process counts or variants\n", param[i].name,
                   param[i].op[0] != '\0' ? " " : "", param[i].op);
    if (m->noverlap > 0)
        printf("  note: %zu runs of variants with several sends in flight were"
               " left out: what\n  overlaps is not in their cost\n",
               m->noverlap);
    if (m->nskipped > 0)
        printf("  note: %zu runs of unknown variants, parameters or types"
               " were left out\n", m->nskipped);
    if (!m->trusted)
        printf("  warning: the model misses the measurements by %.1f %% in"
               " the median, by more than\n  %.1f %% at a tenth of them"
               " (trusted up to %.0f %% and %.0f %%); do not predict by it."
               "\n  Worst is %s %s at P = %d, n = %zu bytes\n",
               100 * m->fit.median_error, 100 * m->fit.tail_error,
               100 * CHORALE_MODEL_TRUST, 100 * CHORALE_MODEL_TRUST_TAIL,
               chorale_coll_info(w->coll)->name, w->variant, w->comm_size,
               w->n);
}

static void print_model(const struct chorale_system_row *system,
                        const struct chorale_model *m)
{
    struct param param[CHORALE_FIT_MAX];
    size_t n = params(m, param);
    char bytes[32];

    printf("System %s (%s): %zu points, %zu launch%s; T = A alpha + B beta +"
           " C tau\n", system->name, system->simulated ? "simulated" : "real",
           m->npoints, m->nlaunch, m->nlaunch == 1 ? "" : "es");
    for (size_t i = 0; i < n; i++)
        print_param(&param[i]);
    printf("  |model / measured - 1|: median %.2f %%, worst %.2f %% (%s %s,"
           " P = %d, n = %s)\n", 100 * m->fit.median_error,
           100 * m->fit.worst_error, chorale_coll_info(m->worst.coll)->name,
           m->worst.variant, m->worst.comm_size,
           chorale_human_bytes((double)m->worst.n, bytes));
    print_variants(m);
    print_warnings(m);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *params_json(const struct chorale_model *m)
{
    struct param param[CHORALE_FIT_MAX];
    size_t n = params(m, param);
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack(
            "{s:s, s:s, s:s, s:o, s:o, s:o, s:s}", "param", param[i].name,
            "dtype", param[i].dtype, "op", param[i].op,
            "value", number(param[i].value), "lo", number(param[i].lo),
            "hi", number(param[i].hi), "unit", unit(&param[i])));
    return list;
}

static json_t *variants_json(const struct chorale_model *m)
{
    json_t *list = json_array();

    for (size_t i = 0; i < m->nvariant; i++) {
        const struct chorale_model_variant *v = &m->variant[i];

        json_array_append_new(list, json_pack(
            "{s:s, s:s, s:I, s:f, s:f}",
            "coll", chorale_coll_info(v->coll)->name, "variant", v->name,
            "points", (json_int_t)v->npoints,
            "median_error", v->median_error, "worst_error", v->worst_error));
    }
    return list;
}

static json_t *model_json(const struct chorale_system_row *system,
                          const struct chorale_model *m)
{
    const struct chorale_run_point *w = &m->worst;

    return json_pack(
        "{s:s, s:s, s:I, s:I, s:b, s:f, s:f, s:{s:s, s:s, s:s, s:i, s:I},"
        " s:o, s:o}",
        "system", system->name,
        "kind", system->simulated ? "simulated" : "real",
        "points", (json_int_t)m->npoints, "launches", (json_int_t)m->nlaunch,
        "trusted", m->trusted, "median_error", m->fit.median_error,
        "worst_error", m->fit.worst_error, "worst",
        "coll", chorale_coll_info(w->coll)->name, "variant", w->variant,
        "params", w->params, "comm_size", w->comm_size,
        "n", (json_int_t)w->n, "parameters", params_json(m),
        "variants", variants_json(m));
}

/* Fit, store and show one system. */
static enum chorale_err fit_system(struct chorale_store *store,
                                   const struct chorale_system_row *system,
                                   const void *arg, json_t *list,
                                   struct chorale_errmsg *msg)
{
    const struct opts *opts = arg;
    struct chorale_points points = { NULL, 0, NULL };
    struct chorale_model model = { .variant = NULL };
    enum chorale_err err;

    err = chorale_points_load(store, system->id, &points, msg);
    if (err == CHORALE_OK)
        err = chorale_model_fit(&points, system->name, &model, msg);
    if (err == CHORALE_OK)
        err = write_model(store, system->id, &model, msg);
    if (err == CHORALE_OK && list == NULL && !opts->each.quiet)
        print_model(system, &model);
    else if (err == CHORALE_OK && list != NULL &&
             json_array_append_new(list, model_json(system, &model)) != 0)
        err = chorale_fail(msg, CHORALE_DATA, "%s: names in it are not UTF-8;"
                           " use the table instead of --json",
                           chorale_store_path(store));
    chorale_model_release(&model);
    chorale_points_release(&points);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { { NULL, 0, 0 } };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_each_system(argv[1], &opts.each, fit_system, &opts, msg);
}

static const struct chorale_opt rows[] = {
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, each.system), "NAME",
      "fit this system only (default: all)", 0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, offsetof(struct opts, each.json), NULL,
      "print JSON", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, each.quiet), NULL,
      "store the model and print nothing", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_fit = {
    .name = "fit",
    .args = "results.db",
    .summary = "fit alpha, beta and tau with their intervals",
    .detail =
        "Fits T = A alpha + B beta + C tau to the measured times of Chorale's"
        " own variants, whose coefficients are known: alpha is the time of a"
        " message, beta that of a byte, tau that of a reduced byte, one for"
        " each type and operation. The fit is by relative error, robust"
        " against outliers, and never negative. Each value has a 95 %"
        " interval: the wider of the fit's own and, with two launches or"
        " more, that over fits of each launch.\n"
        "The last lines say how far the model is from the measurements. Above"
        " 10 % in the median, or 30 % at a tenth of the points, it is marked as"
        " not to be trusted.\n"
        "The table model of the database is replaced for each fitted system.",
    .example = "chorale fit results.db",
    .opt = rows,
    .run = run,
};
