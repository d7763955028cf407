/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline.h - vectors that flow through a tree in segments: a broadcast down
 * any tree of tree.h, a reduction up any of them, and what they cost.
 *
 * A rank receives a segment while it sends the one before to its children
 * (reductions: to its parent), one message each way at a time. Reductions
 * overlap no message. With one segment these are the plain trees. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_PIPELINE_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_PIPELINE_H

#include <limits.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"
#include "algorithms/tree.h"

/* Parameters that many variants share, for use in a descriptor. segsize 0
 * is the whole vector. */
enum { CHORALE_NSEGSIZE = 10, CHORALE_NRADIX = 5, CHORALE_NFANOUT = 4,
       CHORALE_NMORE_LEAF_REQS = 4 };
extern const long chorale_segsizes[CHORALE_NSEGSIZE];
extern const long chorale_radixes[CHORALE_NRADIX];
extern const long chorale_fanouts[CHORALE_NFANOUT];
extern const long chorale_leaf_reqs[3];
extern const long chorale_more_leaf_reqs[CHORALE_NMORE_LEAF_REQS];
extern const long chorale_no_yes[2];

#define CHORALE_PARAM_SEGSIZE_BY(usual, when)                                \
    {                                                                        \
        .name = "segsize", .unit = "bytes, 0: whole", .def = (usual),        \
        .min = 0, .max = 1L << 30, .candidate = chorale_segsizes,            \
        .ncandidate = CHORALE_NSEGSIZE, .by = (when)                         \
    }
#define CHORALE_PARAM_SEGSIZE(usual) CHORALE_PARAM_SEGSIZE_BY(usual, 0)
#define CHORALE_PARAM_WAYS(word, what, usual, least, when)                   \
    {                                                                        \
        .name = word, .unit = what, .def = (usual), .min = (least),          \
        .max = INT_MAX, .candidate = chorale_radixes,                        \
        .ncandidate = CHORALE_NRADIX, .by = CHORALE_BY_ROOT | (when)         \
    }
#define CHORALE_PARAM_RADIX(usual)                                           \
    CHORALE_PARAM_WAYS("radix", "ways", usual, 2, 0)
#define CHORALE_PARAM_FANOUT                                                 \
    {                                                                        \
        .name = "fanout", .unit = "chains", .def = 4, .min = 1,              \
        .max = INT_MAX, .candidate = chorale_fanouts,                        \
        .ncandidate = CHORALE_NFANOUT                                        \
    }
#define CHORALE_PARAM_LEAF_REQS                                              \
    {                                                                        \
        .name = "max_reqs",                                                  \
        .unit = "sends of a leaf in flight, 0: no limit", .def = 0,          \
        .min = 0, .max = INT_MAX, .candidate = chorale_leaf_reqs,            \
        .ncandidate = 3, .more = chorale_more_leaf_reqs,                     \
        .nmore = CHORALE_NMORE_LEAF_REQS                                     \
    }

/* The tree and the segments of one variant at given parameters. */
struct chorale_flow {
    enum chorale_shape shape;
    long radix;
    long segsize;  /* bytes; 0: one segment */
    long max_reqs; /* reductions: a leaf has at most so many sends under way
                    * that the parent has not begun to receive, and waits
                    * then; 0: as many as the MPI library takes */
    int waits;     /* broadcasts: a rank receives a segment after it has passed
                    * on the one before; else while it does */
    int each;      /* reductions: a rank receives from all children at once;
                    * else from one after the other */
};

/* n bytes in segments of s: how many, at least one; the length of the last.
 * s 0, or more than n: one. */
size_t chorale_segments(size_t n, size_t s, size_t *last);

/* Bytes of a segment in whole elements, at least one: what reductions are cut
 * in. 0 stays 0. */
size_t chorale_whole_segment(long segsize, size_t type_size);

/* One rank's place: the tree of virtual ranks that it belongs to, in which v
 * is rank (shift + stride v) mod ctx->size. parent: the rank that it receives
 * from (of the tree's root: sends to), or -1. */
struct chorale_view {
    struct chorale_ctx *ctx;
    struct chorale_tree tree;
    int shift, stride;
    int parent;
};

/* The tree of flow with its root at rank base; a virtual rank's number, and
 * that of child i. */
void chorale_view_init(struct chorale_view *view, struct chorale_ctx *ctx,
                       const struct chorale_flow *flow, int base);
int chorale_view_rank(const struct chorale_view *view, int v);
int chorale_view_child(const struct chorale_view *view, int i);

/* n packed bytes in segments of s from the parent, and on to the children. */
int chorale_flow_down(const struct chorale_view *view, char *bytes, size_t n,
                      size_t s);

/* A broadcast that moves packed bytes: move() gets the call's vector packed,
 * n bytes, in place where its type is packed, else in scratch. what: for
 * move(). */
int chorale_packed_bcast(const struct chorale_call *call,
                         int (*move)(const struct chorale_call *call,
                                     const void *what, char *bytes, size_t n),
                         const void *what);

/* Broadcast (a bcast's call) down a tree from call->root. The vector is cut
 * by packed bytes, since ranks may describe it by different types; a type
 * with gaps is packed first, unless there is one segment only. */
int chorale_flow_bcast(const struct chorale_call *call,
                       const struct chorale_flow *flow);

/* Its critical path, exact, and its scratch (none: the types that scratch is
 * stated for are packed). waits: for k-ary trees only. */
int chorale_flow_bcast_cost(const struct chorale_point *pt,
                            const struct chorale_flow *flow,
                            struct chorale_term *term);

/* A bcast's run() and cost() where both are those of the flow that
 * flow(param) gives. */
#define CHORALE_FLOW_BCAST(flow)                                             \
    static int run(const struct chorale_call *call)                          \
    {                                                                        \
        struct chorale_flow f = flow(call->param);                           \
                                                                             \
        return chorale_flow_bcast(call, &f);                                 \
    }                                                                        \
                                                                             \
    static int cost(const struct chorale_point *pt,                          \
                    struct chorale_term *term)                               \
    {                                                                        \
        struct chorale_flow f = flow(pt->param);                             \
                                                                             \
        return chorale_flow_bcast_cost(pt, &f, term);                        \
    }

/* Reduction (a reduce's call) up a tree. base: the rank that is the tree's
 * root; if it is not call->root, it passes the result on in one message. The
 * vector is cut in whole elements. Operands are combined in order of the
 * tree's virtual ranks, which start at base (in-order trees: end there), in
 * all shapes but the k-ary one and the k-nomial ones that do not begin with the
 * farthest child. The cost is a bound with each, else exact. */
int chorale_flow_reduce(const struct chorale_call *call,
                        const struct chorale_flow *flow, int base);
int chorale_flow_reduce_cost(const struct chorale_point *pt,
                             const struct chorale_flow *flow, int base,
                             struct chorale_term *term);
size_t chorale_flow_reduce_scratch(const struct chorale_point *pt,
                                   const struct chorale_flow *flow, int base);

/* The order_at() of reductions up a knomial tree whose root is the call's, or
 * rank 0 where the operation does not commute. */
enum chorale_order chorale_flow_order_at(const struct chorale_point *pt);

/* A reduce's cost() and scratch() where they are those of the flow that
 * flow(param) gives, its tree's root base: an expression of pt. */
#define CHORALE_FLOW_REDUCE_COSTS(flow, base)                                \
    static int cost(const struct chorale_point *pt,                          \
                    struct chorale_term *term)                               \
    {                                                                        \
        struct chorale_flow f = flow(pt->param);                             \
                                                                             \
        return chorale_flow_reduce_cost(pt, &f, (base), term);               \
    }                                                                        \
                                                                             \
    static size_t scratch(const struct chorale_point *pt)                    \
    {                                                                        \
        struct chorale_flow f = flow(pt->param);                             \
                                                                             \
        return chorale_flow_reduce_scratch(pt, &f, (base));                  \
    }

/* The same and its run(), the tree's root that of the call. */
#define CHORALE_FLOW_REDUCE(flow)                                            \
    static int run(const struct chorale_call *call)                          \
    {                                                                        \
        struct chorale_flow f = flow(call->param);                           \
                                                                             \
        return chorale_flow_reduce(call, &f, call->root);                    \
    }                                                                        \
                                                                             \
    CHORALE_FLOW_REDUCE_COSTS(flow, pt->root)

/* Allreduce: up a tree and down the same one. A rank passes a segment of the
 * result on to a child in the step in which the child's next operand comes.
 * The tree's root is rank 0 (in-order trees: the last rank); order as in
 * chorale_flow_reduce(). The cost is a bound. */
int chorale_flow_allreduce(const struct chorale_call *call,
                           const struct chorale_flow *flow);
int chorale_flow_allreduce_cost(const struct chorale_point *pt,
                                const struct chorale_flow *flow,
                                struct chorale_term *term);
size_t chorale_flow_allreduce_scratch(const struct chorale_point *pt,
                                      const struct chorale_flow *flow);

/* Segments of scratch that a rank of a reduction uses at once. several: a
 * segment is on its way while the next is combined. own_last: own data are
 * the last operand. has_result: the result's buffer is there to be used;
 * own_is_result: it holds the rank's own data. */
int chorale_flow_spares(const struct chorale_tree *tree, int several,
                        int own_last, int has_result, int own_is_result);

/* --- costs ------------------------------------------------------------ */

/* n bytes cut in segments of s, and the seconds of a full and of the last
 * message, by which ways are compared. */
struct chorale_cut {
    double segments, s, last;
    double t, t_last;
};

void chorale_cut_init(struct chorale_cut *cut, const struct chorale_point *pt,
                      size_t n, size_t s);

/* A way through a tree: so many full messages, then last ones. */
struct chorale_way {
    double full, last;
};

struct chorale_way chorale_way_longer(const struct chorale_cut *cut,
                                      struct chorale_way a,
                                      struct chorale_way b);

/* The longest way of the last two segments down a tree, from where tree->v
 * has the last but one. The last may wait at any rank until the one before
 * it has been sent to all children; from there it meets no other. No rank may
 * have more children than tree->v. *below: steps to the last rank below. Not
 * for deep trees. */
struct chorale_way chorale_way_below(const struct chorale_cut *cut,
                                     const struct chorale_tree *tree,
                                     int *below);

/* As terms: two. */
int chorale_way_terms(const struct chorale_cut *cut, struct chorale_way way,
                      struct chorale_term *term);

#endif
