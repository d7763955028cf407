/* SPDX-License-Identifier: BSD-3-Clause */
/* count_point.c - untimed calls of each candidate of a point, for counters. */
#include "runners/measure/point.h"

#include <math.h>
#include <stdio.h>

#include "runners/measure/counters.h"

#define NODE_SECONDS 0.02    /* length of a node-wide count, s: these counters
                              * are updated each millisecond or packet */
#define NODE_CALLS 10000     /* at most */

/* Start the counters, make the calls, stop the counters. */
static int take_turn(struct chorale_timing *t, int c, int node_wide, int turn,
                     int calls, struct chorale_stat *own, int *failed)
{
    struct chorale_bench *bench = t->bench;
    const struct chorale_cand *cand = chorale_timing_cand(t, c);
    struct chorale_result *res = &t->result[c];
    int root = chorale_task_root(t->task, bench->size, bench->ppn, 0);
    int bad = MPI_SUCCESS, stopped, rc;

    chorale_provider_begin(bench, t->task, cand);
    chorale_problem_prepare(&t->prob);
    rc = chorale_sync_barrier(bench);
    if (rc == MPI_SUCCESS)
        rc = chorale_counters_start(bench, node_wide, turn);
    bench->ctx->stat = &bench->stat;
    for (int i = 0; i < calls && bad == MPI_SUCCESS; i++)
        bad = chorale_provider_call(bench, &t->prob, cand, root);
    bench->ctx->stat = NULL;
    stopped = chorale_counters_stop(bench, node_wide, turn, own,
                                    res->counter);
    chorale_provider_end(bench, t->task, cand);
    *failed |= bad != MPI_SUCCESS;
    return rc == MPI_SUCCESS ? stopped : rc;
}

/* Number of calls for node-wide counters, the same on all ranks. */
static int calls_of(struct chorale_timing *t, int c, int *calls)
{
    double n = 1;

    if (t->bench->world_rank == 0) {
        n = NODE_SECONDS / chorale_result_median(&t->result[c]);
        n = n >= 1 && n < NODE_CALLS ? ceil(n) : n >= 1 ? NODE_CALLS : 1;
    }
    *calls = (int)n;
    return chorale_p2p_bcast(t->bench, calls, sizeof(*calls), 0);
}

static const char *name_of(const struct chorale_cand *cand)
{
    if (cand->alg >= 0)
        return chorale_algs[cand->alg]->name;
    return cand->provider == CHORALE_PROVIDER_NATIVE ? cand->name
                                                     : "the library";
}

/* Report a failed counted call. The timed repetitions were right and are
 * kept. */
static void say_uncounted(const struct chorale_timing *t, int c)
{
    const struct chorale_cand *cand = chorale_timing_cand(t, c);

    fprintf(stderr, CHORALE_NOTE "%s, %lld bytes: MPI error in the counted "
                    "call of %s; its counters are stored as absent, its "
                    "repetitions are kept\n",
            chorale_coll_info((enum chorale_coll)t->task->coll)->name,
            (long long)t->task->msg_size, name_of(cand));
}

static int count(struct chorale_timing *t, int c)
{
    struct chorale_bench *bench = t->bench;
    struct chorale_result *res = &t->result[c];
    int nevent = chorale_counters_count(bench), calls = 1, rc = MPI_SUCCESS;
    int turns = chorale_counters_turns(bench, 0);
    int node_turns = chorale_counters_turns(bench, 1);
    struct chorale_stat own = { 0 }, rest;
    int bad = 0;

    for (int i = 0; i < nevent; i++)
        res->counter[i] = NAN;
    for (int i = 0; i < turns && rc == MPI_SUCCESS; i++)
        rc = take_turn(t, c, 0, i, 1, i == 0 ? &own : &rest, &bad);
    if (rc == MPI_SUCCESS && node_turns > 0)
        rc = calls_of(t, c, &calls);
    for (int i = 0; i < node_turns && rc == MPI_SUCCESS; i++)
        rc = take_turn(t, c, 1, i, calls, &rest, &bad);
    chorale_counters_scale(bench, calls, res->counter);
    if (rc == MPI_SUCCESS)
        rc = chorale_counters_add(bench, &own, res->counter, &bad);
    for (int i = 0; i < nevent && bad; i++)
        res->counter[i] = NAN;
    res->counted = !bad;
    res->stat = own;
    if (bad && bench->world_rank == 0)
        say_uncounted(t, c);
    return rc;
}

int chorale_event_count(struct chorale_timing *t)
{
    struct chorale_bench *bench = t->bench;
    int nevent = chorale_counters_count(bench), rc = MPI_SUCCESS;

    for (int c = 0; c < t->ncand && rc == MPI_SUCCESS; c++) {
        const struct chorale_cand *cand = chorale_timing_cand(t, c);
        int status = (int)t->result[c].status;

        if (nevent == 0 && cand->provider != CHORALE_PROVIDER_CHORALE)
            continue;
        rc = chorale_p2p_bcast(bench, &status, sizeof(status), 0);
        if (rc != MPI_SUCCESS || status != CHORALE_RUN_OK)
            continue;
        chorale_timing_announce(t, cand->cell_id);
        rc = count(t, c);
    }
    if (rc == MPI_SUCCESS)
        chorale_timing_announce(t, 0);
    return rc;
}
