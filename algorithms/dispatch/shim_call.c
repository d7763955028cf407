/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_call.c - the words of an interposed call as MPI's handles, for the
 * dispatcher, which touches them only after it recognised the library. */
#include "config.h"

#include "algorithms/dispatch/dispatch.h"
#include "algorithms/dispatch/shim.h"
#include "algorithms/dispatch/trace.h"

#define COMM(word) ((MPI_Comm)(word))
#define TYPE(word) ((MPI_Datatype)(word))
#define OP(word) ((MPI_Op)(word))

void chorale_shim_started(void)
{
    chorale_dispatch_started();
}

void chorale_shim_finish(void)
{
    chorale_trace_finish();
}

void chorale_shim_abort(void)
{
    chorale_trace_part("MPI_Abort");
}

int chorale_shim_ran(int coll, chorale_word comm, size_t msg_size, char *text,
                     size_t size)
{
    return coll >= 0 && coll < CHORALE_NCOLL
               ? chorale_dispatch_last((enum chorale_coll)coll, COMM(comm),
                                       msg_size, text, size)
               : -1;
}

int chorale_shim_Bcast(int *rc, void *buf, int count, chorale_word type,
                       int root, chorale_word comm)
{
    struct chorale_call call = { .recvbuf = buf, .recvcount = count,
                                 .recvtype = TYPE(type), .root = root };

    return chorale_dispatch(CHORALE_BCAST, COMM(comm), &call, rc);
}

static int reduction(enum chorale_coll coll, int *rc, const void *sendbuf,
                     void *recvbuf, int count, chorale_word type,
                     chorale_word op, int root, chorale_word comm)
{
    struct chorale_call call = { .sendbuf = sendbuf, .recvbuf = recvbuf,
                                 .recvcount = count, .recvtype = TYPE(type),
                                 .op = OP(op), .root = root };

    return chorale_dispatch(coll, COMM(comm), &call, rc);
}

int chorale_shim_Reduce(int *rc, const void *sendbuf, void *recvbuf,
                        int count, chorale_word type, chorale_word op,
                        int root, chorale_word comm)
{
    return reduction(CHORALE_REDUCE, rc, sendbuf, recvbuf, count, type, op,
                     root, comm);
}

int chorale_shim_Allreduce(int *rc, const void *sendbuf, void *recvbuf,
                           int count, chorale_word type, chorale_word op,
                           chorale_word comm)
{
    return reduction(CHORALE_ALLREDUCE, rc, sendbuf, recvbuf, count, type, op,
                     0, comm);
}

int chorale_shim_Reduce_scatter_block(int *rc, const void *sendbuf,
                                      void *recvbuf, int count,
                                      chorale_word type, chorale_word op,
                                      chorale_word comm)
{
    return reduction(CHORALE_REDUCE_SCATTER_BLOCK, rc, sendbuf, recvbuf,
                     count, type, op, 0, comm);
}

static int exchange(enum chorale_coll coll, int *rc, const void *sendbuf,
                    int sendcount, chorale_word sendtype, void *recvbuf,
                    int recvcount, chorale_word recvtype, int root,
                    chorale_word comm)
{
    struct chorale_call call = {
        .sendbuf = sendbuf, .sendcount = sendcount,
        .sendtype = TYPE(sendtype), .recvbuf = recvbuf,
        .recvcount = recvcount, .recvtype = TYPE(recvtype), .root = root
    };

    return chorale_dispatch(coll, COMM(comm), &call, rc);
}

int chorale_shim_Gather(int *rc, const void *sendbuf, int sendcount,
                        chorale_word sendtype, void *recvbuf, int recvcount,
                        chorale_word recvtype, int root, chorale_word comm)
{
    return exchange(CHORALE_GATHER, rc, sendbuf, sendcount, sendtype, recvbuf,
                    recvcount, recvtype, root, comm);
}

int chorale_shim_Scatter(int *rc, const void *sendbuf, int sendcount,
                         chorale_word sendtype, void *recvbuf, int recvcount,
                         chorale_word recvtype, int root, chorale_word comm)
{
    return exchange(CHORALE_SCATTER, rc, sendbuf, sendcount, sendtype,
                    recvbuf, recvcount, recvtype, root, comm);
}

int chorale_shim_Allgather(int *rc, const void *sendbuf, int sendcount,
                           chorale_word sendtype, void *recvbuf,
                           int recvcount, chorale_word recvtype,
                           chorale_word comm)
{
    return exchange(CHORALE_ALLGATHER, rc, sendbuf, sendcount, sendtype,
                    recvbuf, recvcount, recvtype, 0, comm);
}
