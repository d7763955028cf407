/* SPDX-License-Identifier: BSD-3-Clause */
/* path_escape.c - encode a path as one shell word. */
#include "db/path_escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters at which a shell splits, or expands, an unquoted variable. */
static const char apart[] = " \t\n\r\v\f*?[]\\";

int chorale_word_is_plain(const char *text)
{
    return text[strcspn(text, apart)] == '\0' && text[0] != '\0';
}

char *chorale_word_escape(const char *text)
{
    char *word = malloc(3 * strlen(text) + 1), *out = word;

    if (word == NULL)
        return NULL;
    for (; *text != '\0'; text++)
        if (*text == '%' || strchr(apart, *text) != NULL)
            out += sprintf(out, "%%%02x", (unsigned)(unsigned char)*text);
        else
            *out++ = *text;
    *out = '\0';
    return word;
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

void chorale_word_unescape(char *text)
{
    char *out = text;

    for (; *text != '\0'; text++)
        if (*text == '%' && digit(text[1]) >= 0 && digit(text[2]) >= 0) {
            *out++ = (char)(16 * digit(text[1]) + digit(text[2]));
            text += 2;
        } else {
            *out++ = *text;
        }
    *out = '\0';
}
