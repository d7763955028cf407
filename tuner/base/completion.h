/* SPDX-License-Identifier: BSD-3-Clause */
/* completion.h - what a shell completes, from the rows of the verbs. */
#ifndef CHORALE_TUNER_BASE_COMPLETION_H
#define CHORALE_TUNER_BASE_COMPLETION_H

#include <stdio.h>

#include "tuner/base/verb.h"

/* Print a script of that shell, bash or zsh, that completes verbs, their
 * options and first words, and collectives; all else is files. 0, or -1: no
 * such shell. */
int chorale_completion(const char *shell, const struct chorale_verb *const *verb,
                       size_t nverb, FILE *out);

#endif
