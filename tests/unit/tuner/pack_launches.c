/* SPDX-License-Identifier: BSD-3-Clause */
/* How launches are packed: into elements that fit a limit, ordinals apart;
 * which ride along with a larger one, in which waves, and what that saves. */
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
    is_int(n, 6, "one start for each: an element for each ordinal and size");
    is_int(l[0].nodes * 100 + l[5].nodes, 102, "by nodes");
    is_int(l[0].wave + l[3].wave, 0, "none rides along");
    all = chorale_pack_expected(l, 6, 5, &each);
    is_near(all, each, 1e-12, "nothing is saved");
    is_near(each, 3 * 65 + 3 * 2 * 65, 1e-12, "each takes its nodes");
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
           "16, 8, 4, 2 and 1 nodes: an element for each ordinal");
    is_int(find(l, n, 64, 0)->wave, 0, "the largest has the start");
    is_int(find(l, n, 32, 0)->wave * 1000 + find(l, n, 16, 0)->wave * 100 +
               find(l, n, 8, 0)->wave * 10 + find(l, n, 4, 0)->wave, 1111,
           "the others are one wave: 8 + 4 + 2 + 1 of 16 nodes");
    is_int(find(l, n, 4, 1)->nodes * 10 + find(l, n, 4, 1)->ppn, 164,
           "their nodes are those of the element");
    tap_ok(find(l, n, 4, 0)->element == find(l, n, 64, 0)->element &&
           find(l, n, 4, 0)->element != find(l, n, 64, 1)->element,
       "with the launch of their ordinal");
    is_int(l[0].p.comm_size, 64, "which comes first there");
    all = chorale_pack_expected(l, (size_t)n, opts.start_up, &each);
    is_near(each, 2 * 31 * 70, 1e-12, "with a start each: 31 nodes");
    is_near(all, 2 * (16 * 70 + 16 * 40), 1e-12,
            "together: a start, and the longest of the wave");

    opts.start_up = 1;
    chorale_pack_launches(l, (size_t)n, &opts);
    is_int(find(l, n, 32, 0)->wave, 0, "starts that cost little: none rides");
    opts.start_up = 30;
    opts.limit = 150;
    chorale_pack_launches(l, (size_t)n, &opts);
    is_int(find(l, n, 32, 0)->wave, 0, "nor where the limit is too short");
    is_int(find(l, n, 32, 0)->nodes, 8, "and it has nodes of its own again");
}

/* A wave that is not worth it does not keep the next from being tried. */
static void choosing(void)
{
    struct chorale_pack_launch l[4] = {
        make(32, 4, 0, 10), make(28, 4, 0, 100), make(16, 4, 0, 10),
        make(12, 4, 0, 10),
    };
    const struct chorale_pack_opts opts = { 1000, 10, 0, 0 };

    chorale_pack_launches(l, 4, &opts);
    is_int(find(l, 4, 28, 0)->wave, 0, "a long one on nearly all nodes does "
           "not ride");
    is_int(find(l, 4, 16, 0)->wave * 10 + find(l, 4, 12, 0)->wave, 22,
           "two short ones after it do");
}

/* What cannot share a start. */
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
    is_int(riding, 0, "parts, siblings, more ranks a node, other ordinals: no "
           "one rides");

    l[0] = make(10, 4, 0, 10);
    l[1] = make(8, 4, 0, 10);
    l[2] = make(9, 3, 0, 10);
    chorale_pack_launches(l, 3, &opts);
    is_int(find(l, 3, 8, 0)->wave * 10 + find(l, 3, 9, 0)->wave, 10,
           "of three nodes, two are full: so many may ride");

    l[0] = make(8, 8, 0, 10);
    l[1] = make(4, 4, 0, 10);
    chorale_pack_launches(l, 2, &opts);
    is_int(l[0].wave + l[1].wave, 0, "nor on a single node");
    is_int(chorale_pack_launches(l, 0, &opts), 0, "nothing is no element");
}

/* Riders count for the limit of the element that their host is in. */
static void filling(void)
{
    struct chorale_pack_launch l[3] = {
        make(31, 4, 0, 30), make(32, 4, 0, 30), make(16, 4, 0, 30),
    };
    const struct chorale_pack_opts opts = { 80, 100, 0, 0 };

    is_int(chorale_pack_launches(l, 3, &opts), 2,
           "two of 8 nodes and a rider: more than the limit together");
    is_int(find(l, 3, 16, 0)->element, find(l, 3, 32, 0)->element,
           "the rider is with the larger");
    tap_ok(find(l, 3, 31, 0)->element != find(l, 3, 32, 0)->element,
       "which has the element for itself");
}

/* A start that takes much of the limit counts once for a host and riders. */
static void starting(void)
{
    struct chorale_pack_launch l[4] = {
        make(32, 4, 0, 5), make(16, 4, 0, 5), make(4, 4, 0, 5),
        make(31, 4, 0, 5),
    };
    struct chorale_pack_opts opts = { 90, 60, 0, 55 };

    is_int(chorale_pack_launches(l, 4, &opts), 2,
           "two starts of 60 s are more than 90");
    is_int(find(l, 4, 16, 0)->element * 10 + find(l, 4, 4, 0)->element,
           find(l, 4, 32, 0)->element * 11, "riders are in that of their host");
    opts.limit = 150;
    is_int(chorale_pack_launches(l, 4, &opts), 1, "150 have room for both");
    opts.limit = 67;
    chorale_pack_launches(l, 4, &opts);
    is_int(find(l, 4, 16, 0)->wave + find(l, 4, 4, 0)->wave, 0,
           "nobody rides where the host's start leaves no room");
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
