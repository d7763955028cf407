/* SPDX-License-Identifier: BSD-3-Clause */
/* context.h - execution context of a variant: communicator, scratch, messages.
 *
 * All traffic of the catalogue goes through the functions of this header. They
 * call PMPI, so profilers do not attribute it to the application, and they
 * update the event counters that Chorale publishes.
 */
#ifndef CHORALE_ALGORITHMS_CONTEXT_H
#define CHORALE_ALGORITHMS_CONTEXT_H

#include <mpi.h>
#include <stddef.h>

/* Event counters of this rank; bytes are payload.
 *
 * A round is one step that completes messages before the rank can continue: a
 * blocking send, receive or send-receive, or a wait. A wait for several
 * messages is one round. Where each rank does one thing at a time, the busiest
 * rank has the number of rounds in the variant's file comment: ceil(lg P) for a
 * binomial tree, P - 1 for a ring. A rank in the middle of a pipeline has two
 * rounds per segment. The schedule (schedule.h) counts rounds in the same way.
 */
struct chorale_stat {
    long long messages;      /* sent */
    long long bytes_sent;
    long long bytes_reduced; /* bytes combined by the operation */
    long long rounds;
    long long wait_ns;       /* nanoseconds in calls that complete messages */
};

struct chorale_scratch;
struct chorale_schedule;

struct chorale_ctx;

/* Functions that record a call instead of making it (schedule/event_log.c).
 * Arguments and results are those of the functions of similar names below, with
 * lengths in bytes. A request holds the number of a recorded event. */
struct chorale_recorder {
    int (*send)(struct chorale_ctx *ctx, const void *buf, size_t bytes,
                int dest, int synchronous, MPI_Request *req);
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
    MPI_Comm comm;           /* private; errors return */
    int rank, size;
    int tag;                 /* tag of all messages. The dispatcher uses one tag
                              * per collective, so that a stray message of an
                              * erroneous call is not received by another
                              * collective */
    const int *map;          /* of a view: its ranks in comm; else NULL */
    const int *node;         /* node of each rank in comm; NULL: one node, or
                              * unknown */
    int *nodes;              /* node, if the context owns the array */
    struct chorale_stat *stat; /* counters; NULL: do not count */
    struct chorale_scratch *scratch;
    struct chorale_reserve *reserve; /* fallback if memory is exhausted
                                      * (scratch.h); NULL: no reserve */
    const struct chorale_recorder *recorder; /* not NULL: calls are recorded in
                              * schedule, and no data is sent */
    struct chorale_schedule *schedule;
    int zeroed;              /* scratch memory begins as zeros, so that equal
                              * calls record the same */
    int *truncated;          /* not NULL: a message longer than its buffer does
                              * not end the call. The first such error is stored
                              * here (initially MPI_SUCCESS) and the call
                              * continues: other ranks wait for this rank's
                              * messages, and no message may remain for the next
                              * call */
};

/* Tag of a new context. */
enum { CHORALE_TAG = 67 };

/* Wrap a private communicator and set MPI_ERRORS_RETURN on it. The context does
 * not own comm. Returns an MPI error code; *ctx_p is set on success. */
int chorale_ctx_new(MPI_Comm comm, struct chorale_ctx **ctx_p);
void chorale_ctx_free(struct chorale_ctx *ctx);

/* Set the node of each rank: ctx->size numbers, the same array on all ranks;
 * copied. NULL: unknown. Returns an MPI error code. */
int chorale_ctx_set_nodes(struct chorale_ctx *ctx, const int *node);

/* Node of a rank of ctx; 0 if unknown. */
int chorale_node(const struct chorale_ctx *ctx, int rank);

/* Make a view of some ranks of ctx, in any order, on which a variant runs as on
 * a communicator of that size.
 *
 * ctx   the parent context; the view shares its scratch and counters
 * rank  this rank in the view, or -1 if it is not a member; a view with rank -1
 *       must not be used to run anything
 * size  number of ranks in the view
 * map   map[i] is the rank in ctx of the view's rank i. It is overwritten with
 *       ranks in comm and must outlive the view.
 *
 * Messages between two ranks must come in the same order on both, whichever
 * views they use. */
void chorale_ctx_view(const struct chorale_ctx *ctx, struct chorale_ctx *view,
                      int rank, int size, int *map);

/* The rank in ctx->comm of a rank of ctx. */
static inline int chorale_in_comm(const struct chorale_ctx *ctx, int rank)
{
    return ctx->map == NULL ? rank : ctx->map[rank];
}

/* Bytes of scratch that the context holds now. */
size_t chorale_ctx_scratch_bytes(const struct chorale_ctx *ctx);

/* Number of blocks of memory that the context has obtained so far, from the
 * system or from its reserve. */
size_t chorale_ctx_scratch_made(const struct chorale_ctx *ctx);

/* Largest number of scratch bytes in use at once since the context was made.
 * Each piece counts as a multiple of 64 bytes; with the address sanitizer it
 * counts 64 bytes more. */
size_t chorale_ctx_scratch_peak(const struct chorale_ctx *ctx);

/* Scratch memory, aligned for any type and kept for the next call. mark and
 * release bracket one use, so that a variant may call another:
 *
 *     size_t mark = chorale_scratch_mark(ctx);
 *     char *tmp = chorale_scratch(ctx, bytes);   NULL: out of memory
 *     ...
 *     chorale_scratch_release(ctx, mark);
 */
size_t chorale_scratch_mark(const struct chorale_ctx *ctx);
void *chorale_scratch(struct chorale_ctx *ctx, size_t bytes);
void chorale_scratch_release(struct chorale_ctx *ctx, size_t mark);

/* Scratch for count elements laid out as type. Returns the address to pass as
 * MPI buffer argument (adjusted by the true lower bound), or NULL if memory is
 * exhausted. */
void *chorale_scratch_typed(struct chorale_ctx *ctx, MPI_Count count,
                            MPI_Datatype type);

/* Layout of several vectors of count elements that do not overlap. A type's
 * extent may be smaller than its true extent (a column of a matrix), so its
 * elements reach past the end of their vector. Each vector is then one element
 * of a derived type with a larger extent. */
struct chorale_apart {
    MPI_Count count;         /* elements of one vector */
    MPI_Datatype type;       /* type of these elements */
    MPI_Aint stride;         /* bytes from one vector to the next */
};
/* init returns an MPI error code; free releases the derived type, if any. Pass
 * the same type to both. */
int chorale_layout_init(struct chorale_apart *a, MPI_Count count,
                        MPI_Datatype type);
void chorale_layout_free(struct chorale_apart *a, MPI_Datatype type);

/* Make one committed type that stands for count elements of type; count may
 * exceed INT_MAX. Returns an MPI error code. */
int chorale_type_big(MPI_Count count, MPI_Datatype type, MPI_Datatype *big_p);

/* Size and extent of a type [bytes]. */
size_t chorale_type_size(MPI_Datatype type);
MPI_Aint chorale_type_extent(MPI_Datatype type);

/* 1 if any number of elements of type are stored as their packed bytes, in
 * order and without gaps. Decided from its constructors; 0 when in doubt. Ranks
 * may get different answers, so never choose an algorithm by it. */
int chorale_type_is_packed(MPI_Datatype type);

/* Copy between two non-overlapping buffers of equal signature. Returns an MPI
 * error code; MPI_ERR_TRUNCATE, with nothing copied, if the destination is too
 * small (but see truncated above). */
int chorale_copy(struct chorale_ctx *ctx, const void *from,
                 MPI_Count from_count, MPI_Datatype from_type, void *to,
                 MPI_Count to_count, MPI_Datatype to_type);

/* Move packed bytes inside this rank's memory; the ranges may overlap. All
 * copies of data use this function or those above, so that a schedule can be
 * recorded without data. */
void chorale_memmove(struct chorale_ctx *ctx, void *to, const void *from,
                     size_t bytes);

/* Set bytes to 0; no effect while a schedule is recorded. */
void chorale_memzero(struct chorale_ctx *ctx, void *to, size_t bytes);

/* Copy a rank's own block to its place, unless MPI_IN_PLACE is given.
 * chorale_gather_own() copies the send buffer into block number block of
 * recvbuf (gather's root, allgather). chorale_scatter_own() copies block root
 * of sendbuf into recvbuf (scatter's root). Both return an MPI error code. */
struct chorale_call;
int chorale_gather_own(const struct chorale_call *call, int block);
int chorale_scatter_own(const struct chorale_call *call);

/* Pack count elements into bytes, or unpack them, in memory. Both return an MPI
 * error code. */
int chorale_pack(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                 MPI_Datatype type, void *bytes);
int chorale_unpack(struct chorale_ctx *ctx, const void *bytes, void *buf,
                   MPI_Count count, MPI_Datatype type);

/* Point-to-point messages with the context's tag. Counts may exceed INT_MAX.
 * Each returns an MPI error code. */
int chorale_send(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                 MPI_Datatype type, int dest);
int chorale_recv(struct chorale_ctx *ctx, void *buf, MPI_Count count,
                 MPI_Datatype type, int source);
int chorale_isend(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                  MPI_Datatype type, int dest, MPI_Request *req);
/* Synchronous: completes only after the receiver has started to receive. */
int chorale_issend(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                   MPI_Datatype type, int dest, MPI_Request *req);
int chorale_irecv(struct chorale_ctx *ctx, void *buf, MPI_Count count,
                  MPI_Datatype type, int source, MPI_Request *req);
int chorale_sendrecv(struct chorale_ctx *ctx, const void *sendbuf,
                     MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                     void *recvbuf, MPI_Count recvcount,
                     MPI_Datatype recvtype, int source);
/* The same for rounds with messages of different sizes: a long message has been
 * matched by its receiver when these functions return. Otherwise a rank could
 * start its next round while its long message is still in flight. Both would
 * then share its port, and a message that another rank waits for would be
 * delayed. */
int chorale_send_matched(struct chorale_ctx *ctx, const void *buf,
                         MPI_Count count, MPI_Datatype type, int dest);
int chorale_sendrecv_matched(struct chorale_ctx *ctx, const void *sendbuf,
                             MPI_Count sendcount, MPI_Datatype sendtype,
                             int dest, void *recvbuf, MPI_Count recvcount,
                             MPI_Datatype recvtype, int source);
int chorale_wait(struct chorale_ctx *ctx, MPI_Request *req);
int chorale_waitall(struct chorale_ctx *ctx, int count, MPI_Request *req);

/* Wait for one request, which becomes MPI_REQUEST_NULL; *index is its position.
 * If all are null, *index is MPI_UNDEFINED. */
int chorale_waitany(struct chorale_ctx *ctx, int count, MPI_Request *req,
                    int *index);

/* Filter an error code of a receive or copy: a truncation error is stored in
 * ctx->truncated, if that is set, and MPI_SUCCESS returned; any other code is
 * returned unchanged. */
int chorale_recv_check(struct chorale_ctx *ctx, int err);

/* inout = in op inout, element by element; counted as reduced bytes. */
int chorale_reduce_local(struct chorale_ctx *ctx, const void *in, void *inout,
                         MPI_Count count, MPI_Datatype type, MPI_Op op);

/* Address of element i of a buffer whose type has the given extent; i may be a
 * block index times a count. */
static inline void *chorale_at(const void *buf, MPI_Aint extent, MPI_Aint i)
{
    return (char *)buf + extent * i;
}

#endif
