/* SPDX-License-Identifier: BSD-3-Clause */
/* world_dup.c - the shim's private communicator over MPI_COMM_WORLD. */
#include "config.h"

#include "algorithms/dispatch/base/world_dup.h"
#include "algorithms/dispatch/base/pmpi.h"

/* A tag that applications are unlikely to use in MPI_Comm_create_group. */
enum { TAG = 21077 };

static MPI_Comm own; /* valid if there != 0 */
static int made, there, given;

/* Open MPI 4.1 copies attributes in MPI_Comm_create_group, against the
 * standard, but not in MPI_Comm_create. The private communicator has no
 * attributes. */
static int create(MPI_Comm parent, MPI_Group group, MPI_Comm *new_comm)
{
#ifdef OPEN_MPI
    if (!there || parent != own)
        return PMPI_Comm_create(parent, group, new_comm);
#endif
    return PMPI_Comm_create_group(parent, group, TAG, new_comm);
}

/* Sets MPI_ERRORS_RETURN on MPI_COMM_WORLD during the call. Not if its handler
 * reads as MPI_ERRORS_ARE_FATAL: that value may mean "never set", and could
 * not be restored (world_dup.h). */
static int create_errors_return(MPI_Group group, MPI_Comm *new_comm)
{
    MPI_Errhandler before;
    int rc = PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before), hush;

    if (rc != MPI_SUCCESS)
        return rc;
    hush = before != MPI_ERRORS_ARE_FATAL;
    if (hush)
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    rc = create(MPI_COMM_WORLD, group, new_comm);
    if (hush)
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
    PMPI_Errhandler_free(&before);
    return rc;
}

int chorale_comm_from_group(MPI_Comm parent, MPI_Group group,
                            MPI_Comm *new_comm)
{
    return create(parent, group, new_comm);
}

void chorale_world_dup_make(void)
{
    MPI_Group group;
    MPI_Comm comm;
    int size;

    if (made || PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS
        || size < 2 || PMPI_Comm_group(MPI_COMM_WORLD, &group) != MPI_SUCCESS)
        return;
    if (create_errors_return(group, &comm) == MPI_SUCCESS) {
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        own = comm;
        made = there = 1;
    }
    PMPI_Group_free(&group);
}

MPI_Comm chorale_world_dup(void)
{
    return there ? own : MPI_COMM_NULL;
}

void chorale_world_dup_free(void)
{
    if (there)
        PMPI_Comm_free(&own);
    there = 0;
}

int chorale_world_dup_yield(void)
{
    const int had = there;

    chorale_world_dup_free();
    given |= had;
    return had;
}

int chorale_world_dup_yielded(void)
{
    return given;
}
