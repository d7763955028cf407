/* SPDX-License-Identifier: BSD-3-Clause */
/* family_guess.c - times between measured points: the model's, times what the
 * variant itself took beside it over the model's. Where there is no model (the
 * library, its own algorithms), or between process counts where that was the
 * better guess, time itself is interpolated; all of it in logarithms of n, of
 * the process count and of time. */
#include <math.h>

#include "tuner/family.h"

/* Beyond this schedules take longer than they are worth: the stated cost. */
#define MAX_SCHEDULE 64

static double position(double from, double at, double to)
{
    return to > from ? (at - from) / (to - from) : 0;
}

static double log_n(size_t n)
{
    return log(fmax((double)n, 1));
}

/* 1 if that kind of guess has a model of the candidate. */
static int has_model(const struct chorale_family *fam,
                     enum chorale_guess_kind kind, size_t cand)
{
    return kind == CHORALE_GUESS_MODEL && fam->cand[cand].alg != NULL &&
           !isnan(fam->net.alpha);
}

/* Logarithm of the model's seconds; 0 where there is no model. */
static double model(const struct chorale_family *fam,
                    enum chorale_guess_kind kind, size_t cand, size_t n,
                    int comm_size)
{
    const struct chorale_member *m = &fam->cand[cand];
    double a, b, c, seconds;
    struct chorale_term term[CHORALE_MAX_TERM];
    struct chorale_point pt;
    char policy[16];
    size_t i;

    if (!has_model(fam, kind, cand))
        return 0;
    pt = chorale_decide_point(fam->point, m->value, n, comm_size);
    pt.alpha = fam->net.alpha;
    pt.beta = fam->net.beta;
    pt.tau = fam->net.tau;
    for (i = 0; fam->point->conditions[i] > ' ' && i + 1 < sizeof(policy); i++)
        policy[i] = fam->point->conditions[i];
    policy[i] = '\0';
    if (fam->line[fam->nline - 1].comm_size > MAX_SCHEDULE)
        chorale_term_sums(term, m->alg->cost(&pt, term), &a, &b, &c);
    else
        chorale_alg_cost_policy(m->alg, &pt, policy, &a, &b, &c);
    seconds = a * pt.alpha + b * pt.beta + c * pt.tau;
    return seconds > 0 && isfinite(seconds) ? log(seconds) : NAN;
}

/* Measured over modelled at a spot; a variant that was measured there with
 * other parameters only stands in for itself, if there is a model. */
static double residual(const struct chorale_family *fam,
                       enum chorale_guess_kind kind, size_t line, size_t spot,
                       size_t cand)
{
    const struct chorale_line *ln = &fam->line[line];
    const double *t = ln->log_time + spot * fam->ncand;
    size_t n = ln->spot[spot].point->n;
    double sum = 0, k = 0;

    if (isfinite(t[cand]))
        return t[cand] - model(fam, kind, cand, n, ln->comm_size);
    if (isinf(t[cand]) || !has_model(fam, kind, cand))
        return NAN;
    for (size_t c = 1; c < fam->ncand; c++) {
        if (fam->cand[c].alg != fam->cand[cand].alg || !isfinite(t[c]))
            continue;
        sum += t[c] - model(fam, kind, c, n, ln->comm_size);
        k++;
    }
    return k > 0 ? sum / k : NAN;
}

/* 1 if something is known there of a candidate: it, or with a model the same
 * variant, was measured or must not be chosen. */
static int known(const struct chorale_family *fam,
                 enum chorale_guess_kind kind, const struct chorale_line *line,
                 size_t spot, size_t cand)
{
    const double *t = line->log_time + spot * fam->ncand;

    if (!isnan(t[cand]))
        return 1;
    for (size_t c = 1; has_model(fam, kind, cand) && c < fam->ncand; c++)
        if (fam->cand[c].alg == fam->cand[cand].alg && isfinite(t[c]))
            return 1;
    return 0;
}

/* The two spots next to n, of those where the candidate is known: between them
 * it lies, or they are the outermost two. Where only one is, both are that.
 * Returns how many are known, 2 if more. */
static int bracket(const struct chorale_family *fam,
                   enum chorale_guess_kind kind,
                   const struct chorale_line *line, size_t cand, size_t n,
                   size_t at[2])
{
    int count = 0;

    at[0] = at[1] = 0;
    for (size_t i = 0; i < line->nspot; i++) {
        if (!known(fam, kind, line, i, cand))
            continue;
        if (count == 2 && line->spot[at[1]].point->n > n)
            break;
        at[0] = count == 0 ? i : at[1];
        at[1] = i;
        count = count < 2 ? count + 1 : 2;
    }
    return count;
}

/* The residual along a line at n: that of the model stays what it is beyond
 * the ends, time goes on as between the last two. */
static double along(const struct chorale_family *fam,
                    enum chorale_guess_kind kind, size_t line, size_t cand,
                    size_t n)
{
    const struct chorale_line *ln = &fam->line[line];
    size_t i[2];
    int count = bracket(fam, kind, ln, cand, n, i);
    double left, right, x;

    /* Who was not even measured at the sizes beyond is no candidate there. */
    if (count == 0 || (i[0] > 0 && n < ln->spot[i[0]].point->n) ||
        (i[1] + 1 < ln->nspot && n > ln->spot[i[1]].point->n))
        return NAN;
    left = residual(fam, kind, line, i[0], cand);
    if (count == 1 || n == ln->spot[i[0]].point->n)
        return left;
    right = residual(fam, kind, line, i[1], cand);
    if (n == ln->spot[i[1]].point->n)
        return right;
    x = position(log_n(ln->spot[i[0]].point->n), log_n(n),
                 log_n(ln->spot[i[1]].point->n));
    if (has_model(fam, kind, cand))
        x = fmin(1, fmax(0, x));
    return left + x * (right - left);
}

double chorale_family_on(const struct chorale_family *fam, size_t line,
                         size_t cand, size_t n)
{
    return along(fam, CHORALE_GUESS_MODEL, line, cand, n) +
           model(fam, CHORALE_GUESS_MODEL, cand, n, fam->line[line].comm_size);
}

double chorale_family_guess(const struct chorale_family *fam,
                            enum chorale_guess_kind kind, size_t k,
                            size_t cand, size_t n, int comm_size)
{
    double left = along(fam, kind, k, cand, n);
    double right = along(fam, kind, k + 1, cand, n);
    double x = position(log(fam->line[k].comm_size), log(comm_size),
                        log(fam->line[k + 1].comm_size));

    return left + x * (right - left) + model(fam, kind, cand, n, comm_size);
}

/* Its error at a spot, or the largest of its variant; NAN: unknown. */
static double spot_error(const struct chorale_family *fam,
                         enum chorale_guess_kind kind,
                         const struct chorale_line *line, size_t spot,
                         size_t cand)
{
    const double *e = line->error[kind] + spot * fam->ncand;
    double worst = NAN;

    if (!isnan(e[cand]))
        return e[cand];
    for (size_t c = 1; has_model(fam, kind, cand) && c < fam->ncand; c++)
        if (fam->cand[c].alg == fam->cand[cand].alg)
            worst = fmax(worst, e[c]);
    return worst;
}

/* The larger error of the two spots of a line beside n where there is one. */
static double line_error(const struct chorale_family *fam,
                         enum chorale_guess_kind kind,
                         const struct chorale_line *line, size_t cand,
                         size_t n)
{
    double below = NAN, above = NAN;
    int count = 0;

    for (size_t s = 0; s < line->nspot; s++) {
        double e = spot_error(fam, kind, line, s, cand);

        if (isnan(e))
            continue;
        below = above;
        above = e;
        if (++count > 1 && line->spot[s].point->n > n)
            break;
    }
    return fmax(below, above);
}

/* What the error of line j says of the gap above line k, which is narrower
 * than the one that the line was guessed across. */
static double scaled(const struct chorale_family *fam,
                     enum chorale_guess_kind kind, size_t k, size_t j,
                     size_t cand, size_t n)
{
    double gap = log((double)fam->line[k + 1].comm_size /
                     fam->line[k].comm_size);

    if (j == 0 || j + 1 >= fam->nline)
        return NAN;
    return line_error(fam, kind, &fam->line[j], cand, n) * gap /
           log((double)fam->line[j + 1].comm_size /
               fam->line[j - 1].comm_size);
}

/* The kind of guess that was less wrong, and how wrong it was. */
static enum chorale_guess_kind better_kind(const struct chorale_family *fam,
                                           size_t k, size_t cand, size_t n,
                                           double *error_p)
{
    enum chorale_guess_kind best = CHORALE_GUESS_MODEL;
    double error[CHORALE_GUESS_KINDS];

    for (int i = 0; i < CHORALE_GUESS_KINDS; i++) {
        enum chorale_guess_kind kind = (enum chorale_guess_kind)i;

        error[i] = fmax(scaled(fam, kind, k, k, cand, n),
                        scaled(fam, kind, k, k + 1, cand, n));
        if (error[i] < error[best])
            best = kind;
    }
    *error_p = error[best];
    return best;
}

double chorale_family_between(const struct chorale_family *fam, size_t k,
                              size_t cand, size_t n, int comm_size)
{
    double error;
    enum chorale_guess_kind kind = better_kind(fam, k, cand, n, &error);

    return chorale_family_guess(fam, kind, k, cand, n, comm_size);
}

double chorale_family_error(const struct chorale_family *fam, size_t k,
                            size_t cand, size_t n)
{
    double error;

    better_kind(fam, k, cand, n, &error);
    return error;
}

size_t chorale_crossing(size_t n_a, size_t n_b, double left, double right)
{
    double from = log_n(n_a), to = log_n(n_b), n;

    left = fmax(left, 0);
    right = fmax(right, 0);
    n = left + right > 0 ? exp(from + (to - from) * left / (left + right))
                         : (double)n_a;
    if (n >= (double)(n_b - 1))
        return n_b - 1;
    return (size_t)n < n_a ? n_a : (size_t)n;
}
