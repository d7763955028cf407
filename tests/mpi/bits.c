/* SPDX-License-Identifier: BSD-3-Clause */
/* bits.c - bitwise reproducibility of floating-point sums. Nearly every order
 * of adding these doubles gives other bits. Checked as each variant states:
 * two equal calls give the same bits, also if a rank arrives late at the
 * second; all ranks of an allreduce get the same bits; and the result differs
 * from the exact sum by no more than rounding. */
#include "tests/mpi/factor_levels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/clock.h"

/* Far longer than a small reduction takes. */
#define LATE 1e-3

/* From this many ranks on, variants with bits_differ show the difference. */
enum { DIFFERING_RANKS = 8 };

static double operand(const struct problem *p, int rank, int unit)
{
    static const double some[] = { 1e16, 1, -1e16, 3, 0.1, -7 };
    int n = (int)(sizeof(some) / sizeof(*some));

    return some[mix(rank, unit, p->seed) % n];
}

/* --- one call --------------------------------------------------------- */

/* This rank's buffers of two equal calls. */
struct sums {
    struct shape s;
    MPI_Count counts[MAX_RANKS];
    int in_place;
    double *input, *result[2];
};

static double *doubles(int n)
{
    double *some = calloc((size_t)n + 1, sizeof(*some));

    if (some == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return some;
}

static void sums_init(struct sums *x, const struct stage *st,
                      const struct problem *p)
{
    x->s = shape_of(st, p, x->counts);
    x->in_place = p->in_place && x->s.at_root;
    x->input = doubles(x->s.whole);
    for (int u = 0; u < x->s.whole; u++)
        x->input[u] = operand(p, st->ctx->rank, u);
    for (int i = 0; i < 2; i++) {
        x->result[i] = doubles(x->s.whole);
        if (x->in_place)
            memcpy(x->result[i], x->input,
                   sizeof(double) * (size_t)x->s.whole);
    }
}

static void sums_release(struct sums *x)
{
    free(x->input);
    free(x->result[0]);
    free(x->result[1]);
}

static void run(struct stage *st, const struct problem *p, struct sums *x,
                int turn)
{
    struct chorale_call call = {
        .sendbuf = x->in_place ? MPI_IN_PLACE : x->input,
        .recvbuf = x->s.at_root ? x->result[turn] : NULL,
        .recvcount = p->units,
        .recvtype = MPI_DOUBLE,
        .op = MPI_SUM,
        .commutative = 1,
    };

    if (p->alg->coll == CHORALE_REDUCE_SCATTER) {
        call.recvcount = 0;
        call.recvcounts = x->counts;
    }
    problem_run(st, p, &call);
}

/* --- what must hold --------------------------------------------------- */

/* Index of the first of n values that differ in a bit, or -1. */
static int first_difference(const double *a, const double *b, int n)
{
    for (int u = 0; u < n; u++)
        if (memcmp(&a[u], &b[u], sizeof(*a)) != 0)
            return u;
    return -1;
}

/* Check that each sum is near the exact sum of the operands of ranks [0,
 * below), which takes below roundings at most. */
static void check_values(struct stage *st, const struct problem *p,
                         const struct sums *x)
{
    int rank = st->ctx->rank, below = st->ctx->size;

    if (p->alg->coll == CHORALE_SCAN || p->alg->coll == CHORALE_EXSCAN)
        below = rank + (p->alg->coll == CHORALE_SCAN);
    if (!x->s.at_root || below == 0)
        return;
    for (int u = 0; u < x->s.part; u++) {
        long double sum = 0, size = 0;

        for (int r = 0; r < below; r++) {
            double value = operand(p, r, x->s.from + u);

            sum += value;
            size += fabs(value);
        }
        if (!(fabsl(x->result[0][u] - sum) <= below * DBL_EPSILON * size))
            problem_fail(st, p, "far from the sum at unit", u);
    }
}

/* Compare all ranks with rank 0, and remember whether any bits differed. */
static void check_ranks(struct stage *st, const struct problem *p,
                        const struct sums *x)
{
    int n = x->s.part, at, differ;
    double *first = doubles(n);

    memcpy(first, x->result[0], sizeof(*first) * (size_t)n);
    MPI_Bcast(first, n, MPI_DOUBLE, 0, st->ctx->comm);
    at = first_difference(first, x->result[0], n);
    free(first);
    if (at >= 0 && !p->alg->bits_differ)
        problem_fail(st, p, "other bits than rank 0's at unit", at);
    differ = at >= 0;
    MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_MAX, st->ctx->comm);
    st->bits_differed |= differ;
}

void try_bits(struct stage *st, const struct problem *p)
{
    struct chorale_point pt = problem_point(st, p);
    struct sums x;
    int at;

    sums_init(&x, st, p);
    run(st, p, &x, 0);
    if (st->ctx->rank == p->seed % st->ctx->size)
        clock_sleep(LATE);
    run(st, p, &x, 1);
    at = x.s.at_root ? first_difference(x.result[0], x.result[1], x.s.part)
                     : -1;
    if (at >= 0 && chorale_alg_order(p->alg, &pt) != CHORALE_ORDER_TIMING)
        problem_fail(st, p, "the same call again has other bits at unit", at);
    check_values(st, p, &x);
    if (p->alg->coll == CHORALE_ALLREDUCE)
        check_ranks(st, p, &x);
    sums_release(&x);
}

/* --- the calls of one variant ----------------------------------------- */

/* Make one call on each communicator: the roots and in place take turns. */
static long try_next(struct stage *stage, int nstage, const struct space *s,
                     int units, const long *param, int *turn)
{
    int i = (*turn)++, roots = s->level[ROOT];
    struct stage *st = &stage[i % nstage];
    struct problem p = {
        .alg = s->alg,
        .root = s->root[i / nstage % roots],
        .units = units,
        .in_place = i / 3 % 2,
        .kind = &st->fix->kind[BITS],
        .spread = i % s->level[SPREAD],
        .nodes = i % s->level[NODES],
        .seed = i,
    };

    memcpy(p.param, param, sizeof(p.param));
    return try_problem(st, &p);
}

/* A variant with bits_differ must not be selectable, and a call must have shown
 * the difference. */
static void check_excuse(struct stage *stage, int nstage,
                         const struct chorale_alg *alg)
{
    int differed = 0;

    for (int i = 0; i < nstage; i++) {
        differed |= stage[i].bits_differed;
        stage[i].bits_differed = 0;
    }
    if (!alg->bits_differ)
        return;
    if (chorale_alg_unselectable(alg, 1) == NULL)
        stage_fail(&stage[0], "ranks end with different bits, but the variant "
                              "can be selected");
    if (!differed && stage[0].ctx->size == DIFFERING_RANKS)
        stage_fail(&stage[0], "the variant states that bits differ between "
                              "ranks, but no call showed it");
}

long check_bits(struct stage *stage, int nstage, const struct space *s,
                const int *base, int slice, int nslice)
{
    const struct chorale_coll_info *info = chorale_coll_info(s->alg->coll);
    int p = stage[0].ctx->size, turn = 1, k = 0;
    const int units[] = { 1, info->blocks ? 3 : 2 * p + 1, s->units[0] };
    long param[CHORALE_MAX_PARAM] = { 0 }, ran = 0;

    for (int i = 0; i < s->alg->nparam; i++)
        param[i] = s->value[i][base[PARAM + i]];
    for (int i = 0; i < 6; i++)
        ran += try_next(stage, nstage, s, units[i % 3], param, &turn);
    for (int i = 0; i < s->alg->nparam; i++)
        for (int v = 0; v < s->level[PARAM + i]; v++) {
            if (v == base[PARAM + i] || k++ % nslice != slice)
                continue;
            param[i] = s->value[i][v];
            ran += try_next(stage, nstage, s, units[1], param, &turn);
            param[i] = s->value[i][base[PARAM + i]];
        }
    check_excuse(stage, nstage, s->alg);
    return ran;
}
