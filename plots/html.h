/* SPDX-License-Identifier: BSD-3-Clause */
/* html.h - writes text, tables and pictures to the page of `chorale report`.
 * All values from a database are escaped here. Write errors are left in the
 * stream. */
#ifndef CHORALE_PLOTS_HTML_H
#define CHORALE_PLOTS_HTML_H

#include <stdio.h>

#include "db/err.h"

/* Write text for use between tags or in a double-quoted attribute. The five
 * markup characters and the backtick become references, white space becomes one
 * blank. Anything that is not text becomes U+FFFD: control characters, invalid
 * UTF-8, characters that change the reading direction. */
void chorale_html_text(FILE *out, const char *text);

/* The same for formatted text, which is truncated to 999 bytes. */
void chorale_html_textf(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A table being written. Initialise as { .out = stream }. */
struct chorale_html_table {
    FILE *out;
    const char *caption;
    const char *const *head;
    const char *before, *after; /* surrounding tags, or NULL */
    int nrow;
    const char *kinds;       /* one letter per column: t text, n number */
    int column;              /* of the next cell; -1: no open row */
};

/* Begin a table with a caption and the heads of its columns, one for each
 * letter of kinds. They must stay valid until the first row. The first cell of
 * a row is its head. A table wider than the page scrolls by itself. A table
 * without rows is not written at all. */
void chorale_html_begin(struct chorale_html_table *table, const char *caption,
                        const char *kinds, const char *const *head);
/* Begin a row for a collective and a range of process counts, by which the page
 * can be filtered; "" and 0 mean all. */
void chorale_html_row(struct chorale_html_table *table, const char *coll,
                      int comm_size, int comm_size_hi);
void chorale_html_cell(struct chorale_html_table *table, const char *text);
void chorale_html_cellf(struct chorale_html_table *table, const char *format,
                        ...) __attribute__((format(printf, 2, 3)));
void chorale_html_end(struct chorale_html_table *table);

/* Write the attributes by which a filter hides an element, as for
 * chorale_html_row(). */
void chorale_html_filtered(FILE *out, const char *coll, int comm_size,
                           int comm_size_hi);

/* Copy gnuplot's picture at path to the page. Only listed elements and
 * attributes are written, with ids after prefix ("f3-"); colours of the frame
 * and dark colours become style names. title is the accessible name.
 * CHORALE_ENV: the file cannot be read, or exceeds 32 MiB. CHORALE_DATA: not a
 * picture as gnuplot writes it. On error it writes nothing. */
enum chorale_err chorale_html_svg(FILE *out, const char *path,
                                  const char *prefix, const char *title,
                                  struct chorale_errmsg *msg);

#endif
