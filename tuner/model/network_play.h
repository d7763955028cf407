/* SPDX-License-Identifier: BSD-3-Clause */
/* network_play.h - the state of a schedule being played, for the files that play
 * it (network_play.c), know what comes next (network_events.c), what a message shares
 * (network_route.c), and share that out (network_share.c). */
#ifndef CHORALE_TUNER_MODEL_NETWORK_PLAY_H
#define CHORALE_TUNER_MODEL_NETWORK_PLAY_H

#include "tuner/model/network.h"

/* A time as a sum: [0] its seconds, [1 + column] how often each parameter is
 * in it; the former alone where nobody asks for columns. */
typedef double chorale_time;

enum flow_state {
    FLOW_OPEN,               /* one end is posted */
    FLOW_FLYING,             /* latency */
    FLOW_MOVING,             /* its bytes share ports */
    FLOW_DONE
};

/* A message. */
struct flow {
    int src, dst;
    int next;                /* of the same pair, with one end; -1 */
    int nend;                /* how many ends are posted */
    int level, regime, overlapped;
    double bytes;
    enum flow_state state;
    double rate;             /* of the ports' time */
    double work;             /* s of a whole port, in all */
    double share;            /* the rate that is being worked out */
    int awaited;             /* 1 + its event's place in the heap; 0: none */
    unsigned stamp;
    int nhop;                /* links that make it later */
    int nport, first;        /* its places in the ports' lists: play.place */
};

/* A flow in the list of a port. */
struct place {
    int flow, port;
    int after, before;       /* places of the same port, or -1 */
};

struct port {
    double size;             /* 1: one rank's */
    int first;               /* place, or -1 */
    int left;                /* flows whose share is not worked out */
    double free;
    unsigned stamp;
};

struct event {
    double seconds;
    int flow;
};

struct play {
    const struct chorale_net *net;
    int size, ppn, nnode;    /* ranks, those of a node, nodes, */
    enum chorale_net_place where; /* and which are on which */
    int *link;               /* room for the way of one message */
    int width;               /* numbers a time takes */
    struct flow *flow;
    chorale_time *when;      /* of a flow: its start, or since when its rate
                              * holds, or its end */
    chorale_time *left;      /* of a flow: work left, s of a whole port */
    int nflow, room;
    struct port *port;
    int nport;
    struct place *place;
    int nplace, place_room;
    struct event *heap;
    int nevent, heap_room;
    chorale_time *now;
    int *touched, ntouched;  /* ports whose flows have changed */
    int *some_flow, *some_port; /* those that share with each other */
    unsigned stamp, touch_stamp;
    unsigned *port_touched;
    double work, most_work;  /* steps of sharing so far, and at most */
    int failed;              /* no memory, or too much work */
};

#define NET_PLAY_WORK 1e6    /* steps of sharing at most, */
#define NET_PLAY_EACH 1e3    /* and for each message */
#define NET_PLAY_TAIL 1e-4   /* of a message */
#define NET_PLAY_TIE 1e-9    /* relative: events as close are simultaneous */

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

/* Await the flow's next event, at that moment and no other. */
void chorale_play_await(struct play *p, int flow, double seconds);

/* The flow whose event is next; it awaits none from now on. */
int chorale_play_pop(struct play *p);

/* Level, regime, ports and links of a flow that has src, dst and bytes. -1: no
 * memory. */
int chorale_play_route(struct play *p, int flow);

/* A flow enters its ports, leaves them. */
void chorale_play_enter(struct play *p, int flow);
void chorale_play_leave(struct play *p, int flow);

/* Work out the rates of all that share with what has entered or left, and
 * await their ends. */
void chorale_play_share(struct play *p);

#endif
