/* SPDX-License-Identifier: BSD-3-Clause */
/* problem.c - describe one call, decide if it may run, run and check it. */
#include "tests/mpi/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void stage_fail(struct stage *st, const char *format, ...)
{
    va_list ap;

    if (st->failed)
        return;
    st->failed = 1;
    va_start(ap, format);
    vsnprintf(st->text, sizeof(st->text), format, ap);
    va_end(ap);
}

void stage_release(struct stage *st)
{
    for (int i = 0; i < NKIND; i++) {
        free(st->known[i].total);
        free(st->known[i].prefix);
        st->known[i] = (struct known){ 0 };
    }
}

/* --- words ------------------------------------------------------------ */

static void describe(const struct stage *st, const struct problem *p,
                     char *text, size_t size)
{
    static const char *const spread[] = { "equal", "ramp", "zeros", "random",
                                          "lone" };
    static const char *const placing[] = { "dense", "holes", "permuted" };
    static const char *const nodes[] = { "twos", "threes", "cyclic",
                                         "irregular" };
    const struct chorale_coll_info *info = chorale_coll_info(p->alg->coll);
    const char *layout = p->kind != NULL ? p->kind->name
                         : p->layouts == MIXED     ? "mixed types"
                         : p->layouts == NOTHING   ? "nothing"
                         : p->layouts == UNLIKE    ? "unlike sizes"
                         : p->layouts == HALF_WIDE ? "half wide"
                             : st->fix->layout[p->layouts].name;
    char params[96];
    int used;

    chorale_alg_params_format(p->alg, p->param, params, sizeof(params));
    used = snprintf(text, size, "%s%s", params, *params ? ", " : "");
    if (!info->dataless)
        used += snprintf(text + used, size - (size_t)used,
                         "root %d, %d units, %s%s", p->root, p->units, layout,
                         p->in_place ? ", in place" : "");
    if (info->irregular)
        used += snprintf(text + used, size - (size_t)used, ", %s %s",
                         spread[p->spread], placing[p->placing]);
    if (chorale_alg_by_node(p->alg))
        snprintf(text + used, size - (size_t)used, ", nodes in %s",
                 nodes[p->nodes]);
}

void problem_fail(struct stage *st, const struct problem *p, const char *what,
                  long number)
{
    char text[240];

    if (st->failed)
        return;
    describe(st, p, text, sizeof(text));
    stage_fail(st, "rank %d of %d: %s: %s: %s %ld", st->ctx->rank,
               st->ctx->size, p->alg->name, text, what, number);
}

void problem_check(struct stage *st, const struct problem *p,
                   const struct buffer *b, const char *which)
{
    char what[64];
    long offset;

    if (st->failed || !buffer_wrong(b, &offset))
        return;
    snprintf(what, sizeof(what), "%s wrong at byte", which);
    problem_fail(st, p, what, offset);
}

/* --- blocks ----------------------------------------------------------- */

/* The number that distinguishes an irregular block from the others. In place,
 * alltoallv has equal blocks in both directions. */
static int block_number(const struct problem *p, int n, int source, int dest)
{
    switch (p->alg->coll) {
    case CHORALE_SCATTERV:
    case CHORALE_REDUCE_SCATTER:
        return dest;
    case CHORALE_ALLTOALLV:
        if (p->spread != RANDOM && p->spread != LONE)
            return (source + dest) % n;
        if (p->in_place && source > dest)
            return dest * n + source;
        return source * n + dest;
    default:
        return source;
    }
}

int block_units(const struct problem *p, int n, int source, int dest)
{
    int i;

    if (!chorale_coll_info(p->alg->coll)->irregular)
        return p->units;
    i = block_number(p, n, source, dest);
    switch (p->spread) {
    case RAMP:
        return n > 1 ? 2 * p->units * i / (n - 1) : p->units;
    case ZEROS:
        return i % 2 == 0 ? 0 : p->units;
    case RANDOM:
        return mix(i, p->seed, 3) % 4 == 0
                   ? 0
                   : mix(i, p->units, 5) % (2 * p->units + 1);
    case LONE:
        return i == n / 2 ? p->units : 0;
    default:
        return p->units;
    }
}

/* --- refusals --------------------------------------------------------- */

static int node_of(const struct problem *p, int rank, int n)
{
    switch (p->nodes) {
    case TWOS:
        return rank / 2;
    case THREES:
        return rank / 3;
    case CYCLIC:
        return rank % 2;
    default:
        return n > 0 ? rank * 7 % 5 : 0;
    }
}

/* Ranks per node, as a refusal sees it: 0 unless there are two nodes and one of
 * them has two ranks. */
static int ppn_of(const struct problem *p, int n)
{
    int most = 0, several = 0;

    for (int i = 0; i < n; i++) {
        int same = 0;

        for (int j = 0; j < n; j++)
            same += node_of(p, i, n) == node_of(p, j, n);
        most = same > most ? same : most;
        several |= same < n;
    }
    return !several || most < 2 ? 0 : most;
}

struct chorale_point problem_point(const struct stage *st,
                                   const struct problem *p)
{
    return problem_point_at(st->fix, st->ctx->size, p);
}

struct chorale_point problem_point_at(const struct fixture *fix, int n,
                                      const struct problem *p)
{
    const struct layout *l =
        &fix->layout[p->kind != NULL         ? p->kind->layout
                     : p->layouts < NMOVE    ? p->layouts
                     : p->layouts == NOTHING ? EMPTY
                                             : PLAIN];
    size_t unit = sizeof(int) * (size_t)l->ints;
    size_t m = unit * (size_t)p->units;
    struct chorale_point pt = {
        .comm_size = n,
        .msg_size = m,
        .n = chorale_coll_n(p->alg->coll, m, n),
        .type_size = unit / (size_t)l->per_unit,
        .commutative = p->kind == NULL || p->kind->commutative,
        .root = p->root,
    };

    if (p->alg->coll == CHORALE_ALLTOALL || p->alg->coll == CHORALE_ALLTOALLV)
        pt.in_place = p->in_place;
    if (chorale_alg_by_node(p->alg))
        pt.ppn = ppn_of(p, n);
    for (int i = 0; i < CHORALE_MAX_PARAM; i++)
        pt.param[i] = p->param[i];
    return pt;
}

/* --- the call --------------------------------------------------------- */

void problem_run(struct stage *st, const struct problem *p,
                 struct chorale_call *call)
{
    int err;

    st->calls++;
    call->ctx = st->ctx;
    call->root = p->root;
    call->param = p->param;
    err = p->alg->run(call);
    if (err != MPI_SUCCESS)
        problem_fail(st, p, "error", err);
    if (chorale_scratch_mark(st->ctx) != 0)
        problem_fail(st, p, "scratch is not released, bytes:",
                     (long)chorale_scratch_mark(st->ctx));
}

static void set_nodes(struct stage *st, const struct problem *p)
{
    int node[MAX_RANKS];

    for (int i = 0; i < st->ctx->size; i++)
        node[i] = node_of(p, i, st->ctx->size);
    if (chorale_ctx_set_nodes(
            st->ctx, chorale_alg_by_node(p->alg) ? node : NULL) !=
        MPI_SUCCESS)
        stage_fail(st, "no memory for nodes");
}

/* Elements without data: costs and scratch must not divide by their size. */
static void state_nothing(struct stage *st, const struct problem *p,
                          const struct chorale_point *pt)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    double a, b, c;

    chorale_term_sums(term, p->alg->cost(pt, term), &a, &b, &c);
    if (!(b >= 0) || !(b < 1e9))
        problem_fail(st, p, "stated bytes of elements without data:", (long)b);
    if (p->alg->scratch != NULL && p->alg->scratch(pt) > 1 << 30)
        problem_fail(st, p, "stated scratch of elements without data:",
                     (long)p->alg->scratch(pt));
    chorale_alg_order(p->alg, pt);
    chorale_alg_overlaps(p->alg, pt);
}

int try_problem(struct stage *st, const struct problem *p)
{
    const struct chorale_coll_info *info = chorale_coll_info(p->alg->coll);
    struct chorale_point pt = problem_point(st, p);
    const char *why = chorale_alg_refuses(p->alg, &pt);

    if (why != NULL) {
        if (*why == '\0')
            problem_fail(st, p, "refuses without a reason", 0);
        return 0;
    }
    if (pt.type_size == 0 && p->alg->cost != NULL)
        state_nothing(st, p, &pt);
    set_nodes(st, p);
    if (st->trace && st->ctx->rank == 0) {
        char text[240];

        describe(st, p, text, sizeof(text));
        printf("# %d ranks: %s %s: %s\n", st->ctx->size, info->name,
               p->alg->name, text);
        fflush(stdout);
    }
    if (info->dataless)
        try_barrier(st, p);
    else if (p->kind == &st->fix->kind[BITS])
        try_bits(st, p);
    else if (info->reduces)
        try_reduce(st, p);
    else
        try_move(st, p);
    return 1;
}
