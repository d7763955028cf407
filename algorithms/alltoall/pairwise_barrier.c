/* SPDX-License-Identifier: BSD-3-Clause */
/* pairwise_barrier.c - pairwise alltoall whose rounds start alike, so that
 * they do not run into each other on a network that would congest. kind:
 * light, who gets a block first tells its sender; full, a barrier before each
 * round; once, one barrier before the first. order: the pairs of
 * pairwise_shift or of pairwise_xor.
 *
 * Rounds  P - 1, and as many empty messages (light), ceil(lg P) times as many
 *         (full), ceil(lg P) (once)           P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from each rank
 * Cost    (P - 1) (alpha + m beta) + alpha for each empty message, exact
 * Needs   any P, with order xor a power of two; any datatype, separate buffers
 * Source  Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange_all.h"

static int run(const struct chorale_call *call)
{
    return chorale_exchange_barriers(
        call, (enum chorale_exchange_barrier)call->param[0],
        call->param[1] == 0);
}

static const char *refuses(const struct chorale_point *pt)
{
    return pt->param[1] == 0 && (pt->comm_size & (pt->comm_size - 1)) != 0
               ? "order xor needs a power-of-two number of processes"
               : NULL;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = chorale_cost_barriers(
        pt->comm_size, (enum chorale_exchange_barrier)pt->param[0], term);

    if (pt->comm_size < 2)
        return 0;
    term[n] = (struct chorale_term){ .messages = pt->comm_size - 1,
                                     .bytes = (double)pt->msg_size };
    return n + 1;
}

static const long kind[] = { CHORALE_EXCHANGE_LIGHT, CHORALE_EXCHANGE_FULL,
                             CHORALE_EXCHANGE_ONCE };
static const char *const kind_word[] = { "light", "full", "once" };
static const long order[] = { 0, 1 };
static const char *const order_word[] = { "xor", "shift" };

const struct chorale_alg chorale_alltoall_pairwise_barrier = {
    .coll = CHORALE_ALLTOALL,
    .name = "pairwise_barrier",
    .summary = "pairwise rounds that wait for each other",
    .formula = "(P-1) (alpha + n/P beta) + (P-1, (P-1) ceil(lg P) or "
               "ceil(lg P)) alpha: light, full, once",
    .source = "Faraj, Yuan, ICS 2005",
    .needs = CHORALE_NEEDS_SEPARATE,
    .nparam = 2,
    .param = { {
        .name = "kind",
        .unit = "what rounds wait for",
        .def = CHORALE_EXCHANGE_LIGHT,
        .min = 0,
        .max = 2,
        .candidate = kind,
        .ncandidate = sizeof(kind) / sizeof(*kind),
        .word = kind_word,
    }, {
        .name = "order",
        .unit = "of the pairs",
        .def = 1,
        .min = 0,
        .max = 1,
        .candidate = order,
        .ncandidate = sizeof(order) / sizeof(*order),
        .word = order_word,
    } },
    .run = run,
    .cost = cost,
    .refuses = refuses,
};
