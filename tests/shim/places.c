/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c - a preload that puts the ranks on nodes which are not there,
 * CHORALE_TEST_PPN on each, one node after the other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int PMPI_Get_processor_name(char *name, int *length)
{
    const char *ppn = getenv("CHORALE_TEST_PPN");
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *length = sprintf(name, "node%d", rank / (ppn != NULL ? atoi(ppn) : 1));
    return MPI_SUCCESS;
}
