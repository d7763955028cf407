/* SPDX-License-Identifier: BSD-3-Clause */
/* context.c - contexts, views and counted point-to-point messages.
 *
 * Every byte of the catalogue passes through this file, so counts above
 * INT_MAX, counters and the use of PMPI are handled here only. */
#include "algorithms/context.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/mixed_types.h"
#include "algorithms/scratch.h"

/* Largest count passed to one MPI call. A test build lowers it, so that small
 * buffers exercise the path for large counts. */
#ifndef CHORALE_COUNT_MAX
#define CHORALE_COUNT_MAX INT_MAX
#endif

/* Messages of at least this many bytes count as long. At about this size MPI
 * libraries switch to a rendezvous protocol, whose sends wait for the receiver
 * anyway, so a synchronous send costs nothing extra. The same test build lowers
 * it. */
#ifndef CHORALE_LONG
#define CHORALE_LONG 32768
#endif

/* --- context ---------------------------------------------------------- */

int chorale_ctx_new(MPI_Comm comm, struct chorale_ctx **ctx_p)
{
    struct chorale_ctx *ctx = calloc(1, sizeof(*ctx));
    struct chorale_scratch *scratch = chorale_scratch_new();
    int err = ctx && scratch ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    if (err == MPI_SUCCESS && comm != MPI_COMM_NULL)
        err = PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (err == MPI_SUCCESS && comm != MPI_COMM_NULL)
        err = PMPI_Comm_rank(comm, &ctx->rank);
    if (err == MPI_SUCCESS && comm != MPI_COMM_NULL)
        err = PMPI_Comm_size(comm, &ctx->size);
    if (err != MPI_SUCCESS) {
        free(ctx);
        chorale_scratch_free(scratch);
        return err;
    }
    ctx->comm = comm;
    ctx->tag = CHORALE_TAG;
    ctx->scratch = scratch;
    *ctx_p = ctx;
    return MPI_SUCCESS;
}

void chorale_ctx_free(struct chorale_ctx *ctx)
{
    if (ctx == NULL)
        return;
    chorale_scratch_free(ctx->scratch);
    free(ctx->nodes);
    free(ctx);
}

int chorale_ctx_set_nodes(struct chorale_ctx *ctx, const int *node)
{
    size_t bytes = sizeof(*node) * (size_t)ctx->size;
    int *copy = node == NULL ? NULL : malloc(bytes);

    if (node != NULL && copy == NULL)
        return MPI_ERR_NO_MEM;
    if (copy != NULL)
        memcpy(copy, node, bytes);
    free(ctx->nodes);
    ctx->nodes = copy;
    ctx->node = copy;
    return MPI_SUCCESS;
}

/* --- views ------------------------------------------------------------ */

int chorale_node(const struct chorale_ctx *ctx, int rank)
{
    return ctx->node == NULL ? 0 : ctx->node[chorale_in_comm(ctx, rank)];
}

void chorale_ctx_view(const struct chorale_ctx *ctx, struct chorale_ctx *view,
                      int rank, int size, int *map)
{
    for (int i = 0; i < size; i++)
        map[i] = chorale_in_comm(ctx, map[i]);
    *view = *ctx;
    view->rank = rank;
    view->size = size;
    view->map = map;
}

/* --- messages --------------------------------------------------------- */

/* Count and type as passed to one MPI call; made: the type was created here and
 * must be freed. */
struct message {
    int count;
    MPI_Datatype type;
    int made;
};

int chorale_type_big(MPI_Count count, MPI_Datatype type, MPI_Datatype *big_p)
{
    MPI_Count whole = count / CHORALE_COUNT_MAX;
    int length[2] = { (int)whole, (int)(count % CHORALE_COUNT_MAX) };
    MPI_Datatype part[2] = { MPI_DATATYPE_NULL, type };
    MPI_Aint at[2] = { 0, 0 };
    int err;

    if (whole > INT_MAX)
        return MPI_ERR_COUNT;
    at[1] = (MPI_Aint)(whole * CHORALE_COUNT_MAX) * chorale_type_extent(type);
    err = PMPI_Type_contiguous(CHORALE_COUNT_MAX, type, &part[0]);
    if (err != MPI_SUCCESS)
        return err;
    err = PMPI_Type_create_struct(2, length, at, part, big_p);
    PMPI_Type_free(&part[0]);
    if (err == MPI_SUCCESS)
        err = PMPI_Type_commit(big_p);
    return err;
}

#ifdef MPICH_VERSION
/* Derived types that MPICH does not serve as they are. Types without data: send
 * and receive 0 bytes, because MPICH 4.2 divides by the number of the type's
 * blocks, which is 0 if the type also has an extent. Mixed types: receive bytes
 * (mixed_types.h). Messages up to PIECE bytes arrive in one piece on all
 * transports. Predefined types that are not mixed are recognised by their
 * handles. */
static void replace_type(struct message *m, MPI_Count *count, int incoming)
{
    enum { PIECE = 1024, KIND = 30 };
    size_t size;

    _Static_assert(((unsigned)MPI_BYTE ^ (unsigned)MPI_INT) >> KIND == 0
                       && ((unsigned)MPI_DOUBLE_INT ^ (unsigned)MPI_INT)
                              >> KIND != 0,
                   "values with an index are of another kind");
    if (((unsigned)m->type ^ (unsigned)MPI_INT) >> KIND == 0)
        return;
    size = chorale_type_size(m->type);
    if (size == 0) {
        m->type = MPI_BYTE;
        m->count = 0;
        *count = 0;
    } else if (incoming && (size_t)*count * size > PIECE) {
        m->made = chorale_mixed_as_bytes(m->type, &m->type);
    }
}
#else
static void replace_type(struct message *m, MPI_Count *count, int incoming)
{
    (void)m;
    (void)count;
    (void)incoming;
}
#endif

static int message_init(struct message *m, MPI_Count count, MPI_Datatype type,
                        int incoming)
{
    MPI_Datatype part;
    int err, part_made;

    *m = (struct message){ (int)count, type, 0 };
    replace_type(m, &count, incoming);
    if (count <= CHORALE_COUNT_MAX)
        return MPI_SUCCESS;
    part = m->type;
    part_made = m->made;
    err = chorale_type_big(count, part, &m->type);
    if (part_made)
        PMPI_Type_free(&part);
    m->count = 1;
    m->made = 1;
    return err;
}

/* MPI keeps a freed type until pending operations that use it complete. */
static void message_release(struct message *m)
{
    if (m->made)
        PMPI_Type_free(&m->type);
}

static void count_sent(struct chorale_ctx *ctx, MPI_Count count,
                       MPI_Datatype type)
{
    if (ctx->stat == NULL)
        return;
    ctx->stat->messages++;
    ctx->stat->bytes_sent += (long long)chorale_type_size(type) * count;
}

/* Bracket a call that completes messages; clocks are read only if counted. */
static double round_begin(struct chorale_ctx *ctx)
{
    if (ctx->stat == NULL)
        return 0;
    ctx->stat->rounds++;
    return PMPI_Wtime();
}

static void round_end(struct chorale_ctx *ctx, double began)
{
    if (ctx->stat != NULL)
        ctx->stat->wait_ns += (long long)(1e9 * (PMPI_Wtime() - began) + 0.5);
}

int chorale_recv_check(struct chorale_ctx *ctx, int err)
{
    int class;

    if (err == MPI_SUCCESS || ctx->truncated == NULL
        || PMPI_Error_class(err, &class) != MPI_SUCCESS
        || class != MPI_ERR_TRUNCATE)
        return err;
    if (*ctx->truncated == MPI_SUCCESS)
        *ctx->truncated = err;
    return MPI_SUCCESS;
}

/* 1 if any request is active. */
static int any_open(int count, const MPI_Request *req)
{
    for (int i = 0; i < count; i++)
        if (req[i] != MPI_REQUEST_NULL)
            return 1;
    return 0;
}

static size_t bytes_of(MPI_Count count, MPI_Datatype type)
{
    return chorale_type_size(type) * (size_t)count;
}

/* The completing calls while a schedule is recorded. */
static int note_send(struct chorale_ctx *ctx, const void *buf,
                     MPI_Count count, MPI_Datatype type, int dest)
{
    MPI_Request req;
    int err = ctx->recorder->send(ctx, buf, bytes_of(count, type), dest, 0,
                                  &req);

    ctx->recorder->round(ctx);
    return err == MPI_SUCCESS ? ctx->recorder->wait(ctx, &req) : err;
}

static int note_recv(struct chorale_ctx *ctx, void *buf, MPI_Count count,
                     MPI_Datatype type, int source)
{
    MPI_Request req;
    int err =
        ctx->recorder->recv(ctx, buf, bytes_of(count, type), source, &req);

    ctx->recorder->round(ctx);
    return err == MPI_SUCCESS ? ctx->recorder->wait(ctx, &req) : err;
}

static int note_waitall(struct chorale_ctx *ctx, int count, MPI_Request *req)
{
    int err = MPI_SUCCESS;

    if (any_open(count, req))
        ctx->recorder->round(ctx);
    for (int i = 0; i < count && err == MPI_SUCCESS; i++)
        err = ctx->recorder->wait(ctx, &req[i]);
    return err;
}

static int note_sendrecv(struct chorale_ctx *ctx, const void *sendbuf,
                         size_t out, int dest, void *recvbuf, size_t in,
                         int source)
{
    MPI_Request req[2];
    int err = ctx->recorder->recv(ctx, recvbuf, in, source, &req[0]);

    if (err == MPI_SUCCESS)
        err = ctx->recorder->send(ctx, sendbuf, out, dest, 0, &req[1]);
    return err == MPI_SUCCESS ? note_waitall(ctx, 2, req) : err;
}

int chorale_send(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                 MPI_Datatype type, int dest)
{
    struct message m;
    double began;
    int err;

    if (ctx->recorder != NULL)
        return note_send(ctx, buf, count, type, dest);
    err = message_init(&m, count, type, 0);
    if (err != MPI_SUCCESS)
        return err;
    count_sent(ctx, count, type);
    began = round_begin(ctx);
    err = PMPI_Send(buf, m.count, m.type, chorale_in_comm(ctx, dest), ctx->tag,
                    ctx->comm);
    round_end(ctx, began);
    message_release(&m);
    return err;
}

int chorale_recv(struct chorale_ctx *ctx, void *buf, MPI_Count count,
                 MPI_Datatype type, int source)
{
    struct message m;
    double began;
    int err;

    if (ctx->recorder != NULL)
        return note_recv(ctx, buf, count, type, source);
    err = message_init(&m, count, type, 1);
    if (err != MPI_SUCCESS)
        return err;
    source = chorale_in_comm(ctx, source);
    began = round_begin(ctx);
    err = chorale_recv_check(ctx, PMPI_Recv(buf, m.count, m.type, source,
                                            ctx->tag, ctx->comm,
                                            MPI_STATUS_IGNORE));
    round_end(ctx, began);
    message_release(&m);
    return err;
}

static int start_send(struct chorale_ctx *ctx, const void *buf,
                      MPI_Count count, MPI_Datatype type, int dest,
                      int synchronous, MPI_Request *req)
{
    struct message m;
    int err;

    if (ctx->recorder != NULL)
        return ctx->recorder->send(ctx, buf, bytes_of(count, type), dest,
                                   synchronous, req);
    err = message_init(&m, count, type, 0);
    if (err != MPI_SUCCESS)
        return err;
    count_sent(ctx, count, type);
    dest = chorale_in_comm(ctx, dest);
    err = synchronous ? PMPI_Issend(buf, m.count, m.type, dest, ctx->tag,
                                    ctx->comm, req)
                      : PMPI_Isend(buf, m.count, m.type, dest, ctx->tag,
                                   ctx->comm, req);
    message_release(&m);
    return err;
}

int chorale_isend(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                  MPI_Datatype type, int dest, MPI_Request *req)
{
    return start_send(ctx, buf, count, type, dest, 0, req);
}

int chorale_issend(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                   MPI_Datatype type, int dest, MPI_Request *req)
{
    return start_send(ctx, buf, count, type, dest, 1, req);
}

int chorale_irecv(struct chorale_ctx *ctx, void *buf, MPI_Count count,
                  MPI_Datatype type, int source, MPI_Request *req)
{
    struct message m;
    int err;

    if (ctx->recorder != NULL)
        return ctx->recorder->recv(ctx, buf, bytes_of(count, type), source,
                                   req);
    err = message_init(&m, count, type, 1);
    if (err != MPI_SUCCESS)
        return err;
    err = PMPI_Irecv(buf, m.count, m.type, chorale_in_comm(ctx, source),
                     ctx->tag, ctx->comm, req);
    message_release(&m);
    return err;
}

int chorale_sendrecv(struct chorale_ctx *ctx, const void *sendbuf,
                     MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                     void *recvbuf, MPI_Count recvcount,
                     MPI_Datatype recvtype, int source)
{
    struct message out, in;
    double began;
    int err;

    if (ctx->recorder != NULL)
        return note_sendrecv(ctx, sendbuf, bytes_of(sendcount, sendtype), dest,
                             recvbuf, bytes_of(recvcount, recvtype), source);
    /* Blocks without bytes may share one address, which SimGrid 4 rejects
     * unless a count is 0. */
    if (sendbuf == recvbuf && bytes_of(sendcount, sendtype) == 0)
        sendcount = 0;
    err = message_init(&out, sendcount, sendtype, 0);
    if (err != MPI_SUCCESS)
        return err;
    err = message_init(&in, recvcount, recvtype, 1);
    if (err == MPI_SUCCESS) {
        count_sent(ctx, sendcount, sendtype);
        began = round_begin(ctx);
        err = PMPI_Sendrecv(sendbuf, out.count, out.type,
                            chorale_in_comm(ctx, dest), ctx->tag, recvbuf,
                            in.count, in.type,
                            chorale_in_comm(ctx, source), ctx->tag, ctx->comm,
                            MPI_STATUS_IGNORE);
        round_end(ctx, began);
        message_release(&in);
    }
    message_release(&out);
    return chorale_recv_check(ctx, err);
}

int chorale_send_matched(struct chorale_ctx *ctx, const void *buf,
                         MPI_Count count, MPI_Datatype type, int dest)
{
    MPI_Request req;
    int err;

    if (bytes_of(count, type) < CHORALE_LONG)
        return chorale_send(ctx, buf, count, type, dest);
    err = chorale_issend(ctx, buf, count, type, dest, &req);
    return err == MPI_SUCCESS ? chorale_wait(ctx, &req) : err;
}

int chorale_sendrecv_matched(struct chorale_ctx *ctx, const void *sendbuf,
                             MPI_Count sendcount, MPI_Datatype sendtype,
                             int dest, void *recvbuf, MPI_Count recvcount,
                             MPI_Datatype recvtype, int source)
{
    MPI_Request req[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int err, last;

    if (bytes_of(sendcount, sendtype) < CHORALE_LONG)
        return chorale_sendrecv(ctx, sendbuf, sendcount, sendtype, dest,
                                recvbuf, recvcount, recvtype, source);
    err = chorale_irecv(ctx, recvbuf, recvcount, recvtype, source, &req[0]);
    if (err == MPI_SUCCESS)
        err = chorale_issend(ctx, sendbuf, sendcount, sendtype, dest,
                             &req[1]);
    last = chorale_waitall(ctx, 2, req);
    return err == MPI_SUCCESS ? last : err;
}

/* Wait for one request. */
static int wait_one(struct chorale_ctx *ctx, MPI_Request *req)
{
    return chorale_recv_check(ctx, PMPI_Wait(req, MPI_STATUS_IGNORE));
}

int chorale_wait(struct chorale_ctx *ctx, MPI_Request *req)
{
    return chorale_waitall(ctx, 1, req);
}

int chorale_waitany(struct chorale_ctx *ctx, int count, MPI_Request *req,
                    int *index)
{
    double began;
    int err;

    *index = MPI_UNDEFINED; /* SMPI leaves *index unchanged if no request is
                             * active */
    if (!any_open(count, req))
        return MPI_SUCCESS;
    if (ctx->recorder != NULL) {
        ctx->recorder->round(ctx);
        return ctx->recorder->waitany(ctx, count, req, index);
    }
    began = round_begin(ctx);
    err = PMPI_Waitany(count, req, index,
                       MPI_STATUS_IGNORE);
    round_end(ctx, began);
    return chorale_recv_check(ctx, err);
}

int chorale_waitall(struct chorale_ctx *ctx, int count, MPI_Request *req)
{
    int first = MPI_SUCCESS;
    double began;

    if (ctx->recorder != NULL)
        return note_waitall(ctx, count, req);
    if (!any_open(count, req))
        return MPI_SUCCESS;
    began = round_begin(ctx);
    /* One by one, to get the error code of each. */
    for (int i = 0; i < count; i++) {
        int err = wait_one(ctx, &req[i]);

        if (first == MPI_SUCCESS)
            first = err;
    }
    round_end(ctx, began);
    return first;
}

int chorale_reduce_local(struct chorale_ctx *ctx, const void *in, void *inout,
                         MPI_Count count, MPI_Datatype type, MPI_Op op)
{
    MPI_Aint extent = chorale_type_extent(type);
    int err = MPI_SUCCESS;

    if (ctx->recorder != NULL)
        return ctx->recorder->reduce(ctx, in, inout, bytes_of(count, type),
                                     type, op);
    /* Elements of size 0 may share one address, which MPICH rejects. */
    if (in == inout && chorale_type_size(type) == 0)
        return MPI_SUCCESS;
    for (MPI_Count done = 0; done < count && err == MPI_SUCCESS;) {
        MPI_Count left = count - done;
        int piece = left > CHORALE_COUNT_MAX ? CHORALE_COUNT_MAX : (int)left;

        err = PMPI_Reduce_local(chorale_at(in, extent, (MPI_Aint)done),
                                chorale_at(inout, extent, (MPI_Aint)done),
                                piece, type, op);
        done += piece;
    }
    if (ctx->stat != NULL)
        ctx->stat->bytes_reduced += (long long)chorale_type_size(type) * count;
    return err;
}
