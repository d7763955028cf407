/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_levels.c - how the MPI library sees the nodes of a communicator. */
#include "runners/native/native.h"

#include "runners/measure/comm_create.h"

int chorale_native_topology(MPI_Comm comm, int *on_node, int *apart)
{
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Group all, mine;
    int zero = 0, first = 0, rank = 0, me = 0;
    int rc = chorale_comm_split_node(comm, 0, &node);

    *on_node = 1;
    *apart = 0;
    if (rc != MPI_SUCCESS)
        return rc;
    PMPI_Comm_rank(comm, &me);
    PMPI_Comm_rank(node, &rank);
    PMPI_Comm_size(node, on_node);
    PMPI_Comm_group(comm, &all);
    PMPI_Comm_group(node, &mine);
    PMPI_Group_translate_ranks(mine, 1, &zero, all, &first);
    PMPI_Group_free(&mine);
    PMPI_Group_free(&all);
    *apart = first + rank != me;
    return PMPI_Comm_free(&node);
}
