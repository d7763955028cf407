/* SPDX-License-Identifier: BSD-3-Clause */
/* binomial.c - binomial-tree scatter, farthest (or nearest) child first.
 *
 * Inner ranks hold their subtree's blocks as packed bytes. The root sends each
 * subtree from its place, except one that wraps past the last rank. order=near
 * sends to the nearest child first, for networks where distant messages
 * congest.
 *
 * Rounds  L = ceil(lg P)                      P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes from the root
 * Cost    L alpha + (P - 1) m beta, exact for every P: the root is always busy,
 *         and no subtree ends after its last send. near: the largest subtree
 *         starts last, L (L + 1)/2 alpha + (2 P - L - 2) m beta at powers of
 *         two; exact for every P as well
 * Needs   any P, any root, any datatype; a rank with a subtree of s blocks
 *         holds s m bytes
 * Source  Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/block_tree.h"
#include "algorithms/tree.h"

enum order { FAR, NEAR };

static int run(const struct chorale_call *call)
{
    return chorale_scatter_tree(call, 2, call->param[0] == FAR);
}

/* A path: number of messages, and their bytes in units of m. */
struct way {
    double messages, blocks;
};

static double seconds(const struct chorale_point *pt, struct way w)
{
    int given = pt->alpha > 0 || pt->beta > 0;

    return w.messages * (given ? pt->alpha : 1e-6) +
           w.blocks * (double)pt->msg_size * (given ? pt->beta : 1e-10);
}

/* Nearest first: the longest path in a tree of size ranks ends either below the
 * last child, whose subtree may be small, or below the last but one. */
static struct way near_first(const struct chorale_point *pt)
{
    struct way way = { 0, 0 }, best = { 0, 0 };

    for (int size = pt->comm_size; size > 1;) {
        int l = chorale_ceil_log2(size), whole = 1 << (l - 1);
        double i = l - 2; /* the last but one: 2^i ranks */
        struct way full = { way.messages + i + 1 + i * (i + 1) / 2,
                            way.blocks + whole - 1 + whole - 2 - i };

        if (l > 1 && seconds(pt, full) > seconds(pt, best))
            best = full;
        way.messages += l;
        way.blocks += size - 1;
        size -= whole;
    }
    return seconds(pt, way) > seconds(pt, best) ? way : best;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct way way;

    if (pt->param[0] == FAR || pt->comm_size < 2)
        return chorale_cost_block_tree(pt, 2, term);
    way = near_first(pt);
    term[0] = (struct chorale_term){
        .messages = way.messages,
        .bytes = (double)pt->msg_size * way.blocks / way.messages,
    };
    return 1;
}

static size_t scratch(const struct chorale_point *pt)
{
    return chorale_scratch_block_tree(pt, 2);
}

static const char *const order_word[] = { "far", "near" };
static const long order[] = { FAR, NEAR };

const struct chorale_alg chorale_scatter_binomial = {
    .coll = CHORALE_SCATTER,
    .name = "binomial",
    .summary = "binomial tree, farthest (or nearest) child first",
    .formula = "order=far: L alpha + (P-1)/P n beta, L = ceil(lg P); "
               "order=near: <= L (L+1)/2 alpha + (2 P - L - 2) m beta",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .nparam = 1,
    .param = { {
        .name = "order",
        .unit = "child that comes first",
        .def = FAR,
        .min = FAR,
        .max = NEAR,
        .candidate = order,
        .ncandidate = 2,
        .word = order_word,
    } },
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
