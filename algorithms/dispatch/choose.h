/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.h - which variant a call of a communicator runs. No lock: one
 * collective at a time is called on a communicator. */
#ifndef CHORALE_ALGORITHMS_CHOOSE_H
#define CHORALE_ALGORITHMS_CHOOSE_H

#include "algorithms/dispatch/state.h"

/* The plan for a point that chorale_args_judge() filled; its alg is NULL for
 * the library. pt->param is filled. */
const struct chorale_plan *chorale_choose(struct chorale_state *st,
                                          enum chorale_coll coll,
                                          struct chorale_point *pt);

/* The library was chosen for this call: remember its arguments, whatever the
 * buffers, which the library judges itself. */
void chorale_choose_remember(struct chorale_state *st, enum chorale_coll coll,
                             const struct chorale_call *call);

/* 1 if it is known without looking closer that the call is the library's. */
int chorale_choose_library(const struct chorale_state *st,
                           enum chorale_coll coll,
                           const struct chorale_call *call);

#endif
