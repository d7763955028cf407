/* SPDX-License-Identifier: BSD-3-Clause */
/* papitool.c - a preloaded PAPI tool, independent of the program: it counts
 * Chorale's events from MPI_Init to MPI_Finalize, and appends "event value"
 * lines to $PAPITOOL_LOG. */
#include <mpi.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const name[] = {
    "sde:::chorale::messages", "sde:::chorale::bytes_sent",
    "sde:::chorale::bytes_reduced", "sde:::chorale::rounds",
    "sde:::chorale::wait_ns",
};
enum { N = sizeof(name) / sizeof(name[0]) };
static int set = PAPI_NULL;

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);

    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
        PAPI_create_eventset(&set) != PAPI_OK)
        return rc;
    for (int i = 0; i < N; i++)
        if (PAPI_add_named_event(set, name[i]) != PAPI_OK)
            fprintf(stderr, "papitool: no %s\n", name[i]);
    PAPI_start(set);
    return rc;
}

int MPI_Finalize(void)
{
    long long value[N] = { 0 };
    FILE *out = fopen(getenv("PAPITOOL_LOG"), "a");

    if (out != NULL && PAPI_stop(set, value) == PAPI_OK)
        for (int i = 0; i < N; i++)
            fprintf(out, "%s %lld\n", name[i], value[i]);
    if (out != NULL)
        fclose(out);
    return PMPI_Finalize();
}
