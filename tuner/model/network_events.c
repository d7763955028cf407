/* SPDX-License-Identifier: BSD-3-Clause */
/* network_events.c - event queue of a schedule replay: a binary heap. */
#include <stdlib.h>

#include "tuner/model/network_play.h"

static int sooner(const struct event *a, const struct event *b)
{
    if (a->seconds < b->seconds || a->seconds > b->seconds)
        return a->seconds < b->seconds;
    return a->flow < b->flow;
}

static void put_event(struct play *p, int i, struct event e)
{
    p->heap[i] = e;
    p->flow[e.flow].awaited = i + 1;
}

/* Place e at i or further up. */
static void rise(struct play *p, int i, struct event e)
{
    for (; i > 0 && sooner(&e, &p->heap[(i - 1) / 2]); i = (i - 1) / 2)
        put_event(p, i, p->heap[(i - 1) / 2]);
    put_event(p, i, e);
}

/* Place e at i or further down. */
static void sink(struct play *p, int i, struct event e)
{
    int child;

    while ((child = 2 * i + 1) < p->nevent) {
        if (child + 1 < p->nevent &&
            sooner(&p->heap[child + 1], &p->heap[child]))
            child++;
        if (!sooner(&p->heap[child], &e))
            break;
        put_event(p, i, p->heap[child]);
        i = child;
    }
    put_event(p, i, e);
}

void chorale_play_await(struct play *p, int flow, double seconds)
{
    struct event e = { seconds, flow };
    int i = p->flow[flow].awaited - 1;

    if (i >= 0) {
        if (sooner(&e, &p->heap[i]))
            rise(p, i, e);
        else
            sink(p, i, e);
        return;
    }
    if (p->nevent == p->heap_room) {
        int room = 2 * p->heap_room + 64;
        struct event *more = realloc(p->heap, (size_t)room * sizeof(*more));

        if (more == NULL) {
            p->failed = 1;
            return;
        }
        p->heap = more;
        p->heap_room = room;
    }
    rise(p, p->nevent++, e);
}

int chorale_play_pop(struct play *p)
{
    int flow = p->heap[0].flow;
    struct event last = p->heap[--p->nevent];

    p->flow[flow].awaited = 0;
    if (p->nevent > 0)
        sink(p, 0, last);
    return flow;
}
