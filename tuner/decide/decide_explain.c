/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_explain.c - `chorale decide --explain`: the candidates at one point,
 * and the reason of the choice. */
#include <gsl/gsl_cdf.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide_grid.h"
#include "tuner/decide/inherit_runs.h"
#include "tuner/model/predict.h"
#include "tuner/base/units.h"
#include "tuner/base/rows.h"

/* A candidate at the point. */
struct entry {
    const struct chorale_member *member;
    double seconds, lo, hi;  /* lo, hi: of the speed-up, or NAN */
    double error;            /* of the prediction; NAN: unknown or measured */
    double smoothed;         /* s, by which it is chosen; NAN: times are not
                              * smoothed, or unknown */
    size_t nlaunch;          /* launches that measured it; 0: predicted */
    const char *barred;
    int listed;              /* 0: named by an equal entry (print_equals) */
};

struct view {
    const struct chorale_family *fam;
    size_t n;
    int comm_size;
    const struct chorale_decision *row; /* row of the point, or NULL */
    size_t msg_size;
    int left_out;            /* as in the query */
    int measured;            /* the point itself is */
    struct entry *entry;
    size_t count;
    struct chorale_alg_config *config; /* of the entries, then the variants of
                              * the collective with default parameters */
    size_t nconfig, *leader; /* leader: first config of its class */
};

static const struct chorale_cand *cand_at(const struct chorale_measured *spot,
                                          const struct chorale_member *m)
{
    size_t c = chorale_spot_find(spot, m->run);

    return c < spot->ncand ? &spot->cand[c] : NULL;
}

/* 95 % interval of the speed-up over all launches that ran the candidate. */
static void interval(const struct chorale_measured *spot,
                     const struct chorale_cand *cand, struct entry *e)
{
    struct chorale_sample gain = { 0, 0, 0 };
    double half;

    for (size_t l = 0; l < spot->nlaunch; l++)
        chorale_gains_add(&gain, cand->ratio[l]);
    e->nlaunch = (size_t)gain.n;
    e->lo = e->hi = NAN;
    if (gain.n < 2)
        return;
    half = gsl_cdf_tdist_Pinv(0.975, gain.n - 1) *
           sqrt(gain.squares / (gain.n - 1) / gain.n);
    e->lo = exp(gain.mean - half);
    e->hi = exp(gain.mean + half);
}

/* Fill one entry; 0: neither measured nor predicted. */
static int fill(const struct view *v, size_t line, int exact, size_t c,
                struct entry *e)
{
    const struct chorale_family *fam = v->fam;
    const struct chorale_line *ln = &fam->line[line];
    const int smoothed = fam->smooth != NULL &&
                         (!exact || fam->opts->smooth == CHORALE_SMOOTH_ALL);
    const struct chorale_cand *cand;
    double t;

    *e = (struct entry){ .member = &fam->cand[c], .lo = NAN, .hi = NAN,
                         .error = NAN, .smoothed = NAN };
    if (c > 0 && chorale_decide_other(fam->cand[c].run, fam->opts) != NULL)
        return 0;
    e->barred = chorale_family_excluded(fam, c, v->n, v->comm_size);
    if (smoothed) {
        e->smoothed = exp(chorale_family_smooth(fam, c, v->n, v->comm_size));
        e->error = chorale_smooth_error(fam->smooth, fam->cand[c].run);
        e->seconds = e->smoothed;
    }
    for (size_t i = 0; exact && i < ln->nspot; i++) {
        if (ln->spot[i].point->n != v->n)
            continue;
        cand = cand_at(&ln->spot[i], &fam->cand[c]);
        if (cand == NULL)
            return 0;
        t = ln->log_time[i * fam->ncand + c];
        if (cand->place < 0 && e->barred == NULL)
            e->barred = cand->barred != NULL ? cand->barred
                        : fam->opts->arrivals == CHORALE_ARRIVALS_ROBUST
                            ? "failed, gave wrong data or was not timed "
                              "properly in an arrival pattern"
                            : "failed, gave wrong data or was not timed "
                              "properly";
        interval(&ln->spot[i], cand, e);
        e->error = NAN;
        e->seconds = isfinite(t) ? exp(t) : NAN;
        return 1;
    }
    if (smoothed)
        return isfinite(e->seconds) || e->barred != NULL;
    t = exact ? chorale_family_on(fam, line, c, v->n)
              : chorale_family_between(fam, line, c, v->n, v->comm_size,
                                       &e->error);
    e->seconds = isfinite(t) ? exp(t) : NAN;
    return isfinite(t) || e->barred != NULL;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (isnan(x->seconds) || isnan(y->seconds))
        return isnan(x->seconds) - isnan(y->seconds);
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* Collect the candidates of the point, fastest first. */
static int collect(struct view *v)
{
    const struct chorale_family *fam = v->fam;
    size_t line = 0;
    int exact;

    v->entry = calloc(fam->ncand + 1, sizeof(*v->entry));
    if (v->entry == NULL)
        return -1;
    while (line < fam->nline && fam->line[line].comm_size < v->comm_size)
        line++;
    if (line == fam->nline)
        return 0;
    exact = fam->line[line].comm_size == v->comm_size;
    if (!exact && line == 0)
        return 0;
    line -= !exact;
    for (size_t c = 0; c < fam->ncand; c++)
        v->count += (size_t)fill(v, line, exact, c, &v->entry[v->count]);
    qsort(v->entry, v->count, sizeof(*v->entry), compare_entries);
    return 0;
}

static int is_choice(const struct view *v, const struct entry *e)
{
    return chorale_run_same_candidate(
        e->member->run, v->row != NULL ? v->row->run : &chorale_library_run);
}

/* The config of an entry; alg NULL: it has no equals. */
static struct chorale_alg_config config_of(const struct entry *e)
{
    return e->barred == NULL ? e->member->run->config
                             : (struct chorale_alg_config){ .alg = NULL };
}

/* Add the variants of the collective with default parameters that are not among
 * the entries. */
static void add_defaults(struct view *v)
{
    for (int i = 0; chorale_algs[i] != NULL; i++) {
        struct chorale_alg_config config = { .alg = chorale_algs[i] };
        int seen = config.alg->coll != v->fam->point->coll;

        for (int k = 0; k < config.alg->nparam; k++)
            config.value[k] = config.alg->param[k].def;
        for (size_t k = 0; k < v->count; k++)
            seen |= memcmp(&v->entry[k].member->run->config, &config,
                           sizeof(config)) == 0;
        if (!seen)
            v->config[v->nconfig++] = config;
    }
}

/* Find the classes, and list one entry of each: the choice, else the
 * simplest. */
static int find_equals(struct view *v)
{
    struct chorale_run_point run = *v->fam->point;
    size_t room = v->count + 1;
    struct chorale_class_point at;

    for (int i = 0; chorale_algs[i] != NULL; i++)
        room += chorale_algs[i]->coll == run.coll;
    v->config = calloc(room, sizeof(*v->config));
    v->leader = calloc(room, sizeof(*v->leader));
    if (v->config == NULL || v->leader == NULL)
        return -1;
    for (; v->nconfig < v->count; v->nconfig++)
        v->config[v->nconfig] = config_of(&v->entry[v->nconfig]);
    add_defaults(v);
    run.n = v->n;
    run.msg_size = v->msg_size;
    run.comm_size = v->comm_size;
    at = chorale_run_class_point(&run);
    if (chorale_classes_find(&at, v->config, v->nconfig, v->leader) != 0)
        return -1;
    for (size_t i = 0; i < v->count; i++) {
        size_t best = i;

        for (size_t k = 0; k < v->count; k++)
            if (k != best && v->leader[k] == v->leader[i] &&
                (is_choice(v, &v->entry[k]) ||
                 (!is_choice(v, &v->entry[best]) &&
                  chorale_alg_config_place(&v->config[k]) <
                      chorale_alg_config_place(&v->config[best]))))
                best = k;
        v->entry[i].listed = best == i;
    }
    return 0;
}

/* The text of candidate k if it is another name of entry i; else 0. */
static int other_name(const struct view *v, size_t i, size_t k, char *text,
                      size_t size)
{
    const struct chorale_alg_config *config = &v->config[k];
    char params[160];

    if (k == i || v->leader[k] != v->leader[i])
        return 0;
    chorale_alg_params_format(config->alg, config->value, params,
                              sizeof(params));
    snprintf(text, size, "%s%s%s", config->alg->name, *params ? " " : "",
             params);
    return 1;
}

static void print_equals(const struct view *v, size_t i)
{
    const char *before = "      also: ";
    char name[240];

    for (size_t k = 0; k < v->nconfig; k++) {
        if (!other_name(v, i, k, name, sizeof(name)))
            continue;
        printf("%s%s", before, name);
        before = ", ";
    }
    if (*before == ',')
        printf("\n");
}

static void name_of(const struct chorale_member *m, char *text, size_t size)
{
    const struct chorale_run_point *run = m->run;

    snprintf(text, size, "%s%s%s%s", strcmp(run->provider, "library") == 0
                 ? "library" : run->variant, *run->params ? " " : "",
             run->params, strcmp(run->provider, "native") == 0 ? " (native)"
             : strcmp(run->provider, "foreign") == 0 ? " (foreign)" : "");
}

/* The arrival patterns that decide in the point's row, or "sync". */
static const char *arrival_of(const struct view *v)
{
    return v->row != NULL && *v->row->arrival != '\0' ? v->row->arrival
                                                      : "sync";
}

static const char *meaning_of(const char *arrival)
{
    return strcmp(arrival, "robust") == 0
               ? "times are those of the best in sync, plus the largest loss "
                 "over the patterns"
               : "times count from the last rank's arrival";
}

/* 1 if the point was not measured but lies in a row with measured points, whose
 * basis is "measured". */
static int is_inferred(const struct view *v)
{
    return v->row != NULL && !v->measured &&
           strcmp(v->row->basis, "measured") == 0;
}

static const char *basis_of(const struct view *v)
{
    return v->row == NULL ? "library" : is_inferred(v) ? "modelled"
                                                       : v->row->basis;
}

static const char *why_of(const struct view *v)
{
    if (v->row != NULL)
        return v->row->reason;
    return v->left_out ? "measured but excluded: in each launch clocks were "
                         "lost or a time was impossibly short; the library is "
                         "used"
                       : "outside the measured range: the library is used";
}

static void print_entry(const struct view *v, const struct entry *e)
{
    char name[160], seconds[32] = "-", gain[64] = "", how[96], smoothed[32];

    chorale_human_seconds(e->smoothed, smoothed);
    name_of(e->member, name, sizeof(name));
    if (!isnan(e->seconds))
        chorale_human_seconds(e->seconds, seconds);
    if (!isnan(e->lo))
        snprintf(gain, sizeof(gain), "x%.3f [%.3f, %.3f]",
                 sqrt(e->lo * e->hi), e->lo, e->hi);
    if (e->nlaunch > 0)
        snprintf(how, sizeof(how), "measured, %zu launch%s%s%s", e->nlaunch,
                 e->nlaunch == 1 ? "" : "es",
                 isnan(e->smoothed) ? "" : "; smoothed ",
                 isnan(e->smoothed) ? "" : smoothed);
    else if (isnan(e->seconds))
        snprintf(how, sizeof(how), "no time");
    else if (isnan(e->error))
        snprintf(how, sizeof(how), isnan(e->smoothed)
                     ? "modelled" : "between measured points");
    else
        snprintf(how, sizeof(how), isnan(e->smoothed)
                     ? "modelled, error of such predictions %.1f %%"
                     : "between measured points, within %.1f %% (1 sd, by"
                       " leaving out P)",
                 100 * e->error);
    printf("  %c %-40s %10s  %-25s %s%s%s\n", is_choice(v, e) ? '*' : ' ',
           name, seconds, gain, how, e->barred != NULL ? "; never: " : "",
           e->barred != NULL ? e->barred : "");
}

static void print_view(const struct view *v)
{
    const struct chorale_run_point *p = v->fam->point;
    char bytes[32];

    printf("%s, n = %s (%zu bytes), P = %d (%d a node, %s), %s%s%s\n",
           chorale_coll_info(p->coll)->name,
           chorale_human_bytes((double)v->n, bytes), v->n, v->comm_size,
           p->ppn, p->shape, p->dtype, *p->op ? " " : "", p->op);
    if (strcmp(arrival_of(v), "sync") != 0)
        printf("  arrival %s: %s\n", arrival_of(v),
               meaning_of(arrival_of(v)));
    for (size_t i = 0; i < v->count; i++) {
        if (!v->entry[i].listed)
            continue;
        print_entry(v, &v->entry[i]);
        print_equals(v, i);
    }
    printf("  %s: %s%s\n", basis_of(v), is_inferred(v)
               ? "not measured itself; the range that contains it is " : "",
           why_of(v));
    if (v->left_out && v->row != NULL)
        printf("  measurements here are excluded: in each launch clocks were "
               "lost or a time was\n  impossibly short\n");
}

static int append_view(const struct view *v, json_t *list)
{
    const struct chorale_run_point *p = v->fam->point;
    json_t *entries = json_array(), *item;
    int bad = 0;

    for (size_t i = 0; i < v->count; i++) {
        const struct entry *e = &v->entry[i];
        json_t *also;
        char name[240];

        if (!e->listed)
            continue;
        also = json_array();
        for (size_t k = 0; k < v->nconfig; k++)
            if (other_name(v, i, k, name, sizeof(name)))
                bad |= json_array_append_new(also, json_string(name)) != 0;
        bad |= json_array_append_new(entries, json_pack(
            "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:b, s:s?, s:o}",
            "provider", e->member->run->provider, "variant",
            e->member->run->variant, "params", e->member->run->params,
            "seconds", chorale_json(e->seconds),
            "smoothed", chorale_json(e->smoothed),
            "speedup_lo", chorale_json(e->lo), "speedup_hi",
            chorale_json(e->hi),
            "guess_error", chorale_json(e->error), "launches",
            (json_int_t)e->nlaunch, "chosen", is_choice(v, e), "barred",
            e->barred, "also", also)) != 0;
    }
    item = json_pack("{s:s, s:s, s:I, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:s,"
                     " s:o}", "target",
                     v->fam->opts->rules ? "rules" : "dispatch",
                     "coll", chorale_coll_info(p->coll)->name,
                     "n", (json_int_t)v->n, "comm_size", v->comm_size,
                     "ppn", p->ppn, "shape", p->shape, "dtype", p->dtype,
                     "op", p->op, "basis", basis_of(v),
                     "reason", why_of(v), "arrival", arrival_of(v),
                     "candidates", entries);
    return bad | (json_array_append_new(list, item) != 0);
}

/* 1 if the library was measured at the point. */
static int is_measured(const struct chorale_family *fam, size_t n,
                       int comm_size)
{
    for (size_t j = 0; j < fam->nline; j++)
        for (size_t i = 0; i < fam->line[j].nspot; i++)
            if (fam->line[j].comm_size == comm_size &&
                fam->line[j].spot[i].point->n == n)
                return 1;
    return 0;
}

/* Remove references to --explain from a reason. */
static void drop_see(char *reason)
{
    const size_t len = strlen(CHORALE_DECIDE_SEE);

    for (char *at = strstr(reason, CHORALE_DECIDE_SEE); at != NULL;
         at = strstr(at, CHORALE_DECIDE_SEE))
        memmove(at, at + len, strlen(at + len) + 1);
}

/* Explain one family at the point. -1: out of memory, 1: JSON failed. */
static int explain(struct chorale_family *fam,
                   const struct chorale_decide_query *query, json_t *list)
{
    struct view v = { .fam = fam, .comm_size = query->comm_size,
                      .msg_size = query->msg_size,
                      .left_out = query->left_out };
    struct chorale_decision *rows = NULL;
    size_t count = 0;
    int rc = chorale_decide_rows(fam, &rows, &count);

    v.n = chorale_coll_n(query->coll, query->msg_size, query->comm_size);
    v.measured = is_measured(fam, v.n, v.comm_size);
    for (size_t i = 0; i < count && rc == 0; i++) {
        drop_see(rows[i].reason);
        if (rows[i].comm_size <= v.comm_size &&
            v.comm_size <= rows[i].comm_size_hi && rows[i].n_lo <= v.n &&
            v.n <= rows[i].n_hi)
            v.row = &rows[i];
    }
    /* Rows of the library may exceed the measured range. */
    if (v.row != NULL && v.row->run == &chorale_library_run &&
        !chorale_grid_in_hull(fam, v.comm_size, v.n))
        v.row = NULL;
    /* Outside the measured range there is no choice, and schedules may be too
     * long to be replayed. */
    if (rc == 0 && v.row != NULL)
        rc = collect(&v);
    if (rc == 0 && v.count > 0)
        rc = find_equals(&v);
    if (rc == 0 && list != NULL)
        rc = append_view(&v, list) != 0;
    else if (rc == 0)
        print_view(&v);
    free(v.entry);
    free(v.config);
    free(v.leader);
    free(rows);
    return rc;
}

static int is_first(const struct chorale_measured *spot, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (chorale_family_same(spot[k].point, spot[i].point))
            return 0;
    return 1;
}

enum chorale_err chorale_decide_explain(
    const struct chorale_points *points,
    const struct chorale_decide_opts *opts,
    const struct chorale_decide_query *query, json_t *list,
    struct chorale_errmsg *msg)
{
    struct chorale_measured *spot;
    struct chorale_predictor *model = opts->smooth ? NULL : opts->model;
    struct chorale_predictor *own = NULL;
    struct chorale_smoothed times = { NULL, NULL };
    const struct chorale_smooth *learnt = NULL;
    size_t nspot, found = 0;
    enum chorale_err err = chorale_decide_sizes(points, opts, &spot, &nspot,
                                                msg);
    int rc = 0;

    if (err == CHORALE_OK && model == NULL && !opts->rules && !opts->smooth)
        model = own = chorale_predictor_fit(points);
    if (err == CHORALE_OK && opts->rules && list == NULL)
        printf("For rule files of the library, its own algorithms:\n");
    for (size_t i = 0; i < nspot && err == CHORALE_OK && rc == 0; i++) {
        struct chorale_family fam;

        if (spot[i].point->coll != query->coll || !is_first(spot, i))
            continue;
        rc = chorale_smooth_for(points, opts, spot[i].point, &times);
        if (rc == 0 && times.smooth != learnt)
            rc = chorale_smooth_learn_errors(times.smooth, points->row,
                                             points->count, spot[i].point,
                                             opts->noise);
        learnt = times.smooth;
        if (rc != 0)
            break;
        rc = chorale_family_init(&fam, spot, nspot, &spot[i], model, opts);
        fam.smooth = times.smooth;
        if (rc == 0)
            rc = explain(&fam, query, list);
        chorale_family_release(&fam);
        found++;
    }
    if (rc < 0)
        err = chorale_fail_memory(msg, "decide");
    else if (rc > 0)
        err = chorale_fail(msg, CHORALE_DATA, "names in the database are not "
                           "UTF-8; use the table instead of --json");
    else if (err == CHORALE_OK && found == 0 && query->left_out)
        err = chorale_fail(msg, CHORALE_DATA, "--explain: all measurements of "
                           "%s are excluded, in each launch clocks were lost "
                           "or a time was impossibly short; plan more "
                           "--launches",
                           chorale_coll_info(query->coll)->name);
    else if (err == CHORALE_OK && found == 0)
        err = chorale_fail(msg, CHORALE_DATA, "--explain: no variant of %s is "
                           "measured besides the library's default; `chorale "
                           "plan` and `chorale run` measure it",
                           chorale_coll_info(query->coll)->name);
    chorale_predictor_free(own);
    chorale_smooth_free(times.smooth);
    for (size_t i = 0; i < nspot; i++)
        chorale_measured_release(&spot[i]);
    free(spot);
    return err;
}
