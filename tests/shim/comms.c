/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.c - a communicator made in every way there is, used, and freed; says
 * how many there were. argv[1] "spawn": with a process that was not in this
 * world; "connect": of two halves that meet by a port. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int made;

/* Values on comm, of every collective that MPI_Bcast and sums show. */
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

/* Between two groups that did not start together: first as they are, then as
 * one. Returns what was read at the other side. */
static int between(MPI_Comm inter, int high)
{
    MPI_Comm merged;
    int rank, x = high ? 0 : 77, sum;

    MPI_Comm_rank(inter, &rank);
    for (int i = 0; i < 8; i++)
        MPI_Bcast(&x, 1, MPI_INT,
                  high ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    check(x == 77, "bcast to those that came", x);
    for (int i = 0; i < 8; i++)
        MPI_Allreduce(&(int){ 1 }, &sum, 1, MPI_INT, MPI_SUM, inter);
    MPI_Intercomm_merge(inter, high, &merged);
    MPI_Comm_rank(merged, &rank);
    use(&merged);
    return sum;
}

static void spawn(char *program)
{
    MPI_Comm inter;
    char *argv[] = { "child", NULL };

    MPI_Comm_spawn(program, argv, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
    check(between(inter, 0) == 1, "sum of the children", 0);
    MPI_Comm_disconnect(&inter);
}

static int child(void)
{
    MPI_Comm parent;
    int size;

    MPI_Comm_get_parent(&parent);
    MPI_Comm_remote_size(parent, &size);
    check(between(parent, 1) == size, "sum of the parents", 0);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return check_wrong != 0;
}

/* Two halves of this world meet by a port. */
static void connect_halves(int rank, int size)
{
    char port[MPI_MAX_PORT_NAME] = "";
    const int upper = rank >= size / 2;
    MPI_Comm half, inter;

    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (upper)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    check(between(inter, upper) == (upper ? size / 2 : size - size / 2),
          "sum of the other half", 0);
    MPI_Comm_disconnect(&inter);
    if (rank == 0)
        MPI_Close_port(port);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, self = MPI_COMM_SELF;
    int rank, size, ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "spawn") == 0) {
        spawn(argv[0]);
    } else if (argc > 1 && strcmp(argv[1], "connect") == 0) {
        connect_halves(rank, size);
    } else {
        copies(rank);
        by_group(rank, size);
        by_topology(rank, size);
        use(&self);
        if (rank == 0)
            printf("comms: %d of rank 0\n", made);
    }
    ret = check_done("comms");
    MPI_Finalize();
    return ret != 0;
}
