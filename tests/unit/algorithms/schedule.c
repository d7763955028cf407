/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c - the schedule of every variant agrees with its descriptor:
 *   - messages match, and all ranks end;
 *   - the critical path is the stated cost; a stated bound is not below it, and
 *     not more than a stated factor above it;
 *   - no rank uses a port twice at a time unless the descriptor states it;
 *   - scratch is the stated number of bytes;
 *   - a refusal has a reason.
 * alltoall and alltoallv are also tried in place.
 *
 *     schedule.t [COLLECTIVE [VARIANT]]   default: all
 *     schedule.t --bounds                 print the table bounds.inc */
#include "algorithms/catalogue.h"
#include "algorithms/schedule/event_log.h"
#include "algorithms/schedule/schedule.h"
#include "tests/tap.h"
#include "tests/unit/algorithms/bounds.h"
#include "tests/unit/algorithms/values.h"
#include "tests/unit/algorithms/wanted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int sizes[] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,
                             12, 13, 15, 16, 17, 24, 31, 32, 33 };
static const size_t blocks[] = { 0, 8, 64, 1000, 8192, 98304 };

/* Networks: two mixed ones, dominated by latency and by bandwidth and
 * reductions, and three on which only one of these takes time, so that no
 * coefficient hides another. */
static const double net[][3] = { { 1.0128e-6, 0.8e-9, 0.3e-9 },
                                 { 2e-7, 1.1e-8, 0.7e-8 },
                                 { 1e-6, 0, 0 },
                                 { 0, 1e-9, 0 },
                                 { 0, 0, 1e-9 } };

enum { NNET = sizeof(net) / sizeof(*net), MIXED = 2 };

/* On a network with one kind of time, a bound may be looser by this factor,
 * with blocks so large that rounding to elements does not matter. */
#define ALONE 1.2

enum { LARGE = 98304 };

/* Largest ratio of bound to schedule of variants that exchange sizes. */
#define TOLD_WITHIN 1.75

/* Under the address sanitizer scratch has red zones, and memory that is only
 * reserved is touched. */
#ifdef __SANITIZE_ADDRESS__
enum { SLACK = 65536, HUGE_TOO = 0 };
#else
enum { SLACK = 1024, HUGE_TOO = 1 };
#endif

/* Largest ratio of stated to used scratch. */
#define MOST_OVER 2.05

struct outcome {
    char wrong[256];
    int points;
    int reduces; /* reduces bytes at some point */
    double most; /* largest ratio of bound to schedule */
    struct bounds bounds; /* for costs that are not exact */
};

static void describe(const struct chorale_alg *alg,
                     const struct chorale_point *pt, char *text, size_t size)
{
    char params[96];

    chorale_alg_params_format(alg, pt->param, params, sizeof(params));
    snprintf(text, size, "P=%d m=%zu%s root=%d ppn=%d%s%s", pt->comm_size,
             pt->msg_size, pt->in_place ? " in place" : "", pt->root, pt->ppn,
             *params ? " " : "", params);
}

static int differs(double a, double b)
{
    return fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)) + 1e-15;
}

static int has_defaults(const struct chorale_alg *alg,
                        const struct chorale_point *pt)
{
    for (int i = 0; i < alg->nparam; i++)
        if (pt->param[i] != alg->param[i].def)
            return 0;
    return 1;
}

/* 1 if only one kind of operation takes time. */
static int is_alone(const struct chorale_point *pt)
{
    return (pt->alpha > 0) + (pt->beta > 0) + (pt->tau > 0) == 1;
}

/* Largest accepted ratio of bound to schedule. */
static double within(const struct chorale_alg *alg,
                     const struct chorale_point *pt)
{
    double limit = alg->within > 0 ? alg->within : CHORALE_WITHIN;

    if (alg->within_default > 0 && has_defaults(alg, pt))
        limit = alg->within_default;
    /* With data, the smallest block at the root, equal nodes, and a network
     * like the simulated one. */
    if (alg->tells && pt->root == 0 && pt->n > 0 && !(pt->alpha < net[0][0]) &&
        pt->beta > 0 && limit > TOLD_WITHIN &&
        (pt->ppn == 0 || pt->comm_size % pt->ppn == 0))
        return TOLD_WITHIN;
    if (!is_alone(pt))
        return limit;
    return pt->alpha > 0 || pt->msg_size >= LARGE ? ALONE * limit : HUGE_VAL;
}

/* Set wrong to the error of the stated cost, or leave it empty. A bound may
 * count messages where no data exist and no message is sent. */
static void judge_cost(const struct chorale_alg *alg,
                       const struct chorale_point *pt,
                       const struct chorale_schedule_sum *sum,
                       struct outcome *o, char *wrong, size_t size)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    double a, b, c, stated;
    const char *how = NULL;

    chorale_term_sums(term, alg->cost(pt, term), &a, &b, &c);
    stated = a * pt->alpha + b * pt->beta + c * pt->tau;
    if (chorale_alg_exact(alg, pt)) {
        if (differs(stated, sum->seconds))
            how = "";
    } else {
        if (is_alone(pt))
            bounds_add(&o->bounds, pt, stated, sum->seconds);
        else if (sum->seconds > 0 && stated / sum->seconds > o->most)
            o->most = stated / sum->seconds;
        if (sum->seconds > stated && differs(sum->seconds, stated))
            how = "at most ";
        else if (stated > within(alg, pt) * sum->seconds &&
                 differs(stated, within(alg, pt) * sum->seconds) &&
                 !(pt->n == 0 && sum->total_messages == 0))
            how = "far too much: ";
    }
    if (how != NULL)
        snprintf(wrong, size, "states %s%g %g %g, takes %g %g %g", how, a, b,
                 c, sum->messages, sum->bytes, sum->reduced);
}

/* Scratch of the busiest rank, in place or not; -1 if the library does a
 * part. */
static double most_scratch(const struct chorale_alg *alg,
                           const struct chorale_point *at)
{
    int may = alg->coll != CHORALE_BARRIER && alg->coll != CHORALE_BCAST;
    int asked = alg->coll == CHORALE_ALLTOALL || alg->coll == CHORALE_ALLTOALLV;
    size_t used = 0;
    int bad = 0;

    for (int in_place = 0; in_place <= (may && !asked); in_place++) {
        struct chorale_schedule s = { 0 };
        struct chorale_point pt = *at;

        if (in_place)
            pt.in_place = 1;
        bad |= chorale_schedule_write(&s, alg, &pt, &used) != 0 || s.opaque;
        chorale_schedule_release(&s);
    }
    return bad ? -1 : (double)used;
}

/* 1 if the stated scratch, but for alignment, is the maximum over all calls of
 * a point, and for large blocks not far above the use of the busiest rank. The
 * scratch of two levels depends on the placement of ranks, which a point does
 * not have. */
static int large_scratch_is_right(const struct chorale_alg *alg,
                                  const struct chorale_point *pt)
{
    double used = most_scratch(alg, pt), stated = (double)alg->scratch(pt);

    if (used < 0)
        return 1;
    return used <= stated + SLACK &&
           (chorale_alg_by_node(alg) ||
            stated <= MOST_OVER * (used + SLACK * pt->comm_size));
}

/* 1 if a root between the first and the last states more scratch than both. The
 * shim compares the scratch of these two roots with its limit. */
static int middle_root_takes_most(const struct chorale_alg *alg,
                                  const struct chorale_point *pt)
{
    struct chorale_point first = *pt, last = *pt;

    first.root = 0;
    last.root = pt->comm_size - 1;
    return chorale_coll_info(alg->coll)->rooted &&
           alg->scratch(pt) > alg->scratch(&first) &&
           alg->scratch(pt) > alg->scratch(&last);
}

/* Checked on one network only. */
static int scratch_is_right(const struct chorale_alg *alg,
                            const struct chorale_point *at, size_t used)
{
    struct chorale_point pt = *at;
    int right = 1;

    if (alg->scratch == NULL)
        return used == 0;
    if (pt.msg_size == LARGE && !(pt.alpha < net[0][0]) && pt.beta > 0)
        for (; pt.commutative >= 0; pt.commutative--)
            right &= chorale_alg_refuses(alg, &pt) != NULL ||
                     large_scratch_is_right(alg, &pt);
    return right && used <= alg->scratch(at) + SLACK &&
           !middle_root_takes_most(alg, at);
}

/* Set wrong to the error at one point, or leave it empty. */
static void judge(const struct chorale_alg *alg,
                  const struct chorale_point *pt, struct outcome *o,
                  char *wrong, size_t size)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    int nterm = alg->cost(pt, term);
    struct chorale_schedule_sum sum;
    const char *why;

    if (nterm < 0 || nterm > CHORALE_MAX_TERM) {
        snprintf(wrong, size, "%d terms", nterm);
        return;
    }
    if (chorale_schedule_walk(alg, pt, &sum, &why) != 0) {
        if (strcmp(why, CHORALE_SCHEDULE_LIBRARY) != 0)
            snprintf(wrong, size, "%s", why);
        return;
    }
    o->reduces |= sum.total_reduced > 0;
    judge_cost(alg, pt, &sum, o, wrong, size);
    if (sum.overlaps && !chorale_alg_overlaps(alg, pt))
        snprintf(wrong, size, "two messages at one port at a time");
    else if (!scratch_is_right(alg, pt, sum.scratch))
        snprintf(wrong, size, "%zu bytes of scratch, states %zu", sum.scratch,
                 alg->scratch == NULL ? 0 : alg->scratch(pt));
}

static void try_point(const struct chorale_alg *alg, struct chorale_point *pt,
                      struct outcome *o)
{
    char wrong[160] = "", where[160];
    const char *why = chorale_alg_refuses(alg, pt);

    if (o->wrong[0] != '\0' || (why != NULL && *why != '\0'))
        return;
    if (why != NULL)
        snprintf(wrong, sizeof(wrong), "refused without a reason");
    else
        judge(alg, pt, o, wrong, sizeof(wrong));
    o->points++;
    if (wrong[0] == '\0')
        return;
    describe(alg, pt, where, sizeof(where));
    snprintf(o->wrong, sizeof(o->wrong), "%.150s: %.90s", where, wrong);
}

/* Try defaults, then each other value of each parameter. */
static void try_params(const struct chorale_alg *alg,
                       struct chorale_point *pt, struct outcome *o)
{
    for (int i = 0; i < alg->nparam; i++)
        pt->param[i] = alg->param[i].def;
    try_point(alg, pt, o);
    for (int i = 0; i < alg->nparam; i++) {
        const struct chorale_param *param = &alg->param[i];

        for (int k = 0; k < values_count(param); k++) {
            pt->param[i] = values_get(param, k);
            try_point(alg, pt, o);
        }
        pt->param[i] = param->def;
    }
}

static void try_size(const struct chorale_alg *alg, int p, size_t m,
                     struct outcome *o)
{
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    const int ppn[4] = { 0, 2, 3, 4 };
    int last_root = info->rooted ? p - 1 : 0;
    int sparse = m > 8 && m < LARGE; /* only the mixed networks */

    for (int w = 0; w < (sparse ? MIXED : NNET); w++)
        for (int k = 0; k < 4; k++)
            for (int root = 0; root <= last_root;
                 root += last_root > 2 ? last_root / 2 : 1) {
                struct chorale_point pt = {
                    .comm_size = p,
                    .msg_size = info->dataless ? 0 : m,
                    .n = chorale_coll_n(alg->coll, m, p),
                    .type_size = m % 8 == 0 ? 8 : 1,
                    .commutative = 1,
                    .root = root,
                    .ppn = ppn[k],
                    .alpha = net[w][0],
                    .beta = net[w][1],
                    .tau = net[w][2],
                };

                if (k > 0 && !chorale_alg_by_node(alg))
                    continue;
                try_params(alg, &pt, o);
                pt.in_place = alg->coll == CHORALE_ALLTOALL ||
                              alg->coll == CHORALE_ALLTOALLV;
                if (pt.in_place)
                    try_params(alg, &pt, o);
            }
}

/* Try sizes above 2^31 bytes with few ranks; with long segments, as short ones
 * would be millions. No data are touched, so this takes no memory; but a system
 * may refuse to reserve several GiB of scratch. */
static void try_huge(const struct chorale_alg *alg, struct outcome *o)
{
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);

    for (int p = 2; p <= 3 && !info->dataless; p++) {
        size_t m = ((size_t)9 << 28) / (info->blocks ? (size_t)p : 1) + 72;
        struct chorale_point pt = {
            .comm_size = p,
            .msg_size = m / 8 * 8,
            .n = chorale_coll_n(alg->coll, m / 8 * 8, p),
            .type_size = 8,
            .commutative = 1,
            .root = info->rooted ? p - 1 : 0,
            .ppn = chorale_alg_by_node(alg) ? 2 : 0,
            .alpha = net[0][0],
            .beta = net[0][1],
            .tau = net[0][2],
        };

        for (int i = 0; i < alg->nparam; i++) {
            const struct chorale_param *param = &alg->param[i];

            pt.param[i] = param->def;
            if (strncmp(param->unit, "bytes", 5) == 0)
                pt.param[i] = param->max < 1L << 27 ? param->max : 1L << 27;
        }
        if (p == 2 || alg->scratch == NULL || alg->scratch(&pt) >> 32 == 0)
            try_point(alg, &pt, o);
    }
}

/* 1 if an order is stated exactly where operands are combined. Exchanged sizes
 * are not operands. */
static int order_is_right(const struct chorale_alg *alg,
                          const struct outcome *o)
{
    return (alg->order != CHORALE_ORDER_NONE) ==
           (chorale_coll_info(alg->coll)->reduces ||
            (o->reduces && !alg->tells));
}

static void try_sizes(const struct chorale_alg *alg, struct outcome *o)
{
    *o = (struct outcome){ .wrong = "" };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        for (size_t k = 0; k < sizeof(blocks) / sizeof(*blocks); k++)
            try_size(alg, sizes[i], blocks[k], o);
}

static void test_alg(const struct chorale_alg *alg)
{
    struct outcome o;
    const char *coll = chorale_coll_info(alg->coll)->name;
    char most[64] = "", far[128] = "";

    try_sizes(alg, &o);
    if (HUGE_TOO)
        try_huge(alg, &o);
    if (o.most > 0)
        snprintf(most, sizeof(most), ", states up to %.3f times as much",
                 o.most);
    tap_ok(o.wrong[0] == '\0' && o.points > 0, "%s %s: %d points%s", coll,
           alg->name, o.points, most);
    if (o.wrong[0] != '\0')
        tap_diag("%s", o.wrong);
    tap_ok(order_is_right(alg, &o),
           "%s %s: its order of reduction is stated exactly if it reduces",
           coll, alg->name);
    if (!tap_ok(bounds_hold(alg, &o.bounds, far, sizeof(far)),
                "%s %s: ratios of bound to schedule equal the recorded ones",
                coll,
                alg->name))
        tap_diag("%s; if intended, run `make bounds`", far);
}

/* Print rows. A variant with errors is left out; the test reports its
 * errors. */
static int print_bounds(void)
{
    struct outcome o;
    int failed = 0;

    printf("/* Stated bounds in times their schedules: see bounds.h. Written "
           "by:\n * make bounds */\n");
    for (int i = 0; chorale_algs[i] != NULL; i++) {
        try_sizes(chorale_algs[i], &o);
        failed |= o.wrong[0] != '\0';
        bounds_print(chorale_algs[i], &o.bounds, stdout);
    }
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--bounds") == 0)
        return print_bounds();
    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (wanted(argc, argv, chorale_algs[i]))
            test_alg(chorale_algs[i]);
    return tap_done();
}
