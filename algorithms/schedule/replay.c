/* SPDX-License-Identifier: BSD-3-Clause */
/* replay.c - advances ranks, matches messages, and orders events. */
#include "algorithms/schedule/replay.h"

#include <stdlib.h>

/* Messages from one rank to another that lack the same end. */
struct chorale_pair {
    uint64_t key;            /* 0: unused entry */
    int first, last;         /* messages; first -1: none */
    int sends;               /* the posted end is the send */
};

/* --- queue of events ---------------------------------------------------- */

static int sooner(const struct chorale_event *a, const struct chorale_event *b)
{
    if (a->seconds < b->seconds || a->seconds > b->seconds)
        return a->seconds < b->seconds;
    return a->order < b->order;
}

static void put_event(struct chorale_replay *r, int i, struct chorale_event e)
{
    r->queue[i] = e;
    r->message[e.message].queued = i + 1;
}

/* Place e at i or further up. */
static void rise(struct chorale_replay *r, int i, struct chorale_event e)
{
    for (; i > 0 && sooner(&e, &r->queue[(i - 1) / 2]); i = (i - 1) / 2)
        put_event(r, i, r->queue[(i - 1) / 2]);
    put_event(r, i, e);
}

/* Place e at i or further down. */
static void sink(struct chorale_replay *r, int i, struct chorale_event e)
{
    int child;

    while ((child = 2 * i + 1) < r->nevent) {
        if (child + 1 < r->nevent &&
            sooner(&r->queue[child + 1], &r->queue[child]))
            child++;
        if (!sooner(&r->queue[child], &e))
            break;
        put_event(r, i, r->queue[child]);
        i = child;
    }
    put_event(r, i, e);
}

void chorale_replay_queue(struct chorale_replay *r, int message,
                          double seconds, uint64_t order)
{
    struct chorale_event e = { seconds, order, message };
    int i = r->message[message].queued - 1;

    if (i < 0)
        rise(r, r->nevent++, e);
    else if (sooner(&e, &r->queue[i]))
        rise(r, i, e);
    else
        sink(r, i, e);
}

int chorale_replay_pop(struct chorale_replay *r)
{
    int message = r->queue[0].message;
    struct chorale_event last = r->queue[--r->nevent];

    r->message[message].queued = 0;
    if (r->nevent > 0)
        sink(r, 0, last);
    return message;
}

/* --- ranks --------------------------------------------------------------- */

static void wake(struct chorale_replay *r, int rank)
{
    if (!r->is_ready[rank]) {
        r->is_ready[rank] = 1;
        r->ready[r->nready++] = rank;
    }
}

void chorale_replay_end(struct chorale_replay *r, int message)
{
    wake(r, r->message[message].src);
    wake(r, r->message[message].dst);
}

static struct chorale_pair *pair_of(struct chorale_replay *r, int src, int dst)
{
    uint64_t key = ((uint64_t)(unsigned)src << 32 | (unsigned)dst) + 1;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) % r->npair;

    while (r->pair[i].key != 0 && r->pair[i].key != key)
        i = (i + 1) % r->npair;
    if (r->pair[i].key == 0) {
        r->pair[i] = (struct chorale_pair){ key, -1, -1, 0 };
        r->s->trace[src].peers++;
    }
    return &r->pair[i];
}

/* The message of an end: the first of the pair that lacks this end, else a new
 * one. -1: there are more messages than sends. */
static int match(struct chorale_replay *r, int src, int dst, int sends)
{
    struct chorale_pair *pair = pair_of(r, src, dst);
    int i = pair->first;

    if (i >= 0 && pair->sends != sends) {
        pair->first = r->message[i].next;
        r->nopen--;
        return i;
    }
    if ((size_t)r->nmessage == r->s->sends)
        return -1;
    i = r->nmessage++;
    r->message[i] = (struct chorale_message){ .src = src, .dst = dst,
                                              .next = -1 };
    if (pair->first < 0)
        pair->first = i;
    else
        r->message[pair->last].next = i;
    pair->last = i;
    pair->sends = sends;
    r->nopen++;
    return i;
}

static int post(struct chorale_replay *r, int rank, struct note *note)
{
    int sends = note->what == SEND;
    int i = sends ? match(r, rank, note->peer, 1)
                  : match(r, note->peer, rank, 0);
    struct chorale_message *m;

    if (i < 0)
        return -1;
    m = &r->message[i];
    if (m->nend > 0 && (sends ? note->bytes > m->bytes
                              : note->bytes < m->bytes))
        return -1; /* truncated */
    if (sends || m->nend == 0)
        m->bytes = note->bytes;
    m->nend++;
    note->message = i;
    return r->network->post(r->state, rank, i, sends);
}

/* Replay the copies before the rank's next event, unless that was done before
 * the rank had to wait. */
static void copy(struct chorale_replay *r, int rank, size_t bytes, size_t cold)
{
    struct trace *t = &r->s->trace[rank];

    if (t->copies > t->at)
        return;
    t->copies = t->at + 1;
    if (bytes > 0 && r->network->copy != NULL)
        r->network->copy(r->state, rank, bytes, cold);
}

/* Advance a rank until it waits for a message that has not ended. */
static int advance(struct chorale_replay *r, int rank)
{
    struct trace *t = &r->s->trace[rank];

    for (; t->at < t->n; t->at++) {
        struct note *note = &t->note[t->at];

        copy(r, rank, note->copied, note->cold_copied);
        if (note->what == REDUCE) {
            r->network->reduce(r->state, rank, note);
        } else if (note->what == WAIT) {
            const struct note *end = &t->note[note->peer];

            if (!r->network->waited(r->state, rank, end->message,
                                    end->what == SEND))
                return 0;
        } else if (post(r, rank, note) != 0) {
            return -1;
        }
    }
    copy(r, rank, t->trailing, t->cold_trailing);
    return 0;
}

int chorale_replay_run(struct chorale_replay *r,
                       const struct chorale_replay_network *network,
                       void *state)
{
    r->network = network;
    r->state = state;
    for (int i = r->s->size - 1; i >= 0; i--)
        wake(r, i);
    /* Advance every rank that can before the next event: events are processed
     * in order of time. */
    while (r->nready > 0 || r->nevent > 0) {
        int bad;

        if (r->nready == 0) {
            bad = network->step(state);
        } else {
            int rank = r->ready[--r->nready];

            r->is_ready[rank] = 0;
            bad = advance(r, rank);
        }
        if (bad)
            return -1;
    }
    for (int i = 0; i < r->s->size; i++)
        if (r->s->trace[i].at < r->s->trace[i].n)
            return -1; /* a rank waits for ever */
    return r->nopen > 0 ? -1 : 0;
}

int chorale_replay_init(struct chorale_replay *r, struct chorale_schedule *s)
{
    size_t ranks = (size_t)s->size, messages = s->sends + 1;

    *r = (struct chorale_replay){ .s = s, .npair = 4 * messages };
    r->message = calloc(messages, sizeof(*r->message));
    r->queue = calloc(messages, sizeof(*r->queue));
    r->pair = calloc(r->npair, sizeof(*r->pair));
    r->ready = calloc(ranks, sizeof(*r->ready));
    r->is_ready = calloc(ranks, sizeof(*r->is_ready));
    for (int i = 0; i < s->size; i++)
        s->trace[i].at = s->trace[i].peers = s->trace[i].copies = 0;
    return r->message && r->queue && r->pair && r->ready && r->is_ready ? 0
                                                                        : -1;
}

void chorale_replay_release(struct chorale_replay *r)
{
    free(r->message);
    free(r->queue);
    free(r->pair);
    free(r->ready);
    free(r->is_ready);
}
