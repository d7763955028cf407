/* SPDX-License-Identifier: BSD-3-Clause */
/* context.h - what a variant runs on: a private communicator, its scratch
 * memory, and the messages it sends, counted.
 *
 * All traffic of the catalogue goes through the functions of this header.
 * They call PMPI, so that profilers above us do not count it as the
 * application's, and they tick the counters that Chorale publishes.
 */
#ifndef CHORALE_ALGORITHMS_CONTEXT_H
#define CHORALE_ALGORITHMS_CONTEXT_H

#include <mpi.h>
#include <stddef.h>

/* Events of this rank. Bytes are of payload.
 *
 * A round is one step that completes messages before the rank can go on: a
 * blocking send, receive or send-receive, a wait; one for several messages is
 * one. Where each rank does one thing at a time, the rounds of the busiest
 * rank are those of the variant's heading: ceil(lg p) of a binomial tree,
 * p - 1 of a ring. A rank in the middle of a pipeline has two for each
 * segment that it passes on. The schedule (schedule.h) counts the same ones.
 */
struct chorale_stat {
    long long messages;      /* sent */
    long long bytes_sent;
    long long bytes_reduced; /* combined by the operation */
    long long rounds;
    long long wait_ns;       /* in the calls that complete messages */
};

struct chorale_scratch;
struct chorale_schedule;

struct chorale_ctx;

/* Functions that record a call instead of making it; schedule/event_log.c has
 * them. Arguments and results are those of the functions of the same purpose
 * below, with lengths in bytes; requests are numbers of the record. */
struct chorale_recorder {
    int (*send)(struct chorale_ctx *ctx, const void *buf, size_t bytes,
                int dest, MPI_Request *req);
    int (*recv)(struct chorale_ctx *ctx, void *buf, size_t bytes, int source,
                MPI_Request *req);
    int (*wait)(struct chorale_ctx *ctx, MPI_Request *req);
    int (*waitany)(struct chorale_ctx *ctx, int count, MPI_Request *req,
                   int *index);
    int (*reduce)(struct chorale_ctx *ctx, const void *in, void *inout,
                  size_t bytes, MPI_Datatype type, MPI_Op op);
    void (*copy)(struct chorale_ctx *ctx, void *to, const void *from,
                 size_t bytes);
    void (*round)(struct chorale_ctx *ctx);  /* see chorale_stat */
    void (*opaque)(struct chorale_ctx *ctx); /* a collective of the library */
};

struct chorale_ctx {
    MPI_Comm comm;           /* private, errors return */
    int rank, size;
    int tag;                 /* of its messages: the dispatcher has one for
                              * each collective, so that what a rank's wrong
                              * call has left lying is not taken for a message
                              * of another one */
    const int *map;          /* of a view: ranks in comm; else NULL */
    const int *node;         /* node of each rank in comm; NULL: one node, or
                              * not known */
    int *nodes;              /* node, where the context owns it */
    struct chorale_stat *stat; /* NULL: do not count */
    struct chorale_scratch *scratch;
    struct chorale_reserve *reserve; /* scratch.h: for the day when there is no
                              * memory; NULL: then there is none */
    const struct chorale_recorder *recorder; /* not NULL: calls are recorded
                              * in schedule, nothing is sent */
    struct chorale_schedule *schedule;
    int zeroed;              /* scratch memory begins as zeros, so that equal
                              * calls record the same */
    int *truncated;          /* not NULL: a message that is longer than its
                              * room ends no call; it is taken, its error is
                              * here (the first one; MPI_SUCCESS before), and
                              * the call goes on, as others wait for this
                              * rank's messages, and none of theirs may be
                              * left for the next call */
};

/* The tag of a new context. */
enum { CHORALE_TAG = 67 };

/* Wrap a private communicator: sets MPI_ERRORS_RETURN on it. The context does
 * not own comm. Returns an MPI error code; *ctx_p is set on success. */
int chorale_ctx_new(MPI_Comm comm, struct chorale_ctx **ctx_p);
void chorale_ctx_free(struct chorale_ctx *ctx);

/* Say on which node each rank is (ctx->size numbers, the same array on all
 * ranks; copied). NULL forgets it. Returns an MPI error code. */
int chorale_ctx_set_nodes(struct chorale_ctx *ctx, const int *node);

/* The node of a rank of ctx: 0 if not known. */
int chorale_node(const struct chorale_ctx *ctx, int rank);

/* A view on some ranks of ctx, in an order of its own: on it any variant runs
 * as on a communicator of that size. map[i] is the rank in ctx of the view's
 * rank i; the array is kept (and changed to ranks of comm), so it must
 * outlive the view. rank: the caller's place in it, or -1 if it is no member;
 * then nothing may be run on it. Messages between two ranks must come in the
 * same order on both, whatever views they pass through. */
void chorale_ctx_view(const struct chorale_ctx *ctx, struct chorale_ctx *view,
                      int rank, int size, int *map);

/* Of a rank of ctx: its rank in ctx->comm. */
static inline int chorale_in_comm(const struct chorale_ctx *ctx, int rank)
{
    return ctx->map == NULL ? rank : ctx->map[rank];
}

/* Bytes of scratch the context holds now. */
size_t chorale_ctx_scratch_bytes(const struct chorale_ctx *ctx);

/* How often the context has asked the system for memory. */
size_t chorale_ctx_scratch_made(const struct chorale_ctx *ctx);

/* The most that was in use at once since the context was made; with the
 * address sanitizer 64 bytes more for each piece. */
size_t chorale_ctx_scratch_peak(const struct chorale_ctx *ctx);

/* Scratch memory, aligned for any type, kept for the next call. mark/release
 * bracket one use, so that a variant may call another:
 *
 *     size_t mark = chorale_scratch_mark(ctx);
 *     char *tmp = chorale_scratch(ctx, bytes);   NULL: out of memory
 *     ...
 *     chorale_scratch_release(ctx, mark);
 */
size_t chorale_scratch_mark(const struct chorale_ctx *ctx);
void *chorale_scratch(struct chorale_ctx *ctx, size_t bytes);
void chorale_scratch_release(struct chorale_ctx *ctx, size_t mark);

/* Scratch for count elements laid out as type: the returned pointer is the
 * buffer argument (moved by the true lower bound). */
void *chorale_scratch_typed(struct chorale_ctx *ctx, MPI_Count count,
                            MPI_Datatype type);

/* Vectors of count elements one after the other. Elements of a type that is
 * shorter than what it touches (columns of a matrix, say) reach beyond the end
 * of their vector: then it is one element of a type made for that. */
struct chorale_apart {
    MPI_Count count;         /* one vector: so many elements ... */
    MPI_Datatype type;       /* ... of this type */
    MPI_Aint stride;         /* from one to the next [bytes] */
};
/* Returns an MPI error code; the other frees what was made of type. */
int chorale_apart_init(struct chorale_apart *a, MPI_Count count,
                       MPI_Datatype type);
void chorale_apart_free(struct chorale_apart *a, MPI_Datatype type);

/* *big_p: one element that stands for count elements of type, committed.
 * Returns an MPI error code. */
int chorale_type_big(MPI_Count count, MPI_Datatype type, MPI_Datatype *big_p);

/* Size, extent of a type [bytes]. */
size_t chorale_type_size(MPI_Datatype type);
MPI_Aint chorale_type_extent(MPI_Datatype type);

/* 1 if count elements of type are their packed bytes, in order, without
 * gaps. Decided from the type's construction; 0 when in doubt. A local fact:
 * never choose an algorithm by it. */
int chorale_type_is_packed(MPI_Datatype type);

/* Copy between two buffers of equal signature that do not overlap. Returns
 * an MPI error code; MPI_ERR_TRUNCATE, and nothing was copied, if there is no
 * room for all. */
int chorale_copy(struct chorale_ctx *ctx, const void *from,
                 MPI_Count from_count, MPI_Datatype from_type, void *to,
                 MPI_Count to_count, MPI_Datatype to_type);

/* Move packed bytes inside this rank's memory; they may overlap. All copies
 * of data go through these functions, so that a schedule can be written down
 * without data. */
void chorale_move(struct chorale_ctx *ctx, void *to, const void *from,
                  size_t bytes);

/* Set bytes to 0; nothing where a schedule is written down. */
void chorale_zero(struct chorale_ctx *ctx, void *to, size_t bytes);

/* A rank's own block where a collective keeps it: into place block of recvbuf
 * (gather's root, allgather), or from place root of sendbuf (scatter's root).
 * Nothing with MPI_IN_PLACE. */
struct chorale_call;
int chorale_keep_own(const struct chorale_call *call, int block);
int chorale_scatter_own(const struct chorale_call *call);

/* Pack count elements into bytes / unpack them, in memory. */
int chorale_pack(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                 MPI_Datatype type, void *bytes);
int chorale_unpack(struct chorale_ctx *ctx, const void *bytes, void *buf,
                   MPI_Count count, MPI_Datatype type);

/* Point-to-point with the context's tag. Counts may pass INT_MAX. Each
 * returns an MPI error code. */
int chorale_send(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                 MPI_Datatype type, int dest);
int chorale_recv(struct chorale_ctx *ctx, void *buf, MPI_Count count,
                 MPI_Datatype type, int source);
int chorale_isend(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                  MPI_Datatype type, int dest, MPI_Request *req);
/* Synchronous: it is not done before the receiver has begun to receive. */
int chorale_issend(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                   MPI_Datatype type, int dest, MPI_Request *req);
int chorale_irecv(struct chorale_ctx *ctx, void *buf, MPI_Count count,
                  MPI_Datatype type, int source, MPI_Request *req);
int chorale_sendrecv(struct chorale_ctx *ctx, const void *sendbuf,
                     MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                     void *recvbuf, MPI_Count recvcount,
                     MPI_Datatype recvtype, int source);
/* The same for rounds of messages of unlike sizes: a long message has arrived
 * when they return. A rank whose turn was short would else go on to the next
 * one while its long message is still under way: both would share its port,
 * and the one that somebody waits for comes late. */
int chorale_send_in_step(struct chorale_ctx *ctx, const void *buf,
                         MPI_Count count, MPI_Datatype type, int dest);
int chorale_sendrecv_in_step(struct chorale_ctx *ctx, const void *sendbuf,
                             MPI_Count sendcount, MPI_Datatype sendtype,
                             int dest, void *recvbuf, MPI_Count recvcount,
                             MPI_Datatype recvtype, int source);
int chorale_wait(struct chorale_ctx *ctx, MPI_Request *req);
int chorale_waitall(struct chorale_ctx *ctx, int count, MPI_Request *req);

/* Wait for one of them; its request becomes MPI_REQUEST_NULL and *index tells
 * which. All null: *index is MPI_UNDEFINED. */
int chorale_waitany(struct chorale_ctx *ctx, int count, MPI_Request *req,
                    int *index);

/* What is left of err, the code of something that was received or copied: see
 * truncated above. */
int chorale_received(struct chorale_ctx *ctx, int err);

/* inout = in op inout, element by element; counted as reduced bytes. */
int chorale_reduce_local(struct chorale_ctx *ctx, const void *in, void *inout,
                         MPI_Count count, MPI_Datatype type, MPI_Op op);

/* The element at index i of a buffer of type (i may be any block index times
 * count). */
static inline void *chorale_at(const void *buf, MPI_Aint extent, MPI_Aint i)
{
    return (char *)buf + extent * i;
}

#endif
