/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_all.h - exchanges after which all ranks have the blocks of all ranks.
 *
 * They serve allgather, allgatherv, and the second half of long broadcasts and
 * allreduces. Block r of b belongs to rank r and must be in place before the
 * call; b may be of any kind (equal, given, split). Blocks sent together form
 * one message: directly from and into b if they are contiguous, else through
 * scratch. Each function returns an MPI error code. Costs are for a one-port
 * network; m is the largest block.
 *
 * In functions with the suffix _from, block v belongs to rank (v + root) mod P.
 * Long broadcasts use them.
 */
#ifndef CHORALE_ALGORITHMS_ENGINES_EXCHANGE_GATHER_ALL_H
#define CHORALE_ALGORITHMS_ENGINES_EXCHANGE_GATHER_ALL_H

#include <limits.h>

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"
#include "algorithms/engines/exchange/mesh_exchange.h"

/* k consecutive blocks from block first on; block 0 follows the last one. peer:
 * the rank at the other end; negative: no message. */
struct chorale_range {
    int first, k;
    int peer;
};

/* Send one range while receiving another with blocking calls; either may be
 * missing. Counts and the kind of b must agree at both ends; the memory layout
 * need not. Takes scratch for a range that is not contiguous. */
int chorale_exchange_ranges(struct chorale_ctx *ctx,
                            const struct chorale_blocks *b,
                            struct chorale_range out,
                            struct chorale_range in);

/* Address and element count of a range if it is contiguous in memory, else
 * NULL. Works for given blocks too. */
void *chorale_range_piece(const struct chorale_blocks *b, int first, int k,
                          MPI_Count *count);

/* Number of bytes of a range; pack its blocks into bytes; unpack them. */
size_t chorale_range_bytes(const struct chorale_blocks *b, int first, int k);
int chorale_range_pack(struct chorale_ctx *ctx,
                       const struct chorale_blocks *b, int first, int k,
                       char *bytes);
int chorale_range_unpack(struct chorale_ctx *ctx,
                         const struct chorale_blocks *b, int first, int k,
                         const char *bytes);

/* Ring: P - 1 rounds, sending to the next rank. */
int chorale_gather_all_ring_from(struct chorale_ctx *ctx,
                                 const struct chorale_blocks *b, int root);

/* Recursive doubling with partners at distance 1, 2, 4, ...: lg P messages. If
 * P is not a power of two, the last group of a round may be short. Each of its
 * members then sends its blocks to two ranks of the full group, which forward
 * them to ranks without a partner: at most 2 ceil(lg P) messages. */
int chorale_gather_all_doubling_from(struct chorale_ctx *ctx,
                                     const struct chorale_blocks *b,
                                     int root);

/* Bruck with radix k >= 2 over packed bytes, rotated at the end. Any P, at most
 * (k - 1) ceil(log_k P) messages, k - 1 in flight at a time. Takes scratch for
 * the bytes of all blocks, and for requests unless k is 2. */
size_t chorale_scratch_gather_all_bruck(int size, int k);
int chorale_gather_all_bruck_from(struct chorale_ctx *ctx,
                                  const struct chorale_blocks *b, int k,
                                  int root);

/* Circulant graph with skips s_{j+1} = ceil(s_j / 2), used backwards. Any P,
 * ceil(lg P) messages, no final rotation. Takes at most P/2 blocks of
 * scratch. */
int chorale_gather_all_circulant_from(struct chorale_ctx *ctx,
                                      const struct chorale_blocks *b,
                                      int root);

/* Recursive exchange with radix k >= 2 among the largest power of k ranks. The
 * other ranks first hand their blocks to one of these and get all blocks at the
 * end (radix.h). Partners are at distance 1, k, k^2, ...; with far in the
 * opposite order, and then the bytes of all blocks pass through scratch. */
int chorale_gather_all_recexch_from(struct chorale_ctx *ctx,
                                    const struct chorale_blocks *b, int k,
                                    int far, int root);

/* Neighbour exchange, ctx->size even: P/2 rounds with two neighbours
 * alternately; two blocks per round from the second round on. */
int chorale_gather_all_neighbor(struct chorale_ctx *ctx,
                                const struct chorale_blocks *b);

/* In round i a rank sends its own block to rank + i modulo P (shift) or to rank
 * xor i (xor; ctx->size a power of two). */
int chorale_gather_all_shift(struct chorale_ctx *ctx,
                             const struct chorale_blocks *b);
int chorale_gather_all_xor(struct chorale_ctx *ctx,
                           const struct chorale_blocks *b);

/* Shift with max_reqs sends and max_reqs receives in flight (0: all); takes 2
 * max_reqs requests of scratch. */
int chorale_gather_all_direct(struct chorale_ctx *ctx,
                              const struct chorale_blocks *b, long max_reqs);

/* Sparbit: distances 2^(L - 1), ..., 2, 1. Every block that the rank at that
 * distance lacks is a separate message; the messages of a round are in flight
 * together. ceil(lg P) rounds, P - 1 messages; takes P requests of scratch. */
int chorale_gather_all_sparbit(struct chorale_ctx *ctx,
                               const struct chorale_blocks *b);

/* Ring that passes blocks in segments of segsize bytes (0: whole): a rank
 * forwards segments while more arrive. Empty blocks are not sent. Takes scratch
 * for the bytes of all blocks if the type is not packed. */
int chorale_gather_all_segmented_ring(struct chorale_ctx *ctx,
                                      const struct chorale_blocks *b,
                                      size_t segsize);

/* The algorithm along one dimension of a mesh, and the parameter that selects
 * it. */
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

/* Mesh of ctx->size ranks, equal blocks. First a ring along the last dimension,
 * or all its messages at once. Then the same along the previous dimension with
 * bundles of the blocks a rank has, and so on. Takes scratch for one int per
 * rank of a dimension, and with direct for two requests more per rank. */
int chorale_gather_all_mesh(struct chorale_ctx *ctx,
                            const struct chorale_blocks *b,
                            const struct chorale_mesh *mesh,
                            enum chorale_mesh_way way);

/* A ring of packed pieces, one of several rings that a rank takes part in at
 * once. A round sends piece at to the rank next, and receives piece at + step
 * (modulo pieces) from prev; the next round sends that one. */
struct chorale_ring_way {
    char *base;          /* piece i starts at base + i * pitch */
    size_t pitch, bytes;
    int pieces, at, step;
    int next, prev;
};

enum { CHORALE_RING_WAYS = 4 };

/* One round of n <= CHORALE_RING_WAYS rings at once. Returns an MPI error
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
 * call has recvcounts. Copies this rank's block into place. Returns an MPI
 * error code. */
int chorale_allgather_blocks(const struct chorale_call *call,
                             struct chorale_blocks *b);

/* An allgather that splits blocks as packed bytes. exchange() gets the bytes of
 * all blocks, m per rank, with this rank's own in place. Its scratch is
 * released afterwards. It is not called if there is only one rank. Returns an
 * MPI error code. */
typedef int chorale_gather_bytes(const struct chorale_call *call, char *bytes,
                                 size_t m);
int chorale_allgather_packed(const struct chorale_call *call,
                             chorale_gather_bytes *exchange);

/* Run one of the exchanges above as a variant, for either collective. */
typedef int chorale_gather_all(struct chorale_ctx *ctx,
                               const struct chorale_blocks *b);
int chorale_allgather_run(const struct chorale_call *call,
                          chorale_gather_all *exchange);

/* run, cost and scratch for a mesh of ndim dimensions; the parameters are the
 * lengths, then the way. */
int chorale_allgather_mesh_run(const struct chorale_call *call, int ndim);
int chorale_allgather_mesh_cost(const struct chorale_point *pt, int ndim,
                                struct chorale_term *term);
size_t chorale_allgather_mesh_scratch(const struct chorale_point *pt,
                                      int ndim);

/* run, scratch and parameters of recursive exchange with the parameters radix
 * and order. The scratch of order "halving" is a copy of all blocks and their
 * offsets. */
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

/* Kind of the blocks at a point. */
enum chorale_sizes {
    CHORALE_SIZES_EQUAL, /* msg_size each */
    CHORALE_SIZES_RAMP,  /* those of chorale_ramp() */
    CHORALE_SIZES_SPLIT  /* msg_size split into comm_size parts by bytes */
};

/* Largest number of bytes in any k consecutive blocks. */
double chorale_sizes_most(enum chorale_sizes sizes,
                          const struct chorale_point *pt, int k);

/* Critical paths of the exchanges above if all ranks start together: fill terms
 * and return how many. With equal blocks all are exact, except doubling if
 * comm_size is not a power of two, which is an upper bound. With unequal
 * blocks, exchanges that combine blocks usually give an upper bound. Each is
 * also exact after a phase that the owner of the first and largest block leaves
 * last. */
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

/* The segmented ring: S + S/(P - 1) + P - 2 segments, where S is the number of
 * segments of all blocks; a rank without blocks leaves a gap that travels
 * around. An upper bound; with segsize 0 the exact cost of the ring. */
int chorale_cost_gather_all_segmented_ring(enum chorale_sizes sizes,
                                           const struct chorale_point *pt,
                                           size_t segsize,
                                           struct chorale_term *term);

#endif
