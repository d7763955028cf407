/* SPDX-License-Identifier: BSD-3-Clause */
/* part.h - a variant as a part of another one: run, priced and refused with
 * its own default parameters. */
#ifndef CHORALE_ALGORITHMS_PART_H
#define CHORALE_ALGORITHMS_PART_H

#include "algorithms/alg.h"

/* Run part on the call's other arguments. Returns an MPI error code. */
int chorale_part_run(const struct chorale_alg *part,
                     const struct chorale_call *call);

/* The point that part sees: pt with its parameters, and n by its collective.
 * msg_size and root are the caller's to set. */
struct chorale_point chorale_part_point(const struct chorale_alg *part,
                                        const struct chorale_point *pt);

/* The descriptor's functions at that point. cost returns the number of terms;
 * scratch is 0 where part has none; refuses NULL if it can run. */
int chorale_part_cost(const struct chorale_alg *part,
                      const struct chorale_point *pt,
                      struct chorale_term *term);
size_t chorale_part_scratch(const struct chorale_alg *part,
                            const struct chorale_point *pt);
const char *chorale_part_refuses(const struct chorale_alg *part,
                                 const struct chorale_point *pt);

#endif
