/* SPDX-License-Identifier: BSD-3-Clause */
/* units.h - what people write for sizes, process counts and durations. */
#ifndef CHORALE_TUNER_BASE_UNITS_H
#define CHORALE_TUNER_BASE_UNITS_H

#include <stddef.h>

#include "db/err.h"

/* One size: "8", "64K", "1M", "2G" (1024). what names it in the error line
 * ("-m"). CHORALE_USAGE otherwise. */
enum chorale_err chorale_spec_size(const char *what, const char *text,
                                   long *value_p, struct chorale_errmsg *msg);

/* A list of sizes: comma-separated sizes and ranges "8:4M" (doubling),
 * "8:4M:x1.5" (factor), "8:64:+8" (step). Ascending, without repeats, each
 * >= min. *value_p is allocated, *count_p >= 1; the caller frees. */
enum chorale_err chorale_spec_list(const char *what, const char *text,
                                   long min, long **value_p, size_t *count_p,
                                   struct chorale_errmsg *msg);

/* The first range in that list, one that chorale_spec_list reads, whose end is
 * none of the list's values, as 1K of 8:1K:x8. NULL: each range reaches its
 * end, or there is no memory. */
struct chorale_spec_range {
    int len;                 /* characters of the range */
    const char *end;         /* its end, in the text, */
    int end_len;             /* so many characters */
    long last;               /* its last value */
};
const char *chorale_spec_short(const char *text, const long *value,
                               size_t count, struct chorale_spec_range *range);

/* A duration in seconds: "90", "90s", "10m", "2h". */
enum chorale_err chorale_spec_seconds(const char *what, const char *text,
                                      double *value_p,
                                      struct chorale_errmsg *msg);

/* A comma-separated list of words: the k-th into word[size], 1 while there is
 * one, 0 at the end, -1 if it does not fit. */
int chorale_spec_word(const char *text, size_t k, char *word, size_t size);

/* 1 if word is in the comma-separated list, or list is NULL. */
int chorale_spec_listed(const char *list, const char *word);

/* Values for people, into text[32]: 64 KiB, 1.5 MiB, 12.3 us. */
const char *chorale_human_bytes(double bytes, char text[32]);
/* The same to the byte, so that it can be typed: in the largest unit of which
 * it is a whole number. 64 KiB, 1536 KiB, 3744 B. */
const char *chorale_exact_bytes(double bytes, char text[32]);
const char *chorale_human_seconds(double seconds, char text[32]);

#endif
