/* SPDX-License-Identifier: BSD-3-Clause */
/* path_cost.c - costs by formula or by schedule. */
#include "algorithms/schedule/path_cost.h"

#include <string.h>

#include "algorithms/schedule/schedule.h"

int chorale_alg_cost(const struct chorale_alg *alg,
                     const struct chorale_point *pt,
                     struct chorale_term *term)
{
    struct chorale_schedule_sum sum;

    if (chorale_alg_exact(alg, pt) ||
        chorale_schedule_walk(alg, pt, &sum, NULL) != 0)
        return alg->cost(pt, term);
    memcpy(term, sum.term, sizeof(*term) * (size_t)sum.nterm);
    return sum.nterm;
}

void chorale_alg_cost_sums(const struct chorale_alg *alg,
                           const struct chorale_point *pt, double *messages,
                           double *bytes, double *reduced)
{
    struct chorale_term term[CHORALE_MAX_TERM];

    chorale_term_sums(term, chorale_alg_cost(alg, pt, term), messages, bytes,
                      reduced);
}

/* A rough time [s], only to order costs. */
static double typical(const double sum[3])
{
    return sum[0] * 1e-6 + sum[1] * 1e-10 + sum[2] * 1e-10;
}

void chorale_alg_cost_policy(const struct chorale_alg *alg,
                             const struct chorale_point *pt,
                             const char *policy, double *messages,
                             double *bytes, double *reduced)
{
    static const char *const name[3] = { "first", "middle", "last" };
    int rooted = chorale_coll_info(alg->coll)->rooted;
    int rotate = rooted && strcmp(policy, "rotate") == 0, middle = 0;
    struct chorale_point at = *pt;
    double sum[3][3];

    for (int i = 0; rooted && i < 3; i++)
        if (strcmp(policy, name[i]) == 0)
            at.root = chorale_coll_root(i, pt->comm_size, pt->ppn);
    for (int i = 0; i < (rotate ? 3 : 1); i++) {
        if (rotate)
            at.root = chorale_coll_root(i, pt->comm_size, pt->ppn);
        chorale_alg_cost_sums(alg, &at, &sum[i][0], &sum[i][1], &sum[i][2]);
    }
    for (int i = 0; rotate && i < 3; i++) {
        double t = typical(sum[i]), a = typical(sum[(i + 1) % 3]);
        double b = typical(sum[(i + 2) % 3]);

        if ((a <= t && t <= b) || (b <= t && t <= a))
            middle = i;
    }
    *messages = sum[middle][0];
    *bytes = sum[middle][1];
    *reduced = sum[middle][2];
}
