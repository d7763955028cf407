/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest.c - compares mistyped words with the names that exist. */
#include "tuner/base/suggest.h"

#include <stdio.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/edit_distance.h"
#include "tuner/base/units.h"
#include "tuner/base/verb.h"

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
    char lower[64];
    struct chorale_suggestion s = { .word = lower };

    snprintf(lower, sizeof(lower), "%s", word);
    chorale_opts_lower(lower);
    for (int c = 0; c < CHORALE_NCOLL; c++)
        chorale_suggest(&s, chorale_coll_info((enum chorale_coll)c)->name);
    chorale_suggest(&s, "broadcast");
    if (s.name != NULL && strcmp(s.name, "broadcast") == 0)
        s.name = chorale_coll_info(CHORALE_BCAST)->name;
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

const char *chorale_suggest_listed(const char *word, const char *known,
                                   const char *otherwise,
                                   char text[CHORALE_SUGGEST_SIZE])
{
    char name[64], best[64];
    struct chorale_suggestion s = { .word = word };

    for (size_t k = 0; chorale_spec_word(known, k, name, sizeof(name)) == 1;
         k++) {
        chorale_suggest(&s, name);
        if (s.name == name)
            s.name = strcpy(best, name);
    }
    return chorale_suggest_remedy(&s, otherwise, text);
}

/* Write the names of the list known as "use A, B or C". */
static const char *use(const char *known, char *text, size_t size)
{
    char name[64], next[64];
    size_t used = (size_t)snprintf(text, size, "use ");

    for (size_t k = 0; used < size && chorale_spec_word(known, k, name,
                                                        sizeof(name)) == 1;
         k++)
        used += (size_t)snprintf(
            text + used, size - used, "%s%s",
            k == 0 ? ""
            : chorale_spec_word(known, k + 1, next, sizeof(next)) == 1
                ? ", " : " or ",
            name);
    return text;
}

static enum chorale_err unknown(const char *option, const char *words,
                                const char *word, const char *known,
                                struct chorale_errmsg *msg)
{
    char names[300], text[CHORALE_SUGGEST_SIZE];

    return chorale_fail(msg, CHORALE_USAGE, "%s %.200s: unknown%s%s; %s",
                        option, words, word == words ? "" : " ",
                        word == words ? "" : word,
                        chorale_suggest_listed(word, known,
                                               use(known, names,
                                                   sizeof(names)), text));
}

enum chorale_err chorale_word_check(const char *option, const char *word,
                                    const char *known,
                                    struct chorale_errmsg *msg)
{
    return strchr(word, ',') == NULL && chorale_spec_listed(known, word)
               ? CHORALE_OK : unknown(option, word, word, known, msg);
}

enum chorale_err chorale_words_check(const char *option, const char *words,
                                     const char *known,
                                     struct chorale_errmsg *msg)
{
    const int several = strchr(words, ',') != NULL;
    char word[64];
    int more;

    for (size_t k = 0; (more = chorale_spec_word(words, k, word,
                                                 sizeof(word))) != 0; k++)
        if (more < 0 || !chorale_spec_listed(known, word))
            return unknown(option, words,
                           several && more > 0 && word[0] != '\0' ? word : words,
                           known, msg);
    return CHORALE_OK;
}
