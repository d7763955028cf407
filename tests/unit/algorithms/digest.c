/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.c - schedules have equal digests if and only if all ranks send the
 * same messages and do the same work in the same order: pairs of variants of
 * the catalogue, and small variants of this file that differ in one call. */
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"
#include "algorithms/schedule/digest.h"
#include "tests/tap.h"

static struct chorale_point point(int p, size_t m)
{
    return (struct chorale_point){ .comm_size = p, .msg_size = m, .n = m,
                                   .type_size = 1, .commutative = 1 };
}

/* 1: equal digests, 0: different ones, -1: one has no digest. A different part
 * with equal wholes is a defect. */
static int compare(const struct chorale_alg *a, const struct chorale_point *pa,
                   const struct chorale_alg *b, const struct chorale_point *pb,
                   const char *policy)
{
    struct chorale_digest d[2], part[2];
    int equal;

    if (chorale_schedule_digest(a, pa, policy, CHORALE_DIGEST_WHOLE,
                                &d[0]) != 0 ||
        chorale_schedule_digest(b, pb, policy, CHORALE_DIGEST_WHOLE,
                                &d[1]) != 0 ||
        chorale_schedule_digest(a, pa, policy, CHORALE_DIGEST_PART,
                                &part[0]) != 0 ||
        chorale_schedule_digest(b, pb, policy, CHORALE_DIGEST_PART,
                                &part[1]) != 0)
        return -1;
    equal = memcmp(&d[0], &d[1], sizeof(d[0])) == 0;
    if (equal && memcmp(&part[0], &part[1], sizeof(part[0])) != 0)
        return -2;
    return equal;
}

/* --- the catalogue --------------------------------------------------------- */

static const struct {
    int p;
    size_t m;
    enum chorale_coll coll;
    const char *policy, *name[2], *param[2];
    int equal;
} pairs[] = {
    { 2, 1024, CHORALE_BCAST, "rotate", { "binomial", "binary" },
      { "", "segsize=8192" }, 1 },
    { 2, 1024, CHORALE_BCAST, "rotate", { "binomial", "pipeline" },
      { "", "segsize=1024" }, 1 },
    { 2, 1024, CHORALE_BCAST, "rotate", { "binomial", "knomial" },
      { "", "radix=8" }, 1 },
    { 2, 65536, CHORALE_BCAST, "rotate", { "binary", "pipeline" },
      { "segsize=8192", "segsize=8192" }, 1 },
    { 2, 65536, CHORALE_BCAST, "rotate", { "binomial", "pipeline" },
      { "", "segsize=8192" }, 0 },
    { 2, 65536, CHORALE_BCAST, "rotate", { "pipeline", "pipeline" },
      { "segsize=4096", "segsize=8192" }, 0 },
    { 5, 1024, CHORALE_BCAST, "rotate", { "binomial", "binary" },
      { "", "segsize=8192" }, 0 },
    { 5, 1024, CHORALE_BCAST, "rotate", { "binary", "pipeline" },
      { "segsize=8192", "segsize=8192" }, 0 },
    { 5, 1024, CHORALE_BCAST, "rotate", { "knomial", "knomial" },
      { "radix=5", "radix=16" }, 1 },
    { 2, 1024, CHORALE_REDUCE, "rotate", { "binomial", "binary" },
      { "", "segsize=8192" }, 1 },
    { 4, 1024, CHORALE_BCAST, "last", { "binomial", "linear" }, { "", "" },
      0 },
    /* These have no digest. */
    { 2, 1 << 30, CHORALE_BCAST, "rotate", { "pipeline", "pipeline" },
      { "segsize=1024", "segsize=1024" }, -1 },
    { 5, 1024, CHORALE_BCAST, "rotate", { "two_level", "binomial" },
      { "", "" }, -1 },
};

static void test_catalogue(void)
{
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        const struct chorale_alg *alg[2];
        struct chorale_point pt[2];
        char why[160] = "";
        int bad = 0, got = -3;

        for (int k = 0; k < 2; k++) {
            alg[k] = chorale_alg_find(pairs[i].coll, pairs[i].name[k]);
            pt[k] = point(pairs[i].p, pairs[i].m);
            bad |= alg[k] == NULL ||
                   chorale_alg_params_parse(alg[k], pairs[i].param[k],
                                            pt[k].param, why,
                                            sizeof(why)) != 0;
        }
        if (!bad)
            got = compare(alg[0], &pt[0], alg[1], &pt[1], pairs[i].policy);
        if (!tap_ok(got == pairs[i].equal,
                    "%s P=%d m=%zu: %s %s and %s %s %s",
                    chorale_coll_info(pairs[i].coll)->name, pairs[i].p,
                    pairs[i].m, pairs[i].name[0], pairs[i].param[0],
                    pairs[i].name[1], pairs[i].param[1],
                    pairs[i].equal > 0    ? "are equal"
                    : pairs[i].equal == 0 ? "differ"
                                          : "are not compared"))
            tap_diag("got %d %s", got, why);
    }
}

/* --- single calls ---------------------------------------------------------- */

/* Rank 0 of three sends two messages to rank 1 and one to rank 2. step is the
 * call that differs. */
enum step {
    PLAIN, WAITS_BACKWARDS, WAITS_APART, COPIES, COPIES_LATER, COPIES_NOTHING,
    COPIES_IN_PARTS, REDUCES, REDUCES_NOTHING, MATCHED, WAITS_ANY, LONGER,
    OTHER_ORDER, NSTEP
};

static int sender(struct chorale_ctx *ctx, char *buf, enum step step)
{
    const int first = step == OTHER_ORDER ? 2 : 1;
    const MPI_Count bytes = step == LONGER ? 9 : 8;
    MPI_Request req[3];
    int k;

    if (step == COPIES)
        chorale_memmove(ctx, buf, buf + 64, 8);
    if (step == COPIES_NOTHING)
        chorale_memmove(ctx, buf, buf + 64, 0);
    if (step == COPIES_IN_PARTS) {
        chorale_memmove(ctx, buf, buf + 64, 4);
        chorale_memmove(ctx, buf + 4, buf + 68, 4);
    }
    if (step == REDUCES || step == REDUCES_NOTHING)
        chorale_reduce_local(ctx, buf, buf + 64, step == REDUCES ? 8 : 0,
                             MPI_BYTE, MPI_BOR);
    chorale_isend(ctx, buf, bytes, MPI_BYTE, first, &req[0]);
    if (step == COPIES_LATER)
        chorale_memmove(ctx, buf, buf + 64, 8);
    if (step == MATCHED)
        chorale_issend(ctx, buf, 8, MPI_BYTE, 1, &req[1]);
    else
        chorale_isend(ctx, buf, 8, MPI_BYTE, 1, &req[1]);
    if (step == WAITS_APART)
        chorale_wait(ctx, &req[0]);
    chorale_isend(ctx, buf, 8, MPI_BYTE, 3 - first, &req[2]);
    if (step == WAITS_ANY)
        chorale_waitany(ctx, 3, req, &k);
    for (int i = 0; i < 3; i++)
        chorale_wait(ctx, &req[step == WAITS_BACKWARDS ? 2 - i : i]);
    return MPI_SUCCESS;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    enum step step = (enum step)call->param[0];
    MPI_Count first = step == LONGER && ctx->rank == 1 ? 9 : 8;
    int err;

    if (ctx->rank == 0)
        return sender(ctx, call->recvbuf, step);
    err = chorale_recv(ctx, call->recvbuf, first, MPI_BYTE, 0);
    return err == MPI_SUCCESS && ctx->rank == 1
               ? chorale_recv(ctx, call->recvbuf, 8, MPI_BYTE, 0) : err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    term[0] = (struct chorale_term){ .messages = 3,
                                     .bytes = (double)pt->msg_size };
    return 1;
}

static void test_calls(void)
{
    static const struct chorale_alg alg = {
        .coll = CHORALE_BARRIER, .name = "steps", .nparam = 1,
        .param = { { .name = "step", .max = NSTEP } },
        .run = run, .cost = cost,
    };
    static const struct {
        enum step a, b;
        int equal;
        const char *what;
    } cases[] = {
        { PLAIN, PLAIN, 1, "a schedule equals itself" },
        { PLAIN, WAITS_BACKWARDS, 1, "the order of waits does not matter" },
        { PLAIN, WAITS_APART, 0, "a wait between two sends matters" },
        { PLAIN, COPIES, 0, "copied bytes matter" },
        { COPIES, COPIES_LATER, 0, "the moment of a copy matters" },
        { COPIES, COPIES_IN_PARTS, 1, "adjacent copies are one" },
        { PLAIN, COPIES_NOTHING, 1, "copies of no bytes do not matter" },
        { PLAIN, REDUCES, 0, "reductions matter" },
        { COPIES, REDUCES, 0, "a copy is not a reduction" },
        { PLAIN, REDUCES_NOTHING, 1, "reductions of no bytes do not matter" },
        { PLAIN, MATCHED, 0, "a synchronous send matters" },
        { PLAIN, WAITS_ANY, 0, "a wait for any message matters" },
        { PLAIN, LONGER, 0, "the size of a message matters" },
        { PLAIN, OTHER_ORDER, 0, "the order of receivers matters" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct chorale_point a = point(3, 8), b = point(3, 8);

        a.param[0] = cases[i].a;
        b.param[0] = cases[i].b;
        tap_ok(compare(&alg, &a, &alg, &b, "none") == cases[i].equal, "%s",
               cases[i].what);
    }
}

int main(void)
{
    test_catalogue();
    test_calls();
    return tap_done();
}
