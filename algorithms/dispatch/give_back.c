/* SPDX-License-Identifier: BSD-3-Clause */
/* give_back.c - communicators of ours for those of the application: see
 * give_back.h. */
#include "config.h"

#include <stdatomic.h>

#include "algorithms/dispatch/give_back.h"
#include "algorithms/dispatch/own_world.h"
#include "algorithms/dispatch/pmpi.h"
#include "algorithms/dispatch/quiet.h"
#include "algorithms/dispatch/say.h"
#include "algorithms/dispatch/state.h"

int chorale_give_back_all_of(MPI_Comm comm, MPI_Group group)
{
    int all, some;

    return chorale_pmpi_ready() && comm != MPI_COMM_NULL
        && group != MPI_GROUP_NULL
        && PMPI_Comm_size(comm, &all) == MPI_SUCCESS
        && PMPI_Group_size(group, &some) == MPI_SUCCESS && some == all;
}

/* 1 if this rank can give back; *whole: all that it has. */
static int can(MPI_Comm comm, int started, int *whole)
{
    int size, world;

    if (!started || PMPI_Comm_size(comm, &size) != MPI_SUCCESS
        || PMPI_Comm_size(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return 0;
    *whole = size == world && chorale_state_inside_world(comm, size);
    return 1;
}

static void tell(MPI_Comm comm)
{
    static atomic_int told;
    int rank;

    if (PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == 0
        && !atomic_exchange(&told, 1))
        chorale_say("chorale: the library has no more communicators: ours are "
                    "given back, and collectives on those they were made for "
                    "are the library's; a smaller CHORALE_MAX_COMMS leaves "
                    "more from the start");
}

int chorale_give_back(MPI_Comm comm, int rc, int started,
                      void (*leave)(MPI_Comm comm))
{
    int inter, ok, all_ok, whole = 0, mine = 0, most = 0;

    if (!chorale_quiet_full(rc) || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS
        || inter)
        return 0;
    ok = can(comm, started, &whole);
    if (!chorale_state_agree(comm, (uint64_t)whole, ok, &all_ok))
        return 0;
    mine = chorale_state_leave(whole ? MPI_COMM_NULL : comm, leave);
    if (whole)
        mine += chorale_own_world_give();
    if (PMPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm)
        != MPI_SUCCESS)
        return 0;
    if (most > 0)
        tell(comm);
    return most > 0;
}
