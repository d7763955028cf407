/* SPDX-License-Identifier: BSD-3-Clause */
/* own_world.c - see own_world.h. */
#include "config.h"

#include "algorithms/dispatch/own_world.h"
#include "algorithms/dispatch/pmpi.h"

/* A number that applications do not use for their communicators. */
enum { TAG = 21077 };

static MPI_Comm own; /* while it is there */
static int made, there;

/* Errors of comm are returned from now on. *before: its handler, to be set
 * again and freed, or none where it is left alone. */
static int hush(MPI_Comm comm, MPI_Errhandler *before)
{
    int rc = PMPI_Comm_get_errhandler(comm, before);

    if (rc != MPI_SUCCESS)
        return rc;
    if (*before == MPI_ERRORS_ARE_FATAL) {
        PMPI_Errhandler_free(before);
        *before = MPI_ERRHANDLER_NULL;
        return rc;
    }
    return PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

static void unhush(MPI_Comm comm, MPI_Errhandler *before)
{
    if (*before == MPI_ERRHANDLER_NULL)
        return;
    PMPI_Comm_set_errhandler(comm, *before);
    PMPI_Errhandler_free(before);
}

/* Open MPI 4.1 copies attributes in MPI_Comm_create_group, against the
 * standard, and not in MPI_Comm_create. Ours has none. */
static int create(MPI_Comm parent, MPI_Group group, int tag,
                  MPI_Comm *new_comm)
{
#ifdef OPEN_MPI
    if (!there || parent != own)
        return PMPI_Comm_create(parent, group, new_comm);
#endif
    return PMPI_Comm_create_group(parent, group, tag, new_comm);
}

int chorale_own_create(MPI_Comm parent, MPI_Group group, int tag,
                       MPI_Comm *new_comm)
{
    MPI_Errhandler before;
    int rc;

    if (there && parent == own)
        return create(parent, group, tag, new_comm);
    rc = hush(parent, &before);
    if (rc != MPI_SUCCESS)
        return rc;
    rc = create(parent, group, TAG, new_comm);
    unhush(parent, &before);
    return rc;
}

void chorale_own_world_make(void)
{
    MPI_Group group;
    MPI_Comm comm;

    if (made || PMPI_Comm_group(MPI_COMM_WORLD, &group) != MPI_SUCCESS)
        return;
    if (chorale_own_create(MPI_COMM_WORLD, group, TAG, &comm) == MPI_SUCCESS) {
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        own = comm;
        made = there = 1;
    }
    PMPI_Group_free(&group);
}

MPI_Comm chorale_own_world(void)
{
    return there ? own : MPI_COMM_NULL;
}

void chorale_own_world_free(void)
{
    if (there)
        PMPI_Comm_free(&own);
    there = 0;
}
