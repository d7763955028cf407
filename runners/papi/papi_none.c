/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_none.c - without PAPI, or in simulation, where PAPI cannot count ranks:
 * only Chorale's own events are available, through counters.c. */
#include "config.h"

#include "runners/measure/counters.h"

#include <stdio.h>

#ifdef CHORALE_SIM
#define WHY "simulated ranks have no counters"
#else
#define WHY "built without PAPI: configure with libpapi-dev"
#endif

void chorale_papi_publish(struct chorale_stat *stat)
{
    (void)stat;
}

void chorale_papi_open(struct chorale_counters *counters)
{
    for (int i = 0; i < counters->count; i++)
        snprintf(counters->event[i].why, sizeof(counters->event[i].why),
                 WHY);
}

void chorale_papi_close(struct chorale_counters *counters)
{
    (void)counters;
}

const char *chorale_papi_component(int component)
{
    (void)component;
    return "PAPI";
}

void chorale_papi_advice(const struct chorale_counters *counters, char *text,
                         size_t size)
{
    (void)counters;
    (void)size;
    text[0] = '\0';
}

void chorale_papi_start(struct chorale_counters *counters, int node_wide,
                        int turn)
{
    (void)counters;
    (void)node_wide;
    (void)turn;
}

void chorale_papi_stop(struct chorale_counters *counters, int node_wide,
                       int turn, double *value)
{
    (void)counters;
    (void)node_wide;
    (void)turn;
    (void)value;
}
