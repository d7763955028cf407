/* SPDX-License-Identifier: BSD-3-Clause */
/* bounds.c - compare cost bounds with the recorded table bounds.inc. */
#include "tests/unit/algorithms/bounds.h"

#include <math.h>
#include <string.h>

#define WITHIN 1e-3

static const struct {
    const char *coll, *name;
    struct bounds bounds;
} row[] = {
#include "tests/unit/algorithms/bounds.inc"
};

static const char *const net_name[BOUNDS_NNET] = { "alpha", "beta", "tau" };

void bounds_add(struct bounds *b, const struct chorale_point *pt,
                double stated, double taken)
{
    int net = pt->alpha > 0 ? 0 : pt->beta > 0 ? 1 : 2;
    double times = taken > 0 ? stated / taken : 0;

    if (!(times > 0))
        return;
    if (!(b->least[net] > 0) || times < b->least[net])
        b->least[net] = times;
    if (times > b->most[net])
        b->most[net] = times;
}

static int is_row(int i, const struct chorale_alg *alg)
{
    return strcmp(row[i].name, alg->name) == 0 &&
           strcmp(row[i].coll, chorale_coll_info(alg->coll)->name) == 0;
}

static int differs(double is, double was)
{
    return fabs(is - was) > WITHIN * was;
}

int bounds_hold(const struct chorale_alg *alg, const struct bounds *b,
                char *wrong, size_t size)
{
    const struct bounds *was = NULL;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (is_row((int)i, alg))
            was = &row[i].bounds;
    if (was == NULL) /* of a new variant: `make bounds` adds it */
        return 1;
    for (int i = 0; i < BOUNDS_NNET; i++)
        if (differs(b->least[i], was->least[i]) ||
            differs(b->most[i], was->most[i])) {
            snprintf(wrong, size,
                     "%s of its bound is %.4f to %.4f times the schedule's, "
                     "was %.4f to %.4f", net_name[i], b->least[i], b->most[i],
                     was->least[i], was->most[i]);
            return 0;
        }
    return 1;
}

void bounds_print(const struct chorale_alg *alg, const struct bounds *b,
                  FILE *out)
{
    if (!(b->most[0] > 0) && !(b->most[1] > 0) && !(b->most[2] > 0))
        return;
    fprintf(out, "{ \"%s\", \"%s\",\n  { { %.4f, %.4f, %.4f }, "
            "{ %.4f, %.4f, %.4f } } },\n", chorale_coll_info(alg->coll)->name,
            alg->name, b->least[0], b->least[1], b->least[2], b->most[0],
            b->most[1], b->most[2]);
}
