/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_reduce_parts.h - reduce-scatters composed of other collectives.
 *
 * For reduce_scatter_block and reduce_scatter (irregular = 1). Parameters
 * select the sub-algorithms by name. */
#ifndef CHORALE_ALGORITHMS_ENGINES_REDUCTION_SCATTER_REDUCE_PARTS_H
#define CHORALE_ALGORITHMS_ENGINES_REDUCTION_SCATTER_REDUCE_PARTS_H

#include "algorithms/alg.h"

/* Names of the sub-algorithms, and for each list the last value. */
extern const char *const chorale_rs_reduce_word[];
extern const char *const chorale_rs_scatter_word[];
extern const char *const chorale_rs_alltoall_word[];
extern const char *const chorale_rs_allreduce_word[];
extern const long chorale_rs_part_values[]; /* 0, 1, 2, ... */
enum {
    CHORALE_RS_REDUCE_MAX = 3,
    CHORALE_RS_SCATTER_MAX = 1,
    CHORALE_RS_ALLTOALL_MAX = 1,
    CHORALE_RS_ALLREDUCE_MAX = 4
};

#define CHORALE_RS_PART_PARAM(of, what, last, words)                         \
    {                                                                        \
        .name = of, .unit = what, .def = 0, .min = 0, .max = (last),         \
        .candidate = chorale_rs_part_values, .ncandidate = (last) + 1,       \
        .word = words                                                        \
    }
#define CHORALE_RS_REDUCE_PARAM                                              \
    CHORALE_RS_PART_PARAM("reduce", "variant of reduce",                     \
                          CHORALE_RS_REDUCE_MAX, chorale_rs_reduce_word)
#define CHORALE_RS_SCATTER_PARAM                                             \
    CHORALE_RS_PART_PARAM("scatter", "way of the sums from rank 0",          \
                          CHORALE_RS_SCATTER_MAX, chorale_rs_scatter_word)
#define CHORALE_RS_ALLTOALL_PARAM                                            \
    CHORALE_RS_PART_PARAM("alltoall", "order of the exchange",               \
                          CHORALE_RS_ALLTOALL_MAX, chorale_rs_alltoall_word)
#define CHORALE_RS_ALLREDUCE_PARAM                                           \
    CHORALE_RS_PART_PARAM("allreduce", "variant of allreduce",               \
                          CHORALE_RS_ALLREDUCE_MAX,                          \
                          chorale_rs_allreduce_word)

/* Reduce to rank 0, then scatter; parameters reduce and scatter. The functions
 * of a descriptor. */
int chorale_rs_linear_run(const struct chorale_call *call);
int chorale_rs_linear_cost(const struct chorale_point *pt, int irregular,
                           struct chorale_term *term);
const char *chorale_rs_linear_refuses(const struct chorale_point *pt,
                                      int irregular);
enum chorale_order chorale_rs_linear_order(const struct chorale_point *pt,
                                           int irregular);
size_t chorale_rs_linear_scratch(const struct chorale_point *pt,
                                 int irregular);

/* Exchange all operands, then each rank combines its own in rank order;
 * parameter alltoall. */
int chorale_rs_alltoall_run(const struct chorale_call *call);
int chorale_rs_alltoall_cost(const struct chorale_point *pt, int irregular,
                             struct chorale_term *term);
const char *chorale_rs_alltoall_refuses(const struct chorale_point *pt);
size_t chorale_rs_alltoall_scratch(const struct chorale_point *pt,
                                   int irregular);

/* Allreduce, of which each rank keeps its block; parameter allreduce. */
int chorale_rs_select_run(const struct chorale_call *call);
int chorale_rs_select_cost(const struct chorale_point *pt, int irregular,
                           struct chorale_term *term);
const char *chorale_rs_select_refuses(const struct chorale_point *pt,
                                      int irregular);
enum chorale_order chorale_rs_select_order(const struct chorale_point *pt,
                                           int irregular);
size_t chorale_rs_select_scratch(const struct chorale_point *pt,
                                 int irregular);

#endif
