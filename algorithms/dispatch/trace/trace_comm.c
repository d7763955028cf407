/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_comm.c - caches size and shape as an attribute of each communicator. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "algorithms/dispatch/table/shape.h"
#include "algorithms/dispatch/trace/trace_comm.h"

static struct {
    int key;
    _Atomic(uint64_t *) node; /* node of each rank of MPI_COMM_WORLD; may be
                               * set late */
    int size;
    atomic_uint epoch;       /* number of communicators freed */
} world;

static int no_copy(MPI_Comm comm, int key, void *extra, void *in, void *out,
                   int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    (void)in;
    (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

static int on_free(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    atomic_fetch_add(&world.epoch, 1);
    free(value);
    return MPI_SUCCESS;
}

int chorale_trace_comm_start(uint64_t *node, int size)
{
    world.node = node;
    world.size = size;
    return PMPI_Comm_create_keyval(no_copy, on_free, &world.key, NULL)
           == MPI_SUCCESS;
}

void chorale_trace_comm_nodes(uint64_t *node)
{
    world.node = node;
}

void chorale_trace_comm_stop(void)
{
    void *value;
    int found;

    /* Open MPI reports an error if the attribute to delete does not exist. */
    if (PMPI_Comm_get_attr(MPI_COMM_WORLD, world.key, &value, &found)
            == MPI_SUCCESS && found)
        PMPI_Comm_delete_attr(MPI_COMM_WORLD, world.key);
    PMPI_Comm_free_keyval(&world.key);
}

/* Nodes of comm's ranks in node[size]. Returns 0 if a rank is outside
 * MPI_COMM_WORLD. */
static int find_nodes(MPI_Comm comm, int size, uint64_t *node)
{
    enum { PIECE = 64 };
    MPI_Group group, all;
    int from[PIECE], to[PIECE], ok = 1;

    if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return 0;
    if (PMPI_Comm_group(MPI_COMM_WORLD, &all) != MPI_SUCCESS) {
        PMPI_Group_free(&group);
        return 0;
    }
    for (int i = 0; i < size && ok; i += PIECE) {
        const int n = size - i < PIECE ? size - i : PIECE;

        for (int k = 0; k < n; k++)
            from[k] = i + k;
        ok = PMPI_Group_translate_ranks(group, n, from, all, to)
             == MPI_SUCCESS;
        for (int k = 0; k < n && ok; k++) {
            ok = to[k] >= 0 && to[k] < world.size;
            if (ok)
                node[i + k] = world.node[to[k]];
        }
    }
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    return ok;
}

static int find_shape(MPI_Comm comm, int size)
{
    uint64_t *node;
    int shape = CHORALE_SHAPE_UNKNOWN;

    if (world.node == NULL)
        return shape;
    node = calloc(2 * (size_t)size, sizeof(*node));
    if (node != NULL && find_nodes(comm, size, node))
        shape = (int)chorale_shape_of(node, size, node + size);
    free(node);
    return shape;
}

static struct chorale_trace_comm *look_at(MPI_Comm comm)
{
    struct chorale_trace_comm *info = calloc(1, sizeof(*info));

    if (info == NULL)
        return NULL;
    if (PMPI_Comm_test_inter(comm, &info->inter) != MPI_SUCCESS
        || PMPI_Comm_rank(comm, &info->rank) != MPI_SUCCESS
        || PMPI_Comm_size(comm, &info->size) != MPI_SUCCESS) {
        free(info);
        return NULL;
    }
    if (!info->inter)
        info->shape = find_shape(comm, info->size);
    if (PMPI_Comm_set_attr(comm, world.key, info) == MPI_SUCCESS)
        return info;
    free(info);
    return NULL;
}

const struct chorale_trace_comm *chorale_trace_comm_of(MPI_Comm comm)
{
    static _Thread_local struct {
        MPI_Comm comm;
        unsigned epoch;      /* world.epoch + 1; 0: unset */
        const struct chorale_trace_comm *info;
    } last;
    const unsigned epoch = atomic_load_explicit(&world.epoch,
                                                memory_order_acquire);
    void *value;
    int found;

    if (last.epoch == epoch + 1 && last.comm == comm)
        return last.info;
    if (PMPI_Comm_get_attr(comm, world.key, &value, &found) != MPI_SUCCESS)
        return NULL;
    if (!found)
        value = look_at(comm);
    if (value == NULL)
        return NULL;
    last.comm = comm;
    last.epoch = epoch + 1;
    last.info = value;
    return value;
}
