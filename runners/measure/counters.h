/* SPDX-License-Identifier: BSD-3-Clause */
/* counters.h - events of one call of a collective: Chorale's own events, and
 * those that PAPI counts.
 *
 * They are counted in calls of their own, outside the timed repetitions,
 * because reading counters takes time. Events of a process are read around the
 * call on each rank and summed over the ranks. Events of a whole node (a
 * network card, energy) have one reader per node. It counts from before the
 * first rank of the node calls until the last one has returned, over as many
 * calls as fill some milliseconds. The value is per call, summed over the
 * nodes.
 *
 * Chorale's own events are always published as sde:::chorale::messages and so
 * on, so that any PAPI tool in the process sees them; they only increase.
 * Requested events that cannot be counted are reported once by name, and stored
 * as NULL.
 */
#ifndef CHORALE_RUNNERS_MEASURE_COUNTERS_H
#define CHORALE_RUNNERS_MEASURE_COUNTERS_H

#include <stddef.h>

#include "algorithms/context.h"

/* Chorale's own events, in the order of struct chorale_stat. */
enum { CHORALE_OWN_ROUNDS = 3, CHORALE_OWN = 5 };
#define CHORALE_OWN_PREFIX "sde:::chorale::"

static inline const char *chorale_own_name(int i)
{
    static const char *const name[CHORALE_OWN] = {
        "messages", "bytes_sent", "bytes_reduced", "rounds", "wait_ns",
    };

    return name[i];
}

static inline long long *chorale_own_value(struct chorale_stat *stat, int i)
{
    long long *const value[CHORALE_OWN] = {
        &stat->messages, &stat->bytes_sent, &stat->bytes_reduced,
        &stat->rounds, &stat->wait_ns,
    };

    return value[i];
}

/* One requested event. */
struct chorale_event {
    char *name;
    int own;                 /* index of Chorale's own event; -1: PAPI's */
    int node_wide;
    int set;                 /* index in chorale_counters.set; -1: PAPI cannot
                              * count it here */
    int slot;                /* index in the set */
    int real;                /* 1: its value is a double */
    int absent;              /* 1: a rank that should count it cannot */
    char why[256];           /* why set is -1 */
};

/* Events of one component, which PAPI counts together. */
struct chorale_event_set {
    int id;                  /* PAPI's event set */
    int component;
    int node_wide;
    int turn;                /* sets of one component take turns */
    int count;               /* number of events */
    int running;
};

struct chorale_counters {
    struct chorale_event *event;
    int count;
    struct chorale_event_set *set;
    int nset;
    long long *seen;         /* buffer for PAPI's values */
    int turns[2];            /* turns of process sets and of node sets, maximum
                              * over all ranks; the first is at least 1 */
    int reader;              /* 1: this rank reads the node-wide events */
    struct chorale_ctx *node; /* the ranks of this node; NULL in simulation */
    struct chorale_stat before;
    int in_turns;            /* component that needs turns, plus 1; 0: none */
    int refused;             /* 1: hardware events are not permitted */
    int started, failed;     /* 1: PAPI was initialised here; component whose
                              * start failed, plus 1 */
};

/* papi.c or papi_none.c: publish Chorale's own events; once, before the ranks
 * use PAPI. */
void chorale_papi_publish(struct chorale_stat *stat);
/* Look up each event: sets set, slot, real, node_wide or why of the events that
 * this rank must count. */
void chorale_papi_open(struct chorale_counters *counters);
void chorale_papi_close(struct chorale_counters *counters);
/* Name of a PAPI component; and advice in text[size] if hardware events (the
 * perf_event component) are not permitted, or "". */
const char *chorale_papi_component(int component);
void chorale_papi_advice(const struct chorale_counters *counters, char *text,
                         size_t size);
/* Start and stop the sets of that kind and turn. Stop writes the values of
 * their events, NAN if PAPI fails, and leaves the other values. */
void chorale_papi_start(struct chorale_counters *counters, int node_wide,
                        int turn);
void chorale_papi_stop(struct chorale_counters *counters, int node_wide,
                       int turn, double *value);

#endif
