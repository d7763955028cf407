/* SPDX-License-Identifier: BSD-3-Clause */
/* alg_config.h - a variant and its parameters, resolved from the names in a
 * database. */
#ifndef CHORALE_TUNER_BASE_ALG_CONFIG_H
#define CHORALE_TUNER_BASE_ALG_CONFIG_H

#include "algorithms/alg.h"

struct chorale_alg_config {
    const struct chorale_alg *alg;
    long value[CHORALE_MAX_PARAM]; /* in the descriptor's order */
};

/* Resolve the names. alg is NULL if this build does not know the variant or its
 * parameters. */
struct chorale_alg_config chorale_alg_configure(enum chorale_coll coll,
                                                const char *name,
                                                const char *params);

/* Simplicity of a candidate, small is simple: first the number of parameters
 * that differ from their default, then the position in the catalogue. alg must
 * not be NULL. */
int chorale_alg_config_place(const struct chorale_alg_config *config);

#endif
