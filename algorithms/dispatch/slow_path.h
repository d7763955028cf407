/* SPDX-License-Identifier: BSD-3-Clause */
/* slow_path.h - a call that is not cached: check it, choose, and cache the
 * choice. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_SLOW_PATH_H
#define CHORALE_ALGORITHMS_DISPATCH_SLOW_PATH_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/comm/comm_state.h"

/* The plan of the call; NULL, or a plan without a variant, for the library.
 * ints: as in chorale_dispatch() (dispatch.h). */
const struct chorale_plan *chorale_call_choose(struct chorale_state *st,
                                               enum chorale_coll coll,
                                               const struct chorale_call *call,
                                               const struct chorale_ints *ints);

#endif
