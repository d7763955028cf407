/* SPDX-License-Identifier: BSD-3-Clause */
/* part.h - a variant that does a part of another one's work, with the
 * defaults of its own parameters. */
#ifndef CHORALE_ALGORITHMS_ENGINES_PART_H
#define CHORALE_ALGORITHMS_ENGINES_PART_H

#include "algorithms/alg.h"

/* A parameter that names one of several parts, words[value], for use in a
 * descriptor; at most CHORALE_NPART of them. The first few are for all plans,
 * the others for the full set alone. */
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

/* part->run on the call, but for its param. */
int chorale_part_run(const struct chorale_alg *part,
                     const struct chorale_call *call);

/* part at the point, but for its param: cost, scratch (0: none), why it
 * cannot run there (NULL: it can), whether it overlaps there, and in which
 * order it combines operands. */
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

/* Cost and scratch of a part that combines n bytes bit by bit at pt's ranks.
 * part NULL is the library, whose cost is not known: that of instead stands in
 * for it. */
int chorale_part_or_cost(const struct chorale_alg *part,
                         const struct chorale_alg *instead,
                         const struct chorale_point *pt, size_t n,
                         struct chorale_term *term);
size_t chorale_part_or_scratch(const struct chorale_alg *part,
                               const struct chorale_point *pt, size_t n);

#endif
