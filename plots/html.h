/* SPDX-License-Identifier: BSD-3-Clause */
/* html.h - the page of `chorale report`: how text, tables and pictures get onto
 * it. Whatever comes from a database goes through here. Errors of writing are
 * left in the stream. */
#ifndef CHORALE_PLOTS_HTML_H
#define CHORALE_PLOTS_HTML_H

#include <stdio.h>

#include "db/err.h"

/* Text as it may stand between tags and in a value in double quotes: the five
 * characters of markup and the backtick as references, white space as one
 * blank, what is no text (control characters, bytes that are no UTF-8,
 * characters that turn the direction of reading) as U+FFFD. */
void chorale_html_text(FILE *out, const char *text);

/* The same of what a format makes, cut at 1000 bytes. */
void chorale_html_textf(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A table under way. Begins as { .out = stream }. */
struct chorale_html_table {
    FILE *out;
    const char *caption;
    const char *const *head;
    const char *before, *after; /* tags round it; NULL: none */
    int nrow;
    const char *kinds;       /* a letter a column: t text, n number */
    int column;              /* of the next cell; -1: no row is open */
};

/* Begin one: its caption, and the heads of its columns, one for each letter of
 * kinds, which all stay where they are until the first row. The first cell of
 * a row is the row's head. It scrolls by itself where it is wider than the
 * page; one that gets no row is not on the page at all. */
void chorale_html_begin(struct chorale_html_table *table, const char *caption,
                        const char *kinds, const char *const *head);
/* Begin a row of that collective and those numbers of ranks, by which people
 * filter; "" and 0: of all. */
void chorale_html_row(struct chorale_html_table *table, const char *coll,
                      int comm_size, int comm_size_hi);
void chorale_html_cell(struct chorale_html_table *table, const char *text);
void chorale_html_cellf(struct chorale_html_table *table, const char *format,
                        ...) __attribute__((format(printf, 2, 3)));
void chorale_html_end(struct chorale_html_table *table);

/* Attributes for what a filter hides, as of chorale_html_row. */
void chorale_html_filtered(FILE *out, const char *coll, int comm_size,
                           int comm_size_hi);

/* Put the picture that gnuplot wrote to path onto the page: elements and
 * attributes of a list alone, written anew, ids behind prefix ("f3-"), colours
 * of the frame and the dark ones by names of the page's style. title is read
 * aloud for it. CHORALE_ENV: no such file; CHORALE_DATA: it is no picture that
 * gnuplot writes. */
enum chorale_err chorale_html_svg(FILE *out, const char *path,
                                  const char *prefix, const char *title,
                                  struct chorale_errmsg *msg);

#endif
