/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_levels.c - how the MPI library sees the nodes of a communicator. */
#include "runners/native/native.h"

#include "runners/measure/comm_create.h"

int chorale_native_node(MPI_Comm comm, MPI_Group *node)
{
    MPI_Comm split = MPI_COMM_NULL;
    int rc = chorale_comm_split_node(comm, 0, &split);

    *node = MPI_GROUP_NULL;
    if (rc != MPI_SUCCESS)
        return rc;
    rc = PMPI_Comm_group(split, node);
    PMPI_Comm_free(&split);
    return rc;
}

int chorale_native_topology(MPI_Comm comm, int *on_node, int *apart)
{
    MPI_Group all, node;
    int zero = 0, first = 0, rank = 0, me = 0;
    int rc = chorale_native_node(comm, &node);

    *on_node = 1;
    *apart = 0;
    if (rc != MPI_SUCCESS)
        return rc;
    PMPI_Comm_rank(comm, &me);
    PMPI_Group_rank(node, &rank);
    PMPI_Group_size(node, on_node);
    PMPI_Comm_group(comm, &all);
    PMPI_Group_translate_ranks(node, 1, &zero, all, &first);
    PMPI_Group_free(&all);
    *apart = first + rank != me;
    return PMPI_Group_free(&node);
}
