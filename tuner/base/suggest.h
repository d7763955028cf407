/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest.h - the names that mistyped words probably mean. */
#ifndef CHORALE_TUNER_BASE_SUGGEST_H
#define CHORALE_TUNER_BASE_SUGGEST_H

#include "db/err.h"

/* The nearest of the names tried so far (algorithms/edit_distance.h). */
struct chorale_suggestion {
    const char *word;        /* as typed */
    const char *name;        /* NULL: none is near enough */
    int distance;
};

/* Try a name, which must stay valid. It is near enough with a distance of at
 * most 2 and less than half the word's length. */
void chorale_suggest(struct chorale_suggestion *s, const char *name);

/* The remedy for an error line: "did you mean NAME?", or otherwise if there is
 * no suggestion. Returns text or otherwise. */
enum { CHORALE_SUGGEST_SIZE = 96 };
const char *chorale_suggest_remedy(const struct chorale_suggestion *s,
                                   const char *otherwise,
                                   char text[CHORALE_SUGGEST_SIZE]);

/* The same for a word that should be a collective, or a variant such as
 * binomial or bcast:binomial. */
const char *chorale_suggest_coll(const char *word, const char *otherwise,
                                 char text[CHORALE_SUGGEST_SIZE]);
const char *chorale_suggest_variant(const char *word, const char *otherwise,
                                    char text[CHORALE_SUGGEST_SIZE]);

/* The same for a word that should be in the comma-separated list known. */
const char *chorale_suggest_listed(const char *word, const char *known,
                                   const char *otherwise,
                                   char text[CHORALE_SUGGEST_SIZE]);

/* Check that each word of words, a comma-separated list, is in the list known.
 * CHORALE_USAGE: "OPTION WORDS: unknown WORD; did you mean NAME?", or "...; use
 * A, B or C". A single word is not repeated. */
enum chorale_err chorale_words_check(const char *option, const char *words,
                                     const char *known,
                                     struct chorale_errmsg *msg);
/* The same for an option that takes one word. */
enum chorale_err chorale_word_check(const char *option, const char *word,
                                    const char *known,
                                    struct chorale_errmsg *msg);

#endif
