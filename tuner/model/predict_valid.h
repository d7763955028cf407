/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_valid.h - stored cross-validation results: where predictions are
 * valid. */
#ifndef CHORALE_TUNER_MODEL_PREDICT_VALID_H
#define CHORALE_TUNER_MODEL_PREDICT_VALID_H

#include "tuner/model/predict.h"

struct chorale_crossval;

/* Load the results of a system. doubtful: the model as a whole is not
 * trusted. */
enum chorale_err chorale_crossval_load(struct chorale_store *store,
                                       sqlite3_int64 system_id, int doubtful,
                                       struct chorale_crossval **known_p,
                                       struct chorale_errmsg *msg);
/* Results of a model just fitted: lack of fit only; no prediction is valid.
 * NULL: out of memory. */
struct chorale_crossval *chorale_crossval_of(const struct chorale_model *model);
void chorale_crossval_free(struct chorale_crossval *known);

/* As chorale_predict_lacks() and chorale_predict_may(). */
int chorale_crossval_lacks(const struct chorale_crossval *known,
                           const struct chorale_alg *alg,
                           const struct chorale_where *where, char *why,
                           size_t size);
int chorale_crossval_may(const struct chorale_crossval *known,
                         const struct chorale_alg *alg,
                         const struct chorale_where *where, char *why,
                         size_t size);

#endif
