/* SPDX-License-Identifier: BSD-3-Clause */
/* counters.c - PAPI around one call of the collective, and Chorale's own
 * events published through PAPI as sde:::chorale::messages and so on, so that
 * any PAPI tool attached to the runner sees them. Without PAPI, or in
 * simulation, there are no named counters; the runner's own sums remain. */
#include "config.h"

#include "runners/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(HAVE_PAPI) && !defined(CHORALE_SIM)
#define USE_PAPI 1
#include <papi.h>
#include <sde_lib.h>
#endif

#define MAX_EVENTS 32

struct chorale_counters {
    int count;
    char name[MAX_EVENTS][128];
    int slot[MAX_EVENTS];    /* in the event set, -1: not available */
    int nslot;
    int set;
};

int chorale_counters_count(const struct chorale_bench *bench)
{
    return bench->counters != NULL ? bench->counters->count : 0;
}

const char *chorale_counters_name(const struct chorale_bench *bench, int i)
{
    return bench->counters->name[i];
}

static int split_names(struct chorale_counters *counters, const char *list)
{
    while (*list != '\0' && counters->count < MAX_EVENTS) {
        size_t len = strcspn(list, ",");

        if (len > 0 && len < sizeof(counters->name[0])) {
            memcpy(counters->name[counters->count], list, len);
            counters->slot[counters->count++] = -1;
        }
        list += len + (list[len] == ',');
    }
    return counters->count;
}

#ifdef USE_PAPI
static void publish(struct chorale_bench *bench)
{
    papi_handle_t handle = papi_sde_init("chorale");
    const struct {
        const char *name;
        long long *value;
    } own[] = { { "messages", &bench->stat.messages },
                { "bytes_sent", &bench->stat.bytes_sent },
                { "bytes_reduced", &bench->stat.bytes_reduced },
                { "waits", &bench->stat.waits } };

    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        papi_sde_register_counter(handle, own[i].name,
                                  PAPI_SDE_RO | PAPI_SDE_DELTA,
                                  PAPI_SDE_long_long, own[i].value);
}

static void open_events(struct chorale_bench *bench)
{
    struct chorale_counters *counters = bench->counters;

    publish(bench);
    counters->set = PAPI_NULL;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
        PAPI_create_eventset(&counters->set) != PAPI_OK) {
        if (bench->world_rank == 0)
            fprintf(stderr, "chorale-runner: PAPI does not start here; no "
                            "counters are recorded\n");
        return;
    }
    for (int i = 0; i < counters->count; i++) {
        int rc = PAPI_add_named_event(counters->set, counters->name[i]);

        if (rc == PAPI_OK)
            counters->slot[i] = counters->nslot++;
        else if (bench->world_rank == 0)
            fprintf(stderr, "chorale-runner: counter %s is not available "
                            "here (%s) and is stored as absent; "
                            "`papi_native_avail` lists those that are\n",
                    counters->name[i], PAPI_strerror(rc));
    }
}
#endif

int chorale_counters_open(struct chorale_bench *bench)
{
    if (bench->work.set.counters[0] == '\0')
        return 0;
    bench->counters = calloc(1, sizeof(*bench->counters));
    if (bench->counters == NULL)
        return -1;
    split_names(bench->counters, bench->work.set.counters);
#ifdef USE_PAPI
    open_events(bench);
#else
    if (bench->world_rank == 0)
        fprintf(stderr, "chorale-runner: built without PAPI: the counters "
                        "%s are stored as absent\n", bench->work.set.counters);
#endif
    return 0;
}

void chorale_counters_close(struct chorale_bench *bench)
{
#ifdef USE_PAPI
    if (bench->counters != NULL)
        PAPI_shutdown();
#endif
    free(bench->counters);
    bench->counters = NULL;
}

void chorale_counters_start(struct chorale_bench *bench)
{
#ifdef USE_PAPI
    if (bench->counters != NULL && bench->counters->nslot > 0)
        PAPI_start(bench->counters->set);
#else
    (void)bench;
#endif
}

void chorale_counters_stop(struct chorale_bench *bench, double *value)
{
    const struct chorale_counters *counters = bench->counters;

    if (counters == NULL)
        return;
    for (int i = 0; i < counters->count; i++)
        value[i] = NAN;
#ifdef USE_PAPI
    long long seen[MAX_EVENTS];

    if (counters->nslot == 0 || PAPI_stop(counters->set, seen) != PAPI_OK)
        return;
    for (int i = 0; i < counters->count; i++)
        if (counters->slot[i] >= 0)
            value[i] = (double)seen[counters->slot[i]];
#endif
}
