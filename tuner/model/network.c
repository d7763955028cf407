/* SPDX-License-Identifier: BSD-3-Clause */
/* network.c - the parameters of a network as an array of columns. */
#include "tuner/model/network.h"

int chorale_net_column_parts(const struct chorale_net *net)
{
    return chorale_net_column(net, net->nlevel, 0);
}

int chorale_net_column_tau(const struct chorale_net *net)
{
    return chorale_net_column_parts(net) + CHORALE_NET_PARTS;
}

int chorale_net_columns(const struct chorale_net *net)
{
    return chorale_net_column_tau(net) + net->tau.n;
}

int chorale_net_column(const struct chorale_net *net, int level, int regime)
{
    int n = CHORALE_NET_PER * regime;

    for (int i = 0; i < level && i < net->nlevel; i++)
        n += CHORALE_NET_PER * net->level[i].regime.n;
    return n;
}

void chorale_net_get(const struct chorale_net *net, double *value)
{
    for (int i = 0; i < net->nlevel; i++)
        for (int k = 0; k < net->level[i].regime.n; k++) {
            *value++ = net->level[i].regime.alpha[k];
            *value++ = net->level[i].regime.beta[k];
            *value++ = net->level[i].regime.cold[k];
        }
    *value++ = net->send_overhead;
    *value++ = net->recv_overhead;
    *value++ = net->gap;
    *value++ = net->copy;
    *value++ = net->cold;
    *value++ = net->local;
    for (int k = 0; k < net->tau.n; k++)
        *value++ = net->tau.beta[k];
}

void chorale_net_set(struct chorale_net *net, const double *value)
{
    for (int i = 0; i < net->nlevel; i++)
        for (int k = 0; k < net->level[i].regime.n; k++) {
            net->level[i].regime.alpha[k] = *value++;
            net->level[i].regime.beta[k] = *value++;
            net->level[i].regime.cold[k] = *value++;
        }
    net->send_overhead = *value++;
    net->recv_overhead = *value++;
    net->gap = *value++;
    net->copy = *value++;
    net->cold = *value++;
    net->local = *value++;
    for (int k = 0; k < net->tau.n; k++)
        net->tau.beta[k] = *value++;
}

int chorale_net_regime(const struct chorale_net_regimes *r, double bytes)
{
    int i = 0;

    while (i < r->n - 1 && bytes > r->upto[i])
        i++;
    return i;
}
