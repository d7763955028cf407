/* SPDX-License-Identifier: BSD-3-Clause */
/* ompi_names.c - algorithms of Open MPI's component tuned. */
#include "config.h"

#include <string.h>

#include "tuner/base/ompi_names.h"

/* Numbers of the algorithms, the same in versions 4.1 to 6. Source: the
 * enumerations of ompi/mca/coll/tuned, which MPI_T lists. */
static const struct chorale_ompi_algorithm algorithms[] = {
    { CHORALE_BARRIER, "linear", 1, 0, 0 },
    { CHORALE_BARRIER, "double_ring", 2, 0, 0 },
    { CHORALE_BARRIER, "recursive_doubling", 3, 0, 0 },
    { CHORALE_BARRIER, "bruck", 4, 0, 0 },
    { CHORALE_BARRIER, "two_proc", 5, 0, 0 },
    { CHORALE_BARRIER, "tree", 6, 0, 0 },
    { CHORALE_BCAST, "basic_linear", 1, 0, 0 },
    { CHORALE_BCAST, "chain", 2, 4, 0 },
    { CHORALE_BCAST, "pipeline", 3, 0, 0 },
    { CHORALE_BCAST, "split_binary_tree", 4, 0, 0 },
    { CHORALE_BCAST, "binary_tree", 5, 0, 0 },
    { CHORALE_BCAST, "binomial", 6, 0, 0 },
    { CHORALE_BCAST, "knomial", 7, 0, 0 },
    { CHORALE_BCAST, "scatter_allgather", 8, 0, 0 },
    { CHORALE_BCAST, "scatter_allgather_ring", 9, 0, 0 },
    { CHORALE_REDUCE, "linear", 1, 0, 0 },
    { CHORALE_REDUCE, "chain", 2, 4, 1 },
    { CHORALE_REDUCE, "pipeline", 3, 0, 1 },
    { CHORALE_REDUCE, "binary", 4, 0, 1 },
    { CHORALE_REDUCE, "binomial", 5, 0, 1 },
    { CHORALE_REDUCE, "in-order_binary", 6, 0, 0 },
    { CHORALE_REDUCE, "rabenseifner", 7, 0, 0 },
    { CHORALE_ALLREDUCE, "basic_linear", 1, 0, 0 },
    { CHORALE_ALLREDUCE, "nonoverlapping", 2, 0, 0 },
    { CHORALE_ALLREDUCE, "recursive_doubling", 3, 0, 0 },
    { CHORALE_ALLREDUCE, "ring", 4, 0, 1 },
    { CHORALE_ALLREDUCE, "segmented_ring", 5, 0, 1 },
    { CHORALE_ALLREDUCE, "rabenseifner", 6, 0, 0 },
    { CHORALE_REDUCE_SCATTER, "non-overlapping", 1, 0, 0 },
    { CHORALE_REDUCE_SCATTER, "recursive_halving", 2, 0, 1 },
    { CHORALE_REDUCE_SCATTER, "ring", 3, 0, 1 },
    { CHORALE_REDUCE_SCATTER, "butterfly", 4, 0, 0 },
    { CHORALE_REDUCE_SCATTER_BLOCK, "basic_linear", 1, 0, 0 },
    { CHORALE_REDUCE_SCATTER_BLOCK, "recursive_doubling", 2, 0, 0 },
    { CHORALE_REDUCE_SCATTER_BLOCK, "recursive_halving", 3, 0, 0 },
    { CHORALE_REDUCE_SCATTER_BLOCK, "butterfly", 4, 0, 0 },
    { CHORALE_GATHER, "basic_linear", 1, 0, 0 },
    { CHORALE_GATHER, "binomial", 2, 0, 0 },
    { CHORALE_GATHER, "linear_sync", 3, 0, 0 },
    { CHORALE_SCATTER, "basic_linear", 1, 0, 0 },
    { CHORALE_SCATTER, "binomial", 2, 0, 0 },
    { CHORALE_SCATTER, "linear_nb", 3, 0, 0 },
    { CHORALE_ALLGATHER, "linear", 1, 0, 0 },
    { CHORALE_ALLGATHER, "bruck", 2, 0, 0 },
    { CHORALE_ALLGATHER, "recursive_doubling", 3, 0, 0 },
    { CHORALE_ALLGATHER, "ring", 4, 0, 0 },
    { CHORALE_ALLGATHER, "neighbor", 5, 0, 0 },
    { CHORALE_ALLGATHER, "two_proc", 6, 0, 0 },
    { CHORALE_ALLGATHERV, "default", 1, 0, 0 },
    { CHORALE_ALLGATHERV, "bruck", 2, 0, 0 },
    { CHORALE_ALLGATHERV, "ring", 3, 0, 0 },
    { CHORALE_ALLGATHERV, "neighbor", 4, 0, 0 },
    { CHORALE_ALLGATHERV, "two_proc", 5, 0, 0 },
    { CHORALE_ALLTOALL, "linear", 1, 0, 0 },
    { CHORALE_ALLTOALL, "pairwise", 2, 0, 0 },
    { CHORALE_ALLTOALL, "modified_bruck", 3, 0, 0 },
    { CHORALE_ALLTOALL, "linear_sync", 4, 0, 0 },
    { CHORALE_ALLTOALL, "two_proc", 5, 0, 0 },
    { CHORALE_ALLTOALLV, "basic_linear", 1, 0, 0 },
    { CHORALE_ALLTOALLV, "pairwise", 2, 0, 0 },
    { CHORALE_SCAN, "linear", 1, 0, 0 },
    { CHORALE_SCAN, "recursive_doubling", 2, 0, 0 },
    { CHORALE_EXSCAN, "linear", 1, 0, 0 },
    { CHORALE_EXSCAN, "recursive_doubling", 2, 0, 0 },
};

const struct chorale_ompi_algorithm *
chorale_ompi_find(enum chorale_coll coll, const char *name)
{
    const size_t length = strcspn(name, ":");

    for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
        if (algorithms[i].coll == coll &&
            strncmp(algorithms[i].name, name, length) == 0 &&
            algorithms[i].name[length] == '\0')
            return &algorithms[i];
    return NULL;
}

const struct chorale_ompi_algorithm *chorale_ompi_number(enum chorale_coll coll,
                                                         int id)
{
    for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
        if (algorithms[i].coll == coll && algorithms[i].id == id)
            return &algorithms[i];
    return NULL;
}

const struct chorale_ompi_algorithm *chorale_ompi_algorithm(size_t i)
{
    return i < sizeof(algorithms) / sizeof(algorithms[0]) ? &algorithms[i]
                                                          : NULL;
}
