/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c - nanoseconds per selection of a generated table (select.sh). */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "table.h"

enum { POINTS = 1024, ROUNDS = 100, TRIES = 200 };

static size_t n[POINTS];
static int comm_size[POINTS];
static volatile uintptr_t sink;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The empty loop, without a selection. */
static uintptr_t nothing(size_t size, int ranks)
{
    return size + (uintptr_t)ranks;
}

static uintptr_t select_one(size_t size, int ranks)
{
    return (uintptr_t)chorale_select_bcast(size, ranks);
}

static uintptr_t select_shape(size_t size, int ranks)
{
    return (uintptr_t)chorale_select_bcast_shape(size, ranks,
                                                 CHORALE_SHAPE_SINGLE_NODE);
}

static uintptr_t select_ppn(size_t size, int ranks)
{
    return (uintptr_t)chorale_select_bcast_ppn(size, ranks,
                                               CHORALE_SHAPE_BLOCK, 8);
}

/* Nanoseconds per call, the best of many tries, at points [0, count), a power
 * of two. Calls do not depend on each other, as in a program. */
static double cost(uintptr_t (*volatile call)(size_t, int), int count)
{
    double best = 1e9;

    for (int k = 0; k < TRIES; k++) {
        uintptr_t sum = 0;
        double t = now();

        for (int r = 0; r < ROUNDS; r++)
            for (int i = 0; i < POINTS; i++)
                sum += call(n[i & (count - 1)], comm_size[i & (count - 1)]);
        t = (now() - t) * 1e9 / ROUNDS / POINTS;
        sink = sum;
        best = t < best ? t : best;
    }
    return best;
}

int main(void)
{
    static const int sizes[] = { 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128,
                                 5, 100 };
    uint32_t seed = 12345;
    double loop;

    for (int i = 0; i < POINTS; i++) {
        seed = seed * 1664525 + 1013904223;
        n[i] = (size_t)1 << (seed >> 27) % 28;
        n[i] += seed >> 8 & 7;
        comm_size[i] = sizes[i / 64 % (int)(sizeof(sizes) / sizeof(int))];
    }
    loop = cost(nothing, POINTS);
    printf("# selection: sizes at random %.1f ns, with the shape %.1f ns, "
           "with the ranks a node %.1f ns; four sizes in turn %.1f, %.1f, "
           "%.1f ns (the loop's %.1f ns left out)\n",
           cost(select_one, POINTS) - loop,
           cost(select_shape, POINTS) - loop, cost(select_ppn, POINTS) - loop,
           cost(select_one, 4) - loop, cost(select_shape, 4) - loop,
           cost(select_ppn, 4) - loop, loop);
    return 0;
}
