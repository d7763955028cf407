/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c - measure one point: verify every candidate, time them interleaved,
 * verify them again, count their events. */
#include "runners/measure/judge_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/quantiles.h"

void chorale_result_fail(struct chorale_result *res,
                         enum chorale_status status, const char *reason)
{
    res->status = status;
    snprintf(res->reason, sizeof(res->reason), "%s", reason);
}

int chorale_timing_turns(const struct chorale_task *task)
{
    return task->root_policy == CHORALE_ROOT_ROTATE ? 3 : 1;
}

void chorale_timing_announce(const struct chorale_timing *t, int64_t cell_id)
{
    if (t->bench->world_rank == 0) {
        printf("@try %lld\n", (long long)cell_id);
        fflush(stdout);
    }
}

double chorale_result_median(const struct chorale_result *res)
{
    struct chorale_summary s;
    double *x = malloc((size_t)res->nsample * sizeof(*x));

    if (x == NULL)
        return NAN;
    for (int i = 0; i < res->nsample; i++)
        x[i] = res->sample[i].seconds;
    chorale_summarise(x, (size_t)res->nsample, &s);
    free(x);
    return s.median;
}

/* Rank 0: a median below the physical lower bound is invalid in simulation,
 * where time is exact, and suspicious on a real machine. */
static void judge(struct chorale_timing *t)
{
    for (int c = 0; c < t->ncand; c++) {
        struct chorale_result *res = &t->result[c];
        double median;

        if (res->status != CHORALE_RUN_OK || res->nsample == 0)
            continue;
        median = chorale_result_median(res);
        if (!(res->separated && !(median > 0)) &&
            (chorale_timing_own_clock(t) ||
             !chorale_median_below_floor(t->bench, t->task, median,
                                         res->separated, res->separator)))
            continue;
#ifdef CHORALE_SIM
        chorale_result_fail(res, CHORALE_RUN_INVALID, "");
        snprintf(res->reason, sizeof(res->reason),
                 "below the physical floor: %.3g s, and the data alone take "
                 "%.3g s", median, chorale_floor(t->bench, t->task));
#else
        res->suspicious = 1;
#endif
    }
}

/* After the repetitions: verify again, judge, count. */
static int look_again(struct chorale_timing *t)
{
    int rc = chorale_verify_again(t);

    if (rc == MPI_SUCCESS && t->bench->world_rank == 0)
        judge(t);
    return rc == MPI_SUCCESS ? chorale_event_count(t) : rc;
}

static int any_active(const struct chorale_timing *t)
{
    for (int c = 0; c < t->ncand; c++)
        if (t->active[c])
            return 1;
    return 0;
}

static int measure(struct chorale_timing *t)
{
    int rc = chorale_cands_admit(t);

    if (rc == MPI_SUCCESS && any_active(t)) {
        rc = chorale_timing_run(t);
        if (rc == MPI_SUCCESS)
            rc = look_again(t);
    }
    return rc;
}

/* 1 if back-to-back calls cannot meet the conditions of the point. */
static int contradicts(const struct chorale_task *task)
{
    return task->metric == CHORALE_METRIC_THROUGHPUT &&
           (task->arrival != CHORALE_ARRIVAL_SYNC ||
            task->buffers == CHORALE_BUFFERS_COLD);
}

/* Mark all candidates as inapplicable. */
static void fail_all(struct chorale_timing *t, const char *reason)
{
    for (int c = 0; c < t->ncand; c++)
        chorale_result_fail(&t->result[c], CHORALE_RUN_INAPPLICABLE, reason);
}

int chorale_point_measure(struct chorale_bench *bench,
                          const struct chorale_task *task,
                          struct chorale_result *result)
{
    struct chorale_timing t = { .bench = bench, .task = task,
                                .result = result, .ncand = task->ncand };
    double need = chorale_problem_memory(bench, task);
    int npapi = chorale_counters_count(bench), rc, lacks = 0;
    char why[160];

    t.prob.op = MPI_OP_NULL;
    for (int c = 0; c < task->ncand; c++) {
        memset(&result[c], 0, sizeof(result[c]));
        result[c].batch = 1;
        if (npapi > 0)
            result[c].counter = calloc((size_t)npapi, sizeof(double));
        lacks |= npapi > 0 && result[c].counter == NULL;
    }
    if (need > bench->work.set.max_memory) {
        snprintf(why, sizeof(why), CHORALE_NO_MEMORY, need,
                 bench->work.set.max_memory);
        fail_all(&t, why);
        return MPI_SUCCESS;
    }
    if (contradicts(task)) {
        fail_all(&t, "throughput: only the first of back-to-back calls would "
                     "meet late ranks or cold caches");
        return MPI_SUCCESS;
    }
    lacks |= chorale_timing_init(&t) != 0;
    rc = chorale_p2p_max(bench, &lacks);
    if (rc == MPI_SUCCESS && !lacks)
        rc = chorale_problem_init(bench, task, &t.prob, why, sizeof(why));
    else
        snprintf(why, sizeof(why),
                 "memory: the samples could not be allocated");
    if (rc == MPI_SUCCESS && why[0] != '\0')
        fail_all(&t, why);
    else if (rc == MPI_SUCCESS)
        rc = measure(&t);
    chorale_problem_free(bench, &t.prob);
    chorale_timing_release(&t);
    return rc;
}

void chorale_result_free(struct chorale_result *result)
{
    free(result->sample);
    free(result->aside);
    free(result->counter);
    result->sample = result->aside = NULL;
    result->counter = NULL;
}
