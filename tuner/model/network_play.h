/* SPDX-License-Identifier: BSD-3-Clause */
/* network_play.h - the state of a schedule replay. network_play.c advances it,
 * network_route.c routes messages and network_share.c shares ports. */
#ifndef CHORALE_TUNER_MODEL_NETWORK_PLAY_H
#define CHORALE_TUNER_MODEL_NETWORK_PLAY_H

#include "algorithms/schedule/replay.h"
#include "tuner/model/network.h"

/* A time as a linear combination: [0] seconds, [1 + column] coefficients of the
 * parameters. The coefficients exist only if columns are requested. */
typedef double chorale_time;

enum flow_state {
    FLOW_OPEN,               /* not started: one end is missing */
    FLOW_FLYING,             /* in its latency */
    FLOW_MOVING,             /* its bytes share ports */
    FLOW_DONE
};

/* The course of a message. */
struct flow {
    int level, regime, overlapped; /* overlapped: or copied twice */
    int copied;              /* by its ranks (network.h) */
    int synchronous;         /* of a size that is overlapped otherwise, but the
                              * send waits for its receiver */
    enum flow_state state;
    double rate;             /* share of the ports' time */
    double work;             /* total, s of an unshared port */
    double share;            /* next value of rate; < 0: not yet known */
    unsigned stamp;
    double cold;             /* cold bytes of the ends that were posted before
                              * the message started */
    double later;            /* cold bytes of a receive posted later */
    int nhop;                /* links that delay it beyond alpha */
    int nport, first;        /* its entries in play.place */
};

/* A flow's entry in the list of one port. */
struct place {
    int flow, port;
    int after, before;       /* places of the same port, or -1 */
};

struct port {
    double size;             /* capacity; 1: one rank's port */
    int first;               /* place, or -1 */
    int left;                /* flows whose share is not yet computed */
    double free;
    unsigned stamp;
};

struct play {
    struct chorale_replay r;
    const struct chorale_net *net;
    int size, ppn, nnode;    /* ranks, ranks per node, nodes */
    int cold;                /* cold bytes take time in this call */
    enum chorale_net_place where; /* placement of ranks */
    int *link;               /* buffer for the route of one message */
    int width;               /* numbers in a chorale_time */
    struct flow *flow;       /* [messages of r] */
    chorale_time *rank;      /* each rank's time */
    chorale_time *when;      /* per flow: its start, or the time since which
                              * its rate holds, or its end */
    chorale_time *left;      /* per flow: work left, s of an unshared port */
    struct port *port;
    int nport;
    struct place *place;
    int nplace, place_room;
    chorale_time *now;
    int *touched, ntouched;  /* ports whose set of flows has changed */
    int *component_flow;     /* a connected set of flows, */
    int *component_port;     /* and of ports */
    unsigned stamp, touch_stamp;
    unsigned *port_touched;
    double work, most_work;  /* sharing steps so far, and their limit */
};

#define NET_PLAY_WORK 1e6    /* limit of sharing steps: constant part, */
#define NET_PLAY_EACH 1e3    /* and part per message */
#define NET_PLAY_TAIL 1e-4   /* share of a message whose rate is not changed */
#define NET_PLAY_TIE 1e-9    /* relative distance of simultaneous events */

static inline chorale_time *play_rank(const struct play *p, int rank)
{
    return p->rank + (size_t)rank * (size_t)p->width;
}

static inline chorale_time *play_when(const struct play *p, int flow)
{
    return p->when + (size_t)flow * (size_t)p->width;
}

static inline chorale_time *play_left(const struct play *p, int flow)
{
    return p->left + (size_t)flow * (size_t)p->width;
}

/* a += factor * b */
static inline void time_add(chorale_time *a, const chorale_time *b,
                            double factor, int width)
{
    for (int i = 0; i < width; i++)
        a[i] += factor * b[i];
}

/* Queue the flow's next event; it replaces an event already queued. */
static inline void play_await(struct play *p, int flow, double seconds)
{
    chorale_replay_queue(&p->r, flow, seconds, (uint64_t)flow);
}

/* Whether the ranks of a flow copy its message. */
int chorale_play_copies(const struct play *p, int flow);

/* Set level, regime, ports and links of a flow from its message. -1: out of
 * memory. */
int chorale_play_route(struct play *p, int flow);

/* Add a flow to its ports, or remove it. */
void chorale_play_enter(struct play *p, int flow);
void chorale_play_leave(struct play *p, int flow);

/* Recompute the rates of all flows affected by the flows that entered or left,
 * and queue their ends. */
void chorale_play_share(struct play *p);

#endif
