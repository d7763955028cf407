/* SPDX-License-Identifier: BSD-3-Clause */
/* family.c - group the spots of a family into lines, and check which variants a
 * table may choose. */
#include "tuner/decide/family.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct chorale_family_net
chorale_family_network(const struct chorale_predictor *model,
                       const struct chorale_run_point *point)
{
    struct chorale_family_net net = { NAN, NAN, 0 };

    chorale_predict_flat(model, point->shape, point->dtype, point->op,
                         &net.alpha, &net.beta, &net.tau);
    return net;
}

int chorale_family_same(const struct chorale_run_point *a,
                        const struct chorale_run_point *b)
{
    return a->coll == b->coll && a->ppn == b->ppn && a->shape == b->shape &&
           a->dtype == b->dtype && a->op == b->op;
}

size_t chorale_family_member(const struct chorale_family *fam,
                             const struct chorale_run_point *run)
{
    size_t i = 0;

    while (i < fam->ncand &&
           !chorale_run_same_candidate(fam->cand[i].run, run))
        i++;
    return i;
}

int chorale_family_models(const struct chorale_family *fam,
                          const struct chorale_run_point *run)
{
    const struct chorale_alg_config *config = &run->config;
    struct chorale_point pt = { 0 };

    memcpy(pt.param, config->value, sizeof(pt.param));
    return config->alg != NULL && !isnan(fam->net.alpha) &&
           !chorale_alg_by_library(config->alg, &pt);
}

static int add_member(struct chorale_family *fam,
                      const struct chorale_run_point *run)
{
    struct chorale_member *more;

    if (chorale_family_member(fam, run) < fam->ncand)
        return 0;
    more = realloc(fam->cand, (fam->ncand + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    fam->cand = more;
    more[fam->ncand++] = (struct chorale_member){
        .run = run, .modelled = chorale_family_models(fam, run),
    };
    return 0;
}

static int add_line(struct chorale_family *fam, struct chorale_measured *spot,
                    size_t nspot)
{
    struct chorale_line *more;

    more = realloc(fam->line, (fam->nline + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    fam->line = more;
    more[fam->nline++] = (struct chorale_line){
        .comm_size = spot->point->comm_size, .spot = spot, .nspot = nspot,
    };
    for (size_t i = 0; i < nspot; i++)
        for (size_t c = 0; c < spot[i].ncand; c++)
            if (add_member(fam, spot[i].cand[c].run) != 0)
                return -1;
    return 0;
}

/* Simplicity of a member: the library, then Chorale's candidates. */
static int place_of(const struct chorale_member *m)
{
    const struct chorale_alg_config *config = &m->run->config;

    if (m->run == &chorale_library_run)
        return -1;
    return config->alg != NULL ? chorale_alg_config_place(config) : INT_MAX;
}

/* Sort the members by simplicity: of equal choices the first is taken. */
static void sort_members(struct chorale_family *fam)
{
    for (size_t i = 1; i < fam->ncand; i++) {
        const struct chorale_member m = fam->cand[i];
        size_t k = i;

        for (; place_of(&fam->cand[k - 1]) > place_of(&m); k--)
            fam->cand[k] = fam->cand[k - 1];
        fam->cand[k] = m;
    }
}

/* Log times of all members at the spots of a line: the library's mean minus the
 * member's gain in the launches that ran both. */
static int fill_times(struct chorale_family *fam, struct chorale_line *line)
{
    size_t room = line->nspot * fam->ncand;

    line->log_time = malloc((room + 1) * sizeof(double));
    if (line->log_time == NULL)
        return -1;
    for (size_t i = 0; i < room; i++)
        line->log_time[i] = NAN;
    for (int kind = 0; kind < CHORALE_GUESS_KINDS; kind++) {
        line->error[kind] = malloc((room + 1) * sizeof(double));
        if (line->error[kind] == NULL)
            return -1;
        for (size_t i = 0; i < room; i++)
            line->error[kind][i] = NAN;
    }
    for (size_t i = 0; i < line->nspot; i++) {
        const struct chorale_measured *s = &line->spot[i];

        for (size_t c = 0; s->nlaunch > 0 && c < s->ncand; c++)
            line->log_time[i * fam->ncand +
                           chorale_family_member(fam, s->cand[c].run)] =
                s->cand[c].place < 0
                    ? INFINITY
                    : chorale_cand_log_seconds(s, c);
    }
    return 0;
}

/* Prediction errors of line mine; two has only the adjacent lines. */
static void check_line(const struct chorale_family *two,
                       const struct chorale_line *mine)
{
    for (size_t i = 0; i < mine->nspot * two->ncand; i++) {
        size_t n = mine->spot[i / two->ncand].point->n;

        for (int kind = 0; kind < CHORALE_GUESS_KINDS; kind++)
            if (isfinite(mine->log_time[i]))
                mine->error[kind][i] = fabs(expm1(
                    chorale_family_guess(two, (enum chorale_guess_kind)kind, 0,
                                         i % two->ncand, n, mine->comm_size) -
                    mine->log_time[i]));
    }
}

/* Prediction errors of the lines with neighbours on both sides. */
static void check_lines(struct chorale_family *fam)
{
    for (size_t j = 1; j + 1 < fam->nline; j++) {
        struct chorale_line pair[2] = { fam->line[j - 1], fam->line[j + 1] };
        struct chorale_family two = *fam;

        two.line = pair;
        two.nline = 2;
        check_line(&two, &fam->line[j]);
    }
}

void chorale_family_near(const struct chorale_family *fam, size_t line,
                         size_t n, unsigned char *near)
{
    const struct chorale_line *ln = &fam->line[line];
    size_t first = 0;

    while (first + 1 < ln->nspot && ln->spot[first + 1].point->n <= n)
        first++;
    for (size_t i = first; i < first + 2 && i < ln->nspot; i++) {
        const double *t = ln->log_time + i * fam->ncand;
        double best = INFINITY;

        for (size_t c = 0; c < fam->ncand; c++)
            best = fmin(best, t[c]);
        for (size_t c = 0; c < fam->ncand; c++)
            near[c] |= !(t[c] > best + CHORALE_FAMILY_NEAR);
    }
}

/* Estimate the schedule events (network.h) replayed for all predictions between
 * the points: messages of the critical path, times ranks, at each size twice,
 * and at each process count in between. */
static double notes_of(const struct chorale_family *fam)
{
    const struct chorale_line *last = &fam->line[fam->nline - 1];
    double between = 0, sum = 0;

    for (size_t j = 0; j + 1 < fam->nline; j++) {
        int a = fam->line[j].comm_size, b = fam->line[j + 1].comm_size;

        if (b - a - 1 > CHORALE_DECIDE_GAP)
            continue;
        between += b <= CHORALE_DECIDE_EACH
                       ? b - a - 1
                       : fmax(0, CHORALE_DECIDE_EACH - a) +
                             16 * log(b / fmax(a, CHORALE_DECIDE_EACH));
    }

    for (size_t c = 0; c < fam->ncand; c++) {
        const struct chorale_alg_config *config = &fam->cand[c].run->config;

        for (size_t i = 0; i < last->nspot && config->alg != NULL; i++) {
            struct chorale_term term[CHORALE_MAX_TERM];
            struct chorale_point pt = chorale_decide_point(
                fam->point, config->value, last->spot[i].point->n,
                last->comm_size);
            double messages, bytes, reduced;

            if (chorale_alg_refuses(config->alg, &pt) != NULL)
                continue;
            chorale_term_sums(term, config->alg->cost(&pt, term), &messages,
                              &bytes, &reduced);
            sum += 2 * messages * last->comm_size;
        }
    }
    return sum * (2 * (double)fam->nline + between / 2);
}

/* Find the members whose model lacks fit. */
static void find_lacking(struct chorale_family *fam)
{
    const struct chorale_run_point *point = fam->point;
    const struct chorale_where where = {
        .coll = point->coll, .comm_size = point->comm_size,
        .ppn = point->ppn, .shape = point->shape, .dtype = point->dtype,
        .op = point->op, .op_class = point->op_class, .root_policy = "",
    };
    char why[200];

    for (size_t c = 0; c < fam->ncand; c++) {
        const struct chorale_alg *alg = fam->cand[c].run->config.alg;

        fam->cand[c].lacks = alg != NULL &&
                             chorale_predict_lacks(fam->model, alg, &where,
                                                   why, sizeof(why));
    }
}

int chorale_family_init(struct chorale_family *fam,
                        struct chorale_measured *spot, size_t nspot,
                        const struct chorale_measured *first,
                        struct chorale_predictor *model,
                        const struct chorale_decide_opts *opts)
{
    double notes = CHORALE_FAMILY_EVENTS;
    size_t end, cells = 0;

    for (size_t i = 0; i < nspot; i++)
        cells += spot[i].ncand;
    if (cells > CHORALE_FAMILY_CELLS)
        notes *= CHORALE_FAMILY_CELLS / (double)cells;
    *fam = (struct chorale_family){ .point = first->point, .opts = opts,
                                    .model = model };
    fam->net = chorale_family_network(model, first->point);
    if (add_member(fam, &chorale_library_run) != 0)
        return -1;
    for (size_t i = 0; i < nspot; i = end) {
        end = i + 1;
        if (!chorale_family_same(spot[i].point, first->point))
            continue;
        while (end < nspot &&
               chorale_family_same(spot[end].point, first->point) &&
               spot[end].point->comm_size == spot[i].point->comm_size)
            end++;
        if (add_line(fam, &spot[i], end - i) != 0)
            return -1;
    }
    sort_members(fam);
    fam->played = model != NULL && fam->nline > 0 &&
                  notes_of(fam) <= notes;
    if (fam->played)
        find_lacking(fam);
    for (size_t j = 0; j < fam->nline; j++)
        if (fill_times(fam, &fam->line[j]) != 0)
            return -1;
    check_lines(fam);
    chorale_family_fill_errors(fam);
    return 0;
}

void chorale_family_release(struct chorale_family *fam)
{
    for (size_t j = 0; j < fam->nline; j++) {
        free(fam->line[j].log_time);
        for (int kind = 0; kind < CHORALE_GUESS_KINDS; kind++)
            free(fam->line[j].error[kind]);
    }
    free(fam->line);
    free(fam->cand);
}

const char *chorale_family_excluded(const struct chorale_family *fam,
                                    size_t cand,
                                    size_t n, int comm_size)
{
    const struct chorale_run_point *run = fam->cand[cand].run;
    struct chorale_point pt;

    if (cand == 0)
        return NULL;
    if (chorale_decide_other(run, fam->opts) != NULL || fam->opts->rules)
        return chorale_decide_other(run, fam->opts);
    if (run->config.alg == NULL)
        return "unknown to this build";
    pt = chorale_decide_point(fam->point, run->config.value, n, comm_size);
    return chorale_decide_excluded(run->config.alg, &pt, fam->opts);
}
