/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c - links that messages share: kappa of patterns on a line equals
 * the value counted by hand, geometries are recovered from their kappas, and
 * simulated variants take the expected time on a line. */
#include "tuner/model/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/model/network.h"

enum { MOST = 64 };

static struct chorale_wiring grid(int rows, int cols, int wraps)
{
    return (struct chorale_wiring){ .kind = CHORALE_WIRING_GRID,
                                    .rows = rows, .cols = cols,
                                    .wraps = wraps, .ways = { 1 } };
}

static struct chorale_wiring tree(int width, double ways)
{
    return (struct chorale_wiring){ .kind = CHORALE_WIRING_TREE, .nlevel = 1,
                                    .width = { width }, .ways = { ways } };
}

/* --- kappa of patterns on a line: ALGORITHMS, section 5 ------------------ */

static double line_kappa(int p, const int *to)
{
    struct chorale_wiring line = grid(1, p, 0);

    return chorale_wiring_kappa(&line, p, to, 1);
}

static void test_line(int p)
{
    struct chorale_wiring line = grid(1, p, 0);
    int shifts = 1, pairs = 1, far = 1, near = 1, to[MOST];

    for (int d = 1; d < p; d++) {
        int least = d < p - d ? d : p - d;

        shifts &= chorale_wiring_pattern(&line, p, CHORALE_PATTERN_SHIFT, d,
                                         1) == least;
    }
    tap_ok(shifts, "line of %d: a shift by d has kappa min(d, P - d)", p);
    for (int d = 1; d < p; d *= 2) {
        pairs &= chorale_wiring_pattern(&line, p, CHORALE_PATTERN_PAIRS, d,
                                        1) == d;
        /* A round of a binomial tree: far first, every 2d-th rank sends over
         * distance d; near first, the first d ranks do. */
        for (int r = 0; r < p; r++)
            to[r] = r % (2 * d) == 0 ? r + d : -1;
        far &= line_kappa(p, to) == 1;
        for (int r = 0; r < p; r++)
            to[r] = r < d ? r + d : -1;
        near &= line_kappa(p, to) == d;
    }
    tap_ok(pairs, "line of %d: pairs at distance d have kappa d", p);
    tap_ok(far, "line of %d: a binomial tree, far first, shares no link", p);
    tap_ok(near, "line of %d: a binomial tree, near first, has kappa 2^j", p);
    /* Odd rounds of neighbor exchange: the pair of both ends uses the whole
     * line. */
    for (int r = 0; r < p; r++)
        to[r] = (r % 2 ? r + 1 : r - 1 + p) % p;
    tap_ok(line_kappa(p, to) == 2,
           "line of %d: odd rounds of neighbor exchange have kappa 2", p);
}

/* Swing: +1, -1, +3, -5, ...: distances (1 - (-2)^(j + 1)) / 3. */
static void test_swing(void)
{
    static const int line[4] = { 1, 2, 3, 6 }, ring[4] = { 1, 1, 2, 3 };
    int on_line = 1, on_ring = 1;

    for (int j = 0, two = -2; j < 4; j++, two *= -2) {
        struct chorale_wiring l = grid(1, 16, 0), o = grid(1, 16, 1);
        int d = (1 - two) / 3, to[16];

        for (int r = 0; r < 16; r++)
            to[r] = ((r % 2 ? r - d : r + d) + 16) % 16;
        on_line &= chorale_wiring_kappa(&l, 16, to, 1) == line[j];
        on_ring &= chorale_wiring_kappa(&o, 16, to, 1) == ring[j];
    }
    tap_ok(on_line, "Swing on a line of 16 has kappa 1, 2, 3, 6");
    tap_ok(on_ring, "Swing on a ring of 16 has kappa 1, 1, 2, 3");
}

static void test_others(void)
{
    struct chorale_wiring g = grid(4, 4, 0), t = grid(4, 4, 1);
    struct chorale_wiring leaf = tree(4, 0.5), one = grid(1, 8, 0);

    tap_ok(chorale_wiring_pattern(&g, 16, CHORALE_PATTERN_PAIRS, 8, 1) == 2 &&
               chorale_wiring_pattern(&g, 16, CHORALE_PATTERN_PAIRS, 2, 1) ==
                   2 &&
               chorale_wiring_pattern(&t, 16, CHORALE_PATTERN_MIRROR, 0, 1) ==
                   1,
           "a 4 x 4 grid is a line in each direction, a torus a ring");
    tap_ok(chorale_wiring_pattern(&leaf, 16, CHORALE_PATTERN_PAIRS, 2, 1) ==
                   0 &&
               chorale_wiring_pattern(&leaf, 16, CHORALE_PATTERN_PAIRS, 4,
                                      1) == 2 &&
               chorale_wiring_pattern(&leaf, 16, CHORALE_PATTERN_SHIFT, 1,
                                      3) == 1.5,
           "messages leaving a switch of 4 nodes share its uplinks");
    one.one_way = 1;
    tap_ok(chorale_wiring_pattern(&one, 8, CHORALE_PATTERN_PAIRS, 1, 1) == 2,
           "half-duplex links carry both directions in turn");
    tap_ok(chorale_wiring_route(&leaf, 16, 1, 3, NULL) == 0 &&
               chorale_wiring_route(&leaf, 16, 1, 4, NULL) == 2 &&
               chorale_wiring_route(&g, 16, 0, 15, NULL) == 6 &&
               chorale_wiring_route(&t, 16, 0, 15, NULL) == 2 &&
               chorale_wiring_route(&one, 20, 0, 19, NULL) == 19,
           "routes have the number of links in between");
    tap_ok(chorale_wiring_hops(&g, 1) == 0 && chorale_wiring_hops(&g, 6) == 5 &&
               chorale_wiring_hops(&g, 0) == 0 &&
               chorale_wiring_hops(&leaf, 2) == 2,
           "a neighbour has 0 extra hops, another switch 2");
}

/* --- finding ------------------------------------------------------------- */

/* Measured kappas of a geometry, with alternating relative noise. */
static size_t measure(const struct chorale_wiring *f, int nodes, int ppn,
                      double noise, struct chorale_wiring_measured *seen)
{
    size_t n = 0;

    for (int p = 0; p < CHORALE_PATTERNS; p++)
        for (int d = 1; d < nodes; d *= 2) {
            double off = n % 2 ? 1 + noise : 1 - noise;
            int hops = chorale_wiring_hops(
                f, chorale_wiring_route(f, nodes, 0, d, NULL));

            if (p == CHORALE_PATTERN_MIRROR && d > 1)
                break;
            seen[n++] = (struct chorale_wiring_measured){
                .pattern = (enum chorale_pattern)p,
                .places = p == CHORALE_PATTERN_MIRROR ? 0 : d,
                .kappa = off * fmax(ppn, chorale_wiring_pattern(
                                             f, nodes, (enum chorale_pattern)p,
                                             d, ppn)),
                .alpha = p == 0 ? 1e-6 * (1 + 0.25 * hops) : NAN,
            };
        }
    return n;
}

static void test_find(const char *name, double ways, int nodes, int ppn,
                      double noise)
{
    struct chorale_wiring is = { .kind = CHORALE_WIRING_FLAT }, got;
    struct chorale_wiring_measured seen[MOST];
    char text[48];
    double off;
    int same = chorale_wiring_read(&is, name, ways) == 0 &&
               chorale_wiring_find(seen, measure(&is, nodes, ppn, noise, seen),
                                   nodes, ppn, &got, &off) == 0;

    same = same && strcmp(chorale_wiring_name(&got, 0, text), name) == 0 &&
           fabs(got.ways[0] / ways - 1) <= 2.1 * noise + 1e-9 &&
           off <= 2.1 * noise + 1e-9 && fabs(got.hop - 0.25) < 1e-6;
    tap_ok(same,
           "%s, %g ways, %d nodes of %d, kappas off by %g %%: the geometry is "
           "found",
           name, ways, nodes, ppn, 100 * noise);
    if (!same)
        tap_diag("%s, %g ways, hop %g, off by %g", text, got.ways[0], got.hop,
                 off);
}

static void test_levels(void)
{
    struct chorale_wiring is = tree(4, 0.5), got;
    struct chorale_wiring_measured seen[MOST];
    char a[48], b[48];
    double off = NAN;

    if (!tap_ok(chorale_wiring_read(&is, "tree 16", 0.25) == 0 &&
               chorale_wiring_find(seen, measure(&is, 64, 1, 0, seen), 64, 1,
                                   &got, &off) == 0 &&
               got.nlevel == 2 &&
               strcmp(chorale_wiring_name(&got, 0, a), "tree 4") == 0 &&
               strcmp(chorale_wiring_name(&got, 1, b), "tree 16") == 0 &&
               fabs(got.ways[0] - 0.5) < 1e-9 &&
               fabs(got.ways[1] - 0.25) < 1e-9 && off < 1e-9,
           "two levels of switches are distinguished"))
        tap_diag("%s %g, %s %g, off by %g", chorale_wiring_name(&got, 0, a),
                 got.ways[0], chorale_wiring_name(&got, 1, b), got.ways[1],
                 off);
}

/* Kappas slightly above the loads, as message headers cause, are no reason to
 * prefer half-duplex links of twice the bandwidth to full-duplex links. */
static void test_plain(const char *name, int rows, int wraps)
{
    struct chorale_wiring f = grid(rows, 16 / rows, wraps), got;
    struct chorale_wiring_measured seen[MOST];
    char text[48];
    double off;
    size_t n = measure(&f, 16, 1, 0, seen);

    for (size_t i = 0; i < n; i++)
        seen[i].kappa *= seen[i].kappa > 1 ? 1.00005 : 1;
    if (!tap_ok(chorale_wiring_find(seen, n, 16, 1, &got, &off) == 0 &&
                    strcmp(chorale_wiring_name(&got, 0, text), name) == 0 &&
                    fabs(got.ways[0] - 1) < 1e-3,
                "%s: of equal explanations the simplest is chosen", name))
        tap_diag("%s, %g ways", text, got.ways[0]);
}

static void test_none(void)
{
    struct chorale_wiring flat = { .kind = CHORALE_WIRING_FLAT }, got;
    struct chorale_wiring line = grid(1, 16, 0);
    struct chorale_wiring_measured seen[MOST];
    double off;
    size_t n = measure(&flat, 16, 1, 0.05, seen), shifts = 0;

    tap_ok(chorale_wiring_find(seen, n, 16, 1, &got, &off) == 0 &&
               got.kind == CHORALE_WIRING_FLAT && off < 0.11,
           "a flat network with 5 %% of noise stays flat");
    for (size_t i = 0; i < n; i++)
        seen[i].kappa = i % 3 == 0 ? 9 : i % 3 == 1 ? 1 : 3;
    tap_ok(chorale_wiring_find(seen, n, 16, 1, &got, &off) == 0 &&
               got.kind == CHORALE_WIRING_FLAT && off > 0.5,
           "kappas of no geometry give flat, with the error");
    n = measure(&line, 16, 1, 0, seen);
    while (shifts < n && seen[shifts].pattern == CHORALE_PATTERN_SHIFT)
        shifts++;
    tap_ok(chorale_wiring_find(seen, shifts, 16, 1, &got, &off) == 0 &&
               got.kind == CHORALE_WIRING_FLAT,
           "shifts alone do not determine a geometry");
    tap_ok(chorale_wiring_find(seen, 0, 16, 1, &got, &off) == 0 &&
               got.kind == CHORALE_WIRING_FLAT &&
               chorale_wiring_find(seen, n, 2, 1, &got, &off) == 0 &&
               got.kind == CHORALE_WIRING_FLAT,
           "no data or two nodes do not determine a geometry");
}

/* 1 if alphas alone determine this geometry, with this step in ns. */
static int alphas_tell(const double *us, size_t n, const char *name,
                       double step)
{
    struct chorale_wiring_measured seen[MOST];
    struct chorale_wiring got;
    struct chorale_wiring_delay delay;
    char text[48];

    for (size_t i = 0; i < n; i++)
        seen[i] = (struct chorale_wiring_measured){
            .pattern = CHORALE_PATTERN_SHIFT, .places = 1 << i, .kappa = 1,
            .alpha = 1e-6 * us[i],
        };
    chorale_wiring_by_alpha(seen, n, 16, &got);
    delay = chorale_wiring_delay(&got, seen, n, 16);
    if (strcmp(chorale_wiring_name(&got, 0, text), name) == 0 &&
        fabs(1e9 * delay.step - step) < 0.1 * step + 1e-6)
        return 1;
    tap_diag("%s, %g ns per link, off by %g", text, 1e9 * delay.step,
             delay.off);
    return 0;
}

static void test_alphas(void)
{
    tap_ok(alphas_tell((double[]){ 1, 1.1, 1.3, 1.7 }, 4, "line 16", 100),
           "alpha that grows with the distance gives a line");
    tap_ok(alphas_tell((double[]){ 1, 1.2, 1, 1.2 }, 4, "grid 4x4", 200),
           "alpha that repeats each row gives a grid");
    tap_ok(alphas_tell((double[]){ 1, 1.01, 2, 2.02 }, 4, "tree 4", 500),
           "alpha of two values gives switches, even if off by 1 %%");
    tap_ok(alphas_tell((double[]){ 1, 1, 2, 3 }, 4, "tree 4", 500),
           "alpha of three values gives switches");
    tap_ok(alphas_tell((double[]){ 1, 3, 1.5, 2.5 }, 4, "flat", 0),
           "other alphas do not determine a geometry");
    tap_ok(alphas_tell((double[]){ 1, 1.1, 1.3 }, 3, "flat", 0) &&
               alphas_tell(NULL, 0, "flat", 0),
           "three distances or none do not determine a geometry");
}

static void test_names(void)
{
    static const char *const bad[] = {
        "", "all", "node", "net", "hop", "shift 4", "pairs 4", "mirror",
        "line", "line 0", "line -3", "line x", "grid 4", "grid 4x", "torus 8",
        "line 4x4", "tree 4x4", "grid 99999x99999", "line 8 both-ways",
        "line 16777216", "grid 4096x4096",
    };
    struct chorale_wiring f;
    int refused = 1;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        memset(&f, 0, sizeof(f));
        if (chorale_wiring_read(&f, bad[i], 1) == 0) {
            tap_diag("taken: '%s'", bad[i]);
            refused = 0;
        }
    }
    tap_ok(refused, "other names are refused");
    f = grid(1, 8, 0);
    tap_ok(chorale_wiring_read(&f, "tree 4", 1) != 0 &&
               chorale_wiring_read(&f, "ring 8", 1) != 0,
           "a second geometry is refused");
    memset(&f, 0, sizeof(f));
    tap_ok(chorale_wiring_read(&f, "ring 8", 0) != 0 &&
               chorale_wiring_read(&f, "ring 8", NAN) != 0 &&
               chorale_wiring_read(&f, "ring 8", HUGE_VAL) != 0,
           "invalid numbers of ways are refused");
}

/* --- simulation: bytes in turn on a line of 16, of a block of 1 byte ----- */

static double on_line(enum chorale_coll coll, const char *name,
                      const char *params, size_t m, int wraps)
{
    const struct chorale_alg *alg = chorale_alg_find(coll, name);
    struct chorale_net net = { .nlevel = 1, .overlap_upto = -1, .ports = 1,
                               .wiring = grid(1, 16, wraps) };
    struct chorale_point pt = {
        .comm_size = 16, .msg_size = m, .commutative = 1,
        .n = chorale_coll_n(coll, m, 16),
        .type_size = chorale_coll_info(coll)->reduces ? 8 : 1,
    };
    struct chorale_score *score;
    double seconds = NAN;

    net.level[0].name = "all";
    net.level[0].width = -1;
    net.level[0].regime = net.tau = (struct chorale_net_regimes){
        .n = 1, .upto = { HUGE_VAL },
    };
    net.level[0].regime.beta[0] = 1;
    if (alg == NULL ||
        chorale_alg_params_parse(alg, params, pt.param, NULL, 0) != 0)
        return NAN;
    score = chorale_recording_new(alg, &pt, 1, CHORALE_NET_BLOCK, 0, NULL);
    if (score != NULL)
        seconds = chorale_recording_replay(score, &net, NULL);
    chorale_recording_free(score);
    return seconds;
}

static void test_played(void)
{
    enum { P = 16, M = 1024 };
    static const struct {
        enum chorale_coll coll;
        const char *name, *params;
        double bytes;
    } row[] = {
        { CHORALE_ALLGATHER, "ring", "", (P - 1) * M },
        { CHORALE_ALLTOALL, "pairwise_shift", "", P * P / 4 * M },
        { CHORALE_ALLTOALL, "pairwise_xor", "", (P * P - 1) / 3 * M },
        { CHORALE_ALLTOALL, "bruck", "", P * M * (P - 1) / 2 },
        { CHORALE_ALLREDUCE, "recursive_doubling", "", M * (P - 1) },
        { CHORALE_BCAST, "binomial", "segsize=0", 4 * M },
        { CHORALE_REDUCE_SCATTER_BLOCK, "recursive_halving", "",
          P * M * (P - 1.0 / P) / 3 },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        double got = on_line(row[i].coll, row[i].name, row[i].params, M, 0);

        if (!tap_ok(fabs(got / row[i].bytes - 1) < 1e-6,
                    "%s %s on a line of 16 takes %g bytes in turn",
                    chorale_coll_info(row[i].coll)->name, row[i].name,
                    row[i].bytes))
            tap_diag("%g", got);
    }
    tap_ok(on_line(CHORALE_ALLGATHER, "neighbor_exchange", "", M, 0) <=
               2 * (P - 1) * M,
           "allgather neighbor_exchange takes at most 2 fn");
    /* n/2 * (1 + 1/2 + 2/4 + 3/8) on a ring, n/2 * (1 + 2/2 + 3/4 + 6/8) on a
     * line, and as much again for the allgather. */
    tap_ok(on_line(CHORALE_ALLREDUCE, "swing_bw", "", P * M, 1) ==
                   P * M * 2.375 &&
               on_line(CHORALE_ALLREDUCE, "swing_bw", "", P * M, 0) ==
                   P * M * 3.5,
           "allreduce swing_bw takes 2.375 n on a ring, 3.5 n on a line");
}

int main(void)
{
    test_line(8);
    test_line(16);
    test_swing();
    test_others();
    test_find("line 16", 1, 16, 1, 0);
    test_find("line 16", 0.5, 16, 1, 0.03);
    test_find("line 12", 1, 12, 4, 0.03);
    test_find("line 16 one-way", 1, 16, 1, 0.03);
    test_find("ring 16", 1, 16, 1, 0);
    test_find("ring 16", 1, 16, 2, 0.03);
    test_find("grid 4x4", 1, 16, 1, 0);
    test_find("grid 4x8", 1, 32, 1, 0.03);
    test_find("torus 4x8", 1, 32, 1, 0.03);
    test_find("torus 8x8", 1, 64, 1, 0.03);
    test_find("tree 4", 1, 16, 1, 0);
    test_find("tree 8", 0.5, 64, 1, 0.03);
    test_find("tree 8", 0.25, 32, 4, 0.03);
    test_find("tree 6", 1, 24, 1, 0.03);
    test_levels();
    test_plain("line 16", 1, 0);
    test_plain("ring 16", 1, 1);
    test_plain("grid 4x4", 4, 0);
    test_none();
    test_alphas();
    test_names();
    test_played();
    return tap_done();
}
