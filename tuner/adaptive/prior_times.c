/* SPDX-License-Identifier: BSD-3-Clause */
/* prior_times.c - expected time of a call before any measurement. */
#include "tuner/adaptive/adaptive.h"

#include <math.h>

#include "tuner/model/predict.h"

#define LIKELY 2.0 /* times the least formula: variants that the library may use
                    * and whose schedules are replayed */

const struct chorale_family_net chorale_adapt_typical = { 2e-6, 4e-10, 1e-10 };

struct chorale_run_point
chorale_adapt_run(const struct chorale_adapt_cell *cell)
{
    return (struct chorale_run_point){
        .coll = cell->coll, .ppn = cell->ppn, .shape = cell->shape,
        .type = chorale_dtype(cell->dtype),
        .dtype = chorale_dtype(cell->dtype)->name,
        .op = cell->op >= 0 ? chorale_opkind(cell->op)->name : "",
        .op_class = cell->op >= 0 ? "builtin" : "",
    };
}

double chorale_adapt_seconds(const struct chorale_adapt_model *model,
                             const struct chorale_alg_config *config, size_t n,
                             int comm_size)
{
    const struct chorale_run_point *run = &model->run;
    const struct chorale_alg *alg = config->alg;
    struct chorale_point pt = chorale_decide_point(run, config->value, n,
                                                   comm_size);
    struct chorale_term term[CHORALE_MAX_TERM];
    double a, b, c;

    if (chorale_alg_refuses(alg, &pt) != NULL)
        return NAN;
    if (model->played != NULL) {
        const struct chorale_where where = {
            .coll = run->coll, .comm_size = comm_size, .ppn = run->ppn,
            .shape = run->shape, .msg_size = pt.msg_size,
            .dtype = run->dtype, .op = run->op,
            .op_class = run->op_class,
            .root_policy = model->root != NULL ? model->root : "last",
            .arrival = model->arrival, .skew = model->skew,
        };

        a = chorale_predict(model->played, alg, pt.param, &where);
        if (a > 0)
            return a;
    }
    if (model->arrival != NULL)
        return NAN;
    pt.alpha = model->net.alpha;
    pt.beta = model->net.beta;
    pt.tau = model->net.tau;
    chorale_term_sums(term, alg->cost(&pt, term), &a, &b, &c);
    return a * pt.alpha + b * pt.beta + c * pt.tau;
}

double chorale_adapt_library(const struct chorale_adapt_model *model, size_t n,
                             int comm_size)
{
    struct chorale_adapt_model formulas = *model;
    double least = INFINITY, limit = INFINITY;

    if (model->played != NULL && model->arrival == NULL) {
        formulas.played = NULL;
        limit = LIKELY * chorale_adapt_library(&formulas, n, comm_size);
    }
    for (int i = 0; chorale_algs[i] != NULL; i++) {
        const struct chorale_alg *alg = chorale_algs[i];
        struct chorale_alg_config config = { .alg = alg };

        if (alg->coll != model->run.coll ||
            !chorale_alg_core(alg, comm_size, 0))
            continue;
        for (int k = 0; k < alg->nparam; k++)
            config.value[k] = alg->param[k].def;
        if (limit < INFINITY &&
            !(chorale_adapt_seconds(&formulas, &config, n, comm_size) <= limit))
            continue;
        least = fmin(least, chorale_adapt_seconds(model, &config, n,
                                                  comm_size));
    }
    return least;
}
