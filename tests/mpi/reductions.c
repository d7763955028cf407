/* SPDX-License-Identifier: BSD-3-Clause */
/* reductions.c - reduce to exscan: x0 op x1 op ... in rank order, computed
 * locally from the operands of all ranks. */
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/problem.h"

/* Operands shift with the call's seed, so that results left over from an
 * earlier call are wrong. */
enum { SHIFTS = 5, INTS = 4 };

static int first_unit(const struct problem *p)
{
    return p->seed % SHIFTS * 3;
}

/* --- expected results ------------------------------------------------- */

/* Compute unit u over the ranks below this one and over all ranks. */
static void work_out(struct known *k, const struct kind *kind, int ints,
                     int u)
{
    int left[INTS] = { 0 }, right[INTS] = { 0 };

    for (int r = 0; r < k->size; r++) {
        if (r == k->rank)
            memcpy(k->prefix + u * INTS, left, sizeof(left));
        for (int i = 0; i < ints; i++)
            (r ? right : left)[i] = kind->value(r, u, i);
        if (r > 0)
            kind->combine(left, right);
    }
    memcpy(k->total + u * INTS, left, sizeof(left));
}

static const struct known *know(struct stage *st, const struct kind *kind,
                                int units)
{
    struct known *k = &st->known[kind - st->fix->kind];
    size_t bytes = sizeof(int) * INTS * (size_t)units;

    k->rank = st->ctx->rank;
    k->size = st->ctx->size;
    if (units <= k->units)
        return k;
    k->total = realloc(k->total, bytes);
    k->prefix = realloc(k->prefix, bytes);
    if (k->total == NULL || k->prefix == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int u = k->units; u < units; u++)
        work_out(k, kind, st->fix->layout[kind->layout].ints, u);
    k->units = units;
    return k;
}

/* --- the operand and the result --------------------------------------- */

struct shape shape_of(const struct stage *st, const struct problem *p,
                      MPI_Count *counts)
{
    int n = st->ctx->size, rank = st->ctx->rank;
    int scatters = p->alg->coll == CHORALE_REDUCE_SCATTER_BLOCK ||
                   p->alg->coll == CHORALE_REDUCE_SCATTER;
    struct shape s = { p->units, 0, p->units, 1 };

    if (p->alg->coll == CHORALE_REDUCE)
        s.at_root = rank == p->root;
    if (!scatters)
        return s;
    s.whole = 0;
    for (int i = 0; i < n; i++) {
        int units = block_units(p, n, i, i);

        if (i == rank) {
            s.from = s.whole;
            s.part = units;
        }
        counts[i] = units; /* reductions have one element a unit */
        s.whole += units;
    }
    return s;
}

static void fill_operand(const struct stage *st, const struct problem *p,
                         struct buffer *b, int units)
{
    int first = first_unit(p);

    for (int u = 0; u < units; u++)
        for (int i = 0; i < b->layout->ints; i++)
            buffer_set(b, u, i,
                       p->kind->value(st->ctx->rank, first + u, i),
                       IS | WANT);
}

static void fill_result(struct stage *st, const struct problem *p,
                        struct buffer *b, const struct shape *s)
{
    int first = first_unit(p) + s->from, rank = st->ctx->rank;
    int own[INTS], value[INTS];
    const struct known *k = know(st, p->kind, first + s->part);

    if (p->alg->coll == CHORALE_EXSCAN && rank == 0)
        return; /* unchanged by the call */
    for (int u = 0; u < s->part; u++) {
        int scans = p->alg->coll == CHORALE_SCAN && rank > 0;
        const int *from = (scans || p->alg->coll == CHORALE_EXSCAN
                               ? k->prefix
                               : k->total) +
                          (first + u) * INTS;

        memcpy(value, from, sizeof(value));
        for (int i = 0; i < b->layout->ints; i++)
            own[i] = p->kind->value(rank, first + u, i);
        if (scans)
            p->kind->combine(value, own);
        else if (p->alg->coll == CHORALE_SCAN)
            memcpy(value, own, sizeof(int) * (size_t)b->layout->ints);
        for (int i = 0; i < b->layout->ints; i++)
            buffer_set(b, u, i, value[i], WANT);
    }
}

/* --- the call --------------------------------------------------------- */

void try_reduce(struct stage *st, const struct problem *p)
{
    const struct layout *layout = &st->fix->layout[p->kind->layout];
    MPI_Count counts[MAX_RANKS];
    struct shape s = shape_of(st, p, counts);
    int in_place = p->in_place && s.at_root;
    struct chorale_call call = {
        .recvcount = p->units,
        .recvtype = layout->type,
        .op = p->kind->op,
        .commutative = p->kind->commutative,
    };
    struct buffer send = { 0 }, recv = { 0 };

    if (p->alg->coll == CHORALE_REDUCE_SCATTER) {
        call.recvcount = 0;
        call.recvcounts = counts;
    }
    if (!in_place) {
        buffer_init(&send, layout, s.whole, st->ctx->rank, 0);
        fill_operand(st, p, &send, s.whole);
    }
    if (s.at_root) {
        buffer_init(&recv, layout, in_place ? s.whole : s.part,
                    st->ctx->rank, 1);
        if (in_place)
            fill_operand(st, p, &recv, s.whole);
        fill_result(st, p, &recv, &s);
    }
    call.sendbuf = in_place ? MPI_IN_PLACE : send.base;
    call.recvbuf = recv.base;
    problem_run(st, p, &call);
    if (in_place)
        buffer_excuse(&recv, s.part, s.whole);
    problem_check(st, p, &send, "send buffer");
    problem_check(st, p, &recv, "receive buffer");
    buffer_release(&send);
    buffer_release(&recv);
}
