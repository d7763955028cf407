/* SPDX-License-Identifier: BSD-3-Clause */
/* network_play.c - replay a recorded schedule on a parametrised network.
 *
 * The ends of messages are matched first in, first out for each pair of ranks.
 * Ranks advance until they wait for a message that has not arrived. Then the
 * next event is processed: the end of a latency, or an arrival. */
#include "tuner/model/network_play.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/schedule/event_log.h"
#include "algorithms/schedule/schedule.h"

struct chorale_score {
    struct chorale_schedule s;
    size_t notes, messages;
    int ppn;
    enum chorale_net_place place;
};

/* Open messages between two ranks. */
struct pair {
    uint64_t key;            /* 0: unused entry */
    int first, last;         /* flows with one end, or -1 */
    int sends;               /* their posted end is the send */
};

struct player {
    struct play p;
    struct chorale_score *score;
    struct pair *pair;       /* open hash */
    size_t npair;
    chorale_time *rank;      /* each rank's time */
    int *ready, nready;
    unsigned char *queued;
};

struct chorale_score *chorale_score_new(const struct chorale_alg *alg,
                                        const struct chorale_point *pt,
                                        int ppn, enum chorale_net_place place,
                                        const char **why)
{
    struct chorale_score *score = calloc(1, sizeof(*score));
    const char *reason = NULL;
    size_t scratch = 0;

    if (score == NULL)
        reason = "there is no memory";
    else if (chorale_alg_refuses(alg, pt) != NULL)
        reason = "it does not run there";
    else if (chorale_schedule_write(&score->s, alg, pt, &scratch) != 0)
        reason = "it fails, or there is no memory";
    else if (score->s.opaque)
        reason = CHORALE_SCHEDULE_LIBRARY;
    if (why != NULL)
        *why = reason;
    if (reason != NULL) {
        chorale_score_free(score);
        return NULL;
    }
    score->ppn = ppn > 0 ? ppn : pt->comm_size;
    score->place = place;
    for (int r = 0; r < score->s.size; r++) {
        score->notes += (size_t)score->s.trace[r].n;
        for (int i = 0; i < score->s.trace[r].n; i++)
            score->messages += score->s.trace[r].note[i].what == SEND;
    }
    return score;
}

void chorale_score_free(struct chorale_score *score)
{
    if (score == NULL)
        return;
    chorale_schedule_release(&score->s);
    free(score);
}

size_t chorale_score_notes(const struct chorale_score *score)
{
    return score->notes;
}

/* --- messages ---------------------------------------------------------- */

static struct pair *pair_of(struct player *pl, int src, int dst)
{
    uint64_t key = ((uint64_t)(unsigned)src << 32 | (unsigned)dst) + 1;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) % pl->npair;

    while (pl->pair[i].key != 0 && pl->pair[i].key != key)
        i = (i + 1) % pl->npair;
    if (pl->pair[i].key == 0)
        pl->pair[i] = (struct pair){ key, -1, -1, 0 };
    return &pl->pair[i];
}

static int new_flow(struct play *p)
{
    if (p->nflow == p->room) {
        int room = 2 * p->room + 64;
        size_t n = (size_t)room, w = (size_t)p->width * sizeof(double);
        struct flow *flow = realloc(p->flow, n * sizeof(*flow));
        double *when, *left;
        int *some;

        if (flow != NULL)
            p->flow = flow;
        when = realloc(p->when, n * w);
        if (when != NULL)
            p->when = when;
        left = realloc(p->left, n * w);
        if (left != NULL)
            p->left = left;
        some = realloc(p->some_flow, n * sizeof(*some));
        if (some != NULL)
            p->some_flow = some;
        if (flow == NULL || when == NULL || left == NULL || some == NULL)
            return -1;
        p->room = room;
    }
    memset(&p->flow[p->nflow], 0, sizeof(*p->flow));
    p->flow[p->nflow].next = -1;
    return p->nflow++;
}

/* Start the latency at `when`: alpha without the parts that are spent as
 * overheads or gap. */
static void take_off(struct player *pl, int flow)
{
    struct play *p = &pl->p;
    const struct chorale_net *net = p->net;
    struct flow *f = &p->flow[flow];
    const struct chorale_net_regimes *r = &net->level[f->level].regime;
    chorale_time *when = play_when(p, flow), *left = play_left(p, flow);
    int column = 1 + chorale_net_column(net, f->level, f->regime);
    int parts = 1 + chorale_net_column_parts(net);
    double over = f->overlapped ? 1 : 0;
    double alphas = 1 + net->wiring.hop * f->nhop;
    double latency = alphas * r->alpha[f->regime] - net->gap -
                     over * (net->send_overhead + net->recv_overhead);

    if (latency >= 0)
        when[0] += latency;
    memset(left, 0, (size_t)p->width * sizeof(*left));
    left[0] = f->work = net->gap + r->beta[f->regime] * f->bytes;
    if (latency >= 0 && p->width > 1) {
        when[column] += alphas;
        when[parts] -= over;
        when[parts + 1] -= over;
        when[parts + 2] -= 1;
    }
    if (p->width > 1) {
        left[parts + 2] = 1;
        left[column + 1] = f->bytes;
    }
    f->state = FLOW_FLYING;
    chorale_play_await(p, flow, when[0]);
}

/* The flow of an end of a message: the first of the pair that lacks this end,
 * else a new one. -1: out of memory. */
static int flow_of(struct player *pl, struct pair *pair, int sends)
{
    struct play *p = &pl->p;
    int flow = pair->first;

    if (flow >= 0 && pair->sends != sends) {
        pair->first = p->flow[flow].next;
        return flow;
    }
    flow = new_flow(p);
    if (flow < 0)
        return -1;
    if (pair->first < 0)
        pair->first = flow;
    else
        p->flow[pair->last].next = flow;
    pair->last = flow;
    pair->sends = sends;
    return flow;
}

/* Post one end of a message at the rank's time; sets note->moment to its
 * flow + 1. -1: out of memory, or the sizes do not match. */
static int post(struct player *pl, int rank, struct note *note)
{
    struct play *p = &pl->p;
    const chorale_time *mine = pl->rank + (size_t)rank * (size_t)p->width;
    int sends = note->what == SEND;
    struct pair *pair = sends ? pair_of(pl, rank, note->peer)
                              : pair_of(pl, note->peer, rank);
    int flow = flow_of(pl, pair, sends);
    double bytes = (double)note->bytes;
    struct flow *f;
    chorale_time *when;

    if (flow < 0)
        return -1;
    f = &p->flow[flow];
    when = play_when(p, flow);
    note->moment = flow + 1;
    if (f->nend > 0 && (sends ? bytes > f->bytes : bytes < f->bytes))
        return -1; /* truncated */
    if (sends) {
        f->src = rank;
        f->dst = note->peer;
        f->bytes = bytes;
        if (chorale_play_route(p, flow) != 0)
            return -1;
    } else if (f->nend == 0)
        f->bytes = bytes;
    f->nend++;
    if (f->state != FLOW_OPEN)
        return 0;
    if (f->nend == 1 || mine[0] > when[0] || (sends && f->overlapped))
        memcpy(when, mine, (size_t)p->width * sizeof(*when));
    if (f->nend == 2 || (sends && f->overlapped))
        take_off(pl, flow);
    return 0;
}

/* --- ranks ------------------------------------------------------------- */

static void wake(struct player *pl, int rank)
{
    if (!pl->queued[rank]) {
        pl->queued[rank] = 1;
        pl->ready[pl->nready++] = rank;
    }
}

static void spend(struct player *pl, int rank, int column, double seconds,
                  double times)
{
    chorale_time *t = pl->rank + (size_t)rank * (size_t)pl->p.width;

    t[0] += seconds * times;
    if (pl->p.width > 1)
        t[1 + column] += times;
}

/* 1: the rank's wait for that flow is over; 0: it must continue to wait. */
static int waited(struct player *pl, int rank, int flow, int sends)
{
    struct play *p = &pl->p;
    const struct flow *f = &p->flow[flow];
    chorale_time *mine = pl->rank + (size_t)rank * (size_t)p->width;

    if (sends && f->overlapped)
        return 1;
    if (f->state != FLOW_DONE)
        return 0;
    if (play_when(p, flow)[0] > mine[0])
        memcpy(mine, play_when(p, flow), (size_t)p->width * sizeof(*mine));
    if (f->overlapped)
        spend(pl, rank, chorale_net_column_parts(p->net) + 1,
              p->net->recv_overhead, 1);
    return 1;
}

/* Advance a rank until it waits. -1: as post(). */
static int advance(struct player *pl, int rank)
{
    struct trace *t = &pl->score->s.trace[rank];
    const struct chorale_net *net = pl->p.net;
    int parts = chorale_net_column_parts(net);
    int tau = chorale_net_column_tau(net);

    for (; t->at < t->n; t->at++) {
        struct note *note = &t->note[t->at];

        if (note->what == REDUCE) {
            int k = chorale_net_regime(&net->tau, (double)note->bytes);

            spend(pl, rank, tau + k, net->tau.beta[k], (double)note->bytes);
        } else if (note->what == WAIT) {
            const struct note *end = &t->note[note->peer];

            if (!waited(pl, rank, end->moment - 1, end->what == SEND))
                return 0;
        } else {
            if (note->what == SEND && (double)note->bytes <=
                                          net->overlap_upto)
                spend(pl, rank, parts, net->send_overhead, 1);
            if (post(pl, rank, note) != 0)
                return -1;
        }
    }
    return 0;
}

/* --- replay ------------------------------------------------------------ */

/* Process an event: the end of a latency, or an arrival. */
static void happen(struct player *pl, int flow)
{
    struct play *p = &pl->p;
    struct flow *f = &p->flow[flow];
    chorale_time *when = play_when(p, flow), *left = play_left(p, flow);

    if (f->state == FLOW_FLYING && left[0] > 0) {
        f->state = FLOW_MOVING;
        chorale_play_enter(p, flow);
        return;
    }
    if (f->state == FLOW_MOVING) {
        chorale_play_leave(p, flow);
        time_add(when, left, 1 / f->rate, p->width);
    } else
        time_add(when, left, 1, p->width);
    f->state = FLOW_DONE;
    wake(pl, f->src);
    wake(pl, f->dst);
}

/* Process all events of the next moment. */
static void next_moment(struct player *pl)
{
    struct play *p = &pl->p;
    double until = p->heap[0].seconds * (1 + NET_PLAY_TIE);
    int any = 0;

    while (p->nevent > 0 && p->heap[0].seconds <= until) {
        int flow = chorale_play_pop(p);
        struct flow *f = &p->flow[flow];

        if (!any) {
            memcpy(p->now, play_when(p, flow),
                   (size_t)p->width * sizeof(*p->now));
            if (f->state == FLOW_MOVING)
                time_add(p->now, play_left(p, flow), 1 / f->rate, p->width);
        }
        any = 1;
        happen(pl, flow);
    }
    if (any && p->ntouched > 0)
        chorale_play_share(p);
}

static int run(struct player *pl)
{
    struct play *p = &pl->p;
    struct chorale_schedule *s = &pl->score->s;

    for (int r = s->size - 1; r >= 0; r--)
        wake(pl, r);
    while ((pl->nready > 0 || p->nevent > 0) && !p->failed) {
        if (pl->nready == 0) {
            next_moment(pl);
            continue;
        }
        int rank = pl->ready[--pl->nready];

        pl->queued[rank] = 0;
        if (advance(pl, rank) != 0)
            return -1;
    }
    for (int r = 0; r < s->size; r++)
        if (s->trace[r].at < s->trace[r].n)
            return -1; /* a rank waits for ever */
    return p->failed ? -1 : 0;
}

static int player_init(struct player *pl)
{
    struct play *p = &pl->p;
    struct chorale_schedule *s = &pl->score->s;
    size_t ranks = (size_t)s->size, width = (size_t)p->width, ports;
    const struct chorale_wiring *wiring = &p->net->wiring;
    int ppn = pl->score->ppn, nnode = (s->size + ppn - 1) / ppn;
    int own = 2 * nnode + 4 * s->size;
    int longest = chorale_wiring_longest(wiring, nnode);

    p->size = s->size;
    p->ppn = ppn;
    p->nnode = nnode;
    p->where = pl->score->place;
    p->nport = own + chorale_wiring_links(wiring, nnode);
    ports = (size_t)p->nport;
    pl->npair = 4 * pl->score->messages + 16;
    pl->pair = calloc(pl->npair, sizeof(*pl->pair));
    pl->rank = calloc(ranks * width, sizeof(*pl->rank));
    pl->ready = calloc(ranks, sizeof(*pl->ready));
    pl->queued = calloc(ranks, sizeof(*pl->queued));
    p->link = calloc((size_t)longest + 1, sizeof(*p->link));
    p->port = calloc(ports, sizeof(*p->port));
    p->now = calloc(width, sizeof(*p->now));
    p->touched = calloc(ports, sizeof(*p->touched));
    p->some_port = calloc(ports, sizeof(*p->some_port));
    p->port_touched = calloc(ports, sizeof(*p->port_touched));
    if (!pl->pair || !pl->rank || !pl->ready || !pl->queued || !p->link ||
        !p->port || !p->now || !p->touched || !p->some_port || !p->port_touched)
        return -1;
    p->touch_stamp = 1;
    p->most_work = NET_PLAY_WORK + NET_PLAY_EACH * (1 + longest) *
                                       (double)pl->score->messages;
    for (int i = 0; i < p->nport; i++) {
        p->port[i].first = -1;
        p->port[i].size =
            i >= own ? chorale_wiring_size(wiring, nnode, i - own)
            : i < 2 * nnode && ppn > 1 ? p->net->ports : 1;
    }
    for (int r = 0; r < s->size; r++)
        s->trace[r].at = 0;
    return 0;
}

static void player_release(struct player *pl)
{
    struct play *p = &pl->p;

    free(pl->pair);
    free(pl->rank);
    free(pl->ready);
    free(pl->queued);
    free(p->link);
    free(p->place);
    free(p->flow);
    free(p->when);
    free(p->left);
    free(p->port);
    free(p->heap);
    free(p->now);
    free(p->touched);
    free(p->some_flow);
    free(p->some_port);
    free(p->port_touched);
}

double chorale_score_play(struct chorale_score *score,
                          const struct chorale_net *net, double *column)
{
    struct player pl = { .score = score };
    double seconds = NAN;
    int last = 0;

    pl.p.net = net;
    pl.p.width = 1 + (column != NULL ? chorale_net_columns(net) : 0);
    if (player_init(&pl) == 0 && run(&pl) == 0) {
        for (int r = 1; r < score->s.size; r++)
            if (pl.rank[r * pl.p.width] > pl.rank[last * pl.p.width])
                last = r;
        seconds = pl.rank[last * pl.p.width];
        if (column != NULL)
            memcpy(column, &pl.rank[last * pl.p.width + 1],
                   (size_t)(pl.p.width - 1) * sizeof(*column));
    }
    player_release(&pl);
    return seconds;
}
