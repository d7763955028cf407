/* SPDX-License-Identifier: BSD-3-Clause */
/* family_interpolate.c - predict times between measured points: the model's
 * time, multiplied by the variant's measured deviation from it at adjacent
 * points. Times are interpolated directly (linear in n, log-log in P) for the
 * library, native algorithms and variants that call the library. Between
 * process counts this may replace a less accurate model. */
#include <math.h>
#include <string.h>

#include "tuner/decide/family.h"

#define EQUIVALENT_ERROR 0.04 /* largest error of a stand-in for the library */
#define SAME_TIME 0.01 /* log units: the library may use that variant */
#define SAME_SIMULATED_TIME 1e-4 /* likewise, along a simulated line */
#define MIN_OTHER_CANDIDATES 2 /* candidates needed to judge the model, */
#define MIN_CANDIDATES 3 /* or candidates measured on any lines */

static double position(double from, double at, double to)
{
    return to > from ? (at - from) / (to - from) : 0;
}

static double log_n(size_t n)
{
    return log(fmax((double)n, 1));
}

/* The variant of a candidate; NULL: not one of Chorale's. */
static const struct chorale_alg *alg_of(const struct chorale_family *fam,
                                        size_t cand)
{
    return fam->cand[cand].run->config.alg;
}

/* 1 if that kind of prediction has a model of the candidate. */
static int has_model(const struct chorale_family *fam,
                     enum chorale_guess_kind kind, size_t cand)
{
    return kind == CHORALE_GUESS_MODEL && fam->cand[cand].modelled;
}

/* Log seconds of the model; 0 without a model. */
static double model(const struct chorale_family *fam,
                    enum chorale_guess_kind kind, size_t cand, size_t n,
                    int comm_size)
{
    const struct chorale_alg_config *config = &fam->cand[cand].run->config;
    double a, b, c, seconds;
    struct chorale_term term[CHORALE_MAX_TERM];
    struct chorale_point pt;
    char policy[16];
    size_t i;

    if (!has_model(fam, kind, cand))
        return 0;
    pt = chorale_decide_point(fam->point, config->value, n, comm_size);
    pt.alpha = fam->net.alpha;
    pt.beta = fam->net.beta;
    pt.tau = fam->net.tau;
    for (i = 0; fam->point->conditions[i] > ' ' && i + 1 < sizeof(policy); i++)
        policy[i] = fam->point->conditions[i];
    policy[i] = '\0';
    if (fam->played) {
        /* Instead of a rotating root use one: only ratios of these times
         * matter, and it saves two thirds of the work. */
        const struct chorale_where where = {
            .coll = fam->point->coll, .comm_size = comm_size,
            .ppn = fam->point->ppn, .shape = fam->point->shape,
            .msg_size = pt.msg_size, .dtype = fam->point->dtype,
            .op = fam->point->op, .op_class = fam->point->op_class,
            .root_policy = strcmp(policy, "rotate") == 0 ? "last" : policy,
        };

        seconds = chorale_predict(fam->model, config->alg, config->value,
                                  &where);
        return seconds > 0 ? log(seconds) : NAN;
    }
    chorale_term_sums(term, config->alg->cost(&pt, term), &a, &b, &c);
    seconds = a * pt.alpha + b * pt.beta + c * pt.tau;
    return seconds > 0 && isfinite(seconds) ? log(seconds) : NAN;
}

/* 1 if candidate c was measured at a spot, has a model, and is the variant of
 * cand, perhaps with other parameters. */
static int tells_of(const struct chorale_family *fam,
                    enum chorale_guess_kind kind, const double *t, size_t c,
                    size_t cand)
{
    return isfinite(t[c]) && has_model(fam, kind, c) &&
           alg_of(fam, c) == alg_of(fam, cand);
}

/* Log ratio of measured to modelled time at a spot. If the variant was measured
 * there only with other parameters, their mean is used, provided that schedules
 * are replayed: formulas deviate differently for different parameters. */
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
    if (isinf(t[cand]) || !fam->played || !has_model(fam, kind, cand))
        return NAN;
    for (size_t c = 1; c < fam->ncand; c++) {
        if (!tells_of(fam, kind, t, c, cand))
            continue;
        sum += t[c] - model(fam, kind, c, n, ln->comm_size);
        k++;
    }
    return k > 0 ? sum / k : NAN;
}

/* 1 if a spot measured or excluded the candidate or, for a model, measured its
 * variant with other parameters. */
static int known(const struct chorale_family *fam,
                 enum chorale_guess_kind kind, const struct chorale_line *line,
                 size_t spot, size_t cand)
{
    const double *t = line->log_time + spot * fam->ncand;

    if (!isnan(t[cand]))
        return 1;
    for (size_t c = 1; fam->played && has_model(fam, kind, cand) &&
                       c < fam->ncand; c++)
        if (tells_of(fam, kind, t, c, cand))
            return 1;
    return 0;
}

/* The two spots next to n at which the candidate is known, or the outermost two
 * if n lies outside. With a single one both are equal. Returns the number of
 * known spots, at most 2. */
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

/* Log time between a and b, linear in n (start-up plus time per byte). Log-log
 * interpolation would overestimate the library and leave it too early. */
static double affine(size_t n_a, double a, size_t n, size_t n_b, double b)
{
    double x = position((double)n_a, (double)n, (double)n_b);

    return log((1 - x) * exp(a) + x * exp(b));
}

/* 1 if n lies outside the candidate's spots at[0] ... at[1] and others were
 * measured there: it is not predicted then. If schedules are replayed, this
 * holds only from the next spot on. */
static int beyond(const struct chorale_family *fam,
                  enum chorale_guess_kind kind, const struct chorale_line *ln,
                  size_t cand, const size_t at[2], size_t n)
{
    size_t gap = fam->played && has_model(fam, kind, cand);

    if (n < ln->spot[at[0]].point->n)
        return at[0] > 0 && (!gap || n <= ln->spot[at[0] - 1].point->n);
    if (n > ln->spot[at[1]].point->n)
        return at[1] + 1 < ln->nspot &&
               (!gap || n >= ln->spot[at[1] + 1].point->n);
    return 0;
}

/* The residual along a line at n. With a model it is constant beyond the ends.
 * Without, the time is linear in n and extrapolated from the last two sizes. */
static double along(const struct chorale_family *fam,
                    enum chorale_guess_kind kind, size_t line, size_t cand,
                    size_t n)
{
    const struct chorale_line *ln = &fam->line[line];
    size_t i[2];
    int count = bracket(fam, kind, ln, cand, n, i);
    double left, right, x;

    if (count == 0 || beyond(fam, kind, ln, cand, i, n))
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
    else if (x > 0 && x < 1)
        return affine(ln->spot[i[0]].point->n, left, n,
                      ln->spot[i[1]].point->n, right);
    return left + x * (right - left);
}

/* 1 if a schedule is too long for the model to predict its time. */
static int not_replayed(const struct chorale_family *fam, size_t line,
                        size_t cand, size_t n)
{
    const struct chorale_alg_config *config = &fam->cand[cand].run->config;
    struct chorale_point pt;

    if (!fam->played || !has_model(fam, CHORALE_GUESS_MODEL, cand))
        return 0;
    pt = chorale_decide_point(fam->point, config->value, n,
                              fam->line[line].comm_size);
    return chorale_predict_refuses(fam->model, config->alg, &pt);
}

/* Predicted log seconds on a line at n; interpolated if its schedule is too
 * long. */
static double on_line(const struct chorale_family *fam, size_t line,
                      size_t cand, size_t n)
{
    double off = along(fam, CHORALE_GUESS_MODEL, line, cand, n);
    double t = isnan(off) ? off
                          : off + model(fam, CHORALE_GUESS_MODEL, cand, n,
                                        fam->line[line].comm_size);

    return isnan(t) && not_replayed(fam, line, cand, n)
               ? along(fam, CHORALE_GUESS_PLAIN, line, cand, n) : t;
}

/* 1 if the library took as long as the candidate at a spot, and the model
 * predicts the candidate there. */
static int is_library_at(const struct chorale_family *fam, size_t line,
                         size_t spot, size_t cand)
{
    const double *t = fam->line[line].log_time + spot * fam->ncand;
    double same = fam->opts->simulated ? SAME_SIMULATED_TIME : SAME_TIME;

    return fabs(t[cand] - t[0]) < same &&
           fabs(residual(fam, CHORALE_GUESS_MODEL, line, spot, cand)) <
               log1p(EQUIVALENT_ERROR);
}

/* The least log seconds at n of the candidates that the library seems to use at
 * the measured sizes next to n; INFINITY: no such candidate. */
static double library_at_best(const struct chorale_family *fam, size_t line,
                              size_t n)
{
    const struct chorale_line *ln = &fam->line[line];
    double least = INFINITY;
    size_t i = 0;

    while (i + 1 < ln->nspot && ln->spot[i + 1].point->n <= n)
        i++;
    if (!fam->played || ln->spot[i].point->n == n)
        return INFINITY;
    for (size_t s = i; s < i + 2 && s < ln->nspot; s++)
        for (size_t c = 1; c < fam->ncand; c++)
            if (has_model(fam, CHORALE_GUESS_MODEL, c) &&
                is_library_at(fam, line, s, c))
                least = fmin(least, on_line(fam, line, c, n));
    return least;
}

double chorale_family_on(const struct chorale_family *fam, size_t line,
                         size_t cand, size_t n)
{
    double t = on_line(fam, line, cand, n);

    return cand == 0 ? fmin(t, library_at_best(fam, line, n)) : t;
}

/* 1 if the candidate must not be chosen at some size of a line. */
static int failed(const struct chorale_family *fam, size_t line, size_t cand)
{
    const struct chorale_line *ln = &fam->line[line];

    for (size_t i = 0; i < ln->nspot; i++)
        if (isinf(ln->log_time[i * fam->ncand + cand]))
            return 1;
    return 0;
}

/* 1 if the candidate's residual on one side of a gap may be used for the other
 * side, where it was not measured. */
static int usable_from_one_side(const struct chorale_family *fam,
                                enum chorale_guess_kind kind, size_t k,
                                size_t cand)
{
    return fam->played && has_model(fam, kind, cand) &&
           !fam->cand[cand].lacks && !failed(fam, k, cand) &&
           !failed(fam, k + 1, cand);
}

double chorale_family_guess(const struct chorale_family *fam,
                            enum chorale_guess_kind kind, size_t k,
                            size_t cand, size_t n, int comm_size)
{
    double left = along(fam, kind, k, cand, n);
    double right = along(fam, kind, k + 1, cand, n);
    double x = position(log(fam->line[k].comm_size), log(comm_size),
                        log(fam->line[k + 1].comm_size));

    if (isnan(left) != isnan(right) && usable_from_one_side(fam, kind, k, cand))
        left = right = isnan(left) ? right : left;
    if (isnan(left) || isnan(right))
        return NAN;
    return left + x * (right - left) + model(fam, kind, cand, n, comm_size);
}

/* How far apart the model's log errors are at any two cells; NAN: too few
 * candidates were measured. */
static double largest_difference(const struct chorale_family *fam)
{
    double least = INFINITY, most = -INFINITY;
    int count = 0;

    for (size_t c = 1; c < fam->ncand; c++) {
        int any = 0;

        for (size_t j = 0; j < fam->nline &&
                           has_model(fam, CHORALE_GUESS_MODEL, c); j++)
            for (size_t i = 0; i < fam->line[j].nspot; i++) {
                double t = fam->line[j].log_time[i * fam->ncand + c], own;

                own = isfinite(t)
                          ? residual(fam, CHORALE_GUESS_MODEL, j, i, c) : NAN;
                if (isnan(own))
                    continue;
                least = fmin(least, own);
                most = fmax(most, own);
                any = 1;
            }
        count += any;
    }
    return count >= MIN_CANDIDATES ? most - least : NAN;
}

void chorale_family_fill_errors(struct chorale_family *fam)
{
    fam->apart = fam->played ? expm1(largest_difference(fam)) : NAN;
    for (size_t j = 0; j < fam->nline; j++)
        for (size_t i = 0; i < fam->line[j].nspot; i++) {
            double *e = fam->line[j].error[CHORALE_GUESS_MODEL] +
                        i * fam->ncand;

            for (size_t c = 1; c < fam->ncand; c++) {
                if (!isnan(e[c]) || !has_model(fam, CHORALE_GUESS_MODEL, c))
                    continue;
                for (size_t k = 1; k < fam->ncand; k++)
                    if (alg_of(fam, k) == alg_of(fam, c))
                        e[c] = fmax(e[c], e[k]);
            }
        }
}

/* The next spot from i on, by step, that has an error; nspot if none has. */
static size_t next_error(const struct chorale_line *line, const double *error,
                         size_t ncand, size_t i, int step)
{
    while (i < line->nspot && isnan(error[i * ncand]))
        i = step > 0 ? i + 1 : i - 1; /* from 0 down to SIZE_MAX */
    return i < line->nspot ? i : line->nspot;
}

/* The larger of the known errors at the two spots of a line next to n. */
static double line_error(const struct chorale_family *fam,
                         enum chorale_guess_kind kind,
                         const struct chorale_line *line, size_t cand,
                         size_t n)
{
    const double *e = line->error[kind] + cand;
    size_t lo = 0, hi = line->nspot, below, above;

    while (lo < hi) { /* binary search for the first spot above n */
        size_t mid = (lo + hi) / 2;

        if (line->spot[mid].point->n > n)
            hi = mid;
        else
            lo = mid + 1;
    }
    above = next_error(line, e, fam->ncand, lo, 1);
    below = next_error(line, e, fam->ncand, lo - 1, -1);
    if (above == line->nspot && below < line->nspot) {
        above = below;
        below = next_error(line, e, fam->ncand, below - 1, -1);
    } else if (below == line->nspot && above < line->nspot) {
        below = above;
        above = next_error(line, e, fam->ncand, above + 1, 1);
    }
    return fmax(below < line->nspot ? e[below * fam->ncand] : NAN,
                above < line->nspot ? e[above * fam->ncand] : NAN);
}

/* The error of line j, scaled to the gap above line k, which is narrower than
 * the gap across which line j was predicted. */
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

/* Difference of a candidate's model error between the two sides of a gap; NAN:
 * not measured on both. */
static double change(const struct chorale_family *fam, size_t k, size_t cand,
                     size_t n)
{
    if (!has_model(fam, CHORALE_GUESS_MODEL, cand))
        return NAN;
    return expm1(fabs(along(fam, CHORALE_GUESS_MODEL, k + 1, cand, n) -
                      along(fam, CHORALE_GUESS_MODEL, k, cand, n)));
}

/* The largest change of all candidates at n, or at all sizes of line k. Returns
 * how many candidates have one. */
static int largest_change(const struct chorale_family *fam, size_t k, size_t n,
                          int all, double *most)
{
    const struct chorale_line *ln = &fam->line[k];
    int count = 0;

    *most = NAN;
    for (size_t c = 1; c < fam->ncand; c++) {
        double own = change(fam, k, c, n);

        for (size_t i = 0; all && i < ln->nspot; i++)
            own = fmax(own, change(fam, k, c, ln->spot[i].point->n));
        count += !isnan(own);
        *most = fmax(*most, own);
    }
    return count;
}

/* Error bound of a prediction that was not checked: it lies between the model's
 * errors on the two sides, and so does the truth if the error changes steadily.
 * If one side was not measured, the largest change of other candidates, of
 * which there must be enough; if there are few at n, at all sizes, and else the
 * largest difference between the model's errors at any cells. NAN: no
 * schedules are replayed, or unknown. */
static double steady(const struct chorale_family *fam, size_t k, size_t cand,
                     size_t n)
{
    double most, own;

    if (!fam->played || fam->cand[cand].lacks)
        return NAN;
    own = change(fam, k, cand, n);
    if (!isnan(own) || !usable_from_one_side(fam, CHORALE_GUESS_MODEL, k, cand))
        return own;
    return largest_change(fam, k, n, 0, &most) >= MIN_OTHER_CANDIDATES ||
                   largest_change(fam, k, n, 1, &most) >= MIN_OTHER_CANDIDATES
               ? most : fam->apart;
}

/* Predict log seconds by the kind of prediction with the smaller error, of
 * those that know the candidate on both sides. NAN: none does. */
static double predict(const struct chorale_family *fam, size_t k, size_t cand,
                      size_t n, int comm_size, double *error_p)
{
    double best = NAN;

    *error_p = NAN;
    for (int i = 0; i < CHORALE_GUESS_KINDS; i++) {
        enum chorale_guess_kind kind = (enum chorale_guess_kind)i;
        double error = fmax(scaled(fam, kind, k, k, cand, n),
                            scaled(fam, kind, k, k + 1, cand, n)), t;

        if (kind == CHORALE_GUESS_MODEL && isnan(error))
            error = steady(fam, k, cand, n);
        if (!isnan(best) && !(error < *error_p))
            continue;
        t = chorale_family_guess(fam, kind, k, cand, n, comm_size);
        if (isnan(t))
            continue;
        best = t;
        *error_p = error;
    }
    return best;
}

/* Largest difference between a candidate and the library at the spots of a line
 * next to n, log units; NAN: not both measured. */
static double apart(const struct chorale_family *fam, size_t line, size_t cand,
                    size_t n)
{
    const struct chorale_line *ln = &fam->line[line];
    double most = 0;
    size_t i = 0;

    while (i + 1 < ln->nspot && ln->spot[i + 1].point->n <= n)
        i++;
    for (size_t s = i; s < i + 2 && s < ln->nspot; s++) {
        const double *t = ln->log_time + s * fam->ncand;

        if (!isfinite(t[cand]) || !isfinite(t[0]))
            return NAN;
        most = fmax(most, fabs(t[cand] - t[0]));
    }
    return most;
}

/* The candidate that the library seems to use: both take the same time on both
 * sides, and its predictions were right. 0: no such candidate. */
static size_t find_library_equivalent(const struct chorale_family *fam,
                                      size_t k, size_t n,
                                      int comm_size)
{
    double least = SAME_TIME;
    size_t twin = 0;

    for (size_t c = 1; fam->played && c < fam->ncand; c++) {
        double left = apart(fam, k, c, n), right = apart(fam, k + 1, c, n);
        double error;

        if (!has_model(fam, CHORALE_GUESS_MODEL, c) || !(left < least) ||
            !(right < least) ||
            isnan(predict(fam, k, c, n, comm_size, &error)) ||
            !(error <= EQUIVALENT_ERROR))
            continue;
        least = fmax(left, right);
        twin = c;
    }
    return twin;
}

double chorale_family_between(const struct chorale_family *fam, size_t k,
                              size_t cand, size_t n, int comm_size,
                              double *error_p)
{
    double error, t;

    if (cand == 0)
        cand = find_library_equivalent(fam, k, n, comm_size);
    t = predict(fam, k, cand, n, comm_size, &error);
    if (error_p != NULL)
        *error_p = error;
    return t;
}

size_t chorale_family_crossing(size_t n_a, size_t n_b, double left,
                               double right)
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
