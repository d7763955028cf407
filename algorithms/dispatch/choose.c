/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c - asks settings and table, and remembers the last answers of each
 * collective. */
#include "config.h"

#include <stdio.h>

#include "algorithms/dispatch/args.h"
#include "algorithms/dispatch/choose.h"
#include "algorithms/dispatch/say.h"

static const struct chorale_plan library_plan;

/* Say a choice the first time. slot: the choice's index, or one of the two
 * after the last for what is not in the table. */
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
    chorale_say("chorale: %s %sP=%d -> %s%s%s", info->name, n, pt->comm_size,
                plan->alg != NULL ? plan->alg->name : "library",
                params[0] != '\0' ? " " : "", params);
}

/* Where nothing was decided the library answers, whatever a selector says. */
static int in_hull(const struct chorale_hull *hull, enum chorale_coll coll,
                   const struct chorale_point *pt)
{
    return pt->comm_size >= hull->comm_size_lo
        && pt->comm_size <= hull->comm_size_hi
        && (chorale_coll_info(coll)->blind
            || (pt->n >= hull->n_lo && pt->n <= hull->n_hi));
}

/* Why the variant that is chosen does not run at pt, NULL: it does. All ranks
 * come to the same. */
static const char *why_not(const struct chorale_state *st,
                           const struct chorale_alg *alg,
                           const struct chorale_point *pt)
{
    const struct chorale_settings *set = &st->tuning->set;
    const char *why = chorale_alg_refuses(alg, pt);

    if (why == NULL && alg->scratch != NULL
        && alg->scratch(pt) > set->max_scratch)
        why = "needs more memory than CHORALE_MAX_SCRATCH";
    if (why == NULL && set->deterministic
        && chorale_alg_order(alg, pt) == CHORALE_ORDER_TIMING)
        why = "its results depend on timing";
    return why;
}

static const struct chorale_plan *
ask(const struct chorale_state *st, enum chorale_coll coll,
    const struct chorale_point *pt, int *slot)
{
    const struct chorale_tuning *t = st->tuning;
    const struct chorale_choice *choice;

    *slot = t->table->nchoice + 1;
    if (t->set.disabled & 1u << coll)
        return &library_plan;
    if (t->set.forced & 1u << coll)
        return &t->set.force[coll];
    *slot = 0;
    if (t->selector[coll] == NULL)
        return &library_plan;
    if (!in_hull(&t->selector[coll]->hull, coll, pt))
        return &library_plan;
    choice = t->selector[coll]->select_ppn(pt->n, pt->comm_size, st->shape,
                                           st->ppn);
    if (choice == NULL || choice->index < 0
        || choice->index >= t->table->nchoice)
        return &library_plan;
    *slot = choice->index;
    return chorale_tuning_plan(t, coll, choice->index);
}

const struct chorale_plan *chorale_choose(struct chorale_state *st,
                                          enum chorale_coll coll,
                                          struct chorale_point *pt)
{
    struct chorale_memo *memo = &st->memo[coll];
    const struct chorale_plan *plan;
    int slot;

    if (memo->last.plan != NULL && memo->n == pt->n
        && memo->type_size == pt->type_size
        && memo->in_place == pt->in_place
        && memo->last.commutative == pt->commutative) {
        memo->last.msg_size = pt->msg_size;
        memo->ran = memo->last;
        return memo->last.plan;
    }
    plan = ask(st, coll, pt, &slot);
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
    memo->always = chorale_coll_info(coll)->dataless
                || chorale_coll_info(coll)->blind
                || !(st->tuning->serves & 1u << coll);
    memo->last = (struct chorale_chosen){ plan, pt->msg_size,
                                          pt->commutative };
    memo->ran = memo->last;
    return plan;
}

enum { IN_PLACE = 4 + 8 };

/* Which of a call's addresses are null, in place, or the same. */
static unsigned pattern(const struct chorale_call *call)
{
    const void *in = call->sendbuf, *out = call->recvbuf;

    return (unsigned)(in == NULL) | (unsigned)(out == NULL) << 1
         | (unsigned)(in == MPI_IN_PLACE) << 2
         | (unsigned)(out == MPI_IN_PLACE) << 3 | (unsigned)(in == out) << 4;
}

/* Where a call's arguments are remembered: a root that rotates and a few sizes
 * in turn do not push each other out. */
static struct chorale_known *place(struct chorale_memo *memo,
                                   const struct chorale_call *call,
                                   int is_root)
{
    uint64_t mixed = ((uint64_t)call->sendcount + (uint64_t)call->recvcount)
                   * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio */

    return &memo->known[mixed >> 62 | (unsigned)is_root << 2];
}

/* Of types and operations of the application nothing is remembered: when one
 * is freed another may have its handle, on some ranks. Nor of arrays. */
void chorale_choose_remember(struct chorale_state *st, enum chorale_coll coll,
                             const struct chorale_call *call, int builtin)
{
    const int is_root = call->root == st->rank;
    struct chorale_memo *memo = &st->memo[coll];
    struct chorale_known *known = place(memo, call, is_root);

    if (chorale_coll_info(coll)->irregular || call->recvcount < 0
        || (memo->last.plan->alg != NULL && !builtin)
        || !chorale_args_plain(call->recvtype)
        || (call->sendtype != 0 && !chorale_args_plain(call->sendtype)))
        return;
    *known = (struct chorale_known){
        .sendcount = call->sendcount, .recvcount = call->recvcount,
        .sendtype = call->sendtype, .recvtype = call->recvtype,
        .op = call->op, .pattern = pattern(call), .is_root = is_root,
        .chosen = memo->last
    };
}

/* The library judges addresses and the root itself; but what is in place may
 * be another's choice, and the ranks differ in what they give without use. */
static int fits(const struct chorale_state *st,
                const struct chorale_known *known,
                const struct chorale_call *call)
{
    const unsigned other = known->pattern ^ pattern(call);

    return known->chosen.plan->alg == NULL
               ? (other & IN_PLACE) == 0
               : other == 0 && call->root >= 0 && call->root < st->size;
}

const struct chorale_plan *
chorale_choose_known(struct chorale_state *st, enum chorale_coll coll,
                     const struct chorale_call *call)
{
    const int is_root = call->root == st->rank;
    struct chorale_memo *memo = &st->memo[coll];
    const struct chorale_known *known;

    if (memo->last.plan == NULL)
        return NULL;
    if (memo->always && memo->last.plan->alg == NULL)
        return memo->in_place == (call->sendbuf == MPI_IN_PLACE)
                   ? memo->last.plan : NULL;
    known = place(memo, call, is_root);
    if (known->chosen.plan == NULL || known->recvcount != call->recvcount
        || known->sendcount != call->sendcount
        || known->recvtype != call->recvtype
        || known->sendtype != call->sendtype || known->op != call->op
        || known->is_root != is_root || !fits(st, known, call))
        return NULL;
    memo->ran = known->chosen;
    return memo->ran.plan;
}
