/* SPDX-License-Identifier: BSD-3-Clause */
/* type_decoding.c - a variant's second call with a type does not decode it
 * again. In simulation no call decodes types (algorithms/mixed_types.h). */
#include "tests/mpi/counted.h"
#include "tests/mpi/problem.h"

/* Units of a block: too many to receive without decoding the type. */
enum { ENOUGH = 300 };

#ifdef CHORALE_SIM
enum { TWICE = 0 };
#else
enum { TWICE = 1 };
#endif

static struct problem looks_problem(const struct stage *st,
                                    const struct chorale_alg *alg, int uneven)
{
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    struct problem p = {
        .alg = alg,
        .root = info->rooted ? st->ctx->size / 2 : 0,
        .units = ENOUGH,
        .layouts = uneven ? UNLIKE : GAP,
        .seed = uneven,
    };

    if (info->reduces)
        p.kind = &st->fix->kind[uneven ? UNEVEN_SUM : PRODUCT];
    if (info->reduces && !uneven && (alg->needs & CHORALE_NEEDS_COMMUTE))
        p.kind = &st->fix->kind[TIGHT_SUM];
    for (int i = 0; i < alg->nparam; i++)
        p.param[i] = alg->param[i].def;
    return p;
}

static int layout_of(const struct problem *p)
{
    if (p->kind != NULL)
        return p->kind->layout;
    return p->layouts == UNLIKE ? UNEVEN : p->layouts;
}

long check_looks(struct stage *st, const struct chorale_alg *alg, long *looks)
{
    long ran = 0;

    for (int uneven = 0; uneven < 2; uneven++) {
        struct problem p = looks_problem(st, alg, uneven);

        fixture_renew(st->fix, layout_of(&p));
        counted_start();
        ran += try_problem(st, &p);
        *looks += counted_looks();
        if (!TWICE)
            continue;
        counted_start();
        ran += try_problem(st, &p);
        if (counted_looks() != 0)
            problem_fail(st, &p, "types decoded again in a second call:",
                         counted_looks());
    }
    return ran;
}
