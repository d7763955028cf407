/* SPDX-License-Identifier: BSD-3-Clause */
/* counted.c - linker wrappers that count messages and reductions. */
#include "tests/mpi/counted.h"

#include "tests/mpi/problem.h"

/* Per rank of MPI_COMM_WORLD: simulated ranks share one process. */
static struct chorale_stat of[MAX_RANKS];
static long looks[MAX_RANKS];
static int any[MAX_RANKS];
static int waiting[MAX_RANKS]; /* 1: its last Waitany left others open */

static struct chorale_stat *mine(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return &of[rank];
}

void counted_start(void)
{
    *mine() = (struct chorale_stat){ 0 };
    looks[mine() - of] = 0;
    any[mine() - of] = 0;
    waiting[mine() - of] = 0;
}

long counted_looks(void)
{
    return looks[mine() - of];
}

int counted_any(void)
{
    return any[mine() - of];
}

struct chorale_stat counted_now(void)
{
    return *mine();
}

static long long bytes_of(int count, MPI_Datatype type)
{
    int size;

    MPI_Type_size(type, &size);
    return (long long)size * count;
}

/* The rank continues although other requests of its last MPI_Waitany may be
 * open: its schedule then depends on timing. A rank that completes all of them
 * first does not depend on timing. */
static void goes_on(const struct chorale_stat *own)
{
    any[own - of] |= waiting[own - of];
}

static void sent(int count, MPI_Datatype type)
{
    struct chorale_stat *own = mine();

    goes_on(own);
    own->messages++;
    own->bytes_sent += bytes_of(count, type);
}

int __real_PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm);
int __wrap_PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm);

int __wrap_PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm)
{
    sent(count, type);
    return __real_PMPI_Send(buf, count, type, dest, tag, comm);
}

int __real_PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest,
                      int tag, MPI_Comm comm, MPI_Request *req);
int __wrap_PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest,
                      int tag, MPI_Comm comm, MPI_Request *req);

int __wrap_PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest,
                      int tag, MPI_Comm comm, MPI_Request *req)
{
    sent(count, type);
    return __real_PMPI_Isend(buf, count, type, dest, tag, comm, req);
}

int __real_PMPI_Issend(const void *buf, int count, MPI_Datatype type,
                       int dest, int tag, MPI_Comm comm, MPI_Request *req);
int __wrap_PMPI_Issend(const void *buf, int count, MPI_Datatype type,
                       int dest, int tag, MPI_Comm comm, MPI_Request *req);

int __wrap_PMPI_Issend(const void *buf, int count, MPI_Datatype type,
                       int dest, int tag, MPI_Comm comm, MPI_Request *req)
{
    sent(count, type);
    return __real_PMPI_Issend(buf, count, type, dest, tag, comm, req);
}

int __real_PMPI_Sendrecv(const void *sendbuf, int sendcount,
                         MPI_Datatype sendtype, int dest, int sendtag,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype,
                         int source, int recvtag, MPI_Comm comm,
                         MPI_Status *status);
int __wrap_PMPI_Sendrecv(const void *sendbuf, int sendcount,
                         MPI_Datatype sendtype, int dest, int sendtag,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype,
                         int source, int recvtag, MPI_Comm comm,
                         MPI_Status *status);

int __wrap_PMPI_Sendrecv(const void *sendbuf, int sendcount,
                         MPI_Datatype sendtype, int dest, int sendtag,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype,
                         int source, int recvtag, MPI_Comm comm,
                         MPI_Status *status)
{
    sent(sendcount, sendtype);
    return __real_PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag,
                                recvbuf, recvcount, recvtype, source, recvtag,
                                comm, status);
}

int __real_PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status);
int __wrap_PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status);

int __wrap_PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status)
{
    goes_on(mine());
    return __real_PMPI_Recv(buf, count, type, source, tag, comm, status);
}

int __real_PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *req);
int __wrap_PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *req);

int __wrap_PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *req)
{
    goes_on(mine());
    return __real_PMPI_Irecv(buf, count, type, source, tag, comm, req);
}

int __real_PMPI_Reduce_local(const void *in, void *inout, int count,
                             MPI_Datatype type, MPI_Op op);
int __wrap_PMPI_Reduce_local(const void *in, void *inout, int count,
                             MPI_Datatype type, MPI_Op op);

int __wrap_PMPI_Reduce_local(const void *in, void *inout, int count,
                             MPI_Datatype type, MPI_Op op)
{
    struct chorale_stat *own = mine();

    goes_on(own);
    own->bytes_reduced += bytes_of(count, type);
    return __real_PMPI_Reduce_local(in, inout, count, type, op);
}

int __real_PMPI_Type_get_contents(MPI_Datatype type, int nint, int naddress,
                                  int ntype, int *integer, MPI_Aint *address,
                                  MPI_Datatype *part);
int __wrap_PMPI_Type_get_contents(MPI_Datatype type, int nint, int naddress,
                                  int ntype, int *integer, MPI_Aint *address,
                                  MPI_Datatype *part);

int __wrap_PMPI_Type_get_contents(MPI_Datatype type, int nint, int naddress,
                                  int ntype, int *integer, MPI_Aint *address,
                                  MPI_Datatype *part)
{
    looks[mine() - of]++;
    return __real_PMPI_Type_get_contents(type, nint, naddress, ntype, integer,
                                         address, part);
}

int __real_PMPI_Waitany(int count, MPI_Request req[], int *index,
                        MPI_Status *status);
int __wrap_PMPI_Waitany(int count, MPI_Request req[], int *index,
                        MPI_Status *status);

int __wrap_PMPI_Waitany(int count, MPI_Request req[], int *index,
                        MPI_Status *status)
{
    int open = 0;

    for (int i = 0; i < count; i++)
        open += req[i] != MPI_REQUEST_NULL;
    waiting[mine() - of] = open > 1;
    return __real_PMPI_Waitany(count, req, index, status);
}
