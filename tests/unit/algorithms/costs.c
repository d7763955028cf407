/* SPDX-License-Identifier: BSD-3-Clause */
/* costs.c - stated costs equal rows computed by hand or with a one-port
 * simulator; schedule.c compares them with schedules. MPI is never
 * initialised. */
#include "algorithms/alg.h"
#include "algorithms/schedule/path_cost.h"
#include "tests/tap.h"

#include <math.h>
#include <string.h>

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* 1 if the stated cost at pt with these parameters is a, b, c. */
static int cost_at(enum chorale_coll coll, const char *name,
                   const char *params, struct chorale_point *pt, double a,
                   double b, double c)
{
    const struct chorale_alg *alg = chorale_alg_find(coll, name);
    char why[200] = "no such variant";
    double is[3];

    if (alg == NULL || chorale_alg_params_parse(alg, params, pt->param, why,
                                                sizeof(why)) != 0) {
        tap_diag("%s %s: %s", chorale_coll_info(coll)->name, name, why);
        return 0;
    }
    chorale_alg_cost_sums(alg, pt, &is[0], &is[1], &is[2]);
    if (near(is[0], a) && near(is[1], b) && near(is[2], c))
        return 1;
    tap_diag("%s %s, P = %d, m = %zu: %g %g %g, expected %g %g %g",
             chorale_coll_info(coll)->name, name, pt->comm_size,
             pt->msg_size, is[0], is[1], is[2], a, b, c);
    return 0;
}

/* The same for a root and m bytes per block. */
static int cost_with(enum chorale_coll coll, const char *name,
                     const char *params, int comm_size, size_t m, int root,
                     int commutative, double a, double b, double c)
{
    struct chorale_point pt = { .comm_size = comm_size,
                                .msg_size = m,
                                .n = chorale_coll_n(coll, m, comm_size),
                                .type_size = 1,
                                .root = root,
                                .commutative = commutative };

    return cost_at(coll, name, params, &pt, a, b, c);
}

static int cost_is(enum chorale_coll coll, const char *name, int comm_size,
                   size_t m, int commutative, double a, double b, double c)
{
    return cost_with(coll, name, "", comm_size, m, 0, commutative, a, b, c);
}

/* P = 12: rows computed by hand or with a one-port simulator. */
static void test_cost_rows(void)
{
    const double n = 1179648;
    const size_t v = 1179648, m = v / 12;
    static const enum chorale_coll B = CHORALE_BCAST, S = CHORALE_SCATTER,
                                   G = CHORALE_GATHER;

    tap_ok(cost_is(B, "binomial", 12, v, 1, 4, 4718592, 0), "bcast binomial");
    tap_ok(cost_is(B, "scatter_ring_allgather", 12, v, 1, 15, 2162688, 0),
           "bcast scatter_ring_allgather");
    tap_ok(cost_is(B, "scatter_ring_allgather", 12, 30, 1, 15, 27 + 11 * 3, 0),
           "scatter_ring_allgather with blocks of unequal size");
    tap_ok(cost_is(B, "scatter_ring_allgather", 12, 5, 1, 14, 4 + 11, 0),
           "scatter_ring_allgather: the scatter sends no empty blocks");
    tap_ok(cost_is(B, "scatter_rd_allgather", 13, 13 * m, 1, 9,
                   29.0 * (double)m, 0),
           "bcast scatter_rd_allgather of 13 blocks: 12 are scattered, 7 and 8 "
           "doubled, and of 5 2 more are sent twice meanwhile");
    tap_ok(cost_with(CHORALE_REDUCE, "binomial", "", 12, v, 5, 0, 5, 5 * n,
                     4 * n),
           "reduce binomial in rank order to another root costs one more "
           "message");
    tap_ok(cost_is(CHORALE_ALLREDUCE, "recursive_doubling", 12, v, 1, 5,
                   5898240, 4718592),
           "allreduce recursive_doubling");
    tap_ok(cost_is(CHORALE_ALLREDUCE, "reduce_bcast", 12, v, 0, 8, 8 * n,
                   4 * n),
           "allreduce reduce_bcast keeps rank order at no extra cost");
    tap_ok(cost_is(CHORALE_ALLGATHER, "ring", 12, m, 1, 11, 1081344, 0),
           "allgather ring");
    tap_ok(cost_is(CHORALE_REDUCE_SCATTER_BLOCK, "ring", 12, m, 1, 11,
                   1081344, 1081344),
           "reduce_scatter_block ring");
    tap_ok(cost_is(S, "binomial", 12, m, 1, 4, 1081344, 0) &&
               cost_is(G, "binomial", 12, m, 1, 4, 1081344, 0),
           "scatter and gather binomial");
    tap_ok(cost_is(S, "linear", 12, m, 1, 11, 1081344, 0) &&
               cost_is(S, "linear_nb", 12, m, 1, 11, 1081344, 0) &&
               cost_is(G, "linear", 12, m, 1, 11, 1081344, 0),
           "scatter and gather linear");
}

/* The same point for variants with parameters or long schedules: from formulas
 * or, for incomplete trees, from a simulator of one-port networks. Two rows are
 * below the bound of their formula: split_binary takes 2 (72 - 1) + 5 + 1
 * messages because the last rank is reached in 5 steps, not 2 H = 6;
 * k_dissemination takes 2 + 2 + 1 because its last round has one partner, not
 * k - 1. */
static void test_cost_vectors(void)
{
    static const struct {
        enum chorale_coll coll;
        const char *name, *params;
        double a, b, c;
    } row[] = {
        { CHORALE_BCAST, "knomial", "radix=3,segsize=0", 5, 5898240, 0 },
        { CHORALE_BCAST, "pipeline", "segsize=8K", 154, 1261568, 0 },
        { CHORALE_BCAST, "chain", "fanout=4,segsize=8K", 577, 4726784, 0 },
        { CHORALE_BCAST, "binary", "segsize=8K", 291, 2383872, 0 },
        { CHORALE_BCAST, "split_binary", "segsize=8K", 148, 1794048, 0 },
        { CHORALE_BCAST, "circulant", "nblocks=16", 19, 1400832, 0 },
        { CHORALE_REDUCE, "rabenseifner", "", 7, 3244032, 2211840 },
        { CHORALE_ALLREDUCE, "recursive_doubling", "", 5, 5898240, 4718592 },
        { CHORALE_ALLREDUCE, "ring", "", 22, 2162688, 1081344 },
        { CHORALE_ALLREDUCE, "circulant", "", 8, 2162688, 1081344 },
        { CHORALE_ALLREDUCE, "rabenseifner", "", 8, 4423680, 2211840 },
        { CHORALE_ALLGATHER, "ring", "", 11, 1081344, 0 },
        { CHORALE_ALLGATHER, "neighbor_exchange", "", 6, 1081344, 0 },
        { CHORALE_ALLGATHER, "bruck", "", 4, 1081344, 0 },
        { CHORALE_GATHER, "or_whole", "base=binomial", 4, 4718592, 4718592 },
        { CHORALE_GATHER, "or_positionwise", "base=binomial", 48, 4718592,
          4718592 },
        { CHORALE_ALLTOALL, "pairwise_shift", "", 11, 1081344, 0 },
        { CHORALE_ALLTOALL, "bruck", "", 4, 1966080, 0 },
        { CHORALE_ALLTOALL, "k_bruck", "radix=3", 5, 1671168, 0 },
        { CHORALE_SCAN, "simultaneous_binomial", "", 4, 4718592, 4718592 },
        { CHORALE_EXSCAN, "doubling_123", "", 4, 4718592, 4718592 },
        { CHORALE_BARRIER, "dissemination", "", 4, 0, 0 },
        { CHORALE_BARRIER, "k_dissemination", "radix=3", 5, 0, 0 },
        { CHORALE_BARRIER, "tree", "", 8, 0, 0 },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        const struct chorale_coll_info *info = chorale_coll_info(row[i].coll);
        size_t m = info->dataless ? 0 : info->blocks ? 98304 : 1179648;

        if (chorale_alg_find(row[i].coll, row[i].name) == NULL)
            continue; /* built without patented variants */
        tap_ok(cost_with(row[i].coll, row[i].name, row[i].params, 12, m, 0, 1,
                         row[i].a, row[i].b, row[i].c),
               "%s %s %s", info->name, row[i].name, row[i].params);
    }
    /* 16 blocks: B = n (L - f), C = n (L - 2 f + L/P), because only the own
     * block is added of the group that is complete after a round. */
    tap_ok(cost_is(CHORALE_REDUCE_SCATTER_BLOCK, "recursive_doubling", 16,
                   65536, 1, 4, 3211264, 2490368),
           "reduce_scatter_block recursive_doubling at P = 16");
}

#define COUNTS "inner=binomial_counts,outer=binomial_counts"

/* Variants whose schedule depends on exchanged sizes: computed by hand. The
 * blocks are 0, 200, ..., 1400 bytes at P = 8, 0, 200, ..., 1000 at P = 6. */
static const struct {
    enum chorale_coll coll;
    const char *name, *params;
    int comm_size, ppn;
    size_t m;
    double a, b, c;
} told_row[] = {
    /* up the tree: counts of 7 and 6 to 4, then the data of 7, of 6 and 7, of
     * all from 4 on; at P = 6 those of 3, and at the root those of 2 and of 4
     * */
    { CHORALE_GATHERV, "binomial_counts", "", 8, 0, 700, 5,
      (8 + 16) + 1400 + 2600 + 4400, 0 },
    { CHORALE_GATHERV, "binomial_counts", "", 6, 0, 500, 4,
      8 + 600 + 1000 + 1800, 0 },
    { CHORALE_GATHERV, "binomial_counts", "", 2, 0, 100, 1, 200, 0 },
    /* down the tree: the root's counts to 4 and 2, then the data; at P = 6 to
     * 4, to 2, and from there to 3 */
    { CHORALE_SCATTERV, "binomial_counts", "", 8, 0, 700, 5,
      (32 + 16) + 4400 + 2600 + 1400, 0 },
    { CHORALE_SCATTERV, "binomial_counts", "", 6, 0, 500, 5,
      (16 + 16) + 1800 + 1000 + 600, 0 },
    { CHORALE_SCATTERV, "binomial_counts", "", 2, 0, 100, 1, 200, 0 },
    /* sizes of the other node, then of ranks with children; the node's data;
     * between two nodes the 4 or 3 largest blocks */
    { CHORALE_GATHERV, "two_level", COUNTS, 8, 4, 700, 2 + 3 + 1,
      24 + (8 + 1400 + 2600) + 4400, 0 },
    { CHORALE_GATHERV, "two_level", COUNTS, 6, 3, 500, 2 + 2 + 1,
      16 + (800 + 1000) + 2400, 0 },
    { CHORALE_GATHERV, "two_level", "inner=linear,outer=linear", 8, 4, 700,
      3 + 3 + 1, 24 + 3600 + 4400, 0 },
    { CHORALE_SCATTERV, "two_level", COUNTS, 8, 4, 700, 1 + 1 + 3,
      32 + 4400 + (16 + 2600 + 1400), 0 },
    { CHORALE_SCATTERV, "two_level", COUNTS, 6, 3, 500, 1 + 1 + 2,
      24 + 2400 + (1000 + 800), 0 },
    { CHORALE_SCATTERV, "two_level", "inner=linear,outer=linear", 8, 4, 700,
      1 + 3 + 1, 32 + 3600 + 4400, 0 },
    /* an allreduce of 8 bytes, then 3 rounds of 4, 4, 4 or 3, 2, 2 slots */
    { CHORALE_ALLTOALLV, "padded_bruck", "", 8, 0, 700, 3 + 3,
      24 + 12 * 1400, 24 },
    { CHORALE_ALLTOALLV, "padded_bruck", "", 6, 0, 500, 4 + 3,
      32 + 7 * 1000, 24 },
    { CHORALE_ALLTOALLV, "padded_bruck", "", 2, 0, 100, 1 + 1, 8 + 200, 8 },
    /* as many sizes as blocks; each rank sends odd blocks, then at most 7 + 4
     * + 3 + 0 and 7 + 6 + 5 + 0, or 4 + 3 and 4 + 3, times 200 bytes */
    { CHORALE_ALLTOALLV, "two_phase_bruck", "", 8, 0, 700, 6,
      3 * 32 + 3200 + 2800 + 3600, 0 },
    { CHORALE_ALLTOALLV, "two_phase_bruck", "", 6, 0, 500, 6,
      (24 + 16 + 16) + 1800 + 1400 + 1400, 0 },
    { CHORALE_ALLTOALLV, "two_phase_bruck", "", 2, 0, 100, 2, 8 + 200, 0 },
    /* a block with 8 bytes of checksum, a reply of 1 byte */
    { CHORALE_SCATTER, "resilient", "", 8, 0, 700, 14, 7 * 709, 0 },
    { CHORALE_SCATTER, "resilient", "", 5, 0, 0, 8, 4 * 9, 0 },
    { CHORALE_SCATTER, "resilient", "", 1, 0, 700, 0, 0, 0 },
};

#define TOLD_ROWS (sizeof(told_row) / sizeof(*told_row))

static void test_cost_told(void)
{
    int held = 1;

    for (size_t i = 0; i < TOLD_ROWS; i++) {
        struct chorale_point pt = {
            .comm_size = told_row[i].comm_size,
            .msg_size = told_row[i].m,
            .n = chorale_coll_n(told_row[i].coll, told_row[i].m,
                                told_row[i].comm_size),
            .type_size = 1,
            .commutative = 1,
            .ppn = told_row[i].ppn,
        };

        if (chorale_alg_find(told_row[i].coll, told_row[i].name) == NULL)
            continue; /* built without patented variants */
        tap_ok(cost_at(told_row[i].coll, told_row[i].name,
                       told_row[i].params, &pt, told_row[i].a,
                       told_row[i].b, told_row[i].c),
               "the cost of %s at P = %d equals the hand-computed row",
               told_row[i].name, pt.comm_size);
    }
    for (int i = 0; chorale_algs[i] != NULL; i++) {
        size_t k = 0;

        while (k < TOLD_ROWS &&
               (told_row[k].coll != chorale_algs[i]->coll ||
                strcmp(told_row[k].name, chorale_algs[i]->name) != 0))
            k++;
        if (chorale_algs[i]->tells && k == TOLD_ROWS) {
            tap_diag("%s has no row", chorale_algs[i]->name);
            held = 0;
        }
    }
    tap_ok(held, "every variant that exchanges sizes has a row");
}

/* With base=library the library does a part whose cost is unknown. Fits and
 * bounds must not use the cost of the catalogue's own implementation of it. */
static void test_cost_library(void)
{
    for (int i = 0; chorale_algs[i] != NULL; i++) {
        const struct chorale_alg *alg = chorale_algs[i];
        struct chorale_point pt = { .comm_size = 8, .msg_size = 256,
                                    .n = chorale_coll_n(alg->coll, 256, 8),
                                    .type_size = 1, .commutative = 1 };
        int none = alg->cost_is == CHORALE_COST_EXACT;
        char why[160];

        if (strncmp(alg->name, "or_", 3) != 0)
            continue;
        tap_ok(chorale_alg_params_parse(alg, "base=library", pt.param, why,
                                        sizeof(why)) == 0 &&
                   chorale_alg_by_library(alg, &pt) &&
                   !chorale_alg_exact(alg, &pt) &&
                   !chorale_alg_modelled(alg, &pt) &&
                   strstr(alg->formula, "; base=library: as the library's "
                                        "own, not known; ") != NULL,
               "%s %s base=library: the cost is unknown",
               chorale_coll_info(alg->coll)->name, alg->name);
        chorale_alg_params_parse(alg, "", pt.param, why, sizeof(why));
        tap_ok(!chorale_alg_by_library(alg, &pt) &&
                   chorale_alg_exact(alg, &pt) == none,
               "%s with the default base: the cost is known", alg->name);
    }
}

static void test_cost_pow2(void)
{
    for (int lg = 0; lg <= 10; lg++) {
        int p = 1 << lg, ok = 1;
        double f = p - 1, m = 4096, n = m * p;

        ok &= cost_is(CHORALE_BCAST, "linear", p, 4096, 1, f, f * m, 0);
        ok &= cost_is(CHORALE_BCAST, "binomial", p, 4096, 1, lg, lg * m, 0);
        ok &= cost_is(CHORALE_BCAST, "scatter_ring_allgather", p,
                      4096 * (size_t)p, 1, lg + f, 2 * f * m, 0);
        ok &= cost_is(CHORALE_REDUCE, "binomial", p, 4096, 1, lg, lg * m,
                      lg * m);
        ok &= cost_is(CHORALE_ALLREDUCE, "recursive_doubling", p, 4096, 0, lg,
                      lg * m, lg * m);
        ok &= cost_is(CHORALE_ALLREDUCE, "reduce_bcast", p, 4096, 1, 2 * lg,
                      2 * lg * m, lg * m);
        ok &= cost_is(CHORALE_REDUCE_SCATTER_BLOCK, "ring", p, 4096, 1, f,
                      f * m, f * m);
        ok &= cost_is(CHORALE_GATHER, "linear", p, 4096, 1, f, f * m, 0);
        ok &= cost_is(CHORALE_GATHER, "binomial", p, 4096, 1, lg, f * m, 0);
        ok &= cost_is(CHORALE_SCATTER, "linear", p, 4096, 1, f, f * m, 0);
        ok &= cost_is(CHORALE_SCATTER, "linear_nb", p, 4096, 1, f, f * m, 0);
        ok &= cost_is(CHORALE_SCATTER, "binomial", p, 4096, 1, lg, f * m, 0);
        ok &= cost_is(CHORALE_ALLGATHER, "ring", p, 4096, 1, f, f * m, 0);
        ok &= cost_is(CHORALE_ALLGATHER, "gather_bcast", p, 4096, 1, 2 * lg,
                      f * m + lg * n, 0);
        tap_ok(ok, "all costs at P = %d equal the rows", p);
    }
}

static void set_defaults(const struct chorale_alg *alg,
                         struct chorale_point *pt)
{
    for (int i = 0; i < alg->nparam; i++)
        pt->param[i] = alg->param[i].def;
}

/* No cost may exceed CHORALE_MAX_TERM terms, at any P. */
static void test_cost_terms(void)
{
    int most = 0;

    for (int i = 0; chorale_algs[i] != NULL; i++)
        for (int p = 1; p < 20000; p *= 3) {
            struct chorale_term term[CHORALE_MAX_TERM];
            struct chorale_point pt = {
                .comm_size = p, .msg_size = 8, .type_size = 8,
                .commutative = 1, .ppn = 4,
            };
            int n;

            set_defaults(chorale_algs[i], &pt);
            if (chorale_alg_refuses(chorale_algs[i], &pt) != NULL)
                continue;
            n = chorale_algs[i]->cost(&pt, term);
            most = n > most ? n : most;
        }
    tap_ok(most > 0 && most <= CHORALE_MAX_TERM,
           "every cost fits into CHORALE_MAX_TERM terms (most: %d)",
           most);
}

int main(void)
{
    test_cost_rows();
    test_cost_vectors();
    test_cost_told();
    test_cost_library();
    test_cost_pow2();
    test_cost_terms();
    return tap_done();
}
