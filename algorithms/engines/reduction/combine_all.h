/* SPDX-License-Identifier: BSD-3-Clause */
/* combine_all.h - bitwise OR of all ranks' bytes, with the result on all ranks.
 *
 * For variants in which a rank contributes its own data and zeros for the
 * rest. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_COMBINE_ALL_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_COMBINE_ALL_H

#include "algorithms/alg.h"

/* The parameter "base": the allreduce to use. */
extern const char *const chorale_combine_all_word[];
extern const long chorale_combine_all_base[];
enum { CHORALE_COMBINE_ALL_BASES = 5 };

#define CHORALE_COMBINE_ALL_BASE                                             \
    {                                                                        \
        .name = "base", .unit = "allreduce", .def = 0, .min = 0,             \
        .max = CHORALE_COMBINE_ALL_BASES - 1,                                \
        .candidate = chorale_combine_all_base,                               \
        .ncandidate = CHORALE_COMBINE_ALL_BASES,                             \
        .word = chorale_combine_all_word,                                    \
    }

/* OR all ranks' n bytes, in place. Returns an MPI error code. */
int chorale_combine_all(struct chorale_ctx *ctx, long base, void *bytes,
                        size_t n);

/* Cost and scratch for n bytes among the ranks of pt. The cost of the library's
 * allreduce is unknown; that of recursive doubling is used instead. */
int chorale_combine_all_cost(const struct chorale_point *pt, long base,
                             size_t n, struct chorale_term *term);
size_t chorale_combine_all_scratch(const struct chorale_point *pt, long base,
                                   size_t n);

#endif
