/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline.h - pipelined broadcast and reduction along any tree of tree.h.
 *
 * A rank receives a segment while it sends the previous one to its children, or
 * in a reduction to its parent: one message in each direction at a time. Local
 * reductions do not overlap receives, except with each (struct chorale_flow).
 * With one segment these are the plain, unsegmented trees. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_PIPELINE_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_PIPELINE_H

#include <limits.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"
#include "algorithms/tree.h"

/* Parameters shared by many variants, for use in a descriptor. segsize 0 is the
 * whole vector. */
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

/* Tree and segmentation of a variant with given parameters. */
struct chorale_flow {
    enum chorale_shape shape;
    long radix;
    long segsize;  /* bytes; 0: one segment */
    long max_reqs; /* reductions: limit on a leaf's sends that its parent has
                    * not begun to receive; 0: as many as the MPI library
                    * buffers */
    int waits;     /* broadcasts: 1: a rank receives a segment after it has
                    * passed on the previous one; 0: at the same time */
    int each;      /* reductions: 1: a rank receives from all children at once;
                    * 0: from one after the other */
};

/* Number of segments of s bytes in n bytes, at least 1; *last is the length of
 * the last one. One segment if s is 0 or more than n. */
size_t chorale_segments(size_t n, size_t s, size_t *last);

/* Segment size in bytes rounded to whole elements, at least one, for
 * reductions. 0 stays 0. */
size_t chorale_whole_segment(long segsize, size_t type_size);

/* One rank's place in a tree of virtual ranks: virtual rank v is rank (shift +
 * stride v) mod ctx->size. parent: the rank it receives from (for the tree's
 * root: the rank it sends to), or -1. */
struct chorale_view {
    struct chorale_ctx *ctx;
    struct chorale_tree tree;
    int shift, stride;
    int parent;
};

/* Initialise the view of flow's tree with its root at rank base; the rank of
 * virtual rank v; the rank of child i. */
void chorale_view_init(struct chorale_view *view, struct chorale_ctx *ctx,
                       const struct chorale_flow *flow, int base);
int chorale_view_rank(const struct chorale_view *view, int v);
int chorale_view_child(const struct chorale_view *view, int i);

/* Pass n packed bytes in segments of s from the parent to the children. Returns
 * an MPI error code. */
int chorale_flow_down(const struct chorale_view *view, char *bytes, size_t n,
                      size_t s);

/* A broadcast of packed bytes. move() gets the call's vector as n packed bytes:
 * the buffer itself if its type is packed, else a copy in scratch. what is
 * passed to move(). */
int chorale_packed_bcast(const struct chorale_call *call,
                         int (*move)(const struct chorale_call *call,
                                     const void *what, char *bytes, size_t n),
                         const void *what);

/* Broadcast down a tree from call->root. The vector is split as packed bytes,
 * because ranks may describe it by different types; a type with gaps is packed
 * first, unless there is only one segment. */
int chorale_flow_bcast(const struct chorale_call *call,
                       const struct chorale_flow *flow);

/* Its critical path, exact. It needs no scratch for packed types, for which
 * scratch is stated. waits: for k-ary trees only. */
int chorale_flow_bcast_cost(const struct chorale_point *pt,
                            const struct chorale_flow *flow,
                            struct chorale_term *term);

/* Defines run() and cost() of a bcast by the flow that flow(param) returns. */
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

/* Reduction up a tree. base: the rank that is the tree's root; if it is not
 * call->root, it sends the result there in one message. The vector is split
 * into whole elements.
 * Operands are combined in order of virtual ranks, which start at base
 * (in-order trees: end there). Exceptions are k-ary trees and k-nomial trees
 * that do not start with the farthest child. The cost is an upper bound with
 * each, else exact. */
int chorale_flow_reduce(const struct chorale_call *call,
                        const struct chorale_flow *flow, int base);
int chorale_flow_reduce_cost(const struct chorale_point *pt,
                             const struct chorale_flow *flow, int base,
                             struct chorale_term *term);
size_t chorale_flow_reduce_scratch(const struct chorale_point *pt,
                                   const struct chorale_flow *flow, int base);

/* order_at() of reductions up a k-nomial tree whose root is the call's root, or
 * rank 0 if the operation does not commute. */
enum chorale_order chorale_flow_order_at(const struct chorale_point *pt);

/* Defines cost() and scratch() of a reduce by the flow that flow(param)
 * returns; base, an expression of pt, is the tree's root. */
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

/* Defines run(), cost() and scratch(); the tree's root is the call's root. */
#define CHORALE_FLOW_REDUCE(flow)                                            \
    static int run(const struct chorale_call *call)                          \
    {                                                                        \
        struct chorale_flow f = flow(call->param);                           \
                                                                             \
        return chorale_flow_reduce(call, &f, call->root);                    \
    }                                                                        \
                                                                             \
    CHORALE_FLOW_REDUCE_COSTS(flow, pt->root)

/* Allreduce: up a tree and down the same tree. A rank passes a segment of the
 * result to a child in the step in which it receives the child's next operand.
 * The tree's root is rank 0 (in-order trees: the last rank); the order is that
 * of chorale_flow_reduce(). The cost is an upper bound. */
int chorale_flow_allreduce(const struct chorale_call *call,
                           const struct chorale_flow *flow);
int chorale_flow_allreduce_cost(const struct chorale_point *pt,
                                const struct chorale_flow *flow,
                                struct chorale_term *term);
size_t chorale_flow_allreduce_scratch(const struct chorale_point *pt,
                                      const struct chorale_flow *flow);

/* Number of segment buffers in scratch that a rank of a reduction uses.
 * several: a segment is in flight while the next is combined. own_last: the
 * rank's own data are the last operand. has_result: the result buffer may be
 * used; own_is_result: it holds the rank's own data. */
int chorale_flow_spares(const struct chorale_tree *tree, int several,
                        int own_last, int has_result, int own_is_result);

/* --- costs ------------------------------------------------------------ */

/* A split of n bytes into segments of s, with the seconds of a full and of the
 * last message, for comparing paths. */
struct chorale_cut {
    double segments, s, last;
    double t, t_last;
};

void chorale_cut_init(struct chorale_cut *cut, const struct chorale_point *pt,
                      size_t n, size_t s);

/* A path through a tree: full messages, then last ones. */
struct chorale_path {
    double full, last;
};

struct chorale_path chorale_path_longer(const struct chorale_cut *cut,
                                        struct chorale_path a,
                                        struct chorale_path b);

/* The longest path of the last two segments down a tree, starting when tree->v
 * has the last but one. The last segment may wait at any rank until the
 * previous one has been sent to all children; after that it is not delayed any
 * more. No rank may have more children than tree->v. *below: steps to the last
 * rank below. Not meant for deep trees. */
struct chorale_path chorale_path_below(const struct chorale_cut *cut,
                                       const struct chorale_tree *tree,
                                       int *below);

/* Convert a path to terms: two. */
int chorale_path_terms(const struct chorale_cut *cut, struct chorale_path way,
                       struct chorale_term *term);

#endif
