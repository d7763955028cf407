/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_decisions.c - finds where two databases decide differently, other
 * than by a tie.
 *
 * At a measured size base chooses A and head B. Each launch of either side
 * gives d = log(time of A / time of B). Consecutive sizes of one number of
 * ranks are one finding, with the mean of their d. A finding counts under two
 * conditions:
 *
 * - A is slower than B in head by more than the threshold.
 * - d is larger in head than in base, by Mann and Whitney's test over the
 *   launches with Holm's correction over all findings.
 *
 * A crossover that moved by one size does not count: there head's choice is
 * base's choice at the adjacent size. */
#include "tuner/compare/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide.h"

#define EXACT 1e-9

struct side {
    struct chorale_points points; /* of the first launches */
    struct chorale_measured *spot;
    size_t nspot;
};

static int same_line(const struct chorale_run_point *a,
                     const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->op, b->op) == 0;
}

static int same_cand(const struct chorale_cand *a,
                     const struct chorale_cand *b)
{
    return strcmp(a->run->provider, b->run->provider) == 0 &&
           strcmp(a->run->variant, b->run->variant) == 0 &&
           strcmp(a->run->params, b->run->params) == 0;
}

static const struct chorale_cand *pick(const struct chorale_measured *spot)
{
    return &spot->cand[spot->why == CHORALE_WHY_GAIN ? spot->pick : 0];
}

static const struct chorale_cand *find(const struct chorale_measured *spot,
                                       const struct chorale_cand *like)
{
    for (size_t c = 0; c < spot->ncand; c++)
        if (same_cand(&spot->cand[c], like))
            return &spot->cand[c];
    return NULL;
}

/* Head's spot at the same point, or NULL. */
static const struct chorale_measured *
partner(const struct side *head, const struct chorale_measured *spot)
{
    for (size_t i = 0; i < head->nspot; i++)
        if (same_line(head->spot[i].point, spot->point) &&
            head->spot[i].point->n == spot->point->n)
            return &head->spot[i];
    return NULL;
}

/* Sizes [first, first + n) of base's spots at which head chooses
 * differently. */
struct stretch {
    const struct side *base, *head;
    size_t first, n;
};

/* Mean over the sizes of log(A / B) in one side's launch l, as numbered in the
 * first spot. NAN if a size lacks a time. */
static double difference(const struct stretch *s, int in_head, size_t l)
{
    double sum = 0;
    const char *launch = NULL;

    for (size_t i = 0; i < s->n; i++) {
        const struct chorale_measured *b = &s->base->spot[s->first + i];
        const struct chorale_measured *h = partner(s->head, b);
        const struct chorale_measured *at = in_head ? h : b;
        const struct chorale_cand *from = find(at, pick(b));
        const struct chorale_cand *to = find(at, pick(h));
        size_t k = l;

        if (i == 0 && l < at->nlaunch)
            launch = at->launch[l];
        for (k = 0; k < at->nlaunch && at->launch[k] != launch; k++)
            continue;
        if (from == NULL || to == NULL || k == at->nlaunch)
            return NAN;
        sum += to->ratio[k] - from->ratio[k];
    }
    return sum / (double)s->n;
}

static size_t differences(const struct stretch *s, int in_head, double *d,
                          double *mean_p)
{
    const struct chorale_measured *b = &s->base->spot[s->first];
    const struct chorale_measured *at = in_head ? partner(s->head, b) : b;
    double sum = 0;
    size_t n = 0;

    for (size_t l = 0; l < at->nlaunch; l++) {
        double x = difference(s, in_head, l);

        if (!isfinite(x))
            continue;
        d[n++] = x;
        sum += x;
    }
    *mean_p = n > 0 ? sum / (double)n : NAN;
    return n;
}

/* Returns 1 if only a crossover moved by one size. */
static int moved_by_one(const struct stretch *s)
{
    const struct chorale_measured *b = &s->base->spot[s->first];
    const struct chorale_cand *to = pick(partner(s->head, b));

    if (s->n != 1)
        return 0;
    return (s->first > 0 && same_line(b[-1].point, b->point) &&
            same_cand(pick(&b[-1]), to)) ||
           (s->first + 1 < s->base->nspot &&
            same_line(b[1].point, b->point) && same_cand(pick(&b[1]), to));
}

static char *choice_text(const struct chorale_cand *c)
{
    const struct chorale_run_point *run = c->run;
    char text[320], out[320];

    snprintf(text, sizeof(text), "%s%s%s",
             strcmp(run->provider, "library") == 0 ? "library" : run->variant,
             run->params[0] != '\0' ? ":" : "", run->params);
    chorale_safe_text(out, sizeof(out), text);
    return strdup(out);
}

/* Add one finding. Returns 0, or -1 if out of memory. */
static int add(struct chorale_comparison *cmp, const struct stretch *s,
               struct chorale_ranks *ranks, char **text)
{
    struct chorale_rechoice *r = &cmp->rechoice[cmp->nrechoice++];
    const struct chorale_measured *b = &s->base->spot[s->first];
    size_t room = cmp->base.nlaunch + cmp->head.nlaunch + 1, nb, nh;
    double *base = malloc(room * sizeof(*base));
    double *head = malloc(room * sizeof(*head));
    struct chorale_shift shift;
    int rc = -1;

    *r = (struct chorale_rechoice){
        .at = *b->point, .n_lo = b->point->n,
        .n_hi = s->base->spot[s->first + s->n - 1].point->n, .nsize = s->n,
        .p = NAN, .adjusted = NAN,
    };
    text[0] = choice_text(pick(b));
    text[1] = choice_text(pick(partner(s->head, b)));
    r->from = text[0];
    r->to = text[1];
    if (base == NULL || head == NULL || text[0] == NULL || text[1] == NULL)
        goto out;
    nb = differences(s, 0, base, &r->loss_base);
    nh = differences(s, 1, head, &r->loss_head);
    rc = 0;
    if (nb == 0 || nh == 0 || moved_by_one(s))
        goto out;
    if (cmp->opts.exact) {
        r->changed = r->loss_head > fmax(EXACT, log1p(cmp->opts.threshold));
    } else {
        rc = chorale_ranks_shift(ranks, base, nb, head, nh, &shift);
        r->p = rc == 0 ? shift.p_up : NAN;
    }
out:
    free(base);
    free(head);
    return rc;
}

static int differs(const struct side *base, const struct side *head, size_t i)
{
    const struct chorale_measured *h = partner(head, &base->spot[i]);

    return h != NULL && base->spot[i].nlaunch > 0 && h->nlaunch > 0 &&
           !same_cand(pick(&base->spot[i]), pick(h));
}

static int judge(struct chorale_comparison *cmp)
{
    size_t n = cmp->nrechoice;
    double *p = malloc((n + 1) * sizeof(*p));
    double *adjusted = malloc((n + 1) * sizeof(*adjusted));
    size_t *work = malloc((n + 1) * sizeof(*work));
    int rc = p != NULL && adjusted != NULL && work != NULL ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < n; i++)
        p[i] = cmp->rechoice[i].p;
    if (rc == 0 && !cmp->opts.exact) {
        chorale_adjust_holm(p, n, n, adjusted, work);
        for (size_t i = 0; i < n; i++) {
            struct chorale_rechoice *r = &cmp->rechoice[i];

            r->adjusted = adjusted[i];
            r->changed = adjusted[i] <= cmp->opts.alpha &&
                         r->loss_head > log1p(cmp->opts.threshold);
        }
    }
    free(p);
    free(adjusted);
    free(work);
    return rc;
}

static int find_all(struct chorale_comparison *cmp, const struct side *base,
                    const struct side *head)
{
    struct chorale_ranks *ranks = chorale_ranks_new();
    char **text = calloc(2 * base->nspot + 1, sizeof(*text));
    int rc = -1;

    cmp->choice_texts = text;
    cmp->rechoice = calloc(base->nspot + 1, sizeof(*cmp->rechoice));
    if (ranks == NULL || text == NULL || cmp->rechoice == NULL)
        goto out;
    rc = 0;
    for (size_t i = 0; i < base->nspot && rc == 0; i++) {
        struct stretch s = { base, head, i, 1 };

        if (!differs(base, head, i))
            continue;
        while (i + 1 < base->nspot &&
               same_line(base->spot[i + 1].point, base->spot[i].point) &&
               differs(base, head, i + 1)) {
            s.n++;
            i++;
        }
        rc = add(cmp, &s, ranks, text + 2 * cmp->nrechoice);
    }
    if (rc == 0)
        rc = judge(cmp);
out:
    chorale_ranks_free(ranks);
    return rc;
}

static void release(struct side *side)
{
    for (size_t i = 0; i < side->nspot; i++)
        chorale_measured_release(&side->spot[i]);
    free(side->spot);
    free(side->points.row);
}

enum chorale_err chorale_comparison_choices(struct chorale_comparison *cmp,
                                            struct chorale_errmsg *msg)
{
    struct chorale_decide_opts opts = {
        .simulated = cmp->opts.exact, .threshold = 0.03, .fdr = 0.05,
        .compact = 0.01, .max_scratch = -1,
    };
    struct side base = { { .row = NULL }, NULL, 0 };
    struct side head = { { .row = NULL }, NULL, 0 };
    enum chorale_err err = CHORALE_OK;

    if (chorale_side_first(&cmp->base, &base.points) != 0 ||
        chorale_side_first(&cmp->head, &head.points) != 0)
        err = chorale_fail_memory(msg, "compare");
    if (err == CHORALE_OK)
        err = chorale_decide_sizes(&base.points, &opts, &base.spot,
                                   &base.nspot, msg);
    if (err == CHORALE_OK)
        err = chorale_decide_sizes(&head.points, &opts, &head.spot,
                                   &head.nspot, msg);
    if (err == CHORALE_OK && find_all(cmp, &base, &head) != 0)
        err = chorale_fail_memory(msg, "compare");
    release(&base);
    release(&head);
    return err;
}
