/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest.c - compares mistyped words with the names that exist. */
#include "tuner/base/suggest.h"

#include <stdio.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/edit_distance.h"

void chorale_suggest(struct chorale_suggestion *s, const char *name)
{
    const int d = chorale_edit_distance(s->word, name);

    if (d > CHORALE_EDIT_MOST || 2 * d >= (int)strlen(s->word) ||
        (s->name != NULL && d >= s->distance))
        return;
    s->name = name;
    s->distance = d;
}

const char *chorale_suggest_remedy(const struct chorale_suggestion *s,
                                   const char *otherwise,
                                   char text[CHORALE_SUGGEST_SIZE])
{
    if (s->name == NULL)
        return otherwise;
    snprintf(text, CHORALE_SUGGEST_SIZE, "did you mean %s?", s->name);
    return text;
}

const char *chorale_suggest_coll(const char *word, const char *otherwise,
                                 char text[CHORALE_SUGGEST_SIZE])
{
    struct chorale_suggestion s = { .word = word };

    for (int c = 0; c < CHORALE_NCOLL; c++)
        chorale_suggest(&s, chorale_coll_info((enum chorale_coll)c)->name);
    return chorale_suggest_remedy(&s, otherwise, text);
}

const char *chorale_suggest_variant(const char *word, const char *otherwise,
                                    char text[CHORALE_SUGGEST_SIZE])
{
    const char *colon = strchr(word, ':');
    struct chorale_suggestion s = { .word = colon != NULL ? colon + 1 : word };

    for (int i = 0; chorale_algs[i] != NULL; i++)
        chorale_suggest(&s, chorale_algs[i]->name);
    return chorale_suggest_remedy(&s, otherwise, text);
}
