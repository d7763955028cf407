/* SPDX-License-Identifier: BSD-3-Clause */
/* completion.h - completion scripts for bash and zsh, from the verbs' rows. */
#ifndef CHORALE_TUNER_BASE_COMPLETION_H
#define CHORALE_TUNER_BASE_COMPLETION_H

#include <stdio.h>

#include "tuner/base/verb.h"

/* Print to out a completion script for shell ("bash" or "zsh"). It completes
 * verbs, their options and first words, fixed option values and collectives;
 * every other word is completed as a file name. Returns 0, or -1 for an unknown
 * shell. */
int chorale_completion(const char *shell, const struct chorale_verb *const *verb,
                       size_t nverb, FILE *out);

#endif
