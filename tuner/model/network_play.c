/* SPDX-License-Identifier: BSD-3-Clause */
/* network_play.c - replay a recorded schedule on a parametrised network.
 *
 * An event is the end of a message's latency, or its arrival. */
#include "tuner/model/network_play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/schedule/event_log.h"
#include "algorithms/schedule/schedule.h"
#include "tuner/model/memory_rows.h"

struct chorale_score {
    struct chorale_schedule s;
    int ppn;
    enum chorale_net_place place;
    int cold;                /* the call's buffers are not in the caches */
    double shared;           /* steps of sharing ports, in all replays */
};

double chorale_recording_estimate(const struct chorale_alg *alg,
                                  const struct chorale_point *pt)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    double messages, bytes, reduced;
    const int rooted = chorale_coll_info(alg->coll)->rooted;

    chorale_term_sums(term, alg->cost(pt, term), &messages, &bytes, &reduced);
    return (rooted ? 6 : 3) * messages * pt->comm_size;
}

struct chorale_score *chorale_recording_new(const struct chorale_alg *alg,
                                            const struct chorale_point *pt,
                                            int ppn,
                                            enum chorale_net_place place,
                                            int cold, const char **why)
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
        chorale_recording_free(score);
        return NULL;
    }
    score->ppn = ppn > 0 ? ppn : pt->comm_size;
    score->place = place;
    score->cold = cold;
    return score;
}

struct chorale_score *chorale_memory_recording(enum chorale_memory_kind kind,
                                               size_t bytes)
{
    struct chorale_score *score = calloc(1, sizeof(*score));
    struct chorale_schedule *s;

    if (score == NULL)
        return NULL;
    s = &score->s;
    s->size = score->ppn = 2;
    s->trace = calloc(2, sizeof(*s->trace));
    for (int r = 0; r < 2 && s->trace != NULL; r++) {
        struct trace *t = &s->trace[r];
        int both = kind == CHORALE_MEMORY_EXCHANGE;

        t->note = calloc(4, sizeof(*t->note));
        if (t->note == NULL)
            break;
        if (kind == CHORALE_MEMORY_COPY) {
            t->trailing = bytes;
            continue;
        }
        /* Post the receive, then the send; then wait for both. */
        for (int sends = 0; sends < 2; sends++)
            if (both || sends == 1 - r)
                t->note[t->n++] = (struct note){
                    .what = sends ? SEND : RECV, .peer = 1 - r, .bytes = bytes,
                };
        for (int i = 0, n = t->n; i < n; i++)
            t->note[t->n++] = (struct note){ .what = WAIT, .peer = i };
        s->sends += both || r == 0;
        s->notes += (size_t)t->n;
    }
    if (s->trace == NULL || s->trace[0].note == NULL ||
        s->trace[1].note == NULL) {
        chorale_recording_free(score);
        return NULL;
    }
    return score;
}

void chorale_recording_free(struct chorale_score *score)
{
    if (score == NULL)
        return;
    chorale_schedule_release(&score->s);
    free(score);
}

size_t chorale_recording_events(const struct chorale_score *score)
{
    return score->s.notes;
}

double chorale_recording_shared(const struct chorale_score *score)
{
    return score->shared;
}

/* --- messages ---------------------------------------------------------- */

/* Start the latency at `when`: alpha without the parts that are spent as
 * overheads or gap. A synchronous message has no overheads, as in SMPI, since
 * its ranks wait for it. */
static void start_latency(struct play *p, int flow)
{
    const struct chorale_net *net = p->net;
    struct flow *f = &p->flow[flow];
    double bytes = (double)p->r.message[flow].bytes;
    const struct chorale_net_regimes *r = &net->level[f->level].regime;
    chorale_time *when = play_when(p, flow), *left = play_left(p, flow);
    int column = 1 + chorale_net_column(net, f->level, f->regime);
    int parts = 1 + chorale_net_column_parts(net);
    double over = f->overlapped || f->synchronous ? 1 : 0;
    double alphas = 1 + net->wiring.hop * f->nhop;
    double latency = alphas * r->alpha[f->regime] - net->gap -
                     over * (net->send_overhead + net->recv_overhead);

    if (latency >= 0)
        when[0] += latency;
    memset(left, 0, (size_t)p->width * sizeof(*left));
    left[0] = f->work = net->gap + r->beta[f->regime] * bytes +
                        r->cold[f->regime] * f->cold;
    if (latency >= 0 && p->width > 1) {
        when[column] += alphas;
        when[parts] -= over;
        when[parts + 1] -= over;
        when[parts + 2] -= 1;
    }
    if (p->width > 1) {
        left[parts + 2] = 1;
        left[column + 1] = bytes;
        left[column + 2] = f->cold;
    }
    f->state = FLOW_FLYING;
    play_await(p, flow, when[0]);
}

static void spend(struct play *p, int rank, int column, double seconds,
                  double times)
{
    chorale_time *t = play_rank(p, rank);

    t[0] += seconds * times;
    if (p->width > 1)
        t[1 + column] += times;
}

static const struct note *next_event(const struct play *p, int rank)
{
    const struct trace *t = &p->r.s->trace[rank];

    return &t->note[t->at];
}

/* Cold bytes of the rank's next event; 0 if they take no time in this call. */
static double cold_bytes(const struct play *p, int rank)
{
    return p->cold ? (double)next_event(p, rank)->cold : 0;
}

/* --- messages that ranks copy -------------------------------------------- */

/* A rank's part of a copy: so many times alpha, beta and the time of a cold
 * byte. */
static void spend_copy(struct play *p, int rank, const struct flow *f,
                       double alphas, double bytes, double cold)
{
    const struct chorale_net_regimes *r = &p->net->level[f->level].regime;
    int column = chorale_net_column(p->net, f->level, f->regime);

    spend(p, rank, column, r->alpha[f->regime], alphas);
    spend(p, rank, column + 1, r->beta[f->regime], bytes);
    spend(p, rank, column + 2, r->cold[f->regime], cold);
}

/* Add to a time the part of alpha that keeps neither rank busy. */
static void add_latency(const struct play *p, const struct flow *f,
                        chorale_time *when)
{
    const struct chorale_net *net = p->net;
    int column = 1 + chorale_net_column(net, f->level, f->regime);
    int parts = 1 + chorale_net_column_parts(net);
    double latency = net->level[f->level].regime.alpha[f->regime] -
                     net->send_overhead - net->recv_overhead;

    if (latency < 0)
        return;
    when[0] += latency;
    if (p->width > 1) {
        when[column] += 1;
        when[parts] -= 1;
        when[parts + 1] -= 1;
    }
}

static void post_copied(struct play *p, int rank, int flow, int sends,
                        double cold)
{
    const struct chorale_message *m = &p->r.message[flow];
    double bytes = (double)m->bytes;
    struct flow *f = &p->flow[flow];
    chorale_time *when = play_when(p, flow), *mine = play_rank(p, rank);
    size_t size = (size_t)p->width * sizeof(*when);
    int parts = chorale_net_column_parts(p->net);

    if (!sends)
        spend(p, rank, parts + 2, p->net->gap, 1);
    if (sends && f->overlapped) {
        spend(p, rank, parts, p->net->send_overhead, 1);
        spend_copy(p, rank, f, 0, bytes / 2, cold);
        memcpy(when, mine, size);
        add_latency(p, f, when);
    } else {
        f->cold += cold;
        if (sends)
            f->cold += fmin(bytes - cold, (double)next_event(p, rank)->fresh);
        if (!f->overlapped && (m->nend == 1 || mine[0] > when[0]))
            memcpy(when, mine, size);
    }
    if (m->nend == 2) {
        f->state = FLOW_FLYING;
        play_await(p, flow, fmax(when[0], mine[0]));
    }
}

/* The receiver, which waits for some message, copies this one. */
static void receive_copied(struct play *p, int flow)
{
    const struct chorale_message *m = &p->r.message[flow];
    double bytes = (double)m->bytes;
    struct flow *f = &p->flow[flow];
    chorale_time *when = play_when(p, flow), *mine = play_rank(p, m->dst);
    size_t size = (size_t)p->width * sizeof(*when);

    if (when[0] > mine[0])
        memcpy(mine, when, size);
    if (f->overlapped)
        spend(p, m->dst, chorale_net_column_parts(p->net) + 1,
              p->net->recv_overhead, 1);
    spend_copy(p, m->dst, f, f->overlapped ? 0 : 1,
               f->overlapped ? bytes / 2 : bytes, f->cold);
    memcpy(when, mine, size);
    f->state = FLOW_DONE;
    chorale_replay_end(&p->r, flow);
}

/* --- ends of messages ---------------------------------------------------- */

static int post(void *state, int rank, int flow, int sends)
{
    struct play *p = state;
    const struct chorale_message *m = &p->r.message[flow];
    const chorale_time *mine = play_rank(p, rank);
    struct flow *f = &p->flow[flow];
    chorale_time *when = play_when(p, flow);
    double cold = cold_bytes(p, rank);

    if (m->nend == 1)
        f->copied = chorale_play_copies(p, flow);
    if (sends && chorale_play_route(p, flow) != 0)
        return -1;
    if (sends && f->overlapped && next_event(p, rank)->special) {
        f->overlapped = f->copied; /* copied twice as well */
        f->synchronous = 1;
    }
    if (f->copied) {
        post_copied(p, rank, flow, sends, cold);
        return 0;
    }
    if (sends && f->overlapped)
        spend(p, rank, chorale_net_column_parts(p->net), p->net->send_overhead,
              1);
    if (f->state != FLOW_OPEN) {
        f->later = cold;
        return 0;
    }
    f->cold += cold;
    if (m->nend == 1 || mine[0] > when[0] || (sends && f->overlapped))
        memcpy(when, mine, (size_t)p->width * sizeof(*when));
    if (m->nend == 2 || (sends && f->overlapped))
        start_latency(p, flow);
    return 0;
}

/* --- ranks ------------------------------------------------------------- */

static int waited(void *state, int rank, int flow, int sends)
{
    struct play *p = state;
    const struct flow *f = &p->flow[flow];
    chorale_time *mine = play_rank(p, rank);

    if (sends && f->overlapped && !f->synchronous)
        return 1;
    if (f->state != FLOW_DONE)
        return 0;
    if (play_when(p, flow)[0] > mine[0])
        memcpy(mine, play_when(p, flow), (size_t)p->width * sizeof(*mine));
    if (f->copied)
        return 1;
    if (f->overlapped)
        spend(p, rank, chorale_net_column_parts(p->net) + 1,
              p->net->recv_overhead, 1);
    if (f->later > 0)
        spend(p, rank,
              chorale_net_column(p->net, f->level, f->regime) + 2,
              p->net->level[f->level].regime.cold[f->regime], f->later);
    return 1;
}

static void reduce(void *state, int rank, const struct note *note)
{
    struct play *p = state;
    const struct chorale_net *net = p->net;
    int k = chorale_net_regime(&net->tau, (double)note->bytes);

    if (net->tau.n > 0)
        spend(p, rank, chorale_net_column_tau(net) + k, net->tau.beta[k],
              (double)note->bytes);
    else if (net->memory) /* or_allreduce of a bcast: about a copy */
        spend(p, rank, chorale_net_column_parts(net) + 3, net->copy,
              (double)note->bytes);
    if (p->cold)
        spend(p, rank, chorale_net_column_parts(net) + 4, net->cold,
              (double)note->cold);
    if (net->memory)
        spend(p, rank, chorale_net_column_parts(net) + 5, net->local, 1);
}

static void copy(void *state, int rank, size_t bytes, size_t cold)
{
    struct play *p = state;
    const struct chorale_net *net = p->net;
    int parts = chorale_net_column_parts(net);

    if (net->memory) {
        spend(p, rank, parts + 3, net->copy, (double)bytes);
        spend(p, rank, parts + 5, net->local, 1);
    }
    if (p->cold)
        spend(p, rank, parts + 4, net->cold, (double)cold);
}

/* --- replay ------------------------------------------------------------ */

/* Process an event: the end of a latency, or an arrival. */
static void process_event(struct play *p, int flow)
{
    struct flow *f = &p->flow[flow];
    chorale_time *when = play_when(p, flow), *left = play_left(p, flow);

    if (f->copied) {
        receive_copied(p, flow);
        return;
    }
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
    chorale_replay_end(&p->r, flow);
}

/* Process all events of the next moment. -1: the work limit is exceeded. */
static int process_next_events(void *state)
{
    struct play *p = state;
    double until = p->r.queue[0].seconds * (1 + NET_PLAY_TIE);
    int any = 0;

    while (p->r.nevent > 0 && p->r.queue[0].seconds <= until) {
        int flow = chorale_replay_pop(&p->r);
        struct flow *f = &p->flow[flow];

        if (!any) {
            memcpy(p->now, play_when(p, flow),
                   (size_t)p->width * sizeof(*p->now));
            if (f->state == FLOW_MOVING)
                time_add(p->now, play_left(p, flow), 1 / f->rate, p->width);
        }
        any = 1;
        process_event(p, flow);
    }
    if (any && p->ntouched > 0)
        chorale_play_share(p);
    return p->work > p->most_work ? -1 : 0;
}

static const struct chorale_replay_network network = {
    .post = post, .waited = waited, .reduce = reduce, .copy = copy,
    .step = process_next_events,
};

static int play_init(struct play *p, struct chorale_score *score)
{
    struct chorale_schedule *s = &score->s;
    size_t ranks = (size_t)s->size, flows = s->sends + 1, ports;
    size_t time = (size_t)p->width * sizeof(chorale_time);
    const struct chorale_wiring *wiring = &p->net->wiring;
    int ppn = score->ppn, nnode = (s->size + ppn - 1) / ppn;
    int own = 2 * nnode + 4 * s->size;
    int longest = chorale_wiring_longest(wiring, nnode);

    if (chorale_replay_init(&p->r, s) != 0)
        return -1;
    p->size = s->size;
    p->ppn = ppn;
    p->nnode = nnode;
    p->where = score->place;
    p->cold = score->cold && p->net->memory;
    p->nport = own + chorale_wiring_links(wiring, nnode);
    ports = (size_t)p->nport;
    p->flow = calloc(flows, sizeof(*p->flow));
    p->rank = calloc(ranks, time);
    p->when = malloc(flows * time);
    p->left = malloc(flows * time);
    p->component_flow = calloc(flows, sizeof(*p->component_flow));
    p->link = calloc((size_t)longest + 1, sizeof(*p->link));
    p->port = calloc(ports, sizeof(*p->port));
    p->now = calloc(1, time);
    p->touched = calloc(ports, sizeof(*p->touched));
    p->component_port = calloc(ports, sizeof(*p->component_port));
    p->port_touched = calloc(ports, sizeof(*p->port_touched));
    if (!p->flow || !p->rank || !p->when || !p->left || !p->component_flow ||
        !p->link || !p->port || !p->now || !p->touched || !p->component_port ||
        !p->port_touched)
        return -1;
    p->touch_stamp = 1;
    p->most_work = NET_PLAY_WORK + NET_PLAY_EACH * (1 + longest) *
                                       (double)s->sends;
    for (int i = 0; i < p->nport; i++) {
        p->port[i].first = -1;
        p->port[i].size =
            i >= own ? chorale_wiring_size(wiring, nnode, i - own)
            : i < 2 * nnode && ppn > 1 ? p->net->ports : 1;
    }
    return 0;
}

static void play_release(struct play *p)
{
    chorale_replay_release(&p->r);
    free(p->rank);
    free(p->link);
    free(p->place);
    free(p->flow);
    free(p->when);
    free(p->left);
    free(p->port);
    free(p->now);
    free(p->touched);
    free(p->component_flow);
    free(p->component_port);
    free(p->port_touched);
}

/* late: delay of each rank, s, or NULL. */
static double replay(struct chorale_score *score, const struct chorale_net *net,
                     const double *late, double *column)
{
    struct play p = { .net = net };
    const chorale_time *last;
    double seconds = NAN;

    p.width = 1 + (column != NULL ? chorale_net_columns(net) : 0);
    if (play_init(&p, score) != 0)
        goto out;
    for (int r = 0; late != NULL && r < score->s.size; r++)
        play_rank(&p, r)[0] = late[r];
    if (chorale_replay_run(&p.r, &network, &p) == 0) {
        last = p.rank;
        for (int r = 1; r < score->s.size; r++)
            if (play_rank(&p, r)[0] > last[0])
                last = play_rank(&p, r);
        seconds = last[0];
        if (column != NULL)
            memcpy(column, last + 1, (size_t)(p.width - 1) * sizeof(*column));
    }
out:
    score->shared += p.work;
    play_release(&p);
    return seconds;
}

double chorale_recording_replay(struct chorale_score *score,
                                const struct chorale_net *net, double *column)
{
    return replay(score, net, NULL, column);
}

double chorale_recording_replay_late(struct chorale_score *score,
                                     const struct chorale_net *net,
                                     const double *late)
{
    return replay(score, net, late, NULL);
}
