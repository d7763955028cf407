/* SPDX-License-Identifier: BSD-3-Clause */
/* network_share.c - share ports among concurrent messages by max-min fairness,
 * as switched networks do. Only messages connected to a change are
 * recomputed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/network_play.h"

static void touch(struct play *p, int port)
{
    if (p->port_touched[port] == p->touch_stamp)
        return;
    p->port_touched[port] = p->touch_stamp;
    p->touched[p->ntouched++] = port;
}

void chorale_play_enter(struct play *p, int flow)
{
    const struct flow *f = &p->flow[flow];

    for (int i = f->first; i < f->first + f->nport; i++) {
        struct place *at = &p->place[i];
        struct port *port = &p->port[at->port];

        at->before = -1;
        at->after = port->first;
        if (port->first >= 0)
            p->place[port->first].before = i;
        port->first = i;
        touch(p, at->port);
    }
}

void chorale_play_leave(struct play *p, int flow)
{
    const struct flow *f = &p->flow[flow];

    for (int i = f->first; i < f->first + f->nport; i++) {
        const struct place *at = &p->place[i];

        if (at->before >= 0)
            p->place[at->before].after = at->after;
        else
            p->port[at->port].first = at->after;
        if (at->after >= 0)
            p->place[at->after].before = at->before;
        touch(p, at->port);
    }
}

/* Collect the ports and flows connected to a port in component_port and
 * component_flow. */
static void gather(struct play *p, int from, int *nport_p, int *nflow_p)
{
    int nport = 0, nflow = 0;

    p->port[from].stamp = p->stamp;
    p->component_port[nport++] = from;
    for (int i = 0; i < nport; i++) {
        struct port *port = &p->port[p->component_port[i]];

        port->left = 0;
        port->free = port->size;
        for (int at = port->first; at >= 0; at = p->place[at].after) {
            struct flow *f = &p->flow[p->place[at].flow];

            port->left++;
            if (f->stamp == p->stamp)
                continue;
            f->stamp = p->stamp;
            f->share = -1;
            p->component_flow[nflow++] = p->place[at].flow;
            for (int k = f->first; k < f->first + f->nport; k++)
                if (p->port[p->place[k].port].stamp != p->stamp) {
                    p->port[p->place[k].port].stamp = p->stamp;
                    p->component_port[nport++] = p->place[k].port;
                }
        }
    }
    p->work += nport + nflow;
    *nport_p = nport;
    *nflow_p = nflow;
}

/* Give the flows of a port their share and free the rest for other flows. */
static int fix_port_shares(struct play *p, struct port *port, double share)
{
    int n = 0;

    for (int at = port->first; at >= 0; at = p->place[at].after) {
        struct flow *f = &p->flow[p->place[at].flow];

        if (f->share >= 0)
            continue;
        f->share = share;
        n++;
        for (int k = f->first; k < f->first + f->nport; k++) {
            p->port[p->place[k].port].left--;
            p->port[p->place[k].port].free -= share;
        }
    }
    return n;
}

static void max_min_shares(struct play *p, int nport, int nflow)
{
    while (nflow > 0) {
        double least = HUGE_VAL;
        int kept = 0;

        for (int i = 0; i < nport; i++) {
            const struct port *port = &p->port[p->component_port[i]];

            if (port->left > 0) {
                least = fmin(least, fmax(port->free, 0) / port->left);
                p->component_port[kept++] = p->component_port[i];
            }
        }
        nport = kept;
        p->work += nport;
        for (int i = 0; i < nport; i++) {
            struct port *port = &p->port[p->component_port[i]];

            if (port->left > 0 &&
                fmax(port->free, 0) / port->left <= least * (1 + 1e-9))
                nflow -= fix_port_shares(p, port, least);
        }
    }
}

/* Set a flow's rate from now on. */
static void set_rate(struct play *p, int flow, double rate)
{
    struct flow *f = &p->flow[flow];
    chorale_time *when = play_when(p, flow), *left = play_left(p, flow);

    if (fabs(rate - f->rate) <= 1e-12 * rate)
        return;
    /* An almost finished flow keeps its rate: two messages that nearly miss
     * each other would double the coefficients, and again at each next one. */
    if (f->rate > 0 && left[0] - f->rate * (p->now[0] - when[0]) <
                           NET_PLAY_TAIL * f->work)
        return;
    if (f->rate > 0)
        for (int i = 0; i < p->width; i++)
            left[i] -= f->rate * (p->now[i] - when[i]);
    memcpy(when, p->now, (size_t)p->width * sizeof(*when));
    f->rate = rate;
    play_await(p, flow, when[0] + fmax(left[0], 0) / rate);
}

void chorale_play_share(struct play *p)
{
    p->stamp++;
    for (int t = 0; t < p->ntouched; t++) {
        int nport, nflow;

        if (p->port[p->touched[t]].stamp == p->stamp)
            continue;
        gather(p, p->touched[t], &nport, &nflow);
        max_min_shares(p, nport, nflow);
        for (int i = 0; i < nflow; i++)
            set_rate(p, p->component_flow[i],
                     p->flow[p->component_flow[i]].share);
    }
    p->ntouched = 0;
    p->touch_stamp++;
}
