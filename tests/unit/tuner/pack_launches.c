/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_launches.c - launches are packed into elements within a time limit, with
 * different ordinals apart; small launches share the start of a larger one in
 * waves; the expected savings are right. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/slurm/pack_launches.h"

static struct chorale_pack_launch make(int comm_size, int ppn, int ordinal,
                                       double seconds)
{
    struct chorale_pack_launch l = { .seconds = seconds,
                                     .expected = seconds };

    l.p.comm_size = comm_size;
    l.p.ppn = ppn;
    l.p.ordinal = ordinal;
    l.p.siblings = 1;
    strcpy(l.p.shape, comm_size <= ppn ? "single-node" : "block");
    return l;
}

static void is_int(long is, long wanted, const char *name)
{
    if (!tap_ok(is == wanted, "%s", name))
        tap_diag("%ld, wanted %ld", is, wanted);
}

static void is_near(double is, double wanted, double error, const char *name)
{
    if (!tap_ok(fabs(is - wanted) <= error * fabs(wanted), "%s", name))
        tap_diag("%g, wanted %g", is, wanted);
}

static const struct chorale_pack_launch *
find(const struct chorale_pack_launch *l, int n, int comm_size, int ordinal)
{
    for (int i = 0; i < n; i++)
        if (l[i].p.comm_size == comm_size && l[i].p.ordinal == ordinal)
            return &l[i];
    return NULL;
}

static void strict(void)
{
    struct chorale_pack_launch l[6];
    const struct chorale_pack_opts opts = { 100, 5, 1, 0 };
    double each, all;
    long n;

    for (int i = 0; i < 6; i++)
        l[i] = make(i < 3 ? 8 : 16, 8, i % 3, 60);
    n = chorale_pack_launches(l, 6, &opts);
    is_int(n, 6, "without sharing, each ordinal and size has an element");
    is_int(l[0].nodes * 100 + l[5].nodes, 102, "elements are ordered by nodes");
    is_int(l[0].wave + l[3].wave, 0, "without sharing there is no wave");
    all = chorale_pack_expected(l, 6, 5, &each);
    is_near(all, each, 1e-12, "without sharing the costs are equal");
    is_near(each, 3 * 65 + 3 * 2 * 65, 1e-12,
            "each launch costs its nodes times start-up and run time");
}

static void riding(void)
{
    struct chorale_pack_launch l[10];
    struct chorale_pack_opts opts = { 1000, 30, 0, 0 };
    double each, all;
    int n = 0;

    for (int ordinal = 0; ordinal < 2; ordinal++)
        for (int p = 4; p <= 64; p *= 2)
            l[n++] = make(p, 4, ordinal, 40);
    is_int(chorale_pack_launches(l, (size_t)n, &opts), 2,
           "16, 8, 4, 2 and 1 nodes share one element per ordinal");
    is_int(find(l, n, 64, 0)->wave, 0, "the largest launch is the host");
    is_int(find(l, n, 32, 0)->wave * 1000 + find(l, n, 16, 0)->wave * 100 +
               find(l, n, 8, 0)->wave * 10 + find(l, n, 4, 0)->wave, 1111,
           "the others form one wave: 8 + 4 + 2 + 1 of 16 nodes");
    is_int(find(l, n, 4, 1)->nodes * 10 + find(l, n, 4, 1)->ppn, 164,
           "launches of a wave have the element's nodes");
    tap_ok(find(l, n, 4, 0)->element == find(l, n, 64, 0)->element &&
           find(l, n, 4, 0)->element != find(l, n, 64, 1)->element,
       "launches share only with their own ordinal");
    is_int(l[0].p.comm_size, 64, "the host comes first in its element");
    all = chorale_pack_expected(l, (size_t)n, opts.start_up, &each);
    is_near(each, 2 * 31 * 70, 1e-12, "cost with separate starts: 31 nodes");
    is_near(all, 2 * (16 * 70 + 16 * 40), 1e-12,
            "cost shared: one start, and the longest launch of the wave");

    opts.start_up = 1;
    chorale_pack_launches(l, (size_t)n, &opts);
    is_int(find(l, n, 32, 0)->wave, 0, "cheap starts are not shared");
    opts.start_up = 30;
    opts.limit = 150;
    chorale_pack_launches(l, (size_t)n, &opts);
    is_int(find(l, n, 32, 0)->wave, 0,
           "starts are not shared if the limit is too short");
    is_int(find(l, n, 32, 0)->nodes, 8,
           "a launch with its own start has its own nodes");
}

/* An unprofitable wave does not prevent trying the next one. */
static void choosing(void)
{
    struct chorale_pack_launch l[4] = {
        make(32, 4, 0, 10), make(28, 4, 0, 100), make(16, 4, 0, 10),
        make(12, 4, 0, 10),
    };
    const struct chorale_pack_opts opts = { 1000, 10, 0, 0 };

    chorale_pack_launches(l, 4, &opts);
    is_int(find(l, 4, 28, 0)->wave, 0, "a long launch on nearly all nodes has "
           "its own start");
    is_int(find(l, 4, 16, 0)->wave * 10 + find(l, 4, 12, 0)->wave, 22,
           "two short launches after it share a start");
}

/* Launches that cannot share a start. */
static void barred(void)
{
    struct chorale_pack_launch l[5] = {
        make(32, 4, 0, 10), make(16, 4, 0, 10), make(16, 4, 0, 10),
        make(16, 8, 0, 10), make(16, 4, 1, 10),
    };
    const struct chorale_pack_opts opts = { 1000, 100, 0, 0 };
    int riding = 0;

    strcpy(l[1].p.part, "untouched");
    l[2].p.siblings = 2;
    chorale_pack_launches(l, 5, &opts);
    for (int i = 0; i < 5; i++)
        riding += l[i].wave > 0;
    is_int(riding, 0, "launches with parts, siblings, more ranks per node or "
           "other ordinals share no start");

    l[0] = make(10, 4, 0, 10);
    l[1] = make(8, 4, 0, 10);
    l[2] = make(9, 3, 0, 10);
    chorale_pack_launches(l, 3, &opts);
    is_int(find(l, 3, 8, 0)->wave * 10 + find(l, 3, 9, 0)->wave, 10,
           "a wave uses only the full nodes of its host, two of three");

    l[0] = make(8, 8, 0, 10);
    l[1] = make(4, 4, 0, 10);
    chorale_pack_launches(l, 2, &opts);
    is_int(l[0].wave + l[1].wave, 0, "on a single node no start is shared");
    is_int(chorale_pack_launches(l, 0, &opts), 0,
           "no launches give no element");
}

/* Launches of a wave count towards the limit of their host's element. */
static void filling(void)
{
    struct chorale_pack_launch l[3] = {
        make(31, 4, 0, 30), make(32, 4, 0, 30), make(16, 4, 0, 30),
    };
    const struct chorale_pack_opts opts = { 80, 100, 0, 0 };

    is_int(chorale_pack_launches(l, 3, &opts), 2,
           "two launches on 8 nodes and a wave exceed the limit");
    is_int(find(l, 3, 16, 0)->element, find(l, 3, 32, 0)->element,
           "the wave is with the larger host");
    tap_ok(find(l, 3, 31, 0)->element != find(l, 3, 32, 0)->element,
       "the other launch has another element");
}

/* A long start counts once for a host and its wave. */
static void starting(void)
{
    struct chorale_pack_launch l[4] = {
        make(32, 4, 0, 5), make(16, 4, 0, 5), make(4, 4, 0, 5),
        make(31, 4, 0, 5),
    };
    struct chorale_pack_opts opts = { 90, 60, 0, 55 };

    is_int(chorale_pack_launches(l, 4, &opts), 2,
           "two starts of 60 s exceed a limit of 90 s");
    is_int(find(l, 4, 16, 0)->element * 10 + find(l, 4, 4, 0)->element,
           find(l, 4, 32, 0)->element * 11, "a wave is in its host's element");
    opts.limit = 150;
    is_int(chorale_pack_launches(l, 4, &opts), 1,
           "a limit of 150 s fits both starts");
    opts.limit = 67;
    chorale_pack_launches(l, 4, &opts);
    is_int(find(l, 4, 16, 0)->wave + find(l, 4, 4, 0)->wave, 0,
           "there is no wave if the host's start leaves no time");
}

int main(void)
{
    strict();
    riding();
    choosing();
    barred();
    filling();
    starting();
    return tap_done();
}
