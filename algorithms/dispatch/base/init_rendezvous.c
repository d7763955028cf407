/* SPDX-License-Identifier: BSD-3-Clause */
/* init_rendezvous.c - reduction over all ranks in MPI_Init, with a warning if
 * a rank is missing. */
#include "config.h"

#include "algorithms/dispatch/base/init_rendezvous.h"
#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/dispatch/base/warn.h"

enum { PATIENCE = 20 };      /* s */

/* Printed by rank 0 and the ranks that are powers of two, to limit the
 * lines. */
static void tell(void)
{
    int rank;

    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS
        && (rank & (rank - 1)) == 0)
        chorale_warn("chorale: rank %d has waited in MPI_Init for %d s: the "
                     "shim has to be in all ranks or in none; pass LD_PRELOAD "
                     "to every node", rank, PATIENCE);
}

int chorale_world_max(const int *mine, int *largest, int n)
{
    const double begun = PMPI_Wtime();
    int told = 0, done = 0, rc;
    MPI_Request request;
    MPI_Status status;

    rc = PMPI_Iallreduce(mine, largest, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD,
                         &request);
    while (rc == MPI_SUCCESS && !done) {
        rc = PMPI_Testall(1, &request, &done, &status);
        if (!done && !told && PMPI_Wtime() - begun > PATIENCE) {
            tell();
            told = 1;
        }
    }
    return rc == MPI_SUCCESS;
}
