/* SPDX-License-Identifier: BSD-3-Clause */
/* show_model.h - a fitted model for people and programs. */
#ifndef CHORALE_TUNER_MODEL_SHOW_MODEL_H
#define CHORALE_TUNER_MODEL_SHOW_MODEL_H

#include <jansson.h>

#include "db/systems.h"
#include "tuner/model/model.h"

/* On standard output; crossval: with each variant at each number of ranks. */
void chorale_fit_print(const struct chorale_system_row *system,
                       const struct chorale_model *model, int crossval);

/* All of it. NULL: out of memory, or names that are not UTF-8. */
json_t *chorale_fit_json(const struct chorale_system_row *system,
                         const struct chorale_model *model);

#endif
