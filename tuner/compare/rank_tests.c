/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_tests.c - Mann-Whitney and Wilcoxon tests with exact null distributions.
 *
 * Both tests count votes above 0. A vote is a difference y - x, or a mean of
 * two differences. Without a shift the count has a known symmetric
 * distribution. The interval ends at the order statistics of the votes that
 * match its tail. */
#include "tuner/compare/rank_tests.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT CHORALE_RANKS_EXACT
#define TAIL 0.025 /* each tail of a 95 % interval */

/* Frequencies of the counts 0 ... size - 1. */
struct counts {
    double *of, total;
    size_t size;
};

struct chorale_ranks {
    struct counts two[EXACT + 1][EXACT + 1], paired[EXACT + 1];
    double *vote;
    size_t room;
};

struct chorale_ranks *chorale_ranks_new(void)
{
    return calloc(1, sizeof(struct chorale_ranks));
}

void chorale_ranks_free(struct chorale_ranks *ranks)
{
    if (ranks == NULL)
        return;
    for (size_t i = 0; i <= EXACT; i++) {
        for (size_t j = 0; j <= EXACT; j++)
            free(ranks->two[i][j].of);
        free(ranks->paired[i].of);
    }
    free(ranks->vote);
    free(ranks);
}

static int counts_alloc(struct counts *c, size_t size)
{
    c->of = calloc(size, sizeof(*c->of));
    c->size = size;
    return c->of != NULL ? 0 : -1;
}

/* The largest of n + m values is a y, above all n of x, or an x, above no y.
 * Hence f(n, m, u) = f(n, m - 1, u - n) + f(n - 1, m, u). */
static const struct counts *counts_two(struct chorale_ranks *ranks, size_t n,
                                       size_t m)
{
    struct counts *c = &ranks->two[n][m];
    const struct counts *less_y, *less_x;

    if (c->of != NULL)
        return c;
    if (n == 0 || m == 0) {
        if (counts_alloc(c, 1) != 0)
            return NULL;
        c->of[0] = c->total = 1;
        return c;
    }
    less_y = counts_two(ranks, n, m - 1);
    less_x = counts_two(ranks, n - 1, m);
    if (less_y == NULL || less_x == NULL || counts_alloc(c, n * m + 1) != 0)
        return NULL;
    for (size_t u = 0; u < less_y->size; u++)
        c->of[u + n] += less_y->of[u];
    for (size_t u = 0; u < less_x->size; u++)
        c->of[u] += less_x->of[u];
    c->total = less_y->total + less_x->total;
    return c;
}

/* Each rank 1 ... n belongs to a positive difference or not. */
static const struct counts *counts_paired(struct chorale_ranks *ranks,
                                          size_t n)
{
    struct counts *c = &ranks->paired[n];

    if (c->of != NULL)
        return c;
    if (counts_alloc(c, n * (n + 1) / 2 + 1) != 0)
        return NULL;
    c->of[0] = 1;
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t w = c->size; w-- > rank;)
            c->of[w] += c->of[w - rank];
    c->total = ldexp(1, (int)n);
    return c;
}

/* The null distribution of the number of votes above 0: exact if counts is not
 * NULL, else normal. */
struct null {
    const struct counts *counts;
    double mean, sd;
    size_t nvote;
};

/* P(count <= k), which by symmetry is P(count >= nvote - k). */
static double at_most(const struct null *null, size_t k)
{
    double sum = 0;

    if (null->counts == NULL)
        return gsl_cdf_ugaussian_P(((double)k + 0.5 - null->mean) / null->sd);
    if (k >= null->nvote)
        return 1;
    for (size_t i = 0; i <= k; i++)
        sum += null->counts->of[i];
    return fmin(1, sum / null->counts->total);
}

/* The number of votes below the interval; -1 if it is unbounded. */
static long outside(const struct null *null)
{
    double sum = 0;
    long k = -1;

    if (null->counts == NULL)
        return (long)floor(null->mean - 0.5 +
                           gsl_cdf_ugaussian_Pinv(TAIL) * null->sd);
    for (size_t i = 0; i < null->nvote; i++) {
        sum += null->counts->of[i];
        if (sum > TAIL * null->counts->total)
            break;
        k = (long)i;
    }
    return k;
}

static void count_votes(double *vote, const struct null *null,
                        struct chorale_shift *shift)
{
    size_t n = null->nvote, up = 0, down = 0;
    long k = outside(null);

    gsl_sort(vote, 1, n);
    for (size_t i = 0; i < n; i++) {
        up += vote[i] > 0;
        down += vote[i] < 0;
    }
    shift->estimate = (vote[(n - 1) / 2] + vote[n / 2]) / 2;
    shift->p_up = at_most(null, n - up);
    shift->p_down = at_most(null, n - down);
    shift->lo = k >= 0 ? vote[k] : -INFINITY;
    shift->hi = k >= 0 ? vote[n - 1 - (size_t)k] : INFINITY;
}

static double *votes(struct chorale_ranks *ranks, size_t n)
{
    double *more;

    if (n > ranks->room) {
        more = realloc(ranks->vote, n * sizeof(*more));
        if (more == NULL)
            return NULL;
        ranks->vote = more;
        ranks->room = n;
    }
    return ranks->vote;
}

int chorale_ranks_shift(struct chorale_ranks *ranks, const double *x, size_t nx,
                        const double *y, size_t ny, struct chorale_shift *shift)
{
    struct null null = { NULL, (double)nx * (double)ny / 2, 0, nx * ny };
    double *vote = votes(ranks, nx * ny);

    null.sd = sqrt(null.mean * (double)(nx + ny + 1) / 6);
    if (nx <= EXACT && ny <= EXACT) {
        null.counts = counts_two(ranks, nx, ny);
        if (null.counts == NULL)
            return -1;
    }
    if (vote == NULL)
        return -1;
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < ny; j++)
            vote[i * ny + j] = y[j] - x[i];
    count_votes(vote, &null, shift);
    return 0;
}

int chorale_shift_paired(struct chorale_ranks *ranks, const double *x,
                         const double *y, size_t n,
                         struct chorale_shift *shift)
{
    size_t nvote = n * (n + 1) / 2, k = 0;
    struct null null = { NULL, (double)nvote / 2, 0, nvote };
    double *vote = votes(ranks, nvote);

    null.sd = sqrt((double)nvote * (2 * (double)n + 1) / 12);
    if (n <= EXACT) {
        null.counts = counts_paired(ranks, n);
        if (null.counts == NULL)
            return -1;
    }
    if (vote == NULL)
        return -1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            vote[k++] = (y[i] - x[i] + y[j] - x[j]) / 2;
    count_votes(vote, &null, shift);
    return 0;
}

double chorale_shift_two_min_p(size_t nx, size_t ny)
{
    return exp(lgamma((double)nx + 1) + lgamma((double)ny + 1) -
               lgamma((double)(nx + ny) + 1));
}

double chorale_shift_paired_min_p(size_t n)
{
    return exp2(-(double)n);
}

/* Sort the indices of the p values that are numbers; returns their number. */
static size_t sort_p(const double *p, size_t count, double *adjusted,
                     size_t *work)
{
    size_t n = 0;

    /* NAN cannot be sorted; 2 puts it last. */
    for (size_t i = 0; i < count; i++) {
        adjusted[i] = isnan(p[i]) ? 2 : p[i];
        n += isnan(p[i]) ? 0 : 1;
    }
    if (count > 0)
        gsl_sort_index(work, adjusted, 1, count);
    for (size_t i = 0; i < count; i++)
        adjusted[i] = NAN;
    return n;
}

void chorale_adjust_holm(const double *p, size_t count, size_t family,
                         double *adjusted, size_t *work)
{
    size_t n = sort_p(p, count, adjusted, work);
    double most = 0;

    for (size_t k = 0; k < n; k++) {
        double left = (double)(family > k ? family - k : 1);

        most = fmax(most, fmin(1, p[work[k]] * left));
        adjusted[work[k]] = most;
    }
}

void chorale_adjust_bh(const double *p, size_t count, double *adjusted,
                       size_t *work)
{
    size_t n = sort_p(p, count, adjusted, work);
    double least = 1;

    for (size_t k = n; k-- > 0;) {
        least = fmin(least, p[work[k]] * (double)n / (double)(k + 1));
        adjusted[work[k]] = least;
    }
}
