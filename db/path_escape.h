/* SPDX-License-Identifier: BSD-3-Clause */
/* path_escape.h - encode a path as one shell word. smpirun is a shell script
 * that splits the arguments of the simulated program again and expands them as
 * file patterns; the encoded path survives that. */
#ifndef CHORALE_DB_PATH_ESCAPE_H
#define CHORALE_DB_PATH_ESCAPE_H

/* 1 if such a script passes the text on unchanged. */
int chorale_word_is_plain(const char *text);

/* Percent-encode blanks, pattern characters and '%'. Returns allocated text,
 * or NULL if out of memory. */
char *chorale_word_escape(const char *text);

/* Decode in place; a '%' without two hexadecimal digits stays. */
void chorale_word_unescape(char *text);

#endif
