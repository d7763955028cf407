/* SPDX-License-Identifier: BSD-3-Clause */
/* verify.c - data patterns that detect swapped blocks, shifted bytes and stale
 * results, checked on the buffers that are timed.
 *
 * Data movement: 8-byte word w of the block from origin to dest is a hash of
 * (origin, dest, w, round).
 * Reductions: element i of a rank is the small number
 * 1 + ((h(i, dest) + 5 rank) mod 8). The result depends on h mod 8 only, so the
 * expected value is computed for eight classes. */
#include "runners/measure/runner.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/dtypes.h"

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

/* Class of element i of the block for dest; it determines the result. */
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

static void fill_elements(struct chorale_problem *prob, char *at,
                          size_t bytes, int rank, int dest, int round)
{
    size_t size = prob->pt.type_size;
    char value[NCLASS][8];

    for (int c = 0; c < NCLASS; c++)
        store_value(prob, value[c], value_of(c, rank));
    for (size_t i = 0; i < bytes / size; i++)
        memcpy(at + i * size, value[class_of(dest, i, round)], size);
}

/* acc = acc op x for every class, or x if acc is empty. Uses the plain
 * operation, which takes no simulated time. */
static void fold(const struct chorale_problem *prob, const char *x, char *acc,
                 int *empty)
{
    if (*empty)
        memcpy(acc, x, NCLASS * prob->pt.type_size);
    else
        PMPI_Reduce_local(x, acc, NCLASS,
                          chorale_dtype_handle(prob->task->dtype),
                          chorale_op_plain(prob->task->op));
    *empty = 0;
}

/* acc = acc op x_0 op ... op x_(ranks - 1) for every class. */
static void fold_ranks(const struct chorale_problem *prob, int ranks,
                       char *acc, int *empty)
{
    char x[NCLASS * 8];

    for (int r = 0; r < ranks; r++) {
        for (int c = 0; c < NCLASS; c++)
            store_value(prob, x + (size_t)c * prob->pt.type_size,
                        value_of(c, r));
        fold(prob, x, acc, empty);
    }
}

/* The expected value of every class: x_0 op x_1 op ... over `ranks` ranks. The
 * values of ranks r and r + NCLASS are equal, so the value of whole periods is
 * a power. P ranks that fold P values each would otherwise take most of a large
 * simulation. */
static void expect_classes(const struct chorale_problem *prob, int ranks,
                           char acc[NCLASS * 8])
{
    char period[NCLASS * 8], copy[NCLASS * 8];
    int none = 1, empty = 1;

    fold_ranks(prob, ranks % NCLASS, acc, &empty);
    fold_ranks(prob, NCLASS, period, &none);
    for (int n = ranks / NCLASS; n > 0; n /= 2) {
        if (n % 2 == 1)
            fold(prob, period, acc, &empty);
        memcpy(copy, period, NCLASS * prob->pt.type_size);
        fold(prob, copy, period, &none); /* its square */
    }
}

/* Integers must be equal; floats within the rounding of size - 1 operations. */
static int same(const struct chorale_bench *bench,
                const struct chorale_problem *prob, const char *got,
                const char *want)
{
    double w, g;

    if (memcmp(got, want, prob->pt.type_size) == 0)
        return 1; /* also for infinity */
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
                          const struct chorale_problem *prob, int ranks,
                          int dest, int round, char *why, size_t size)
{
    size_t width = prob->pt.type_size;
    char want[NCLASS * 8];

    expect_classes(prob, ranks, want);
    for (size_t i = 0; i < (size_t)prob->count; i++)
        if (!same(bench, prob, prob->recv + i * width,
                  want + width * (size_t)class_of(dest, i, round))) {
            snprintf(why, size, "wrong result in element %zu at rank %d", i,
                     bench->rank);
            return -1;
        }
    return 0;
}

/* Fill the blocks that this rank sends, if any. */
static void fill_sends(const struct chorale_bench *bench,
                       struct chorale_problem *prob, int root, int round)
{
    int me = bench->rank;
    size_t at, bytes;

    switch ((enum chorale_coll)prob->task->coll) {
    case CHORALE_REDUCE_SCATTER_BLOCK:
    case CHORALE_REDUCE_SCATTER:
        for (int d = 0; d < bench->size; d++) {
            bytes = chorale_problem_block(prob, d, &at);
            fill_elements(prob, prob->send + at, bytes, me, d, round);
        }
        break;
    case CHORALE_SCATTER:
    case CHORALE_SCATTERV:
        if (me != root)
            break;
        /* fall through */
    case CHORALE_ALLTOALL:
    case CHORALE_ALLTOALLV:
        for (int d = 0; d < bench->size; d++) {
            bytes = chorale_problem_block(prob, d, &at);
            fill_block(prob->send + at, bytes, me, d, round);
        }
        break;
    default:
        if (chorale_coll_info((enum chorale_coll)prob->task->coll)->reduces)
            fill_elements(prob, prob->send, prob->send_bytes, me, 0, round);
        else
            fill_block(prob->send, prob->send_bytes, me, 0, round);
    }
}

void chorale_verify_fill(const struct chorale_bench *bench,
                         struct chorale_problem *prob, int root, int round)
{
    memset(prob->recv, 0xa5, prob->recv_bytes);
    if (prob->task->coll == CHORALE_BCAST && bench->rank == root)
        fill_block(prob->recv, prob->pt.msg_size, root, 0, round);
    fill_sends(bench, prob, root, round);
}

/* Check the blocks of all ranks that are addressed to dest. */
static int check_all(const struct chorale_bench *bench,
                     const struct chorale_problem *prob, int dest, int round,
                     char *why, size_t size)
{
    for (int r = 0; r < bench->size; r++) {
        size_t at, bytes = chorale_problem_block(prob, r, &at);

        if (check_block(prob->recv + at, bytes, r, dest, round, why, size) !=
            0)
            return -1;
    }
    return 0;
}

static int check_untouched(const struct chorale_problem *prob, char *why,
                           size_t size)
{
    for (size_t i = 0; i < prob->recv_bytes; i++)
        if (prob->recv[i] != (char)0xa5) {
            snprintf(why, size, "wrote byte %zu of rank 0's buffer", i);
            return -1;
        }
    return 0;
}

int chorale_verify_check(const struct chorale_bench *bench,
                         const struct chorale_problem *prob, int root,
                         int round, char *why, size_t size)
{
    size_t own = (size_t)prob->count * prob->pt.type_size;
    int me = bench->rank, all = bench->size;

    switch ((enum chorale_coll)prob->task->coll) {
    case CHORALE_BARRIER: /* its times are checked in warm_up.c */
    case CHORALE_NCOLL:
        break;
    case CHORALE_BCAST:
        return check_block(prob->recv, own, root, 0, round, why, size);
    case CHORALE_REDUCE:
        return me != root ? 0
                          : check_elements(bench, prob, all, 0, round, why,
                                           size);
    case CHORALE_ALLREDUCE:
        return check_elements(bench, prob, all, 0, round, why, size);
    case CHORALE_REDUCE_SCATTER_BLOCK:
    case CHORALE_REDUCE_SCATTER:
        return check_elements(bench, prob, all, me, round, why, size);
    case CHORALE_SCAN:
        return check_elements(bench, prob, me + 1, 0, round, why, size);
    case CHORALE_EXSCAN:
        return me == 0 ? check_untouched(prob, why, size)
                       : check_elements(bench, prob, me, 0, round, why, size);
    case CHORALE_GATHER:
    case CHORALE_GATHERV:
        if (me != root)
            return 0;
        /* fall through */
    case CHORALE_ALLGATHER:
    case CHORALE_ALLGATHERV:
        return check_all(bench, prob, 0, round, why, size);
    case CHORALE_SCATTER:
    case CHORALE_SCATTERV:
        return check_block(prob->recv, own, root, me, round, why, size);
    case CHORALE_ALLTOALL:
    case CHORALE_ALLTOALLV:
        return check_all(bench, prob, me, round, why, size);
    }
    return 0;
}
