/* SPDX-License-Identifier: BSD-3-Clause */
/* libchorale.c - the collectives of chorale.h: the dispatcher first, then the
 * library's own. */
#include "config.h"

#include "algorithms/dispatch/chorale.h"
#include "algorithms/dispatch/dispatch.h"
#include "algorithms/dispatch/pmpi.h"
#include "algorithms/dispatch/trace_on.h"

/* Run the call here, or by the library's function if there is one. */
static int dispatch(enum chorale_coll coll, MPI_Comm comm,
                    struct chorale_call *call, int *rc)
{
    if (!chorale_pmpi_ready()) {
        *rc = MPI_ERR_OTHER;
        return 1;
    }
    chorale_dispatch_at_once(comm);
    chorale_trace_open();
    return chorale_dispatch(coll, comm, call, rc);
}

int chorale_init_table(const char *table)
{
    return chorale_dispatch_use(table);
}

void chorale_finalize(void)
{
    chorale_dispatch_stop();
}

int chorale_bcast(void *buf, int count, MPI_Datatype type, int root,
                  MPI_Comm comm)
{
    struct chorale_call call = { .recvbuf = buf, .recvcount = count,
                                 .recvtype = type, .root = root };
    int rc;

    if (dispatch(CHORALE_BCAST, comm, &call, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(PMPI_Bcast(buf, count, type, root, comm));
}

static struct chorale_call reduction(const void *sendbuf, void *recvbuf,
                                     int count, MPI_Datatype type, MPI_Op op,
                                     int root)
{
    return (struct chorale_call){ .sendbuf = sendbuf, .recvbuf = recvbuf,
                                  .recvcount = count, .recvtype = type,
                                  .op = op, .root = root };
}

int chorale_reduce(const void *sendbuf, void *recvbuf, int count,
                   MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    struct chorale_call call = reduction(sendbuf, recvbuf, count, type, op,
                                         root);
    int rc;

    if (dispatch(CHORALE_REDUCE, comm, &call, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Reduce(sendbuf, recvbuf, count, type, op, root, comm));
}

int chorale_allreduce(const void *sendbuf, void *recvbuf, int count,
                      MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct chorale_call call = reduction(sendbuf, recvbuf, count, type, op, 0);
    int rc;

    if (dispatch(CHORALE_ALLREDUCE, comm, &call, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Allreduce(sendbuf, recvbuf, count, type, op, comm));
}

int chorale_reduce_scatter_block(const void *sendbuf, void *recvbuf,
                                 int recvcount, MPI_Datatype type, MPI_Op op,
                                 MPI_Comm comm)
{
    struct chorale_call call = reduction(sendbuf, recvbuf, recvcount, type,
                                         op, 0);
    int rc;

    if (dispatch(CHORALE_REDUCE_SCATTER_BLOCK, comm, &call, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm));
}

static struct chorale_call exchange(const void *sendbuf, int sendcount,
                                    MPI_Datatype sendtype, void *recvbuf,
                                    int recvcount, MPI_Datatype recvtype,
                                    int root)
{
    return (struct chorale_call){ .sendbuf = sendbuf, .sendcount = sendcount,
                                  .sendtype = sendtype, .recvbuf = recvbuf,
                                  .recvcount = recvcount,
                                  .recvtype = recvtype, .root = root };
}

int chorale_gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm)
{
    struct chorale_call call = exchange(sendbuf, sendcount, sendtype, recvbuf,
                                        recvcount, recvtype, root);
    int rc;

    if (dispatch(CHORALE_GATHER, comm, &call, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                    root, comm));
}

int chorale_scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                    void *recvbuf, int recvcount, MPI_Datatype recvtype,
                    int root, MPI_Comm comm)
{
    struct chorale_call call = exchange(sendbuf, sendcount, sendtype, recvbuf,
                                        recvcount, recvtype, root);
    int rc;

    if (dispatch(CHORALE_SCATTER, comm, &call, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                     root, comm));
}

int chorale_allgather(const void *sendbuf, int sendcount,
                      MPI_Datatype sendtype, void *recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm)
{
    struct chorale_call call = exchange(sendbuf, sendcount, sendtype, recvbuf,
                                        recvcount, recvtype, 0);
    int rc;

    if (dispatch(CHORALE_ALLGATHER, comm, &call, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                       recvtype, comm));
}
