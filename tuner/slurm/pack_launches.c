/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_launches.c - packs launches into the elements of job arrays. */
#include "config.h"

#include "tuner/slurm/pack_launches.h"

#include <stdlib.h>
#include <string.h>

static int order(long a, long b)
{
    return (a > b) - (a < b);
}

static int order_real(double a, double b)
{
    return (a > b) - (a < b);
}

/* Order by group, riding along, ordinal, then length, longest first: first fit
 * decreasing needs at most 11/9 of the fewest elements. The remaining keys make
 * the order unique. */
static int by_group(const void *left, const void *right)
{
    const struct chorale_pack_launch *a = left, *b = right;
    int way = order(a->nodes, b->nodes);

    if (way == 0)
        way = order(a->ppn, b->ppn);
    if (way == 0)
        way = order(a->wave > 0, b->wave > 0);
    if (way == 0)
        way = order(a->p.ordinal, b->p.ordinal);
    if (way == 0)
        way = order_real(b->seconds, a->seconds);
    if (way == 0)
        way = order(a->p.comm_size, b->p.comm_size);
    if (way == 0)
        way = order(a->p.siblings, b->p.siblings);
    if (way == 0)
        way = order((long)a->p.system_id, (long)b->p.system_id);
    if (way == 0)
        way = strcmp(a->p.shape, b->p.shape);
    return way != 0 ? way : strcmp(a->p.part, b->p.part);
}

/* Order by element; launches that ride along follow their host. */
static int by_element(const void *left, const void *right)
{
    const struct chorale_pack_launch *a = left, *b = right;
    int way = order(a->element, b->element);

    return way != 0 ? way : by_group(left, right);
}

/* Order by ordinal, then most nodes, then most ranks. */
static int by_size(const void *left, const void *right)
{
    const struct chorale_pack_launch *a = left, *b = right;
    int way = order(a->p.ordinal, b->p.ordinal);

    if (way == 0)
        way = order(b->own_nodes, a->own_nodes);
    if (way == 0)
        way = order(b->own_ppn, a->own_ppn);
    if (way == 0)
        way = order(b->p.comm_size, a->p.comm_size);
    return way != 0 ? way : by_group(left, right);
}

/* --- riding along ----------------------------------------------------- */

/* Returns 1 if a launch may share a start (tuner/run/run.h). */
static int may_share(const struct chorale_pack_launch *l)
{
    return l->p.part[0] == '\0' && l->p.siblings == 1 &&
           strcmp(l->p.shape, "cyclic") != 0;
}

static int may_ride(const struct chorale_pack_launch *l,
                    const struct chorale_pack_launch *host)
{
    return may_share(l) && l != host && l->wave == 0 &&
           l->own_ppn <= host->own_ppn && l->own_nodes < host->own_nodes &&
           l->p.ordinal == host->p.ordinal &&
           l->p.system_id == host->p.system_id &&
           l->p.campaign_id == host->p.campaign_id;
}

/* The nodes full of its ranks; the last node may be partly free. */
static int full_nodes(const struct chorale_pack_launch *host)
{
    return host->p.comm_size / host->own_ppn;
}

/* Try one wave of the launches that may still ride along, from the largest on
 * as they fit. It is kept if it saves node-hours. Returns 0 if no launch could
 * be tried. */
static int one_wave(struct chorale_pack_launch *l, size_t n,
                    struct chorale_pack_launch *host, int wave,
                    const struct chorale_pack_opts *opts, double *bound,
                    char *tried)
{
    double longest = 0, alone = 0, sum = 0;
    int used = 0, any = 0, keep;

    for (size_t i = 0; i < n; i++) {
        if (tried[i] || !may_ride(&l[i], host) ||
            used + l[i].own_nodes > full_nodes(host))
            continue;
        used += l[i].own_nodes;
        longest = l[i].expected > longest ? l[i].expected : longest;
        alone += l[i].own_nodes * (opts->start_up + l[i].expected);
        sum += l[i].seconds;
        tried[i] = 2;
        any = 1;
    }
    keep = host->own_nodes * longest < alone && *bound + sum <= opts->limit;
    for (size_t i = 0; i < n; i++)
        if (tried[i] == 2) {
            tried[i] = 1;
            l[i].wave = keep ? wave : 0;
        }
    *bound += keep ? sum : 0;
    return any;
}

/* Find the launches that ride along; the launches have one ordinal and are in
 * the order of by_size. */
static void find_riders(struct chorale_pack_launch *l, size_t n,
                        const struct chorale_pack_opts *opts, char *tried)
{
    double bound = l[0].seconds + opts->beyond;

    memset(tried, 0, n);
    if (l[0].own_nodes < 2 || !may_share(&l[0]))
        return;
    for (int wave = 1;
         one_wave(l, n, &l[0], wave, opts, &bound, tried); wave++)
        ;
    for (size_t i = 1; i < n; i++)
        if (l[i].wave > 0) {
            l[i].nodes = l[0].own_nodes;
            l[i].ppn = l[0].own_ppn;
            l[i].host_size = l[0].p.comm_size;
        }
}

/* --- elements --------------------------------------------------------- */

static int rides_with(const struct chorale_pack_launch *l,
                      const struct chorale_pack_launch *host)
{
    return l->wave > 0 && host->wave == 0 && may_share(host) &&
           l->host_size == host->p.comm_size && l->ppn == host->own_ppn &&
           l->p.ordinal == host->p.ordinal &&
           l->p.system_id == host->p.system_id;
}

/* Seconds of a launch with its start and of the launches that ride with it. */
static double with_riders(const struct chorale_pack_launch *launch, size_t n,
                          const struct chorale_pack_launch *host,
                          double beyond)
{
    double sum = host->seconds + beyond;

    for (size_t i = 0; i < n; i++)
        if (rides_with(&launch[i], host))
            sum += launch[i].seconds;
    return sum;
}

static long seat(struct chorale_pack_launch *launch, size_t n,
                 const struct chorale_pack_opts *opts)
{
    long last = 0, first = 1; /* elements of this group and ordinal */
    size_t from = 0;

    for (size_t i = 0; i < n; i++) {
        double seconds;
        long e;

        if (launch[i].wave > 0)
            continue;
        if (i > 0 && (launch[i].nodes != launch[from].nodes ||
                      launch[i].ppn != launch[from].ppn ||
                      launch[i].p.ordinal != launch[from].p.ordinal)) {
            first = last + 1;
            from = i;
        }
        seconds = with_riders(launch, n, &launch[i], opts->beyond);
        for (e = first; e <= last; e++) {
            double filled = 0;

            for (size_t k = from; k < i; k++)
                if (launch[k].element == e)
                    filled += with_riders(launch, n, &launch[k],
                                          opts->beyond);
            if (filled + seconds <= opts->limit)
                break;
        }
        launch[i].element = e;
        last = e > last ? e : last;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t h = 0; launch[i].wave > 0 && h < n; h++)
            if (rides_with(&launch[i], &launch[h]))
                launch[i].element = launch[h].element;
    return last;
}

long chorale_pack_launches(struct chorale_pack_launch *launch, size_t n,
                           const struct chorale_pack_opts *opts)
{
    char *tried = malloc(n + 1);
    size_t from = 0;
    long count;

    if (tried == NULL)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct chorale_pack_launch *l = &launch[i];

        l->own_ppn = l->ppn = l->p.ppn * l->p.siblings;
        l->own_nodes = l->nodes = (l->p.comm_size + l->p.ppn - 1) / l->p.ppn;
        l->wave = l->host_size = 0;
        l->element = 0;
    }
    qsort(launch, n, sizeof(*launch), by_size);
    for (size_t to = 1; n > 0 && to <= n && !opts->one_per_p; to++)
        if (to == n || launch[to].p.ordinal != launch[from].p.ordinal) {
            find_riders(launch + from, to - from, opts, tried);
            from = to;
        }
    free(tried);
    qsort(launch, n, sizeof(*launch), by_group);
    count = seat(launch, n, opts);
    qsort(launch, n, sizeof(*launch), by_element);
    return count;
}

double chorale_pack_expected(const struct chorale_pack_launch *launch,
                             size_t n, double start_up, double *each_p)
{
    double sum = 0;

    *each_p = 0;
    for (size_t i = 0; i < n; i++) {
        const struct chorale_pack_launch *l = &launch[i];
        double longest = l->expected;
        int counted = 0; /* another launch of its wave counted */

        *each_p += l->own_nodes * (start_up + l->expected);
        if (l->wave == 0) {
            sum += l->nodes * (start_up + l->expected);
            continue;
        }
        for (size_t k = 0; k < n; k++)
            if (launch[k].wave == l->wave &&
                launch[k].element == l->element &&
                launch[k].p.ordinal == l->p.ordinal) {
                counted |= k < i;
                longest = launch[k].expected > longest ? launch[k].expected
                                                       : longest;
            }
        sum += counted ? 0 : l->nodes * longest;
    }
    return sum;
}
