/* SPDX-License-Identifier: BSD-3-Clause */
/* context_reclaim.c - frees private communicators when the library has no
 * more. */
#include "config.h"

#include <stdatomic.h>

#include "algorithms/dispatch/comm/context_reclaim.h"
#include "algorithms/dispatch/base/world_dup.h"
#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/dispatch/base/warn.h"

static int is_far_from_limit(MPI_Comm comm)
{
    const int mine = chorale_context_count();
    int most = mine;

    PMPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm);
    return most < CHORALE_CONTEXT_FAR;
}

/* 1 if needs communicators of group can be made. The result is equal on all
 * ranks, because a context must be free on all of them. */
static int contexts_available(MPI_Group group, int needs)
{
    MPI_Comm made[CHORALE_NEEDS_SOME];
    int n = 0;

    while (n < needs
           && chorale_comm_from_group(chorale_world_dup(), group, &made[n])
                  == MPI_SUCCESS)
        n++;
    for (int i = 0; i < n; i++)
        PMPI_Comm_free(&made[i]);
    return n == needs;
}

static void tell(MPI_Group group)
{
    static atomic_int told;
    int rank;

    if (PMPI_Group_rank(group, &rank) == MPI_SUCCESS && rank == 0
        && !atomic_exchange(&told, 1))
        chorale_warn("chorale: MPI ran out of communicators: private ones are "
                     "freed, their collectives go to the library; set a "
                     "smaller CHORALE_MAX_COMMS");
}

static void give(MPI_Group group, int whole, void (*leave)(MPI_Comm comm))
{
    int n = chorale_state_free_all(whole ? MPI_GROUP_NULL : group, leave);

    if (whole)
        n += chorale_world_dup_yield();
    if (n > 0)
        tell(group);
}

/* The size of group, if it has several ranks and all are in MPI_COMM_WORLD;
 * else 0. *whole: 1 if it has all ranks of MPI_COMM_WORLD. */
static int several(MPI_Group group, int *whole)
{
    int size, all;

    if (PMPI_Group_size(group, &size) != MPI_SUCCESS || size < 2
        || PMPI_Comm_size(MPI_COMM_WORLD, &all) != MPI_SUCCESS
        || !chorale_group_in_world(group))
        return 0;
    *whole = size == all;
    return size;
}

/* Union of both groups of an inter-communicator, in the same order on both
 * sides: the group whose first rank is lower in MPI_COMM_WORLD comes first. */
static void both_sides(MPI_Comm comm, MPI_Group *group)
{
    MPI_Group side[2], world;
    int first[2], zero = 0, later;

    PMPI_Comm_group(comm, &side[0]);
    PMPI_Comm_remote_group(comm, &side[1]);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < 2; i++)
        PMPI_Group_translate_ranks(side[i], 1, &zero, world, &first[i]);
    later = first[1] < first[0];
    PMPI_Group_union(side[later], side[!later], group);
    PMPI_Group_free(&side[0]);
    PMPI_Group_free(&side[1]);
    PMPI_Group_free(&world);
}

int chorale_context_reclaim(MPI_Comm comm, int needs,
                            void (*leave)(MPI_Comm comm))
{
    MPI_Group group;
    int inter, whole, rc = PMPI_Comm_test_inter(comm, &inter);

    if (rc != MPI_SUCCESS)
        return rc;
    if (inter)
        both_sides(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    if (several(group, &whole) && (inter || !is_far_from_limit(comm))
        && !contexts_available(group, needs))
        give(group, whole, leave);
    PMPI_Group_free(&group);
    return MPI_SUCCESS;
}

void chorale_context_reclaim_group(MPI_Group group,
                                   void (*leave)(MPI_Comm comm))
{
    int whole;

    if (several(group, &whole) && !contexts_available(group, CHORALE_NEEDS_ONE))
        give(group, whole, leave);
}
