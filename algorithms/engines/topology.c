/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c - two levels of a communicator. */
#include "algorithms/engines/topology.h"

/* Upper bound on the ints in scratch: index, order, start and the views' maps;
 * the hash table of nodes comes in addition. */
static size_t ints_kept(int size)
{
    return 5 * (size_t)size + 1;
}

static size_t table_room(int size)
{
    size_t room = 2;

    while (room < 2 * (size_t)size)
        room *= 2;
    return room;
}

/* Slot of a node in the hash table of first ranks, or the free slot for it. */
static size_t find(const struct chorale_ctx *ctx, const int *table,
                   size_t room, int node)
{
    size_t at = (size_t)((unsigned)node * 2654435769U) & (room - 1);

    while (table[at] >= 0 && chorale_node(ctx, table[at]) != node)
        at = (at + 1) & (room - 1);
    return at;
}

/* Number the nodes: sets index and nodes. */
static int number_nodes(struct chorale_topology *t, struct chorale_ctx *ctx)
{
    size_t mark = chorale_scratch_mark(ctx), room = table_room(ctx->size);
    int *table = chorale_scratch(ctx, room * sizeof(*table));
    int last = 0;

    if (table == NULL)
        return MPI_ERR_NO_MEM;
    for (size_t i = 0; i < room; i++)
        table[i] = -1;
    for (int r = 0; r < ctx->size; r++) {
        int node = chorale_node(ctx, r);
        size_t at;

        if (r > 0 && node == last) {
            t->index[r] = t->index[r - 1];
            continue;
        }
        last = node;
        at = find(ctx, table, room, node);
        if (table[at] < 0) {
            table[at] = r;
            t->index[r] = t->nodes++;
        } else {
            t->index[r] = t->index[table[at]];
        }
    }
    chorale_scratch_release(ctx, mark);
    return MPI_SUCCESS;
}

/* Set order and start from index; start[i] advances to the end of node i and is
 * then shifted back. */
static void sort_ranks(struct chorale_topology *t, int size)
{
    for (int i = 0; i <= t->nodes; i++)
        t->start[i] = 0;
    for (int r = 0; r < size; r++)
        t->start[t->index[r] + 1]++;
    for (int i = 0; i < t->nodes; i++)
        t->start[i + 1] += t->start[i];
    t->in_order = 1;
    for (int r = 0; r < size; r++) {
        int at = t->start[t->index[r]]++;

        t->order[at] = r;
        t->in_order &= at == r;
    }
    for (int i = t->nodes; i > 0; i--)
        t->start[i] = t->start[i - 1];
    t->start[0] = 0;
}

int chorale_topology_members(const struct chorale_topology *t, int node)
{
    return t->start[node + 1] - t->start[node];
}

int chorale_topology_regular(const struct chorale_topology *t)
{
    for (int i = 1; i < t->nodes; i++)
        if (chorale_topology_members(t, i) != t->start[1])
            return 0;
    return 1;
}

int chorale_topology_counts(const struct chorale_topology *t,
                            struct chorale_ctx *ctx, size_t m,
                            MPI_Count **counts_p, MPI_Aint **displs_p)
{
    size_t nodes = (size_t)t->nodes;
    MPI_Count *counts = chorale_scratch(ctx, nodes * sizeof(*counts));
    MPI_Aint *displs = chorale_scratch(ctx, nodes * sizeof(*displs));

    if (counts == NULL || displs == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < t->nodes; i++) {
        counts[i] = (MPI_Count)m * chorale_topology_members(t, i);
        displs[i] = (MPI_Aint)m * t->start[i];
    }
    *counts_p = counts;
    *displs_p = displs;
    return MPI_SUCCESS;
}

/* Make the views. map has room for a node's ranks and all leaders. */
static void make_views(struct chorale_topology *t, struct chorale_ctx *ctx,
                       int *map, int root, int last_leads)
{
    int members = chorale_topology_members(t, t->node), place = 0;
    int *leader = map + members;

    for (int i = 0; i < t->nodes; i++)
        leader[i] = t->order[last_leads ? t->start[i + 1] - 1 : t->start[i]];
    if (root >= 0)
        leader[t->index[root]] = root;
    t->lead = 0;
    for (int i = 0; i < members; i++) {
        map[i] = t->order[t->start[t->node] + i];
        if (map[i] == ctx->rank)
            place = i;
        if (map[i] == leader[t->node])
            t->lead = i;
    }
    t->leads = place == t->lead;
    chorale_ctx_view(ctx, &t->inner, place, members, map);
    chorale_ctx_view(ctx, &t->outer, t->leads ? t->node : -1, t->nodes,
                     leader);
}

/* Allocate the arrays; returns the room for the views' maps, or NULL. */
static int *make_room(struct chorale_topology *t, struct chorale_ctx *ctx)
{
    size_t size = (size_t)ctx->size;
    int *mem = chorale_scratch(ctx, ints_kept(ctx->size) * sizeof(*mem));

    if (mem == NULL)
        return NULL;
    t->nodes = 0;
    t->index = mem;
    t->order = mem + size;
    t->start = mem + 2 * size;
    return mem + 3 * size + 1;
}

int chorale_topology_init(struct chorale_topology *t,
                          struct chorale_ctx *ctx, int root)
{
    int *map = make_room(t, ctx);
    int err = map == NULL ? MPI_ERR_NO_MEM : number_nodes(t, ctx);

    if (err != MPI_SUCCESS)
        return err;
    t->node = t->index[ctx->rank];
    sort_ranks(t, ctx->size);
    make_views(t, ctx, map, root, 0);
    return MPI_SUCCESS;
}

/* Runs of consecutive ranks: of group ranks each or, if group is 0, of ranks on
 * the same node. */
static int init_runs(struct chorale_topology *t, struct chorale_ctx *ctx,
                     int group, int last_leads)
{
    int *map = make_room(t, ctx);

    if (map == NULL)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < ctx->size; r++) {
        if (r > 0 && (group > 0 ? r % group == 0
                                : chorale_node(ctx, r) !=
                                      chorale_node(ctx, r - 1)))
            t->nodes++;
        t->index[r] = t->nodes;
    }
    t->nodes++;
    t->node = t->index[ctx->rank];
    sort_ranks(t, ctx->size);
    make_views(t, ctx, map, -1, last_leads);
    return MPI_SUCCESS;
}

int chorale_topology_init_runs(struct chorale_topology *t,
                               struct chorale_ctx *ctx)
{
    return init_runs(t, ctx, 0, 1);
}

int chorale_topology_init_groups(struct chorale_topology *t,
                                 struct chorale_ctx *ctx, int group)
{
    return init_runs(t, ctx, group, 0);
}

size_t chorale_topology_scratch(const struct chorale_point *pt)
{
    size_t blocks = sizeof(MPI_Count) + sizeof(MPI_Aint);

    return sizeof(int) *
               (ints_kept(pt->comm_size) + table_room(pt->comm_size)) +
           blocks * (size_t)pt->comm_size;
}

void chorale_topology_points(const struct chorale_point *pt,
                             struct chorale_point *inner,
                             struct chorale_point *outer)
{
    *inner = *outer = *pt;
    inner->ppn = outer->ppn = 0;
    inner->comm_size = pt->ppn < pt->comm_size ? pt->ppn : pt->comm_size;
    outer->comm_size = (pt->comm_size - 1) / pt->ppn + 1;
    inner->root = pt->root % pt->ppn;
    outer->root = pt->root / pt->ppn;
}
