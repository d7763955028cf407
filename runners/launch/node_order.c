/* SPDX-License-Identifier: BSD-3-Clause */
/* node_order.c - reorder ranks so that their nodes are in a launch's order. */
#include "config.h"

#include "runners/launch/node_order.h"

#include <stdlib.h>

#include "runners/measure/comm_create.h"

/* first[r]: the first rank on the node of rank r of `from`. */
static int find_firsts(MPI_Comm from, int rank, int *first)
{
    int mine = rank, rc;
    MPI_Comm node;

    rc = chorale_comm_split_node(from, rank, &node);
    if (rc == MPI_SUCCESS) {
        rc = PMPI_Bcast(&mine, 1, MPI_INT, 0, node);
        PMPI_Comm_free(&node);
    }
    if (rc == MPI_SUCCESS)
        rc = PMPI_Allgather(&mine, 1, MPI_INT, first, 1, MPI_INT, from);
    return rc;
}

/* Ranks per node (except the last), if they fill one node after the other; else
 * 0. */
static int block(const int *first, int size)
{
    int ppn = 1;

    while (ppn < size && first[ppn] == 0)
        ppn++;
    for (int i = 0; i < size; i++)
        if (first[i] != i / ppn * ppn)
            return 0;
    return ppn;
}

/* New rank of a rank on one of n full nodes. */
static int new_rank(int rank, int ppn, int n, uint64_t seed, int ordinal)
{
    int i = 0;

    while (chorale_node_order_place(i, n, seed, ordinal) != rank / ppn)
        i++;
    return i * ppn + rank % ppn;
}

int chorale_node_order_comm(MPI_Comm from, uint64_t seed, int ordinal,
                            MPI_Comm *to)
{
    int rank, size, ppn, *first, rc;

    *to = from;
    PMPI_Comm_rank(from, &rank);
    PMPI_Comm_size(from, &size);
    first = malloc((size_t)size * sizeof(*first));
    if (first == NULL)
        return MPI_ERR_NO_MEM;
    rc = find_firsts(from, rank, first);
    ppn = rc == MPI_SUCCESS ? block(first, size) : 0;
    free(first);
    if (ppn == 0 || size / ppn < 3)
        return rc;
    if (rank / ppn < size / ppn)
        rank = new_rank(rank, ppn, size / ppn, seed, ordinal);
    return chorale_comm_split(from, 0, rank, to);
}
