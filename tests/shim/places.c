/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c - a preload that puts the ranks on nodes which are not there,
 * CHORALE_TEST_PPN on each, one node after the other. Their names say nothing
 * of it. */
#include <mpi.h>
#include <stdlib.h>

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                         MPI_Comm *new_comm)
{
    const char *ppn = getenv("CHORALE_TEST_PPN");
    int rank;

    (void)type; /* the only one that is asked for */
    (void)info;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return PMPI_Comm_split(comm, rank / (ppn != NULL ? atoi(ppn) : 1), key,
                           new_comm);
}
