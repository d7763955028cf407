/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_clock.c - preload behind the shim: times at which the shim's part of
 * MPI_Init begins and that of MPI_Finalize ends, for shim_start.c. */
#include <mpi.h>
#include <time.h>

/* ms: the library's MPI_Init has returned; MPI_Finalize is passed on; an
 * attribute set before the shim's part of MPI_Init is deleted, which happens
 * after the shim's own. */
extern double shim_clock[3];
double shim_clock[3];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Attributes of MPI_COMM_SELF are deleted last in, first out. */
static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    shim_clock[2] = now();
    return MPI_SUCCESS;
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv), key;

    if (rc == MPI_SUCCESS)
        rc = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key,
                                     NULL);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Comm_set_attr(MPI_COMM_SELF, key, shim_clock);
    shim_clock[0] = now();
    return rc;
}

int MPI_Finalize(void)
{
    shim_clock[1] = now();
    return PMPI_Finalize();
}
