/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_valid.h - stored cross-validation results: where predictions are
 * valid. */
#ifndef CHORALE_TUNER_MODEL_PREDICT_VALID_H
#define CHORALE_TUNER_MODEL_PREDICT_VALID_H

#include "tuner/model/predict.h"

struct predict_known;

/* Load the results of a system. doubtful: the model as a whole is not
 * trusted. */
enum chorale_err predict_known_load(struct chorale_store *store,
                                    sqlite3_int64 system_id, int doubtful,
                                    struct predict_known **known_p,
                                    struct chorale_errmsg *msg);
/* Results of a model just fitted: lack of fit only; no prediction is valid.
 * NULL: out of memory. */
struct predict_known *predict_known_of(const struct chorale_model *model);
void predict_known_free(struct predict_known *known);

/* As chorale_predict_lacks() and chorale_predict_may(). */
int predict_known_lacks(const struct predict_known *known,
                        const struct chorale_alg *alg,
                        const struct chorale_where *where, char *why,
                        size_t size);
int predict_known_may(const struct predict_known *known,
                      const struct chorale_alg *alg,
                      const struct chorale_where *where, char *why,
                      size_t size);

#endif
