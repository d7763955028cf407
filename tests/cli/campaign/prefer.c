/* SPDX-License-Identifier: BSD-3-Clause */
/* prefer.c - preload of han.t: communicators are duplicated without the hints
 * that choose a component of Open MPI. */
#include <mpi.h>

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *copy)
{
    (void)info;
    return PMPI_Comm_dup(comm, copy);
}
