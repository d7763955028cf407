/* SPDX-License-Identifier: BSD-3-Clause */
/* far_apart.c - calls whose units are so far apart that offsets exceed 2^31
 * bytes. Only a window around each unit is mapped memory. */
#include <stdio.h>

#include "tests/mpi/cover_share.h"

enum { TURNS = 3, MEBIBYTES = 2100 }; /* units of 1 MiB */

static struct problem wide_problem(const struct chorale_alg *alg,
                                   const struct fixture *fix, int ranks,
                                   int turn)
{
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    struct problem p = {
        .alg = alg,
        .root = info->rooted ? ranks / 2 : 0,
        .units = info->blocks ? MEBIBYTES / ranks + 1 : MEBIBYTES,
        .layouts = HALF_WIDE,
        .kind = info->reduces ? &fix->kind[WIDE_SUM] : NULL,
        .in_place = turn == TURNS - 1 && alg->coll != CHORALE_BCAST,
        .placing = PERMUTED,
        .nodes = TWOS,
        .seed = turn,
    };

    for (int i = 0; i < alg->nparam; i++)
        p.param[i] = alg->param[i].def;
    return p;
}

/* The reason of the refusal, or NULL. */
static const char *refuses(const struct fixture *fix, int ranks,
                           const struct problem *p)
{
    struct chorale_point pt = problem_point_at(fix, ranks, p);

    return chorale_alg_refuses(p->alg, &pt);
}

/* If the variant refuses the default parameters, search a value of one
 * parameter that it accepts, for instance smaller segments. Returns 1 if it
 * runs. */
static int find_params(const struct fixture *fix, int ranks,
                       struct problem *p)
{
    struct space s;

    if (refuses(fix, ranks, p) == NULL)
        return 1;
    space_init(&s, p->alg, ranks, 1, 1, 0);
    for (int i = 0; i < p->alg->nparam; i++) {
        for (int v = 0; v < s.level[PARAM + i]; v++) {
            p->param[i] = s.value[i][v];
            if (refuses(fix, ranks, p) == NULL)
                return 1;
        }
        p->param[i] = p->alg->param[i].def;
    }
    return 0;
}

int wide_is_due(const struct share *share, const struct chorale_alg *alg,
                const struct fixture *fix, int ranks)
{
    if (chorale_coll_info(alg->coll)->dataless)
        return 0;
    for (int i = 0; i < share->n && share->ranks[i] != ranks; i++) {
        struct problem p = wide_problem(alg, fix, share->ranks[i], 0);

        if (find_params(fix, share->ranks[i], &p))
            return 0;
    }
    return 1;
}

long check_wide(struct stage *st, const struct chorale_alg *alg, char *why,
                size_t size)
{
    int ranks = st->ctx->size;
    long ran = 0;

    snprintf(why, size, "far apart");
    for (int turn = 0; turn < TURNS; turn++) {
        struct problem p = wide_problem(alg, st->fix, ranks, turn);

        if (!find_params(st->fix, ranks, &p) && turn == 0)
            snprintf(why, size, "far apart, refused: %s",
                     refuses(st->fix, ranks, &p));
        ran += try_problem(st, &p);
    }
    return ran;
}
