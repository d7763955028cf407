/* SPDX-License-Identifier: BSD-3-Clause */
/* node_map.c - find which ranks share a node, and whether each node has
 * processors for all of its ranks. It uses MPI_Comm_split_type, as the
 * dispatcher does (algorithms/dispatch), so that both see the same nodes. In
 * simulation it compares host names. */
#include "config.h"

#include "db/environment.h"
#include "runners/measure/comm_create.h"
#include "runners/native/native.h"
#include "runners/measure/runner.h"

#ifndef CHORALE_SIM
#include <math.h>
#include <sched.h>

#include "runners/measure/other_load.h"
#endif
#include <stdlib.h>
#include <string.h>

/* Ranks per node if they fill one node after the other, else 0. */
static int block_ppn(const int *node, int size)
{
    int ppn = 1;

    while (ppn < size && node[ppn] == node[0])
        ppn++;
    for (int i = 0; i < size; i++)
        if (node[i] != i / ppn * ppn)
            return 0;
    return ppn < size ? ppn : 0;
}

/* Map the nodes to the ranks of bench->lib. */
static int map_comm(struct chorale_bench *bench, const int *world)
{
    int apart = bench->work.siblings, rc = MPI_ERR_NO_MEM;
    int *node = calloc((size_t)bench->size, sizeof(*node));
    /* of each node in world: 1 + its first rank in lib, or 0 */
    int *first = calloc((size_t)bench->world_size, sizeof(*first));

    if (node != NULL && first != NULL) {
        for (int i = 0; i < bench->size; i++) {
            int *known = &first[world[i * apart + bench->sibling]];

            if (*known == 0)
                *known = i + 1;
            node[i] = *known - 1;
        }
        bench->ppn = block_ppn(node, bench->size);
        rc = chorale_ctx_set_nodes(bench->ctx, node);
    }
    free(first);
    free(node);
    return rc;
}

#ifdef CHORALE_SIM
/* Only rank 0 compares the names, not each of a thousand simulated ranks. */
static int find_first(struct chorale_bench *bench, int *node)
{
    size_t n = (size_t)bench->world_size, room = MPI_MAX_PROCESSOR_NAME;
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    char *all = malloc(bench->world_rank == 0 ? n * room : 1);
    int length = 0, lacks = all == NULL, rc;

    PMPI_Get_processor_name(name, &length);
    rc = chorale_p2p_max(bench, &lacks);
    if (rc == MPI_SUCCESS && lacks)
        rc = MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_gather(bench, name, all, room);
    for (int i = 0; rc == MPI_SUCCESS && bench->world_rank == 0 &&
                    i < bench->world_size; i++)
        while (strcmp(all + room * (size_t)node[i], all + room * (size_t)i))
            node[i]++;
    free(all);
    return rc;
}
#else
static int find_first(struct chorale_bench *bench, int *node)
{
    int first = bench->world_rank;
    MPI_Comm comm;
    int rc = chorale_comm_split_node(bench->world, bench->world_rank, &comm);

    if (rc == MPI_SUCCESS) {
        rc = PMPI_Bcast(&first, 1, MPI_INT, 0, comm);
        PMPI_Comm_free(&comm);
    }
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_gather(bench, &first, node, sizeof(first));
    return rc;
}
#endif

/* Set bench->node: the number of a node is its first rank, which find_first()
 * gathers on rank 0. */
static int map_nodes(struct chorale_bench *bench)
{
    size_t n = (size_t)bench->world_size;
    int *node = calloc(n, sizeof(*node));
    int lacks = node == NULL, rc = chorale_p2p_max(bench, &lacks);

    if (rc == MPI_SUCCESS && lacks)
        rc = MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS)
        rc = find_first(bench, node);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_bcast(bench, node, n * sizeof(*node), 0);
    if (rc == MPI_SUCCESS)
        rc = map_comm(bench, node);
#ifdef CHORALE_SIM
    free(node); /* only the context needs it */
#else
    bench->node = node;
#endif
    return rc;
}

#ifndef CHORALE_SIM
/* The processors that a rank may use. */
struct usable {
    cpu_set_t may;
    struct chorale_cpu_quota quota;
};

/* 1 if more ranks of rank r's node share its CPU quota than the quota has
 * processors. */
static int above_quota(const struct chorale_bench *bench,
                       const struct usable *all, int r)
{
    int n = 0;

    for (int q = 0; q < bench->world_size; q++)
        n += bench->node[q] == bench->node[r] &&
             strcmp(all[q].quota.group, all[r].quota.group) == 0;
    return n > all[r].quota.processors;
}

/* Rank 0: set *most to the largest number of ranks on a node. Set *over to 1 if
 * a node has more ranks than processors that they may use, or more than its CPU
 * quota allows. all[world_size] is overwritten. */
static void count_ranks(const struct chorale_bench *bench, struct usable *all,
                        int *most, int *over)
{
    *most = *over = 0;
    for (int first = 0; first < bench->world_size; first++) {
        int n = 0;

        for (int r = first; r < bench->world_size; r++)
            if (bench->node[r] == first) {
                CPU_OR(&all[first].may, &all[first].may, &all[r].may);
                n++;
                *over |= isfinite(all[r].quota.processors) &&
                         above_quota(bench, all, r);
            }
        *over |= n > CPU_COUNT(&all[first].may);
        *most = n > *most ? n : *most;
    }
}

/* Rank 0: start to record the time that other programs use the processors of
 * the ranks. NULL: out of memory. */
static struct chorale_load *watch_load(const struct chorale_bench *bench,
                                       const struct usable *all)
{
    const size_t n = (size_t)bench->world_size;
    cpu_set_t *may = malloc(n * sizeof(*may));
    struct chorale_load *load = NULL;

    for (size_t i = 0; i < n && may != NULL; i++)
        may[i] = all[i].may;
    if (may != NULL)
        load = chorale_load_new(bench->node, bench->world_size, may);
    free(may);
    return load;
}
#endif

/* Set node_size and oversubscribed, and start to record other programs. Returns
 * an MPI error code. */
static int count_nodes(struct chorale_bench *bench)
{
#ifdef CHORALE_SIM
    bench->node_size = bench->world_size;
    return MPI_SUCCESS;
#else
    size_t n = bench->world_rank == 0 ? (size_t)bench->world_size : 1;
    struct usable mine, *all = calloc(n, sizeof(*all));
    int lacks = all == NULL, fact[3] = { 0, 0, 0 };
    int rc = chorale_p2p_max(bench, &lacks);

    if (rc == MPI_SUCCESS && lacks)
        rc = MPI_ERR_NO_MEM;
    memset(&mine, 0, sizeof(mine));
    sched_getaffinity(0, sizeof(mine.may), &mine.may);
    chorale_cpu_quota(&mine.quota);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_gather(bench, &mine, all, sizeof(mine));
    if (rc == MPI_SUCCESS && bench->world_rank == 0) {
        bench->load = watch_load(bench, all);
        fact[2] = bench->load != NULL;
        count_ranks(bench, all, &fact[0], &fact[1]);
    }
    free(all);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_bcast(bench, fact, sizeof(fact), 0);
    bench->node_size = fact[0];
    bench->oversubscribed = fact[1];
    bench->watches_load = fact[2];
    return rc;
#endif
}

int chorale_nodes_find(struct chorale_bench *bench)
{
    int rc = map_nodes(bench);

    return rc == MPI_SUCCESS ? count_nodes(bench) : rc;
}

int chorale_nodes_levels(struct chorale_bench *bench)
{
    int size = 1, apart = 0, one_node, levels = 1, rc;

    if (bench->levels_known)
        return MPI_SUCCESS;
    rc = chorale_native_topology(bench->lib, &size, &apart);
    one_node = size == bench->size;
    for (int i = 0; i < bench->work.siblings && rc == MPI_SUCCESS; i++) {
        int most = i == bench->sibling ? size : 0;

        rc = chorale_p2p_max(bench, &most);
        levels &= most > 1;
    }
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_max(bench, &one_node);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_max(bench, &apart);
    bench->levels = levels && !one_node;
    bench->in_blocks = !apart;
    bench->levels_known = rc == MPI_SUCCESS;
    return rc;
}
