/* SPDX-License-Identifier: BSD-3-Clause */
/* chorale.h - MPI collectives by the algorithm that was measured to be the
 * fastest here. For programs that choose in which calls to use it. A program
 * that must not be changed uses libchorale_pmpi.so (LD_PRELOAD) instead.
 *
 *     MPI_Init(&argc, &argv);
 *     chorale_init_table(NULL);
 *     chorale_bcast(buf, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
 *     chorale_finalize();
 *     MPI_Finalize();
 *
 * Compile and link:  mpicc prog.c $(pkg-config --cflags --libs chorale)
 *
 * The collectives have MPI's signatures and semantics. A call runs the
 * library's MPI_X in these cases:
 * - no variant was measured to be faster;
 * - calls of this kind were not measured: user-defined operations, reductions
 *   of derived types or of value-index pairs, inter-communicators;
 * - the ranks of the communicator have different tables or settings.
 *
 * The first call on a communicator sets it up, collectively; freeing the
 * communicator undoes that. Set-up also reserves address space, which takes no
 * memory, for the scratch memory of calls (CHORALE_MAX_SCRATCH).
 *
 * On one rank a call may need more scratch memory than the other ranks can
 * know. An example is a forced reduction (CHORALE_FORCE) of elements with large
 * gaps. If that rank finds no memory, the communicator's error handler receives
 * MPI_ERR_NO_MEM and other ranks may wait for ever. The communicator must
 * not be used after that, as after any error of MPI.
 *
 * An attribute callback of a communicator that is being freed must call MPI_X
 * on it, not these functions. Threads may call these functions as they may call
 * MPI's.
 */
#ifndef CHORALE_H
#define CHORALE_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Choose the dispatch table. Optional. Call it after MPI_Init and before the
 * first collective of this header. It is not collective, but all ranks must
 * choose tables with the same content, or all calls go to the library.
 *
 * table  path of a shared object that was compiled from the output of `chorale
 *        generate --format c`. File and folder must belong to root or the user
 *        and be writable by their owner only. NULL: the table of
 *        CHORALE_DISPATCH, else the site's table, else no table
 *
 * Returns 0, or -1 if:
 * - the table cannot be used: rank 0 prints the reason on stderr, and calls go
 *   to the library;
 * - it is too late: the earlier table stays in use;
 * - the MPI library is not the one that libchorale was built for: all
 *   collectives return MPI_ERR_OTHER. */
int chorale_init_table(const char *table);

/* Free everything that this library holds in MPI. Collective over
 * MPI_COMM_WORLD; optional, because MPI_Finalize does the same. Later calls go
 * to the library. */
void chorale_finalize(void);

/* As MPI_Barrier, MPI_Bcast and so on. Each returns an MPI error code, which
 * comm's error handler has received before. It is MPI_ERR_OTHER, without a call
 * of the handler, if no matching MPI library is loaded. */
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
