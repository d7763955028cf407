/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - rows of values, printed as aligned text, Markdown or JSON.
 *
 * The columns are a string, "HEADING=KEY:FORMAT|HEADING|=KEY|...", say
 * "P=comm_size|n=n:B|regret=regret:%.2f %%|=ppn". A column without =KEY is not
 * in JSON, one without HEADING but with =KEY is in JSON only. FORMAT shows
 * numbers in text: B as bytes (64 KiB), s as seconds (1.25 ms), else by printf
 * of a double, times 100 if FORMAT prints a percent sign. Without FORMAT
 * integers are printed by %lld, other numbers by %.6g.
 */
#ifndef CHORALE_TUNER_BASE_ROWS_H
#define CHORALE_TUNER_BASE_ROWS_H

#include <jansson.h>
#include <stdio.h>

#include "db/err.h"
#include "db/field.h"

enum { CHORALE_ROWS_COLUMNS = 24 }; /* most columns */

struct chorale_rows {
    const char *columns;
    int indent;                 /* spaces before each line of text */
    struct chorale_field *cell; /* row after row */
    size_t nrow;
    int ncolumn, bad;           /* bad: out of memory in chorale_rows_add() */
};

/* Add a copy of a row, which has a value for each column. NULL is "-" in text
 * and null in JSON. */
void chorale_rows_add(struct chorale_rows *rows, struct chorale_fields row);

/* Print headings and rows and release them; markdown: as a Markdown table, in
 * which the caller has escaped the text. Columns with a number are aligned at
 * the right. It prints nothing without rows. Returns 0, or -1 if out of
 * memory. */
int chorale_rows_print(struct chorale_rows *rows, int markdown, FILE *out);

/* The rows as an array of objects; releases them. NULL: out of memory, or text
 * that is not UTF-8. */
json_t *chorale_rows_json(struct chorale_rows *rows);

/* Append the rows to a JSON array, or print them to standard output if it is
 * NULL; releases them. Returns 0, or -1 as the functions above. */
int chorale_rows_show(struct chorale_rows *rows, json_t *list);

/* Report that names in the database at path are not UTF-8: the likely cause if
 * JSON functions return NULL or -1. Returns CHORALE_DATA. */
enum chorale_err chorale_fail_utf8(struct chorale_errmsg *msg,
                                   const char *path);

/* A number as JSON; null if it is not finite. */
json_t *chorale_json(double value);

/* Print JSON with a newline to standard output and release it. Returns 0, or
 * -1 if it is NULL or cannot be written. */
int chorale_json_print(json_t *json);

#endif
