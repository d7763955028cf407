/* SPDX-License-Identifier: BSD-3-Clause */
/* shell_quote.h - quote words of commands that users may copy into a shell. */
#ifndef CHORALE_TUNER_BASE_SHELL_QUOTE_H
#define CHORALE_TUNER_BASE_SHELL_QUOTE_H

#include <stddef.h>

/* Quote word so that a shell reads it unchanged. Returns word itself if it
 * needs no quotes, else quoted[size]. Backslashes are avoided where possible.
 * 4 * strlen(word) + 3 bytes always suffice; a longer result is cut. */
const char *chorale_shell_word(const char *word, char *quoted, size_t size);

#endif
