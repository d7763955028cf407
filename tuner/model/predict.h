/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.h - predict the time of a variant by the fitted model of a system,
 * and decide whether the prediction may be used. All verbs use this
 * predictor. */
#ifndef CHORALE_TUNER_MODEL_PREDICT_H
#define CHORALE_TUNER_MODEL_PREDICT_H

#include "algorithms/alg.h"
#include "db/store.h"
#include "tuner/model/model.h"

/* A model with a larger relative error at measured points is not used there;
 * the bound for all predictions. */
#define CHORALE_PREDICT_BOUND 0.10

/* The point of a prediction. Texts are spelled as in the table cell. */
struct chorale_where {
    enum chorale_coll coll;
    int comm_size, ppn;
    const char *shape;
    size_t msg_size;         /* m, bytes of a block */
    const char *dtype, *op, *op_class;
    const char *root_policy; /* "rotate": median of three roots; "" or "none"
                              * for unrooted collectives */
    const char *arrival;     /* NULL: all ranks enter together; "last", or
                              * "ascending" (base/arrival.h) */
    double skew;             /* s: delay of the last rank */
};

struct chorale_predictor;

/* Load the stored model of a system. *p is NULL if no model is fitted; the
 * functions below accept NULL. */
enum chorale_err chorale_predictor_load(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        struct chorale_predictor **p,
                                        struct chorale_errmsg *msg);
/* Predictor from a model just fitted; it keeps no pointer into model.
 * chorale_predict_may() always answers 0. NULL: out of memory. */
struct chorale_predictor *
chorale_predictor_of(const struct chorale_model *model);
/* Predictor from points, fitted without cross-validation. With a single launch
 * it reports no lack of fit. NULL: the points do not determine a network, or
 * out of memory. */
struct chorale_predictor *
chorale_predictor_fit(const struct chorale_points *points);
void chorale_predictor_free(struct chorale_predictor *p);

/* Predicted seconds of alg with param in the descriptor's order, from the entry
 * of the first rank on. NAN: no model;
 * the variant does not run there; its messages depend on data or are sent by
 * the MPI library; or tau is unknown for the type and operation. The result is
 * not corrected by measured errors of the variant. Answers are cached. */
double chorale_predict(struct chorale_predictor *p,
                       const struct chorale_alg *alg, const long *param,
                       const struct chorale_where *where);

/* From now on, replay schedules until the work below has reached that limit,
 * and only those that may have up to `longest` events
 * (chorale_recording_estimate); others have no prediction. 0: no limit. */
void chorale_predict_limit(struct chorale_predictor *p, double work,
                           double longest);

/* 1 if the limit of work is reached, or that schedule exceeds the other. */
int chorale_predict_refuses(const struct chorale_predictor *p,
                            const struct chorale_alg *alg,
                            const struct chorale_point *pt);

/* The work of all replays so far: the number of their schedule events
 * (network.h), and of steps of sharing ports, of which eight take as long as an
 * event. */
double chorale_predict_work(const struct chorale_predictor *p);

/* The network reduced to three numbers for cost formulas. *alpha: s, of the
 * shortest messages; *beta: s per byte, of the longest; both between nodes
 * unless shape is "single-node". *tau: s per byte of the largest reductions of
 * that type and operation, 0: unknown. Returns 0; or -1 without a model, and
 * all three are unchanged. */
int chorale_predict_flat(const struct chorale_predictor *p, const char *shape,
                         const char *dtype, const char *op, double *alpha,
                         double *beta, double *tau);

/* The least cost of parts of a schedule, for lower bounds. */
struct chorale_predict_least {
    double alpha, beta, tau; /* s; s per byte; s per reduced byte, 0: unknown */
    double step;             /* s between messages of one rank that follow each
                              * other */
    double overlapped;       /* the same if the variant's sends overlap */
};

/* The least costs of a rank over all levels and sizes. Returns 0; or -1 without
 * a model, and *least is unchanged. */
int chorale_predict_least(const struct chorale_predictor *p,
                          const char *dtype, const char *op,
                          struct chorale_predict_least *least);

/* 1 if the model of alg lacks fit in that shape: significantly, and by more
 * than CHORALE_PREDICT_BOUND (model.h); why as below. Its predictions must then
 * not be used outside measured points, unless other evidence shows that they
 * are right there. Also works for predictors of a model just fitted, or of
 * points. */
int chorale_predict_lacks(const struct chorale_predictor *p,
                          const struct chorale_alg *alg,
                          const struct chorale_where *where, char *why,
                          size_t size);

/* 1 if the prediction may be used at that point, else 0 with the reason in
 * why[size] (a truncated clause; NULL if size is 0). It may be used at
 * measured process counts, at sizes that cross-validation predicted there
 * within CHORALE_PREDICT_BOUND. If in addition the model as a whole is trusted
 * and that of alg does not lack fit, it may be used:
 *  - between measured process counts of the same shape and ppn, at sizes where
 *    cross-validation predicted both neighbours within CHORALE_PREDICT_BOUND;
 *  - beyond the largest process count or size, up to half the ratio that
 *    cross-validation predicted within that bound; for more ranks only if the
 *    number of consecutive messages grows slower than P.
 * At other points the library must be used. */
int chorale_predict_may(struct chorale_predictor *p,
                        const struct chorale_alg *alg,
                        const struct chorale_where *where, char *why,
                        size_t size);

#endif
