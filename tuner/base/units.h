/* SPDX-License-Identifier: BSD-3-Clause */
/* units.h - parse and print sizes, process counts and durations; read the
 * clock. */
#ifndef CHORALE_TUNER_BASE_UNITS_H
#define CHORALE_TUNER_BASE_UNITS_H

#include <stddef.h>

#include "db/err.h"

/* The plural ending of a noun after the number n: "" for 1, else "s". */
static inline const char *chorale_plural(long long n)
{
    return n == 1 ? "" : "s";
}

/* Parse one size: "8", "64K", "1MiB", "2G", "1T" (powers of 1024). what names
 * the option in the error line, such as "-m". CHORALE_USAGE: not a size. */
enum chorale_err chorale_spec_size(const char *what, const char *text,
                                   long *value_p, struct chorale_errmsg *msg);

/* Parse a comma-separated list of sizes and ranges: "8:4M" (doubling),
 * "8:4M:x1.5" (factor), "8:64:+8" (step). The result is ascending, without
 * duplicates. *value_p: *count_p >= 1 values, freed by the caller.
 * CHORALE_USAGE: the list is malformed, too long, or has a value below min. */
enum chorale_err chorale_spec_list(const char *what, const char *text,
                                   long min, long **value_p, size_t *count_p,
                                   struct chorale_errmsg *msg);

/* Find the first range of a valid list whose end is not among its values, such
 * as 8:1K:x8, which stops at 512. Returns the range within text, or NULL: each
 * range reaches its end, or out of memory. */
struct chorale_spec_range {
    int len;                 /* length of the range, characters */
    const char *end;         /* the end of the range, within text */
    int end_len;             /* length of end, characters */
    long last;               /* last value of the range */
};
const char *chorale_spec_short(const char *text, const long *value,
                               size_t count, struct chorale_spec_range *range);

/* Parse a duration >= 0 into seconds: "90", "90s", "10m", "2h", "5ms", "7us",
 * "30ns". CHORALE_USAGE: not a duration. */
enum chorale_err chorale_spec_seconds(const char *what, const char *text,
                                      double *value_p,
                                      struct chorale_errmsg *msg);

/* Copy the k-th word of a comma-separated list to word[size]. Returns 1, 0
 * past the last word, or -1 if the word does not fit. */
int chorale_spec_word(const char *text, size_t k, char *word, size_t size);

/* 1 if word is in the comma-separated list, or if list is NULL. */
int chorale_spec_listed(const char *list, const char *word);

/* Rounded, with a unit, into text[32]: 64 KiB, 1.5 MiB, 12.3 us. */
const char *chorale_human_bytes(double bytes, char text[32]);
/* Exact bytes in the largest unit that gives a whole number, fit for input:
 * 64 KiB, 1536 KiB, 3744 B. */
const char *chorale_exact_bytes(double bytes, char text[32]);
const char *chorale_human_seconds(double seconds, char text[32]);

/* Seconds of the monotonic clock, since an arbitrary start. */
double chorale_seconds(void);

#endif
