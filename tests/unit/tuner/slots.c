/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.c - simulate Chen and Lee's updating slot by slot on the links of
 * lines, rings, meshes and wrapped meshes. The messages that variants log
 * (algorithms/schedule/event_log.h) are split into packets; in each slot a link
 * carries one packet, or one each way. The number of slots equals propositions
 * 3.1 to 3.4 as tuner/replicate/replicate.h states them, and is the minimum
 * that the links across the middle allow. */
#include <stdio.h>
#include <stdlib.h>

#include "algorithms/schedule/event_log.h"
#include "tests/tap.h"
#include "tuner/replicate/replicate.h"

enum { M = 64, MOST = 16, PORTS = 4 };

/* A grid, wrapped or not; rows = 1: one dimension. */
struct grid {
    int rows, cols, wraps;
};

/* One direction of the links to one neighbour: messages in the order of
 * posting, with the log entries of sender and receiver. */
struct port {
    int *out, *in, nout, nin, room;
    int *left;          /* packets left of each message posted at both ends */
    long *since;        /* the slot in which both ends were posted */
    int head;           /* the first message that is not complete */
    long carried;
};

struct play {
    struct grid grid;
    struct chorale_schedule s;
    int unit;           /* bytes of a packet */
    struct port *port;  /* [size * PORTS] */
    char **done;        /* per rank: log entries that are done */
    long slot;
    int broken;         /* a message has no link, or a fraction of a packet */
};

/* --- the network -------------------------------------------------------- */

static int step(int length, int wraps, int place, int by)
{
    int next = place + by;

    if (next >= 0 && next < length)
        return next;
    return wraps && length > 1 ? (next + length) % length : -1;
}

/* The neighbour of a rank in direction 0 ... 3, or -1. */
static int neighbour(const struct grid *g, int rank, int d)
{
    int row = rank / g->cols, col = rank % g->cols, by = d % 2 == 0 ? 1 : -1;

    if (d < 2)
        col = step(g->cols, g->wraps, col, by);
    else
        row = step(g->rows, g->wraps, row, by);
    return row < 0 || col < 0 ? -1 : row * g->cols + col;
}

/* Links from a rank to its neighbour: two if both directions of a ring reach it
 * in one step. */
static int links(const struct grid *g, int from, int to)
{
    int n = 0;

    for (int d = 0; d < PORTS; d++)
        n += neighbour(g, from, d) == to;
    return n;
}

/* The port from a rank to another; the first of two directions. */
static struct port *port_of(struct play *p, int from, int to)
{
    for (int d = 0; d < PORTS; d++)
        if (neighbour(&p->grid, from, d) == to)
            return &p->port[from * PORTS + d];
    return NULL;
}

/* --- simulation ---------------------------------------------------------- */

static int grow(struct port *port)
{
    int room = port->room > 0 ? 2 * port->room : 64;
    size_t n = (size_t)room;

    port->out = realloc(port->out, n * sizeof(*port->out));
    port->in = realloc(port->in, n * sizeof(*port->in));
    port->left = realloc(port->left, n * sizeof(*port->left));
    port->since = realloc(port->since, n * sizeof(*port->since));
    port->room = room;
    return port->out && port->in && port->left && port->since;
}

static void post(struct play *p, int rank, int index)
{
    const struct note *note = &p->s.trace[rank].note[index];
    int sends = note->what == SEND, k;
    struct port *port = sends ? port_of(p, rank, note->peer)
                              : port_of(p, note->peer, rank);

    if (port == NULL || note->bytes == 0 ||
        note->bytes % (size_t)p->unit != 0) {
        p->broken = 1;
        return;
    }
    k = sends ? port->nout++ : port->nin++;
    if (k >= port->room && !grow(port)) {
        p->broken = 1;
        return;
    }
    *(sends ? &port->out[k] : &port->in[k]) = index;
    if (k < port->nout && k < port->nin) {
        port->left[k] = (int)(note->bytes / (size_t)p->unit);
        port->since[k] = p->slot;
    }
}

/* Advance each rank until it waits. Returns how many have not ended. */
static int advance(struct play *p)
{
    int busy = 0;

    for (int r = 0; r < p->s.size; r++) {
        struct trace *t = &p->s.trace[r];

        for (; t->at < t->n && !p->broken; t->at++) {
            const struct note *note = &t->note[t->at];

            if (note->what == WAIT && !p->done[r][note->peer])
                break;
            if (note->what == SEND || note->what == RECV)
                post(p, r, t->at);
        }
        busy += t->at < t->n;
    }
    return busy;
}

/* 1 if message k of the port is posted and not complete. */
static int ready(const struct port *port, int k)
{
    return k < port->nout && k < port->nin && port->left[k] > 0;
}

/* Move one packet of message k from a rank. */
static void carry(struct play *p, int from, struct port *port, int k)
{
    int to = p->s.trace[from].note[port->out[k]].peer;

    port->carried++;
    if (--port->left[k] > 0)
        return;
    p->done[from][port->out[k]] = 1;
    p->done[to][port->in[k]] = 1;
    while (port->head < port->nout && port->head < port->nin &&
           port->left[port->head] == 0)
        port->head++;
}

/* Move up to n packets of the first messages in one direction. */
static int move_one_way(struct play *p, int from, struct port *port, int n)
{
    int moved = 0, head = port->head;

    for (int k = head; k < head + n; k++)
        if (ready(port, k)) {
            carry(p, from, port, k);
            moved++;
        }
    return moved;
}

/* Both directions share n links: move packets of the messages that have waited
 * longest. */
static int move_either_way(struct play *p, int a, int b, int n)
{
    int end[2] = { a, b }, next[2], moved = 0;
    struct port *port[2] = { port_of(p, a, b), port_of(p, b, a) };

    for (int i = 0; i < 2; i++)
        next[i] = port[i]->head;
    for (int l = 0; l < n; l++) {
        int can[2], i;

        for (i = 0; i < 2; i++)
            can[i] = ready(port[i], next[i]);
        if (!can[0] && !can[1])
            break;
        i = !can[0] || (can[1] && port[1]->since[next[1]] <
                                      port[0]->since[next[0]]);
        carry(p, end[i], port[i], next[i]++);
        moved++;
    }
    return moved;
}

/* Use all links for one slot; returns the packets moved. */
static int one_slot(struct play *p, int mode)
{
    int moved = 0;

    for (int a = 0; a < p->s.size; a++)
        for (int d = 0; d < PORTS; d++) {
            int b = neighbour(&p->grid, a, d);
            struct port *port = &p->port[a * PORTS + d];

            if (b < 0 || port_of(p, a, b) != port)
                continue; /* counted with the first direction */
            if (mode == 1)
                moved += move_one_way(p, a, port, links(&p->grid, a, b));
            else if (a < b)
                moved += move_either_way(p, a, b, links(&p->grid, a, b));
        }
    return moved;
}

/* --- slots of variants -------------------------------------------------- */

/* Lower bound: packets that must cross the middle per link there. Both
 * directions count if a link carries one direction at a time. */
static double fewest(const struct grid *g, int mode)
{
    int size = g->rows * g->cols, half = g->cols / 2, over = 0;
    double pairs = (double)(g->rows * half) * g->rows * (g->cols - half);

    for (int a = 0; a < size; a++)
        for (int d = 0; d < PORTS; d++) {
            int b = neighbour(g, a, d);

            over += b >= 0 && a % g->cols < half && b % g->cols >= half;
        }
    return mode * pairs / over;
}

static int play_init(struct play *p)
{
    size_t size = (size_t)p->s.size;

    p->port = calloc(size * PORTS, sizeof(*p->port));
    p->done = calloc(size, sizeof(*p->done));
    for (size_t r = 0; p->done != NULL && r < size; r++) {
        p->s.trace[r].at = 0;
        p->done[r] = calloc((size_t)p->s.trace[r].n + 1, 1);
        if (p->done[r] == NULL)
            return 0;
    }
    return p->port != NULL && p->done != NULL;
}

static void play_release(struct play *p)
{
    for (int i = 0; p->port != NULL && i < p->s.size * PORTS; i++) {
        free(p->port[i].out);
        free(p->port[i].in);
        free(p->port[i].left);
        free(p->port[i].since);
    }
    for (int r = 0; p->done != NULL && r < p->s.size; r++)
        free(p->done[r]);
    free(p->port);
    free(p->done);
}

/* Slots until all messages are complete, in blocks; -1 on deadlock. */
static double slots_of(const struct grid *g, const struct chorale_schedule *s,
                       int unit, int mode)
{
    struct play p = { .grid = *g, .s = *s, .unit = unit };
    int busy = play_init(&p) ? 1 : (p.broken = 1);

    while (!p.broken && (busy = advance(&p)) > 0 && !p.broken) {
        if (one_slot(&p, mode) == 0)
            break; /* deadlock */
        p.slot++;
    }
    play_release(&p);
    return p.broken || busy > 0 ? -1 : (double)p.slot * unit / M;
}

static int write_down(const char *name, const char *params, int size,
                      struct chorale_schedule *s)
{
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_ALLTOALL, name);
    struct chorale_point pt = {
        .comm_size = size, .msg_size = M,
        .n = chorale_coll_n(CHORALE_ALLTOALL, M, size), .type_size = 8,
        .commutative = 1,
    };
    char why[200] = "no such variant";
    size_t scratch = 0;

    *s = (struct chorale_schedule){ .size = 0 };
    if (alg != NULL &&
        chorale_alg_params_parse(alg, params, pt.param, why, sizeof(why)) == 0
        && chorale_alg_refuses(alg, &pt) == NULL &&
        chorale_schedule_write(s, alg, &pt, &scratch) == 0)
        return 1;
    tap_diag("%s %s, P = %d: %s", name, params, size, why);
    return 0;
}

/* Check one variant on one grid with both kinds of links. unit: bytes of the
 * smallest piece that is sent by itself. */
static int reaches(const char *name, const char *params, struct grid g,
                   enum chorale_rep_net net, int unit)
{
    struct chorale_schedule s;
    int good = write_down(name, params, g.rows * g.cols, &s);

    for (int mode = 1; mode <= 2 && good; mode++) {
        long x = g.rows > 1 ? g.rows : g.cols;
        double wanted = chorale_rep_slots(net, mode, x, g.cols);
        double took = slots_of(&g, &s, unit, mode), least = fewest(&g, mode);

        good = took <= wanted && took >= wanted && least <= took &&
               least >= took;
        if (!good)
            tap_diag("%s %s, %d x %d, b = %d: %g slots, proposition %g, at "
                     "least %g", name, params, g.rows, g.cols, mode, took,
                     wanted, least);
    }
    chorale_schedule_release(&s);
    return good;
}

static void test_lines(void)
{
    int line = 1, ring = 1;

    for (int x = 2; x <= MOST; x++) {
        line &= reaches("line_updating", "aggregate=0",
                        (struct grid){ 1, x, 0 }, CHORALE_REP_ARRAY, M);
        ring &= reaches("ring_updating", "", (struct grid){ 1, x, 1 },
                        CHORALE_REP_RING, M / 2);
    }
    tap_ok(line, "proposition 3.1: lines of 2 to %d", MOST);
    tap_ok(ring, "proposition 3.3: rings of 2 to %d", MOST);
}

static void test_meshes(void)
{
    int regular = 1, wrapped = 1;
    char params[64];

    for (int x = 2; x <= MOST; x++)
        for (int y = x; y <= MOST; y++) {
            snprintf(params, sizeof(params), "rows=%d,wrap=0", x);
            regular &= reaches("mesh2d_updating", params,
                               (struct grid){ x, y, 0 }, CHORALE_REP_MESH,
                               M / 2);
            snprintf(params, sizeof(params), "rows=%d,wrap=1", x);
            wrapped &= reaches("mesh2d_updating", params,
                               (struct grid){ x, y, 1 }, CHORALE_REP_TORUS,
                               M / 4);
        }
    tap_ok(regular, "proposition 3.2: meshes of 2 x 2 to %d x %d", MOST, MOST);
    tap_ok(wrapped, "proposition 3.4: wrapped meshes of 2 x 2 to %d x %d",
           MOST, MOST);
}

/* The simulator notices an order that leaves links idle, and a message between
 * ranks that are not neighbours. */
static void test_player(void)
{
    struct grid line = { 1, 9, 0 };
    struct chorale_schedule s;
    double took = 0;

    if (write_down("line_updating", "aggregate=1", 9, &s))
        took = slots_of(&line, &s, M, 1);
    tap_ok(took >= 36 && took <= 36,
           "all data in one message take %g slots, not %g", took,
           chorale_rep_slots(CHORALE_REP_ARRAY, 1, 9, 9));
    chorale_schedule_release(&s);
    if (write_down("pairwise_shift", "", 9, &s))
        took = slots_of(&line, &s, M, 1);
    tap_ok(took < 0, "messages to ranks without a link are refused");
    chorale_schedule_release(&s);
}

int main(void)
{
    test_lines();
    test_meshes();
    test_player();
    return tap_done();
}
