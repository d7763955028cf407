/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_judge.c - computes the verdicts of a comparison by the rules of
 * compare.h. */
#include "tuner/compare/compare.h"

#include <math.h>
#include <stdlib.h>

#define EXACT 1e-9           /* smallest log difference in simulation */
#define CANARY 0.01          /* largest p of a canary that moved */

struct judge {
    struct chorale_compared *cell;
    struct chorale_canary *canary;
    size_t count, ncanary;
    const struct chorale_compare_opts *opts;
    struct chorale_ranks *ranks;
    double edge;             /* log(1 + threshold) */
    double *p, *adjusted;    /* [count] */
    size_t *work;            /* [count] */
};

static int between(struct judge *j, struct chorale_series x,
                   struct chorale_series y, struct chorale_shift *shift)
{
    return chorale_ranks_shift(j->ranks, x.x, x.n, y.x, y.n, shift);
}

/* Kinds of second measurement: both sides in turn, both not in turn, or head
 * only. */
enum look { NOT_AGAIN, IN_TURN, BOTH_AGAIN, HEAD_AGAIN, NLOOK };

static enum look look(const struct judge *j, const struct chorale_sides *s)
{
    if (s->again_head.n < j->opts->min_launches)
        return NOT_AGAIN;
    if (s->again_base.n >= j->opts->min_launches)
        return s->paired && s->again_base.n == s->again_head.n ? IN_TURN
                                                               : BOTH_AGAIN;
    return s->base.n >= j->opts->min_launches ? HEAD_AGAIN : NOT_AGAIN;
}

static int second(struct judge *j, const struct chorale_sides *s,
                  struct chorale_shift *shift)
{
    enum look how = look(j, s);

    if (how == HEAD_AGAIN)
        return between(j, s->base, s->again_head, shift);
    if (how == IN_TURN)
        return chorale_shift_paired(j->ranks, s->again_base.x,
                                    s->again_head.x, s->again_base.n, shift);
    return between(j, s->again_base, s->again_head, shift);
}

static int moves(const struct judge *j, const struct chorale_shift *s)
{
    if (s->p_up <= CANARY && s->estimate > j->edge / 2)
        return 1;
    return s->p_down <= CANARY && s->estimate < -j->edge / 2 ? -1 : 0;
}

static int judge_canaries(struct judge *j)
{
    static const struct chorale_shift unknown = { NAN, NAN, NAN, NAN, NAN };

    for (size_t k = 0; k < j->ncanary; k++) {
        struct chorale_canary *c = &j->canary[k];

        c->first = c->again = unknown;
        c->moved = c->moved_again = 0;
        if (c->sides.base.n >= j->opts->min_launches &&
            c->sides.head.n >= j->opts->min_launches) {
            if (between(j, c->sides.base, c->sides.head, &c->first) != 0)
                return -1;
            c->moved = moves(j, &c->first);
        }
        if (look(j, &c->sides) != NOT_AGAIN) {
            if (second(j, &c->sides, &c->again) != 0)
                return -1;
            c->moved_again = moves(j, &c->again);
        }
    }
    return 0;
}

/* The largest change of that sign among the canaries that apply to the cell and
 * moved; 0 if no canary moved. */
static double machine(const struct judge *j, const struct chorale_compared *c,
                      int again, int sign)
{
    double most = 0;

    for (size_t k = 0; k < j->ncanary; k++) {
        const struct chorale_canary *canary = &j->canary[k];

        if (!(c->canaries >> k & 1) ||
            (again ? canary->moved_again : canary->moved) != sign)
            continue;
        most = fmax(most, sign * (again ? canary->again
                                        : canary->first).estimate);
    }
    return sign * most;
}

static void judge_exact(const struct judge *j, struct chorale_compared *c)
{
    const struct chorale_sides *s = &c->sides;
    double d = s->head.x[s->head.n - 1] - s->base.x[s->base.n - 1];
    double least = fmax(EXACT, j->edge);

    c->shift = (struct chorale_shift){ d, d, d, d > EXACT ? 0 : 1,
                                       d < -EXACT ? 0 : 1 };
    c->p = c->adjusted = c->shift.p_up;
    c->verdict = d > least ? CHORALE_SLOWER
                 : d < -least ? CHORALE_FASTER : CHORALE_SAME;
}

static enum chorale_verdict_kind by_interval(const struct judge *j,
                                             const struct chorale_shift *s)
{
    return s->lo >= -j->edge && s->hi <= j->edge ? CHORALE_SAME
                                                 : CHORALE_UNDECIDED;
}

/* Test the first measurement of a cell. Returns 1 if tested, -1 if out of
 * memory. */
static int judge_first(struct judge *j, struct chorale_compared *c)
{
    const struct chorale_sides *s = &c->sides;

    c->again = c->looks_slower = 0;
    c->machine = 0;
    c->p = c->adjusted = NAN;
    c->shift = (struct chorale_shift){ NAN, NAN, NAN, NAN, NAN };
    if (s->base.n == 0 || s->head.n == 0) {
        c->verdict = s->base.n > 0 ? CHORALE_GONE
                     : s->head.n > 0 ? CHORALE_NEW : CHORALE_TOO_FEW;
        return 0;
    }
    if (j->opts->exact) {
        judge_exact(j, c);
        return 0;
    }
    if (between(j, s->base, s->head, &c->shift) != 0)
        return -1;
    c->verdict = CHORALE_TOO_FEW;
    if (s->base.n < j->opts->min_launches ||
        s->head.n < j->opts->min_launches)
        return 0;
    c->verdict = by_interval(j, &c->shift);
    c->p = c->shift.p_up;
    c->looks_slower = c->shift.p_up <= j->opts->screen &&
                      c->shift.estimate > j->edge / 2;
    return 1;
}

/* Decide between slower and machine, for a cell above the threshold. */
static void judge_slower(const struct judge *j, struct chorale_compared *c)
{
    c->machine = machine(j, c, c->again, 1);
    c->verdict = c->shift.estimate - c->machine > j->edge ? CHORALE_SLOWER
                                                          : CHORALE_MACHINE;
}

/* Verdicts of the first measurement: faster, and what looks slower. */
static void judge_once(struct judge *j, size_t tested)
{
    for (size_t i = 0; i < j->count; i++) {
        const struct chorale_compared *c = &j->cell[i];

        j->p[i] = isnan(c->p) ? NAN
                              : fmin(1, 2 * fmin(c->shift.p_up,
                                                 c->shift.p_down));
    }
    chorale_adjust_bh(j->p, j->count, j->adjusted, j->work);
    for (size_t i = 0; i < j->count; i++) {
        struct chorale_compared *c = &j->cell[i];
        double off = machine(j, c, 0, -1);

        if (isnan(c->p))
            continue;
        c->adjusted = j->adjusted[i];
        if (c->adjusted > j->opts->fdr || !(c->shift.estimate < -j->edge))
            continue;
        c->machine = off;
        c->verdict = c->shift.estimate - off < -j->edge ? CHORALE_FASTER
                                                        : CHORALE_MACHINE;
    }
    for (size_t i = 0; i < j->count; i++)
        j->p[i] = j->cell[i].p;
    chorale_adjust_holm(j->p, j->count, tested, j->adjusted, j->work);
    for (size_t i = 0; i < j->count; i++) {
        struct chorale_compared *c = &j->cell[i];

        if (isnan(c->p) || !c->looks_slower)
            continue;
        c->verdict = CHORALE_SUSPECT;
        c->adjusted = j->adjusted[i];
        if (j->opts->unpaired && c->adjusted <= j->opts->alpha &&
            c->shift.estimate > j->edge)
            judge_slower(j, c);
    }
}

/* Judge the cells measured again in one way, corrected over a family. */
static int judge_again(struct judge *j, enum look how, size_t family,
                       double alpha)
{
    for (size_t i = 0; i < j->count; i++) {
        struct chorale_compared *c = &j->cell[i];

        j->p[i] = NAN;
        if (!c->looks_slower || look(j, &c->sides) != how)
            continue;
        if (second(j, &c->sides, &c->shift) != 0)
            return -1;
        c->again = 1;
        j->p[i] = c->p = c->shift.p_up;
    }
    chorale_adjust_holm(j->p, j->count, family, j->adjusted, j->work);
    for (size_t i = 0; i < j->count; i++) {
        struct chorale_compared *c = &j->cell[i];

        if (isnan(j->p[i]))
            continue;
        c->adjusted = j->adjusted[i];
        c->machine = 0;
        c->verdict = by_interval(j, &c->shift);
        if (c->adjusted > alpha || !(c->shift.estimate > j->edge))
            continue;
        if (how == IN_TURN || j->opts->unpaired)
            judge_slower(j, c);
        else
            c->verdict = CHORALE_SUSPECT;
    }
    return 0;
}

/* Judge each kind of second measurement separately, each with its share of
 * alpha. */
static int judge_second(struct judge *j, size_t tested)
{
    size_t n[NLOOK] = { 0 }, kinds = 0;

    for (size_t i = 0; i < j->count; i++)
        if (j->cell[i].looks_slower)
            n[look(j, &j->cell[i].sides)]++;
    for (int how = IN_TURN; how < NLOOK; how++)
        kinds += n[how] > 0;
    for (int how = IN_TURN; how < NLOOK; how++)
        if (n[how] > 0 &&
            judge_again(j, (enum look)how, how == HEAD_AGAIN ? tested : n[how],
                        j->opts->alpha / (double)kinds) != 0)
            return -1;
    return 0;
}

static int judge_all(struct judge *j)
{
    size_t tested = 0;

    if (judge_canaries(j) != 0)
        return -1;
    for (size_t i = 0; i < j->count; i++) {
        int got = judge_first(j, &j->cell[i]);

        if (got < 0)
            return -1;
        tested += (size_t)got;
    }
    if (j->opts->exact)
        return 0;
    judge_once(j, tested);
    return judge_second(j, tested);
}

int chorale_compare_judge(struct chorale_compared *cell, size_t count,
                          struct chorale_canary *canary, size_t ncanary,
                          const struct chorale_compare_opts *opts)
{
    struct judge j = { cell, canary, count, ncanary, opts,
                       chorale_ranks_new(), log1p(opts->threshold),
                       malloc((count + 1) * sizeof(double)),
                       malloc((count + 1) * sizeof(double)),
                       malloc((count + 1) * sizeof(size_t)) };
    int rc = -1;

    if (j.ranks != NULL && j.p != NULL && j.adjusted != NULL &&
        j.work != NULL)
        rc = judge_all(&j);
    chorale_ranks_free(j.ranks);
    free(j.p);
    free(j.adjusted);
    free(j.work);
    return rc;
}

size_t chorale_compare_pairs(size_t ncell, double alpha)
{
    size_t n = 1;

    while (chorale_shift_paired_min_p(n) * (double)ncell > alpha)
        n++;
    return n;
}

size_t chorale_compare_launches(size_t ncell, double alpha)
{
    size_t n = 1;

    while (chorale_shift_two_min_p(n, n) * (double)ncell > alpha)
        n++;
    return n;
}
