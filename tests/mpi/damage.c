/* SPDX-License-Identifier: BSD-3-Clause */
/* damage.c - scatter resilient resends damaged packets: a block is sent again
 * up to `retries` times; a block refused more often is an error at its sender
 * and receiver, and at no other rank.
 *
 * The linker redirects the catalogue's PMPI_Recv to __wrap_PMPI_Recv, which
 * damages the first packets that a rank receives. Run on at least three
 * ranks. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/checked.h"
#include "tests/tap.h"

int __real_PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status);
int __wrap_PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status);

enum { MOST = 1000, EVERY = -1, KEPT = -1 };

/* Packets that this rank has still to damage; packets received. */
static int to_spoil, arrived;

/* Flip one bit of payload or checksum, another one each time. */
int __wrap_PMPI_Recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status)
{
    int err = __real_PMPI_Recv(buf, count, type, source, tag, comm, status);
    unsigned char *byte = buf;

    if (err != MPI_SUCCESS || type != MPI_PACKED)
        return err;
    if (to_spoil > 0) {
        byte[arrived * 7 % count] ^= (unsigned char)(1 << arrived % CHAR_BIT);
        to_spoil--;
    }
    arrived++;
    return err;
}

/* One scatter in which the first `times` packets of rank victim arrive damaged;
 * EVERY: those of each rank but the root. */
struct trial {
    int root, victim, times, count;
    long retries;
};

static int value(const struct trial *t, int rank, int i)
{
    return t->times * 100000 + t->count * 100 + rank * 10 + i % 10;
}

static int is_hit(const struct trial *t, int rank)
{
    return rank != t->root && (t->victim == EVERY || t->victim == rank);
}

/* This rank's data: its block or, if refused, the unchanged buffer. */
static int data_right(const struct trial *t, int rank, const int *got,
                      int refused)
{
    for (int i = 0; i < t->count; i++)
        if (got[i] != (refused ? KEPT : value(t, rank, i)))
            return 0;
    return got[t->count] == KEPT;
}

/* Check packets received, packets sent, and the returned error. */
static int numbers_right(const struct trial *t, const struct chorale_ctx *ctx,
                         int err)
{
    int hit = is_hit(t, ctx->rank), at_root = ctx->rank == t->root;
    int refused = t->times > t->retries;
    int hits = t->victim == EVERY ? ctx->size - 1 : 1;
    int again = refused ? (int)t->retries : t->times;
    int packets = at_root ? ctx->size - 1 + hits * again
                          : 1 + (hit ? again : 0);

    return (err != MPI_SUCCESS) == (refused && (hit || at_root)) &&
           ctx->stat->messages == packets &&
           arrived == (at_root ? 0 : packets);
}

static int run_trial(struct chorale_ctx *ctx, const struct trial *t)
{
    const long param[CHORALE_MAX_PARAM] = { t->retries };
    int *all = calloc((size_t)ctx->size * MOST, sizeof(*all));
    int got[MOST + 1], err, right;
    struct chorale_stat stat = { 0 };
    struct chorale_call call = {
        .ctx = ctx,
        .sendbuf = all,
        .recvbuf = got,
        .sendcount = t->count,
        .recvcount = t->count,
        .sendtype = MPI_INT,
        .recvtype = MPI_INT,
        .root = t->root,
        .param = param,
    };

    if (all == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0; r < ctx->size; r++)
        for (int i = 0; i < t->count; i++)
            all[r * t->count + i] = value(t, r, i);
    memset(got, KEPT, sizeof(got));
    to_spoil = is_hit(t, ctx->rank) ? t->times : 0;
    arrived = 0;
    ctx->stat = &stat;
    err = chorale_scatter_resilient.run(&call);
    right = numbers_right(t, ctx, err) &&
            data_right(t, ctx->rank, got,
                       is_hit(t, ctx->rank) && t->times > t->retries);
    ctx->stat = NULL;
    free(all);
    return right;
}

/* A trial, then one without damage: no message of the first may remain. */
static void check(struct chorale_ctx *ctx, struct trial t)
{
    struct trial clean = t;
    int right = run_trial(ctx, &t), all;

    clean.times = 0;
    right &= run_trial(ctx, &clean);
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (ctx->rank == 0)
        tap_ok(all, "root %d, %s: %d packets damaged, %d integers, retries "
               "%ld: %s", t.root, t.victim == EVERY ? "every rank" : "one",
               t.times, t.count, t.retries,
               t.times > t.retries ? "an error at both ends"
                                   : "all blocks arrive");
}

static void check_all(struct chorale_ctx *ctx)
{
    static const int counts[] = { 0, 1, MOST };
    int last = ctx->size - 1;

    for (int c = 0; c < 3; c++)
        for (long retries = 0; retries < 4; retries += 1 + (retries == 1))
            for (int times = 0; times <= retries + 2; times++) {
                struct trial t = {
                    .root = c == 1 ? last : 0,
                    .victim = c == 1 ? 0 : c == 0 ? last : 1,
                    .times = times,
                    .count = counts[c],
                    .retries = retries,
                };

                check(ctx, t);
                t.victim = EVERY;
                check(ctx, t);
            }
}

int main(int argc, char **argv)
{
    struct chorale_ctx *ctx = NULL;
    MPI_Comm comm;
    int failed = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (chorale_ctx_new(comm, &ctx) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    check_all(ctx);
    if (ctx->rank == 0)
        failed = tap_done();
    chorale_ctx_free(ctx);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return failed;
}
