/* SPDX-License-Identifier: BSD-3-Clause */
/* part.h - runs another variant as a sub-algorithm. */
#ifndef CHORALE_ALGORITHMS_ENGINES_PART_H
#define CHORALE_ALGORITHMS_ENGINES_PART_H

#include "algorithms/alg.h"

/* A parameter whose value selects a sub-algorithm; words[value] is its name. At
 * most CHORALE_NPART values. The first few values are candidates in all plans,
 * the others in the full set only. */
enum { CHORALE_NPART = 10 };
extern const long chorale_part_number[CHORALE_NPART];

#define CHORALE_PARAM_PARTS(field, what, usual, words, few)                  \
    {                                                                        \
        .name = (field), .unit = (what), .def = (usual), .min = 0,           \
        .max = CHORALE_NWORDS(words) - 1, .candidate = chorale_part_number,  \
        .ncandidate = (few), .word = (words),                                \
        .more = chorale_part_number + (few),                                 \
        .nmore = CHORALE_NWORDS(words) - (few)                               \
    }
#define CHORALE_PARAM_PART(field, what, usual, words)                        \
    CHORALE_PARAM_PARTS(field, what, usual, words, CHORALE_NWORDS(words))
#define CHORALE_NWORDS(words) ((int)(sizeof(words) / sizeof(*(words))))

/* Run part on the call, with part's default parameters instead of
 * call->param. */
int chorale_part_run(const struct chorale_alg *part,
                     const struct chorale_call *call);

/* Properties of part at pt, with its default parameters: cost, scratch (bytes),
 * the reason why it cannot run (or NULL), whether its messages overlap, and its
 * order of operands. */
int chorale_part_cost(const struct chorale_alg *part,
                      const struct chorale_point *pt,
                      struct chorale_term *term);
size_t chorale_part_scratch(const struct chorale_alg *part,
                            const struct chorale_point *pt);
const char *chorale_part_refuses(const struct chorale_alg *part,
                                 const struct chorale_point *pt);
int chorale_part_overlaps(const struct chorale_alg *part,
                          const struct chorale_point *pt);
enum chorale_order chorale_part_order(const struct chorale_alg *part,
                                      const struct chorale_point *pt);

/* Cost and scratch of a sub-algorithm that combines n bytes bitwise among the
 * ranks of pt. part NULL is the MPI library: its cost is unknown, so the cost
 * of the variant `instead` is used; its scratch counts as 0. */
int chorale_part_or_cost(const struct chorale_alg *part,
                         const struct chorale_alg *instead,
                         const struct chorale_point *pt, size_t n,
                         struct chorale_term *term);
size_t chorale_part_or_scratch(const struct chorale_alg *part,
                               const struct chorale_point *pt, size_t n);

#endif
