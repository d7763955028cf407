/* SPDX-License-Identifier: BSD-3-Clause */
/* native_names.h - names of algorithms in the descriptions of MPICH's
 * variables. */
#ifndef CHORALE_RUNNERS_NATIVE_NATIVE_NAMES_H
#define CHORALE_RUNNERS_NATIVE_NATIVE_NAMES_H

enum { CHORALE_NATIVE_NAME = 64 }; /* bytes of an algorithm's name */

/* Read algorithm names from the description text of a MPICH variable. Each name
 * precedes " - " and may be glued to the end of the text before it; its index in
 * the list is its value. */
struct chorale_native_words {
    char (*word)[CHORALE_NATIVE_NAME];
    int count;
};
/* Append the complete names of such a text to *words, which begins as zeros;
 * the caller frees words->word. Returns 0, or -1: out of memory. */
int chorale_native_words_add(struct chorale_native_words *words,
                             const char *text);
/* Write name i of the text, resolving glued text with the collected words; the
 * name may be empty. Returns 0 after the last name. */
int chorale_native_name(const struct chorale_native_words *words,
                        const char *text, int i,
                        char name[CHORALE_NATIVE_NAME]);
/* The value that a text names `word`, or -1. */
int chorale_variable_word(const char *text, const char *word);
struct chorale_knob; /* native_variables.h */
/* Open the variable of that name for writing, and set *value to the value that
 * its description names `word`. Returns 0, or -1 if the library lacks it. */
int chorale_knob_open_word(const char *name, const char *word,
                           struct chorale_knob *knob, int *value);

#endif
