/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluate.c - computes the regret of a table at every point of an oracle. */
#include "tuner/assess/evaluate.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide.h"
#include "tuner/decide/inherit_runs.h"

#define SLOWER 0.001 /* relative loss that counts */

static int same_place(const struct chorale_run_point *a,
                      const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->shape == b->shape && a->dtype == b->dtype &&
           a->op == b->op && a->n == b->n;
}

/* Log of the geometric mean over the runs of one candidate; NAN if a run is not
 * usable. */
static double log_mean(const struct chorale_run_point *row, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        if (!row[i].ok)
            return NAN;
        sum += log(row[i].seconds);
    }
    return sum / (double)n;
}

size_t chorale_evaluate_block(const struct chorale_run_point *p)
{
    const struct chorale_coll_info *info = chorale_coll_info(p->coll);
    size_t element = chorale_run_type_size(p), sum = 0;

    if (info->blind)
        return 0;
    if (!info->irregular)
        return p->msg_size;
    for (int i = 0; i < p->comm_size; i++)
        sum += chorale_ramp(p->msg_size, element, p->comm_size, i);
    return chorale_coll_mean(sum, info->reduces ? element : 1, p->comm_size);
}

const struct chorale_emit_choice *
chorale_evaluate_choice(const struct chorale_emit_table *table,
                        const struct chorale_run_point *p)
{
    int shape = chorale_emit_shape(p->shape);
    size_t block = chorale_evaluate_block(p);
    size_t n = chorale_coll_n(p->coll, block, p->comm_size);
    size_t i = chorale_emit_select(
        table, p->coll, shape < 0 ? CHORALE_SHAPE_UNKNOWN
                                  : (enum chorale_shape)shape,
        p->ppn, n, p->comm_size);
    const struct chorale_emit_choice *choice = &table->choice[i];
    struct chorale_point pt;

    if (choice->alg == NULL)
        return NULL;
    pt = chorale_decide_point(p, choice->value, n, p->comm_size);
    pt.msg_size = block;
    return chorale_alg_refuses(choice->alg, &pt) == NULL ? choice : NULL;
}

int chorale_evaluate_is_choice(const struct chorale_run_point *run,
                               const struct chorale_emit_choice *choice)
{
    return run->config.alg == choice->alg &&
           memcmp(run->config.value, choice->value,
                  (size_t)choice->alg->nparam * sizeof(*choice->value)) == 0;
}

/* Log of the mean time of a candidate that equals the choice, among the runs
 * row[0, n) of a point; NAN: not measured. */
static double equal_mean(const struct chorale_run_point *row, size_t n,
                         const struct chorale_emit_choice *choice)
{
    const struct chorale_class_point at = chorale_run_class_point(row);
    struct chorale_alg_config config = { .alg = choice->alg };
    double mean = NAN;
    size_t end;

    memcpy(config.value, choice->value, sizeof(config.value));
    for (size_t i = 0; i < n && isnan(mean); i = end) {
        for (end = i; end < n && chorale_run_same_candidate(&row[i], &row[end]);
             end++)
            continue;
        if (chorale_classes_equal(&at, &row[i].config, &config))
            mean = log_mean(&row[i], end - i);
    }
    return mean;
}

/* Returns 1 if a table may choose the row's variant, also with parameters that
 * this build does not know. */
static int may_choose(const struct chorale_run_point *row, int allow_patented)
{
    const struct chorale_alg *alg =
        strcmp(row->provider, "chorale") == 0
            ? chorale_alg_find(row->coll, row->variant) : NULL;

    return alg != NULL && chorale_alg_unselectable(alg, allow_patented) == NULL;
}

static void name(char *text, size_t size, const char *variant,
                 const char *params)
{
    snprintf(text, size, "%.80s%s%.160s", variant, *params ? " " : "",
             params);
}

/* What a table chooses at a point. */
struct wish {
    const char *variant, *params; /* "": the library's default */
    const struct chorale_emit_choice *choice; /* NULL: the library's default, or
                              * an algorithm of the library itself */
    int rules;               /* choose among the library's own algorithms */
    int allow_patented;
    int blind;               /* one choice serves all sizes; the best one: */
    const struct chorale_run_point *one; /* NULL: the library */
};

static int competes(const void *arg, const struct chorale_run_point *row)
{
    const struct wish *wish = arg;

    return wish->rules ? strcmp(row->provider, "native") == 0
                       : may_choose(row, wish->allow_patented);
}

static int is_wish(const struct wish *wish, const struct chorale_run_point *row)
{
    if (wish->rules)
        return strcmp(row->provider, "native") == 0 &&
               strcmp(row->variant, wish->variant) == 0 &&
               strcmp(row->params, wish->params) == 0;
    return wish->choice != NULL &&
           chorale_evaluate_is_choice(row, wish->choice);
}

/* The mean log gain over the library of cand over the sizes of row[0, n); NAN:
 * not measured at one, or too slow there. */
static double mean_gain(const struct chorale_run_point *row, size_t n,
                        const struct chorale_run_point *cand)
{
    double sum = 0, count = 0;

    for (size_t i = 0, end; i < n; i = end) {
        double library = NAN, mine = NAN;

        end = i;
        for (size_t k = i, next; k < n && row[k].n == row[i].n; k = next) {
            for (next = k; next < n && row[next].n == row[i].n &&
                           chorale_run_same_candidate(&row[k], &row[next]);)
                next++;
            if (strcmp(row[k].provider, "library") == 0)
                library = log_mean(&row[k], next - k);
            if (chorale_run_same_candidate(&row[k], cand))
                mine = log_mean(&row[k], next - k);
            end = next;
        }
        if (!(library - mine >= -log1p(CHORALE_EVALUATE_WORSE)))
            return NAN;
        sum += library - mine;
        count++;
    }
    return sum / count;
}

const struct chorale_run_point *
chorale_evaluate_one(const struct chorale_run_point *row, size_t n,
                     int (*may)(const void *arg,
                                const struct chorale_run_point *run),
                     const void *arg)
{
    const struct chorale_run_point *best = NULL;
    double most = 0;

    for (size_t i = 0; i < n && row[i].n == row[0].n; i++) {
        double gain;

        if (strcmp(row[i].provider, "library") == 0 || !may(arg, &row[i]) ||
            (i > 0 && chorale_run_same_candidate(&row[i - 1], &row[i])))
            continue;
        gain = mean_gain(row, n, &row[i]);
        if (gain > most) {
            most = gain;
            best = &row[i];
        }
    }
    return best;
}

/* Set the best choice for all sizes at the place that begins with row i, if
 * its ranks do not know n. */
static void find_one(const struct chorale_points *oracle, size_t i,
                     struct wish *wish)
{
    const struct chorale_run_point *row = &oracle->row[i];
    size_t n = 1;

    wish->blind = chorale_coll_info(row->coll)->blind;
    if (!wish->blind)
        return;
    if (i > 0 && chorale_decide_same_line(&row[-1], row))
        return; /* as set at the first size */
    while (i + n < oracle->count && chorale_decide_same_line(row, &row[n]))
        n++;
    wish->one = chorale_evaluate_one(row, n, competes, wish);
}

/* Judge one point with runs row[0, n). Returns 0 if the library has no time. */
static int judge(const struct wish *wish, const struct chorale_run_point *row,
                 size_t n, struct chorale_verdict *v)
{
    double library = NAN, best = INFINITY, mine = NAN;
    size_t end;

    *v = (struct chorale_verdict){ .point = row, .best = "library",
                                   .choice = "library",
                                   .tuned = *wish->variant != '\0' };
    if (v->tuned)
        name(v->choice, sizeof(v->choice), wish->variant, wish->params);
    for (size_t i = 0; i < n; i = end) {
        double t;

        for (end = i; end < n && chorale_run_same_candidate(&row[i], &row[end]);
             end++)
            continue;
        t = log_mean(&row[i], end - i);
        if (strcmp(row[i].provider, "library") == 0)
            library = t;
        if (is_wish(wish, &row[i]))
            mine = t;
        if (wish->blind ? wish->one != NULL &&
                              chorale_run_same_candidate(&row[i], wish->one)
                        : competes(wish, &row[i]) && t < best) {
            best = t;
            name(v->best, sizeof(v->best), row[i].variant, row[i].params);
        }
    }
    if (wish->choice != NULL && isnan(mine))
        mine = equal_mean(row, n, wish->choice);
    if (wish->blind ? wish->one == NULL : !(best < library)) {
        best = library;
        snprintf(v->best, sizeof(v->best), "library");
    }
    v->seconds = exp(v->tuned ? mine : library);
    if (!wish->blind && v->tuned && isfinite(mine))
        best = fmin(best, mine);
    v->best_seconds = exp(best);
    v->library_seconds = exp(library);
    return isfinite(library);
}

enum chorale_err chorale_evaluate(const struct chorale_emit_table *table,
                                  const struct chorale_points *oracle,
                                  int allow_patented,
                                  struct chorale_verdict **verdict_p,
                                  size_t *count_p, struct chorale_errmsg *msg)
{
    struct chorale_verdict *v = malloc((oracle->count + 1) * sizeof(*v));
    const struct chorale_run_point *row = oracle->row;
    struct wish wish = { .allow_patented = allow_patented };
    size_t count = 0, end;

    if (v == NULL)
        return chorale_fail_memory(msg, "evaluate");
    for (size_t i = 0; i < oracle->count; i = end) {
        for (end = i; end < oracle->count && same_place(&row[i], &row[end]);
             end++)
            continue;
        if (row[i].comm_size > 1) {
            const struct chorale_emit_choice *choice =
                chorale_evaluate_choice(table, &row[i]);

            wish.variant = choice != NULL ? choice->alg->name : "";
            wish.params = choice != NULL ? choice->params : "";
            wish.choice = choice;
            find_one(oracle, i, &wish);
            count += (size_t)judge(&wish, &row[i], end - i, &v[count]);
        }
    }
    *verdict_p = v;
    *count_p = count;
    return CHORALE_OK;
}

enum chorale_err chorale_evaluate_rules(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        const struct chorale_points *oracle,
                                        struct chorale_verdict **verdict_p,
                                        size_t *count_p,
                                        struct chorale_errmsg *msg)
{
    struct chorale_verdict *v = malloc((oracle->count + 1) * sizeof(*v));
    const struct chorale_run_point *row = oracle->row;
    struct wish wish = { .rules = 1 };
    sqlite3_int64 rules = 0;
    size_t count = 0, end;
    enum chorale_err err =
        v == NULL ? chorale_fail_memory(msg, "evaluate")
                  : chorale_store_find(store, "SELECT count(*) FROM decision"
                                       " WHERE system_id = ?1 AND target ="
                                       " 'rules'", CHORALE_FIELDS(system_id),
                                       0, &rules, msg);

    if (err == CHORALE_OK && rules == 0)
        err = chorale_fail(msg, CHORALE_DATA, "%s: no decisions on the "
                           "library's own algorithms; run `chorale decide`",
                           chorale_store_path(store));
    for (size_t i = 0; i < oracle->count && err == CHORALE_OK; i = end) {
        sqlite3_stmt *stmt = NULL;
        int got;

        for (end = i; end < oracle->count && same_place(&row[i], &row[end]);
             end++)
            continue;
        if (row[i].comm_size < 2)
            continue;
        err = chorale_store_query(
            store, "SELECT iif(provider = 'library', '', variant), params,"
            " basis = 'measured' FROM decision WHERE system_id = ?1 AND coll ="
            " ?2 AND shape = ?3 AND dtype = ?4 AND op = ?5 AND target ="
            " 'rules' AND ?6 BETWEEN n_lo AND n_hi AND ?7 BETWEEN comm_size"
            " AND max(comm_size, comm_size_hi) AND (ppn = ?8 OR shape ="
            " 'single-node')",
            CHORALE_FIELDS(system_id, chorale_coll_info(row[i].coll)->name,
                           row[i].shape, row[i].dtype, row[i].op, row[i].n,
                           row[i].comm_size, row[i].ppn), &stmt, msg);
        got = chorale_store_next(store, stmt, &err, msg);
        if (err == CHORALE_OK) {
            wish.variant = got ? chorale_text(stmt, 0) : "";
            wish.params = got ? chorale_text(stmt, 1) : "";
            find_one(oracle, i, &wish);
            if (judge(&wish, &row[i], end - i, &v[count]))
                v[count++].confirmed = got && sqlite3_column_int(stmt, 2);
        }
        sqlite3_finalize(stmt);
    }
    if (err != CHORALE_OK) {
        free(v);
        return err;
    }
    *verdict_p = v;
    *count_p = count;
    return CHORALE_OK;
}

enum chorale_err chorale_evaluate_confirmed(struct chorale_store *store,
                                            sqlite3_int64 system_id,
                                            struct chorale_verdict *verdict,
                                            size_t count,
                                            struct chorale_errmsg *msg)
{
    static const char sql[] =
        /* Any cell of the point: that of the choice may have the name of an
         * equal candidate. */
        "SELECT 1 FROM decision d JOIN cell c USING (system_id, coll, shape,"
        " dtype, op, ppn) WHERE system_id = ?1 AND target = 'dispatch'"
        " AND coll = ?2 AND c.comm_size = ?3 AND c.n = ?4 AND shape = ?5 AND"
        " dtype = ?6 AND op = ?7 AND ppn = ?8 AND basis = 'measured' AND"
        " ?4 BETWEEN n_lo AND n_hi AND"
        " ?3 BETWEEN d.comm_size AND max(d.comm_size, d.comm_size_hi)";
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < count && err == CHORALE_OK; i++) {
        const struct chorale_run_point *p = verdict[i].point;
        sqlite3_int64 row = 0;

        if (!verdict[i].tuned)
            continue;
        err = chorale_store_find(
            store, sql,
            CHORALE_FIELDS(system_id, chorale_coll_info(p->coll)->name,
                           p->comm_size, p->n, p->shape, p->dtype, p->op,
                           p->ppn), 0, &row, msg);
        verdict[i].confirmed = row != 0;
    }
    return err;
}

int chorale_evaluate_score(const struct chorale_verdict *verdict, size_t count,
                           enum chorale_coll coll,
                           struct chorale_score *score)
{
    double *loss = malloc((count + 1) * sizeof(*loss));
    double sum = 0, gain = 0, most = 0, k;
    size_t n = 0;

    if (loss == NULL)
        return -1;
    *score = (struct chorale_score){ .regret = NAN, .p99 = NAN, .worst = NAN,
                                     .speedup = NAN, .captured = NAN };
    for (size_t i = 0; i < count; i++) {
        const struct chorale_verdict *v = &verdict[i];

        if (coll != CHORALE_NCOLL && v->point->coll != coll)
            continue;
        score->npoint++;
        if (!isfinite(v->seconds)) {
            score->nunknown++;
            continue;
        }
        loss[n] = log(v->seconds / v->best_seconds);
        sum += loss[n];
        gain += log(v->library_seconds / v->seconds);
        most += log(v->library_seconds / v->best_seconds);
        if (v->tuned && v->seconds > v->library_seconds * (1 + SLOWER))
            ++*(v->confirmed ? &score->nslower : &score->nguessed);
        score->nworse += v->seconds >
                         v->library_seconds * (1 + CHORALE_EVALUATE_WORSE);
        if (score->worst_at == NULL || expm1(loss[n]) > score->worst) {
            score->worst = expm1(loss[n]);
            score->worst_at = v;
        }
        n++;
    }
    k = (double)n;
    if (n > 0) {
        gsl_sort(loss, 1, n);
        score->regret = expm1(sum / k);
        score->p99 = expm1(loss[(size_t)ceil(0.99 * k) - 1]);
        score->speedup = exp(gain / k);
        score->captured = most > 0 ? gain / most : NAN;
    }
    free(loss);
    return 0;
}
