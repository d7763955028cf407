/* SPDX-License-Identifier: BSD-3-Clause */
/* select.h - which variant a call of a communicator runs. No lock: one
 * collective at a time is called on a communicator. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_SELECT_H
#define CHORALE_ALGORITHMS_DISPATCH_SELECT_H

#include "algorithms/dispatch/comm/call_cache.h"

/* 1 if variants may serve such an operation. */
int chorale_choose_may(const struct chorale_state *st,
                       enum chorale_coll coll, enum chorale_opclass opclass);

/* The plan for a point that chorale_args_judge() filled; its alg is NULL for
 * the library. pt->param is filled. */
const struct chorale_plan *chorale_choose(struct chorale_state *st,
                                          enum chorale_coll coll,
                                          struct chorale_point *pt);

/* chosen is for this call, of a collective without arrays: remember its
 * arguments, beside those of others. lasts: as in call_cache.h. */
void chorale_choose_remember(struct chorale_state *st, enum chorale_coll coll,
                             const struct chorale_call *call,
                             const struct chorale_chosen *chosen, int lasts);

/* What is chosen for calls that no variant may serve, of whatever size. */
const struct chorale_chosen *chorale_choose_library(void);

/* The plan, if it is known without looking closer: the arguments are those of
 * a call that is remembered, but for addresses of the same kind. NULL: judge
 * and choose. For who comes past chorale_shim_look() (shim.h). */
const struct chorale_plan *
chorale_choose_known(struct chorale_state *st, enum chorale_coll coll,
                     const struct chorale_call *call);

#endif
