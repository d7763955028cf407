/* SPDX-License-Identifier: BSD-3-Clause */
/* one_port.c - replays a recorded schedule on a one-port network.
 *
 * A message starts when both ends are posted and both ports are free, and takes
 * alpha + beta * bytes. Every moment stores the moment it waited for, so the
 * critical path can be traced back from the last one. */
#include <stdlib.h>

#include "algorithms/schedule/event_log.h"
#include "algorithms/schedule/replay.h"

struct flight {
    double posted, end;      /* s; posted: both ends */
    int posted_by;           /* the moment that determined posted */
    int moment;              /* of the end; 0: not known yet */
    uint64_t order;          /* of messages that start at once: by the order of
                              * posting */
};

/* A port is busy until the end of a moment. */
struct port {
    double busy;
    int busy_moment;
};

struct one_port {
    struct chorale_replay r;
    struct flight *flight;   /* per message */
    struct port *port;       /* two per rank, or one per link */
};

static int new_moment(struct chorale_schedule *s, int before, enum what what,
                      size_t bytes)
{
    s->moment[s->nmoment] = (struct moment){ before, what, bytes };
    return s->nmoment++;
}

static int post(void *state, int rank, int message, int sends)
{
    struct one_port *o = state;
    const struct trace *t = &o->r.s->trace[rank];
    struct flight *f = &o->flight[message];
    int nend = o->r.message[message].nend;

    if (sends)
        f->order = (uint64_t)(unsigned)t->at << 32 | (unsigned)rank;
    if (nend == 1 || t->time > f->posted || (sends && t->time >= f->posted)) {
        f->posted = t->time;
        f->posted_by = t->moment;
    }
    if (nend == 2)
        chorale_replay_queue(&o->r, message, f->posted, f->order);
    return 0;
}

static int waited(void *state, int rank, int message, int sends)
{
    struct one_port *o = state;
    struct trace *t = &o->r.s->trace[rank];
    const struct flight *f = &o->flight[message];

    (void)sends;
    if (f->moment == 0)
        return 0;
    if (f->end > t->time) {
        t->time = f->end;
        t->moment = f->moment;
    }
    return 1;
}

/* Copies take no time: the formulas of the catalogue do not count them. */
static void reduce(void *state, int rank, const struct note *note)
{
    struct chorale_schedule *s = ((struct one_port *)state)->r.s;
    struct trace *t = &s->trace[rank];

    t->time += s->tau * (double)note->bytes;
    t->moment = new_moment(s, t->moment, REDUCE, note->bytes);
}

/* The port or link that an end of a message uses. */
static struct port *port_of(struct one_port *o, int message, int receives)
{
    const struct chorale_message *m = &o->r.message[message];
    const struct chorale_schedule *s = o->r.s;

    if (s->links)
        return &o->port[(size_t)m->src * (size_t)s->size + (size_t)m->dst];
    return &o->port[2 * (receives ? m->dst : m->src) + receives];
}

/* Start the next message; if a port is still busy, queue it for its new
 * start. */
static int start_next(void *state)
{
    struct one_port *o = state;
    struct chorale_schedule *s = o->r.s;
    double queued = o->r.queue[0].seconds;
    int message = chorale_replay_pop(&o->r);
    size_t bytes = o->r.message[message].bytes;
    struct flight *f = &o->flight[message];
    double start = f->posted;
    int by = f->posted_by;

    for (int i = 0; i < 2; i++) {
        const struct port *port = port_of(o, message, i);

        if (port->busy <= start)
            continue;
        s->overlaps = 1;
        start = port->busy;
        by = port->busy_moment;
    }
    if (start > queued) {
        chorale_replay_queue(&o->r, message, start, f->order);
        return 0;
    }
    f->end = start + s->alpha + s->beta * (double)bytes;
    f->moment = new_moment(s, by, SEND, bytes);
    for (int i = 0; i < 2; i++)
        *port_of(o, message, i) = (struct port){ f->end, f->moment };
    chorale_replay_end(&o->r, message);
    return 0;
}

static const struct chorale_replay_network network = {
    .post = post, .waited = waited, .reduce = reduce, .step = start_next,
};

int chorale_schedule_play(struct chorale_schedule *s)
{
    size_t ranks = (size_t)s->size;
    struct one_port o;
    int bad = chorale_replay_init(&o.r, s) != 0;

    o.flight = calloc(s->sends + 1, sizeof(*o.flight));
    o.port = calloc(s->links ? ranks * ranks : 2 * ranks, sizeof(*o.port));
    s->moment = calloc(s->notes + 1, sizeof(*s->moment));
    s->nmoment = 1;
    bad |= !o.flight || !o.port || !s->moment;
    bad = bad || chorale_replay_run(&o.r, &network, &o) != 0;
    chorale_replay_release(&o.r);
    free(o.flight);
    free(o.port);
    return bad ? -1 : 0;
}
