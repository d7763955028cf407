/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h - alpha, beta and tau of a system from the runs of the catalogue's
 * variants, whose costs are known: T = A alpha + B beta + C tau. */
#ifndef CHORALE_TUNER_MODEL_H
#define CHORALE_TUNER_MODEL_H

#include "tuner/fit.h"
#include "tuner/points.h"

#define CHORALE_MODEL_TAUS (CHORALE_FIT_MAX - 2)

/* Above this median error, or this 90th percentile of the errors, the model is
 * not to be trusted. */
#define CHORALE_MODEL_TRUST 0.10
#define CHORALE_MODEL_TRUST_TAIL 0.30

/* A parameter is determined if its interval leaves out zero and is no wider
 * than this factor from end to end. */
#define CHORALE_MODEL_SPAN 3.0

struct chorale_model_tau {
    const char *dtype, *op;
    size_t type_size;
    int column;              /* of its value in fit, -1: not identifiable */
};

/* How well one variant is described; a row of the lack of fit. */
struct chorale_model_variant {
    enum chorale_coll coll;
    const char *name;
    size_t npoints;
    double median_error, worst_error;
};

struct chorale_model {
    struct chorale_fit_result fit; /* value[0] alpha, [1] beta, then taus */
    size_t ncol, npoints, nlaunch;
    size_t nskipped;         /* runs of unknown variants or types */
    size_t noverlap;         /* runs of variants whose sends overlap */
    int trusted;
    size_t ntau;
    struct chorale_model_tau tau[CHORALE_MODEL_TAUS];
    struct chorale_run_point worst; /* where the worst error is */
    size_t nvariant;
    struct chorale_model_variant *variant;
};

/* Fit. system names it in error lines. CHORALE_DATA: nothing measured, or
 * what was measured does not separate alpha from beta. The texts point into
 * points. */
enum chorale_err chorale_model_fit(const struct chorale_points *points,
                                   const char *system,
                                   struct chorale_model *model,
                                   struct chorale_errmsg *msg);
void chorale_model_release(struct chorale_model *model);

#endif
