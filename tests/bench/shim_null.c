/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_null.c - preload behind the shim: messages and collectives that do
 * nothing, so that only the shim is measured. The library's internal ones are
 * not affected. */
#include <mpi.h>
#include <string.h>

#include "algorithms/coll.h"
#include "algorithms/context.h"

/* Set the status of a message that fills its buffer. The library copies a
 * status too. Only Chorale's bcast receives with any tag. */
static void fill(MPI_Status *status, int count, MPI_Datatype type, int source,
                 int tag)
{
    static MPI_Status last;
    static MPI_Datatype last_type = MPI_DATATYPE_NULL;
    static int last_count;

    if (status == MPI_STATUS_IGNORE)
        return;
    if (count != last_count || type != last_type) {
        last_count = count;
        last_type = type;
        MPI_Status_set_elements(&last, type, count);
    }
    *status = last;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag == MPI_ANY_TAG ? CHORALE_TAG + CHORALE_BCAST : tag;
}

int PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag,
              MPI_Comm comm)
{
    (void)buf;
    (void)count;
    (void)type;
    (void)dest;
    (void)tag;
    (void)comm;
    return MPI_SUCCESS;
}

int PMPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag,
              MPI_Comm comm, MPI_Status *status)
{
    (void)buf;
    (void)comm;
    fill(status, count, type, source, tag);
    return MPI_SUCCESS;
}

int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                  int dest, int sendtag, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Status *status)
{
    (void)sendbuf;
    (void)sendcount;
    (void)sendtype;
    (void)dest;
    (void)sendtag;
    (void)status;
    return PMPI_Recv(recvbuf, recvcount, recvtype, source, recvtag, comm,
                     status);
}

int PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest,
               int tag, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

int PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Recv(buf, count, type, source, tag, comm, MPI_STATUS_IGNORE);
}

/* The collectives, with their MPI parameters. */
#define NOTHING(name, ...)                                                   \
    int name(__VA_ARGS__);                                                   \
    int name(__VA_ARGS__)                                                    \
    {                                                                        \
        return MPI_SUCCESS;                                                  \
    }
#define SENDS const void *a, int n, MPI_Datatype s
#define RECEIVES void *b, int m, MPI_Datatype r
#define FOLDS const void *a, void *b, int n, MPI_Datatype t, MPI_Op o
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING(MPI_Barrier, MPI_Comm c)
NOTHING(MPI_Bcast, void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
NOTHING(MPI_Reduce, FOLDS, int root, MPI_Comm c)
NOTHING(MPI_Allreduce, FOLDS, MPI_Comm c)
NOTHING(MPI_Scan, FOLDS, MPI_Comm c)
NOTHING(MPI_Exscan, FOLDS, MPI_Comm c)
NOTHING(MPI_Reduce_scatter_block, FOLDS, MPI_Comm c)
NOTHING(MPI_Reduce_scatter, const void *a, void *b, const int n[],
        MPI_Datatype t, MPI_Op o, MPI_Comm c)
NOTHING(MPI_Gather, SENDS, RECEIVES, int root, MPI_Comm c)
NOTHING(MPI_Scatter, SENDS, RECEIVES, int root, MPI_Comm c)
NOTHING(MPI_Allgather, SENDS, RECEIVES, MPI_Comm c)
NOTHING(MPI_Alltoall, SENDS, RECEIVES, MPI_Comm c)
NOTHING(MPI_Gatherv, SENDS, void *b, const int m[], const int d[],
        MPI_Datatype r, int root, MPI_Comm c)
NOTHING(MPI_Scatterv, const void *a, const int n[], const int d[],
        MPI_Datatype s, RECEIVES, int root, MPI_Comm c)
NOTHING(MPI_Allgatherv, SENDS, void *b, const int m[], const int d[],
        MPI_Datatype r, MPI_Comm c)
NOTHING(MPI_Alltoallv, const void *a, const int n[], const int d[],
        MPI_Datatype s, void *b, const int m[], const int e[],
        MPI_Datatype r, MPI_Comm c)

#if MPI_VERSION >= 4
#define LARGE_SENDS const void *a, MPI_Count n, MPI_Datatype s
NOTHING(MPI_Bcast_c, void *b, MPI_Count n, MPI_Datatype t, int root,
        MPI_Comm c)
NOTHING(MPI_Reduce_scatter_c, const void *a, void *b, const MPI_Count n[],
        MPI_Datatype t, MPI_Op o, MPI_Comm c)
NOTHING(MPI_Gatherv_c, LARGE_SENDS, void *b, const MPI_Count m[],
        const MPI_Aint d[], MPI_Datatype r, int root, MPI_Comm c)
NOTHING(MPI_Allgatherv_c, LARGE_SENDS, void *b, const MPI_Count m[],
        const MPI_Aint d[], MPI_Datatype r, MPI_Comm c)
NOTHING(MPI_Alltoallv_c, const void *a, const MPI_Count n[],
        const MPI_Aint d[], MPI_Datatype s, void *b, const MPI_Count m[],
        const MPI_Aint e[], MPI_Datatype r, MPI_Comm c)
#endif

/* Fortran's functions, if they do not call C's. */
#ifdef OPEN_MPI
#define VOID(name, ...)                                                      \
    void name(__VA_ARGS__);                                                  \
    void name(__VA_ARGS__)                                                   \
    {                                                                        \
    }
VOID(mpi_bcast_, void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *root,
     MPI_Fint *c, MPI_Fint *e)
VOID(mpi_allreduce_, void *a, void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *o,
     MPI_Fint *c, MPI_Fint *e)
VOID(mpi_allgatherv_, void *a, MPI_Fint *n, MPI_Fint *s, void *b, MPI_Fint *m,
     MPI_Fint *d, MPI_Fint *r, MPI_Fint *c, MPI_Fint *e)
#endif
