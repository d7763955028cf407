/* SPDX-License-Identifier: BSD-3-Clause */
/* run_verb.h - run one verb as a step of another. */
#ifndef CHORALE_TUNER_BASE_RUN_VERB_H
#define CHORALE_TUNER_BASE_RUN_VERB_H

#include "tuner/base/verb.h"

/* Run a verb as from the command line. word: its name and its other arguments,
 * NULL-terminated; not modified. Returns the verb's error. */
enum chorale_err chorale_step(const struct chorale_verb *verb,
                              const char *const *word,
                              struct chorale_errmsg *msg);

/* Common prefix of product names: "results.db" becomes "results". */
void chorale_step_prefix(const char *path, char *prefix, size_t size);

#endif
