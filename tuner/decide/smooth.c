/* SPDX-License-Identifier: BSD-3-Clause */
/* smooth.c - Gaussian processes of the log times of algorithms: one that all
 * share, and one of each. */
#include "tuner/decide/smooth.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/kriging.h"
#include "tuner/decide/smooth_common.h"

#define USUAL 1.0 /* prior standard deviation of log times around the trend */
#define WEIGHT 10 /* degrees of freedom of the pooled variance */
#define MANY 20   /* cells, to leave out the noisiest */
#define ONE_SD 0.68 /* share of errors within a standard deviation */
#define RIDGE 1e-9 /* keeps the normal equations regular */

/* The runs of one algorithm at one point. */
struct cell {
    const struct chorale_run_point *run; /* the first of them */
    struct chorale_krige_at at;
    double mean, variance, n; /* of log seconds over launches */
    size_t curve;
};

/* One algorithm. */
struct curve {
    const struct chorale_run_point *run;
    struct chorale_krige krige;
    double centre[3];        /* means of log m, log P, log seconds */
    double trend[3];         /* constant, per log m, per log P */
    double x_lo, x_hi, y_lo, y_hi; /* measured range */
    size_t ncell;
    double error;            /* as of chorale_smooth_error() */
};

struct chorale_smooth {
    struct chorale_krige common; /* what all curves share */
    struct cell *cell;       /* released when fitted */
    struct curve *curve;
    size_t ncell, ncurve;
};

static struct chorale_krige_at place(const struct chorale_run_point *at,
                                     size_t msg_size, int comm_size)
{
    const int one_node = strcmp(at->shape, "single-node") == 0;

    return (struct chorale_krige_at){
        .x = log(fmax((double)msg_size, 1)), .y = log((double)comm_size),
        .kin = { at->shape[0], one_node ? 0 : at->ppn,
                 (comm_size & (comm_size - 1)) == 0 },
    };
}

/* 1 if both are of one algorithm; chorale_library_run stands for runs of the
 * library. */
static int same_algorithm(const struct chorale_run_point *a,
                          const struct chorale_run_point *b)
{
    return chorale_run_same_candidate(a, b) ||
           (strcmp(a->provider, "library") == 0 &&
            strcmp(b->provider, "library") == 0);
}

static int same_cell(const struct chorale_run_point *a,
                     const struct chorale_run_point *b)
{
    return chorale_run_same_candidate(a, b) && a->coll == b->coll &&
           a->comm_size == b->comm_size && a->ppn == b->ppn &&
           a->shape == b->shape && a->dtype == b->dtype && a->op == b->op &&
           a->msg_size == b->msg_size;
}

/* Summarise the runs row[0, n) of a cell; n is 0 in the result if one of them
 * is not usable. */
static struct cell summarise(const struct chorale_run_point *row, size_t n)
{
    struct cell cell = { .run = row,
                         .at = place(row, row->msg_size, row->comm_size) };
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        double d = log(row[i].seconds) - cell.mean;

        if (!row[i].ok)
            return (struct cell){ .run = row };
        cell.n++;
        cell.mean += d / cell.n;
        squares += d * (log(row[i].seconds) - cell.mean);
    }
    cell.variance = cell.n > 1 ? squares / (cell.n - 1) : 0;
    return cell;
}

/* Collect the usable cells among row[0, n), of like's kind unless it is NULL.
 * Returns their number; *cell_p is NULL if out of memory. */
static size_t collect(const struct chorale_run_point *row, size_t n,
                      const struct chorale_run_point *like,
                      struct cell **cell_p)
{
    struct cell *cell = malloc((n + 1) * sizeof(*cell));
    size_t count = 0;

    for (size_t i = 0, end; cell != NULL && i < n; i = end) {
        for (end = i + 1; end < n && same_cell(&row[i], &row[end]); end++)
            continue;
        if (like != NULL && (row[i].coll != like->coll ||
                             row[i].dtype != like->dtype ||
                             row[i].op != like->op))
            continue;
        cell[count] = summarise(&row[i], end - i);
        count += cell[count].n > 0;
    }
    *cell_p = cell;
    return count;
}

/* The variance of one launch: the mean over the cells with two or more,
 * weighted by degrees of freedom, without the largest hundredth of the
 * variances if there are MANY. 0: unknown. */
static double pool(const struct cell *cell, size_t n)
{
    double *variance = malloc((n + 1) * sizeof(*variance));
    double sum = 0, dof = 0, most = INFINITY;
    size_t count = 0;

    for (size_t i = 0; variance != NULL && i < n; i++)
        if (cell[i].n > 1)
            variance[count++] = cell[i].variance;
    if (count >= MANY) {
        gsl_sort(variance, 1, count);
        most = variance[count - 1 - (count + 99) / 100];
    }
    free(variance);
    for (size_t i = 0; i < n; i++)
        if (cell[i].n > 1 && cell[i].variance <= most) {
            sum += (cell[i].n - 1) * cell[i].variance;
            dof += cell[i].n - 1;
        }
    return dof > 0 ? sum / dof : 0;
}

double chorale_smooth_noise(const struct chorale_run_point *row, size_t n,
                            double noise, int *learnt_p)
{
    struct cell *cell;
    size_t count = collect(row, n, NULL, &cell);
    double variance = cell != NULL ? pool(cell, count) : 0;

    free(cell);
    *learnt_p = variance > 0;
    return *learnt_p ? sqrt(variance) : noise;
}

/* Set the noise of each cell's mean: the pooled one, or if its own launches
 * differ more, their variance moderated by the pooled one. */
static void set_noise(struct chorale_smooth *s, double noise)
{
    double common = pool(s->cell, s->ncell);

    if (!(common > 0))
        common = noise * noise;
    for (size_t i = 0; i < s->ncell; i++) {
        struct cell *cell = &s->cell[i];
        double dof = cell->n - 1;
        double own = (WEIGHT * common + dof * cell->variance) / (WEIGHT + dof);

        cell->at.noise = sqrt(fmax(common, own) / cell->n);
    }
}

/* Assign the cells to curves. -1: out of memory. */
static int find_curves(struct chorale_smooth *s)
{
    s->curve = calloc(s->ncell + 1, sizeof(*s->curve));
    for (size_t i = 0; s->curve != NULL && i < s->ncell; i++) {
        struct cell *cell = &s->cell[i];
        struct curve *c = s->curve;

        while (c < s->curve + s->ncurve &&
               !chorale_run_same_candidate(c->run, cell->run))
            c++;
        cell->curve = (size_t)(c - s->curve);
        if (cell->curve == s->ncurve) {
            s->ncurve++;
            *c = (struct curve){ .run = cell->run, .error = NAN,
                                 .x_lo = cell->at.x, .x_hi = cell->at.x,
                                 .y_lo = cell->at.y, .y_hi = cell->at.y };
        }
        c->x_lo = fmin(c->x_lo, cell->at.x);
        c->x_hi = fmax(c->x_hi, cell->at.x);
        c->y_lo = fmin(c->y_lo, cell->at.y);
        c->y_hi = fmax(c->y_hi, cell->at.y);
        c->ncell++;
    }
    return s->curve != NULL ? 0 : -1;
}

static double trend_at(const double trend[3],
                       const struct chorale_krige_at *at)
{
    return trend[0] + trend[1] * at->x + trend[2] * at->y;
}

/* Draw the constants of the curves to their mean by the share of their variance
 * that is noise, so that equal algorithms have equal constants. */
static void shrink_constants(struct chorale_smooth *s)
{
    double mean = 0, squares = 0, noise = 0, k = 0, part;

    for (size_t c = 0; c < s->ncurve; c++) {
        const double d = s->curve[c].trend[0] - mean;

        mean += d / ++k;
        squares += d * (s->curve[c].trend[0] - mean);
    }
    for (size_t i = 0; i < s->ncell; i++) {
        const double n = (double)s->curve[s->cell[i].curve].ncell;

        noise += pow(s->cell[i].at.noise / n, 2) / k;
    }
    part = k > 1 && squares > 0 ? fmax(0, 1 - noise * (k - 1) / squares) : 1;
    for (size_t c = 0; c < s->ncurve; c++)
        s->curve[c].trend[0] = mean + part * (s->curve[c].trend[0] - mean);
}

/* Set the trends: slopes that all curves share, by least squares, so that
 * curves with few measurements compare with others, and a constant for each.
 * The slopes stay 0 if the measurements do not determine them. */
static void fit_trends(struct chorale_smooth *s)
{
    double a[4] = { 0 }, b[2] = { 0 }, slope[2] = { 0 };
    gsl_matrix_view m = gsl_matrix_view_array(a, 2, 2);
    gsl_vector_view v = gsl_vector_view_array(b, 2);
    gsl_vector_view w = gsl_vector_view_array(slope, 2);
    gsl_error_handler_t *handler = gsl_set_error_handler_off();

    for (size_t i = 0; i < s->ncell; i++) {
        const struct cell *cell = &s->cell[i];
        struct curve *c = &s->curve[cell->curve];

        c->centre[0] += cell->at.x / (double)c->ncell;
        c->centre[1] += cell->at.y / (double)c->ncell;
        c->centre[2] += cell->mean / (double)c->ncell;
    }
    for (size_t i = 0; i < s->ncell; i++) {
        const struct cell *cell = &s->cell[i];
        const double *centre = s->curve[cell->curve].centre;
        const double f[2] = { cell->at.x - centre[0],
                              cell->at.y - centre[1] };

        for (int j = 0; j < 2; j++) {
            b[j] += f[j] * (cell->mean - centre[2]);
            for (int k = 0; k < 2; k++)
                a[2 * j + k] += f[j] * f[k] + (j == k ? RIDGE : 0);
        }
    }
    if (gsl_linalg_cholesky_decomp1(&m.matrix) != GSL_SUCCESS ||
        gsl_linalg_cholesky_solve(&m.matrix, &v.vector, &w.vector) !=
            GSL_SUCCESS)
        slope[0] = slope[1] = 0;
    for (size_t c = 0; c < s->ncurve; c++) {
        double *trend = s->curve[c].trend;
        const double *centre = s->curve[c].centre;

        trend[1] = slope[0];
        trend[2] = slope[1];
        trend[0] = centre[2] - slope[0] * centre[0] - slope[1] * centre[1];
    }
    shrink_constants(s);
    gsl_set_error_handler(handler);
}

/* The cells that are used, by curve, at their distinct places. */
struct layout {
    struct chorale_krige_at *site, *at; /* [nsite], [n] */
    size_t nsite;
    size_t *of;              /* [n] index of a cell's site */
    double *z, *common;      /* [n], [nsite]: without the trend */
    struct chorale_common_curve *curve; /* [ncurve] */
};

static int same_site(const struct chorale_krige_at *a,
                     const struct chorale_krige_at *b)
{
    return a->x == b->x && a->y == b->y &&
           memcmp(a->kin, b->kin, sizeof(a->kin)) == 0;
}

/* Find the sites; at most CHORALE_SMOOTH_MOST of them are kept, spread evenly
 * over their order. of: out, [ncell] their index, SIZE_MAX: not kept. */
static void find_sites(const struct chorale_smooth *s, struct layout *lay,
                       size_t *of)
{
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < s->ncell; i++) {
        size_t k = 0;

        while (k < count && !same_site(&lay->site[k], &s->cell[i].at))
            k++;
        if (k == count)
            lay->site[count++] = s->cell[i].at;
        of[i] = k;
    }
    lay->nsite = count < CHORALE_SMOOTH_MOST ? count : CHORALE_SMOOTH_MOST;
    for (size_t i = 0; i < s->ncell; i++) {
        const size_t k = of[i] * lay->nsite / count;

        of[i] = (k * count + lay->nsite - 1) / lay->nsite == of[i] ? k
                                                                   : SIZE_MAX;
    }
    for (size_t k = 0; k < count; k++) {
        lay->site[kept] = lay->site[k];
        lay->site[kept].noise = 0;
        kept += (k * lay->nsite / count * count + lay->nsite - 1) /
                    lay->nsite == k;
    }
}

static void release_layout(struct layout *lay)
{
    free(lay->site);
    free(lay->at);
    free(lay->of);
    free(lay->z);
    free(lay->common);
    free(lay->curve);
}

/* -1: out of memory. */
static int lay_out(const struct chorale_smooth *s, struct layout *lay)
{
    const size_t n = s->ncell + 1;
    size_t *of = malloc(n * sizeof(*of)), next = 0;

    *lay = (struct layout){
        .site = malloc(n * sizeof(*lay->site)),
        .at = malloc(n * sizeof(*lay->at)),
        .of = malloc(n * sizeof(*lay->of)), .z = malloc(n * sizeof(*lay->z)),
        .common = malloc(n * sizeof(*lay->common)),
        .curve = calloc(s->ncurve + 1, sizeof(*lay->curve)),
    };
    if (of == NULL || lay->site == NULL || lay->at == NULL || lay->of == NULL ||
        lay->z == NULL || lay->common == NULL || lay->curve == NULL) {
        free(of);
        return -1;
    }
    if (s->ncell > 0)
        find_sites(s, lay, of);
    for (size_t c = 0; c < s->ncurve; c++) {
        struct chorale_common_curve *curve = &lay->curve[c];

        *curve = (struct chorale_common_curve){
            .at = lay->at + next, .z = lay->z + next, .site = lay->of + next };
        for (size_t i = 0; i < s->ncell; i++) {
            if (s->cell[i].curve != c || of[i] == SIZE_MAX)
                continue;
            lay->at[next] = s->cell[i].at;
            lay->z[next] = s->cell[i].mean - trend_at(s->curve[c].trend,
                                                      &s->cell[i].at);
            lay->of[next++] = of[i];
            curve->n++;
        }
    }
    free(of);
    return 0;
}

/* Fit the processes. -1: out of memory. */
static int fit(struct chorale_smooth *s)
{
    static const double length[] = { 8, 4 }, none = 0;
    struct layout lay;
    double own = USUAL;
    int rc = lay_out(s, &lay);

    if (rc == 0 && lay.nsite > 0)
        rc = chorale_common_fit(lay.curve, s->ncurve, lay.site, lay.nsite,
                                USUAL, length, lay.common, &own);
    if (rc == 0)
        rc = chorale_krige_fit(&s->common, lay.site, lay.common, lay.nsite, 0,
                               USUAL, length, &none);
    for (size_t c = 0, next = 0; c < s->ncurve && rc == 0; c++) {
        const size_t n = lay.curve[c].n;

        for (size_t i = next; i < next + n; i++)
            lay.z[i] -= lay.common[lay.of[i]];
        rc = chorale_krige_fit(&s->curve[c].krige, lay.at + next, lay.z + next,
                               n, 0, own, length, &none);
        next += n;
    }
    release_layout(&lay);
    return rc;
}

struct chorale_smooth *chorale_smooth_new(const struct chorale_run_point *row,
                                          size_t n,
                                          const struct chorale_run_point *like,
                                          double noise)
{
    struct chorale_smooth *s = calloc(1, sizeof(*s));
    int rc = -1;

    if (s == NULL)
        return NULL;
    s->ncell = collect(row, n, like, &s->cell);
    if (s->cell != NULL) {
        set_noise(s, noise);
        rc = find_curves(s);
        if (rc == 0)
            fit_trends(s);
        if (rc == 0)
            rc = fit(s);
    }
    free(s->cell);
    s->cell = NULL;
    if (rc == 0)
        return s;
    chorale_smooth_free(s);
    return NULL;
}

void chorale_smooth_free(struct chorale_smooth *s)
{
    for (size_t c = 0; s != NULL && s->curve != NULL && c < s->ncurve; c++)
        chorale_krige_release(&s->curve[c].krige);
    if (s != NULL) {
        chorale_krige_release(&s->common);
        free(s->curve);
        free(s->cell);
    }
    free(s);
}

double chorale_smooth_at(const struct chorale_smooth *s,
                         const struct chorale_run_point *run,
                         const struct chorale_run_point *at, size_t msg_size,
                         int comm_size)
{
    const struct chorale_krige_at to = place(at, msg_size, comm_size);
    const double slack = 1e-9, beyond = log(CHORALE_SMOOTH_BEYOND) + slack;

    for (size_t i = 0; i < s->ncurve; i++) {
        const struct curve *c = &s->curve[i];

        if (!same_algorithm(c->run, run))
            continue;
        if (to.x < c->x_lo - slack || to.x > c->x_hi + slack ||
            to.y < c->y_lo - beyond || to.y > c->y_hi + beyond)
            return NAN;
        return trend_at(c->trend, &to) +
               chorale_krige_expect(&s->common, &to, NULL) +
               chorale_krige_expect(&c->krige, &to, NULL);
    }
    return NAN;
}

/* Set the errors of the curves from those of all cells that were left out. */
static void set_errors(struct chorale_smooth *s, const struct cell *cell,
                       size_t ncell, const double *error, double *sorted)
{
    for (size_t c = 0; c < s->ncurve; c++) {
        size_t n = 0;

        for (size_t i = 0; i < ncell; i++)
            if (isfinite(error[i]) && chorale_run_same_candidate(
                                          cell[i].run, s->curve[c].run))
                sorted[n++] = error[i];
        gsl_sort(sorted, 1, n);
        if (n > 0)
            s->curve[c].error = sorted[(size_t)(ONE_SD * (double)(n - 1))];
    }
}

int chorale_smooth_learn_errors(struct chorale_smooth *s,
                                const struct chorale_run_point *row, size_t n,
                                const struct chorale_run_point *like,
                                double noise)
{
    struct chorale_run_point *kept = malloc((n + 1) * sizeof(*kept));
    struct cell *cell = NULL;
    size_t ncell = collect(row, n, like, &cell);
    double *error = malloc((2 * ncell + 1) * sizeof(*error));
    int rc = kept != NULL && cell != NULL && error != NULL ? 0 : -1;
    int least = INT_MAX, most = 0;

    for (size_t i = 0; rc == 0 && i < ncell; i++) {
        error[i] = NAN;
        least = cell[i].run->comm_size < least ? cell[i].run->comm_size : least;
        most = cell[i].run->comm_size > most ? cell[i].run->comm_size : most;
    }
    for (size_t i = 0; rc == 0 && i < ncell; i++) {
        const int left = cell[i].run->comm_size;
        struct chorale_smooth *without;
        size_t nkept = 0;

        if (left == least || left == most || !isnan(error[i]))
            continue;
        for (size_t k = 0; k < n; k++)
            if (row[k].comm_size != left)
                kept[nkept++] = row[k];
        without = chorale_smooth_new(kept, nkept, like, noise);
        rc = without != NULL ? 0 : -1;
        for (size_t k = i; rc == 0 && k < ncell; k++) {
            const struct chorale_run_point *run = cell[k].run;

            if (run->comm_size != left)
                continue;
            error[k] = fabs(expm1(chorale_smooth_at(without, run, run,
                                                    run->msg_size, left) -
                                  cell[k].mean));
            if (isnan(error[k]))
                error[k] = INFINITY; /* outside; not again */
        }
        chorale_smooth_free(without);
    }
    if (rc == 0)
        set_errors(s, cell, ncell, error, error + ncell);
    free(kept);
    free(cell);
    free(error);
    return rc;
}

double chorale_smooth_error(const struct chorale_smooth *s,
                            const struct chorale_run_point *run)
{
    for (size_t i = 0; i < s->ncurve; i++)
        if (same_algorithm(s->curve[i].run, run))
            return s->curve[i].error;
    return NAN;
}

int chorale_smooth_serves_all(double mean, double least, double threshold)
{
    return mean > threshold && least >= -log1p(CHORALE_SMOOTH_LOSS);
}
