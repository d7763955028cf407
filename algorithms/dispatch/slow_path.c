/* SPDX-License-Identifier: BSD-3-Clause */
/* slow_path.c - checks a call, chooses, and caches the choice. */
#include "config.h"

#include "algorithms/dispatch/vector_args.h"
#include "algorithms/dispatch/select.h"
#include "algorithms/dispatch/slow_path.h"

/* Cache the choice for calls like this one; lasts: as in call_cache.h. */
static void remember(struct chorale_state *st, enum chorale_coll coll,
                     const struct chorale_call *call,
                     const struct chorale_ints *ints,
                     const struct chorale_chosen *chosen, int lasts)
{
    if (st->tuning->set.check) /* every call must be compared */
        return;
    if (chorale_coll_info(coll)->irregular)
        chorale_arrays_cache(st, coll, call, ints, chosen, lasts);
    else
        chorale_choice_cache(st, coll, call, chosen, lasts);
}

/* 1 for a reduction that no variant may serve because of its operation. The
 * library checks its other arguments. */
static int is_library_op(const struct chorale_state *st,
                         enum chorale_coll coll,
                         const struct chorale_call *call)
{
    return chorale_coll_info(coll)->reduces
        && !chorale_choice_allowed(st, coll,
                                   chorale_op_class(call->op,
                                                    call->recvtype));
}

const struct chorale_plan *chorale_call_choose(struct chorale_state *st,
                                               enum chorale_coll coll,
                                               const struct chorale_call *call,
                                               const struct chorale_ints *ints)
{
    const struct chorale_plan *plan;
    enum chorale_opclass opclass;
    struct chorale_point pt = {0};

    if (is_library_op(st, coll, call)) {
        remember(st, coll, call, ints, chorale_choice_library(), 1);
        return NULL;
    }
    switch (chorale_call_args_check(coll, call, ints, st->ctx, &opclass, &pt)) {
    case CHORALE_ARGS_SERVED:
        pt.ppn = st->ppn;
        plan = chorale_choice_find(st, coll, &pt);
        remember(st, coll, call, ints, &st->memo[coll].last, 0);
        return plan;
    case CHORALE_ARGS_NOTHING:
        remember(st, coll, call, ints, chorale_choice_library(), 0);
    }
    return NULL;
}
