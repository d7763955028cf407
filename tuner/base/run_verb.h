/* SPDX-License-Identifier: BSD-3-Clause */
/* run_verb.h - verbs that are steps of others. */
#ifndef CHORALE_TUNER_BASE_RUN_VERB_H
#define CHORALE_TUNER_BASE_RUN_VERB_H

#include "tuner/base/verb.h"

/* Run a verb as a person would, with these words, the first its name; NULL
 * ends them. */
enum chorale_err chorale_step(const struct chorale_verb *verb,
                              const char *const *word,
                              struct chorale_errmsg *msg);

/* `chorale fit` on one system, of which nothing is printed but, unless quiet,
 * its progress bar. In fit.c. */
enum chorale_err chorale_step_fit(const char *path, const char *system,
                                  int quiet, struct chorale_errmsg *msg);

/* results.db -> results: what the names of products begin with. */
void chorale_step_prefix(const char *path, char *prefix, size_t size);

#endif
