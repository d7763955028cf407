/* SPDX-License-Identifier: BSD-3-Clause */
/* csv_lines.h - read a CSV file line by line, and cut its lines into words. */
#ifndef CHORALE_TUNER_EXCHANGE_CSV_LINES_H
#define CHORALE_TUNER_EXCHANGE_CSV_LINES_H

#include <stdio.h>

#include "db/err.h"

enum { CHORALE_CSV_LINE = 1 << 16, CHORALE_CSV_WORDS = 64 };

struct chorale_csv {
    const char *path;        /* for messages */
    FILE *in;
    struct chorale_errmsg *msg;
    char line[CHORALE_CSV_LINE];
    int number;              /* of the line, from 1 on */
    char separator;          /* set by the caller before it cuts lines */
    char *word[CHORALE_CSV_WORDS]; /* of the present line */
    int nword;
};

/* Report an error with file and line; returns CHORALE_DATA. Bytes that are not
 * printable become '?'. */
enum chorale_err chorale_csv_bad(const struct chorale_csv *csv,
                                 const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Read the next line that is neither empty nor a comment, without its end and
 * without a byte order mark. *got_p: 0 at the end of the file. CHORALE_DATA:
 * the line is too long, is cut, or has a zero byte. CHORALE_ENV: the file
 * cannot be read. */
enum chorale_err chorale_csv_next(struct chorale_csv *csv, int *got_p);

/* Cut the present line into words, which may be quoted. CHORALE_DATA: a quote
 * does not end, or there are too many words. */
enum chorale_err chorale_csv_split(struct chorale_csv *csv);

/* Refuse a file whose first n bytes are those of a compressed one:
 * CHORALE_DATA. */
enum chorale_err chorale_csv_refuse_compressed(const struct chorale_csv *csv,
                                               const char *begin, size_t n);

#endif
