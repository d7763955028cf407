/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.h - seconds of a variant of the catalogue by the fitted model of a
 * system, and whether they may be relied on. One predictor for all verbs that
 * ask. */
#ifndef CHORALE_TUNER_MODEL_PREDICT_H
#define CHORALE_TUNER_MODEL_PREDICT_H

#include "algorithms/alg.h"
#include "db/store.h"
#include "tuner/model/model.h"

/* Above this relative error at measured points a variant's model is not used
 * there: DESIGN's bound for predictions. */
#define CHORALE_PREDICT_BOUND 0.10

/* Where. The texts are as in the table cell. */
struct chorale_where {
    enum chorale_coll coll;
    int comm_size, ppn;
    const char *shape;
    size_t msg_size;         /* m, bytes of a block */
    const char *dtype, *op, *op_class;
    const char *root_policy; /* "rotate": of three roots the middle time;
                              * "" or "none" where there is no root */
};

struct chorale_predictor;

/* The model of a system. *p is NULL if none is fitted: the functions below
 * take that. */
enum chorale_err chorale_predictor_load(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        struct chorale_predictor **p,
                                        struct chorale_errmsg *msg);
/* The same of a model just fitted, whose texts it uses no longer afterwards;
 * it says of nothing that it may be relied on. NULL: out of memory. */
struct chorale_predictor *
chorale_predictor_of(const struct chorale_model *model);
/* The same of points, fitted without looking how good it is; of times in one
 * launch alone it does not say that a model lacks fit. NULL: they do not
 * determine a network. */
struct chorale_predictor *
chorale_predictor_fit(const struct chorale_points *points);
void chorale_predictor_free(struct chorale_predictor *p);

/* Seconds of alg with parameter values in the descriptor's order; NAN where
 * there is no model: the variant does not run there, its messages depend on
 * data or the library sends some, no tau is known for the type and operation.
 * The model alone: what it is off by at measured points of the variant is for
 * the caller to correct. Asking again costs little. */
double chorale_predict(struct chorale_predictor *p,
                       const struct chorale_alg *alg, const long *param,
                       const struct chorale_where *where);

/* How many notes of schedules (network.h) were played for the answers so far: the
 * work that they took. */
double chorale_predict_notes(const struct chorale_predictor *p);

/* The network in three numbers, for cost formulas: the latency of the shortest
 * messages, s a byte of the longest, between nodes unless the shape is
 * "single-node", and s a reduced byte of the largest reductions of that type
 * and operation (0: unknown). 0, or -1: there is no model. */
int chorale_predict_flat(const struct chorale_predictor *p, const char *shape,
                         const char *dtype, const char *op, double *alpha,
                         double *beta, double *tau);

/* 1 if the model of alg lacks fit in that shape: significantly, and by more
 * than CHORALE_PREDICT_BOUND (model.h), with why as below. Then it must not
 * be asked outside of what was measured: not between numbers of ranks either,
 * unless something else has shown that it is right there. Also of a predictor
 * of a model just fitted, or of points. */
int chorale_predict_lacks(const struct chorale_predictor *p,
                          const struct chorale_alg *alg,
                          const struct chorale_where *where, char *why,
                          size_t size);

/* 1 if the prediction may be relied on there, else 0 and why (a clause for
 * people, cut at size; NULL with 0). It may at measured numbers of ranks and,
 * unless the model as a whole is not trusted or that of alg lacks fit,
 *  - between measured numbers of ranks of the same shape and ppn, at sizes
 *    where both neighbours were foretold within CHORALE_PREDICT_BOUND by a fit
 *    that did not know them;
 *  - beyond the largest number of ranks or size at most half as far (as a
 *    ratio) as cross-validation foretold within that bound, and with more
 *    ranks only where the number of messages in turn grows slower than P.
 * Elsewhere the library is to be used. */
int chorale_predict_may(struct chorale_predictor *p,
                        const struct chorale_alg *alg,
                        const struct chorale_where *where, char *why,
                        size_t size);

#endif
