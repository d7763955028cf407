/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.h - makes the kinds of communicators that programs use, passes each to
 * a function, and frees it. */
#ifndef CHORALE_TESTS_SHIM_PROGRAMS_COMMS_H
#define CHORALE_TESTS_SHIM_PROGRAMS_COMMS_H

#include <mpi.h>

/* MPI_COMM_WORLD and its reverse; unless quick also MPI_COMM_SELF, pairs of
 * reversed ranks, a duplicate, and a ring with reordering. */
static void on_comms(void (*what)(MPI_Comm comm), int quick)
{
    int rank, size, periodic = 1;
    MPI_Comm comm;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    what(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    what(comm);
    MPI_Comm_free(&comm);
    if (quick)
        return;
    what(MPI_COMM_SELF);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &comm);
    what(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    what(comm);
    MPI_Comm_free(&comm);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 1, &comm);
    what(comm);
    MPI_Comm_free(&comm);
}

#endif
