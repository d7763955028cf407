/* SPDX-License-Identifier: BSD-3-Clause */
/* null.c - preload: a broadcast without elements returns at once, without
 * calling the library, so that the runner measures only its own overhead. */
#include <mpi.h>

int PMPI_Bcast(void *buffer, int count, MPI_Datatype type, int root,
               MPI_Comm comm)
{
    return count == 0 ? MPI_SUCCESS
                      : MPI_Bcast(buffer, count, type, root, comm);
}
