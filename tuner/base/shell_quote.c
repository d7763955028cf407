/* SPDX-License-Identifier: BSD-3-Clause */
/* shell_quote.c - quote a word for a shell. */
#include "config.h"

#include "tuner/base/shell_quote.h"

#include <stdio.h>
#include <string.h>

#define NEED_NONE \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:,=@%"

/* Characters with a special meaning inside double quotes. */
#define NOT_IN_DOUBLE "\"$`\\!"

const char *chorale_shell_word(const char *word, char *quoted, size_t size)
{
    size_t len = 0;

    if (word[0] != '\0' && word[strspn(word, NEED_NONE)] == '\0')
        return word;
    if (strchr(word, '\'') != NULL && strpbrk(word, NOT_IN_DOUBLE) == NULL) {
        snprintf(quoted, size, "\"%s\"", word);
        return quoted;
    }
    quoted[len++] = '\'';
    for (; *word != '\0' && len + 6 <= size; word++)
        if (*word == '\'')
            len += (size_t)snprintf(quoted + len, size - len, "'\\''");
        else
            quoted[len++] = *word;
    quoted[len++] = '\'';
    quoted[len] = '\0';
    return quoted;
}
