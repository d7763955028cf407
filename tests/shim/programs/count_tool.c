/* SPDX-License-Identifier: BSD-3-Clause */
/* count_tool.c - a simple profiler: counts broadcasts, sends and allreduces
 * called by the MPI_ names and prints the numbers at the end. */
#include <mpi.h>
#include <stdio.h>

static int bcasts, sends, allreduces;

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root,
              MPI_Comm comm)
{
    bcasts++;
    return PMPI_Bcast(buf, count, type, root, comm);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count,
                  MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    allreduces++;
    return PMPI_Allreduce(sendbuf, recvbuf, count, type, op, comm);
}

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest,
             int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Finalize(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("tool: bcasts=%d allreduces=%d sends=%d\n", bcasts, allreduces,
               sends);
    fflush(stdout);
    return PMPI_Finalize();
}
