/* SPDX-License-Identifier: BSD-3-Clause */
/* copied.c - a rank copies no more bytes inside its own memory than the
 * descriptor states, or than each variant of the collective has to. The
 * schedule counts them, without data, where types are their packed bytes. */
#include <string.h>

#include "algorithms/catalogue.h"
#include "algorithms/schedule/schedule.h"
#include "tests/tap.h"

/* Blocks of m bytes that any variant may copy: its own into place; of a
 * reduction its input, which the operation overwrites. The largest block of an
 * irregular collective is twice the mean. */
static const double usual[CHORALE_NCOLL] = {
    [CHORALE_REDUCE] = 1,         [CHORALE_ALLREDUCE] = 1,
    [CHORALE_REDUCE_SCATTER] = 2, [CHORALE_REDUCE_SCATTER_BLOCK] = 1,
    [CHORALE_GATHER] = 1,         [CHORALE_GATHERV] = 2,
    [CHORALE_SCATTER] = 1,        [CHORALE_SCATTERV] = 2,
    [CHORALE_ALLGATHER] = 1,      [CHORALE_ALLGATHERV] = 2,
    [CHORALE_ALLTOALL] = 1,       [CHORALE_ALLTOALLV] = 2,
    [CHORALE_SCAN] = 1,           [CHORALE_EXSCAN] = 1,
};

static int states(const struct chorale_alg *alg)
{
    return alg->copies.each > 0 || alg->copies.some > 0;
}

struct outcome {
    int points, beyond;      /* the collective's usual */
    char wrong[160];
};

static void try_point(const struct chorale_alg *alg, int p,
                      struct outcome *o)
{
    static const size_t m = 64512; /* of doubles that 2, 7, 8, 12 divide */
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    struct chorale_point pt = {
        .comm_size = p,
        .msg_size = info->dataless ? 0 : m,
        .n = chorale_coll_n(alg->coll, info->dataless ? 0 : m, p),
        .type_size = 8,
        .commutative = 1,
        .ppn = chorale_alg_by_node(alg) ? 4 : 0,
    };
    struct chorale_schedule_sum sum;
    double most = usual[alg->coll], blocks;

    for (int i = 0; i < alg->nparam; i++)
        pt.param[i] = alg->param[i].def;
    if (chorale_schedule_walk(alg, &pt, &sum, NULL) != 0)
        return;
    o->points++;
    blocks = (double)sum.most_copied / (double)m;
    o->beyond += blocks > most + 1e-9;
    if (states(alg))
        most = alg->copies.each * p + alg->copies.some;
    if (blocks > most + 1e-9)
        snprintf(o->wrong, sizeof(o->wrong),
                 "P=%d: a rank copies %.2f blocks of m bytes, may copy %.2f",
                 p, blocks, most);
}

/* 1: it has points. */
static int check(const struct chorale_alg *alg)
{
    static const int size[] = { 2, 7, 8, 12 };
    const char *coll = chorale_coll_info(alg->coll)->name;
    struct outcome o = { 0 };

    for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++)
        try_point(alg, size[i], &o);
    if (o.points == 0)
        return 0;
    if (!tap_ok(o.wrong[0] == '\0', "%s %s copies no more than it states",
                coll, alg->name))
        tap_diag("%s; state it in .copies if that has to be", o.wrong);
    if (states(alg) && o.beyond == 0 &&
        !tap_ok(0, "%s %s needs the .copies that it states", coll, alg->name))
        tap_diag("it copies no more than others: remove .copies");
    return 1;
}

int main(void)
{
    int seen = 0;

    for (int i = 0; chorale_algs[i] != NULL; i++)
        seen += check(chorale_algs[i]);
    tap_ok(seen >= 150, "of %d variants", seen);
    return tap_done();
}
