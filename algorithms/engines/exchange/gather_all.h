/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_all.h - every rank has one block, at the end all ranks have all: the
 * exchanges behind allgather, its v-variant, and the second half of long
 * broadcasts and allreduces.
 *
 * Block r of b is rank r's and is in place when they are called; b may be of
 * any kind (equal, given, split). Blocks that are sent together go as one
 * message: straight from and into b where they are one piece of memory, else
 * through scratch. Each returns an MPI error code. Costs are on a one-port
 * network; m is the largest block.
 *
 * The functions that end in _from count ranks from root: block v belongs to
 * rank (v + root) mod P. Long broadcasts use them.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_EXCHANGE_GATHER_ALL_H
#define CHORALE_ALGORITHMS_ENGINES_EXCHANGE_GATHER_ALL_H

#include <limits.h>

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"
#include "algorithms/engines/exchange/mesh_exchange.h"

/* Some consecutive blocks, k of them from block first; past the last one
 * follows block 0. peer: the other end; below 0: no such message. */
struct chorale_range {
    int first, k;
    int peer;
};

/* Send one range while another is received: two blocking messages at once,
 * or only one. Counts, and the kind of b, must agree at both ends; the memory
 * layout need not. Takes the bytes of a range in scratch if it is not one
 * piece of memory. */
int chorale_exchange_ranges(struct chorale_ctx *ctx,
                            const struct chorale_blocks *b,
                            struct chorale_range out,
                            struct chorale_range in);

/* Where a range is and how many elements it has, if it is one piece of memory;
 * else NULL. Of given blocks, too. */
void *chorale_range_piece(const struct chorale_blocks *b, int first, int k,
                          MPI_Count *count);

/* Bytes of a range, and its blocks to packed bytes and back. */
size_t chorale_range_bytes(const struct chorale_blocks *b, int first, int k);
int chorale_range_pack(struct chorale_ctx *ctx,
                       const struct chorale_blocks *b, int first, int k,
                       char *bytes);
int chorale_range_unpack(struct chorale_ctx *ctx,
                         const struct chorale_blocks *b, int first, int k,
                         const char *bytes);

/* Ring: P - 1 rounds to the right neighbour. */
int chorale_gather_all_ring_from(struct chorale_ctx *ctx,
                                 const struct chorale_blocks *b, int root);

/* Recursive doubling, partners at distance 1, 2, 4, ...: lg P messages. At
 * other sizes than powers of two the last group of a round is short: each of
 * its members sends its blocks to two of the long group, who pass them on to
 * those who have no partner, so at most 2 ceil(lg P) messages. */
int chorale_gather_all_doubling_from(struct chorale_ctx *ctx,
                                     const struct chorale_blocks *b,
                                     int root);

/* Bruck with radix k >= 2 over packed bytes, rotated at the end: any size,
 * at most (k - 1) ceil(log_k P) messages, k - 1 under way at a time. Takes the
 * bytes of all blocks in scratch, and requests where k is not 2. */
size_t chorale_scratch_gather_all_bruck(int size, int k);
int chorale_gather_all_bruck_from(struct chorale_ctx *ctx,
                                  const struct chorale_blocks *b, int k,
                                  int root);

/* The circulant graph's skips s_{j+1} = ceil(s_j / 2), backwards: any size,
 * ceil(lg P) messages, no rotation of the whole. Takes at most P/2 blocks in
 * scratch. */
int chorale_gather_all_circulant_from(struct chorale_ctx *ctx,
                                      const struct chorale_blocks *b,
                                      int root);

/* Recursive exchange with radix k >= 2 among the largest power of k ranks;
 * the others hand their blocks to one of them first and get all at the end
 * (radix.h). Partners at distance 1, k, k^2, ...; or with far the other way
 * round, then the bytes of all blocks pass through scratch. */
int chorale_gather_all_recexch_from(struct chorale_ctx *ctx,
                                    const struct chorale_blocks *b, int k,
                                    int far, int root);

/* Neighbour exchange, ctx->size even: P/2 rounds, alternating between two
 * neighbours; from the second on two blocks each. */
int chorale_gather_all_neighbor(struct chorale_ctx *ctx,
                                const struct chorale_blocks *b);

/* In round i own blocks go to the rank i further on (shift); to the rank with
 * number exclusive or i (xor: ctx->size a power of two). */
int chorale_gather_all_shift(struct chorale_ctx *ctx,
                             const struct chorale_blocks *b);
int chorale_gather_all_xor(struct chorale_ctx *ctx,
                           const struct chorale_blocks *b);

/* Shift, max_reqs sends and as many receives under way at a time (0: all);
 * takes 2 max_reqs requests in scratch. */
int chorale_gather_all_direct(struct chorale_ctx *ctx,
                              const struct chorale_blocks *b, long max_reqs);

/* Sparbit: distances 2^(L - 1), ..., 2, 1; every block held that the rank at
 * that distance lacks is a message of its own, all under way at a time.
 * ceil(lg P) rounds, P - 1 messages; takes P requests in scratch. */
int chorale_gather_all_sparbit(struct chorale_ctx *ctx,
                               const struct chorale_blocks *b);

/* Ring in which blocks pass in segments of segsize bytes (0: whole): a rank
 * sends on what it has while more arrives. Blocks without bytes are not sent.
 * Takes the bytes of all blocks in scratch if the type is not packed. */
int chorale_gather_all_segmented_ring(struct chorale_ctx *ctx,
                                      const struct chorale_blocks *b,
                                      size_t segsize);

/* What happens along a dimension of a mesh, and a parameter that says so. */
enum chorale_mesh_way { CHORALE_MESH_RING, CHORALE_MESH_DIRECT };
extern const char *const chorale_mesh_way_word[CHORALE_MESH_DIRECT + 1];
extern const long chorale_mesh_ways[CHORALE_MESH_DIRECT + 1];

#define CHORALE_PARAM_MESH_WAY                                               \
    {                                                                        \
        .name = "way", .unit = "along a dimension",                          \
        .def = CHORALE_MESH_RING, .min = 0, .max = CHORALE_MESH_DIRECT,      \
        .candidate = chorale_mesh_ways,                                      \
        .ncandidate = CHORALE_MESH_DIRECT + 1, .word = chorale_mesh_way_word \
    }

/* Mesh of ctx->size ranks, b equal blocks: rings along the last dimension (or
 * all its messages at once), then along the one before with bundles of the
 * blocks that a rank has, and so on. Takes a number for each rank of a
 * dimension in scratch, directly two requests more. */
int chorale_gather_all_mesh(struct chorale_ctx *ctx,
                            const struct chorale_blocks *b,
                            const struct chorale_mesh *mesh,
                            enum chorale_mesh_way way);

/* A ring of packed pieces, one of several that a rank takes part in at once. A
 * round sends piece at to the rank next and receives piece at + step, around,
 * from prev; that one goes on in the round after. */
struct chorale_ring_way {
    char *base;          /* piece i: bytes from base + i pitch on */
    size_t pitch, bytes;
    int pieces, at, step;
    int next, prev;
};

enum { CHORALE_RING_WAYS = 4 };

/* One round of n <= CHORALE_RING_WAYS ways at once. Returns an MPI error
 * code. */
int chorale_ring_ways_round(struct chorale_ctx *ctx,
                            struct chorale_ring_way *way, int n);

static inline int chorale_gather_all_ring(struct chorale_ctx *ctx,
                                          const struct chorale_blocks *b)
{
    return chorale_gather_all_ring_from(ctx, b, 0);
}

static inline int chorale_gather_all_doubling(struct chorale_ctx *ctx,
                                              const struct chorale_blocks *b)
{
    return chorale_gather_all_doubling_from(ctx, b, 0);
}

static inline int chorale_gather_all_bruck(struct chorale_ctx *ctx,
                                           const struct chorale_blocks *b,
                                           int k)
{
    return chorale_gather_all_bruck_from(ctx, b, k, 0);
}

static inline int chorale_gather_all_bruck2(struct chorale_ctx *ctx,
                                            const struct chorale_blocks *b)
{
    return chorale_gather_all_bruck_from(ctx, b, 2, 0);
}

static inline int chorale_gather_all_circulant(struct chorale_ctx *ctx,
                                               const struct chorale_blocks *b)
{
    return chorale_gather_all_circulant_from(ctx, b, 0);
}

/* --- blocks of a call ------------------------------------------------- */

/* The blocks of the receive buffer of an allgather, or of an allgatherv if the
 * call has recvcounts, with this rank's own in its place. Returns an MPI error
 * code. */
int chorale_allgather_blocks(const struct chorale_call *call,
                             struct chorale_blocks *b);

/* A variant of allgather whose blocks are cut by packed bytes: exchange() with
 * the bytes of all blocks, m of each rank, where this rank's own are in their
 * place. Scratch that it takes is released after it. Not called at one rank.
 * Returns an MPI error code. */
typedef int chorale_gather_bytes(const struct chorale_call *call, char *bytes,
                                 size_t m);
int chorale_allgather_packed(const struct chorale_call *call,
                             chorale_gather_bytes *exchange);

/* An exchange above as a variant's run, for either collective. */
typedef int chorale_gather_all(struct chorale_ctx *ctx,
                               const struct chorale_blocks *b);
int chorale_allgather_run(const struct chorale_call *call,
                          chorale_gather_all *exchange);

/* A mesh of ndim dimensions by its parameters, the last of which is the way:
 * run, cost, scratch. */
int chorale_allgather_mesh_run(const struct chorale_call *call, int ndim);
int chorale_allgather_mesh_cost(const struct chorale_point *pt, int ndim,
                                struct chorale_term *term);
size_t chorale_allgather_mesh_scratch(const struct chorale_point *pt,
                                      int ndim);

/* Recursive exchange by the parameters radix and order: run, scratch (halving:
 * all blocks once more, and where each place's are) and the parameters. */
int chorale_allgather_recexch_run(const struct chorale_call *call);
size_t chorale_allgather_recexch_scratch(const struct chorale_point *pt);

enum { CHORALE_RECEXCH_NRADIX = 5 };
extern const long chorale_recexch_radixes[CHORALE_RECEXCH_NRADIX];
extern const long chorale_recexch_orders[];
extern const char *const chorale_recexch_order_word[];

#define CHORALE_RECEXCH_RADIX_PARAM                                          \
    {                                                                        \
        .name = "radix", .unit = "ranks in a group", .def = 2, .min = 2,     \
        .max = INT_MAX, .candidate = chorale_recexch_radixes,                \
        .ncandidate = CHORALE_RECEXCH_NRADIX, .by = CHORALE_BY_ROOT          \
    }
#define CHORALE_RECEXCH_ORDER_PARAM                                          \
    {                                                                        \
        .name = "order", .unit = "distances", .def = 0, .min = 0, .max = 1,  \
        .candidate = chorale_recexch_orders, .ncandidate = 2,                \
        .word = chorale_recexch_order_word                                   \
    }

/* --- costs ------------------------------------------------------------ */

/* What the blocks of a point are. */
enum chorale_sizes {
    CHORALE_SIZES_EQUAL, /* msg_size each */
    CHORALE_SIZES_RAMP,  /* those of chorale_ramp() */
    CHORALE_SIZES_SPLIT  /* msg_size in comm_size parts, cut by bytes */
};

/* Bytes of the k consecutive blocks that have most. */
double chorale_sizes_most(enum chorale_sizes sizes,
                          const struct chorale_point *pt, int k);

/* Critical paths of the exchanges above if all ranks begin together: fill
 * terms, return how many. With equal blocks all are exact, but doubling where
 * comm_size is no power of two: then it is an upper bound, as a rule of those
 * that combine unequal blocks. Every one is also exact after a phase that
 * the owner of the first and largest block leaves last. */
int chorale_cost_gather_all_ring(enum chorale_sizes sizes,
                                 const struct chorale_point *pt,
                                 struct chorale_term *term);
int chorale_cost_gather_all_doubling(enum chorale_sizes sizes,
                                     const struct chorale_point *pt,
                                     struct chorale_term *term);
int chorale_cost_gather_all_bruck(enum chorale_sizes sizes,
                                  const struct chorale_point *pt, int k,
                                  struct chorale_term *term);
int chorale_cost_gather_all_circulant(enum chorale_sizes sizes,
                                      const struct chorale_point *pt,
                                      struct chorale_term *term);
int chorale_cost_gather_all_recexch(enum chorale_sizes sizes,
                                    const struct chorale_point *pt, int k,
                                    int far, struct chorale_term *term);
int chorale_cost_gather_all_neighbor(enum chorale_sizes sizes,
                                     const struct chorale_point *pt,
                                     struct chorale_term *term);
int chorale_cost_gather_all_mesh(const struct chorale_point *pt,
                                 const struct chorale_mesh *mesh,
                                 struct chorale_term *term);

/* The segmented ring: S + S/(P - 1) + P - 2 segments, S those of all blocks:
 * a rank without blocks leaves a gap that goes round. An upper bound; with
 * segsize 0 the exact cost of the ring. */
int chorale_cost_gather_all_segmented_ring(enum chorale_sizes sizes,
                                           const struct chorale_point *pt,
                                           size_t segsize,
                                           struct chorale_term *term);

#endif
