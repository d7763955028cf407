/* SPDX-License-Identifier: BSD-3-Clause */
/* field.h - lists of values, each with the type that its C expression has.
 *
 * CHORALE_FIELDS(a, b, ...) is the argument list of a SQL statement. The
 * compiler chooses the type of each value, so no list of types can disagree.
 */
#ifndef CHORALE_DB_FIELD_H
#define CHORALE_DB_FIELD_H

#include <math.h>
#include <stddef.h>

enum chorale_field_type {
    CHORALE_FIELD_NULL,
    CHORALE_FIELD_INT,
    CHORALE_FIELD_REAL,
    CHORALE_FIELD_TEXT
};

struct chorale_field {
    enum chorale_field_type type;
    long long integer;
    double real;
    const char *text; /* the caller's; must live as long as the value is used */
};

struct chorale_fields {
    const struct chorale_field *value;
    int count;
};

static inline struct chorale_field chorale_field_int(long long x)
{
    return (struct chorale_field){ .type = CHORALE_FIELD_INT, .integer = x };
}

static inline struct chorale_field chorale_field_size(unsigned long long x)
{
    return chorale_field_int((long long)x);
}

/* Numbers that are not finite are unknown: NULL. */
static inline struct chorale_field chorale_field_real(double x)
{
    return (struct chorale_field){
        .type = isfinite(x) ? CHORALE_FIELD_REAL : CHORALE_FIELD_NULL,
        .real = x,
    };
}

static inline struct chorale_field chorale_field_text(const char *x)
{
    return (struct chorale_field){
        .type = x != NULL ? CHORALE_FIELD_TEXT : CHORALE_FIELD_NULL,
        .text = x,
    };
}

#define CHORALE_FIELD(x)                                                     \
    _Generic((x), int: chorale_field_int, unsigned: chorale_field_int,       \
             long: chorale_field_int, long long: chorale_field_int,          \
             unsigned long: chorale_field_size,                              \
             unsigned long long: chorale_field_size,                         \
             float: chorale_field_real, double: chorale_field_real,          \
             char *: chorale_field_text,                                     \
             const char *: chorale_field_text)(x)

#define CHORALE_NO_FIELDS ((struct chorale_fields){ NULL, 0 })

/* One to 30 values, which live until the end of the enclosing block. */
#define CHORALE_FIELDS(...)                                                  \
    ((struct chorale_fields){                                                \
        (const struct chorale_field[]){ CHORALE_PASTE(                       \
            CHORALE_V, CHORALE_COUNT(__VA_ARGS__))(__VA_ARGS__) },           \
        CHORALE_COUNT(__VA_ARGS__) })

/* How CHORALE_FIELDS counts its arguments and visits each of them. */
#define CHORALE_PASTE_(a, b) a##b
#define CHORALE_PASTE(a, b) CHORALE_PASTE_(a, b)
#define CHORALE_COUNT(...)                                                   \
    CHORALE_COUNT_(__VA_ARGS__, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21,      \
    20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,   \
    0)
#define CHORALE_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12,    \
                       a13, a14, a15, a16, a17, a18, a19, a20, a21, a22,     \
                       a23, a24, a25, a26, a27, a28, a29, a30, n, ...)       \
    n
#define CHORALE_V1(x) CHORALE_FIELD(x)
#define CHORALE_V2(x, ...) CHORALE_FIELD(x), CHORALE_V1(__VA_ARGS__)
#define CHORALE_V3(x, ...) CHORALE_FIELD(x), CHORALE_V2(__VA_ARGS__)
#define CHORALE_V4(x, ...) CHORALE_FIELD(x), CHORALE_V3(__VA_ARGS__)
#define CHORALE_V5(x, ...) CHORALE_FIELD(x), CHORALE_V4(__VA_ARGS__)
#define CHORALE_V6(x, ...) CHORALE_FIELD(x), CHORALE_V5(__VA_ARGS__)
#define CHORALE_V7(x, ...) CHORALE_FIELD(x), CHORALE_V6(__VA_ARGS__)
#define CHORALE_V8(x, ...) CHORALE_FIELD(x), CHORALE_V7(__VA_ARGS__)
#define CHORALE_V9(x, ...) CHORALE_FIELD(x), CHORALE_V8(__VA_ARGS__)
#define CHORALE_V10(x, ...) CHORALE_FIELD(x), CHORALE_V9(__VA_ARGS__)
#define CHORALE_V11(x, ...) CHORALE_FIELD(x), CHORALE_V10(__VA_ARGS__)
#define CHORALE_V12(x, ...) CHORALE_FIELD(x), CHORALE_V11(__VA_ARGS__)
#define CHORALE_V13(x, ...) CHORALE_FIELD(x), CHORALE_V12(__VA_ARGS__)
#define CHORALE_V14(x, ...) CHORALE_FIELD(x), CHORALE_V13(__VA_ARGS__)
#define CHORALE_V15(x, ...) CHORALE_FIELD(x), CHORALE_V14(__VA_ARGS__)
#define CHORALE_V16(x, ...) CHORALE_FIELD(x), CHORALE_V15(__VA_ARGS__)
#define CHORALE_V17(x, ...) CHORALE_FIELD(x), CHORALE_V16(__VA_ARGS__)
#define CHORALE_V18(x, ...) CHORALE_FIELD(x), CHORALE_V17(__VA_ARGS__)
#define CHORALE_V19(x, ...) CHORALE_FIELD(x), CHORALE_V18(__VA_ARGS__)
#define CHORALE_V20(x, ...) CHORALE_FIELD(x), CHORALE_V19(__VA_ARGS__)
#define CHORALE_V21(x, ...) CHORALE_FIELD(x), CHORALE_V20(__VA_ARGS__)
#define CHORALE_V22(x, ...) CHORALE_FIELD(x), CHORALE_V21(__VA_ARGS__)
#define CHORALE_V23(x, ...) CHORALE_FIELD(x), CHORALE_V22(__VA_ARGS__)
#define CHORALE_V24(x, ...) CHORALE_FIELD(x), CHORALE_V23(__VA_ARGS__)
#define CHORALE_V25(x, ...) CHORALE_FIELD(x), CHORALE_V24(__VA_ARGS__)
#define CHORALE_V26(x, ...) CHORALE_FIELD(x), CHORALE_V25(__VA_ARGS__)
#define CHORALE_V27(x, ...) CHORALE_FIELD(x), CHORALE_V26(__VA_ARGS__)
#define CHORALE_V28(x, ...) CHORALE_FIELD(x), CHORALE_V27(__VA_ARGS__)
#define CHORALE_V29(x, ...) CHORALE_FIELD(x), CHORALE_V28(__VA_ARGS__)
#define CHORALE_V30(x, ...) CHORALE_FIELD(x), CHORALE_V29(__VA_ARGS__)

#endif
