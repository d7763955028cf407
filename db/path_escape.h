/* SPDX-License-Identifier: BSD-3-Clause */
/* path_escape.h - a path as one word for programs that split their arguments once
 * more, and match them against files: smpirun is a shell script that does so
 * with what it hands to the simulated program. */
#ifndef CHORALE_DB_PATH_ESCAPE_H
#define CHORALE_DB_PATH_ESCAPE_H

/* 1: such a program hands the text on as it is. */
int chorale_word_plain(const char *text);

/* The text with %20 for a blank and the like, % itself too, so that it is
 * plain. The caller frees it; NULL: out of memory. */
char *chorale_word_escape(const char *text);

/* The text that was escaped, in place; % without two digits stays. */
void chorale_word_restore(char *text);

#endif
