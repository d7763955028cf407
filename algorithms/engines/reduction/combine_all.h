/* SPDX-License-Identifier: BSD-3-Clause */
/* combine_all.h - bitwise ORs of bytes that all ranks get, by one of several
 * allreduces: behind variants in which a rank contributes what it has and
 * zeros for the rest. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_COMBINE_ALL_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_COMBINE_ALL_H

#include "algorithms/alg.h"

/* The parameter "base": which allreduce. */
extern const char *const chorale_combine_all_word[];
extern const long chorale_combine_all_base[];
enum { CHORALE_COMBINE_ALL_BASES = 5 };

#define CHORALE_COMBINE_ALL_BASE                                             \
    {                                                                        \
        .name = "base", .unit = "what reduces", .def = 0, .min = 0,          \
        .max = CHORALE_COMBINE_ALL_BASES - 1,                                \
        .candidate = chorale_combine_all_base,                               \
        .ncandidate = CHORALE_COMBINE_ALL_BASES,                             \
        .word = chorale_combine_all_word,                                    \
    }

/* OR all ranks' n bytes, in place. Returns an MPI error code. */
int chorale_combine_all(struct chorale_ctx *ctx, long base, void *bytes,
                        size_t n);

/* Its cost and scratch with n bytes at pt's ranks. The library's cost is
 * not known: that of recursive doubling stands in for it. */
int chorale_combine_all_cost(const struct chorale_point *pt, long base,
                             size_t n, struct chorale_term *term);
size_t chorale_combine_all_scratch(const struct chorale_point *pt, long base,
                                   size_t n);

#endif
