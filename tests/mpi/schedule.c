/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c - a variant is the algorithm that its name states. A wrong
 * algorithm under the right name passes every check of data.
 *
 * What each rank sends and reduces, counted at the MPI calls (counted.h), must
 * equal the variant's schedule (algorithms/schedule/schedule.h); its scratch
 * must not exceed the stated bytes. In simulation, on the network that costs
 * assume, its time must be the schedule's to a nanosecond. Where messages
 * overlap, the schedule is played with shared ports. */
#include "algorithms/tree.h"
#include "algorithms/schedule/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/clock.h"
#include "tests/mpi/counted.h"
#include "tests/mpi/shared_ports.h"
#include "tests/mpi/factor_levels.h"

/* The simulated network: flat.xml with the options of launch.sh. */
#define BETA 0.8e-9
#define ALPHA (2 * 0.5e-6 + SHARED_HEADER * BETA)
#define TAU 0.5e-9

/* With the address sanitizer scratch has red zones. */
#ifdef __SANITIZE_ADDRESS__
enum { ELEMENT = 8, SLACK = 65536 };
#else
enum { ELEMENT = 8, SLACK = 1024 };
#endif

/* --- one plain call --------------------------------------------------- */

#ifdef CHORALE_SIM
#include <smpi/smpi.h>

/* A sum that takes TAU seconds per byte. */
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

/* Bytes of its largest buffer: a vector, or the blocks of all ranks. Irregular
 * blocks may be longer than the mean. */
static size_t plain_bytes(const struct chorale_alg *alg,
                          const struct chorale_point *pt)
{
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    size_t blocks = info->blocks ? (size_t)pt->comm_size : 1;

    return pt->msg_size * blocks * (info->irregular ? 2 : 1) + ELEMENT;
}

/* Prepare the call that the schedule describes. */
static void plain_init(struct plain *c, const struct chorale_alg *alg,
                       const struct chorale_point *pt, struct chorale_ctx *ctx)
{
    MPI_Count m = (MPI_Count)(pt->msg_size / ELEMENT);
    size_t bytes = plain_bytes(alg, pt);

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

static void fail_text(struct stage *st, const struct chorale_alg *alg,
                      const struct chorale_point *pt, const char *what)
{
    char params[96];

    chorale_alg_params_format(alg, pt->param, params, sizeof(params));
    stage_fail(st, "P=%d rank %d, %zu bytes%s, root %d, ppn %d %s: %s",
               pt->comm_size, st->ctx->rank, pt->msg_size,
               pt->in_place ? " in place" : "", pt->root, pt->ppn, params,
               what);
}

static void fail(struct stage *st, const struct chorale_alg *alg,
                 const struct chorale_point *pt, const char *what, double is,
                 double wanted)
{
    char text[128];

    snprintf(text, sizeof(text), "%s: %.10g, expected %.10g", what, is,
             wanted);
    fail_text(st, alg, pt, text);
}

/* --- the schedule ----------------------------------------------------- */

/* The schedule's prediction of a call. */
struct expected {
    int is_there;
    double seconds;
    struct chorale_stat stat[MAX_RANKS];
};

/* Rank 0 computes the schedule and broadcasts the prediction. A missing
 * schedule is a failure unless the library does a part of the collective. */
static void predict(struct stage *st, const struct chorale_alg *alg,
                     const struct chorale_point *pt, struct expected *f)
{
    struct chorale_schedule_sum sum;
    const char *why = NULL;

    memset(f, 0, sizeof(*f));
    if (st->ctx->rank == 0) {
        if (chorale_schedule_walk(alg, pt, &sum, &why) == 0)
            f->is_there = chorale_schedule_stat(alg, pt, f->stat) == 0;
        if (why != NULL && strcmp(why, CHORALE_SCHEDULE_LIBRARY) != 0)
            fail_text(st, alg, pt, why);
        else if (why == NULL && !f->is_there)
            fail_text(st, alg, pt, "a schedule without counts");
        f->seconds = sum.seconds;
        if (f->is_there && chorale_alg_overlaps(alg, pt))
            f->seconds = shared_seconds(alg, pt);
    }
    MPI_Bcast(f, (int)sizeof(*f), MPI_BYTE, 0, st->ctx->comm);
}

/* --- counters and scratch --------------------------------------------- */

/* Compare is, counters or a schedule, with the calls that entered MPI. */
static void compare_stat(struct stage *st, const struct chorale_alg *alg,
                         const struct chorale_point *pt,
                         const struct chorale_stat *is,
                         const struct chorale_stat *entered, const char *who)
{
    const char *name[3] = { "messages", "bytes sent", "bytes reduced" };
    const long long a[3] = { entered->messages, entered->bytes_sent,
                             entered->bytes_reduced };
    const long long b[3] = { is->messages, is->bytes_sent,
                             is->bytes_reduced };

    for (int i = 0; i < 3; i++) {
        char what[64];

        if (a[i] == b[i])
            continue;
        snprintf(what, sizeof(what), "%s, by %s", name[i], who);
        fail(st, alg, pt, what, (double)a[i], (double)b[i]);
    }
}

static void check_scratch(struct stage *st, const struct chorale_alg *alg,
                          const struct chorale_point *pt)
{
    size_t is = chorale_ctx_scratch_peak(st->ctx);
    size_t stated = alg->scratch == NULL ? 0 : alg->scratch(pt);

    if (is > stated + (alg->scratch == NULL ? 0 : SLACK))
        fail(st, alg, pt, "bytes of scratch", (double)is, (double)stated);
}

/* From the third call on, no memory is allocated: the first call finds the
 * scratch size, the second allocates it in one piece. */
static void check_kept(struct stage *st, const struct chorale_alg *alg,
                       const struct chorale_point *pt,
                       struct chorale_call *call)
{
    size_t before;
    int err = alg->run(call);

    before = chorale_ctx_scratch_made(st->ctx);
    if (err == MPI_SUCCESS)
        err = alg->run(call);
    if (err != MPI_SUCCESS)
        fail(st, alg, pt, "error when called again", err, MPI_SUCCESS);
    if (chorale_ctx_scratch_made(st->ctx) != before)
        fail(st, alg, pt, "allocations in a third call",
             (double)(chorale_ctx_scratch_made(st->ctx) - before), 0);
}

/* --- time ------------------------------------------------------------- */

#ifdef CHORALE_SIM
/* Seconds. The fluid model ends messages that share a port at the same time.
 * Each may therefore be late by the headers of some others. */
#define HEADERS (4 * SHARED_HEADER * BETA)

/* Share of the time. If two messages complete at nearly the same time, either
 * may delay what follows. Most differences are within HEADERS; the largest seen
 * was 1.2 % (reduce_scatter_block ring_bidir at P = 15). */
#define NEAR_TIES 0.05

enum { AT_LEAST = 1, AT_MOST = 2, EXACTLY = AT_LEAST | AT_MOST };

/* is [s] must equal want, or be at least or at most want, within slack [s]. */
static void compare(struct stage *st, const struct chorale_alg *alg,
                    const struct chorale_point *pt, const char *what,
                    double is, double want, int how, double slack)
{
    slack += 1e-9 + 1e-9 * want;
    if (((how & AT_LEAST) && !(is >= want - slack)) ||
        ((how & AT_MOST) && !(is <= want + slack)))
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

/* Seconds that the busiest port is in use, whatever its messages wait for. No
 * message leaves its sender's port sooner than after one latency and the bytes
 * and headers of all messages through that port. */
static double port_seconds(const struct chorale_point *pt,
                           const struct expected *f)
{
    double most = 0;

    for (int r = 0; r < pt->comm_size; r++) {
        double bytes = (double)(f->stat[r].bytes_sent +
                                SHARED_HEADER * f->stat[r].messages);

        if (f->stat[r].messages > 0)
            most = fmax(most, pt->alpha + (bytes - SHARED_HEADER) * pt->beta);
    }
    return most;
}

/* Compare with the schedule, played on the simulated network, and with the
 * lower bound from ports. Only the bound applies if a rank continues with
 * whichever message completes first, which a schedule cannot express. */
static void check_schedule_time(struct stage *st,
                                const struct chorale_alg *alg,
                                const struct chorale_point *pt,
                                const struct expected *f, double end, int any)
{
    double slack = chorale_alg_overlaps(alg, pt)
                       ? HEADERS + NEAR_TIES * f->seconds
                       : 0;

    compare(st, alg, pt, "simulated us, by its ports at least", end,
            port_seconds(pt, f), AT_LEAST, 0);
    if (!any)
        compare(st, alg, pt, "simulated us, by its schedule", end,
                f->seconds, EXACTLY, slack);
}

/* Compare with the schedule and with the stated cost. Where messages of a rank
 * overlap, the stated cost adds them up and is an upper bound. Parts that the
 * library does cannot be predicted. */
static void check_time(struct stage *st, const struct chorale_alg *alg,
                       const struct chorale_point *pt,
                       const struct expected *f, double end)
{
    int overlaps = chorale_alg_overlaps(alg, pt), any = counted_any();
    int bound = overlaps || !chorale_alg_exact(alg, pt);

    MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, st->ctx->comm);
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, st->ctx->comm);
    if (st->ctx->rank != 0 || !f->is_there)
        return;
    check_schedule_time(st, alg, pt, f, end, any);
    compare(st, alg, pt,
            bound ? "simulated us, stated at most" : "simulated us, stated",
            end, stated_time(alg, pt), bound ? AT_MOST : EXACTLY,
            overlaps ? HEADERS : 0);
}
#else
static void check_time(struct stage *st, const struct chorale_alg *alg,
                       const struct chorale_point *pt,
                       const struct expected *f, double end)
{
    (void)st;
    (void)alg;
    (void)pt;
    (void)f;
    (void)end;
}
#endif

/* --- the points ------------------------------------------------------- */

/* Make the call and compare its counts. */
static void run_counted(struct stage *st, const struct chorale_alg *alg,
                        const struct chorale_point *pt)
{
    struct chorale_stat stat = { 0 }, entered;
    struct expected told;
    struct plain c;
    double started;
    int err;

    st->ctx->stat = &stat;
    plain_init(&c, alg, pt, st->ctx);
    clock_start_together(st->ctx->comm);
    counted_start();
    started = clock_now();
    err = alg->run(&c.call);
    started = clock_now() - started;
    entered = counted_now();
    if (err != MPI_SUCCESS)
        fail(st, alg, pt, "error", err, MPI_SUCCESS);
    predict(st, alg, pt, &told);
    check_time(st, alg, pt, &told, started);
    compare_stat(st, alg, pt, &stat, &entered, "its counters");
    if (told.is_there) {
        const struct chorale_stat *own = &told.stat[st->ctx->rank];

        compare_stat(st, alg, pt, own, &entered, "its schedule");
        if (stat.rounds != own->rounds)
            fail(st, alg, pt, "rounds", (double)stat.rounds,
                 (double)own->rounds);
    }
    check_scratch(st, alg, pt);
    check_kept(st, alg, pt, &c.call);
    plain_release(&c);
}

/* Returns 1 if the variant runs at the point. */
static int check_point(struct stage *st, const struct chorale_alg *alg,
                       const struct chorale_point *pt)
{
    struct chorale_ctx *kept = st->ctx, *own;
    int node[MAX_RANKS];

    if (chorale_alg_refuses(alg, pt) != NULL)
        return 0;
    if (chorale_ctx_new(kept->comm, &own) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    st->ctx = own;
    for (int i = 0; i < pt->comm_size; i++)
        node[i] = pt->ppn > 0 ? i / pt->ppn : 0;
    if (pt->ppn > 0 && chorale_ctx_set_nodes(own, node) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    run_counted(st, alg, pt);
    chorale_ctx_free(own);
    st->ctx = kept;
    return 1;
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
        .ppn = chorale_alg_by_node(alg) ? 2 : 0,
        .alpha = ALPHA,
        .beta = BETA,
        /* 0: the library's own operations take no simulated time */
        .tau = chorale_coll_info(alg->coll)->reduces ? TAU : 0,
    };

    for (int i = 0; i < alg->nparam; i++)
        pt.param[i] = alg->param[i].def;
    return pt;
}

/* Every nslice-th size with default parameters, with the first and the last
 * root, and in place if the variant may then send other messages. */
static long check_sizes(struct stage *st, const struct chorale_alg *alg,
                        int full, int slice, int nslice)
{
    static const size_t sizes[] = { 0, 8, 1000, 8192, 65536 };
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    int p = st->ctx->size;
    int each = alg->coll == CHORALE_ALLTOALL || alg->coll == CHORALE_ALLTOALLV;
    int nsize = info->dataless ? 1 : info->blocks && !full ? 4 : 5;
    long ran = 0;

    for (int i = slice % nslice; i < nsize; i += nslice)
        for (int r = 0; r < (info->rooted && p > 1 ? 2 : 1); r++)
            for (int in_place = 0; in_place <= each; in_place++) {
                struct chorale_point pt = point(alg, p, sizes[i]);

                pt.root = r * (p - 1);
                pt.in_place = in_place;
                ran += check_point(st, alg, &pt);
            }
    return ran;
}

/* Slices of the sizes, out of nslice: at most three, so that each number of
 * ranks tries some sizes. In simulation messages and time are counted. There it
 * is one slice at the numbers of ranks where formulas are checked at all sizes:
 * small ones, powers of two and their neighbours. */
static int size_slices(int p, int nslice)
{
#ifdef CHORALE_SIM
    if (p <= 4 || p == 7 || p == 17 ||
        chorale_pow2_below(p) == p)
        return 1;
#else
    (void)p;
#endif
    return nslice < 3 ? nslice : 3;
}

long check_schedule(struct stage *st, const struct chorale_alg *alg, int full,
                    int slice, int nslice)
{
    int p = st->ctx->size, k = slice;
    struct chorale_point pt = point(alg, p, 1000);
    long ran = check_sizes(st, alg, full, slice, size_slices(p, nslice));
    struct space s;

    if (ran == 0) /* it may run with the other sizes */
        ran = check_sizes(st, alg, full, 0, 1);
    if (ran == 0 && chorale_alg_refuses(alg, &pt) == NULL)
        fail_text(st, alg, &pt, "the variant runs, but no call was checked");
    if (ran == 0) /* the defaults refuse all sizes: try all parameter values */
        nslice = 1;
    space_init(&s, alg, p, 1, 1, full);
    for (int i = 0; i < alg->nparam; i++)
        for (int v = 1; v < s.level[PARAM + i]; v++) {
            pt = point(alg, p, 1000);
            pt.root = chorale_coll_info(alg->coll)->rooted ? p / 2 : 0;
            pt.ppn = pt.ppn > 0 ? 3 : 0;
            pt.param[i] = s.value[i][v];
            if (k++ % nslice == 0)
                ran += check_point(st, alg, &pt);
        }
    return ran;
}
