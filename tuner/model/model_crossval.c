/* SPDX-License-Identifier: BSD-3-Clause */
/* model_crossval.c - cross-validation and lack of fit of each variant. A
 * variant is predicted by fits without its process count, by fits to smaller
 * process counts, and by fits to smaller blocks. Its lack of fit is compared
 * with the variance between launches. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/quantiles.h"
#include "tuner/model/model_internal.h"

#define MAD_EFFICIENCY 0.37 /* of the median deviation, for normal errors */
#define OUTLIER 9 /* variance ratio that marks a cell with outlier launches */
#define EXACT 1e-6 /* relative error of a simulated time */

/* Arrays over the cells. */
struct check {
    struct model_job *job;
    struct model_cell **cell; /* ordered by variant */
    size_t *index;           /* of cell[i] in job->cell */
    double *error;           /* of the fit to all cells */
    double *loo;             /* of fits without this process count */
    double *ahead;           /* of fits to at most half as many ranks */
    double *now;             /* of the current fit */
    double *sorted;
    double *seconds;         /* [job->ncell] predicted */
    double *log_of, *apart;  /* log times of launches, their differences */
    unsigned char *use;
    size_t n;
};

static const struct chorale_run_point *run_of(const struct check *c, size_t i)
{
    return &c->job->points->row[c->cell[i]->first];
}

static int by_variant(const void *va, const void *vb)
{
    const struct model_cell *a = *(struct model_cell *const *)va;
    const struct model_cell *b = *(struct model_cell *const *)vb;
    const long long key[][2] = {
        { chorale_alg_index(a->alg), chorale_alg_index(b->alg) },
        { a->place, b->place },
        { a->nodes == 1, b->nodes == 1 },
        { a->nodes == 1 ? 0 : a->ppn, b->nodes == 1 ? 0 : b->ppn },
        { a->pt.comm_size, b->pt.comm_size },
        { (long long)a->pt.msg_size, (long long)b->pt.msg_size },
        { (long long)a->first, (long long)b->first },
    };

    for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
        if (key[i][0] != key[i][1])
            return key[i][0] < key[i][1] ? -1 : 1;
    return 0;
}

static int same_variant(const struct model_cell *a,
                        const struct model_cell *b)
{
    return a->alg == b->alg && a->place == b->place &&
           (a->nodes == 1) == (b->nodes == 1) &&
           (a->nodes == 1 || a->ppn == b->ppn);
}

/* Fit to the cells in use, predict the others, and store the errors in c->now:
 * NAN if not predictable, MODEL_WILD if ill-conditioned. */
static enum chorale_err predict_left_out(struct check *c,
                                         struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_model_predict(c->job, c->use, c->seconds,
                                                 msg);

    for (size_t i = 0; i < c->n; i++) {
        double seconds = c->seconds[c->index[i]];

        c->now[i] = seconds < 0
                        ? MODEL_WILD
                        : fabs(seconds / c->cell[i]->seconds - 1);
    }
    return err;
}

/* Use all cells of the fit whose value lies in [from, upto], or outside of it
 * if out is set. */
static void use_value_range(struct check *c,
                            double (*of)(const struct model_cell *),
                            double from,
                            double upto, int out)
{
    for (size_t i = 0; i < c->job->ncell; i++) {
        const struct model_cell *cell = &c->job->cell[i];
        int in = of(cell) >= from && of(cell) <= upto;

        c->use[i] = !chorale_model_held_out(c->job, cell) && in != out;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double ranks_of(const struct model_cell *cell)
{
    return cell->pt.comm_size;
}

static double size_of(const struct model_cell *cell)
{
    return (double)cell->pt.msg_size;
}

/* Distinct values of the cells, ascending, in c->sorted. */
static size_t distinct(struct check *c,
                       double (*of)(const struct model_cell *))
{
    size_t k = 0;

    for (size_t i = 0; i < c->n; i++)
        c->sorted[i] = of(c->cell[i]);
    qsort(c->sorted, c->n, sizeof(*c->sorted), compare);
    for (size_t i = 0; i < c->n; i++)
        if (i == 0 || c->sorted[i] > c->sorted[k - 1])
            c->sorted[k++] = c->sorted[i];
    return k;
}

/* Predict each process count from the others. */
static enum chorale_err leave_out(struct check *c, struct chorale_errmsg *msg)
{
    size_t k = distinct(c, ranks_of);
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < c->n; i++)
        c->loo[i] = c->ahead[i] = NAN;
    for (size_t p = 0; p < k && k > 1 && err == CHORALE_OK; p++) {
        chorale_model_progress(c->job, p > 0, "predicting P = %.0f",
                               c->sorted[p]);
        use_value_range(c, ranks_of, c->sorted[p], c->sorted[p], 1);
        err = predict_left_out(c, msg);
        for (size_t i = 0; i < c->n && err == CHORALE_OK; i++)
            if (!c->use[c->index[i]])
                c->loo[i] = c->now[i];
    }
    return err;
}

/* Predict up to MODEL_SIZES_OUT sizes between the smallest and the largest,
 * each from all other sizes. c->loo and c->ahead keep their values. */
static enum chorale_err leave_sizes_out(struct check *c,
                                        struct chorale_errmsg *msg)
{
    size_t k = distinct(c, size_of), every, n = 0;
    double *size = malloc((k + 1) * sizeof(*size));
    double *error = malloc((c->n + 1) * sizeof(*error));
    enum chorale_err err = size != NULL && error != NULL
                               ? CHORALE_OK
                               : chorale_fail_memory(msg, "fit");

    if (err == CHORALE_OK)
        memcpy(size, c->sorted, k * sizeof(*size));
    every = k > 2 ? (k - 3) / MODEL_SIZES_OUT + 1 : 1;
    for (size_t s = 1; s + 1 < k && err == CHORALE_OK; s += every) {
        chorale_model_progress(c->job, 1, "predicting m = %.0f", size[s]);
        use_value_range(c, size_of, size[s], size[s], 1);
        err = predict_left_out(c, msg);
        for (size_t i = 0; i < c->n && err == CHORALE_OK; i++)
            if (!c->use[c->index[i]] && c->now[i] >= 0)
                error[n++] = c->now[i];
    }
    if (err == CHORALE_OK && n > 0) {
        chorale_sort(error, n);
        c->job->model->sizes.npoints = n;
        c->job->model->sizes.median = chorale_quantile(error, n, 0.5);
        c->job->model->sizes.tail = chorale_quantile(error, n, 0.9);
    }
    free(size);
    free(error);
    return err;
}

/* Raise the reach of each variant whose cells above cut were all predicted
 * within the bound by the fit to cells up to cut. */
static void raise_reach(struct check *c, double cut,
                        double (*of)(const struct model_cell *), int ranks)
{
    struct chorale_model *model = c->job->model;
    size_t i = 0, end;

    for (size_t v = 0; v < model->nvariant; v++, i = end) {
        double most = 0, *reach = ranks ? &model->variant[v].reach
                                        : &model->variant[v].reach_m;
        int good = 1, any = 0;

        for (end = i; end < c->n && same_variant(c->cell[i], c->cell[end]);
             end++) {
            if (!(of(c->cell[end]) > cut))
                continue;
            good &= c->now[end] <= MODEL_BOUND;
            if (c->now[end] < 0)
                continue;
            most = fmax(most, of(c->cell[end]));
            any = 1;
        }
        if (good && any && cut > 0)
            *reach = fmax(*reach, most / cut);
    }
}

/* Predict larger process counts, or blocks, from smaller ones. */
static enum chorale_err look_ahead(struct check *c,
                                   double (*of)(const struct model_cell *),
                                   int ranks, struct chorale_errmsg *msg)
{
    size_t k = distinct(c, of);
    enum chorale_err err = CHORALE_OK;
    double *cut = malloc((k + 1) * sizeof(*cut));

    if (cut == NULL)
        return chorale_fail_memory(msg, "fit");
    k = chorale_model_cutoffs(c->sorted, k, ranks ? MODEL_RANKS_APART
                                       : MODEL_SIZES_APART, cut);
    for (size_t p = 0; p < k; p++) {
        chorale_model_progress(c->job, 1, "predicting above %s = %.0f",
                               ranks ? "P" : "m", cut[p]);
        use_value_range(c, of, -1, cut[p], 0);
        err = predict_left_out(c, msg);
        if (err != CHORALE_OK)
            break;
        raise_reach(c, cut[p], of, ranks);
        for (size_t i = 0; i < c->n && ranks; i++)
            if (of(c->cell[i]) >= 2 * cut[p])
                c->ahead[i] = c->now[i];
    }
    free(cut);
    return err;
}

/* --- variants ---------------------------------------------------------- */

/* Largest error; NAN if any is NAN or if all are MODEL_WILD. */
static double worst(const double *error, size_t first, size_t end)
{
    double most = -1;

    for (size_t i = first; i < end; i++) {
        if (isnan(error[i]))
            return NAN;
        most = fmax(most, error[i]);
    }
    return most >= 0 ? most : NAN;
}

static size_t count_wild(const double *error, size_t first, size_t end)
{
    size_t n = 0;

    for (size_t i = first; i < end; i++)
        n += error[i] < 0;
    return n;
}

/* Find the longest range of sizes of cells [first, end) within the bound. */
static void good_sizes(const struct check *c, size_t first, size_t end,
                       struct chorale_model_ranks *r)
{
    size_t most = 0, run = 0, from = 0, next;

    r->m_lo = 1;
    r->m_hi = 0;
    for (size_t i = first; i < end; i = next) {
        size_t size = c->cell[i]->pt.msg_size;

        for (next = i; next < end && c->cell[next]->pt.msg_size == size;
             next++)
            continue;
        if (count_wild(c->loo, i, next) == next - i)
            continue;
        if (!(worst(c->loo, i, next) <= MODEL_BOUND)) {
            run = 0;
            continue;
        }
        if (run++ == 0)
            from = size;
        if (run > most) {
            most = run;
            r->m_lo = from;
            r->m_hi = size;
        }
    }
}

static int fill_ranks(const struct check *c, size_t first, size_t end,
                      struct chorale_model_variant *v)
{
    size_t next;

    v->ranks = calloc(end - first, sizeof(*v->ranks));
    if (v->ranks == NULL)
        return -1;
    for (size_t i = first; i < end; i = next) {
        struct chorale_model_ranks *r = &v->ranks[v->nranks++];

        r->comm_size = c->cell[i]->pt.comm_size;
        for (next = i; next < end &&
                       c->cell[next]->pt.comm_size == r->comm_size; next++)
            continue;
        r->npoints = next - i;
        r->nwild = count_wild(c->loo, i, next);
        v->nwild += r->nwild;
        r->error = worst(c->loo, i, next);
        r->ahead = worst(c->ahead, i, next);
        r->m_max = c->cell[next - 1]->pt.msg_size;
        good_sizes(c, i, next, r);
    }
    return 0;
}

static double quantile(struct check *c, const double *error, size_t first,
                       size_t end, double q)
{
    size_t n = 0;

    for (size_t i = first; i < end; i++)
        if (!(error[i] < 0))
            c->sorted[n++] = isnan(error[i]) ? HUGE_VAL : error[i];
    if (n == 0)
        return NAN;
    chorale_sort(c->sorted, n);
    q = chorale_quantile(c->sorted, n, q);
    return isfinite(q) ? q : NAN;
}

/* Store the log times of a cell's launches; returns their number. */
static size_t launches(const struct check *c, const struct model_cell *cell,
                       double *log_of)
{
    const struct chorale_run_point *row = c->job->points->row;
    size_t k = 0;

    for (size_t r = cell->first; r < cell->last; r++)
        if (row[r].ok)
            log_of[k++] = log(row[r].seconds);
    return k;
}

/* Robust variance of one launch, from differences of successive launches. Of
 * three launches, one equals the median. *df_p: degrees of freedom. */
static double launch_variance(const struct check *c, size_t first, size_t end,
                              double *df_p)
{
    double var = NAN;
    size_t n = 0;

    *df_p = 0;
    for (size_t i = first; i < end; i++) {
        size_t k = launches(c, c->cell[i], c->log_of);

        for (size_t r = k > 2 ? 0 : 1; r < k; r++)
            c->apart[n++] = fabs(c->log_of[r] - c->log_of[(r + k - 1) % k]) /
                            M_SQRT2;
        *df_p += k > 1 ? MAD_EFFICIENCY * (double)(k - 1) : 0;
    }
    if (n > 0) {
        chorale_sort(c->apart, n);
        var = pow(1.4826 * chorale_quantile(c->apart, n, 0.5), 2);
    }
    return var;
}

/* Variance of log chorale_model_cell_seconds(), given var, the variance of one
 * launch; a cell with outliers uses its own variance. */
static double centre_variance(const struct check *c,
                              const struct model_cell *cell, double var)
{
    double *log_of = c->log_of;
    static const double efficiency[] = { 1, 1, 1, 0.74, 0.84 };
    size_t k = launches(c, cell, log_of);
    double mean = 0, own = 0;

    for (size_t i = 0; i < k; i++)
        mean += log_of[i] / (double)k;
    for (size_t i = 0; i < k && k > 1; i++)
        own += pow(log_of[i] - mean, 2) / (double)(k - 1);
    return (own > OUTLIER * var ? own : var) / (double)k /
           (k < 5 ? efficiency[k] : 0.95);
}

/* p-value of an F test of the cells' residuals against the variance between
 * launches. If launches do not differ, chi-square against EXACT. */
static double lack(const struct check *c, size_t first, size_t end)
{
    double df, var = launch_variance(c, first, end, &df), sum = 0;
    double n = (double)(end - first);
    int exact = c->job->opts.exact || (df > 0 && var <= EXACT * EXACT);

    if (!(df > 0) && !exact)
        return NAN;
    for (size_t i = first; i < end; i++) {
        const struct model_cell *cell = c->cell[i];
        double r = log(cell->seconds / cell->played);

        sum += r * r / (exact ? EXACT * EXACT
                              : centre_variance(c, cell, var));
    }
    return exact ? gsl_cdf_chisq_Q(sum, n) : gsl_cdf_fdist_Q(sum / n, n, df);
}

static void name_variants(struct check *c)
{
    struct chorale_model *model = c->job->model;
    size_t end;

    for (size_t i = 0; i < c->n; i = end) {
        const struct chorale_run_point *run = run_of(c, i);

        for (end = i; end < c->n && same_variant(c->cell[i], c->cell[end]);
             end++)
            continue;
        model->variant[model->nvariant++] = (struct chorale_model_variant){
            .alg = run->config.alg, .shape = run->shape,
            .ppn = c->cell[i]->nodes == 1 ? 0 : c->cell[i]->ppn,
            .npoints = end - i, .reach = 1, .reach_m = 1,
        };
    }
}

/* Count the points at which the fit of a variant is poor, and those predicted
 * too fast, and find their least and largest size. */
static void find_poor(const struct check *c, size_t first, size_t end,
                      struct chorale_model_variant *v)
{
    for (size_t i = first; i < end; i++) {
        size_t size = c->cell[i]->pt.msg_size;

        if (!(c->error[i] > CHORALE_MODEL_TRUST_TAIL))
            continue;
        if (v->npoor == 0 || size < v->poor_lo)
            v->poor_lo = size;
        if (v->npoor == 0 || size > v->poor_hi)
            v->poor_hi = size;
        v->npoor++;
        v->nfast += c->cell[i]->played < c->cell[i]->seconds;
    }
}

static enum chorale_err fill_variants(struct check *c,
                                      struct chorale_errmsg *msg)
{
    struct chorale_model *model = c->job->model;
    size_t i = 0, end;

    for (size_t k = 0; k < model->nvariant; k++, i = end) {
        struct chorale_model_variant *v = &model->variant[k];

        end = i + v->npoints;
        v->median_error = quantile(c, c->error, i, end, 0.5);
        v->worst_error = worst(c->error, i, end);
        v->loo_error = quantile(c, c->loo, i, end, 0.9);
        v->lack = lack(c, i, end);
        v->lacks = v->lack < CHORALE_MODEL_LACK &&
                   v->worst_error > MODEL_BOUND;
        v->trusted = v->loo_error <= MODEL_BOUND && !v->lacks;
        find_poor(c, i, end, v);
        if (fill_ranks(c, i, end, v) != 0)
            return chorale_fail_memory(msg, "fit");
    }
    return CHORALE_OK;
}

static void check_release(struct check *c)
{
    free(c->cell);
    free(c->index);
    free(c->error);
    free(c->loo);
    free(c->ahead);
    free(c->now);
    free(c->sorted);
    free(c->seconds);
    free(c->log_of);
    free(c->apart);
    free(c->use);
}

static int check_init(struct check *c, struct model_job *job)
{
    size_t n = job->ncell + 1;

    memset(c, 0, sizeof(*c));
    c->job = job;
    c->cell = malloc(n * sizeof(*c->cell));
    c->index = malloc(n * sizeof(*c->index));
    c->error = malloc(n * sizeof(double));
    c->loo = malloc(n * sizeof(double));
    c->ahead = malloc(n * sizeof(double));
    c->now = malloc(n * sizeof(double));
    c->sorted = malloc(n * sizeof(double));
    c->use = calloc(n, 1);
    c->seconds = malloc(n * sizeof(double));
    c->log_of = malloc((job->points->count + 1) * sizeof(double));
    c->apart = malloc((job->points->count + 1) * sizeof(double));
    job->model->variant = calloc(n, sizeof(*job->model->variant));
    if (!c->cell || !c->index || !c->error || !c->loo || !c->ahead ||
        !c->now || !c->sorted || !c->use || !c->log_of || !c->apart ||
        !c->seconds || !job->model->variant)
        return -1;
    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].use)
            c->cell[c->n++] = &job->cell[i];
    qsort(c->cell, c->n, sizeof(*c->cell), by_variant);
    for (size_t i = 0; i < c->n; i++) {
        c->index[i] = (size_t)(c->cell[i] - job->cell);
        c->error[i] = fabs(c->cell[i]->played / c->cell[i]->seconds - 1);
        c->loo[i] = c->ahead[i] = NAN;
    }
    return 0;
}

enum chorale_err chorale_model_crossval(struct model_job *job,
                                        struct chorale_errmsg *msg)
{
    struct check c;
    enum chorale_err err = CHORALE_OK;

    if (check_init(&c, job) != 0)
        err = chorale_fail_memory(msg, "fit");
    if (err == CHORALE_OK) {
        name_variants(&c);
        if (!job->opts.no_check) {
            err = leave_out(&c, msg);
            if (err == CHORALE_OK)
                err = look_ahead(&c, ranks_of, 1, msg);
            if (err == CHORALE_OK)
                err = look_ahead(&c, size_of, 0, msg);
            if (err == CHORALE_OK && !job->opts.exact)
                err = leave_sizes_out(&c, msg);
        }
    }
    if (err == CHORALE_OK)
        err = fill_variants(&c, msg);
    check_release(&c);
    return err;
}
