/* SPDX-License-Identifier: BSD-3-Clause */
/* usage_report.c - reports scratch memory and private communicators used. */
#include "config.h"

#include <limits.h>

#include "algorithms/dispatch/comm/scratch_pool.h"
#include "algorithms/dispatch/base/world_dup.h"
#include "algorithms/dispatch/base/warn.h"
#include "algorithms/dispatch/comm/comm_state.h"
#include "algorithms/dispatch/comm/usage_report.h"

/* Layout of MPI_LONG_INT. */
struct most {
    long value;
    int rank;
};

enum { MEMORY, COMMS, NKIND };

/* Maximum over all ranks, on rank 0. Uses chorale_world_dup(), whose errors do
 * not reach the application's handler. Returns 1, or 0 on failure. */
static int reduce(const struct most *mine, struct most *all)
{
    const MPI_Comm world = chorale_world_dup();

    return world != MPI_COMM_NULL
        && PMPI_Reduce(mine, all, NKIND, MPI_LONG_INT, MPI_MAXLOC, 0, world)
               == MPI_SUCCESS;
}

void chorale_usage_print(int together, int verbose)
{
    const size_t peak = chorale_memory_peak();
    struct most mine[NKIND], all[NKIND];
    int rank;

    if ((!together && !verbose)
        || PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
        return;
    mine[MEMORY].value = peak < LONG_MAX ? (long)peak : LONG_MAX;
    mine[COMMS].value = chorale_state_peak();
    mine[MEMORY].rank = mine[COMMS].rank = rank;
    if (together && reduce(mine, all)) {
        if (rank == 0 && verbose && all[MEMORY].value + all[COMMS].value > 0)
            chorale_warn("chorale: of all ranks, rank %d took the most memory "
                         "for calls: %ld bytes; rank %d held the most "
                         "private communicators at once: %ld",
                         all[MEMORY].rank, all[MEMORY].value,
                         all[COMMS].rank, all[COMMS].value);
    } else if (verbose && mine[MEMORY].value + mine[COMMS].value > 0) {
        chorale_warn("chorale: rank %d took at most %ld bytes of memory for "
                     "calls and held at most %ld private communicators at once",
                     rank, mine[MEMORY].value, mine[COMMS].value);
    }
}
