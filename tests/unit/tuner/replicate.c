/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate.c - the replication model (tuner/replicate/replicate.h) equals
 * values computed independently: slots of each schedule, terms of the cost, and
 * 30 systems with the optimum of exhaustive search. The closed form equals
 * exhaustive search on thousands of systems. */
#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tuner/replicate/replicate.h"

#define RS CHORALE_REP_MESH
#define WS CHORALE_REP_TORUS

static int near(double is, double wanted, double by)
{
    return fabs(is - wanted) <= by;
}

/* N, N_a, T_x, T_m; roots; best of all sides and its T_o; best divisor and its
 * T_o; proposition 3.7 as printed (0: undefined, -1: not real) and corrected.
 * */
static const struct {
    enum chorale_rep_net net;
    int link;
    long side;
    double accesses, tx, tm, even, odd;
    long best;
    double least;
    long divisor;
    double least_divisor;
    long printed, repaired;
} vector[] = {
    { RS, 1, 8, 1, 1, 1, 2.3590, 2.1911, 3, 2.397569444, 2, 2.460937500, 3, 3 },
    { RS, 2, 8, 1, 1, 1, 2.0256, 1.8177, 2, 3.687500000, 2, 3.687500000, 2, 2 },
    { WS, 1, 8, 1, 1, 1, 2.8160, 2.6816, 3, 1.746527778, 4, 1.839843750, 3, 3 },
    { WS, 2, 8, 1, 1, 1, 2.3590, 2.1911, 3, 2.397569444, 2, 2.460937500, 3, 3 },
    { RS, 1, 16, 4, 1, 10, 2.7777, 2.6547, 3, 44.397569444, 4, 45.201171875, 3, 3 },
    { RS, 2, 16, 4, 1, 10, 2.2333, 2.0784, 3, 47.723090278, 2, 47.949218750, 3, 3 },
    { WS, 1, 16, 4, 1, 10, 3.4710, 3.3734, 3, 42.734809028, 4, 42.893554688, 3, 3 },
    { RS, 1, 16, 2, 1, 50, 5.9128, 5.8557, 6, 104.763237847, 8, 105.130859375, 6, 6 },
    { RS, 2, 16, 2, 1, 50, 4.7196, 4.6476, 5, 107.781250000, 4, 108.160156250, 5, 5 },
    { WS, 1, 16, 2, 1, 50, 7.4230, 7.3777, 7, 102.817283163, 8, 102.858398438, 7, 7 },
    { WS, 2, 16, 2, 1, 50, 5.9128, 5.8557, 6, 104.763237847, 8, 105.130859375, 6, 6 },
    { RS, 1, 32, 2, 1.5, 100, 6.4725, 6.4207, 7, 207.653539541, 8, 208.022949219, 7, 7 },
    { WS, 1, 32, 2, 1.5, 100, 8.1388, 8.0977, 8, 204.743896484, 8, 204.743896484, 8, 8 },
    { RS, 2, 64, 1, 2, 500, 10.0342, 10.0008, 10, 515.975244141, 8, 516.813232422, 10, 10 },
    { WS, 1, 64, 1, 2, 500, 15.8963, 15.8753, 16, 506.095642090, 16, 506.095642090, 16, 16 },
    { RS, 1, 12, 8, 1, 2, 1.3268, 1.0639, 1, 18.979166667, 1, 18.979166667, 1, 1 },
    { WS, 1, 12, 8, 1, 0, 0.5004, 0.0000, 1, 0.496527778, 1, 0.496527778, -1, 1 },
    { RS, 1, 30, 3, 1, 20, 3.8241, 3.7355, 4, 64.850000000, 3, 64.864444444, 4, 4 },
    { WS, 1, 30, 3, 1, 20, 4.7906, 4.7203, 5, 62.876111111, 5, 62.876111111, 5, 5 },
    { RS, 1, 60, 2, 1, 100, 7.4140, 7.3687, 7, 206.011927438, 6, 206.332361111, 7, 7 },
    { WS, 1, 7, 2, 1, 5, 3.5423, 3.4435, 3, 11.433106576, 7, 11.959183673, 3, 3 },
    { RS, 1, 16, 8, 4, 0.1, 0.3626, 0.0266, 1, 1.895703125, 1, 1.895703125, -1, 1 },
    { RS, 1, 2, 1, 1, 0.5, 2.6494, 2.3307, 2, 1.375000000, 2, 1.375000000, 2, 2 },
    { RS, 1, 1, 1, 1, 1, NAN, NAN, 1, 1.000000000, 1, 1.000000000, 0, 0 },
    { RS, 1, 3, 0.75, 1, 0.1, 2.1222, 1.7927, 3, 1.019444444, 3, 1.019444444, 2, 2 },
    { RS, 2, 4, 0.75, 1, 0.25, 2.0000, 1.7129, 3, 2.282986111, 1, 2.296875000, 1, 1 },
    { RS, 1, 16, 0.1, 1, 0.05, 4.7547, 4.6417, 5, 0.715085937, 4, 0.723164062, 2, 2 },
    { WS, 1, 64, 0.05, 0.5, 0.01, 9.0727, 9.0165, 9, 0.305566219, 8, 0.306354492, 2, 2 },
    { RS, 1, 8, 0.02, 1, 1, NAN, NAN, 8, 0.552187500, 8, 0.552187500, 0, 0 },
    { RS, 2, 16, 0.25, 1, 0, 2.8737, 2.6881, 3, 1.651041667, 4, 1.730468750, 2, 2 },
};

static struct chorale_rep vector_rep(size_t i)
{
    return (struct chorale_rep){
        .net = vector[i].net, .link = vector[i].link,
        .side = vector[i].side, .accesses = vector[i].accesses,
        .tx = vector[i].tx, .tm = vector[i].tm, .data = 1, .bands = 1,
    };
}

static int same_root(double is, double wanted)
{
    return (isnan(is) && isnan(wanted)) || near(is, wanted, 0.00006);
}

static void test_vectors(void)
{
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); i++) {
        struct chorale_rep rep = vector_rep(i);
        struct chorale_rep_cost cost, least;
        double even, odd;
        long all = chorale_rep_exhaustive(&rep), divisor;
        int closed = chorale_rep_closed(&rep) == all;

        chorale_rep_roots(&rep, &even, &odd);
        chorale_rep_cost(&rep, all, all, &cost);
        rep.divisors = 1;
        divisor = chorale_rep_exhaustive(&rep);
        chorale_rep_cost(&rep, divisor, divisor, &least);
        closed = closed && chorale_rep_closed(&rep) == divisor;
        tap_ok(all == vector[i].best && near(cost.total, vector[i].least, 1e-8)
                   && divisor == vector[i].divisor &&
                   near(least.total, vector[i].least_divisor, 1e-8),
               "system %zu: x = %ld, T = %.9f; best divisor %ld, %.9f", i + 1,
               all, cost.total, divisor, least.total);
        tap_ok(same_root(even, vector[i].even) &&
                   same_root(odd, vector[i].odd) && closed,
               "system %zu: roots %.4f and %.4f, and the closed form agrees",
               i + 1, even, odd);
        tap_ok(chorale_rep_proposition(&rep, 0) == vector[i].printed &&
                   chorale_rep_proposition(&rep, 1) == vector[i].repaired,
               "system %zu: proposition 3.7 says %ld, repaired %ld", i + 1,
               chorale_rep_proposition(&rep, 0),
               chorale_rep_proposition(&rep, 1));
    }
}

static void test_slots(void)
{
    static const double u[] = { 0, 1, 2, 4, 6, 9, 12, 16, 20, 25, 30, 36, 42,
                                49, 56, 64 };
    int good = 1;

    for (long x = 1; x <= 16; x++)
        good &= near(chorale_rep_packets(x), u[x - 1], 0);
    tap_ok(good, "packets over the middle link of lines of 1 to 16");
    tap_ok(near(chorale_rep_slots(CHORALE_REP_ARRAY, 1, 5, 1), 6, 0) &&
           near(chorale_rep_slots(CHORALE_REP_RING, 1, 5, 1), 3, 0) &&
           near(chorale_rep_slots(CHORALE_REP_RING, 1, 6, 1), 4.5, 0) &&
           near(chorale_rep_slots(RS, 1, 3, 4), 12, 0) &&
           near(chorale_rep_slots(WS, 1, 3, 4), 6, 0),
           "slots of updating on lines, rings and meshes");
}

static void test_terms(void)
{
    static const struct {
        enum chorale_rep_net net;
    int link;
        long x, y, side;
        double seconds;
    } part[] = {
        { RS, 1, 2, 4, 8, 0.7109375 },   { RS, 2, 2, 4, 8, 1.421875 },
        { WS, 1, 2, 4, 8, 0.319754464 }, { WS, 2, 2, 4, 8, 0.639508929 },
        { WS, 1, 3, 3, 12, 0.326388889 }, { WS, 1, 4, 5, 10, 0.292806122 },
        { WS, 1, 1, 8, 8, 0.300781250 },
    };
    static const struct {
        enum chorale_rep_net net;
    int link;
        long x, y, side;
        double accesses, tx, tm, seconds;
    } whole[] = {
        { RS, 1, 2, 4, 8, 1, 1, 1, 2.8203125 },
        { RS, 2, 2, 4, 8, 1, 1, 1, 4.53125 },
        { WS, 1, 2, 4, 8, 1, 1, 1, 1.929129464 },
        { WS, 2, 3, 6, 12, 2, 1.5, 4, 13.289186508 },
        { WS, 1, 4, 5, 20, 1, 1, 2, 2.997657374 },
        { RS, 2, 1, 3, 12, 1, 1, 0, 3.305555556 },
    };
    struct chorale_rep rep = { .accesses = 1, .tx = 1, .data = 1, .bands = 1 };
    struct chorale_rep_cost cost;

    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        rep.net = part[i].net;
        rep.link = part[i].link;
        rep.side = part[i].side;
        chorale_rep_cost(&rep, part[i].x, part[i].y, &cost);
        tap_ok(near(cost.integration + cost.broadcasting, part[i].seconds,
                    1e-9), "cost of integration and broadcasting, %ld x %ld of "
                           "%ld",
               part[i].x, part[i].y, part[i].side);
    }
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        rep = (struct chorale_rep){
            .net = whole[i].net, .link = whole[i].link,
            .side = whole[i].side, .accesses = whole[i].accesses,
            .tx = whole[i].tx, .tm = whole[i].tm, .data = 1, .bands = 1,
        };
        chorale_rep_cost(&rep, whole[i].x, whole[i].y, &cost);
        tap_ok(near(cost.total, whole[i].seconds, 1e-9),
               "total cost, %ld x %ld of %ld", whole[i].x, whole[i].y,
               whole[i].side);
    }
    rep = (struct chorale_rep){ .net = RS, .link = 1, .side = 8, .accesses = 1,
                                .tx = 1, .tm = 1, .data = 1, .bands = 1 };
    chorale_rep_cost(&rep, 3, 3, &cost);
    tap_ok(near(cost.updating, 0.666666667, 1e-9) &&
           near(cost.integration + cost.broadcasting, 0.635416667, 1e-9) &&
           near(cost.modification, 1.095486111, 1e-9), "the terms of the total "
                                                       "cost are right");
}

/* Square groups are optimal, and the closed form finds them, for systems of all
 * kinds, with sides restricted to divisors or not. */
static void test_grid(void)
{
    static const double accesses[] = { 0.02, 0.1, 0.7, 1, 3, 8 };
    static const double tx[] = { 0.5, 1, 2 }, tm[] = { 0, 0.1, 2, 60, 900 };
    long n = 0, wrong = 0, skew = 0;

    for (long k = 0; k < 4L * 2 * 2 * 6 * 3 * 5; k++)
        for (long side = 1; side <= 40; side += side < 12 ? 1 : 7) {
            struct chorale_rep rep = {
                .net = (enum chorale_rep_net)(k % 4),
                .link = 1 + (int)(k / 4 % 2), .side = side,
                .divisors = (int)(k / 8 % 2),
                .accesses = accesses[k / 16 % 6], .tx = tx[k / 96 % 3],
                .tm = tm[k / 288 % 5], .data = 1, .bands = 1,
            };
            struct chorale_rep_cost best, cost;
            long x = chorale_rep_exhaustive(&rep);

            n++;
            wrong += chorale_rep_closed(&rep) != x;
            if (rep.divisors || k % 4 > 1 || side > 12)
                continue;
            chorale_rep_cost(&rep, x, x, &best);
            for (long y = 1; y <= side; y++)
                for (long z = 1; z <= y; z++) {
                    chorale_rep_cost(&rep, z, y, &cost);
                    skew += cost.total < best.total * (1 - 1e-12);
                }
        }
    tap_ok(wrong == 0, "the closed form equals exhaustive search, %ld times "
                       "(%ld not)", n, wrong);
    tap_ok(skew == 0, "no oblong group is better than the best square one");
}

static void test_latency(void)
{
    struct chorale_rep rep = { .net = WS, .link = 1, .side = 16, .accesses = 2,
                               .tx = 1, .tm = 50, .data = 1000, .bands = 4 };
    struct chorale_rep_cost without, with;

    chorale_rep_cost(&rep, 4, 4, &without);
    rep.alpha = 10;
    chorale_rep_cost(&rep, 4, 4, &with);
    tap_ok(near(with.latency, 10 * (4 * 4 + 3 + 3 + 30) / 1000.0, 1e-12) &&
           near(with.total, without.total + with.latency, 1e-12),
           "latency is the number of messages, divided by the data items");
    rep.data = 1;
    tap_ok(chorale_rep_exhaustive(&rep) < 7,
           "with few data items latency makes groups small (%ld)",
           chorale_rep_exhaustive(&rep));
}

/* Costs on links and of scattered groups, computed by hand. */
static void test_placements(void)
{
    static const struct {
        enum chorale_rep_net net;
        int link, as_links, scatter;
        long x, side;
        double updating, integration;
    } row[] = {
        { WS, 1, 0, 0, 4, 8, 0.5, 0.046875 },
        { WS, 1, 1, 0, 4, 8, 1, 0.046875 },
        { WS, 1, 1, 0, 8, 8, 1, 0 },
        { WS, 1, 0, 1, 4, 8, 1, 0.0234375 },
        { WS, 2, 0, 1, 2, 8, 2, 0.234375 },
        { RS, 1, 0, 1, 2, 8, 2, 0.1171875 },
        { CHORALE_REP_ARRAY, 1, 0, 1, 2, 8, 2, 0.375 },
        { CHORALE_REP_RING, 1, 1, 0, 4, 16, 1, 0.375 },
        { CHORALE_REP_RING, 2, 0, 1, 4, 16, 4, 0.375 },
        { RS, 1, 0, 0, 2, 6, 0.5, 2.0 / 9 },
        { RS, 1, 1, 0, 2, 6, 0.5, 4.0 / 9 },
        { RS, 2, 1, 0, 2, 6, 1, 2.0 / 3 },
        { RS, 1, 1, 1, 2, 6, 1.5, 2.0 / 9 },
        { RS, 1, 1, 0, 2, 10, 0.5, 0.24 },
        { WS, 1, 0, 0, 3, 6, 1.0 / 3, 0.0625 },
        { WS, 1, 1, 0, 3, 6, 2.0 / 3, 1.0 / 12 },
        { WS, 1, 1, 1, 2, 6, 1, 1.0 / 9 },
        { CHORALE_REP_RING, 1, 1, 0, 3, 6, 2.0 / 3, 1.0 / 3 },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct chorale_rep rep = {
            .net = row[i].net, .link = row[i].link, .side = row[i].side,
            .as_links = row[i].as_links, .scatter = row[i].scatter,
            .accesses = 1, .tx = 1, .data = 1, .bands = 1,
        };
        struct chorale_rep_cost cost;

        chorale_rep_cost(&rep, row[i].x, row[i].x, &cost);
        tap_ok(near(cost.updating, row[i].updating, 1e-12) &&
                   near(cost.integration, row[i].integration, 1e-12),
               "groups of %ld, %s%s: %g and %g", row[i].x,
               row[i].as_links ? "as links allow" : "as in the paper",
               row[i].scatter ? ", scattered" : "", cost.updating,
               cost.integration);
    }
}

/* Broadcasting as in the paper, and as links allow. */
static void test_rings(void)
{
    static const struct {
        enum chorale_rep_net net;
        int link;
        long side;
        double paper, links;
    } row[] = {
        { RS, 1, 3, 4.0 / 9, 8.0 / 9 }, { RS, 2, 3, 8.0 / 9, 4.0 / 3 },
        { RS, 1, 5, 0.48, 0.48 },       { RS, 1, 4, 0.46875, 0.46875 },
        { WS, 1, 3, 2.0 / 9, 2.0 / 9 }, { WS, 1, 2, 0.1875, 0.375 },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct chorale_rep rep = {
            .net = row[i].net, .link = row[i].link, .side = row[i].side,
            .accesses = 1, .tx = 1, .data = 1, .bands = 1,
        };
        struct chorale_rep_cost paper, links;

        chorale_rep_cost(&rep, 1, 1, &paper);
        rep.as_links = 1;
        chorale_rep_cost(&rep, 1, 1, &links);
        tap_ok(near(paper.broadcasting, row[i].paper, 1e-12) &&
                   near(links.broadcasting, row[i].links, 1e-12),
               "broadcasting, %ld a side: %g, as links allow %g", row[i].side,
               paper.broadcasting, links.broadcasting);
    }
}

int main(void)
{
    test_placements();
    test_rings();
    test_slots();
    test_terms();
    test_vectors();
    test_grid();
    test_latency();
    return tap_done();
}
