/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue.c - the registry, parameter texts, tree shapes and cost vectors.
 * Linked with the MPI library, but MPI is never initialised: the command
 * asks all of this on a login node. */
#include "algorithms/alg.h"
#include "algorithms/engines/tree.h"
#include "tests/tap.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- registry --------------------------------------------------------- */

static int row_is_complete(const struct chorale_alg *alg)
{
    int ok = alg->name && alg->summary && alg->formula && alg->source &&
             alg->run && alg->cost && (unsigned)alg->coll < CHORALE_NCOLL &&
             alg->nparam >= 0 && alg->nparam <= CHORALE_MAX_PARAM;
    int says = alg->constraint != NULL && *alg->constraint != '\0';

    ok = ok && says == (alg->refuses != NULL) &&
         (alg->within == 0 || alg->within >= 1);

    for (int i = 0; ok && i < alg->nparam; i++) {
        const struct chorale_param *p = &alg->param[i];

        ok = p->name && p->unit && p->min <= p->def && p->def <= p->max;
        for (int k = 0; ok && k < p->ncandidate; k++)
            ok = p->candidate[k] >= p->min && p->candidate[k] <= p->max;
        for (long v = 0; ok && p->word != NULL && v <= p->max; v++)
            ok = p->word[v] != NULL && *p->word[v] != '\0';
    }
    if (!ok)
        tap_diag("%s %s", chorale_coll_info(alg->coll)->name, alg->name);
    return ok;
}

/* Variants of each collective that no patent lets a build leave out. */
static const int at_least[CHORALE_NCOLL] = {
    [CHORALE_BARRIER] = 10,        [CHORALE_BCAST] = 16,
    [CHORALE_REDUCE] = 14,         [CHORALE_ALLREDUCE] = 22,
    [CHORALE_REDUCE_SCATTER] = 12, [CHORALE_REDUCE_SCATTER_BLOCK] = 12,
    [CHORALE_GATHER] = 7,          [CHORALE_GATHERV] = 4,
    [CHORALE_SCATTER] = 11,        [CHORALE_SCATTERV] = 4,
    [CHORALE_ALLGATHER] = 20,      [CHORALE_ALLGATHERV] = 11,
    [CHORALE_ALLTOALL] = 17,       [CHORALE_ALLTOALLV] = 8,
    [CHORALE_SCAN] = 6,            [CHORALE_EXSCAN] = 5,
};

static void test_registry(void)
{
    struct chorale_alg stranger = { .name = "binomial" };
    int complete = 1, sorted = 1, found = 1, covered[CHORALE_NCOLL] = { 0 };
    int n = 0;

    for (; chorale_algs[n] != NULL; n++) {
        const struct chorale_alg *alg = chorale_algs[n];

        complete = complete && row_is_complete(alg);
        found = found && chorale_alg_find(alg->coll, alg->name) == alg &&
                chorale_alg_index(alg) == n;
        sorted = sorted && (n == 0 || chorale_algs[n - 1]->coll <= alg->coll);
        covered[alg->coll]++;
    }
    for (int i = 0; i < CHORALE_NCOLL; i++)
        tap_ok(at_least[i] > 0 && covered[i] >= at_least[i],
               "%s has its %d variants",
               chorale_coll_info((enum chorale_coll)i)->name, at_least[i]);
    tap_ok(complete, "every descriptor is complete, its candidates in range, "
                     "its constraints in words");
    tap_ok(found, "every variant is found by its name, and only once");
    tap_ok(sorted, "rows are ordered by collective");
    tap_ok(chorale_alg_find(CHORALE_BCAST, "no_such") == NULL &&
               chorale_alg_find(CHORALE_ALLGATHER, "linear_nb") == NULL,
           "an unknown name, or another collective's, finds nothing");
    tap_ok(chorale_alg_index(&stranger) == -1,
           "a descriptor of elsewhere has no index");
}

static const char *even_only(const struct chorale_point *pt)
{
    return pt->msg_size % 2 != 0 ? "needs an even size" : NULL;
}

/* Does alg, with these needs, refuse at (comm_size, msg_size)? */
static int refuses(unsigned needs, int comm_size, size_t msg_size,
                   int commutative)
{
    struct chorale_alg alg = { .needs = needs, .refuses = even_only };
    struct chorale_point pt = { .comm_size = comm_size,
                                .msg_size = msg_size,
                                .commutative = commutative };

    return chorale_alg_refuses(&alg, &pt) != NULL;
}

static void test_refuses(void)
{
    tap_ok(refuses(CHORALE_NEEDS_COMMUTE, 4, 8, 0) &&
               !refuses(CHORALE_NEEDS_COMMUTE, 4, 8, 1),
           "NEEDS_COMMUTE refuses other operations only");
    tap_ok(refuses(CHORALE_NEEDS_POW2, 6, 8, 1) &&
               !refuses(CHORALE_NEEDS_POW2, 8, 8, 1) &&
               !refuses(CHORALE_NEEDS_POW2, 1, 8, 1),
           "NEEDS_POW2 refuses other sizes only");
    tap_ok(refuses(CHORALE_NEEDS_EVEN, 5, 8, 1) &&
               !refuses(CHORALE_NEEDS_EVEN, 6, 8, 1),
           "NEEDS_EVEN refuses odd sizes only");
    tap_ok(refuses(0, 4, 7, 1) && !refuses(0, 4, 8, 1),
           "the hook is asked as well");
}

/* --- parameters ------------------------------------------------------- */

static const struct chorale_alg two_params = {
    .coll = CHORALE_BCAST,
    .name = "chain",
    .nparam = 2,
    .param = { { .name = "segsize", .def = 8192, .min = 0, .max = LONG_MAX },
               { .name = "fanout", .def = 4, .min = 1, .max = 64 } },
};

static const struct {
    const char *text;
    int ok;
    long segsize, fanout; /* or: */
    const char *why;      /* a part of the message */
} texts[] = {
    { "", 1, 8192, 4, NULL },
    { "segsize=0", 1, 0, 4, NULL },
    { "fanout=2,segsize=64K", 1, 65536, 2, NULL },
    { "segsize=3M,fanout=64", 1, 3145728, 64, NULL },
    { "segsize=1G", 1, 1073741824, 4, NULL },
    { "radix=2", 0, 0, 0, "no parameter 'radix'; it has segsize, fanout" },
    { "seg=2", 0, 0, 0, "no parameter 'seg'" },
    { "segsize", 0, 0, 0, "write name=value" },
    { "segsize=", 0, 0, 0, "not a whole number" },
    { "segsize=x", 0, 0, 0, "not a whole number" },
    { "segsize=1.5", 0, 0, 0, "not a whole number" },
    { "segsize= 1", 0, 0, 0, "not a whole number" },
    { "segsize=1KK", 0, 0, 0, "not a whole number" },
    { "segsize=1T", 0, 0, 0, "not a whole number" },
    { "segsize=-1", 0, 0, 0, "is not in 0 to" },
    { "fanout=65", 0, 0, 0, "is not in 1 to 64" },
    { "fanout=0", 0, 0, 0, "is not in 1 to 64" },
    { "segsize=99999999999999999999", 0, 0, 0, "is not in" },
    { "segsize=9223372036854775807K", 0, 0, 0, "is not in" },
    { "fanout=2,fanout=3", 0, 0, 0, "given twice" },
    { "fanout=2,", 0, 0, 0, "ends in a comma" },
    { ",fanout=2", 0, 0, 0, "write name=value" },
    { "=2", 0, 0, 0, "no parameter ''" },
};

static void test_parse(void)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        long value[CHORALE_MAX_PARAM] = { -7, -7, -7, -7 };
        char why[200] = "";
        int bad = chorale_alg_params_parse(&two_params, texts[i].text, value,
                                           why, sizeof(why));

        if (texts[i].ok)
            tap_ok(!bad && value[0] == texts[i].segsize &&
                       value[1] == texts[i].fanout,
                   "\"%s\" is understood", texts[i].text);
        else if (!tap_ok(bad && value[0] == -7 &&
                             strstr(why, texts[i].why) != NULL,
                         "\"%s\" is refused: %s", texts[i].text,
                         texts[i].why))
            tap_diag("said: %s", why);
    }
}

static void test_format(void)
{
    const long value[CHORALE_MAX_PARAM] = { 65536, 3 };
    const struct chorale_alg *plain = chorale_alg_find(CHORALE_BCAST,
                                                       "linear");
    long back[CHORALE_MAX_PARAM] = { 0 };
    char text[64], cut[8], why[100];
    int n = chorale_alg_params_format(&two_params, value, text, sizeof(text));

    tap_ok(strcmp(text, "fanout=3,segsize=65536") == 0 &&
               n == (int)strlen(text),
           "parameters are written sorted by name, as plain numbers");
    tap_ok(chorale_alg_params_parse(&two_params, text, back, why,
                                    sizeof(why)) == 0 &&
               back[0] == value[0] && back[1] == value[1],
           "and read back");
    tap_ok(chorale_alg_params_format(&two_params, value, cut, sizeof(cut)) ==
                   n &&
               strcmp(cut, "fanout=") == 0,
           "a short buffer gets what fits, and the full length is told");
    tap_ok(chorale_alg_params_format(plain, value, text, sizeof(text)) == 0 &&
               text[0] == '\0',
           "no parameters: empty text");
    tap_ok(chorale_alg_params_parse(plain, "k=2", back, why, sizeof(why)) < 0 &&
               strstr(why, "it has none") != NULL,
           "a variant without parameters says so");
}

/* --- trees ------------------------------------------------------------ */

/* Each rank but 0 is the child of its parent once; children come farthest
 * first; the children's subtrees and v itself make up v's subtree. */
static int tree_is_right(int size)
{
    int seen[700] = { 0 }, child[32], parent;

    for (int v = 0; v < size; v++) {
        int n = chorale_binomial(v, size, &parent, child);
        int subtree = 1;

        if (n > 32 || (v == 0) != (parent == -1))
            return 0;
        for (int i = 0; i < n; i++) {
            int up, grand[32];

            if (child[i] <= v || child[i] >= size ||
                (i > 0 && child[i] >= child[i - 1]))
                return 0;
            chorale_binomial(child[i], size, &up, grand);
            if (up != v)
                return 0;
            seen[child[i]]++;
            subtree += chorale_binomial_subtree(child[i], size);
        }
        if (subtree != chorale_binomial_subtree(v, size))
            return 0;
    }
    for (int v = 1; v < size; v++)
        if (seen[v] != 1)
            return 0;
    return chorale_binomial_subtree(0, size) == size;
}

static int split_is_right(size_t total, int parts)
{
    size_t next = 0, offset, length, last = SIZE_MAX;

    for (int i = 0; i < parts; i++) {
        chorale_split(total, parts, i, &offset, &length);
        if (offset != next || length > last ||
            length < total / (size_t)parts ||
            length > total / (size_t)parts + 1)
            return 0;
        next = offset + length;
        last = length;
    }
    return next == total;
}

static void test_tree(void)
{
    static const size_t total[] = { 0, 1, 2, 16, 17, 1000, 1179648 };
    int child[32], parent, wrong = 0, n;

    for (int p = 1; p <= 600 && !wrong; p++)
        if (!tree_is_right(p))
            wrong = p;
    if (!tap_ok(!wrong, "binomial trees of 1 to 600 ranks are right"))
        tap_diag("first wrong: %d ranks", wrong);
    n = chorale_binomial(0, 12, &parent, child);
    tap_ok(n == 4 && child[0] == 8 && child[1] == 4 && child[2] == 2 &&
               child[3] == 1 && chorale_binomial_subtree(8, 12) == 4,
           "the root of 12 sends to 8, 4, 2, 1");
    n = chorale_binomial(0, INT_MAX, &parent, child);
    tap_ok(n == 31 && child[0] == 1 << 30 &&
               chorale_binomial(1 << 30, INT_MAX, &parent, child) == 30 &&
               parent == 0,
           "the largest communicator has a tree");
    wrong = 0;
    for (int p = 1; p < 5000; p++)
        wrong += chorale_pow2_below(p) > p || chorale_pow2_below(p) <= p / 2 ||
                 1L << chorale_ceil_log2(p) < p ||
                 (p > 1 && 1L << (chorale_ceil_log2(p) - 1) >= p);
    tap_ok(!wrong && chorale_ceil_log2(INT_MAX) == 31 &&
               chorale_pow2_below(INT_MAX) == 1 << 30,
           "powers and logarithms of two");
    for (size_t i = 0; i < sizeof(total) / sizeof(*total); i++)
        for (int parts = 1; parts < 40; parts++)
            wrong += !split_is_right(total[i], parts);
    tap_ok(!wrong, "splits are balanced, in order, and complete");
}

/* --- cost ------------------------------------------------------------- */

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* The stated cost with these parameters at pt. */
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

/* The same with that root, m bytes a block. */
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

/* P = 12: rows worked out by hand or by a one-port simulator. */
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
           "the same with blocks of unequal size");
    tap_ok(cost_is(B, "scatter_ring_allgather", 12, 5, 1, 15, 4 + 11, 0),
           "the same with empty blocks");
    tap_ok(cost_with(CHORALE_REDUCE, "binomial", "", 12, v, 5, 0, 5, 5 * n,
                     4 * n),
           "reduce binomial in rank order to another root costs one more "
           "message");
    tap_ok(cost_is(CHORALE_ALLREDUCE, "recursive_doubling", 12, v, 1, 5,
                   5898240, 4718592),
           "allreduce recursive_doubling");
    tap_ok(cost_is(CHORALE_ALLREDUCE, "reduce_bcast", 12, v, 0, 8, 8 * n,
                   4 * n),
           "allreduce reduce_bcast keeps order at no cost");
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

/* The same point for what has parameters or is long: from the formulas, and
 * where trees are incomplete from a simulator of one-port networks. */
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
}

#define COUNTS "inner=binomial_counts,outer=binomial_counts"

/* Variants without a schedule, whose costs nothing else holds: by hand. The
 * blocks are 0, 200, ..., 1400 bytes at P = 8, 0, 200, ..., 1000 at P = 6. */
static const struct {
    enum chorale_coll coll;
    const char *name, *params;
    int comm_size, ppn;
    size_t m;
    double a, b, c;
} opaque_row[] = {
    /* counts in L - 1 messages, then the 1, 2, 4 largest blocks */
    { CHORALE_GATHERV, "binomial_counts", "", 8, 0, 700, 5,
      32 + 1400 + 2600 + 4400, 0 },
    { CHORALE_GATHERV, "binomial_counts", "", 6, 0, 500, 5,
      24 + 1000 + 1800 + 2800, 0 },
    { CHORALE_GATHERV, "binomial_counts", "", 2, 0, 100, 1, 200, 0 },
    { CHORALE_SCATTERV, "binomial_counts", "", 8, 0, 700, 5,
      128 + 1400 + 2600 + 4400, 0 },
    { CHORALE_SCATTERV, "binomial_counts", "", 6, 0, 500, 5,
      96 + 1000 + 1800 + 2800, 0 },
    { CHORALE_SCATTERV, "binomial_counts", "", 2, 0, 100, 1, 200, 0 },
    /* sizes of a node; in the node; between two nodes the 4 or 3 largest */
    { CHORALE_GATHERV, "two_level", COUNTS, 8, 4, 700, 2 + 3 + 1,
      24 + (16 + 1400 + 2600) + 4400, 0 },
    { CHORALE_GATHERV, "two_level", COUNTS, 6, 3, 500, 2 + 3 + 1,
      16 + (12 + 1000 + 1800) + 2400, 0 },
    { CHORALE_GATHERV, "two_level", "inner=linear,outer=linear", 8, 4, 700,
      3 + 3 + 1, 24 + 3600 + 4400, 0 },
    { CHORALE_SCATTERV, "two_level", COUNTS, 8, 4, 700, 1 + 3 + 1,
      32 + (64 + 1400 + 2600) + 4400, 0 },
    { CHORALE_SCATTERV, "two_level", COUNTS, 6, 3, 500, 1 + 3 + 1,
      24 + (48 + 1000 + 1800) + 2400, 0 },
    { CHORALE_SCATTERV, "two_level", "inner=linear,outer=linear", 8, 4, 700,
      1 + 3 + 1, 32 + 3600 + 4400, 0 },
    /* an allreduce of 8 bytes, then 3 rounds of 4, 4, 4 or 3, 2, 2 slots */
    { CHORALE_ALLTOALLV, "padded_bruck", "", 8, 0, 700, 3 + 3,
      24 + 12 * 1400, 24 },
    { CHORALE_ALLTOALLV, "padded_bruck", "", 6, 0, 500, 4 + 3,
      32 + 7 * 1000, 24 },
    { CHORALE_ALLTOALLV, "padded_bruck", "", 2, 0, 100, 1 + 1, 8 + 200, 8 },
    /* as many sizes, then as many of the largest blocks */
    { CHORALE_ALLTOALLV, "two_phase_bruck", "", 8, 0, 700, 6,
      3 * (32 + 4400), 0 },
    { CHORALE_ALLTOALLV, "two_phase_bruck", "", 6, 0, 500, 6,
      (24 + 2400) + 2 * (16 + 1800), 0 },
    { CHORALE_ALLTOALLV, "two_phase_bruck", "", 2, 0, 100, 2, 8 + 200, 0 },
    /* a block with 8 bytes of checksum, an answer of 1 */
    { CHORALE_SCATTER, "resilient", "", 8, 0, 700, 14, 7 * 709, 0 },
    { CHORALE_SCATTER, "resilient", "", 5, 0, 0, 8, 4 * 9, 0 },
    { CHORALE_SCATTER, "resilient", "", 1, 0, 700, 0, 0, 0 },
};

#define OPAQUE_ROWS (sizeof(opaque_row) / sizeof(*opaque_row))

static void test_cost_opaque(void)
{
    int held = 1;

    for (size_t i = 0; i < OPAQUE_ROWS; i++) {
        struct chorale_point pt = {
            .comm_size = opaque_row[i].comm_size,
            .msg_size = opaque_row[i].m,
            .n = chorale_coll_n(opaque_row[i].coll, opaque_row[i].m,
                                opaque_row[i].comm_size),
            .type_size = 1,
            .commutative = 1,
            .ppn = opaque_row[i].ppn,
        };

        if (chorale_alg_find(opaque_row[i].coll, opaque_row[i].name) == NULL)
            continue; /* built without patented variants */
        tap_ok(cost_at(opaque_row[i].coll, opaque_row[i].name,
                       opaque_row[i].params, &pt, opaque_row[i].a,
                       opaque_row[i].b, opaque_row[i].c),
               "%s at P = %d, by hand", opaque_row[i].name, pt.comm_size);
    }
    for (int i = 0; chorale_algs[i] != NULL; i++) {
        size_t k = 0;

        while (k < OPAQUE_ROWS &&
               (opaque_row[k].coll != chorale_algs[i]->coll ||
                strcmp(opaque_row[k].name, chorale_algs[i]->name) != 0))
            k++;
        if (chorale_algs[i]->opaque && k == OPAQUE_ROWS) {
            tap_diag("%s has no row", chorale_algs[i]->name);
            held = 0;
        }
    }
    tap_ok(held, "every variant without a schedule has a row");
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
        tap_ok(ok, "all costs at P = %d", p);
    }
}

static void set_defaults(const struct chorale_alg *alg,
                         struct chorale_point *pt)
{
    for (int i = 0; i < alg->nparam; i++)
        pt->param[i] = alg->param[i].def;
}

/* No cost may overrun its terms, at any P. */
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
    tap_ok(most > 0 && most <= CHORALE_MAX_TERM, "terms fit (most: %d)",
           most);
}

int main(void)
{
    test_registry();
    test_refuses();
    test_parse();
    test_format();
    test_tree();
    test_cost_rows();
    test_cost_vectors();
    test_cost_opaque();
    test_cost_pow2();
    test_cost_terms();
    return tap_done();
}
