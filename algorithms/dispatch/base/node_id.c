/* SPDX-License-Identifier: BSD-3-Clause */
/* node_id.c - finds the node of this process: once for MPI_COMM_WORLD, not for
 * each communicator, as an application may make thousands. */
#include "config.h"

#include <mpi.h>
#include <stdatomic.h>
#include <string.h>

#include "algorithms/dispatch/base/node_id.h"
#include "algorithms/dispatch/base/world_dup.h"
#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/fnv1a.h"

static _Atomic uint64_t learned; /* 0: not known */

static uint64_t digest_of_name(void)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length;

    if (PMPI_Get_processor_name(name, &length) != MPI_SUCCESS)
        return 0;
    return chorale_fnv1a(CHORALE_FNV1A_START, name, strlen(name));
}

uint64_t chorale_node_id(void)
{
    const uint64_t node = atomic_load(&learned);

    return node != 0 ? node : digest_of_name();
}

/* The node's number: its first rank plus one. 0 on an error. */
static uint64_t ask(MPI_Comm world)
{
    unsigned long long first;
    MPI_Comm node;
    int rank, rc;

    if (PMPI_Comm_rank(world, &rank) != MPI_SUCCESS
        || PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank,
                                MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return 0;
    first = (unsigned long long)rank + 1;
    rc = PMPI_Bcast(&first, 1, MPI_UNSIGNED_LONG_LONG, 0, node);
    PMPI_Comm_free(&node);
    return rc == MPI_SUCCESS ? first : 0;
}

void chorale_node_id_find(void)
{
    const MPI_Comm world = chorale_world_dup();

    if (world != MPI_COMM_NULL)
        atomic_store(&learned, ask(world));
}
