/* SPDX-License-Identifier: BSD-3-Clause */
/* combine.h - gathers that combine: bitwise ORs of bytes, by one of several
 * reductions, to a root. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_COMBINE_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_COMBINE_H

#include "algorithms/alg.h"

/* The parameter "base": which reduction. */
extern const char *const chorale_combine_word[];
extern const long chorale_combine_base[];
enum { CHORALE_COMBINE_PIPELINE = 2, CHORALE_COMBINE_BASES = 4 };

#define CHORALE_COMBINE_BASE                                                 \
    {                                                                        \
        .name = "base", .unit = "what reduces", .def = 0, .min = 0,          \
        .max = CHORALE_COMBINE_BASES - 1, .candidate = chorale_combine_base, \
        .ncandidate = CHORALE_COMBINE_BASES, .word = chorale_combine_word,   \
    }

/* OR that many bytes of all ranks' sendbuf into the root's recvbuf. Of call
 * only ctx and root are read. Never in place: MPICH 4.0.2's MPI_Reduce crashes
 * with MPI_IN_PLACE at other roots than 0, from 2 KiB on. Returns an MPI error
 * code. */
int chorale_combine(const struct chorale_call *call, long base,
                    const void *sendbuf, void *recvbuf, size_t bytes);

/* Its cost and scratch with that many bytes at pt's ranks. The library's
 * cost is not known: that of a binomial tree stands in for it. */
int chorale_combine_cost(const struct chorale_point *pt, long base,
                         size_t bytes, struct chorale_term *term);
size_t chorale_combine_scratch(const struct chorale_point *pt, long base,
                               size_t bytes);

#endif
