/* SPDX-License-Identifier: BSD-3-Clause */
/* verify.c - patterns that catch a swapped block, a shifted byte and a stale
 * run, checked on the very buffers that are timed.
 *
 * Data movement: the 8-byte word w of the block that origin sends to dest is
 * a hash of (origin, dest, w, round). Reductions: element i of a rank is the
 * small number 1 + ((h(i, dest) + 5 rank) mod 8), so that the result depends
 * on h mod 8 only and the plain definition is evaluated eight times. */
#include "runners/runner.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/kinds.h"

#define NCLASS 8

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 1) * 0xc2b2ae3d27d4eb4fu ^
                 (c + 1) * 0x165667b19e3779f9u;

    x ^= x >> 31;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}

static uint64_t word(int origin, int dest, size_t w, int round)
{
    return mix((uint64_t)origin << 32 | (unsigned)dest, w, (unsigned)round);
}

static void fill_block(char *at, size_t bytes, int origin, int dest, int round)
{
    for (size_t w = 0; w * 8 < bytes; w++) {
        uint64_t v = word(origin, dest, w, round);
        size_t left = bytes - w * 8;

        memcpy(at + w * 8, &v, left < 8 ? left : 8);
    }
}

static int check_block(const char *at, size_t bytes, int origin, int dest,
                       int round, char *why, size_t size)
{
    for (size_t w = 0; w * 8 < bytes; w++) {
        uint64_t v = word(origin, dest, w, round);
        size_t left = bytes - w * 8;

        if (memcmp(at + w * 8, &v, left < 8 ? left : 8) != 0) {
            snprintf(why, size, "wrong data near byte %zu of rank %d's block",
                     w * 8, origin);
            return -1;
        }
    }
    return 0;
}

/* Class of element i of the block for dest: what the result depends on. */
static int class_of(int dest, size_t i, int round)
{
    return (int)(mix((uint64_t)(dest + 1), i, (unsigned)round) % NCLASS);
}

static int value_of(int class, int rank)
{
    return 1 + (class + 5 * rank) % NCLASS;
}

static void store_value(const struct chorale_problem *prob, char *at, int v)
{
    const struct chorale_dtype *dtype = chorale_dtype(prob->task->dtype);
    const double as_double = v;
    const float as_float = (float)v;
    const int64_t as_int64 = v;
    const unsigned char as_byte = (unsigned char)v;

    if (!dtype->integer)
        memcpy(at, dtype->size == sizeof(double) ? (const void *)&as_double
                                                 : (const void *)&as_float,
               dtype->size);
    else if (dtype->size == sizeof(as_int64))
        memcpy(at, &as_int64, sizeof(as_int64));
    else if (dtype->size == sizeof(v))
        memcpy(at, &v, sizeof(v));
    else
        memcpy(at, &as_byte, 1);
}

static double load_value(const struct chorale_problem *prob, const char *at)
{
    double as_double;
    float as_float;

    if (prob->pt.type_size == sizeof(double)) {
        memcpy(&as_double, at, sizeof(as_double));
        return as_double;
    }
    memcpy(&as_float, at, sizeof(as_float));
    return (double)as_float;
}

static void fill_elements(struct chorale_problem *prob, char *at, int rank,
                          int dest, int round)
{
    size_t size = prob->pt.type_size;

    for (size_t i = 0; i < (size_t)prob->count; i++)
        store_value(prob, at + i * size,
                    value_of(class_of(dest, i, round), rank));
}

/* The plain definition for one class: x_0 op x_1 op ... in rank order. */
static void expect_class(const struct chorale_bench *bench,
                         const struct chorale_problem *prob, int class,
                         char acc[8])
{
    char x[8];

    store_value(prob, acc, value_of(class, bench->size - 1));
    for (int r = bench->size - 2; r >= 0; r--) {
        store_value(prob, x, value_of(class, r));
        PMPI_Reduce_local(x, acc, 1, prob->type, prob->op);
    }
}

/* Integers exactly; floats within the rounding of size - 1 operations. */
static int same(const struct chorale_bench *bench,
                const struct chorale_problem *prob, const char *got,
                const char *want)
{
    double w, g;

    if (memcmp(got, want, prob->pt.type_size) == 0)
        return 1; /* infinite ones too */
    if (chorale_dtype(prob->task->dtype)->integer)
        return 0;
    w = load_value(prob, want);
    g = load_value(prob, got);
    return fabs(g - w) <= bench->size * fabs(w) *
                              (prob->pt.type_size == sizeof(double)
                                   ? DBL_EPSILON
                                   : (double)FLT_EPSILON);
}

static int check_elements(const struct chorale_bench *bench,
                          const struct chorale_problem *prob, int dest,
                          int round, char *why, size_t size)
{
    char want[NCLASS][8];

    for (int c = 0; c < NCLASS; c++)
        expect_class(bench, prob, c, want[c]);
    for (size_t i = 0; i < (size_t)prob->count; i++)
        if (!same(bench, prob, prob->recv + i * prob->pt.type_size,
                  want[class_of(dest, i, round)])) {
            snprintf(why, size, "wrong result in element %zu at rank %d", i,
                     bench->rank);
            return -1;
        }
    return 0;
}

void chorale_verify_fill(const struct chorale_bench *bench,
                         struct chorale_problem *prob, int root, int round)
{
    size_t m = prob->pt.msg_size;
    int me = bench->rank;

    memset(prob->recv, 0xa5, prob->recv_bytes);
    switch ((enum chorale_coll)prob->task->coll) {
    case CHORALE_BCAST:
        if (me == root)
            fill_block(prob->recv, m, root, 0, round);
        break;
    case CHORALE_REDUCE:
    case CHORALE_ALLREDUCE:
        fill_elements(prob, prob->send, me, 0, round);
        break;
    case CHORALE_REDUCE_SCATTER_BLOCK:
        for (int d = 0; d < bench->size; d++)
            fill_elements(prob, prob->send + m * (size_t)d, me, d, round);
        break;
    case CHORALE_GATHER:
    case CHORALE_ALLGATHER:
        fill_block(prob->send, m, me, 0, round);
        break;
    case CHORALE_SCATTER:
        if (me == root)
            for (int d = 0; d < bench->size; d++)
                fill_block(prob->send + m * (size_t)d, m, root, d, round);
        break;
    case CHORALE_NCOLL:
        break;
    }
}

int chorale_verify_check(const struct chorale_bench *bench,
                         const struct chorale_problem *prob, int root,
                         int round, char *why, size_t size)
{
    size_t m = prob->pt.msg_size;
    int me = bench->rank;

    switch ((enum chorale_coll)prob->task->coll) {
    case CHORALE_BCAST:
        return check_block(prob->recv, m, root, 0, round, why, size);
    case CHORALE_REDUCE:
        return me != root ? 0
                          : check_elements(bench, prob, 0, round, why, size);
    case CHORALE_ALLREDUCE:
        return check_elements(bench, prob, 0, round, why, size);
    case CHORALE_REDUCE_SCATTER_BLOCK:
        return check_elements(bench, prob, me, round, why, size);
    case CHORALE_GATHER:
        if (me != root)
            return 0;
        /* fall through */
    case CHORALE_ALLGATHER:
        for (int r = 0; r < bench->size; r++)
            if (check_block(prob->recv + m * (size_t)r, m, r, 0, round, why,
                            size) != 0)
                return -1;
        return 0;
    case CHORALE_SCATTER:
        return check_block(prob->recv, m, root, me, round, why, size);
    case CHORALE_NCOLL:
        break;
    }
    return 0;
}
