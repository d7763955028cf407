/* SPDX-License-Identifier: BSD-3-Clause */
/* concurrent_calls.c - variants that run next to each other do not mix their
 * messages: back to back, on two communicators in turn, and at the same time on
 * two disjoint communicators. Meanwhile the application has a receive for any
 * message open on the communicator from which the others were made. */
#include "tests/mpi/problem.h"

enum { LETTER = 4711, PASSES = 2 };

/* A small problem of alg; adjacent problems differ. */
static struct problem small_problem(const struct stage *st,
                                    const struct chorale_alg *alg, int turn)
{
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    struct problem p = {
        .alg = alg,
        .root = info->rooted ? turn % st->ctx->size : 0,
        .units = info->dataless ? 0 : 1 + turn * 5 % 13,
        .layouts = turn % NTYPE,
        .in_place = turn % 2 && alg->coll != CHORALE_BCAST,
        .spread = turn % NSPREAD,
        .placing = turn % NPLACE,
        .nodes = turn % NNODES,
        .seed = turn,
    };

    if (info->reduces) {
        p.layouts = 0;
        p.kind = &st->fix->kind[alg->needs & CHORALE_NEEDS_COMMUTE ? LOW_SUM
                                                                  : PRODUCT];
    }
    for (int i = 0; i < alg->nparam; i++)
        p.param[i] = alg->param[i].def;
    return p;
}

/* Open a communicator of the even ranks, and one of the odd ranks. */
static int open_half(struct stage *half, const struct stage *world)
{
    MPI_Comm comm;

    MPI_Comm_split(world->ctx->comm, world->ctx->rank % 2, world->ctx->rank,
                   &comm);
    *half = (struct stage){ .fix = world->fix, .trace = world->trace };
    return chorale_ctx_new(comm, &half->ctx);
}

static void close_half(struct stage *half, struct stage *world)
{
    MPI_Comm comm = half->ctx->comm;

    if (half->failed)
        stage_fail(world, "%s", half->text);
    world->calls += half->calls;
    stage_release(half);
    chorale_ctx_free(half->ctx);
    MPI_Comm_free(&comm);
}

/* Variant for this turn: each half and each pass take another order. */
static const struct chorale_alg *
pick(const struct chorale_alg *const *alg, int n, int turn, int pass)
{
    return alg[(turn * (pass == 0 ? 1 : n - 1) + pass) % n];
}

static void run_all(struct stage *world, struct stage *reversed,
                    struct stage *half, const struct chorale_alg *const *alg)
{
    int n = 0, odd = world->ctx->rank % 2;

    while (alg[n] != NULL)
        n++;
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < n; i++) {
            int turn = pass * n + i;
            struct stage *st = turn % 2 ? reversed : world;
            struct problem p =
                small_problem(st, pick(alg, n, i, pass), turn);

            try_problem(st, &p);
            if (chorale_coll_info(p.alg->coll)->dataless)
                continue; /* barrier tests sleep, so run them once */
            p = small_problem(half, pick(alg, n, i + odd * (n / 2), !pass),
                              turn + odd);
            if (!chorale_coll_info(p.alg->coll)->dataless)
                try_problem(half, &p);
        }
}

void check_together(struct stage *world, struct stage *reversed,
                    const struct chorale_alg *const *alg)
{
    struct stage half;
    MPI_Request any;
    MPI_Status status;
    int letter = 0, sent = LETTER, rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (alg[0] == NULL || open_half(&half, world) != MPI_SUCCESS)
        return;
    MPI_Irecv(&letter, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
              MPI_COMM_WORLD, &any);
    run_all(world, reversed, &half, alg);
    MPI_Send(&sent, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&any, &status);
    if (letter != LETTER || status.MPI_SOURCE != rank)
        stage_fail(world, "rank %d: a message of a collective, from rank %d, "
                          "reached the application", rank, status.MPI_SOURCE);
    close_half(&half, world);
}
