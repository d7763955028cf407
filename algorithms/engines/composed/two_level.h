/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.h - collectives on the two levels of topology.h, nodes and leaders.
 *
 * Other variants run as sub-algorithms inside the nodes and among the leaders.
 * Blocks are packed bytes; those of a node travel together, ordered by node. */
#ifndef CHORALE_ALGORITHMS_ENGINES_COMPOSED_TWO_LEVEL_H
#define CHORALE_ALGORITHMS_ENGINES_COMPOSED_TWO_LEVEL_H

#include "algorithms/blocks.h"
#include "algorithms/engines/topology.h"

/* Set up the topology for root, a rank or one of these constants, and call
 * levels() on it. Returns an MPI error code. */
enum {
    CHORALE_NO_ROOT = -1,
    CHORALE_RUNS = -2        /* chorale_topology_init_runs() */
};
int chorale_two_level_run(const struct chorale_call *call, int root,
                          int (*levels)(const struct chorale_call *call,
                                        struct chorale_topology *t));

/* Call levels() on groups of group consecutive ranks instead of nodes, without
 * a root; group 0: on the nodes. */
int chorale_two_level_groups_run(const struct chorale_call *call, int group,
                                 int (*levels)(
                                     const struct chorale_call *call,
                                     struct chorale_topology *t));

/* The critical path of inner in a node, followed by that of outer among the
 * leaders; where nodes differ (the last may have fewer ranks), the longest path
 * counts. The scratch is that of the topology plus the larger scratch of the
 * two. inner or outer may be NULL.
 */
int chorale_two_level_cost(const struct chorale_point *pt,
                           const struct chorale_alg *inner,
                           const struct chorale_alg *outer,
                           struct chorale_term *term);
size_t chorale_two_level_scratch(const struct chorale_point *pt,
                                 const struct chorale_alg *inner,
                                 const struct chorale_alg *outer);

/* --- vectors in segments ---------------------------------------------- */

/* The segment size on both levels: 0 (whole), or sizes large enough for a
 * network. */
enum { CHORALE_NLEVEL_SEGSIZE = 3, CHORALE_NMORE_LEVEL_SEGSIZE = 7 };
extern const long chorale_level_segsizes[CHORALE_NLEVEL_SEGSIZE];
extern const long chorale_more_level_segsizes[CHORALE_NMORE_LEVEL_SEGSIZE];

#define CHORALE_PARAM_LEVEL_SEGSIZE                                          \
    {                                                                        \
        .name = "segsize", .unit = "bytes, 0: whole", .def = 0, .min = 0,    \
        .max = 1L << 30, .candidate = chorale_level_segsizes,                \
        .ncandidate = CHORALE_NLEVEL_SEGSIZE,                                \
        .more = chorale_more_level_segsizes,                                 \
        .nmore = CHORALE_NMORE_LEVEL_SEGSIZE                                 \
    }

/* Call levels() on each segment of a reduction's vector in turn, split into
 * whole elements. segsize: bytes, 0: whole. root: the only rank with a recvbuf;
 * CHORALE_NO_ROOT: all ranks have one. */
int chorale_two_level_segments(const struct chorale_call *call,
                               struct chorale_topology *t, int root,
                               long segsize,
                               int (*levels)(const struct chorale_call *call,
                                             struct chorale_topology *t));

/* The point of a full segment of s bytes (0: whole); and the cost of all
 * segments in turn, where cost() gives that of one segment. The latter fills
 * one term more than cost(), for all segments but the last. */
struct chorale_point
chorale_two_level_segment(const struct chorale_point *pt, size_t s);
int chorale_two_level_segments_cost(
    const struct chorale_point *pt, size_t s,
    int (*cost)(const struct chorale_point *pt, struct chorale_term *term),
    struct chorale_term *term);

/* --- blocks ordered by node ------------------------------------------- */

/* Pack the root's blocks of all ranks into bytes, ordered by node, or unpack
 * them from there. except: the rank whose block is skipped, or -1. Return an
 * MPI error code. */
int chorale_nodes_pack(struct chorale_ctx *ctx,
                       const struct chorale_topology *t,
                       const struct chorale_blocks *whole, char *bytes);
int chorale_nodes_unpack(struct chorale_ctx *ctx,
                         const struct chorale_topology *t, const char *bytes,
                         const struct chorale_blocks *whole, int except);

/* Buffers of a rooted collective with the blocks ordered by node. */
struct chorale_node_blocks {
    char *all;               /* at the root: all blocks */
    char *mine;              /* at a leader: the blocks of its node; at the root
                              * it points into all */
    int direct;              /* 1: all is the root's own buffer */
};

/* whole: at the root, as above; NULL on other ranks. bytes: at a leader, the
 * bytes of its node. Takes scratch. Returns an MPI error code. */
int chorale_node_blocks_init(struct chorale_node_blocks *b,
                             struct chorale_ctx *ctx,
                             const struct chorale_topology *t,
                             const struct chorale_blocks *whole,
                             size_t bytes);

/* The call of the sub-algorithm in a node, to or from its leader's b->mine. The
 * caller must set the element counts of the blocks there. Gathers: whole as
 * above. */
struct chorale_call
chorale_node_gather(const struct chorale_call *call,
                    struct chorale_topology *t,
                    const struct chorale_node_blocks *b,
                    const struct chorale_blocks *whole);
struct chorale_call
chorale_node_scatter(const struct chorale_call *call,
                     struct chorale_topology *t,
                     const struct chorale_node_blocks *b);

/* --- among the leaders ------------------------------------------------ */

/* The call of a gatherv (gathers = 1) or scatterv among the leaders. It moves
 * `own` bytes of each leader's `mine` to or from `all` at the leader of node
 * root, whose bytes are in place already. The caller must set that leader's
 * counts and displacements. */
struct chorale_call chorale_outer_call(struct chorale_topology *t, int root,
                                       int gathers, void *all, void *mine,
                                       MPI_Count own);

/* --- equal blocks among the leaders ----------------------------------- */

/* How node blocks travel to or from the root's node. */
enum { CHORALE_OUTER_BINOMIAL, CHORALE_OUTER_LINEAR, CHORALE_OUTER_LINEAR_NB,
       CHORALE_OUTERS };
enum { CHORALE_FEW_OUTERS = 2 }; /* candidates in all plans */
extern const char *const chorale_outer_word[CHORALE_OUTERS];

/* Gather blocks of m bytes per rank among the leaders: from each `mine` to
 * `all` at the leader of node root, whose own blocks are in place; or scatter
 * them in the opposite direction. Takes scratch. Return an MPI error code. */
int chorale_outer_gather(struct chorale_topology *t, int root, long outer,
                         size_t m, void *all, void *mine);
int chorale_outer_scatter(struct chorale_topology *t, int root, long outer,
                          size_t m, void *all, void *mine);

/* The critical path of these functions at pt. */
int chorale_outer_cost(const struct chorale_point *pt, long outer,
                       struct chorale_term *term);

/* Bytes of scratch of a regular gather or scatter with the sub-algorithm inner
 * in the nodes. */
size_t chorale_two_level_blocks_scratch(const struct chorale_point *pt,
                                        const struct chorale_alg *inner,
                                        long outer);

/* Defines run(), cost(), scratch() and overlaps_at() of a regular gather or
 * scatter. levels() runs it on a topology. The first parameter selects the
 * sub-algorithm in a node from the array inner, the second is outer. */
#define CHORALE_TWO_LEVEL_BLOCKS(levels, inner)                              \
    static int run(const struct chorale_call *call)                          \
    {                                                                        \
        return chorale_two_level_run(call, call->root, levels);              \
    }                                                                        \
                                                                             \
    static int cost(const struct chorale_point *pt,                          \
                    struct chorale_term *term)                               \
    {                                                                        \
        int n = chorale_two_level_cost(pt, (inner)[pt->param[0]], NULL,      \
                                       term);                                \
                                                                             \
        return n + chorale_outer_cost(pt, pt->param[1], term + n);           \
    }                                                                        \
                                                                             \
    static size_t scratch(const struct chorale_point *pt)                    \
    {                                                                        \
        return chorale_two_level_blocks_scratch(pt, (inner)[pt->param[0]],   \
                                                pt->param[1]);               \
    }                                                                        \
                                                                             \
    static int overlaps_at(const struct chorale_point *pt)                   \
    {                                                                        \
        struct chorale_point in, out;                                        \
                                                                             \
        chorale_topology_points(pt, &in, &out);                              \
        return pt->param[1] == CHORALE_OUTER_LINEAR_NB                       \
            || chorale_part_overlaps((inner)[pt->param[0]], &in);            \
    }

#endif
