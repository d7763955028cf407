/* SPDX-License-Identifier: BSD-3-Clause */
/* counters.c - find the requested events that all ranks can count, and count
 * them around a call. */
#include "config.h"

#include "runners/measure/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runners/measure/counters.h"

int chorale_counters_count(const struct chorale_bench *bench)
{
    return bench->counters != NULL ? bench->counters->count : 0;
}

const char *chorale_counters_name(const struct chorale_bench *bench, int i)
{
    return bench->counters->event[i].name;
}

/* --- requested events ------------------------------------------------- */

static int own_of(const char *name)
{
    size_t n = strlen(CHORALE_OWN_PREFIX);

    for (int i = 0; i < CHORALE_OWN; i++)
        if (strncmp(name, CHORALE_OWN_PREFIX, n) == 0 &&
            strcmp(name + n, chorale_own_name(i)) == 0)
            return i;
    return -1;
}

/* Parse the comma-separated list, dropping duplicates. 0, or -1: out of
 * memory. */
static int split_names(struct chorale_counters *counters, const char *list)
{
    counters->event = calloc(strlen(list) + 1, sizeof(*counters->event));
    if (counters->event == NULL)
        return -1;
    while (*list != '\0') {
        size_t len = strcspn(list, ",");
        char *name = strndup(list, len);
        int i = 0;

        if (name == NULL)
            return -1;
        while (i < counters->count &&
               strcmp(counters->event[i].name, name) != 0)
            i++;
        if (len == 0 || i < counters->count)
            free(name);
        else
            counters->event[counters->count++] =
                (struct chorale_event){ .name = name, .own = own_of(name),
                                        .set = -1 };
        list += len + (list[len] == ',');
    }
    return 0;
}

static int make_node(struct chorale_bench *bench)
{
#ifdef CHORALE_SIM
    (void)bench;
    return MPI_SUCCESS;
#else
    struct chorale_counters *counters = bench->counters;
    MPI_Comm comm;
    int rc;

    rc = PMPI_Comm_split_type(bench->world, MPI_COMM_TYPE_SHARED,
                              bench->world_rank, MPI_INFO_NULL, &comm);
    if (rc == MPI_SUCCESS)
        rc = chorale_ctx_new(comm, &counters->node);
    counters->reader = rc == MPI_SUCCESS && counters->node->rank == 0;
    return rc;
#endif
}

/* --- agreement of all ranks ------------------------------------------- */

/* Can this rank count the event, or is it another rank's task? */
static int has(const struct chorale_counters *counters,
               const struct chorale_event *event)
{
    return event->set >= 0 || event->own >= 0 ||
           (event->node_wide && !counters->reader);
}

/* An event that some rank cannot count is absent on all ranks: a sum over the
 * other ranks would look complete. */
static int agree(struct chorale_bench *bench)
{
    struct chorale_counters *counters = bench->counters;
    double lacks = 0;
    int rc = MPI_SUCCESS;

    for (int i = 0; i < counters->count && rc == MPI_SUCCESS; i++) {
        lacks = !has(counters, &counters->event[i]);
        rc = chorale_p2p_allreduce(bench, &lacks, 1, 0);
        counters->event[i].absent = lacks > 0;
    }
    for (int kind = 0; kind < 2 && rc == MPI_SUCCESS; kind++) {
        double turns = kind == 0;

        for (int i = 0; i < counters->nset; i++)
            if (counters->set[i].node_wide == kind &&
                counters->set[i].turn + 1 > turns)
                turns = counters->set[i].turn + 1;
        rc = chorale_p2p_allreduce(bench, &turns, 1, 0);
        counters->turns[kind] = (int)turns;
    }
    return rc;
}

/* --- notes printed once by rank 0 ------------------------------------- */

static void report(const struct chorale_counters *counters)
{
    char advice[512];

    for (int i = 0; i < counters->count; i++) {
        const struct chorale_event *event = &counters->event[i];

        if (event->absent)
            fprintf(stderr, CHORALE_NOTE "counter %s is not available here "
                            "(%s) and is stored as absent; list available "
                            "ones with `papi_native_avail` and `papi_avail`\n",
                    event->name,
                    event->why[0] != '\0' ? event->why
                                          : "some rank lacks it");
    }
    chorale_papi_advice(counters, advice, sizeof(advice));
    if (advice[0] != '\0')
        fprintf(stderr, CHORALE_NOTE "%s\n", advice);
    if (counters->in_turns)
        /* PAPI's multiplexing estimates from slices of milliseconds, which are
         * longer than most calls. */
        fprintf(stderr, CHORALE_NOTE "%s cannot count all of these events at "
                        "once, so groups of them take turns in separate calls "
                        "(multiplexing needs longer calls); request fewer "
                        "events\n",
                chorale_papi_component(counters->in_turns - 1));
}

static void report_failure(const struct chorale_bench *bench)
{
    struct chorale_counters *counters = bench->counters;

    if (bench->world_rank == 0 && counters->failed > 0)
        fprintf(stderr, CHORALE_NOTE "PAPI cannot start the events of %s (is "
                        "another tool using it?); their values are stored as "
                        "absent\n",
                chorale_papi_component(counters->failed - 1));
    if (counters->failed > 0)
        counters->failed = -1; /* reported */
}

int chorale_counters_open(struct chorale_bench *bench)
{
    struct chorale_counters *counters;
    double lacks = 0;
    int rc;

    chorale_papi_publish(&bench->stat);
    counters = calloc(1, sizeof(*counters));
    bench->counters = counters;
    if (counters == NULL ||
        split_names(counters, bench->work.set.counters) != 0)
        lacks = 1;
    rc = chorale_p2p_allreduce(bench, &lacks, 1, 0);
    if (rc != MPI_SUCCESS || lacks > 0)
        return rc != MPI_SUCCESS ? rc : MPI_ERR_NO_MEM;
    counters->turns[0] = 1;
    if (counters->count == 0)
        return MPI_SUCCESS;
    rc = make_node(bench);
    if (rc != MPI_SUCCESS)
        return rc;
    chorale_papi_open(counters);
    rc = agree(bench);
    if (rc == MPI_SUCCESS && bench->world_rank == 0)
        report(counters);
    return rc;
}

int chorale_counters_print(const char *list, FILE *out)
{
    struct chorale_counters counters = { .reader = 1 };
    char advice[512];
    int bad = split_names(&counters, list);

    if (bad == 0)
        chorale_papi_open(&counters);
    for (int i = 0; i < counters.count; i++) {
        const struct chorale_event *event = &counters.event[i];

        if (bad == 0 && !has(&counters, event))
            fprintf(out, "%s: %s\n", event->name, event->why);
        free(event->name);
    }
    if (bad == 0) {
        chorale_papi_advice(&counters, advice, sizeof(advice));
        if (advice[0] != '\0')
            fprintf(out, "%s\n", advice);
        chorale_papi_close(&counters);
    }
    free(counters.event);
    return bad;
}

void chorale_counters_close(struct chorale_bench *bench)
{
    struct chorale_counters *counters = bench->counters;

    if (counters == NULL)
        return;
    if (counters->count > 0)
        chorale_papi_close(counters);
    chorale_ctx_free(counters->node);
    for (int i = 0; i < counters->count; i++)
        free(counters->event[i].name);
    free(counters->event);
    free(counters);
    bench->counters = NULL;
}

/* --- around a call ---------------------------------------------------- */

int chorale_counters_turns(const struct chorale_bench *bench, int node_wide)
{
    return bench->counters->turns[node_wide];
}

int chorale_counters_start(struct chorale_bench *bench, int node_wide,
                           int turn)
{
    struct chorale_counters *counters = bench->counters;
    int rc = MPI_SUCCESS;

    if (counters->count > 0)
        chorale_papi_start(counters, node_wide, turn);
    if (node_wide && counters->node != NULL)
        rc = chorale_p2p_barrier(counters->node);
    counters->before = bench->stat;
    return rc;
}

int chorale_counters_stop(struct chorale_bench *bench, int node_wide,
                          int turn, struct chorale_stat *own, double *value)
{
    struct chorale_counters *counters = bench->counters;
    int rc = MPI_SUCCESS;

    if (node_wide && counters->node != NULL)
        rc = chorale_p2p_barrier(counters->node);
    if (counters->count > 0)
        chorale_papi_stop(counters, node_wide, turn, value);
    for (int i = 0; i < CHORALE_OWN; i++)
        *chorale_own_value(own, i) = *chorale_own_value(&bench->stat, i) -
                                     *chorale_own_value(&counters->before, i);
    report_failure(bench);
    return rc;
}

void chorale_counters_scale(const struct chorale_bench *bench, int calls,
                            double *value)
{
    for (int i = 0; i < chorale_counters_count(bench); i++)
        if (bench->counters->event[i].node_wide)
            value[i] /= calls;
}

/* This rank's contribution to an event. */
static double share(const struct chorale_counters *counters, int i,
                    const struct chorale_stat *own, double value)
{
    const struct chorale_event *event = &counters->event[i];
    struct chorale_stat stat = *own;

    if (event->absent)
        return NAN;
    if (event->own >= 0 && !isfinite(value))
        return (double)*chorale_own_value(&stat, event->own);
    return event->node_wide && !counters->reader ? 0 : value;
}

int chorale_counters_add(struct chorale_bench *bench,
                         struct chorale_stat *own, double *value,
                         int *failed)
{
    const struct chorale_counters *counters = bench->counters;
    double sum[CHORALE_OWN], most[2] = { 0, *failed };
    int rc;

    if (bench->sibling != 0)
        memset(own, 0, sizeof(*own));
    most[0] = (double)own->rounds;
    for (int i = 0; i < CHORALE_OWN; i++)
        sum[i] = (double)*chorale_own_value(own, i);
    rc = chorale_p2p_allreduce(bench, sum, CHORALE_OWN, 1);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_allreduce(bench, most, 2, 0);
    sum[CHORALE_OWN_ROUNDS] = most[0];
    *failed = most[1] > 0;
    for (int i = 0; i < counters->count && rc == MPI_SUCCESS; i++) {
        value[i] = bench->sibling != 0
                       ? 0
                       : share(counters, i, own, value[i]);
        rc = counters->event[i].own == CHORALE_OWN_ROUNDS
                 ? chorale_p2p_allreduce(bench, &value[i], 1, 0)
                 : chorale_p2p_allreduce(bench, &value[i], 1, 1);
    }
    for (int i = 0; i < CHORALE_OWN; i++)
        *chorale_own_value(own, i) = (long long)sum[i];
    return rc;
}
