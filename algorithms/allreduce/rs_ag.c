/* SPDX-License-Identifier: BSD-3-Clause */
/* rs_ag.c - any reduce-scatter of P parts, then any allgather.
 *
 * For long vectors.
 *
 * Rounds  as the halves                       P = comm_size, n = bytes
 * Volume  2 (P - 1)/P n bytes from each rank, up to rounding
 * Cost    (A_rs + A_ag) alpha + (P - 1) b (2 beta + tau), b = n/P; A: P - 1
 *         (ring, pairwise, direct), ceil(lg P) (halving, circulant, doubling,
 *         bruck), P/2 (neighbor); exact, with parts of whole elements; direct
 *         takes less if messages in flight overlap
 * Needs   any datatype; a commutative operation; halving and doubling a
 *         power-of-two P, neighbor an even one; direct n bytes of memory
 * Source  Chan, Heimlich, Purkayastha, van de Geijn, CCPE 19, 2007; direct:
 *         Faraj, Yuan, ICS 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/reduction/halves.h"

/* Names and algorithms; new ones are only appended. k 0: P. */
struct half {
    enum chorale_half way;
    int k;
};

static const long value[] = { 0, 1, 2, 3, 4 };
static const char *const rs_word[] = { "ring", "halving", "pairwise",
                                       "circulant", "direct" };
static const struct half rs_half[] = {
    { CHORALE_WAY_RING, 0 },
    { CHORALE_WAY_EXCHANGE, 2 },
    { CHORALE_WAY_EXCHANGE, 0 },
    { CHORALE_WAY_CIRCULANT, 0 },
    { CHORALE_WAY_DIRECT, 0 },
};
static const char *const ag_word[] = { "ring", "doubling", "bruck",
                                       "circulant", "neighbor" };
static const struct half ag_half[] = {
    { CHORALE_WAY_RING, 0 },
    { CHORALE_WAY_EXCHANGE, 2 },
    { CHORALE_WAY_BRUCK, 0 },
    { CHORALE_WAY_CIRCULANT, 0 },
    { CHORALE_WAY_NEIGHBOR, 0 },
};

static int radix(const struct half *rs, int size)
{
    return rs->k == 0 ? size : rs->k;
}

static int run(const struct chorale_call *call)
{
    const struct half *rs = &rs_half[call->param[0]];
    const struct half *ag = &ag_half[call->param[1]];

    return chorale_halves_run(call, rs->way, radix(rs, call->ctx->size),
                              ag->way, 2);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    const struct half *rs = &rs_half[pt->param[0]];
    const struct half *ag = &ag_half[pt->param[1]];
    int p = pt->comm_size;
    int n = chorale_half_cost(pt, rs->way, radix(rs, p), p, 1, term, 0);

    return chorale_half_cost(pt, ag->way, 2, p, 0, term, n);
}

static size_t scratch(const struct chorale_point *pt)
{
    const struct half *rs = &rs_half[pt->param[0]];
    const struct half *ag = &ag_half[pt->param[1]];

    return chorale_halves_scratch(pt, rs->way, radix(rs, pt->comm_size),
                                  ag->way, pt->comm_size);
}

static int overlaps_at(const struct chorale_point *pt)
{
    return rs_half[pt->param[0]].way == CHORALE_WAY_DIRECT;
}

static const char *refuses(const struct chorale_point *pt)
{
    int p = pt->comm_size, pow2 = (p & (p - 1)) == 0;

    if (!pow2 && (rs_half[pt->param[0]].k == 2 ||
                  ag_half[pt->param[1]].k == 2))
        return "halving and doubling need a power-of-two number of processes";
    if (p % 2 != 0 && ag_half[pt->param[1]].way == CHORALE_WAY_NEIGHBOR)
        return "neighbor needs an even number of processes";
    return NULL;
}

const struct chorale_alg chorale_allreduce_rs_ag = {
    .coll = CHORALE_ALLREDUCE,
    .name = "rs_ag",
    .summary = "any reduce-scatter, then any allgather",
    .formula = "(P-1)/P n (2 beta + tau); rs=ring or pairwise or direct: + "
               "(P-1) alpha; rs=halving or circulant: + ceil(lg P) alpha; "
               "ag=ring: + (P-1) alpha; ag=doubling or bruck or circulant: + "
               "ceil(lg P) alpha; ag=neighbor: + P/2 alpha",
    .source = "Chan, Heimlich, Purkayastha, van de Geijn, CCPE 19, 2007; "
              "Faraj, Yuan, ICS 2005",
    .needs = CHORALE_NEEDS_COMMUTE,
    .order = CHORALE_ORDER_FIXED,
    .nparam = 2,
    .param = { { .name = "rs",
                 .unit = "way",
                 .def = 2,
                 .max = 4,
                 .candidate = value,
                 .ncandidate = 5,
                 .word = rs_word },
               { .name = "ag",
                 .unit = "way",
                 .def = 2,
                 .max = 4,
                 .candidate = value,
                 .ncandidate = 5,
                 .word = ag_word } },
    .run = run,
    .cost = cost,
    .refuses = refuses,
    .constraint = "with rs=halving or ag=doubling P a power of two, with "
                  "ag=neighbor P even",
    .scratch = scratch,
    .within = 1,
    .overlaps_at = overlaps_at,
};
