/* SPDX-License-Identifier: BSD-3-Clause */
/* vector_args.h - calls with arrays of counts and displacements: those of MPI's
 * functions with int counts are taken over as the wider ones of struct
 * chorale_call; both are remembered like other calls (call_cache.h). */
#ifndef CHORALE_ALGORITHMS_DISPATCH_VECTOR_ARGS_H
#define CHORALE_ALGORITHMS_DISPATCH_VECTOR_ARGS_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/comm/comm_state.h"

/* The arrays that are significant on this rank, in the room that the state has
 * for them: nothing that could fail now. */
void chorale_arrays_take(struct chorale_state *st, enum chorale_coll coll,
                         struct chorale_call *call,
                         const struct chorale_ints *ints);

/* chosen is for this call: remember what the choice and the judgement of its
 * arguments hang on (lasts: call_cache.h). ints: NULL if the arrays are the call's
 * own, here and in what follows. */
void chorale_arrays_remember(struct chorale_state *st, enum chorale_coll coll,
                             const struct chorale_call *call,
                             const struct chorale_ints *ints,
                             const struct chorale_chosen *chosen, int lasts);

/* 1 if the call is like one that is remembered: its counts are looked at, as
 * chorale_args_judge() does. Then recall->ran of the collective is what was
 * chosen, and if that is a variant, call has the arrays. */
int chorale_arrays_known(struct chorale_state *st, enum chorale_coll coll,
                         struct chorale_call *call,
                         const struct chorale_ints *ints);

/* The same for a collective that goes by the sum (fast_path.h), of which
 * chorale_shim_look() has looked at the counts and has found recall->ran, a
 * variant. */
int chorale_arrays_by_sum(struct chorale_state *st, enum chorale_coll coll,
                          struct chorale_call *call,
                          const struct chorale_ints *ints);

#endif
