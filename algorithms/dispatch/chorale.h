/* SPDX-License-Identifier: BSD-3-Clause */
/* chorale.h - MPI collectives by the algorithm that was measured to be the
 * fastest here. For programs that choose by themselves where to use it; those
 * that shall stay as they are take libchorale_pmpi.so (LD_PRELOAD) instead.
 *
 *     MPI_Init(&argc, &argv);
 *     chorale_init_table(NULL);
 *     chorale_bcast(buf, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
 *     chorale_finalize();
 *     MPI_Finalize();
 *
 * Compile and link:  mpicc prog.c $(pkg-config --cflags --libs chorale)
 *
 * The collectives have MPI's signatures and MPI's meaning, and are collective
 * in the same way. Where no variant was measured to be faster, where a call
 * is of a kind that was not measured (user-defined operations, reductions of
 * derived types or of values with an index, inter-communicators), and where the
 * ranks do not have the same table, they are the library's MPI_X. The first
 * call on a communicator sets it up, collectively; that is undone when the
 * communicator is freed. What a call may need of memory (CHORALE_MAX_SCRATCH)
 * is set aside then, as addresses only. Where a rank needs more than the others
 * know, as for a forced reduction (CHORALE_FORCE) of elements that lie far
 * apart there, and finds none, its communicator's error handler gets
 * MPI_ERR_NO_MEM, the others may wait for it, and the communicator is of no
 * more use, as MPI says of any that had an error. In a callback of the
 * attributes of a communicator that is being freed call MPI_X on it, not these.
 * Functions may be called by several threads as MPI's may.
 */
#ifndef CHORALE_H
#define CHORALE_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Choose the dispatch table. Optional; not collective, but every rank must
 * name the same content, or all is left to the library.
 *
 * table  path of a shared object made by `chorale generate --format c`, owned
 *        by root or the user and writable by the owner only; NULL: what the
 *        environment says (CHORALE_DISPATCH), else the site's, else none
 *
 * After MPI_Init, before the first collective of this header. Returns 0, or
 * -1 if the table cannot be used (rank 0 writes the reason on stderr), if it
 * is too late, or if the MPI library is not the one that libchorale was built
 * for; the collectives work in any case. */
int chorale_init_table(const char *table);

/* Give back what MPI_COMM_WORLD holds. Collective over it; optional, because
 * MPI_Finalize does the same. Collectives called later are the library's. */
void chorale_finalize(void);

/* As MPI_Barrier, MPI_Bcast and so on. Each returns an MPI error code, after
 * comm's error handler has seen it; MPI_ERR_OTHER if there is no MPI library
 * that fits. */
int chorale_barrier(MPI_Comm comm);
int chorale_bcast(void *buf, int count, MPI_Datatype type, int root,
                  MPI_Comm comm);
int chorale_reduce(const void *sendbuf, void *recvbuf, int count,
                   MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int chorale_allreduce(const void *sendbuf, void *recvbuf, int count,
                      MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int chorale_reduce_scatter_block(const void *sendbuf, void *recvbuf,
                                 int recvcount, MPI_Datatype type, MPI_Op op,
                                 MPI_Comm comm);
int chorale_reduce_scatter(const void *sendbuf, void *recvbuf,
                           const int recvcounts[], MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm);
int chorale_scan(const void *sendbuf, void *recvbuf, int count,
                 MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int chorale_exscan(const void *sendbuf, void *recvbuf, int count,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int chorale_gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm);
int chorale_scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                    void *recvbuf, int recvcount, MPI_Datatype recvtype,
                    int root, MPI_Comm comm);
int chorale_allgather(const void *sendbuf, int sendcount,
                      MPI_Datatype sendtype, void *recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm);
int chorale_alltoall(const void *sendbuf, int sendcount,
                     MPI_Datatype sendtype, void *recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm);
int chorale_gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                    void *recvbuf, const int recvcounts[], const int displs[],
                    MPI_Datatype recvtype, int root, MPI_Comm comm);
int chorale_scatterv(const void *sendbuf, const int sendcounts[],
                     const int displs[], MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root,
                     MPI_Comm comm);
int chorale_allgatherv(const void *sendbuf, int sendcount,
                       MPI_Datatype sendtype, void *recvbuf,
                       const int recvcounts[], const int displs[],
                       MPI_Datatype recvtype, MPI_Comm comm);
int chorale_alltoallv(const void *sendbuf, const int sendcounts[],
                      const int sdispls[], MPI_Datatype sendtype,
                      void *recvbuf, const int recvcounts[],
                      const int rdispls[], MPI_Datatype recvtype,
                      MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
