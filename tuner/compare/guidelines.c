/* SPDX-License-Identifier: BSD-3-Clause */
/* guidelines.c - checks performance guidelines: a collective should not take
 * longer than other collectives that together do its work.
 *
 * n is the bytes of the operation on both sides: bcast of n is compared with
 * scatter and allgather of n in total. If the right side was not measured at
 * that n, its time is interpolated between the adjacent sizes, on logarithmic
 * scales. Each launch that has both sides gives one ratio. "tuned" uses head's
 * decisions at each measured point.
 *
 * Sources: Traeff, Gropp, Thakur, IEEE Trans. Parallel and Distributed Systems
 * 21(5), 2010; Hunold, Carpen-Amarie, HPC Asia 2018. The right sides are the
 * replacements of their PGMPITuneLib, except those that need blocks of unequal
 * size. */
#include "db/byte_buffer.h"
#include "tuner/compare/comparison.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide.h"

#define EXACT 1e-9
#define NONE CHORALE_NCOLL

static const struct rule {
    const char *text;
    enum chorale_coll left, right[2];
} rules[] = {
    { "bcast <= scatter + allgather", CHORALE_BCAST,
      { CHORALE_SCATTER, CHORALE_ALLGATHER } },
    { "gather <= allgather", CHORALE_GATHER, { CHORALE_ALLGATHER, NONE } },
    { "gather <= reduce", CHORALE_GATHER, { CHORALE_REDUCE, NONE } },
    { "gather <= gatherv", CHORALE_GATHER, { CHORALE_GATHERV, NONE } },
    { "scatter <= bcast", CHORALE_SCATTER, { CHORALE_BCAST, NONE } },
    { "scatter <= scatterv", CHORALE_SCATTER, { CHORALE_SCATTERV, NONE } },
    { "allgather <= gather + bcast", CHORALE_ALLGATHER,
      { CHORALE_GATHER, CHORALE_BCAST } },
    { "allgather <= alltoall", CHORALE_ALLGATHER,
      { CHORALE_ALLTOALL, NONE } },
    { "allgather <= allreduce", CHORALE_ALLGATHER,
      { CHORALE_ALLREDUCE, NONE } },
    { "allgather <= allgatherv", CHORALE_ALLGATHER,
      { CHORALE_ALLGATHERV, NONE } },
    { "alltoall <= alltoallv", CHORALE_ALLTOALL,
      { CHORALE_ALLTOALLV, NONE } },
    { "reduce <= allreduce", CHORALE_REDUCE, { CHORALE_ALLREDUCE, NONE } },
    { "reduce <= reduce_scatter_block + gather", CHORALE_REDUCE,
      { CHORALE_REDUCE_SCATTER_BLOCK, CHORALE_GATHER } },
    { "allreduce <= reduce + bcast", CHORALE_ALLREDUCE,
      { CHORALE_REDUCE, CHORALE_BCAST } },
    { "allreduce <= reduce_scatter_block + allgather", CHORALE_ALLREDUCE,
      { CHORALE_REDUCE_SCATTER_BLOCK, CHORALE_ALLGATHER } },
    { "reduce_scatter_block <= reduce + scatter", CHORALE_REDUCE_SCATTER_BLOCK,
      { CHORALE_REDUCE, CHORALE_SCATTER } },
    { "reduce_scatter_block <= allreduce", CHORALE_REDUCE_SCATTER_BLOCK,
      { CHORALE_ALLREDUCE, NONE } },
    { "reduce_scatter_block <= reduce_scatter", CHORALE_REDUCE_SCATTER_BLOCK,
      { CHORALE_REDUCE_SCATTER, NONE } },
};

/* The spots of a side, and which choice at each spot is checked. */
struct job {
    struct chorale_comparison *cmp;
    struct chorale_points points;
    struct chorale_measured *spot;
    size_t nspot;
    int tuned;
    double *log_ratio;       /* [launches] */
};

static int placed_alike(const struct chorale_run_point *a,
                        const struct chorale_run_point *b)
{
    return a->comm_size == b->comm_size && a->ppn == b->ppn &&
           a->shape == b->shape;
}

/* Returns 0 if both reduce, with different types or operations. */
static int kinds_alike(const struct chorale_run_point *a,
                       const struct chorale_run_point *b)
{
    return a->op[0] == '\0' || b->op[0] == '\0' ||
           (a->dtype == b->dtype && a->op == b->op);
}

/* Log seconds of the checked choice at a spot in one launch, or NAN. */
static double time_of(const struct job *job,
                      const struct chorale_measured *spot,
                      const char *launch)
{
    size_t pick = job->tuned && spot->why == CHORALE_WHY_GAIN ? spot->pick : 0;

    for (size_t l = 0; l < spot->nlaunch; l++)
        if (spot->launch[l] == launch)
            return spot->library[l] - spot->cand[pick].ratio[l];
    return NAN;
}

/* Log seconds of a collective at n bytes in one launch, interpolated between
 * adjacent sizes. NAN outside the measured sizes. */
static double at(const struct job *job, const struct chorale_measured *like,
                 enum chorale_coll coll, const char *launch)
{
    const struct chorale_measured *lo = NULL, *hi = NULL;
    size_t n = like->point->n;
    double t, u, share;

    for (size_t i = 0; i < job->nspot; i++) {
        const struct chorale_measured *s = &job->spot[i];

        if (s->point->coll != coll || !placed_alike(s->point, like->point) ||
            !kinds_alike(s->point, like->point))
            continue;
        if (s->point->n <= n && (lo == NULL || s->point->n > lo->point->n))
            lo = s;
        if (s->point->n >= n && (hi == NULL || s->point->n < hi->point->n))
            hi = s;
    }
    if (lo == NULL || hi == NULL)
        return NAN;
    t = time_of(job, lo, launch);
    if (lo->point->n == hi->point->n)
        return t;
    if (lo->point->n == 0)
        return NAN;
    u = time_of(job, hi, launch);
    share = log((double)n / (double)lo->point->n) /
            log((double)hi->point->n / (double)lo->point->n);
    return t + share * (u - t);
}

/* Log seconds of the right side of a rule. */
static double bound(const struct job *job, const struct chorale_measured *spot,
                    const struct rule *rule, const char *launch)
{
    double sum = 0;

    for (int i = 0; i < 2 && rule->right[i] != NONE; i++)
        sum += exp(at(job, spot, rule->right[i], launch));
    return log(sum);
}

/* The next larger size of the same line: the right side of monotony. */
static const struct chorale_measured *larger(const struct job *job, size_t i)
{
    const struct chorale_run_point *a = job->spot[i].point, *b;

    if (i + 1 == job->nspot)
        return NULL;
    b = job->spot[i + 1].point;
    return a->coll == b->coll && placed_alike(a, b) && a->dtype == b->dtype &&
                   a->op == b->op && a->n < b->n
               ? &job->spot[i + 1] : NULL;
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

/* One-sided p; null: the mean is not above the threshold. */
static double t_test(const struct job *job, size_t n, double mean)
{
    double squares = 0, error, t = mean - log1p(job->cmp->opts.threshold);

    if (job->cmp->opts.exact)
        return t > EXACT ? 0 : 1;
    if (n < 2)
        return NAN;
    for (size_t i = 0; i < n; i++)
        squares += (job->log_ratio[i] - mean) * (job->log_ratio[i] - mean);
    error = sqrt(squares / (double)(n - 1) / (double)n);
    if (!(error > 0))
        return t > 0 ? 0 : 1;
    return gsl_cdf_tdist_Q(t / error, (double)(n - 1));
}

/* Add one checked place of a rule. Returns -1 if out of memory. */
static int add(struct job *job, const struct chorale_measured *spot,
               const char *text, size_t n, double seconds)
{
    struct chorale_comparison *cmp = job->cmp;
    struct chorale_guideline *g;
    double mean;

    if (n == 0)
        return 0;
    g = chorale_array_grow(cmp->guideline, cmp->nguideline, sizeof(*g));
    if (g == NULL)
        return -1;
    cmp->guideline = g;
    mean = mean_of(job->log_ratio, n);
    g = &cmp->guideline[cmp->nguideline++];
    *g = (struct chorale_guideline){
        .at = *spot->point, .rule = text, .tuned = job->tuned,
        .seconds = exp(seconds / (double)n),
        .bound = exp(seconds / (double)n - mean),
        .p = t_test(job, n, mean), .adjusted = NAN,
    };
    return 0;
}

/* Check all launches of a spot against a rule or the next larger size. */
static int hold(struct job *job, const struct chorale_measured *spot,
                const struct rule *rule, const struct chorale_measured *next)
{
    double seconds = 0;
    size_t n = 0;

    for (size_t l = 0; l < spot->nlaunch; l++) {
        double left = time_of(job, spot, spot->launch[l]);
        double right = rule != NULL
                           ? bound(job, spot, rule, spot->launch[l])
                           : time_of(job, next, spot->launch[l]);

        if (!isfinite(left) || !isfinite(right))
            continue;
        job->log_ratio[n++] = left - right;
        seconds += left;
    }
    return add(job, spot, rule != NULL ? rule->text : "monotony in n", n,
               seconds);
}

static int hold_all(struct job *job)
{
    for (size_t i = 0; i < job->nspot; i++) {
        const struct chorale_measured *spot = &job->spot[i];
        const struct chorale_measured *next = larger(job, i);

        if (spot->point->comm_size < 2)
            continue;
        if (next != NULL && hold(job, spot, NULL, next) != 0)
            return -1;
        for (size_t k = 0; k < sizeof(rules) / sizeof(rules[0]); k++)
            if (rules[k].left == spot->point->coll &&
                hold(job, spot, &rules[k], NULL) != 0)
                return -1;
    }
    return 0;
}

static int judge(struct chorale_comparison *cmp)
{
    size_t n = cmp->nguideline;
    double *p = malloc((n + 1) * sizeof(*p));
    double *adjusted = malloc((n + 1) * sizeof(*adjusted));
    size_t *work = malloc((n + 1) * sizeof(*work));
    int rc = p != NULL && adjusted != NULL && work != NULL ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < n; i++)
        p[i] = cmp->guideline[i].p;
    if (rc == 0)
        chorale_adjust_bh(p, n, adjusted, work);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        cmp->guideline[i].adjusted = adjusted[i];
        cmp->guideline[i].broken = adjusted[i] <= cmp->opts.fdr;
    }
    free(p);
    free(adjusted);
    free(work);
    return rc;
}

enum chorale_err chorale_comparison_guidelines(struct chorale_comparison *cmp,
                                               struct chorale_errmsg *msg)
{
    struct chorale_decide_opts opts = {
        .simulated = cmp->opts.exact, .threshold = 0.03, .fdr = 0.05,
        .compact = 0.01, .max_scratch = -1,
    };
    struct job job = { .cmp = cmp };
    enum chorale_err err;

    if (chorale_side_first(&cmp->head, &job.points) != 0)
        return chorale_fail_memory(msg, "compare");
    err = chorale_decide_sizes(&job.points, &opts, &job.spot, &job.nspot,
                               msg);
    job.log_ratio = malloc((job.points.count + 1) * sizeof(*job.log_ratio));
    for (job.tuned = 0; err == CHORALE_OK && job.tuned < 2; job.tuned++)
        if (job.log_ratio == NULL || hold_all(&job) != 0)
            err = chorale_fail_memory(msg, "compare");
    if (err == CHORALE_OK && judge(cmp) != 0)
        err = chorale_fail_memory(msg, "compare");
    for (size_t i = 0; i < job.nspot; i++)
        chorale_measured_release(&job.spot[i]);
    free(job.spot);
    free(job.points.row);
    free(job.log_ratio);
    return err;
}
