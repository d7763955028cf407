/* SPDX-License-Identifier: BSD-3-Clause */
/* counters.h - events of one call of a collective: Chorale's own, and those
 * that PAPI counts.
 *
 * They are counted in calls of their own, outside the timed repetitions:
 * reading them costs. Events of a process are bounded by the call on each
 * rank and added up over the ranks. Events of a whole node (a network card,
 * its energy) have one reader a node; it reads from before the first rank of
 * the node calls until the last one is out, over as many calls as fill some
 * milliseconds, and the value is of one call, added up over the nodes.
 *
 * Chorale's own events are published as sde:::chorale::messages and so on
 * whatever is asked for, so that any PAPI tool in the process sees them; they
 * never go back. What is asked for and cannot be counted is said once, by
 * name, and is stored as absent.
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

/* One event that is asked for. */
struct chorale_event {
    char *name;
    int own;                 /* which of our own, -1: none */
    int node_wide;
    int set;                 /* of papi.c, -1: PAPI does not count it here */
    int slot;                /* in the set */
    int real;                /* its value is a double */
    int absent;              /* on some rank that should count it */
    char why[256];           /* why set is -1 */
};

/* Events that PAPI counts together: of one component. */
struct chorale_event_set {
    int id;                  /* PAPI's */
    int component;
    int node_wide;
    int turn;                /* sets of one component take turns */
    int count;               /* events */
    int running;
};

struct chorale_counters {
    struct chorale_event *event;
    int count;
    struct chorale_event_set *set;
    int nset;
    long long *seen;         /* what PAPI reads them into */
    int turns[2];            /* all ranks: of the sets of processes, of nodes;
                              * the first is at least 1 */
    int reader;              /* this rank reads what is of the whole node */
    struct chorale_ctx *node; /* the ranks of this node; NULL in simulation */
    struct chorale_stat before;
    int in_turns;            /* PAPI cannot count all at once: a component */
    int refused;             /* hardware events are: papi.c's advice */
    int started, failed;     /* PAPI is ours to shut down; a start failed */
};

/* papi.c, or papi_none.c. Publish our own events;
 * once, before MPI's ranks use PAPI. */
void chorale_papi_publish(struct chorale_stat *stat);
/* Find each event: sets set, slot, real, node_wide or why, of events that are
 * for this rank to count. */
void chorale_papi_open(struct chorale_counters *counters);
void chorale_papi_close(struct chorale_counters *counters);
/* Name of a component of PAPI's; what to do about refused hardware events, of
 * the perf_event component, or "". */
const char *chorale_papi_component(int component);
void chorale_papi_advice(const struct chorale_counters *counters, char *text,
                         size_t size);
/* Start and stop the sets of that kind and turn. Values of their events are
 * written, NAN where PAPI fails; others are left. */
void chorale_papi_start(struct chorale_counters *counters, int node_wide,
                        int turn);
void chorale_papi_stop(struct chorale_counters *counters, int node_wide,
                       int turn, double *value);

#endif
