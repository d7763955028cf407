/* SPDX-License-Identifier: BSD-3-Clause */
/* model_show.h - print a fitted model as text or as JSON. */
#ifndef CHORALE_TUNER_MODEL_MODEL_SHOW_H
#define CHORALE_TUNER_MODEL_MODEL_SHOW_H

#include <jansson.h>

#include "db/systems.h"
#include "tuner/model/model.h"

/* Print to standard output; crossval: also each variant at each process
 * count. */
void chorale_fit_print(const struct chorale_system_row *system,
                       const struct chorale_model *model, int crossval);

/* The whole model as JSON. NULL: out of memory, or a name is not UTF-8. */
json_t *chorale_fit_json(const struct chorale_system_row *system,
                         const struct chorale_model *model);

#endif
