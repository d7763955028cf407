/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue.c - registry, parameter texts, tree shapes and terms of costs.
 * Linked with the MPI library, but MPI is never initialised, as in the command
 * on a login node. */
#include "algorithms/alg.h"
#include "algorithms/tree.h"
#include "tests/tap.h"

#include <limits.h>
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
        for (int k = 0; ok && k < p->nmore; k++)
            ok = p->more[k] >= p->min && p->more[k] <= p->max;
        for (long v = 0; ok && p->word != NULL && v <= p->max; v++)
            ok = p->word[v] != NULL && *p->word[v] != '\0';
    }
    if (!ok)
        tap_diag("%s %s", chorale_coll_info(alg->coll)->name, alg->name);
    return ok;
}

/* Unpatented variants of each collective, which every build has. */
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
               "%s has at least %d variants",
               chorale_coll_info((enum chorale_coll)i)->name, at_least[i]);
    tap_ok(complete, "every descriptor is complete, its candidates in range, "
                     "its constraints described");
    tap_ok(found, "every variant is found by its name, and only once");
    tap_ok(sorted, "rows are ordered by collective");
    tap_ok(chorale_alg_find(CHORALE_BCAST, "no_such") == NULL &&
               chorale_alg_find(CHORALE_ALLGATHER, "linear_nb") == NULL,
           "an unknown name, or one of another collective, is not found");
    tap_ok(chorale_alg_index(&stranger) == -1,
           "a descriptor outside the registry has no index");
}

static const char *even_only(const struct chorale_point *pt)
{
    return pt->msg_size % 2 != 0 ? "needs an even size" : NULL;
}

/* 1 if alg with these needs refuses (comm_size, msg_size). */
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
           "NEEDS_COMMUTE refuses only operations that do not commute");
    tap_ok(refuses(CHORALE_NEEDS_POW2, 6, 8, 1) &&
               !refuses(CHORALE_NEEDS_POW2, 8, 8, 1) &&
               !refuses(CHORALE_NEEDS_POW2, 1, 8, 1),
           "NEEDS_POW2 refuses only sizes that are no power of two");
    tap_ok(refuses(CHORALE_NEEDS_EVEN, 5, 8, 1) &&
               !refuses(CHORALE_NEEDS_EVEN, 6, 8, 1),
           "NEEDS_EVEN refuses only odd sizes");
    tap_ok(refuses(0, 4, 7, 1) && !refuses(0, 4, 8, 1),
           "the descriptor's own hook can refuse too");
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
    long segsize, fanout; /* else why: */
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
                   "\"%s\" is accepted", texts[i].text);
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
           "the written parameters are parsed to the same values");
    tap_ok(chorale_alg_params_format(&two_params, value, cut, sizeof(cut)) ==
                   n &&
               strcmp(cut, "fanout=") == 0,
           "a short buffer is truncated, and the full length is returned");
    tap_ok(chorale_alg_params_format(plain, value, text, sizeof(text)) == 0 &&
               text[0] == '\0',
           "a variant without parameters is written as empty text");
    tap_ok(chorale_alg_params_parse(plain, "k=2", back, why, sizeof(why)) < 0 &&
               strstr(why, "it has no parameters") != NULL,
           "a parameter of a variant without any is refused");
}

/* --- trees ------------------------------------------------------------ */

/* Check that each rank but 0 is the child of its parent once, that children are
 * ordered from the farthest, and that v's subtree is v and those of its
 * children. */
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

/* --- costs ------------------------------------------------------------ */

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
    test_registry();
    test_refuses();
    test_parse();
    test_format();
    test_tree();
    test_cost_library();
    test_cost_terms();
    return tap_done();
}
