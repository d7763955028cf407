/* SPDX-License-Identifier: BSD-3-Clause */
/* recexch.c - allreduce by recursive exchange, all messages of a round at once.
 *
 * Groups are radix ranks that differ in one digit. For networks with several
 * ports, or that hide latency. If P is not a power of the radix, runs of
 * neighbours first fold onto their last rank.
 *
 * Rounds  q, folded + 2 e                     P = comm_size, n = bytes,
 * Volume  (radix - 1) q n bytes from a rank   K = largest radix^q <= P,
 *         of the core, folded up to + e n     e = ceil(P/K) - 1
 * Cost    <= q ((2 radix - 3) (alpha + n beta) + (radix - 1) n tau); folded: +
 *         e (2 (alpha + n beta) + n tau). This is for one port, where messages
 *         wait for each other. With radix - 1 ports a round's messages take
 *         alpha + n beta together
 * Needs   any P, any datatype, any operation
 * Source  Ruefenacht, Bull, Booth, Parallel Computing 69, 2017; MPICH
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/exchange.h"
#include "algorithms/engines/reduction/fold.h"
#include "algorithms/engines/rooted/pipeline.h"

static int core(const struct chorale_call *call)
{
    return chorale_exchange_digits(call, (int)call->param[0], 1);
}

static int run(const struct chorale_call *call)
{
    return chorale_fold_run(call, (int)call->param[0], core);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double k = (double)pt->param[0];
    int n = chorale_exchange_cost(pt, (int)pt->param[0], term);

    if (n > 0 && pt->param[0] <= pt->comm_size)
        term[0].messages *= (2 * k - 3) / (k - 1);
    return n;
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_exchange_scratch(pt, (int)pt->param[0]);
}

const struct chorale_alg chorale_allreduce_recexch = {
    .coll = CHORALE_ALLREDUCE,
    .name = "recexch",
    .summary = "exchanges in groups of radix ranks, all at once; neighbours "
               "fold",
    .formula = "<= q ((2 k - 3) (alpha + n beta) + (k-1) n tau) + e (2 alpha "
               "+ 2 n beta + n tau), k = radix, q = floor(log_k P), e = "
               "ceil(P/k^q) - 1",
    .source = "Ruefenacht, Bull, Booth, Parallel Computing 69, 2017",
    .fallback = "a radix beyond P: all ranks fold onto one, without an "
                "exchange",
    .order = CHORALE_ORDER_RANK,
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.94,
    .within_default = 1.67,
    .overlaps = 1,
    .nparam = 1,
    .param = { CHORALE_PARAM_RADIX(4) },
    .copies = { 0, 2 }, /* the result may end in scratch, to keep the order */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
