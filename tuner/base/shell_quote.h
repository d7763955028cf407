/* SPDX-License-Identifier: BSD-3-Clause */
/* shell_quote.h - words of commands that are shown to be repeated. */
#ifndef CHORALE_TUNER_BASE_SHELL_QUOTE_H
#define CHORALE_TUNER_BASE_SHELL_QUOTE_H

#include <stddef.h>

/* word as a shell reads it back: itself where it needs no quotes, else in
 * quoted[size], which is returned; without a backslash where that is possible.
 * 4 * strlen(word) + 3 bytes are always enough; what has no room is left
 * out. */
const char *chorale_shell_word(const char *word, char *quoted, size_t size);

#endif
