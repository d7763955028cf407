/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c - the stated order of combining operands is sound. Variants that
 * accept operations that do not commute keep rank order there, and the order of
 * a descriptor without a point is the weakest of all points. */
#include "algorithms/alg.h"
#include "tests/tap.h"
#include "tests/unit/algorithms/values.h"

static const int sizes[] = { 1, 2, 3, 4, 6, 8, 12, 16 };

/* What a variant stated at all points. */
struct seen {
    int points, unordered; /* not in rank order although that is needed */
    int doubtful; /* rank order, but operations that need it are refused */
    enum chorale_order strictest, weakest;
};

static void look(const struct chorale_alg *alg,
                 const struct chorale_point *pt, struct seen *seen)
{
    struct chorale_point strict = *pt;
    enum chorale_order order;

    strict.commutative = 0;
    if (chorale_alg_refuses(alg, pt) != NULL)
        return;
    order = chorale_alg_order(alg, pt);
    if (seen->points++ == 0)
        seen->strictest = seen->weakest = order;
    if (order < seen->strictest)
        seen->strictest = order;
    if (order > seen->weakest)
        seen->weakest = order;
    seen->doubtful += pt->comm_size > 2 && order == CHORALE_ORDER_RANK &&
                      chorale_alg_refuses(alg, &strict) != NULL;
    seen->unordered += !pt->commutative && order != CHORALE_ORDER_RANK;
}

/* Look at all combinations of the parameters' candidates. */
static void look_at_params(const struct chorale_alg *alg,
                           struct chorale_point *pt, int from,
                           struct seen *seen)
{
    const struct chorale_param *param = &alg->param[from];

    if (from == alg->nparam) {
        look(alg, pt, seen);
        return;
    }
    for (int i = 0; i < values_count(param); i++) {
        pt->param[from] = values_get(param, i);
        look_at_params(alg, pt, from + 1, seen);
    }
}

static void look_at_size(const struct chorale_alg *alg, int p, size_t m,
                         struct seen *seen)
{
    int rooted = chorale_coll_info(alg->coll)->rooted;

    for (int commutative = 0; commutative < 2; commutative++)
        for (int root = 0; root < (rooted ? p : 1); root++) {
            struct chorale_point pt = {
                .comm_size = p,
                .msg_size = m,
                .n = chorale_coll_n(alg->coll, m, p),
                .type_size = 8,
                .commutative = commutative,
                .root = root,
                .ppn = 2,
            };

            look_at_params(alg, &pt, 0, seen);
        }
}

static void test_alg(const struct chorale_alg *alg)
{
    const char *coll = chorale_coll_info(alg->coll)->name;
    struct seen seen = { 0 };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        for (size_t m = 1 << 10; m <= 1 << 20; m <<= 10)
            look_at_size(alg, sizes[i], m, &seen);
    tap_ok(seen.points > 0 && seen.weakest == alg->order,
           "%s %s: its order is the weakest of all points", coll, alg->name);
    if (chorale_coll_info(alg->coll)->reduces)
        tap_ok(seen.unordered == 0,
               "%s %s: operations that do not commute keep rank order", coll,
               alg->name);
    tap_ok(seen.doubtful == 0,
           "%s %s: points with rank order accept all operations",
           coll, alg->name);
    if (alg->order_at != NULL)
        tap_ok(seen.strictest < seen.weakest,
               "%s %s: its order depends on the point", coll, alg->name);
}

int main(void)
{
    for (int i = 0; chorale_algs[i] != NULL; i++)
        test_alg(chorale_algs[i]);
    return tap_done();
}
