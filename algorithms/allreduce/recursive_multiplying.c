/* SPDX-License-Identifier: BSD-3-Clause */
/* recursive_multiplying.c - allreduce by exchanges in groups of radix ranks.
 *
 * The ranks of a group differ in one digit and exchange with one partner at a
 * time. If P is not a power of the radix, runs of neighbours first fold onto
 * their last rank.
 *
 *   round j: for i = 1 ... radix - 1: send to digit d + i, receive from
 *   digit d - i; then combine the radix vectors in order of their digit
 *
 * Rounds  (radix - 1) q, folded + 2 e         P = comm_size, n = bytes,
 * Volume  (radix - 1) q n bytes from a rank   K = largest radix^q <= P,
 *         of the core, folded up to + e n     e = ceil(P/K) - 1
 * Cost    (radix - 1) q (alpha + n beta + n tau); folded: + e (2 (alpha + n
 *         beta) + n tau); exact
 * Needs   any P, any datatype, any operation
 * Source  Ruefenacht, Bull, Booth, Parallel Computing 69, 2017
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/exchange.h"
#include "algorithms/engines/reduction/fold.h"
#include "algorithms/engines/rooted/pipeline.h"

static int core(const struct chorale_call *call)
{
    return chorale_exchange_digits(call, (int)call->param[0], 0);
}

static int run(const struct chorale_call *call)
{
    return chorale_fold_run(call, (int)call->param[0], core);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_exchange_cost(pt, (int)pt->param[0], term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_exchange_scratch(pt, (int)pt->param[0]);
}

const struct chorale_alg chorale_allreduce_recursive_multiplying = {
    .coll = CHORALE_ALLREDUCE,
    .name = "recursive_multiplying",
    .summary = "exchanges in groups of radix ranks, a partner at a time; "
               "neighbours fold",
    .formula = "(k-1) q (alpha + n beta + n tau) + e (2 alpha + 2 n beta + n "
               "tau), k = radix, q = floor(log_k P), e = ceil(P/k^q) - 1",
    .source = "Ruefenacht, Bull, Booth, Parallel Computing 69, 2017",
    .fallback = "a radix beyond P: all ranks fold onto one, without an "
                "exchange",
    .order = CHORALE_ORDER_RANK,
    .core = CHORALE_CORE_ANY,
    .nparam = 1,
    .param = { CHORALE_PARAM_RADIX(4) },
    .copies = { 0, 2 }, /* the result may end in scratch, to keep the order */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
