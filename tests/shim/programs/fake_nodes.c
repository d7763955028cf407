/* SPDX-License-Identifier: BSD-3-Clause */
/* fake_nodes.c - preloaded library that simulates nodes: CHORALE_TEST_PPN
 * consecutive ranks share a node. Processor names do not show it. With
 * CHORALE_TEST_SEES rank 1 sees that many ranks per node when the nodes of all
 * ranks are gathered. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

int PMPI_Allgather(const void *in, int n, MPI_Datatype type, void *out,
                   int n_out, MPI_Datatype type_out, MPI_Comm comm)
{
    int (*next)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
                MPI_Comm);
    const char *sees = getenv("CHORALE_TEST_SEES");
    int rank, size, rc;

    *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Allgather");
    rc = next(in, n, type, out, n_out, type_out, comm);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(comm, &size);
    if (sees != NULL && rank == 1 && n_out == (int)sizeof(uint64_t)
        && type_out == MPI_BYTE)
        for (int i = 0; i < size; i++)
            ((uint64_t *)out)[i] = (uint64_t)(i / atoi(sees));
    return rc;
}

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                         MPI_Comm *new_comm)
{
    const char *ppn = getenv("CHORALE_TEST_PPN");
    int rank;

    (void)type; /* the shim asks for no other type */
    (void)info;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return PMPI_Comm_split(comm, rank / (ppn != NULL ? atoi(ppn) : 1), key,
                           new_comm);
}
