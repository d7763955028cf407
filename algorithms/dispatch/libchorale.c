/* SPDX-License-Identifier: BSD-3-Clause */
/* libchorale.c - the collectives of chorale.h: served by the dispatcher or
 * passed to the library. */
#include "config.h"

#include "algorithms/dispatch/chorale.h"
#include "algorithms/dispatch/dispatch.h"
#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/dispatch/trace/trace_enabled.h"

/* Serve the call; 0: pass it to the library. Returns 1 with MPI_ERR_OTHER if
 * no matching MPI library is loaded. */
static int dispatch(enum chorale_coll coll, MPI_Comm comm,
                    struct chorale_call *call,
                    const struct chorale_ints *ints, int *rc)
{
    if (!chorale_pmpi_ready()) {
        *rc = MPI_ERR_OTHER;
        return 1;
    }
    chorale_dispatch_at_once(comm);
    chorale_trace_open();
    return chorale_dispatch(coll, comm, call, ints, rc);
}

int chorale_init_table(const char *table)
{
    return chorale_dispatch_use(table);
}

void chorale_finalize(void)
{
    chorale_dispatch_stop();
}

int chorale_barrier(MPI_Comm comm)
{
    struct chorale_call call = {0};
    int rc;

    if (dispatch(CHORALE_BARRIER, comm, &call, NULL, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(PMPI_Barrier(comm));
}

int chorale_bcast(void *buf, int count, MPI_Datatype type, int root,
                  MPI_Comm comm)
{
    struct chorale_call call = { .recvbuf = buf, .recvcount = count,
                                 .recvtype = type, .root = root };
    int rc;

    if (dispatch(CHORALE_BCAST, comm, &call, NULL, &rc))
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

    if (dispatch(CHORALE_REDUCE, comm, &call, NULL, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Reduce(sendbuf, recvbuf, count, type, op, root, comm));
}

int chorale_allreduce(const void *sendbuf, void *recvbuf, int count,
                      MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct chorale_call call = reduction(sendbuf, recvbuf, count, type, op, 0);
    int rc;

    if (dispatch(CHORALE_ALLREDUCE, comm, &call, NULL, &rc))
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

    if (dispatch(CHORALE_REDUCE_SCATTER_BLOCK, comm, &call, NULL, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm));
}

int chorale_reduce_scatter(const void *sendbuf, void *recvbuf,
                           const int recvcounts[], MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm)
{
    struct chorale_call call = reduction(sendbuf, recvbuf, 0, type, op, 0);
    const struct chorale_ints ints = { .recvcounts = recvcounts };
    int rc;

    if (dispatch(CHORALE_REDUCE_SCATTER, comm, &call, &ints, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm));
}

int chorale_scan(const void *sendbuf, void *recvbuf, int count,
                 MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct chorale_call call = reduction(sendbuf, recvbuf, count, type, op, 0);
    int rc;

    if (dispatch(CHORALE_SCAN, comm, &call, NULL, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Scan(sendbuf, recvbuf, count, type, op, comm));
}

int chorale_exscan(const void *sendbuf, void *recvbuf, int count,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct chorale_call call = reduction(sendbuf, recvbuf, count, type, op, 0);
    int rc;

    if (dispatch(CHORALE_EXSCAN, comm, &call, NULL, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Exscan(sendbuf, recvbuf, count, type, op, comm));
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

    if (dispatch(CHORALE_GATHER, comm, &call, NULL, &rc))
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

    if (dispatch(CHORALE_SCATTER, comm, &call, NULL, &rc))
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

    if (dispatch(CHORALE_ALLGATHER, comm, &call, NULL, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                       recvtype, comm));
}

int chorale_alltoall(const void *sendbuf, int sendcount,
                     MPI_Datatype sendtype, void *recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm)
{
    struct chorale_call call = exchange(sendbuf, sendcount, sendtype, recvbuf,
                                        recvcount, recvtype, 0);
    int rc;

    if (dispatch(CHORALE_ALLTOALL, comm, &call, NULL, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                      recvtype, comm));
}

int chorale_gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                    void *recvbuf, const int recvcounts[], const int displs[],
                    MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct chorale_call call = exchange(sendbuf, sendcount, sendtype, recvbuf,
                                        0, recvtype, root);
    const struct chorale_ints ints = { .recvcounts = recvcounts,
                                       .rdispls = displs };
    int rc;

    if (dispatch(CHORALE_GATHERV, comm, &call, &ints, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                     recvtype, root, comm));
}

int chorale_scatterv(const void *sendbuf, const int sendcounts[],
                     const int displs[], MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root,
                     MPI_Comm comm)
{
    struct chorale_call call = exchange(sendbuf, 0, sendtype, recvbuf,
                                        recvcount, recvtype, root);
    const struct chorale_ints ints = { .sendcounts = sendcounts,
                                       .sdispls = displs };
    int rc;

    if (dispatch(CHORALE_SCATTERV, comm, &call, &ints, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                      recvtype, root, comm));
}

int chorale_allgatherv(const void *sendbuf, int sendcount,
                       MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int displs[],
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    struct chorale_call call = exchange(sendbuf, sendcount, sendtype, recvbuf,
                                        0, recvtype, 0);
    const struct chorale_ints ints = { .recvcounts = recvcounts,
                                       .rdispls = displs };
    int rc;

    if (dispatch(CHORALE_ALLGATHERV, comm, &call, &ints, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                        displs, recvtype, comm));
}

int chorale_alltoallv(const void *sendbuf, const int sendcounts[],
                      const int sdispls[], MPI_Datatype sendtype,
                      void *recvbuf, const int recvcounts[],
                      const int rdispls[], MPI_Datatype recvtype,
                      MPI_Comm comm)
{
    struct chorale_call call = exchange(sendbuf, 0, sendtype, recvbuf, 0,
                                        recvtype, 0);
    const struct chorale_ints ints = { sendcounts, sdispls, recvcounts,
                                       rdispls };
    int rc;

    if (dispatch(CHORALE_ALLTOALLV, comm, &call, &ints, &rc))
        return chorale_trace_done(rc);
    return chorale_trace_done(
        PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                       recvcounts, rdispls, recvtype, comm));
}
