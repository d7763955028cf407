/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_verdict.c - judges the rows of proofs, and sums them up. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/assess/evaluate.h"
#include "tuner/assess/validate.h"

#define FAMILY_ERROR 0.05    /* P(any false "slower" point) */
#define EXACT 1e-9           /* smallest log difference in simulation */

static double student(double level, double df)
{
    return gsl_cdf_tdist_Pinv(0.5 + level / 2, df);
}

static void judge_one(const struct chorale_proofs *proofs,
                      struct chorale_proof *p)
{
    double n = (double)p->nlaunch, sum = 0, square = 0, error;

    if (p->nlaunch == 0) {
        p->seconds = p->library_seconds = NAN;
        return;
    }
    p->seconds = exp(p->seconds / n);
    p->library_seconds = exp(p->library_seconds / n);
    for (size_t i = 0; i < proofs->nordinal; i++)
        if (isfinite(p->ratio[i]))
            sum += p->ratio[i];
    p->mean = sum / n;
    if (proofs->simulated) {
        p->half = 0;
        p->slower = p->mean < -log1p(proofs->threshold) - EXACT;
        return;
    }
    if (p->nlaunch < 2)
        return;
    for (size_t i = 0; i < proofs->nordinal; i++)
        if (isfinite(p->ratio[i]))
            square += (p->ratio[i] - p->mean) * (p->ratio[i] - p->mean);
    error = sqrt(proofs->overlap * square / (n - 1) / n);
    p->half = student(0.95, n - 1) * error;
    sum = p->mean + log1p(proofs->threshold);
    p->p = error > 0 ? gsl_cdf_tdist_P(sum / error, n - 1) : sum < 0 ? 0 : 1;
}

static int by_p(const void *a, const void *b)
{
    double x = (*(struct chorale_proof *const *)a)->p;
    double y = (*(struct chorale_proof *const *)b)->p;

    return (x > y) - (x < y);
}

/* Holm's step-down: the k-th smallest p of N is compared with error / (N -
 * k). */
static int holm(struct chorale_proofs *proofs)
{
    struct chorale_proof **rank = malloc((proofs->count + 1) * sizeof(*rank));
    size_t n = 0;

    if (rank == NULL)
        return -1;
    for (size_t i = 0; i < proofs->count; i++)
        if (isfinite(proofs->row[i].p))
            rank[n++] = &proofs->row[i];
    if (n > 0)
        qsort(rank, n, sizeof(*rank), by_p);
    for (size_t k = 0; k < n && rank[k]->p <= FAMILY_ERROR / (double)(n - k);
         k++)
        rank[k]->slower = 1;
    free(rank);
    return 0;
}

/* Set the best possible speed-up at the points that the campaign measured. */
static enum chorale_err find_best(struct chorale_proofs *proofs,
                                  const struct chorale_emit_table *table,
                                  const struct chorale_points *points,
                                  struct chorale_errmsg *msg)
{
    struct chorale_verdict *v = NULL;
    size_t count = 0;
    enum chorale_err err = chorale_evaluate(table, points, 0, &v, &count, msg);

    for (size_t i = 0; i < proofs->count && err == CHORALE_OK; i++) {
        struct chorale_proof *p = &proofs->row[i];

        for (size_t k = 0; k < count; k++) {
            const struct chorale_run_point *at = v[k].point;

            if (at->coll == p->coll && at->comm_size == p->comm_size &&
                at->ppn == p->ppn && at->n == p->n &&
                strcmp(at->shape, p->shape) == 0 &&
                strcmp(at->dtype, p->dtype) == 0 &&
                strcmp(at->op, p->op) == 0)
                p->best = log(v[k].library_seconds / v[k].best_seconds);
        }
    }
    free(v);
    return err;
}

static void name_rows(struct chorale_proof *p,
                      const struct chorale_emit_table *table)
{
    if (p->coll < CHORALE_NCOLL)
        chorale_served_kind_instead(&table->kind[p->coll], p->dtype, p->op, "",
                                    p->rows_of);
}

/* Compute the means of the rows of single patterns, without a verdict. */
static void describe_patterns(struct chorale_proofs *proofs,
                              const struct chorale_emit_table *table)
{
    for (size_t i = 0; proofs->patterns != NULL &&
                       i < proofs->patterns->count; i++) {
        judge_one(proofs->patterns, &proofs->patterns->row[i]);
        name_rows(&proofs->patterns->row[i], table);
        proofs->patterns->row[i].slower = 0;
        proofs->patterns->row[i].p = NAN;
    }
}

enum chorale_err chorale_proofs_judge(struct chorale_proofs *proofs,
                                      const struct chorale_emit_table *table,
                                      const struct chorale_points *points,
                                      struct chorale_errmsg *msg)
{
    for (size_t i = 0; i < proofs->count; i++) {
        struct chorale_proof *p = &proofs->row[i];

        judge_one(proofs, p);
        name_rows(p, table);
    }
    describe_patterns(proofs, table);
    if (holm(proofs) != 0)
        return chorale_fail_memory(msg, "validate");
    return proofs->count > 0 && points != NULL
               ? find_best(proofs, table, points, msg) : CHORALE_OK;
}

/* 1 if the proof is of the collective (CHORALE_NCOLL: any) and of the arrival
 * pattern (NULL: any). */
static int is_part(const struct chorale_proof *p, enum chorale_coll coll,
                   const char *arrival)
{
    return (coll == CHORALE_NCOLL || p->coll == coll) &&
           (arrival == NULL || strcmp(p->arrival, arrival) == 0);
}

/* The interval over launch numbers. It uses deviations from each point's own
 * mean, so that a point missing in one launch does not shift it. */
static double interval(const struct chorale_proofs *proofs,
                       enum chorale_coll coll, const char *arrival,
                       size_t npoint)
{
    double square = 0, n = 0;

    if (proofs->simulated)
        return 0;
    for (size_t k = 0; k < proofs->nordinal; k++) {
        double sum = 0;
        int any = 0;

        for (size_t i = 0; i < proofs->count; i++) {
            const struct chorale_proof *p = &proofs->row[i];

            if (!is_part(p, coll, arrival) || !isfinite(p->ratio[k]))
                continue;
            sum += p->ratio[k] - p->mean;
            any = 1;
        }
        square += sum * sum;
        n += any;
    }
    return n < 2 ? NAN
                 : student(0.95, n - 1) *
                       sqrt(proofs->overlap * square / (n - 1) / n) /
                       (double)npoint;
}

static void find_total(const struct chorale_proofs *proofs,
                       enum chorale_coll coll, const char *arrival,
                       struct chorale_proof_total *total)
{
    double sum = 0, gain = 0, most = 0;

    *total = (struct chorale_proof_total){ .mean = NAN, .half = NAN,
                                           .captured = NAN };
    for (size_t i = 0; i < proofs->count; i++) {
        const struct chorale_proof *p = &proofs->row[i];

        if (!is_part(p, coll, arrival))
            continue;
        if (p->nlaunch == 0) {
            total->nunknown++;
            continue;
        }
        total->npoint++;
        total->nslower += p->slower != 0;
        sum += p->mean;
        if (fabs(p->mean) > p->half) {
            if (total->worst == NULL || p->mean < total->worst->mean)
                total->worst = p;
            if (total->best == NULL || p->mean > total->best->mean)
                total->best = p;
        }
        if (isfinite(p->best)) {
            gain += p->mean;
            most += p->best;
        }
    }
    if (total->npoint == 0)
        return;
    total->mean = sum / (double)total->npoint;
    total->half = interval(proofs, coll, arrival, total->npoint);
    total->captured = most > 0 ? gain / most : NAN;
}

void chorale_proofs_total(const struct chorale_proofs *proofs,
                          enum chorale_coll coll,
                          struct chorale_proof_total *total)
{
    find_total(proofs, coll, NULL, total);
}

void chorale_proofs_pattern_total(const struct chorale_proofs *proofs,
                                  const char *arrival,
                                  struct chorale_proof_total *total)
{
    find_total(proofs, CHORALE_NCOLL, arrival, total);
}
