/* SPDX-License-Identifier: BSD-3-Clause */
/* select.h - chooses the variant for a call on a communicator. No lock: a
 * communicator has one collective call at a time. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_SELECT_H
#define CHORALE_ALGORITHMS_DISPATCH_SELECT_H

#include "algorithms/dispatch/comm/call_cache.h"

/* 1 if variants may serve operations of that class. */
int chorale_choice_allowed(const struct chorale_state *st,
                           enum chorale_coll coll,
                           enum chorale_opclass opclass);

/* The plan for a point that chorale_call_args_check() filled; alg NULL: the
 * library. pt->param may be overwritten. st->memo[coll].last is the choice. */
const struct chorale_plan *chorale_choice_find(struct chorale_state *st,
                                               enum chorale_coll coll,
                                               struct chorale_point *pt);

/* Cache chosen for calls with these arguments. Not for collectives with
 * arrays. lasts: as in call_cache.h. */
void chorale_choice_cache(struct chorale_state *st, enum chorale_coll coll,
                          const struct chorale_call *call,
                          const struct chorale_chosen *chosen, int lasts);

/* The choice for calls of any size that no variant may serve. */
const struct chorale_chosen *chorale_choice_library(void);

/* The cached plan for a call with these arguments, or NULL if they must be
 * checked and looked up. For calls that did not pass chorale_shim_look()
 * (shim.h). */
const struct chorale_plan *
chorale_choice_cached(struct chorale_state *st, enum chorale_coll coll,
                      const struct chorale_call *call);

#endif
