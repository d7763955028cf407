/* SPDX-License-Identifier: BSD-3-Clause */
/* other_load.c - the processors that other programs take from the ranks. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "runners/measure/other_load.h"
#include "tests/tap.h"

enum { N = 4 };

/* Two nodes of two ranks. In 2 s each rank used its processors for `own` s, and
 * all programs used those of rank r for busy[r] s. cpu[r] has a bit for each
 * processor that rank r may use. */
static double most(const unsigned *cpu, const double *busy, double own)
{
    static const int node[N] = { 0, 0, 2, 2 };
    struct chorale_load *load;
    cpu_set_t may[N];
    double found;

    for (int r = 0; r < N; r++) {
        CPU_ZERO(&may[r]);
        for (unsigned i = 0; i < 32; i++)
            if (cpu[r] >> i & 1)
                CPU_SET(i, &may[r]);
    }
    load = chorale_load_new(node, N, may);
    if (load == NULL)
        return NAN;
    for (int r = 0; r < N; r++) {
        load->rank[r].busy = busy[r];
        load->rank[r].own = own;
    }
    found = chorale_load_most(load->rank, N, 2);
    chorale_load_free(load);
    return found;
}

static void is_most(const unsigned *cpu, const double *busy, double own,
                    double expected, const char *name)
{
    const double found = most(cpu, busy, own);

    tap_ok(fabs(found - expected) < 1e-12, "%s (%g)", name, found);
}

int main(void)
{
    static const unsigned bound[N] = { 1, 2, 1, 2 };
    static const unsigned two[N] = { 3, 3, 3, 3 };
    static const unsigned eight[N] = { 255, 255, 255, 255 };
    static const unsigned sockets[N] = { 15, 240, 15, 240 };

    is_most(bound, (double[]){ 2, 2, 2, 2 }, 2, 0, "ranks alone have no load");
    is_most(bound, (double[]){ 2, 2, 2, 2 }, 1.5, 0.5,
            "bound ranks lose the time of others on their processors");
    is_most(bound, (double[]){ 2, 2, 2, 1 }, 1, 1,
            "the node with most counts");
    is_most(two, (double[]){ 4, 4, 4, 4 }, 2, 0,
            "processors that ranks share are counted once");
    is_most(two, (double[]){ 4, 4, 4, 4 }, 1.5, 0.5,
            "unbound ranks lose the time of others");
    is_most(eight, (double[]){ 16, 16, 8, 8 }, 2, 0,
            "other programs on six spare processors of eight are no load");
    is_most(eight, (double[]){ 16, 16, 8, 8 }, 1.75, 0.25,
            "other programs on more than the spare processors are load");
    is_most(sockets, (double[]){ 8, 8, 2, 2 }, 1.75, 0.25,
            "different sets of processors of a node are added");
    is_most(bound, (double[]){ 0, 0, 0, 0 }, 1, 0,
            "a system that reports no times has no load");
    return tap_done();
}
