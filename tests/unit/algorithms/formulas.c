/* SPDX-License-Identifier: BSD-3-Clause */
/* formulas.c - the formulas that descriptors print agree with the computed
 * costs: equal or, where the formula has "<=", not less and at most LOOSE times
 * as much. MPI is never initialised.
 *
 *     formulas.t [COLLECTIVE [VARIANT]]   default: all */
#include "tests/tap.h"
#include "tests/unit/algorithms/formula.h"
#include "tests/unit/algorithms/values.h"
#include "tests/unit/algorithms/wanted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Largest accepted ratio of a printed bound to the computed cost. */
#define LOOSE 3.1

static const double net[2][3] = { { 1.0128e-6, 0.8e-9, 0.3e-9 },
                                  { 2e-7, 1.1e-8, 0.7e-8 } };

struct outcome {
    char wrong[256];
    int equal, bounded, words;
    double most; /* largest ratio of bound to cost */
};

static void say(struct outcome *o, const struct chorale_alg *alg,
                const struct chorale_point *pt, const double is[3],
                const double says[3], const char *how)
{
    char params[96];

    chorale_alg_params_format(alg, pt->param, params, sizeof(params));
    snprintf(o->wrong, sizeof(o->wrong),
             "P=%d m=%zu root=%d ppn=%d %s: %s; the cost is %g %g %g, the "
             "formula %g %g %g", pt->comm_size, pt->msg_size, pt->root,
             pt->ppn, params, how, is[0], is[1], is[2], says[0], says[1],
             says[2]);
}

/* Equal but for the bytes of parts that do not divide evenly. */
static int equal(const struct chorale_point *pt, const double is[3],
                 const double says[3])
{
    double some = is[0] + pt->comm_size;

    return fabs(is[0] - says[0]) < 1e-6 &&
           fabs(is[1] - says[1]) <= some && fabs(is[2] - says[2]) <= some;
}

static void check_bound(struct outcome *o, const struct chorale_alg *alg,
                        const struct chorale_point *pt, const double is[3],
                        const double says[3])
{
    for (int w = 0; w < 2; w++) {
        double cost = 0, most = is[0] * pt->comm_size * net[w][1];

        for (int i = 0; i < 3; i++) {
            cost += is[i] * net[w][i];
            most += says[i] * net[w][i];
        }
        if (cost > most * (1 + 1e-9))
            say(o, alg, pt, is, says, "the cost exceeds the bound");
        if (cost > 0 && most > LOOSE * cost)
            say(o, alg, pt, is, says, "the bound is far above the cost");
        if (cost > 0 && most / cost > o->most)
            o->most = most / cost;
    }
    o->bounded++;
}

static void try_point(const struct chorale_alg *alg,
                      const struct chorale_point *pt, struct outcome *o)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    double says[3], is[3];
    char why[80];
    int p = pt->comm_size;
    int exact = alg->cost_is == CHORALE_COST_EXACT ||
                (alg->cost_is == CHORALE_COST_POW2 && (p & (p - 1)) == 0);
    enum formula_is how;

    if (o->wrong[0] != '\0' || chorale_alg_refuses(alg, pt) != NULL)
        return;
    how = formula_at(alg, pt, says, why, sizeof(why));
    chorale_term_sums(term, alg->cost(pt, term), &is[0], &is[1], &is[2]);
    if (how == FORMULA_WRONG)
        snprintf(o->wrong, sizeof(o->wrong), "%s", why);
    o->words += how == FORMULA_WORDS;
    if (how == FORMULA_EXACT && !exact)
        say(o, alg, pt, is, says, "the formula lacks <=");
    else if (how == FORMULA_EXACT && !equal(pt, is, says))
        say(o, alg, pt, is, says, "formula and cost differ");
    else if (how == FORMULA_BOUND)
        check_bound(o, alg, pt, is, says);
    o->equal += how == FORMULA_EXACT;
}

/* Try defaults, each other value of a parameter, and of two. */
static void try_params(const struct chorale_alg *alg,
                       struct chorale_point *pt, struct outcome *o)
{
    for (int i = 0; i < alg->nparam; i++)
        pt->param[i] = alg->param[i].def;
    try_point(alg, pt, o);
    for (int i = 0; i < alg->nparam; i++)
        for (int a = 0; a < values_count(&alg->param[i]); a++) {
            pt->param[i] = values_get(&alg->param[i], a);
            try_point(alg, pt, o);
            for (int j = i + 1; j < alg->nparam; j++) {
                for (int b = 0; b < values_count(&alg->param[j]); b++) {
                    pt->param[j] = values_get(&alg->param[j], b);
                    try_point(alg, pt, o);
                }
                pt->param[j] = alg->param[j].def;
            }
            pt->param[i] = alg->param[i].def;
        }
}

/* Try sizes that ranks, rows and segments divide. */
static void try_size(const struct chorale_alg *alg, int p, struct outcome *o)
{
    static const int ppns[4] = { 0, 2, 3, 4 };
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    size_t m = info->dataless ? 0
               : info->irregular
                   ? (size_t)(p - 1) << 18
                   : (info->blocks ? 1U : (unsigned)p) * ((size_t)1 << 20);

    for (int k = 0; k < 4; k++)
        for (int root = 0; root < p; root += p - 1) {
            struct chorale_point pt = {
                .comm_size = p, .msg_size = m,
                .n = chorale_coll_n(alg->coll, m, p), .type_size = 1,
                .commutative = 1, .root = root, .ppn = ppns[k],
                .alpha = net[0][0], .beta = net[0][1], .tau = net[0][2],
            };

            if ((k == 0 || chorale_alg_by_node(alg)) &&
                (root == 0 || info->rooted))
                try_params(alg, &pt, o);
        }
}

static void test_alg(const struct chorale_alg *alg)
{
    struct outcome o = { "", 0, 0, 0, 0 };
    char most[48] = "";

    for (int p = 2; p <= 33; p++)
        try_size(alg, p, &o);
    if (o.bounded > 0)
        snprintf(most, sizeof(most), ", bound %d times, by up to %.2f",
                 o.bounded, o.most);
    tap_ok(o.wrong[0] == '\0' && o.equal + o.bounded + o.words > 0,
           "%s %s: formula equal %d times%s, in words %d times",
           chorale_coll_info(alg->coll)->name, alg->name, o.equal, most,
           o.words);
    if (o.wrong[0] != '\0')
        tap_diag("%s: %s", alg->formula, o.wrong);
}

/* Test the parser: formulas that are accepted or refused. */
static void test_reader(void)
{
    static const struct {
        const char *formula;
        enum formula_is is;
        double a, b, c;
    } row[] = {
        { "(P-1) (alpha + 2 n beta)", FORMULA_EXACT, 11, 2112, 0 },
        { "<= ceil(lg P) alpha + x tau, x = n/P + 2^3", FORMULA_BOUND, 4, 0,
          16 },
        { "alpha, of words; P > 12: 9 alpha", FORMULA_EXACT, 1, 0, 0 },
        { "alpha; P not a power of two: <= + max(2, P/3) alpha",
          FORMULA_BOUND, 5, 0, 0 },
        { "alpha; two ports: half of it", FORMULA_EXACT, 1, 0, 0 },
        { "as the parts; P odd: alpha", FORMULA_WORDS, 0, 0, 0 },
        { "as the parts; P = 12: <= alpha", FORMULA_BOUND, 1, 0, 0 },
        { "2 alpha more", FORMULA_WRONG, 0, 0, 0 },
        { "(P-1 alpha", FORMULA_WRONG, 0, 0, 0 },
        { "alpha; full: 2 alpha", FORMULA_WRONG, 0, 0, 0 },
        { "alpha; kind=full: 2 alpha", FORMULA_WRONG, 0, 0, 0 },
        { "x alpha, x = x", FORMULA_WRONG, 0, 0, 0 },
        { "max(1) alpha", FORMULA_WRONG, 0, 0, 0 },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        struct chorale_alg alg = { .coll = CHORALE_ALLREDUCE,
                                   .formula = row[i].formula };
        struct chorale_point pt = { .comm_size = 12, .msg_size = 96,
                                    .n = 96, .type_size = 1 };
        double sum[3];
        char why[80];
        enum formula_is is = formula_at(&alg, &pt, sum, why, sizeof(why));

        tap_ok(is == row[i].is &&
                   (is == FORMULA_WRONG || is == FORMULA_WORDS ||
                    (sum[0] == row[i].a && sum[1] == row[i].b &&
                     sum[2] == row[i].c)),
               "\"%s\"", row[i].formula);
        if (is == FORMULA_WRONG)
            tap_diag("%s", why);
    }
}

int main(int argc, char **argv)
{
    test_reader();
    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (wanted(argc, argv, chorale_algs[i]))
            test_alg(chorale_algs[i]);
    return tap_done();
}
