/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c - is it the algorithm that its name says? A wrong algorithm
 * under the right name passes every check of data; its counters, its scratch
 * and, in simulation, its time give it away. */
#include "algorithms/tree.h"
#include "tests/mpi/fixture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Counters of one call, worked out from the publication. In units of m:
 * bytes and reduced of the busiest rank; -1 where blocks are unequal. */
struct schedule {
    enum chorale_coll coll;
    const char *name;
    double messages, bytes, reduced; /* of the busiest rank */
    double total;                    /* messages of all ranks */
};

static const struct schedule *find(const struct schedule *row, int n,
                                   const struct chorale_alg *alg)
{
    for (int i = 0; i < n; i++)
        if (row[i].coll == alg->coll && strcmp(row[i].name, alg->name) == 0)
            return &row[i];
    return NULL;
}

/* The row of alg at p ranks; 0 if it has none. */
static int look_up(const struct chorale_alg *alg, int p, struct schedule *out)
{
    double l = chorale_ceil_log2(p), o = p - 1, q = chorale_pow2_below(p);
    double f = chorale_ceil_log2((int)q), some = p > 1, fold = p > q;
    const struct schedule row[] = {
        { CHORALE_BCAST, "linear", o, o, 0, o },
        { CHORALE_BCAST, "binomial", l, l, 0, o },
        { CHORALE_BCAST, "scatter_ring_allgather", l + o, -1, 0, o + p * o },
        { CHORALE_REDUCE, "binomial", some, some, l, o },
        { CHORALE_ALLREDUCE, "recursive_doubling", f + fold, f + fold,
          f + fold, q * f + 2 * (p - q) },
        { CHORALE_ALLREDUCE, "reduce_bcast", l, l, l, 2 * o },
        { CHORALE_REDUCE_SCATTER_BLOCK, "ring", o, o, o, p * o },
        { CHORALE_GATHER, "linear", some, some, 0, o },
        { CHORALE_GATHER, "binomial", some, -1, 0, o },
        { CHORALE_SCATTER, "linear", o, o, 0, o },
        { CHORALE_SCATTER, "linear_nb", o, o, 0, o },
        { CHORALE_SCATTER, "binomial", l, o, 0, o },
        { CHORALE_ALLGATHER, "ring", o, o, 0, p * o },
        { CHORALE_ALLGATHER, "gather_bcast", l, l * p, 0, 2 * o },
    };
    const struct schedule *found = find(row, sizeof(row) / sizeof(*row), alg);

    if (found != NULL)
        *out = *found;
    return found != NULL;
}

/* --- one plain call --------------------------------------------------- */

enum { UNITS = 4096 }; /* integers a block: m = 16 KiB */

static void set_params(const struct chorale_alg *alg, long *param)
{
    for (int i = 0; i < alg->nparam; i++)
        param[i] = alg->param[i].def;
}

/* Run alg from root 0 on buffers of its own, contiguous. */
static int call_once(struct chorale_ctx *ctx, const struct chorale_alg *alg,
                     const long *param)
{
    size_t whole = sizeof(int) * UNITS * (size_t)ctx->size;
    int *send = calloc(1, whole), *recv = calloc(1, whole);
    struct chorale_call call = {
        .ctx = ctx,
        .sendbuf = send,
        .recvbuf = recv,
        .sendcount = UNITS,
        .recvcount = UNITS,
        .sendtype = MPI_INT,
        .recvtype = MPI_INT,
        .op = MPI_SUM,
        .commutative = 1,
        .param = param,
    };
    int err = send && recv ? alg->run(&call) : MPI_ERR_NO_MEM;

    free(send);
    free(recv);
    return err;
}

static struct chorale_point point(const struct chorale_alg *alg, int p)
{
    size_t m = UNITS * sizeof(int);
    struct chorale_point pt = {
        .comm_size = p,
        .msg_size = m,
        .n = chorale_coll_n(alg->coll, m, p),
        .type_size = sizeof(int),
        .commutative = 1,
    };

    set_params(alg, pt.param);
    return pt;
}

/* --- counters --------------------------------------------------------- */

static void expect(struct stage *st, const char *what, double is,
                   double wanted)
{
    if (is < wanted || is > wanted)
        stage_fail(st, "%s: %g, expected %g", what, is, wanted);
}

static void check_counters(struct stage *st, const struct chorale_alg *alg)
{
    const struct chorale_stat *stat = st->ctx->stat;
    long long own[4] = { stat->messages, stat->bytes_sent,
                         stat->bytes_reduced, stat->waits };
    long long most[4], total;
    double m = UNITS * sizeof(int);
    struct schedule s;

    MPI_Allreduce(own, most, 4, MPI_LONG_LONG, MPI_MAX, st->ctx->comm);
    MPI_Allreduce(own, &total, 1, MPI_LONG_LONG, MPI_SUM, st->ctx->comm);
    if (!look_up(alg, st->ctx->size, &s))
        return; /* a new variant: its time and data are checked all the same */
    expect(st, "messages of the busiest rank", (double)most[0], s.messages);
    expect(st, "messages in all", (double)total, s.total);
    if (s.bytes >= 0)
        expect(st, "bytes sent by the busiest rank", (double)most[1],
               s.bytes * m);
    expect(st, "bytes reduced by the busiest rank", (double)most[2],
           s.reduced * m);
    if (st->ctx->size > 1 && most[3] == 0)
        stage_fail(st, "waits were not counted");
}

/* The fresh context's scratch is what the variant states, at most; beyond it
 * only what alignment costs. */
static void check_scratch(struct stage *st, const struct chorale_alg *alg,
                          const struct chorale_ctx *fresh)
{
    struct chorale_point pt = point(alg, st->ctx->size);
    long long own = (long long)chorale_ctx_scratch_bytes(fresh), most;
    size_t stated = alg->scratch == NULL ? 0 : alg->scratch(&pt);

    MPI_Allreduce(&own, &most, 1, MPI_LONG_LONG, MPI_MAX, st->ctx->comm);
    if (most > (long long)stated + (alg->scratch == NULL ? 0 : 256))
        stage_fail(st, "%lld bytes of scratch, states %zu", most, stated);
}

/* linear_nb waits once a batch. */
static void check_batches(struct stage *st, const struct chorale_alg *alg)
{
    const long param[CHORALE_MAX_PARAM] = { 3 };
    int others = st->ctx->size - 1;

    if (alg->coll != CHORALE_SCATTER || strcmp(alg->name, "linear_nb") != 0)
        return;
    *st->ctx->stat = (struct chorale_stat){ 0 };
    call_once(st->ctx, alg, param);
    expect(st, "waits with max_reqs=3", (double)st->ctx->stat->waits,
           st->ctx->rank == 0 ? (others + 2) / 3 : 1);
}

/* --- time ------------------------------------------------------------- */

#ifdef CHORALE_SIM
int smpi_nanosleep(const struct timespec *tp, struct timespec *rest);

/* All ranks leave at the same simulated instant, to a nanosecond. */
static void start_together(MPI_Comm comm)
{
    double now = MPI_Wtime(), last, left;
    struct timespec ts;

    MPI_Allreduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    left = last + 0.5 - MPI_Wtime();
    ts.tv_sec = 0;
    ts.tv_nsec = (long)(left * 1e9 + 0.5);
    smpi_nanosleep(&ts, NULL);
}

/* The cost, on the network that it assumes: one port, full duplex, with alpha
 * and beta of the test's platform. Reductions take no simulated time. */
static void check_time(struct stage *st, const struct chorale_alg *alg)
{
    const double beta = 0.8e-9, alpha = 2 * 0.5e-6 + 16 * beta;
    struct chorale_point pt = point(alg, st->ctx->size);
    double a, b, c, start, end, model;

    if (strcmp(alg->name, "linear_nb") == 0)
        return; /* the simulator overlaps its sends */
    chorale_alg_cost_sums(alg, &pt, &a, &b, &c);
    model = a * alpha + b * beta;
    start_together(st->ctx->comm);
    start = MPI_Wtime();
    call_once(st->ctx, alg, pt.param);
    end = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, st->ctx->comm);
    MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MIN,
                  st->ctx->comm);
    if (end - start < model - 3e-9 || end - start > model + 3e-9)
        stage_fail(st, "simulated: %.3f us, its cost: %.3f us",
                   1e6 * (end - start), 1e6 * model);
}
#else
static void check_time(struct stage *st, const struct chorale_alg *alg)
{
    (void)st;
    (void)alg;
}
#endif

void check_schedule(struct stage *st, const struct chorale_alg *alg)
{
    struct chorale_ctx *kept = st->ctx, *fresh;
    struct chorale_stat stat = { 0 };
    long param[CHORALE_MAX_PARAM] = { 0 };

    set_params(alg, param);
    if (chorale_ctx_new(kept->comm, &fresh) != MPI_SUCCESS) {
        stage_fail(st, "no context");
        return;
    }
    fresh->stat = &stat;
    st->ctx = fresh;
    if (call_once(fresh, alg, param) != MPI_SUCCESS)
        stage_fail(st, "the plain call fails");
    check_counters(st, alg);
    check_scratch(st, alg, fresh);
    check_batches(st, alg);
    check_time(st, alg);
    st->ctx = kept;
    chorale_ctx_free(fresh);
}
