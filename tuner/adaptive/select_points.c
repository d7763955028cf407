/* SPDX-License-Identifier: BSD-3-Clause */
/* select_points.c - choose the points and cells with the largest gain per
 * cost. */
#include "tuner/adaptive/adaptive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_WINS 2       /* draws in which a candidate must be the best */
#define PACKET_MAX 12    /* points of a packet */
#define LENGTH_X 6.0     /* longest correlation length, octaves of n */
#define LENGTH_Y 2.0     /* the same, octaves of P */
#define OTHER 0.3        /* factor between powers of two and other P */

/* Points of one group at one process count that are chosen together. */
struct packet {
    size_t point[PACKET_MAX], npoint;
    double gain, seconds;
    int stale;
};

struct picker {
    struct chorale_adapt *a;
    int *proc;               /* [nproc] process counts of the grid */
    unsigned char *open;     /* [nproc] has a launch in this round */
    size_t nproc;
    double *loss;            /* [npoint] remaining expected loss */
    double *left;            /* [npoint] scratch of a packet */
    struct packet *packet;   /* [ngroup * nproc] */
};

static const struct chorale_adapt_cell *cell_of(const struct chorale_adapt *a,
                                                size_t point)
{
    return &a->grid->cell[a->point[point].first];
}

double chorale_adapt_take(struct chorale_adapt *a, size_t point, int choose)
{
    struct chorale_adapt_point *pt = &a->point[point];
    struct chorale_adapt_cell *cell = &a->grid->cell[pt->first];
    double seconds = 0;
    size_t first = 0;
    int any = 0;

    for (size_t c = 1; c < pt->ncell; c++)
        if (first == 0 || cell[c].wins > cell[first].wins)
            first = c;
    for (size_t c = 1; c < pt->ncell; c++) {
        if (cell[c].known || cell[c].wins < MIN_WINS ||
            (c != first && cell[c].gain < a->least_gain))
            continue;
        seconds += chorale_adapt_planned_seconds(a->opts, &cell[c],
                                                 exp(cell[c].log_seconds));
        cell[c].chosen |= choose;
        any = 1;
    }
    if (!any && cell[0].known)
        return 0;
    /* The library's default is always measured with them. */
    seconds += chorale_adapt_planned_seconds(a->opts, cell,
                                             exp(cell[0].log_seconds));
    cell[0].chosen |= choose && !cell[0].known;
    pt->taken |= choose;
    return seconds;
}

static int is_power(int p)
{
    return (p & (p - 1)) == 0;
}

/* Share of the loss at point y that measurements at x remove. */
static double share(const struct chorale_adapt *a, size_t x, size_t y)
{
    const struct chorale_adapt_cell *p = cell_of(a, x), *q = cell_of(a, y);
    const double *length = a->length[a->point[x].group];
    double dx = fabs(log2(fmax((double)p->n, 1) / fmax((double)q->n, 1)));
    double dy = fabs(log2((double)p->comm_size / q->comm_size));

    return exp(-2 * (dx / fmin(length[0], LENGTH_X) +
                     dy / fmin(length[1], LENGTH_Y))) *
           (is_power(p->comm_size) == is_power(q->comm_size) ? 1 : OTHER);
}

static double gain_of(const struct picker *k, const double *loss, size_t x)
{
    const struct chorale_adapt *a = k->a;
    double gain = 0;

    for (size_t y = 0; y < a->npoint; y++)
        if (a->point[y].group == a->point[x].group)
            gain += loss[y] * share(a, x, y);
    return gain;
}

static void win(const struct picker *k, double *loss, size_t x)
{
    const struct chorale_adapt *a = k->a;

    for (size_t y = 0; y < a->npoint; y++)
        if (a->point[y].group == a->point[x].group)
            loss[y] *= 1 - share(a, x, y);
}

static double price(const struct picker *k, size_t point, size_t proc,
                    double seconds)
{
    const struct chorale_adapt_cell *cell = cell_of(k->a, point);
    double cost = chorale_adapt_cost(k->a->opts, cell->comm_size, cell->ppn,
                                     seconds);

    return k->open[proc] ? cost - chorale_adapt_cost(k->a->opts,
                                                     cell->comm_size,
                                                     cell->ppn, 0)
                         : cost;
}

static void put(struct picker *k, struct packet *p, size_t point)
{
    p->gain += gain_of(k, k->left, point);
    p->seconds += chorale_adapt_take(k->a, point, 0);
    win(k, k->left, point);
    p->point[p->npoint++] = point;
}

/* 1 if that point may join a packet. */
static int may_join(const struct picker *k, const struct packet *p,
                    size_t point, size_t group, size_t proc)
{
    const struct chorale_adapt_point *pt = &k->a->point[point];

    if (pt->group != group || pt->taken ||
        cell_of(k->a, point)->comm_size != k->proc[proc])
        return 0;
    for (size_t i = 0; i < p->npoint; i++)
        if (p->point[i] == point)
            return 0;
    return chorale_adapt_take(k->a, point, 0) > 0;
}

/* Begin with sizes over the whole range, if the group has no measurements with
 * that many ranks: interpolation between distant sizes is inaccurate. */
static void put_initial_sizes(struct picker *k, struct packet *p, size_t group,
                              size_t proc)
{
    size_t n = 0, i = 0;

    for (size_t x = 0; x < k->a->npoint; x++) {
        const struct chorale_adapt_point *pt = &k->a->point[x];

        if (pt->group != group ||
            cell_of(k->a, x)->comm_size != k->proc[proc])
            continue;
        if (pt->measured || pt->taken)
            return;
        n++;
    }
    for (size_t x = 0; x < k->a->npoint; x++)
        if (k->a->point[x].group == group &&
            cell_of(k->a, x)->comm_size == k->proc[proc] &&
            chorale_adapt_spread(i++, n, CHORALE_ADAPT_SIZES))
            put(k, p, x);
}

/* The point with the largest gain per cost; SIZE_MAX: none. */
static size_t best_point(struct picker *k, const struct packet *p,
                         size_t group, size_t proc)
{
    double most = 0;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < k->a->npoint; i++) {
        double seconds, rate;

        if (!may_join(k, p, i, group, proc))
            continue;
        seconds = chorale_adapt_take(k->a, i, 0);
        rate = gain_of(k, k->left, i) / seconds;
        if (rate > most) {
            most = rate;
            best = i;
        }
    }
    return best;
}

/* Build the packet of that group and process count with the best rate: points
 * are added while they raise it. */
static void pack(struct picker *k, size_t group, size_t proc)
{
    struct packet *p = &k->packet[group * k->nproc + proc];

    memset(p, 0, sizeof(*p));
    memcpy(k->left, k->loss, k->a->npoint * sizeof(double));
    put_initial_sizes(k, p, group, proc);
    while (p->npoint < PACKET_MAX) {
        size_t best = best_point(k, p, group, proc);
        struct packet more = *p;

        if (best == SIZE_MAX)
            break;
        put(k, &more, best);
        if (p->npoint > 0 &&
            more.gain / price(k, best, proc, more.seconds) <
                p->gain / price(k, best, proc, p->seconds))
            break;
        *p = more;
    }
}

/* The packet with the best rate within the cost limit; NULL: no gain. */
static struct packet *best_packet(struct picker *k, double most, size_t *proc)
{
    struct packet *best = NULL;
    double rate = 0;

    for (size_t i = 0; i < k->a->ngroup * k->nproc; i++) {
        struct packet *p = &k->packet[i];
        double cost;

        if (p->stale)
            pack(k, i / k->nproc, i % k->nproc);
        if (p->npoint == 0)
            continue;
        cost = price(k, p->point[0], i % k->nproc, p->seconds);
        if (cost <= most && p->gain / cost > rate) {
            rate = p->gain / cost;
            best = p;
            *proc = i % k->nproc;
        }
    }
    return best;
}

/* Take a packet and mark affected packets as stale. */
static double take(struct picker *k, struct packet *p, size_t proc)
{
    double cost = price(k, p->point[0], proc, p->seconds);
    size_t group = k->a->point[p->point[0]].group;

    for (size_t i = 0; i < p->npoint; i++) {
        chorale_adapt_take(k->a, p->point[i], 1);
        win(k, k->loss, p->point[i]);
    }
    for (size_t i = 0; i < k->a->ngroup * k->nproc; i++)
        if (i / k->nproc == group || (!k->open[proc] && i % k->nproc == proc))
            k->packet[i].stale = 1;
    k->open[proc] = 1;
    return cost;
}

static void find_procs(struct picker *k)
{
    for (size_t i = 0; i < k->a->npoint; i++) {
        int p = cell_of(k->a, i)->comm_size;
        size_t j = 0;

        while (j < k->nproc && k->proc[j] != p)
            j++;
        if (j == k->nproc && p > 1)
            k->proc[k->nproc++] = p;
    }
}

double chorale_adapt_pick(struct chorale_adapt *a, double most)
{
    size_t room = a->npoint + 1, proc = 0;
    struct picker k = {
        .a = a, .proc = malloc(room * sizeof(*k.proc)),
        .open = calloc(room, 1), .loss = malloc(room * sizeof(double)),
        .left = malloc(room * sizeof(double)),
    };
    struct packet *p;
    double cost = -1;

    if (k.proc != NULL)
        find_procs(&k);
    k.packet = calloc(a->ngroup * k.nproc + 1, sizeof(*k.packet));
    if (k.proc != NULL && k.open != NULL && k.loss != NULL &&
        k.left != NULL && k.packet != NULL) {
        for (size_t i = 0; i < a->npoint; i++)
            k.loss[i] = a->point[i].loss;
        for (size_t i = 0; i < a->ngroup * k.nproc; i++)
            k.packet[i].stale = 1;
        cost = 0;
        while ((p = best_packet(&k, most - cost, &proc)) != NULL)
            cost += take(&k, p, proc);
    }
    free(k.proc);
    free(k.open);
    free(k.loss);
    free(k.left);
    free(k.packet);
    return cost;
}
