/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.c - makes a communicator in every possible way, uses it and frees it;
 * prints how many. */
#include <stdlib.h>

#include "check.h"

static int made;

/* Check several collectives on comm. */
static void use(MPI_Comm *comm)
{
    int rank, size;

    if (*comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(*comm, &rank);
    MPI_Comm_size(*comm, &size);
    for (int i = 0; i < 8; i++) {
        const int root = i % size;
        int x = rank == root ? 40 + i : 0, sum;

        MPI_Bcast(&x, 1, MPI_INT, root, *comm);
        check(x == 40 + i, "bcast", made);
        x = rank;
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, *comm);
        check(sum == size * (size - 1) / 2, "allreduce", made);
    }
    made++;
    if (*comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF)
        MPI_Comm_free(comm);
}

static void copies(int rank)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request req;
    MPI_Info info;

    use(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(&comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    use(&comm);
    MPI_Info_free(&info);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &req);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    use(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    use(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
    use(&comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank,
                        MPI_INFO_NULL, &comm);
    use(&comm);
}

static void by_group(int rank, int size)
{
    const int first = 0;
    MPI_Group world, some;
    MPI_Comm comm;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_create(MPI_COMM_WORLD, world, &comm);
    use(&comm);
    MPI_Group_excl(world, size > 1, &first, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    use(&comm);
    if (rank > 0 || size == 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &comm);
        use(&comm);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}

static void by_topology(int rank, int size)
{
    int dims[2] = { 0, 0 }, periods[2] = { 1, 0 }, keep[2] = { 1, 0 };
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    int *index = malloc((size_t)size * sizeof(int)), *edge;
    MPI_Comm comm, sub;

    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comm);
    MPI_Cart_sub(comm, keep, &sub);
    use(&comm);
    use(&sub);
    edge = malloc((size_t)size * sizeof(int));
    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edge[i] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edge, 0, &comm);
    use(&comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED,
                                   1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &comm);
    use(&comm);
    free(index);
    free(edge);
}

int main(int argc, char **argv)
{
    MPI_Comm self = MPI_COMM_SELF;
    int rank, size, ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    copies(rank);
    by_group(rank, size);
    by_topology(rank, size);
    use(&self);
    if (rank == 0)
        printf("comms: %d of rank 0\n", made);
    ret = check_done("comms");
    MPI_Finalize();
    return ret != 0;
}
