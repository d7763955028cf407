/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c - is it the algorithm that its name says? A wrong algorithm
 * under the right name passes every check of data. What each rank sends and
 * reduces must be what the variant's schedule (algorithms/schedule.h) says of
 * that rank, its scratch within what it states; in simulation, on the network
 * that costs assume, its time must be the schedule's to a nanosecond. */
#include "algorithms/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/mpi/clock.h"
#include "tests/mpi/space.h"

/* The network of the simulation: flat.xml with the options of variants.t. */
#define BETA 0.8e-9
#define ALPHA (2 * 0.5e-6 + 16 * BETA)
#define TAU 0.5e-9

enum { ELEMENT = 8, SLACK = 1024 };

/* --- one plain call --------------------------------------------------- */

#ifdef CHORALE_SIM
#include <smpi/smpi.h>

/* A sum that takes TAU seconds a byte. */
static void slow_sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
    smpi_execute_flops((double)*len * ELEMENT * TAU * 1e9); /* at 1 Gf */
    MPI_Reduce_local(in, inout, *len, *type, MPI_SUM);
}

static void make_sum(MPI_Op *op)
{
    MPI_Op_create(slow_sum, 1, op);
}

static void free_sum(MPI_Op *op)
{
    MPI_Op_free(op);
}
#else
static void make_sum(MPI_Op *op)
{
    *op = MPI_SUM;
}

static void free_sum(MPI_Op *op)
{
    *op = MPI_OP_NULL;
}
#endif

/* Buffers of doubles, and the blocks of an irregular collective. */
struct plain {
    char *mem[2];
    MPI_Count count[MAX_RANKS];
    MPI_Aint displ[MAX_RANKS];
    MPI_Op op;
    struct chorale_call call;
};

static int irregular_blocks(struct plain *c, const struct chorale_point *pt,
                            enum chorale_coll coll, int rank)
{
    int p = pt->comm_size, total = 0;

    for (int i = 0; i < p; i++) {
        int block = coll == CHORALE_ALLTOALLV ? (rank + i) % p : i;

        c->count[i] = (MPI_Count)(chorale_ramp(pt->msg_size, ELEMENT, p,
                                               block) / ELEMENT);
        c->displ[i] = total;
        total += (int)c->count[i];
    }
    return total;
}

/* The call that the schedule is of. */
static void plain_init(struct plain *c, const struct chorale_alg *alg,
                       const struct chorale_point *pt, struct chorale_ctx *ctx)
{
    MPI_Count m = (MPI_Count)(pt->msg_size / ELEMENT);
    size_t bytes = pt->msg_size * (size_t)(2 * pt->comm_size) + ELEMENT;

    make_sum(&c->op);
    for (int i = 0; i < 2; i++)
        c->mem[i] = calloc(1, bytes);
    if (c->mem[0] == NULL || c->mem[1] == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    c->call = (struct chorale_call){
        .ctx = ctx,
        .sendbuf = pt->in_place ? MPI_IN_PLACE : c->mem[0],
        .recvbuf = c->mem[1],
        .sendcount = m,
        .recvcount = m,
        .sendtype = MPI_DOUBLE,
        .recvtype = MPI_DOUBLE,
        .op = c->op,
        .commutative = 1,
        .root = pt->root,
        .param = pt->param,
    };
    if (!chorale_coll_info(alg->coll)->irregular)
        return;
    irregular_blocks(c, pt, alg->coll, ctx->rank);
    c->call.sendcount = c->call.recvcount = c->count[ctx->rank];
    c->call.sendcounts = c->call.recvcounts = c->count;
    c->call.sdispls = c->call.rdispls = c->displ;
}

static void plain_release(struct plain *c)
{
    free_sum(&c->op);
    free(c->mem[0]);
    free(c->mem[1]);
}

/* --- failures --------------------------------------------------------- */

static void fail(struct stage *st, const struct chorale_alg *alg,
                 const struct chorale_point *pt, const char *what, double is,
                 double wanted)
{
    char params[96];

    chorale_alg_params_format(alg, pt->param, params, sizeof(params));
    stage_fail(st, "P=%d rank %d, %zu bytes, root %d, ppn %d %s: %s: %.10g, "
                   "expected %.10g",
               pt->comm_size, st->ctx->rank, pt->msg_size, pt->root, pt->ppn,
               params, what, is, wanted);
}

/* --- counters and scratch --------------------------------------------- */

static void check_counters(struct stage *st, const struct chorale_alg *alg,
                           const struct chorale_point *pt,
                           const struct chorale_stat *is)
{
    struct chorale_stat want[MAX_RANKS];
    const struct chorale_stat *own = &want[st->ctx->rank];

    if (chorale_schedule_stat(alg, pt, want) != 0)
        return;
    if (is->messages != own->messages)
        fail(st, alg, pt, "messages", (double)is->messages,
             (double)own->messages);
    if (is->bytes_sent != own->bytes_sent)
        fail(st, alg, pt, "bytes sent", (double)is->bytes_sent,
             (double)own->bytes_sent);
    if (is->rounds != own->rounds)
        fail(st, alg, pt, "rounds", (double)is->rounds, (double)own->rounds);
    if (is->bytes_reduced != own->bytes_reduced)
        fail(st, alg, pt, "bytes reduced", (double)is->bytes_reduced,
             (double)own->bytes_reduced);
}

static void check_scratch(struct stage *st, const struct chorale_alg *alg,
                          const struct chorale_point *pt)
{
    size_t is = chorale_ctx_scratch_peak(st->ctx);
    size_t stated = alg->scratch == NULL ? 0 : alg->scratch(pt);

    if (is > stated + (alg->scratch == NULL ? 0 : SLACK))
        fail(st, alg, pt, "bytes of scratch", (double)is, (double)stated);
}

/* --- time ------------------------------------------------------------- */

#ifdef CHORALE_SIM
/* is [s] must be want, or with bound at most want. Messages that share a port
 * all come at its end, none by the first half of the time: each may be late by
 * the headers of some others. */
static void compare(struct stage *st, const struct chorale_alg *alg,
                    const struct chorale_point *pt, const char *what,
                    double is, double want, int bound)
{
    double slack = 1e-9 + 1e-9 * want +
                   (chorale_alg_overlaps(alg, pt) ? 64 * BETA : 0);

    if ((!bound && is < want - slack) || is > want + slack)
        fail(st, alg, pt, what, 1e6 * is, 1e6 * want);
}

static double stated_time(const struct chorale_alg *alg,
                          const struct chorale_point *pt)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    double a, b, c;

    chorale_term_sums(term, alg->cost(pt, term), &a, &b, &c);
    return a * pt->alpha + b * pt->beta + c * pt->tau;
}

/* Against the schedule, if there is one, and against what is stated. Of a
 * part that the library does nothing is known. */
static void check_time(struct stage *st, const struct chorale_alg *alg,
                       const struct chorale_point *pt, double started)
{
    struct chorale_schedule_sum sum;
    int bound;
    double end = clock_now() - started;

    MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, st->ctx->comm);
    if (st->ctx->rank != 0)
        return;
    if (!alg->opaque && chorale_schedule_walk(alg, pt, &sum, NULL) != 0)
        return;
    if (!alg->opaque && !chorale_alg_overlaps(alg, pt))
        compare(st, alg, pt, "simulated us, by its schedule", end,
                sum.seconds, 0);
    bound = chorale_alg_overlaps(alg, pt) || !chorale_alg_exact(alg, pt);
    compare(st, alg, pt,
            bound ? "simulated us, stated at most" : "simulated us, stated",
            end, stated_time(alg, pt), bound);
}
#else
static void check_time(struct stage *st, const struct chorale_alg *alg,
                       const struct chorale_point *pt, double started)
{
    (void)st;
    (void)alg;
    (void)pt;
    (void)started;
}
#endif

/* --- the points ------------------------------------------------------- */

static void check_point(struct stage *st, const struct chorale_alg *alg,
                        const struct chorale_point *pt)
{
    struct chorale_ctx *kept = st->ctx;
    struct chorale_stat stat = { 0 };
    struct plain c;
    int node[MAX_RANKS], err;
    double started;

    if (chorale_alg_refuses(alg, pt) != NULL ||
        chorale_ctx_new(kept->comm, &st->ctx) != MPI_SUCCESS)
        return;
    for (int i = 0; i < pt->comm_size; i++)
        node[i] = pt->ppn > 0 ? i / pt->ppn : 0;
    if (pt->ppn > 0)
        chorale_ctx_set_nodes(st->ctx, node);
    st->ctx->stat = &stat;
    plain_init(&c, alg, pt, st->ctx);
    clock_start_together(kept->comm);
    started = clock_now();
    err = alg->run(&c.call);
    if (err != MPI_SUCCESS)
        fail(st, alg, pt, "error", err, MPI_SUCCESS);
    check_time(st, alg, pt, started);
    check_counters(st, alg, pt, &stat);
    check_scratch(st, alg, pt);
    plain_release(&c);
    chorale_ctx_free(st->ctx);
    st->ctx = kept;
}

static struct chorale_point point(const struct chorale_alg *alg, int p,
                                  size_t m)
{
    struct chorale_point pt = {
        .comm_size = p,
        .msg_size = chorale_coll_info(alg->coll)->dataless ? 0 : m,
        .n = chorale_coll_n(alg->coll, m, p),
        .type_size = ELEMENT,
        .commutative = 1,
        .ppn = alg->needs & CHORALE_NEEDS_NODES ? 2 : 0,
        .alpha = ALPHA,
        .beta = BETA,
        /* where the library's own operations join bytes, it takes no time */
        .tau = chorale_coll_info(alg->coll)->reduces ? TAU : 0,
    };

    for (int i = 0; i < alg->nparam; i++)
        pt.param[i] = alg->param[i].def;
    return pt;
}

/* Sizes with the first and the last root, then other parameters; of these
 * points every nslice-th one. */
void check_schedule(struct stage *st, const struct chorale_alg *alg, int full,
                    int slice, int nslice)
{
    static const size_t sizes[] = { 0, 8, 1000, 8192, 65536 };
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    int p = st->ctx->size, k = slice;
    int nsize = info->dataless ? 1 : info->blocks && !full ? 4 : 5;
    struct chorale_point pt;
    struct space s;

    for (int i = 0; i < nsize; i++)
        for (int r = 0; r < (info->rooted && p > 1 ? 2 : 1); r++) {
            pt = point(alg, p, sizes[i]);
            pt.root = r * (p - 1);
            if (k++ % nslice == 0)
                check_point(st, alg, &pt);
        }
    space_init(&s, alg, p, 1, 1, full);
    for (int i = 0; i < alg->nparam; i++)
        for (int v = 1; v < s.level[PARAM + i]; v++) {
            pt = point(alg, p, 1000);
            pt.root = info->rooted ? p / 2 : 0;
            pt.ppn = pt.ppn > 0 ? 3 : 0;
            pt.param[i] = s.value[i][v];
            if (k++ % nslice == 0)
                check_point(st, alg, &pt);
        }
}
