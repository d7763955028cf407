/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule_fit.c - fit a model to imported times of known schedules. */
#include "tuner/fit/schedule_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/quantiles.h"
#include "tuner/base/kriging.h"

#define LEAST_POINTS 10
#define LEAST_USES 20    /* of messages of a regime, that determine it */
#define FIRST_SIZE 256.0 /* bytes, at which regimes may change; */
#define SIZES 8          /* how many such sizes, each four times the last */
#define GAIN 0.99        /* of the error, by which a further regime is kept */
#define MOST_KRIGED 600  /* points of one process; of more, a part is used */

struct job {
    struct chorale_schedule_fit fit;
    struct chorale_schedule_cell *cell;
    size_t ncell;
    double *x, *seconds;     /* [ncell * ncol], [ncell] */
    unsigned char *use;      /* [ncell] */
    double noise;
    int regime[CHORALE_LEVELS][CHORALE_SCHEDULE_BREAKS + 1]; /* that serves: one
                              * with few cells is joined to that below */
};

/* --- the model --------------------------------------------------------- */

enum { ALPHA, BETA, PARTS }; /* columns of a level and regime */
enum { CONSTANT, GAP_NODE, GAP_NET, PORT_MESSAGES, PORT_BYTES, MEMORY, REDUCE,
       COPY, FIXED };              /* columns before those */

static size_t column(int nbreak, int level, int regime)
{
    return (size_t)(FIXED + PARTS * (level * (nbreak + 1) + regime));
}

static int regime_of(const struct chorale_schedule_fit *fit, double bytes)
{
    int k = 0;

    while (k < fit->nbreak && bytes > fit->upto[k])
        k++;
    return k;
}

static void fill_row(const struct job *job, const struct chorale_features *f,
                     double *x)
{
    const struct chorale_schedule_fit *fit = &job->fit;
    double most[CHORALE_LEVELS] = { 0 };
    int late[CHORALE_LEVELS] = { 0 };

    memset(x, 0, fit->ncol * sizeof(*x));
    x[CONSTANT] = 1;
    for (int i = 0; i < f->nsize; i++) {
        const int level = f->size[i].level;
        const double bytes = f->size[i].bytes, count = f->size[i].count;
        const int regime = job->regime[level][regime_of(fit, bytes)];
        double *at = x + column(fit->nbreak, level, regime);

        at[BETA] += bytes * count;
        if (!f->overlaps) {
            at[ALPHA] += count;
            continue;
        }
        /* Latencies overlap: only one counts, that of the largest message. */
        x[GAP_NODE + level] += count;
        if (bytes >= most[level]) {
            most[level] = bytes;
            late[level] = (int)(at - x) + 1;
        }
    }
    for (int l = 0; l < CHORALE_LEVELS; l++)
        if (late[l] > 0)
            x[late[l] - 1 + ALPHA] += 1;
    x[PORT_MESSAGES] = f->port_messages;
    x[PORT_BYTES] = f->port_bytes;
    x[MEMORY] = f->inner_bytes;
    x[REDUCE] = f->reduced;
    x[COPY] = f->copied;
}

/* Join regimes of a level that few cells, or cells of about one size, use to
 * the one below. */
static void join_regimes(struct job *job)
{
    struct {
        size_t n;
        double lo, hi;
    } used[CHORALE_LEVELS][CHORALE_SCHEDULE_BREAKS + 1] = { { { 0, 0, 0 } } };

    for (size_t i = 0; i < job->ncell; i++)
        for (int k = 0; k < job->cell[i].f.nsize; k++) {
            const double bytes = job->cell[i].f.size[k].bytes;
            const int level = job->cell[i].f.size[k].level;
            const int regime = regime_of(&job->fit, bytes);

            if (used[level][regime].n++ == 0)
                used[level][regime].lo = used[level][regime].hi = bytes;
            used[level][regime].lo = fmin(used[level][regime].lo, bytes);
            used[level][regime].hi = fmax(used[level][regime].hi, bytes);
        }
    for (int l = 0; l < CHORALE_LEVELS; l++)
        for (int k = 0, last = 0; k <= job->fit.nbreak; k++) {
            if (used[l][k].n >= LEAST_USES &&
                used[l][k].hi >= 2 * used[l][k].lo)
                last = k;
            job->regime[l][k] = last;
        }
}

static void fill(struct job *job)
{
    join_regimes(job);
    job->fit.ncol = column(job->fit.nbreak, CHORALE_LEVELS, 0);
    for (size_t i = 0; i < job->ncell; i++) {
        job->seconds[i] = exp(job->cell[i].log_seconds);
        fill_row(job, &job->cell[i].f, job->x + i * job->fit.ncol);
    }
}

/* Fit the values to the rows in use. *score_p: mean of the absolute log errors,
 * each at most 1. */
static enum chorale_err solve(struct job *job, double *score_p,
                              struct chorale_errmsg *msg)
{
    struct chorale_schedule_fit *fit = &job->fit;
    const size_t k = fit->ncol;
    unsigned char drop[CHORALE_FIT_MAX] = { 0 };
    double *x = malloc((job->ncell * k + 1) * sizeof(*x));
    double *seconds = malloc((job->ncell + 1) * sizeof(*seconds));
    struct chorale_fit_data data = { .x = x, .seconds = seconds };
    struct chorale_fit_result got;
    enum chorale_err err;
    double sum = 0;

    if (x == NULL || seconds == NULL) {
        free(x);
        free(seconds);
        return chorale_fail_memory(msg, "fit");
    }
    for (size_t i = 0; i < job->ncell; i++)
        if (job->use[i]) {
            memcpy(x + data.nrow * k, job->x + i * k, k * sizeof(*x));
            seconds[data.nrow++] = job->seconds[i];
        }
    data.ncol = k;
    err = chorale_fit_separate(&data, drop, msg);
    /* Close the gaps of dropped columns. */
    for (size_t j = 0; j < k; j++)
        data.ncol -= drop[j];
    for (size_t i = 0, to = 0; i < data.nrow; i++)
        for (size_t j = 0; j < k; j++)
            if (!drop[j])
                x[to++] = x[i * k + j];
    if (err == CHORALE_OK)
        err = chorale_least_squares_fit(&data, &got, msg);
    if (err == CHORALE_OK) {
        for (size_t j = 0, from = 0; j < k; j++)
            fit->value[j] = drop[j] ? 0 : got.value[from++];
        for (size_t i = 0; i < job->ncell; i++) {
            double t = 0;

            for (size_t j = 0; j < k; j++)
                t += job->x[i * k + j] * fit->value[j];
            job->cell[i].log_model = log(fmax(t, 1e-12));
            if (job->use[i])
                sum += fmin(1, fabs(job->cell[i].log_model -
                                    job->cell[i].log_seconds));
        }
        *score_p = sum / (double)data.nrow;
    }
    free(x);
    free(seconds);
    return err;
}

/* Choose none, one or two sizes at which regimes change, among powers of four:
 * each must reduce the error by the factor GAIN. */
static enum chorale_err search(struct job *job, struct chorale_errmsg *msg)
{
    struct chorale_schedule_fit *fit = &job->fit, best = *fit;
    double score, least = HUGE_VAL;

    for (int i = -1; i < SIZES; i++)
        for (int j = i < 0 ? -1 : i + 1; j < SIZES; j++) {
            fit->nbreak = (i >= 0) + (j >= 0);
            fit->upto[0] = ldexp(FIRST_SIZE, 2 * (i >= 0 ? i : j));
            fit->upto[1] = ldexp(FIRST_SIZE, 2 * j);
            fill(job);
            if (solve(job, &score, NULL) != CHORALE_OK)
                continue;
            score *= pow(1 / GAIN, fit->nbreak);
            if (score < least) {
                least = score;
                best = *fit;
            }
        }
    *fit = best;
    fill(job);
    return solve(job, &score, msg);
}

/* --- what implementations take in addition ----------------------------- */

static struct chorale_krige_at place(const struct chorale_schedule_cell *cell)
{
    const struct chorale_run_point *run = cell->run;

    return (struct chorale_krige_at){
        .x = log(fmax((double)run->msg_size, 1)),
        .y = log((double)run->comm_size),
        .kin = { strcmp(run->shape, "single-node") == 0 ? 0 : run->ppn,
                 (int)cell->row,
                 (run->comm_size & (run->comm_size - 1)) == 0 },
    };
}

/* Predict the cells of one schedule and collective that are wanted, from the
 * ones in use. */
static int correct(struct job *job, size_t first, int out,
                   const unsigned char *want)
{
    static const double length[] = { 8, 12 };
    const struct chorale_schedule_cell *like = &job->cell[first];
    struct chorale_krige_at *at = malloc((job->ncell + 1) * sizeof(*at));
    double *z = malloc((job->ncell + 1) * sizeof(*z)), squares = 0;
    struct chorale_krige krige = { .at = NULL };
    size_t n = 0, all = 0, k = 0;
    int rc = at == NULL || z == NULL ? -1 : 0;

    for (size_t i = first; rc == 0 && i < job->ncell; i++)
        all += job->use[i] && job->cell[i].alg == like->alg &&
               job->cell[i].run->coll == like->run->coll;
    for (size_t i = first; rc == 0 && i < job->ncell; i++) {
        const struct chorale_schedule_cell *c = &job->cell[i];

        if (!job->use[i] || c->alg != like->alg ||
            c->run->coll != like->run->coll)
            continue;
        at[n] = place(c);
        at[n].noise = job->noise / sqrt(c->nlaunch);
        z[n] = c->log_seconds - c->log_model;
        squares += z[n] * z[n];
        n += all <= MOST_KRIGED ||
             k * MOST_KRIGED / all != (k + 1) * MOST_KRIGED / all;
        k++;
    }
    if (rc == 0)
        rc = chorale_krige_fit(&krige, at, z, n, 0,
                               fmax(0.1, sqrt(squares / (double)(k + 1))),
                               length, NULL);
    for (size_t i = first; rc == 0 && i < job->ncell; i++) {
        struct chorale_schedule_cell *c = &job->cell[i];
        struct chorale_krige_at to;
        double model, more;

        if (!want[i] || c->alg != like->alg || c->run->coll != like->run->coll)
            continue;
        to = place(c);
        model = c->log_model - c->log_seconds;
        more = n > 0 ? chorale_krige_expect(&krige, &to, NULL) : 0;
        c->error[out][0] = fabs(expm1(model));
        c->error[out][1] = fabs(expm1(model + more));
    }
    chorale_krige_release(&krige);
    free(at);
    free(z);
    return rc;
}

/* The same for all schedules; each is handled at its first cell. */
static enum chorale_err correct_all(struct job *job, int out,
                                    const unsigned char *want,
                                    struct chorale_errmsg *msg)
{
    for (size_t i = 0; i < job->ncell; i++) {
        size_t k = 0;

        while (job->cell[k].alg != job->cell[i].alg ||
               job->cell[k].run->coll != job->cell[i].run->coll)
            k++;
        if (k == i && correct(job, i, out, want) != 0)
            return chorale_fail_memory(msg, "fit");
    }
    return CHORALE_OK;
}

/* Leave out each process count in turn. */
static enum chorale_err leave_out(struct job *job, int (*asked)(void),
                                  struct chorale_errmsg *msg)
{
    unsigned char *want = calloc(job->ncell + 1, 1);
    enum chorale_err err = want != NULL ? CHORALE_OK
                                        : chorale_fail_memory(msg, "fit");
    int last = 0;

    while (err == CHORALE_OK) {
        int next = 0;
        double score;

        for (size_t i = 0; i < job->ncell; i++) {
            const int p = job->cell[i].run->comm_size;

            if (p > last && (next == 0 || p < next))
                next = p;
        }
        if (next == 0)
            break;
        if (asked != NULL && asked()) {
            err = chorale_fail(msg, CHORALE_STOPPED, "fit: stopped; repeat it");
            break;
        }
        for (size_t i = 0; i < job->ncell; i++) {
            want[i] = job->cell[i].run->comm_size == next;
            job->use[i] = !want[i];
        }
        last = next;
        if (solve(job, &score, NULL) == CHORALE_OK)
            err = correct_all(job, 1, want, msg);
        else
            for (size_t i = 0; i < job->ncell; i++)
                if (want[i])
                    job->cell[i].error[1][0] = job->cell[i].error[1][1] = NAN;
    }
    free(want);
    return err;
}

/* --- summary ----------------------------------------------------------- */

/* Which sample a cell that was left out belongs to. */
static enum chorale_schedule_sample
sample_of(const struct job *job, const struct chorale_schedule_cell *cell)
{
    int less = 0, more = 0;

    for (size_t i = 0; i < job->ncell && !(less && more); i++)
        if (job->cell[i].row == cell->row) {
            less |= job->cell[i].run->comm_size < cell->run->comm_size;
            more |= job->cell[i].run->comm_size > cell->run->comm_size;
        }
    return less && more ? CHORALE_SAMPLE_OUT : CHORALE_SAMPLE_END;
}

/* Errors of an algorithm's cells in a sample; scratch: [ncell]. */
static struct chorale_schedule_error
errors_of(const struct job *job, size_t row, enum chorale_schedule_sample which,
          int corrected, double *scratch)
{
    struct chorale_schedule_error e = { 0, NAN, NAN };
    const int out = which != CHORALE_SAMPLE_IN;

    for (size_t i = 0; i < job->ncell; i++) {
        const struct chorale_schedule_cell *c = &job->cell[i];

        if (c->row == row && (!out || sample_of(job, c) == which) &&
            !isnan(c->error[out][corrected]))
            scratch[e.npoints++] = c->error[out][corrected];
    }
    if (e.npoints > 0) {
        chorale_sort(scratch, e.npoints);
        e.median = chorale_quantile(scratch, e.npoints, 0.5);
        e.tail = chorale_quantile(scratch, e.npoints, 0.9);
    }
    return e;
}

static void summarise(struct job *job)
{
    for (size_t r = 0; r < job->fit.nrow; r++)
        for (int s = 0; s < CHORALE_SAMPLES; s++) {
            struct chorale_schedule_row *row = &job->fit.row[r];

            row->model[s] = errors_of(job, r, s, 0, job->seconds);
            row->corrected[s] = errors_of(job, r, s, 1, job->seconds);
        }
}

/* Name the columns. */
static void name_columns(struct chorale_schedule_fit *fit)
{
    static const char *const fixed[] = { "call", "gap node", "gap net",
                                         "port message", "port byte",
                                         "node memory", "reduce", "copy" };
    static const char *const level[] = { "node", "net" };

    for (size_t j = 0; j < FIXED; j++) {
        snprintf(fit->name[j], sizeof(fit->name[j]), "%s", fixed[j]);
        fit->unit[j] = j >= PORT_BYTES ? "s/byte" : "s";
    }
    for (int l = 0; l < CHORALE_LEVELS; l++)
        for (int k = 0; k <= fit->nbreak; k++)
            for (int part = 0; part < PARTS; part++) {
                const size_t j = column(fit->nbreak, l, k) + (size_t)part;
                const char *name = part == ALPHA ? "alpha" : "beta";

                if (fit->nbreak == 0)
                    snprintf(fit->name[j], sizeof(fit->name[j]), "%s %s", name,
                             level[l]);
                else
                    snprintf(fit->name[j], sizeof(fit->name[j]),
                             "%s %s %s %.0f", name, level[l],
                             k < fit->nbreak ? "to" : "over",
                             fit->upto[k < fit->nbreak ? k : k - 1]);
                fit->unit[j] = part == ALPHA ? "s" : "s/byte";
            }
}

enum chorale_err chorale_schedule_fit(const struct chorale_points *points,
                                      int (*asked)(void),
                                      struct chorale_schedule_fit *fit,
                                      int *found_p,
                                      struct chorale_errmsg *msg)
{
    struct chorale_schedule_cells cells;
    enum chorale_err err = chorale_schedule_collect(points, &cells, msg);
    const size_t n = cells.count;
    struct job job = {
        .cell = cells.cell, .ncell = n,
        .fit = { .row = cells.row, .nrow = cells.nrow, .nmean = cells.nmean },
    };

    *found_p = 0;
    if (err == CHORALE_OK && n >= LEAST_POINTS) {
        job.x = malloc(n * CHORALE_FIT_MAX * sizeof(*job.x));
        job.seconds = malloc(n * sizeof(*job.seconds));
        job.use = malloc(n);
        if (job.x == NULL || job.seconds == NULL || job.use == NULL)
            err = chorale_fail_memory(msg, "fit");
        if (err == CHORALE_OK) {
            memset(job.use, 1, n);
            job.noise = chorale_schedule_noise(job.cell, n);
            err = search(&job, msg);
        }
        if (err == CHORALE_OK)
            err = correct_all(&job, 0, job.use, msg);
        if (err == CHORALE_OK) {
            struct chorale_schedule_fit all = job.fit;

            err = leave_out(&job, asked, msg);
            memcpy(job.fit.value, all.value, sizeof(all.value));
        }
        if (err == CHORALE_OK) {
            summarise(&job);
            name_columns(&job.fit);
            job.fit.npoints = n;
            *fit = job.fit;
            job.fit.row = NULL;
            *found_p = 1;
        }
    }
    chorale_schedule_fit_release(&job.fit);
    free(job.cell);
    free(job.x);
    free(job.seconds);
    free(job.use);
    return err;
}

void chorale_schedule_fit_release(struct chorale_schedule_fit *fit)
{
    free(fit->row);
    fit->row = NULL;
    fit->nrow = 0;
}
