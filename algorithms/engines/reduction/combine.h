/* SPDX-License-Identifier: BSD-3-Clause */
/* combine.h - gathers by reduction: bitwise OR of bytes to a root. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_COMBINE_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_COMBINE_H

#include "algorithms/alg.h"

/* The parameter "base": the reduction to use. */
extern const char *const chorale_combine_word[];
extern const long chorale_combine_base[];
enum { CHORALE_COMBINE_PIPELINE = 2, CHORALE_COMBINE_BASES = 4 };

#define CHORALE_COMBINE_BASE                                                 \
    {                                                                        \
        .name = "base", .unit = "reduction", .def = 0, .min = 0,             \
        .max = CHORALE_COMBINE_BASES - 1, .candidate = chorale_combine_base, \
        .ncandidate = CHORALE_COMBINE_BASES, .word = chorale_combine_word,   \
    }

/* OR bytes bytes of all ranks' sendbuf into the root's recvbuf. Only ctx and
 * root of call are used. MPI_IN_PLACE is not used, because MPI_Reduce of MPICH
 * 4.0.2 crashes with it at roots other than 0, from 2 KiB on. Returns an MPI
 * error code. */
int chorale_combine(const struct chorale_call *call, long base,
                    const void *sendbuf, void *recvbuf, size_t bytes);

/* Cost and scratch for that many bytes among the ranks of pt. The cost of the
 * library's reduction is unknown; that of a binomial tree is used instead. */
int chorale_combine_cost(const struct chorale_point *pt, long base,
                         size_t bytes, struct chorale_term *term);
size_t chorale_combine_scratch(const struct chorale_point *pt, long base,
                               size_t bytes);

#endif
