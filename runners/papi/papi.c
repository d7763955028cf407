/* SPDX-License-Identifier: BSD-3-Clause */
/* papi.c - count requested events with PAPI. */
#include "config.h"

#include "runners/papi/papi_events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <papi.h>

#include "db/environment.h"

/* Node-wide components that report a per-thread granularity; most others report
 * the correct one. */
static const char *const node_wide_names[] = {
    "net", "infiniband", "infiniband_umad", "powercap", "rapl", "lmsensors",
    "coretemp", "lustre",
};

static const PAPI_component_info_t *component_of(int component)
{
    return component >= 0 ? PAPI_get_component_info(component) : NULL;
}

const char *chorale_papi_component(int component)
{
    const PAPI_component_info_t *info = component_of(component);

    return info != NULL ? info->name : "PAPI";
}

static int is_node_wide(const PAPI_component_info_t *info)
{
    if (info == NULL)
        return 0;
    for (size_t i = 0;
         i < sizeof(node_wide_names) / sizeof(node_wide_names[0]); i++)
        if (strcmp(info->name, node_wide_names[i]) == 0)
            return 1;
    return info->default_granularity == PAPI_GRN_SYS ||
           info->default_granularity == PAPI_GRN_SYS_CPU;
}

void chorale_papi_publish(struct chorale_stat *stat)
{
    papi_sde_fptr_struct_t papi = {
        .init = papi_sde_init,
        .register_counter = papi_sde_register_counter,
        .describe_counter = papi_sde_describe_counter,
    };

    chorale_papi_describe(&papi, stat);
}

/* --- finding events --------------------------------------------------- */

/* Find the component in a name's prefix ("net:::eth0:rx:bytes"), or without a
 * prefix the processor's. NULL: PAPI lacks that component. */
static const PAPI_component_info_t *named_component(const char *name,
                                                    char *prefix, size_t size)
{
    const char *colons = strstr(name, ":::");

    snprintf(prefix, size, "%.*s",
             colons != NULL ? (int)(colons - name) : 10,
             colons != NULL ? name : "perf_event");
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *info = PAPI_get_component_info(i);

        if (info != NULL && (strcmp(info->name, prefix) == 0 ||
                             strcmp(info->short_name, prefix) == 0))
            return info;
    }
    return NULL;
}

static int is_hardware(const PAPI_component_info_t *info)
{
    return info != NULL && strncmp(info->name, "perf_event", 10) == 0;
}

/* Explain a PAPI error for an event. */
static void explain(struct chorale_counters *counters,
                    struct chorale_event *event, int rc)
{
    char prefix[64];
    const PAPI_component_info_t *info =
        named_component(event->name, prefix, sizeof(prefix));
    int code;

    if (strncmp(event->name, "PAPI_", 5) == 0 &&
        PAPI_event_name_to_code(event->name, &code) != PAPI_OK) {
        snprintf(event->why, sizeof(event->why),
                 "PAPI has no preset event of this name");
        return;
    }
    if (info == NULL && strstr(event->name, ":::") != NULL)
        snprintf(event->why, sizeof(event->why),
                 "PAPI has no component %s here", prefix);
    else if (info != NULL && info->disabled != 0 &&
             info->disabled_reason[0] != '\0')
        snprintf(event->why, sizeof(event->why), "%s is disabled: %.150s",
                 prefix, info->disabled_reason);
    else
        snprintf(event->why, sizeof(event->why), "%s", PAPI_strerror(rc));
    if (is_hardware(info) && (info->disabled != 0 || rc != PAPI_ENOEVNT))
        counters->refused = 1;
}

/* Add the event to an existing set of its component, or to a new one that takes
 * another turn. Returns PAPI's code. */
static int place(struct chorale_counters *counters,
                 struct chorale_event *event, int code, int component)
{
    struct chorale_event_set *set = counters->set;
    int turn = 0, rc, id = PAPI_NULL;

    for (int i = 0; i < counters->nset; i++) {
        if (set[i].component != component)
            continue;
        turn++;
        rc = PAPI_add_event(set[i].id, code);
        if (rc == PAPI_OK) {
            event->set = i;
            event->slot = set[i].count++;
            return rc;
        }
        if (rc != PAPI_ECNFLCT && rc != PAPI_ECOUNT)
            return rc;
    }
    rc = PAPI_create_eventset(&id);
    if (rc == PAPI_OK)
        rc = PAPI_add_event(id, code);
    if (rc != PAPI_OK)
        return rc;
    if (turn == 1)
        counters->in_turns = component + 1;
    set[counters->nset] = (struct chorale_event_set){
        .id = id, .component = component, .node_wide = event->node_wide,
        .turn = turn, .count = 1,
    };
    event->set = counters->nset++;
    return PAPI_OK;
}

static void find(struct chorale_counters *counters,
                 struct chorale_event *event)
{
    PAPI_event_info_t info;
    int code = 0, component, rc;

    rc = PAPI_event_name_to_code(event->name, &code);
    component = rc == PAPI_OK ? PAPI_get_event_component(code) : -1;
    event->node_wide = is_node_wide(component_of(component));
    if (rc == PAPI_OK && event->node_wide && !counters->reader)
        return; /* counted by another rank of this node */
    if (rc == PAPI_OK)
        rc = place(counters, event, code, component);
    if (rc != PAPI_OK) {
        explain(counters, event, rc);
        return;
    }
    event->real = PAPI_get_event_info(code, &info) == PAPI_OK &&
                  info.data_type == PAPI_DATATYPE_FP64;
}

void chorale_papi_open(struct chorale_counters *counters)
{
    counters->started = PAPI_is_initialized() == PAPI_NOT_INITED;
    counters->set = calloc((size_t)counters->count, sizeof(*counters->set));
    counters->seen = calloc((size_t)counters->count, sizeof(*counters->seen));
    if (counters->set == NULL || counters->seen == NULL ||
        (counters->started &&
         PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)) {
        for (int i = 0; i < counters->count; i++)
            snprintf(counters->event[i].why, sizeof(counters->event[i].why),
                     "PAPI does not start");
        counters->started = 0;
        return;
    }
    for (int i = 0; i < counters->count; i++)
        find(counters, &counters->event[i]);
}

void chorale_papi_close(struct chorale_counters *counters)
{
    for (int i = 0; i < counters->nset; i++) {
        PAPI_cleanup_eventset(counters->set[i].id);
        PAPI_destroy_eventset(&counters->set[i].id);
    }
    if (counters->started) /* not if another tool initialised it */
        PAPI_shutdown();
    free(counters->set);
    free(counters->seen);
}

/* perf_event_paranoid: unprivileged users may count their own processes up to
 * 2, and the whole node up to 0. */
void chorale_papi_advice(const struct chorale_counters *counters, char *text,
                         size_t size)
{
    char value[32] = "";
    long level;

    text[0] = '\0';
    if (!counters->refused ||
        chorale_facts_line("/proc/sys/kernel/perf_event_paranoid", NULL,
                           value, sizeof(value)) != 0)
        return;
    level = strtol(value, NULL, 10);
    if (level > 2)
        snprintf(text, size,
                 "kernel.perf_event_paranoid is %ld here, so only privileged "
                 "programs may count hardware events; set it to 2 as root on "
                 "every node: `sysctl kernel.perf_event_paranoid=2`", level);
    else
        snprintf(text, size,
                 "kernel.perf_event_paranoid is %ld here, which permits "
                 "counting in your own programs (node-wide from 0 down); "
                 "refused hardware events do not exist here, as in many "
                 "virtual machines", level);
}

/* --- counting --------------------------------------------------------- */

static int taken(const struct chorale_event_set *set, int node_wide, int turn)
{
    return set->node_wide == node_wide && set->turn == turn;
}

void chorale_papi_start(struct chorale_counters *counters, int node_wide,
                        int turn)
{
    for (int i = 0; i < counters->nset; i++) {
        struct chorale_event_set *set = &counters->set[i];

        if (!taken(set, node_wide, turn))
            continue;
        set->running = PAPI_start(set->id) == PAPI_OK;
        if (!set->running)
            counters->failed = set->component + 1;
    }
}

static double read_value(const struct chorale_event *event, long long value)
{
    double real;

    if (!event->real)
        return (double)value;
    memcpy(&real, &value, sizeof(real));
    return real;
}

void chorale_papi_stop(struct chorale_counters *counters, int node_wide,
                       int turn, double *value)
{
    long long *seen = counters->seen;

    /* Stop in reverse order of starting. */
    for (int i = counters->nset - 1; i >= 0; i--) {
        struct chorale_event_set *set = &counters->set[i];
        int good = set->running;

        if (!taken(set, node_wide, turn))
            continue;
        if (good)
            good = PAPI_stop(set->id, seen) == PAPI_OK;
        set->running = 0;
        for (int e = 0; e < counters->count; e++)
            if (counters->event[e].set == i)
                value[e] = good ? read_value(&counters->event[e],
                                             seen[counters->event[e].slot])
                                : NAN;
    }
}
