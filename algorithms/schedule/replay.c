/* SPDX-License-Identifier: BSD-3-Clause */
/* replay.c - simulates a recorded schedule on a one-port network.
 *
 * Sends and receives of each pair of ranks are matched first in, first out, as
 * MPI does for one tag. A message starts when both ends are posted and both
 * ports are free, and takes alpha + beta * bytes. Every moment stores the
 * moment it waited for, so the critical path can be traced back from the last
 * one. */
#include <stdint.h>
#include <stdlib.h>

#include "algorithms/schedule/event_log.h"

/* A matched message that has not started; start is its earliest start as of the
 * last check. */
struct flight {
    double start;
    int src, out, dst, in; /* ranks, and indices of events in their traces */
};

/* Unmatched sends or receives between two ranks. */
struct pair {
    int first, last; /* indices in the sender's or the receiver's trace */
    enum what what;
    double busy; /* with links: busy until, and the moment that ends it */
    int busy_by;
};

struct play {
    struct chorale_schedule *s;
    struct pair *pair; /* open hash by (src, dst) */
    uint64_t *key;
    size_t npair;
    struct flight *heap; /* the earliest start on top */
    int nflight;
    int *ready, nready; /* ranks that may advance */
    unsigned char *queued;
};

static struct pair *pair_of(struct play *p, int src, int dst)
{
    uint64_t key = ((uint64_t)(unsigned)src << 32 | (unsigned)dst) + 1;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) % p->npair;

    while (p->key[i] != 0 && p->key[i] != key)
        i = (i + 1) % p->npair;
    if (p->key[i] == 0) {
        p->key[i] = key;
        p->pair[i].first = -1;
        p->s->trace[src].peers++;
    }
    return &p->pair[i];
}

static int play_init(struct play *p, struct chorale_schedule *s)
{
    size_t notes = 0, ranks = (size_t)s->size;

    for (int r = 0; r < s->size; r++)
        notes += (size_t)s->trace[r].n;
    p->s = s;
    p->npair = 2 * notes + 1;
    s->moment = calloc(notes + 1, sizeof(*s->moment));
    s->nmoment = 1;
    p->pair = calloc(p->npair, sizeof(*p->pair));
    p->key = calloc(p->npair, sizeof(*p->key));
    p->heap = calloc(notes + 1, sizeof(*p->heap));
    p->ready = calloc(ranks, sizeof(*p->ready));
    p->queued = calloc(ranks, sizeof(*p->queued));
    return s->moment && p->pair && p->key && p->heap && p->ready && p->queued
               ? 0
               : -1;
}

static void play_release(struct play *p)
{
    free(p->pair);
    free(p->key);
    free(p->heap);
    free(p->ready);
    free(p->queued);
}

static void wake(struct play *p, int rank)
{
    if (!p->queued[rank]) {
        p->queued[rank] = 1;
        p->ready[p->nready++] = rank;
    }
}

static int new_moment(struct play *p, int before, enum what what,
                      size_t bytes)
{
    p->s->moment[p->s->nmoment] = (struct moment){ before, what, bytes };
    return p->s->nmoment++;
}

/* Delay a start until a port or link is free. */
static void queue(double busy, int busy_by, double *start, int *by,
                  int *queues)
{
    if (busy <= *start)
        return;
    *queues = 1;
    *start = busy;
    *by = busy_by;
}

/* Earliest start of a message, and the moment it waits for. */
static double start_of(struct play *p, const struct flight *f, int *by,
                       int *queues)
{
    const struct trace *from = &p->s->trace[f->src];
    const struct trace *to = &p->s->trace[f->dst];
    const struct note *out = &from->note[f->out], *in = &to->note[f->in];
    double start = out->posted;

    *by = out->posted_by;
    *queues = 0;
    if (in->posted > start) {
        start = in->posted;
        *by = in->posted_by;
    }
    if (p->s->links) {
        const struct pair *pair = pair_of(p, f->src, f->dst);

        queue(pair->busy, pair->busy_by, &start, by, queues);
        return start;
    }
    queue(from->port[0], from->port_by[0], &start, by, queues);
    queue(to->port[1], to->port_by[1], &start, by, queues);
    return start;
}

/* 1 if a starts before b; ties are broken by the order of posting. */
static int before(const struct flight *a, const struct flight *b)
{
    if (a->start < b->start || a->start > b->start)
        return a->start < b->start;
    return a->out != b->out ? a->out < b->out : a->src < b->src;
}

static void push(struct play *p, struct flight f)
{
    int i = p->nflight++;

    for (; i > 0 && before(&f, &p->heap[(i - 1) / 2]); i = (i - 1) / 2)
        p->heap[i] = p->heap[(i - 1) / 2];
    p->heap[i] = f;
}

static struct flight pop(struct play *p)
{
    struct flight top = p->heap[0], last = p->heap[--p->nflight];
    int i = 0, child;

    while ((child = 2 * i + 1) < p->nflight) {
        if (child + 1 < p->nflight &&
            before(&p->heap[child + 1], &p->heap[child]))
            child++;
        if (!before(&p->heap[child], &last))
            break;
        p->heap[i] = p->heap[child];
        i = child;
    }
    p->heap[i] = last;
    return top;
}

/* Start the next message; if a port is still busy, put it back with its new
 * start. */
static void start_one(struct play *p)
{
    struct flight f = pop(p);
    struct trace *from = &p->s->trace[f.src], *to = &p->s->trace[f.dst];
    struct note *out = &from->note[f.out], *in = &to->note[f.in];
    int by, queues;
    double start = start_of(p, &f, &by, &queues);

    p->s->overlaps |= queues;
    if (start > f.start) {
        f.start = start;
        push(p, f);
        return;
    }
    out->end = in->end = start + p->s->alpha + p->s->beta * (double)out->bytes;
    out->moment = in->moment = new_moment(p, by, SEND, out->bytes);
    if (p->s->links) {
        struct pair *pair = pair_of(p, f.src, f.dst);

        pair->busy = out->end;
        pair->busy_by = out->moment;
    }
    from->port[0] = to->port[1] = out->end;
    from->port_by[0] = to->port_by[1] = out->moment;
    wake(p, f.src);
    wake(p, f.dst);
}

/* Post the send or receive of an event. Returns -1 if sizes do not match. */
static int post(struct play *p, int rank, struct note *note)
{
    struct trace *t = &p->s->trace[rank], *other = &p->s->trace[note->peer];
    int sends = note->what == SEND;
    struct pair *pair = sends ? pair_of(p, rank, note->peer)
                              : pair_of(p, note->peer, rank);
    int index = (int)(note - t->note);
    struct note *match;

    note->posted = t->time;
    note->posted_by = t->moment;
    if (pair->first < 0) {
        pair->first = pair->last = index;
        pair->what = note->what;
        return 0;
    }
    if (pair->what == note->what) {
        t->note[pair->last].next = index;
        pair->last = index;
        return 0;
    }
    match = &other->note[pair->first];
    pair->first = match->next;
    if ((sends ? note->bytes : match->bytes) >
        (sends ? match->bytes : note->bytes))
        return -1; /* truncated */
    push(p, (struct flight){
                .start = note->posted > match->posted ? note->posted
                                                      : match->posted,
                .src = sends ? rank : note->peer,
                .dst = sends ? note->peer : rank,
                .out = sends ? index : (int)(match - other->note),
                .in = sends ? (int)(match - other->note) : index,
            });
    return 0;
}

/* Advance a rank until it waits for a message whose end is unknown. */
static int advance(struct play *p, int rank)
{
    struct trace *t = &p->s->trace[rank];

    for (; t->at < t->n; t->at++) {
        struct note *note = &t->note[t->at];
        const struct note *end;

        if (note->what == REDUCE) {
            t->time += p->s->tau * (double)note->bytes;
            t->moment = new_moment(p, t->moment, REDUCE, note->bytes);
        } else if (note->what != WAIT) {
            if (post(p, rank, note) != 0)
                return -1;
        } else {
            end = &t->note[note->peer];
            if (end->moment == 0)
                return 0;
            if (end->end > t->time) {
                t->time = end->end;
                t->moment = end->moment;
            }
        }
    }
    return 0;
}

static int play(struct play *p)
{
    for (int r = p->s->size - 1; r >= 0; r--)
        wake(p, r);
    /* Advance every rank that can, then start the earliest message: messages
     * start in order of time. */
    while (p->nready > 0 || p->nflight > 0) {
        if (p->nready == 0) {
            start_one(p);
            continue;
        }
        int rank = p->ready[--p->nready];

        p->queued[rank] = 0;
        if (advance(p, rank) != 0)
            return -1;
    }
    for (int r = 0; r < p->s->size; r++)
        if (p->s->trace[r].at < p->s->trace[r].n)
            return -1; /* a rank waits for ever */
    for (size_t i = 0; i < p->npair; i++)
        if (p->key[i] != 0 && p->pair[i].first >= 0)
            return -1; /* a message without a receive, or a receive without a
                        * message */
    return 0;
}

int chorale_schedule_play(struct chorale_schedule *s)
{
    struct play p = { 0 };
    int bad = play_init(&p, s) != 0 || play(&p) != 0;

    play_release(&p);
    return bad ? -1 : 0;
}
