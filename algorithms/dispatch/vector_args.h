/* SPDX-License-Identifier: BSD-3-Clause */
/* vector_args.h - calls with arrays of counts and displacements. Arrays of int
 * are copied to the wide ones of struct chorale_call; calls with either kind
 * are cached (call_cache.h). */
#ifndef CHORALE_ALGORITHMS_DISPATCH_VECTOR_ARGS_H
#define CHORALE_ALGORITHMS_DISPATCH_VECTOR_ARGS_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/comm/comm_state.h"

/* Copy the int arrays that are significant on this rank to st->room and set
 * them in call. Cannot fail. */
void chorale_arrays_take(struct chorale_state *st, enum chorale_coll coll,
                         struct chorale_call *call,
                         const struct chorale_ints *ints);

/* Cache chosen for calls like this one (lasts: call_cache.h). ints: NULL if
 * the arrays are in call; also below. */
void chorale_arrays_cache(struct chorale_state *st, enum chorale_coll coll,
                          const struct chorale_call *call,
                          const struct chorale_ints *ints,
                          const struct chorale_chosen *chosen, int lasts);

/* 1 if a like call is cached; the counts are checked as
 * chorale_call_args_check() does. recall->ran of the collective is then the
 * choice, and for a variant the wide arrays are in call. */
int chorale_arrays_cached(struct chorale_state *st, enum chorale_coll coll,
                          struct chorale_call *call,
                          const struct chorale_ints *ints);

/* The same for a collective whose choice depends on the sum of counts
 * (fast_path.h), after chorale_shim_look() has checked the counts and found
 * recall->ran, a variant. */
int chorale_arrays_cached_sum(struct chorale_state *st, enum chorale_coll coll,
                              struct chorale_call *call,
                              const struct chorale_ints *ints);

#endif
