/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c - looks calls up in settings and table; keeps the last answer of
 * each collective. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>

#include "algorithms/dispatch/select.h"
#include "algorithms/dispatch/base/warn.h"

static const struct chorale_plan library_plan;

/* Print a choice at its first use. slot: the choice's index; nchoice for a
 * variant that cannot run; nchoice + 1 for CHORALE_DISABLE and
 * CHORALE_FORCE. */
static void tell(struct chorale_state *st, enum chorale_coll coll,
                 const struct chorale_point *pt, int slot,
                 const struct chorale_plan *plan)
{
    const struct chorale_coll_info *info = chorale_coll_info(coll);
    const int slots = st->tuning->table->nchoice + 2;
    char params[256] = "", n[32] = "";

    if (st->seen == NULL || st->seen[(int)coll * slots + slot]++)
        return;
    st->seen[(int)coll * slots + slot] = 1;
    if (plan->alg != NULL)
        chorale_alg_params_format(plan->alg, plan->param, params,
                                  sizeof(params));
    if (!info->dataless && !info->blind)
        snprintf(n, sizeof(n), "n=%zu ", pt->n);
    chorale_warn("chorale: %s %sP=%d -> %s%s%s", info->name, n, pt->comm_size,
                 plan->alg != NULL ? plan->alg->name : "library",
                 params[0] != '\0' ? " " : "", params);
}

/* 1 if the point is inside the range that was decided. Outside it is left to
 * the library, whatever the selector returns. */
static int in_hull(const struct chorale_hull *hull, enum chorale_coll coll,
                   int comm_size, size_t n)
{
    return comm_size >= hull->comm_size_lo && comm_size <= hull->comm_size_hi
        && (chorale_coll_info(coll)->blind
            || (n >= hull->n_lo && n <= hull->n_hi));
}

/* 1 for the broadcast sizes that share one choice. */
static int is_small(enum chorale_coll coll, const struct chorale_point *pt)
{
    return coll == CHORALE_BCAST && pt->n < CHORALE_BCAST_ALIKE;
}

/* Scratch bytes for any root: the maximum for the first and last rank. A
 * cached choice holds for all roots. */
static size_t scratch_of(const struct chorale_alg *alg,
                         const struct chorale_point *pt)
{
    struct chorale_point other = *pt;
    size_t first, last;

    other.root = 0;
    first = alg->scratch(&other);
    other.root = pt->comm_size - 1;
    last = alg->scratch(&other);
    return first > last ? first : last;
}

/* Why the chosen variant cannot run at pt; NULL if it can. Equal on all
 * ranks. */
static const char *why_not_at(const struct chorale_state *st,
                              const struct chorale_alg *alg,
                              const struct chorale_point *pt)
{
    const struct chorale_settings *set = &st->tuning->set;
    const char *why = chorale_alg_refuses(alg, pt);

    if (why == NULL && alg->scratch != NULL
        && scratch_of(alg, pt) > st->share.bytes)
        why = st->share.own ? "needs more than the communicator's share of "
                              "CHORALE_MAX_SCRATCH"
                            : "needs more memory than CHORALE_MAX_SCRATCH";
    if (why == NULL && set->deterministic
        && chorale_alg_order(alg, pt) == CHORALE_ORDER_TIMING)
        why = "its results depend on timing";
    return why;
}

/* The same; for a small broadcast at any of the small sizes. */
static const char *why_not(const struct chorale_state *st,
                           const struct chorale_alg *alg,
                           const struct chorale_point *pt)
{
    struct chorale_point end = *pt;
    const char *why;

    if (!is_small(alg->coll, pt))
        return why_not_at(st, alg, pt);
    if (chorale_alg_by_library(alg, pt))
        return "a part is the library's, which wants equal counts";
    end.n = end.msg_size = 1;
    why = why_not_at(st, alg, &end);
    end.n = end.msg_size = CHORALE_BCAST_ALIKE - 1;
    return why != NULL ? why : why_not_at(st, alg, &end);
}

static const struct chorale_plan *
ask(const struct chorale_state *st, enum chorale_coll coll,
    const struct chorale_point *pt, int *slot)
{
    const struct chorale_tuning *t = st->tuning;
    const struct chorale_choice *choice;
    size_t n;

    *slot = t->table->nchoice + 1;
    if (t->set.disabled & 1u << coll)
        return &library_plan;
    if (t->set.forced & 1u << coll)
        return &t->set.force[coll];
    *slot = 0;
    if (t->selector[coll] == NULL)
        return &library_plan;
    n = chorale_coll_query_n(coll, pt->n, t->selector[coll]->hull.n_lo);
    if (!in_hull(&t->selector[coll]->hull, coll, pt->comm_size, n))
        return &library_plan;
    choice = t->selector[coll]->select_ppn(n, pt->comm_size, st->shape,
                                           st->ppn);
    if (choice == NULL || choice->index < 0
        || choice->index >= t->table->nchoice)
        return &library_plan;
    *slot = choice->index;
    return chorale_tuning_plan(t, coll, choice->index);
}

/* Tables are measured with predefined operations on predefined types. Only
 * CHORALE_FORCE serves others. */
int chorale_choice_allowed(const struct chorale_state *st,
                           enum chorale_coll coll, enum chorale_opclass opclass)
{
    return opclass == CHORALE_OP_BUILTIN
        || (st->tuning->set.forced & 1u << coll) != 0;
}

/* 1 if the choice on this communicator is the same for all arguments. */
static int choice_is_constant(const struct chorale_state *st,
                              enum chorale_coll coll)
{
    return chorale_coll_info(coll)->dataless || chorale_coll_info(coll)->blind
        || !(st->tuning->serves & 1u << coll);
}

const struct chorale_plan *chorale_choice_find(struct chorale_state *st,
                                               enum chorale_coll coll,
                                               struct chorale_point *pt)
{
    struct chorale_memo *memo = &st->memo[coll];
    const struct chorale_plan *plan;
    int slot;

    st->recall.ran[coll] = &memo->last;
    if (memo->last.plan != NULL && memo->n == pt->n
        && memo->type_size == pt->type_size
        && memo->in_place == pt->in_place
        && memo->last.commutative == pt->commutative) {
        memo->last.msg_size = pt->msg_size;
        return memo->last.plan;
    }
    memo->always = choice_is_constant(st, coll);
    plan = ask(st, coll, pt, &slot);
    if (plan->alg == NULL && memo->always && !st->tuning->set.check)
        st->pass |= 1u << coll;
    if (plan->alg != NULL) {
        for (int i = 0; i < CHORALE_MAX_PARAM; i++)
            pt->param[i] = plan->param[i];
        if (why_not(st, plan->alg, pt) != NULL) {
            plan = &library_plan;
            slot = st->tuning->table->nchoice;
        }
    }
    tell(st, coll, pt, slot, plan);
    memo->n = pt->n;
    memo->type_size = pt->type_size;
    memo->in_place = pt->in_place;
    memo->last = (struct chorale_chosen){
        .plan = plan, .msg_size = pt->msg_size,
        .commutative = pt->commutative != 0, .passes = plan->alg == NULL
    };
    return plan;
}

/* Extent of an element on the side that holds one block per rank; 0 if the
 * address of this rank's block is not checked. */
static MPI_Aint extent_of_all(const struct chorale_state *st,
                              enum chorale_coll coll,
                              const struct chorale_call *call)
{
    if (!CHORALE_ARGS_APART
        || (coll != CHORALE_ALLGATHER && call->root != st->rank))
        return 0;
    if (!chorale_type_is_plain(call->recvtype)
        || (call->sendtype != 0 && !chorale_type_is_plain(call->sendtype)))
        return 0; /* chorale_call_args_check() does not check it either */
    if (coll == CHORALE_ALLGATHER || coll == CHORALE_GATHER)
        return chorale_type_extent(call->recvtype);
    return coll == CHORALE_SCATTER ? chorale_type_extent(call->sendtype) : 0;
}

void chorale_choice_cache(struct chorale_state *st, enum chorale_coll coll,
                          const struct chorale_call *call,
                          const struct chorale_chosen *chosen, int lasts)
{
    struct chorale_chosen here = *chosen;

    if (call->recvcount < 0)
        return;
    if (!here.passes)
        here.extent = (unsigned short)extent_of_all(st, coll, call);
    chorale_cache_put(st, coll, call, &here, call->sendcount,
                      call->recvcount, lasts);
}

const struct chorale_chosen *chorale_choice_library(void)
{
    /* SIZE_MAX: never a msg_size of chorale_dispatch_last() */
    static const struct chorale_chosen library = { .plan = &library_plan,
                                                   .msg_size = SIZE_MAX,
                                                   .passes = 1 };

    return &library;
}

/* 1 if this rank's own block has the same address on both sides, which the
 * library reports. */
static int is_shared(const struct chorale_state *st, enum chorale_coll coll,
                     const struct chorale_call *call, int extent)
{
    if (coll == CHORALE_SCATTER)
        return chorale_own_block_shared(call->recvbuf, call->sendbuf,
                                        call->sendcount, st->rank, extent);
    return chorale_own_block_shared(call->sendbuf, call->recvbuf,
                                    call->recvcount, st->rank, extent);
}

const struct chorale_plan *
chorale_choice_cached(struct chorale_state *st, enum chorale_coll coll,
                      const struct chorale_call *call)
{
    const struct chorale_entry *known;

    if (st->pass & 1u << coll)
        return st->memo[coll].last.plan;
    if (chorale_coll_info(coll)->irregular)
        return NULL;
    known = chorale_cache_find(st, coll, call, call->sendcount,
                               call->recvcount);
    if (known == NULL
        || (!known->chosen.passes
            && (call->root < 0 || call->root >= st->size
                || is_shared(st, coll, call, known->chosen.extent))))
        return NULL;
    st->recall.ran[coll] = &known->chosen;
    return known->chosen.plan;
}
