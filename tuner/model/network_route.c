/* SPDX-License-Identifier: BSD-3-Clause */
/* network_route.c - the ports and links that a message of a replay shares. */
#include <stdlib.h>

#include "tuner/model/network_play.h"

static int group_of(const struct play *p, int rank, int width)
{
    if (width < 0)
        return 0;
    if (width > 0)
        return rank / width;
    if (p->where == CHORALE_NET_CYCLIC)
        return rank % p->nnode;
    return rank / p->ppn;
}

/* Make room for n more places. -1: out of memory. */
static int room_for(struct play *p, int n)
{
    int room = 2 * p->place_room + n;
    struct place *more;

    if (p->nplace + n <= p->place_room)
        return 0;
    more = realloc(p->place, (size_t)room * sizeof(*more));
    if (more == NULL)
        return -1;
    p->place = more;
    p->place_room = room;
    return 0;
}

static void add_port(struct play *p, int flow, int port)
{
    p->place[p->nplace++] = (struct place){ flow, port, -1, -1 };
    p->flow[flow].nport++;
}

int chorale_play_copies(const struct play *p, int flow)
{
    const struct chorale_message *m = &p->r.message[flow];

    return p->net->copied_upto > 0 &&
           group_of(p, m->src, 0) == group_of(p, m->dst, 0);
}

int chorale_play_route(struct play *p, int flow)
{
    const struct chorale_net *net = p->net;
    const struct chorale_message *m = &p->r.message[flow];
    struct flow *f = &p->flow[flow];
    int nnode = p->nnode, ports = 2 * nnode + 4 * p->size;
    int src = group_of(p, m->src, 0), dst = group_of(p, m->dst, 0), inner;
    int nlink = src != dst ? chorale_wiring_route(&net->wiring, nnode, src,
                                                  dst, p->link)
                           : 0;

    if (room_for(p, nlink + 4) != 0)
        return -1;
    f->first = p->nplace;

    f->level = 0;
    while (f->level < net->nlevel - 1 &&
           group_of(p, m->src, net->level[f->level].width) !=
               group_of(p, m->dst, net->level[f->level].width))
        f->level++;
    f->regime =
        chorale_net_regime(&net->level[f->level].regime, (double)m->bytes);
    f->overlapped = (double)m->bytes <=
                    (f->copied ? net->copied_upto : net->overlap_upto);
    inner = src == dst && !net->inner_shared;
    f->nport = 0;
    if (f->copied)
        return 0;
    if (inner || (p->ppn > 1 && net->ports > 1)) {
        add_port(p, flow, 2 * nnode + 4 * m->src + 2 * inner);
        add_port(p, flow, 2 * nnode + 4 * m->dst + 2 * inner + 1);
    }
    if (!inner) {
        add_port(p, flow, 2 * src);
        add_port(p, flow, 2 * dst + 1);
    }
    for (int i = 0; i < nlink; i++)
        add_port(p, flow, ports + p->link[i]);
    f->nhop = chorale_wiring_hops(&net->wiring, nlink);
    return 0;
}
