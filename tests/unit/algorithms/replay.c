/* SPDX-License-Identifier: BSD-3-Clause */
/* replay.c - the simulator of schedules gives the results computed by hand, and
 * detects broken schedules. */
#include "algorithms/schedule/schedule.h"
#include "tests/tap.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double alpha = 2e-6, beta = 1e-9, tau = 5e-10;

static struct chorale_point point(int p, size_t m)
{
    struct chorale_point pt = {
        .comm_size = p, .msg_size = m, .n = m, .type_size = 8,
        .commutative = 1, .alpha = alpha, .beta = beta, .tau = tau,
    };

    return pt;
}

static int send(const struct chorale_call *c, int count, int dest)
{
    return chorale_send(c->ctx, c->recvbuf, count, MPI_DOUBLE, dest);
}

static int recv(const struct chorale_call *c, int count, int source)
{
    return chorale_recv(c->ctx, c->recvbuf, count, MPI_DOUBLE, source);
}

/* 0 -> 1 -> 2; rank 1 reduces the data before it forwards 10 elements. */
static int run_relay(const struct chorale_call *c)
{
    switch (c->ctx->rank) {
    case 0:
        return send(c, 100, 1);
    case 1:
        recv(c, 100, 0);
        chorale_reduce_local(c->ctx, c->sendbuf, c->recvbuf, 100, MPI_DOUBLE,
                             MPI_SUM);
        return send(c, 10, 2);
    default:
        return recv(c, 10, 1);
    }
}

/* Each rank sends to the next and receives from the previous: one round. */
static int run_shift(const struct chorale_call *c)
{
    int p = c->ctx->size, r = c->ctx->rank;

    return chorale_sendrecv(c->ctx, c->sendbuf, 100, MPI_DOUBLE, (r + 1) % p,
                            c->recvbuf, 100, MPI_DOUBLE, (r + p - 1) % p);
}

/* Rank 0 starts two sends. */
static int run_two(const struct chorale_call *c)
{
    MPI_Request req[2];

    if (c->ctx->rank > 0)
        return recv(c, 100, 0);
    for (int i = 0; i < 2; i++)
        chorale_isend(c->ctx, c->sendbuf, 100, MPI_DOUBLE, i + 1, &req[i]);
    return chorale_waitall(c->ctx, 2, req);
}

static int run_deadlock(const struct chorale_call *c)
{
    int other = 1 - c->ctx->rank;

    return recv(c, 1, other) == MPI_SUCCESS ? send(c, 1, other) : MPI_ERR_OTHER;
}

static int run_truncated(const struct chorale_call *c)
{
    return c->ctx->rank == 0 ? send(c, 2, 1) : recv(c, 1, 0);
}

static int run_lost(const struct chorale_call *c)
{
    return c->ctx->rank == 0 ? send(c, 2, 1) : MPI_SUCCESS;
}

static int run_unfinished(const struct chorale_call *c)
{
    MPI_Request req;

    return c->ctx->rank > 0 ? MPI_SUCCESS
                            : chorale_isend(c->ctx, c->sendbuf, 1, MPI_DOUBLE,
                                            1, &req);
}

static int run_failing(const struct chorale_call *c)
{
    return c->ctx->rank == 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* A view of the odd ranks of four, reversed: 3 -> 1. */
static int run_view(const struct chorale_call *c)
{
    size_t mark = chorale_scratch_mark(c->ctx);
    int *map = chorale_scratch(c->ctx, 2 * sizeof(*map));
    struct chorale_call part = *c;
    struct chorale_ctx view;
    int err = MPI_SUCCESS;

    map[0] = 3;
    map[1] = 1;
    chorale_ctx_view(c->ctx, &view, c->ctx->rank == 3   ? 0
                                    : c->ctx->rank == 1 ? 1
                                                        : -1,
                     2, map);
    part.ctx = &view;
    if (view.rank == 0)
        err = send(&part, 100, 1);
    if (view.rank == 1)
        err = recv(&part, 100, 0);
    chorale_scratch_release(c->ctx, mark);
    return err;
}

static int same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}

static int walk(int (*run)(const struct chorale_call *), int p,
                struct chorale_schedule_sum *sum, const char **why)
{
    struct chorale_alg alg = { .coll = CHORALE_BCAST, .run = run };
    struct chorale_point pt = point(p, 800);

    return chorale_schedule_walk(&alg, &pt, sum, why);
}

static void test_paths(void)
{
    struct chorale_schedule_sum sum;
    struct chorale_stat stat[4];
    struct chorale_alg view = { .coll = CHORALE_BCAST, .run = run_view };
    struct chorale_point pt = point(4, 800);
    const char *why;

    tap_ok(walk(run_relay, 3, &sum, &why) == 0 &&
               same(sum.seconds, 2 * alpha + 880 * beta + 800 * tau),
           "a relay takes the sum of its parts");
    tap_ok(same(sum.messages, 2) && same(sum.bytes, 880) &&
               same(sum.reduced, 800),
           "the critical path of a relay has two messages and one reduction");
    tap_ok(sum.total_messages == 2 && sum.total_bytes == 880 &&
               sum.most_bytes == 800 && sum.most_reduced == 800,
           "totals and the busiest rank of a relay are right");
    tap_ok(walk(run_shift, 7, &sum, &why) == 0 &&
               same(sum.seconds, alpha + 800 * beta) && !sum.overlaps,
           "a cyclic shift takes one round: ports are full duplex");
    tap_ok(walk(run_two, 3, &sum, &why) == 0 && sum.overlaps &&
               same(sum.seconds, 2 * alpha + 1600 * beta),
           "two sends at once queue at the port, and overlaps is set");
    tap_ok(walk(run_view, 4, &sum, &why) == 0 && sum.total_messages == 1,
           "a view's messages go between its members");
    tap_ok(chorale_schedule_stat(&view, &pt, stat) == 0 &&
               stat[3].messages == 1 && stat[1].messages == 0 &&
               stat[1].rounds == 1 && stat[0].rounds == 0,
           "and are counted at those ranks");
}

static void test_broken(void)
{
    struct chorale_schedule_sum sum;
    const char *match = "its messages do not match, or there is no memory";
    const char *why;

    tap_ok(walk(run_deadlock, 2, &sum, &why) != 0 && strcmp(why, match) == 0,
           "a deadlock is detected");
    tap_ok(walk(run_truncated, 2, &sum, &why) != 0 && strcmp(why, match) == 0,
           "a truncated message is detected");
    tap_ok(walk(run_lost, 2, &sum, &why) != 0 && strcmp(why, match) == 0,
           "a send without a receive is detected");
    tap_ok(walk(run_unfinished, 2, &sum, &why) != 0 &&
               strcmp(why, match) == 0,
           "a send without a wait is detected");
    tap_ok(walk(run_failing, 2, &sum, &why) != 0 && strcmp(why, match) != 0,
           "a variant's own error has another reason");
}

static void test_ramp(void)
{
    size_t sum = 0, before = 0;
    int rises = 1;

    for (int i = 0; i < 13; i++) {
        size_t bytes = chorale_ramp(1000, 8, 13, i);

        rises &= bytes >= before && bytes % 8 == 0;
        before = bytes;
        sum += bytes;
    }
    tap_ok(rises && chorale_ramp(1000, 8, 13, 0) == 0 &&
               chorale_ramp(1000, 8, 13, 12) == 2000,
           "irregular blocks rise from 0 to twice the mean");
    tap_ok(sum <= 13 * 1000 && sum + 13 * 8 >= 13 * 1000,
           "their mean is the nominal block, within one element");
    tap_ok(chorale_ramp(1000, 8, 1, 0) == 1000, "one rank has one block");
}

/* The mean block of a call equals the block with which it was measured. */
static void test_mean(void)
{
    static const size_t unit[] = { 1, 8, 16 };
    int wrong = 0, short_sums = 0;

    for (int p = 2; p <= 33; p++)
        for (size_t m = 1; m < 60; m++)
            for (int u = 0; u < 3; u++) {
                size_t sum = 0;

                for (int i = 0; i < p; i++)
                    sum += chorale_ramp(m * unit[u], unit[u], p, i);
                short_sums += sum < m * unit[u] * (size_t)p;
                wrong += chorale_coll_mean(sum, unit[u], p) != m * unit[u];
            }
    tap_ok(short_sums > 100 && wrong == 0,
           "rising blocks have the nominal mean");
    tap_ok(chorale_coll_mean(0, 8, 3) == 0 &&
               chorale_coll_mean(SIZE_MAX, 1, 2) == SIZE_MAX / 2 + 1,
           "the mean of 0 bytes is 0, and large sums do not overflow");
}

int main(void)
{
    test_paths();
    test_broken();
    test_ramp();
    test_mean();
    return tap_done();
}
