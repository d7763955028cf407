/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level.h - collectives on the two levels of topology.h: variants that do
 * the parts of the levels, and blocks as packed bytes: those of a node travel
 * together, node after node. */
#ifndef CHORALE_ALGORITHMS_ENGINES_COMPOSED_TWO_LEVEL_H
#define CHORALE_ALGORITHMS_ENGINES_COMPOSED_TWO_LEVEL_H

#include "algorithms/blocks.h"
#include "algorithms/engines/topology.h"

/* levels() on the topology for root: a rank, or one of these. */
enum {
    CHORALE_NO_ROOT = -1,
    CHORALE_RUNS = -2        /* chorale_topology_init_runs() */
};
int chorale_two_level_run(const struct chorale_call *call, int root,
                          int (*levels)(const struct chorale_call *call,
                                        struct chorale_topology *t));

/* levels() on groups of so many consecutive ranks in the place of nodes; 0: on
 * the nodes. No root. */
int chorale_two_level_groups_run(const struct chorale_call *call, int group,
                                 int (*levels)(
                                     const struct chorale_call *call,
                                     struct chorale_topology *t));

/* The critical paths of a part in a node (the last one may have fewer ranks:
 * the longer path of both) and one among the leaders, one after the other; and
 * the topology's scratch with the larger of theirs. Either part may be NULL.
 */
int chorale_two_level_cost(const struct chorale_point *pt,
                           const struct chorale_alg *inner,
                           const struct chorale_alg *outer,
                           struct chorale_term *term);
size_t chorale_two_level_scratch(const struct chorale_point *pt,
                                 const struct chorale_alg *inner,
                                 const struct chorale_alg *outer);

/* --- vectors in segments ---------------------------------------------- */

/* Both levels' parameter: 0, or what is large enough for a network. */
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

/* levels() on segment after segment of a reduction's vector, cut in whole
 * elements. segsize: bytes, 0: the whole. root: the one rank that has a
 * recvbuf; CHORALE_NO_ROOT: all have. */
int chorale_two_level_segments(const struct chorale_call *call,
                               struct chorale_topology *t, int root,
                               long segsize,
                               int (*levels)(const struct chorale_call *call,
                                             struct chorale_topology *t));

/* The point of a full segment of s bytes (0: the whole), and the cost of all
 * segments, one after the other, as cost() tells that of one: one term more,
 * for all but the last. */
struct chorale_point
chorale_two_level_segment(const struct chorale_point *pt, size_t s);
int chorale_two_level_segments_cost(
    const struct chorale_point *pt, size_t s,
    int (*cost)(const struct chorale_point *pt, struct chorale_term *term),
    struct chorale_term *term);

/* --- blocks, node after node ------------------------------------------ */

/* A root's blocks of all ranks as they lie in its buffer, from or to bytes,
 * where they lie node after node. except: the rank whose block is left alone,
 * or -1. */
int chorale_nodes_pack(struct chorale_ctx *ctx,
                       const struct chorale_topology *t,
                       const struct chorale_blocks *whole, char *bytes);
int chorale_nodes_unpack(struct chorale_ctx *ctx,
                         const struct chorale_topology *t, const char *bytes,
                         const struct chorale_blocks *whole, int except);

/* The bytes of a rooted collective where they lie node after node. */
struct chorale_node_blocks {
    char *all;               /* at the root: every block */
    char *mine;              /* at a leader: those of its node; the root's
                              * are in all */
    int direct;              /* all is the root's own buffer */
};

/* whole: at the root, as above; NULL elsewhere. bytes: at a leader, of its
 * node. Takes scratch. Returns an MPI error code. */
int chorale_node_blocks_init(struct chorale_node_blocks *b,
                             struct chorale_ctx *ctx,
                             const struct chorale_topology *t,
                             const struct chorale_blocks *whole,
                             size_t bytes);

/* The call of the part in a node, to or from mine of its leader, but for how
 * many elements the blocks there have. Gathers: whole as above. */
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

/* The call of a gatherv (gathers) or scatterv there, from or to mine, own
 * bytes, of each and all of the leader of node root, where its own ones are in
 * place already; but for what that leader knows, how many bytes the nodes have
 * in all and where. */
struct chorale_call chorale_outer_call(struct chorale_topology *t, int root,
                                       int gathers, void *all, void *mine,
                                       MPI_Count own);

/* --- equal blocks there ----------------------------------------------- */

/* How the blocks of nodes travel between a root's node and the others. */
enum { CHORALE_OUTER_BINOMIAL, CHORALE_OUTER_LINEAR, CHORALE_OUTER_LINEAR_NB,
       CHORALE_OUTERS };
enum { CHORALE_FEW_OUTERS = 2 }; /* for all plans */
extern const char *const chorale_outer_word[CHORALE_OUTERS];

/* Among the leaders, blocks of m bytes a rank: from mine of each to all of
 * the leader of node root, where its own ones are in place already; or the
 * other way. Takes scratch. Each returns an MPI error code. */
int chorale_outer_gather(struct chorale_topology *t, int root, long outer,
                         size_t m, void *all, void *mine);
int chorale_outer_scatter(struct chorale_topology *t, int root, long outer,
                          size_t m, void *all, void *mine);

/* The critical path of these at pt. */
int chorale_outer_cost(const struct chorale_point *pt, long outer,
                       struct chorale_term *term);

/* Scratch of a regular gather or scatter with inner as the part in a node. */
size_t chorale_two_level_blocks_scratch(const struct chorale_point *pt,
                                        const struct chorale_alg *inner,
                                        long outer);

/* run(), cost(), scratch() and overlaps_at() of a regular gather or scatter:
 * levels() does it on a topology, the first parameter takes the part in a node
 * from the array inner, the second is among the leaders. */
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
