/* SPDX-License-Identifier: BSD-3-Clause */
/* units.c - parse and print sizes, counts and durations. */
#include "tuner/base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_VALUES 100000

/* Parse one size that ends at '\0' or a character of end; advance *text. */
static int parse_size(const char **text, const char *end, long *value)
{
    static const char suffix[] = "KMGT";
    const char *s;
    char *rest;
    long v;

    if (**text < '0' || **text > '9')
        return -1;
    errno = 0;
    v = strtol(*text, &rest, 10);
    if (errno != 0)
        return -1;
    s = *rest != '\0' ? strchr(suffix, *rest >= 'a' ? *rest - 32 : *rest)
                      : NULL;
    if (s != NULL) {
        int shift = 10 * ((int)(s - suffix) + 1);

        if (v > (__LONG_MAX__ >> shift))
            return -1;
        v <<= shift;
        rest++;
        if (*rest == 'i')
            rest++;
        if (*rest == 'B')
            rest++;
    }
    if (*rest != '\0' && strchr(end, *rest) == NULL)
        return -1;
    *text = rest;
    *value = v;
    return 0;
}

enum chorale_err chorale_spec_size(const char *what, const char *text,
                                   long *value_p, struct chorale_errmsg *msg)
{
    const char *at = text;
    long value;

    if (parse_size(&at, "", &value) != 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "%s: '%s' is not a size; write a whole number, "
                            "with K, M or G for powers of 1024, like 64K",
                            what, text);
    *value_p = value;
    return CHORALE_OK;
}

struct list {
    long *value;
    size_t count, room;
};

static int push(struct list *list, long value)
{
    if (list->count == MAX_VALUES)
        return -1;
    if (list->count == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 32;
        long *grown = realloc(list->value, room * sizeof(*grown));

        if (grown == NULL)
            return -1;
        list->value = grown;
        list->room = room;
    }
    list->value[list->count++] = value;
    return 0;
}

/* "lo:hi" doubles, ":x1.5" multiplies by a factor, ":+8" adds a step. */
static int push_range(struct list *list, long lo, long hi, double factor,
                      long step)
{
    double x = (double)lo;

    if (step > 0) {
        for (long v = lo; v <= hi; v += step)
            if (push(list, v) != 0)
                return -1;
        return 0;
    }
    if (lo == 0) { /* zero cannot be multiplied: continue with 1 */
        if (push(list, 0) != 0)
            return -1;
        x = 1;
    }
    for (; x <= (double)hi * (1 + 1e-12); x *= factor)
        if (push(list, (long)floor(x + 0.5)) != 0)
            return -1;
    return 0;
}

static int parse_item(struct list *list, const char **text)
{
    double factor = 2;
    long lo, hi, step = 0;

    if (parse_size(text, ":,", &lo) != 0)
        return -1;
    if (**text != ':')
        return push(list, lo);
    (*text)++;
    if (parse_size(text, ":,", &hi) != 0 || hi < lo)
        return -1;
    if (**text == ':') {
        char *rest;

        (*text)++;
        if (**text == 'x') {
            factor = strtod(*text + 1, &rest);
            if (rest == *text + 1 || !(factor > 1) || !isfinite(factor))
                return -1;
            *text = rest;
        } else if (**text == '+') {
            (*text)++;
            if (parse_size(text, ",", &step) != 0 || step <= 0)
                return -1;
        } else {
            return -1;
        }
        if (**text != '\0' && **text != ',')
            return -1;
    }
    return push_range(list, lo, hi, factor, step);
}

static int compare(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return (x > y) - (x < y);
}

/* Report the error in one item of the list text. */
static enum chorale_err bad_item(const char *what, const char *text,
                                 const char *item, size_t count,
                                 struct chorale_errmsg *msg)
{
    const char *at = item;
    int len = (int)strcspn(item, ",");
    long lo, hi;

    if (count == MAX_VALUES)
        return chorale_fail(msg, CHORALE_USAGE,
                            "%s %s: more than %d values; write a larger step",
                            what, text, MAX_VALUES);
    if (len == 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "%s '%s': a number is missing%s; write 8,64K or "
                            "8:1M", what, text,
                            text[0] != '\0' ? " beside a comma" : "");
    if (parse_size(&at, ":", &lo) == 0 && *at == ':' &&
        (at++, parse_size(&at, ":,", &hi) == 0) && hi < lo)
        return chorale_fail(msg, CHORALE_USAGE,
                            "%s %s: '%.*s' has the larger end first; turn it "
                            "round", what, text, len, item);
    return chorale_fail(msg, CHORALE_USAGE,
                        "%s %s: '%.*s' is neither a number nor a range; write "
                        "8 or 64K, 8:1M (doubling), 8:1M:x4 or 2:64:+2, where "
                        "K, M, G, T are powers of 1024", what, text, len,
                        item);
}

enum chorale_err chorale_spec_list(const char *what, const char *text,
                                   long min, long **value_p, size_t *count_p,
                                   struct chorale_errmsg *msg)
{
    struct list list = { NULL, 0, 0 };
    const char *at = text;
    size_t kept = 0;

    for (;;) {
        const char *item = at;

        if (parse_item(&list, &at) != 0 || (*at != ',' && *at != '\0')) {
            free(list.value);
            return bad_item(what, text, item, list.count, msg);
        }
        if (*at++ == '\0')
            break;
    }
    qsort(list.value, list.count, sizeof(*list.value), compare);
    for (size_t i = 0; i < list.count; i++)
        if (kept == 0 || list.value[i] != list.value[kept - 1])
            list.value[kept++] = list.value[i];
    if (kept == 0 || list.value[0] < min) {
        long least = kept == 0 ? 0 : list.value[0];

        free(list.value);
        return chorale_fail(msg, CHORALE_USAGE,
                            "%s %s: %ld is too small; the least is %ld", what,
                            text, least, min);
    }
    *value_p = list.value;
    *count_p = kept;
    return CHORALE_OK;
}

/* Parse the item at *at and advance. Returns 1 if it is a range whose end is
 * not among value[count]. */
static int falls_short(const char **at, const long *value, size_t count,
                       struct chorale_spec_range *range)
{
    struct list own = { NULL, 0, 0 };
    const char *item = *at, *to;
    long end = 0;
    int is_short = 0;

    if (parse_item(&own, at) == 0 &&
        (to = memchr(item, ':', (size_t)(*at - item))) != NULL) {
        range->len = (int)(*at - item);
        range->end = ++to;
        is_short = parse_size(&to, ":,", &end) == 0;
        range->end_len = (int)(to - range->end);
        range->last = own.value[own.count - 1];
    }
    for (size_t i = 0; i < count && is_short; i++)
        is_short = value[i] != end;
    free(own.value);
    return is_short;
}

const char *chorale_spec_short(const char *text, const long *value,
                               size_t count, struct chorale_spec_range *range)
{
    for (const char *at = text, *item = at; *item != '\0'; item = at) {
        if (falls_short(&at, value, count, range))
            return item;
        if (*at != ',')
            break;
        at++;
    }
    return NULL;
}

enum chorale_err chorale_spec_seconds(const char *what, const char *text,
                                      double *value_p,
                                      struct chorale_errmsg *msg)
{
    static const struct { const char *name; double seconds; } unit[] = {
        { "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "ms", 1e-3 },
        { "us", 1e-6 }, { "ns", 1e-9 }
    };
    char *rest;
    double v = strtod(text, &rest);

    for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
        if (rest != text && strcmp(rest, unit[i].name) == 0 && v >= 0 &&
            isfinite(v)) {
            *value_p = v * unit[i].seconds;
            return CHORALE_OK;
        }
    return chorale_fail(msg, CHORALE_USAGE, "%s: '%s' is not a duration; write"
                        " seconds, or 90s, 10m, 2h, 5ms, 30ns", what, text);
}

int chorale_spec_word(const char *text, size_t k, char *word, size_t size)
{
    size_t len;

    for (; k > 0; k--) {
        text = strchr(text, ',');
        if (text == NULL)
            return 0;
        text++;
    }
    len = strcspn(text, ",");
    if (len >= size)
        return -1;
    memcpy(word, text, len);
    word[len] = '\0';
    return 1;
}

int chorale_spec_listed(const char *list, const char *word)
{
    char item[128];

    if (list == NULL)
        return 1;
    for (size_t k = 0; chorale_spec_word(list, k, item, sizeof(item)) == 1;
         k++)
        if (strcmp(item, word) == 0)
            return 1;
    return 0;
}

const char *chorale_human_bytes(double bytes, char text[32])
{
    static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    int u = 0;

    while (bytes >= 1024 && u < 4) {
        bytes /= 1024;
        u++;
    }
    snprintf(text, 32, "%.4g %s", bytes, unit[u]);
    return text;
}

const char *chorale_exact_bytes(double bytes, char text[32])
{
    static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    int u = 0;

    while (bytes >= 1024 && u < 4 && !(fmod(bytes, 1024) > 0)) {
        bytes /= 1024;
        u++;
    }
    snprintf(text, 32, "%.0f %s", bytes, unit[u]);
    return text;
}

const char *chorale_human_seconds(double seconds, char text[32])
{
    static const char *const unit[] = { "s", "ms", "us", "ns", "ps" };
    double x = fabs(seconds);
    int u = 0;

    while (x < 1 && u < 4) {
        x *= 1000;
        u++;
    }
    if (seconds == 0)
        u = 0;
    snprintf(text, 32, "%s%.4g %s", seconds < 0 ? "-" : "", x, unit[u]);
    return text;
}

double chorale_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
