/* SPDX-License-Identifier: BSD-3-Clause */
/* fakepapi.c - a fake PAPI, preloaded by counters.t. It has a processor with
 * two counters, whose events count 1000 per call of the library's MPI_Bcast or
 * MPI_Barrier, and a node with a network card that counts 1 and an energy meter
 * that counts 0.5 per call.
 *
 * FAKE_PAPI_LOG       a file that gets a line per start, component and process
 * FAKE_PAPI_DISABLED  the processor has no counters
 * FAKE_PAPI_LACKS     ranks other than 0 have no PAPI_TOT_INS
 * FAKE_PAPI_BREAKS    MPI_Bcast fails on rank 1 while anything is counted */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSOR, CARD, METER, OFF, NCOMPONENT, SLOTS = 2, SETS = 16 };

static const struct {
    const char *name;
    int component;
} event[] = {
    { "PAPI_TOT_CYC", PROCESSOR }, { "PAPI_TOT_INS", PROCESSOR },
    { "PAPI_L1_DCM", PROCESSOR },  { "net:::eth0:tx:bytes", CARD },
    { "meter:::ENERGY", METER },
};
enum { NEVENT = sizeof(event) / sizeof(event[0]) };

static struct {
    int event[SLOTS], count, used;
    long began;
} set[SETS];
static PAPI_component_info_t component[NCOMPONENT];
static int initialised;
static long calls;
static int running;

/* The rank as the launcher of MPICH or Open MPI names it, or NULL. */
static const char *rank_name(void)
{
    const char *rank = getenv("PMI_RANK");

    return rank != NULL ? rank : getenv("OMPI_COMM_WORLD_RANK");
}

int PMPI_Bcast(void *buf, int count, MPI_Datatype type, int root,
               MPI_Comm comm)
{
    int (*real)(void *, int, MPI_Datatype, int, MPI_Comm);
    const char *rank = rank_name();
    int rc;

    calls++;
    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Bcast");
    rc = real(buf, count, type, root, comm);
    return running > 0 && getenv("FAKE_PAPI_BREAKS") != NULL &&
                   rank != NULL && strcmp(rank, "1") == 0
               ? MPI_ERR_OTHER
               : rc;
}

int PMPI_Barrier(MPI_Comm comm)
{
    int (*real)(MPI_Comm);

    calls++;
    *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Barrier");
    return real(comm);
}

int PAPI_is_initialized(void)
{
    return initialised;
}

int PAPI_library_init(int version)
{
    static const char *const name[NCOMPONENT] = { "perf_event", "net",
                                                  "meter", "infiniband" };

    for (int i = 0; i < NCOMPONENT; i++) {
        strcpy(component[i].name, name[i]);
        strcpy(component[i].short_name, name[i]);
        component[i].default_granularity = i == METER ? PAPI_GRN_SYS
                                                      : PAPI_GRN_THR;
    }
    component[OFF].disabled = PAPI_ECMP;
    strcpy(component[OFF].disabled_reason, "no such card");
    if (getenv("FAKE_PAPI_DISABLED") != NULL) {
        component[PROCESSOR].disabled = PAPI_ECMP;
        strcpy(component[PROCESSOR].disabled_reason, "permission denied");
    }
    initialised = 1;
    return version;
}

void PAPI_shutdown(void)
{
    initialised = 0;
}

int PAPI_num_components(void)
{
    return NCOMPONENT;
}

const PAPI_component_info_t *PAPI_get_component_info(int i)
{
    return &component[i];
}

int PAPI_event_name_to_code(const char *name, int *code)
{
    for (int i = 0; i < NEVENT; i++)
        if (strcmp(name, event[i].name) == 0) {
            *code = i;
            return PAPI_OK;
        }
    return PAPI_ENOEVNT;
}

int PAPI_get_event_component(int code)
{
    return event[code].component;
}

int PAPI_get_event_info(int code, PAPI_event_info_t *info)
{
    memset(info, 0, sizeof(*info));
    info->data_type = event[code].component == METER ? PAPI_DATATYPE_FP64
                                                     : PAPI_DATATYPE_INT64;
    return PAPI_OK;
}

int PAPI_create_eventset(int *id)
{
    for (*id = 0; *id < SETS; ++*id)
        if (!set[*id].used) {
            set[*id].used = 1;
            return PAPI_OK;
        }
    return PAPI_ENOMEM;
}

int PAPI_add_event(int id, int code)
{
    const char *rank = rank_name();

    if (component[event[code].component].disabled)
        return PAPI_ENOEVNT;
    if (getenv("FAKE_PAPI_LACKS") != NULL && rank != NULL && rank[0] != '0' &&
        strcmp(event[code].name, "PAPI_TOT_INS") == 0)
        return PAPI_ENOEVNT;
    if (set[id].count == SLOTS)
        return PAPI_ECNFLCT;
    set[id].event[set[id].count++] = code;
    return PAPI_OK;
}

int PAPI_cleanup_eventset(int id)
{
    set[id].count = 0;
    return PAPI_OK;
}

int PAPI_destroy_eventset(int *id)
{
    set[*id].used = 0;
    *id = PAPI_NULL;
    return PAPI_OK;
}

int PAPI_start(int id)
{
    const char *log = getenv("FAKE_PAPI_LOG");
    FILE *out = log != NULL ? fopen(log, "a") : NULL;

    if (out != NULL) {
        fprintf(out, "%s %d\n",
                component[event[set[id].event[0]].component].name,
                (int)getpid());
        fclose(out);
    }
    set[id].began = calls;
    running++;
    return PAPI_OK;
}

int PAPI_stop(int id, long long *value)
{
    running--;
    for (int i = 0; i < set[id].count; i++) {
        long n = calls - set[id].began;
        double energy = 0.5 * (double)n;

        switch (event[set[id].event[i]].component) {
        case PROCESSOR:
            value[i] = 1000 * n;
            break;
        case CARD:
            value[i] = n;
            break;
        default:
            memcpy(&value[i], &energy, sizeof(energy));
        }
    }
    return PAPI_OK;
}

char *PAPI_strerror(int code)
{
    return code == PAPI_ENOEVNT ? (char *)"Event does not exist"
                                : (char *)"other error";
}
