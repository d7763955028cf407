/* SPDX-License-Identifier: BSD-3-Clause */
/* node_sets.c - nodes that elements exclude, their names in Slurm's notation,
 * and the order of a launch's nodes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "runners/launch/node_order.h"
#include "tests/tap.h"
#include "tuner/slurm/node_sets.h"

enum { MOST = 64 };

static void is_count(size_t is, size_t wanted, const char *name)
{
    if (!tap_ok(is == wanted, "%s", name))
        tap_diag("%zu, wanted %zu", is, wanted);
}

static void spared(void)
{
    is_count(chorale_nodeset_excludable(4, 1), 2,
             "a launch on 1 of 4 nodes may exclude 2");
    is_count(chorale_nodeset_excludable(5, 1), 2,
             "a launch on 1 of 5 nodes may exclude 2");
    is_count(chorale_nodeset_excludable(4, 2), 0,
             "a launch on 2 of 4 nodes may exclude none");
    is_count(chorale_nodeset_excludable(10, 4), 2,
             "a launch on 4 of 10 nodes may exclude 2");
    is_count(chorale_nodeset_excludable(3, 4), 0,
             "with fewer nodes than needed none is excluded");
    is_count(chorale_nodeset_excludable(0, 1), 0,
             "without nodes none is excluded");
    is_count(chorale_nodeset_excludable(1000, 4), 500,
             "of many nodes half may be excluded");
}

static void marks(void)
{
    char a[MOST], b[MOST], again[MOST];
    int both = 0, left = 0, differ = 0;

    chorale_nodeset_mark(a, MOST, MOST / 2, 7, 0);
    chorale_nodeset_mark(b, MOST, MOST / 2, 7, 1);
    chorale_nodeset_mark(again, MOST, MOST / 2, 7, 0);
    tap_ok(memcmp(a, again, MOST) == 0,
           "the same seed excludes the same nodes");
    for (int i = 0; i < MOST; i++) {
        both += a[i] && b[i];
        left += a[i];
    }
    is_count((size_t)left, MOST / 2, "the requested number is excluded");
    is_count((size_t)both, 0, "two sets of excluded nodes are disjoint");
    chorale_nodeset_mark(again, MOST, MOST / 2, 8, 0);
    for (int i = 0; i < MOST; i++)
        differ += a[i] != again[i];
    tap_ok(differ > MOST / 4, "another seed excludes other nodes");
}

static void is_names(const char *mark01, const char *wanted, char *const *name)
{
    size_t n = strlen(mark01);
    char mark[MOST], *text;

    for (size_t i = 0; i < n; i++)
        mark[i] = mark01[i] == '1';
    text = chorale_nodeset_names(name, n, mark);
    if (!tap_ok(text != NULL && strcmp(text, wanted) == 0, "names: %s",
                wanted))
        tap_diag("%s", text != NULL ? text : "none");
    free(text);
}

static void names(void)
{
    char *const n[] = { "n1", "n2", "n3", "n9", "n10", "n11" };
    char *const zero[] = { "a", "b007", "b008", "b010", "c-1x", "c-2x" };
    char *const rack[] = { "r1n1", "r1n2", "r2n1", "r2n2" };

    is_names("111111", "n[1-3,9,10-11]", n);
    is_names("100101", "n[1,9,11]", n);
    is_names("010000", "n[2]", n);
    is_names("111111", "a,b[007-008,010],c-1x,c-2x", zero);
    is_names("100011", "a,c-1x,c-2x", zero);
    is_names("1111", "r1n[1-2],r2n[1-2]", rack);
}

/* Check an order: each node once, the first stays first, and all but few nodes
 * are next to a neighbour in Slurm's order, cyclically. */
static void is_order(int n, uint64_t seed, int ordinal)
{
    int seen[MOST] = { 0 }, order[MOST], whole = 1, beside = 0;

    for (int i = 0; i < n; i++) {
        order[i] = chorale_node_order_place(i, n, seed, ordinal);
        if (order[i] >= 0 && order[i] < n)
            seen[order[i]]++;
    }
    for (int i = 0; i < n; i++)
        whole &= seen[i] == 1;
    for (int i = 1; i + 1 < n; i++)
        beside += abs(order[i] - order[i + 1]) == 1;
    tap_ok(whole && order[0] == 0 && beside >= n - 3,
           "%d nodes, launch %d: each node once, neighbours adjacent", n,
           ordinal);
}

/* Up to 16 nodes and 20 seeds: 1 if each node but the first comes second once
 * in n - 1 launches. */
static int all_begin(void)
{
    int all = 1;

    for (int n = 3; n <= 16; n++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            unsigned first = 0;

            for (int ordinal = 0; ordinal < n - 1; ordinal++)
                first |= 1u << chorale_node_order_place(1, n, seed, ordinal);
            all &= first == (1u << n) - 2;
        }
    return all;
}

static void orders(void)
{
    int first[MOST] = { 0 }, backwards = 0, ways = 1;

    for (int ordinal = 0; ordinal < 3; ordinal++) {
        is_order(4, 1, ordinal);
        is_order(17, 1 + (uint64_t)ordinal, ordinal);
    }
    for (int ordinal = 0; ordinal < 12; ordinal++) {
        int next = chorale_node_order_place(1, 13, 5, ordinal);
        int then = chorale_node_order_place(2, 13, 5, ordinal);

        first[next]++;
        backwards += then == next - 1 || (next == 1 && then == 12);
    }
    for (int i = 1; i < 13; i++)
        ways &= first[i] == 1;
    tap_ok(ways, "twelve launches have twelve different orders");
    tap_ok(all_begin(),
           "n - 1 launches start the rotation at n - 1 nodes, for any seed");
    tap_ok(backwards > 0 && backwards < 12,
           "some launches have the reverse order");
    tap_ok(chorale_node_order_place(1, 2, 9, 3) == 1,
           "two nodes keep their order");
}

static void words(void)
{
    static const char *const bad[] = { "", "7", "7:", ":1", "7:x", "-7:1",
                                       "7:-1", "7:1,", "7:99999999999" };
    uint64_t seed = 0;
    int ordinal = 0;

    tap_ok(chorale_node_order_parse("4294967297:12", &seed, &ordinal) == 0 &&
               seed == UINT64_C(4294967297) && ordinal == 12,
           "a seed and an ordinal are parsed");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        tap_ok(chorale_node_order_parse(bad[i], &seed, &ordinal) != 0,
               "'%s' is refused", bad[i]);
}

int main(void)
{
    spared();
    marks();
    names();
    orders();
    words();
    return tap_done();
}
