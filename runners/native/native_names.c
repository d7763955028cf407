/* SPDX-License-Identifier: BSD-3-Clause */
/* native_names.c - algorithm names from the descriptions of MPICH's control
 * variables.
 *
 * The descriptions have lost their line ends: "Force smp algorithmring - Force
 * ring algorithm". A name is complete if no letter precedes it, or if the word
 * "algorithm" does. Nonblocking collectives have "sched_" or "tsp_" before a
 * name that a blocking collective has too. From other glued text ("Treenb") the
 * longest complete name at its end is taken. Otherwise the name stays glued:
 * odd to read, but with the right value. */
#include "runners/native/native_names.h"

#include "runners/native/native_variables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Find the word before the i-th " - ", and whether it is glued to a letter.
 * Returns 0 if there is no i-th " - ". */
static int token(const char *text, int i, const char **start, size_t *length,
                 int *glued)
{
    const char *at = strstr(text, " - "), *end, *begin;

    while (at != NULL && i-- > 0)
        at = strstr(at + 3, " - ");
    if (at == NULL)
        return 0;
    for (end = at; end > text && end[-1] == ' '; end--)
        continue;
    for (begin = end; begin > text &&
                      (islower((unsigned char)begin[-1]) ||
                       isdigit((unsigned char)begin[-1]) || begin[-1] == '_');
         begin--)
        continue;
    *start = begin;
    *glued = begin > text && isalpha((unsigned char)begin[-1]);
    *length = (size_t)(end - begin);
    return 1;
}

/* Drop text up to the end of `word`, if it occurs before the end. */
static int drop(const char **start, size_t *length, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n < *length; i++)
        if (strncmp(*start + i, word, n) == 0) {
            *start += i + n;
            *length -= i + n;
            return 1;
        }
    return 0;
}

static int add(struct chorale_native_words *words, const char *start,
               size_t length)
{
    void *grown;

    if (length == 0 || length >= CHORALE_NATIVE_NAME)
        return 0;
    grown = realloc(words->word, ((size_t)words->count + 1) *
                                     sizeof(*words->word));
    if (grown == NULL)
        return -1;
    words->word = grown;
    memset(words->word[words->count], 0, sizeof(*words->word));
    memcpy(words->word[words->count++], start, length);
    return 0;
}

int chorale_native_words_add(struct chorale_native_words *words,
                             const char *text)
{
    const char *start;
    size_t length;
    int glued, rc = 0;

    for (int i = 0; rc == 0 && token(text, i, &start, &length, &glued);
         i++) {
        if (drop(&start, &length, "algorithm"))
            glued = 0;
        if (drop(&start, &length, "sched_") || drop(&start, &length, "tsp_"))
            glued = 0;
        if (!glued)
            rc = add(words, start, length);
    }
    return rc;
}

int chorale_native_name(const struct chorale_native_words *words,
                        const char *text, int i,
                        char name[CHORALE_NATIVE_NAME])
{
    const char *start;
    size_t length, best = 0;
    int glued;

    name[0] = '\0';
    if (!token(text, i, &start, &length, &glued))
        return 0;
    if (drop(&start, &length, "algorithm"))
        glued = 0;
    for (int w = 0; glued && w < words->count; w++) {
        size_t n = strlen(words->word[w]);

        if (n > best && n <= length &&
            strncmp(start + length - n, words->word[w], n) == 0)
            best = n;
    }
    if (best > 0) {
        start += length - best;
        length = best;
    }
    if (length >= CHORALE_NATIVE_NAME) {
        start += length - CHORALE_NATIVE_NAME + 1;
        length = CHORALE_NATIVE_NAME - 1;
    }
    memcpy(name, start, length);
    name[length] = '\0';
    return 1;
}

int chorale_variable_word(const char *text, const char *word)
{
    static const struct chorale_native_words none;
    char name[CHORALE_NATIVE_NAME];
    size_t length = strlen(word), n;

    for (int i = 0; chorale_native_name(&none, text, i, name); i++) {
        n = strlen(name);
        if (n >= length && strcmp(name + n - length, word) == 0)
            return i;
    }
    return -1;
}

int chorale_knob_open_word(const char *name, const char *word,
                           struct chorale_knob *knob, int *value)
{
    struct chorale_variable var;
    int rc = chorale_variable_describe(name, &var);

    if (rc == 0)
        *value = chorale_variable_word(var.text, word);
    if (rc == 0 && *value >= 0)
        rc = chorale_knob_open(&var, knob);
    else
        rc = -1;
    free(var.text);
    return rc;
}
