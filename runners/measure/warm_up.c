/* SPDX-License-Identifier: BSD-3-Clause */
/* warm_up.c - decide which candidates of a point may be timed: they must be
 * applicable, fit into memory, and give the right result from every root that
 * will be timed. */
#include "runners/measure/point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BARRIER_DELAY 1e-3   /* delay of the late rank, s */
#define BARRIER_CROWDED 20e-3 /* the same when oversubscribed: the others need
                               * time to get their turn on a processor */
#define BARRIER_SPENT 0.1    /* most delay in all calls of a pass, s */
#define BARRIER_CALLS 64     /* most calls of a pass, one late rank in each */
#define BARRIER_LOOKS 50     /* looks for a message during the delay */
#define LEFT (CHORALE_TAG + 1) /* tag of the message of a rank that left */

static int is_barrier(const struct chorale_timing *t)
{
    return chorale_coll_info((enum chorale_coll)t->task->coll)->dataless;
}

/* A barrier is wrong if the first rank leaves before the last one enters. */
static int left_early(struct chorale_bench *bench, double in, double out,
                      int *early)
{
    double all[2] = { in, -out };
    int rc;

    if (bench->sibling != 0)
        all[0] = all[1] = -INFINITY; /* another communicator's barrier */
    rc = chorale_p2p_allreduce(bench, all, 2, 0);

    *early = -all[1] + 2 * bench->clock.residual + 1e-9 < all[0];
    return rc;
}

/* Explain an MPI error. A forced algorithm that does not fit the arguments
 * returns one. MPICH gives the reason in the last line:
 * "MPIR_Bcast_impl(345)..: ". */
static int explain(const struct chorale_cand *cand, int err, char *why,
                   size_t size)
{
    char text[MPI_MAX_ERROR_STRING] = "", *last, *colon;
    int len;

    PMPI_Error_string(err, text, &len);
    if (cand->provider != CHORALE_PROVIDER_NATIVE) {
        snprintf(why, size, "MPI error: %.140s", text);
        return CHORALE_RUN_FAILED;
    }
    len = (int)strlen(text);
    while (len > 0 && text[len - 1] == '\n')
        text[--len] = '\0';
    last = strrchr(text, '\n');
    last = last != NULL ? last + 1 : text;
    colon = strchr(last, ')');
    if (colon != NULL)
        colon += 1 + strspn(colon + 1, ".");
    if (colon != NULL && strncmp(colon, ": ", 2) == 0)
        last = colon + 2;
    snprintf(why, size, "the library: %.140s", last);
    return CHORALE_RUN_INAPPLICABLE;
}

/* Number of barrier calls with a different late rank each: all ranks, or of
 * many the next few, so that further passes and candidates cover others. */
static int late_ranks(const struct chorale_timing *t)
{
    return t->bench->size < BARRIER_CALLS ? t->bench->size : BARRIER_CALLS;
}

/* Delay of the late rank, s. */
static double late_by(const struct chorale_timing *t)
{
    return t->bench->oversubscribed
               ? fmax(BARRIER_DELAY, fmin(BARRIER_CROWDED,
                                          BARRIER_SPENT / late_ranks(t)))
               : BARRIER_DELAY;
}

/* Wait, and look whether another rank has sent that it left. */
static int wait_for_leaver(const struct chorale_timing *t, int *left)
{
    struct chorale_bench *bench = t->bench;
    double until = chorale_now_common(bench) + late_by(t), next;
    int rc;

    do {
        next = chorale_now_common(bench) + late_by(t) / BARRIER_LOOKS;
        chorale_wait_common(bench, fmin(next, until));
        rc = PMPI_Iprobe(MPI_ANY_SOURCE, LEFT, bench->ctx->comm, left,
                         MPI_STATUS_IGNORE);
    } while (rc == MPI_SUCCESS && !*left && next < until);
    return rc;
}

/* Call a barrier once more without comparing clocks: those of different nodes
 * may be wrong by more than their residual. Each rank that leaves sends a
 * message to the late one. The barrier is wrong if one arrives before that rank
 * enters. *early is set on the late rank only. */
static int prove_early(struct chorale_timing *t, const struct chorale_cand *cand,
                       int root, int late, int *early)
{
    struct chorale_bench *bench = t->bench;
    int rc = chorale_sync_barrier(bench);

    *early = 0;
    if (rc != MPI_SUCCESS)
        return rc;
    chorale_provider_begin(bench, t->task, cand);
    if (bench->rank == late)
        rc = wait_for_leaver(t, early);
    chorale_provider_call(bench, &t->prob, cand, root);
    chorale_provider_end(bench, t->task, cand);
    if (bench->rank != late)
        return PMPI_Send(NULL, 0, MPI_BYTE, late, LEFT, bench->ctx->comm);
    for (int i = 1; i < bench->size && rc == MPI_SUCCESS; i++)
        rc = PMPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, LEFT,
                       bench->ctx->comm, MPI_STATUS_IGNORE);
    return rc;
}

/* Call once with a fresh pattern from one root, and check the result. Returns
 * an MPI error code of the runner's own traffic; *status and why are this
 * rank's. */
static int call_once(struct chorale_timing *t, int c, int root, int round,
                     double *seconds, int *status, char *why, size_t size)
{
    struct chorale_bench *bench = t->bench;
    const struct chorale_cand *cand = chorale_timing_cand(t, c);
    double in, out;
    int early = 0, err, rc;

    *status = CHORALE_RUN_OK;
    chorale_verify_fill(bench, &t->prob, root, round);
    rc = chorale_sync_barrier(bench);
    if (rc != MPI_SUCCESS)
        return rc;
    chorale_provider_begin(bench, t->task, cand);
    if (is_barrier(t) && bench->rank == round % bench->size)
        chorale_wait_common(bench, chorale_now_common(bench) + late_by(t));
    chorale_provider_watch(bench, t->task, cand);
    in = chorale_now_common(bench);
    err = chorale_provider_call(bench, &t->prob, cand, root);
    out = chorale_now_common(bench);
    chorale_provider_unwatch(bench, cand);
    chorale_provider_end(bench, t->task, cand);
    *seconds = out - in;
    if (is_barrier(t))
        rc = left_early(bench, in, out, &early);
    if (rc == MPI_SUCCESS && early && !bench->clock.shared)
        rc = prove_early(t, cand, root, round % bench->size, &early);
    if (err != MPI_SUCCESS) {
        *status = explain(cand, err, why, size);
    } else if (early) {
        *status = CHORALE_RUN_INVALID;
        snprintf(why, size, "a rank left before the last one came");
    } else if (chorale_verify_check(bench, &t->prob, root, round, why,
                                    size) != 0) {
        *status = CHORALE_RUN_INVALID;
    }
    return rc;
}

/* Verify one root, with the same verdict on all ranks. */
static int verify_root(struct chorale_timing *t, int c, int turn, int round,
                       struct chorale_result *res)
{
    struct chorale_bench *bench = t->bench;
    int status = CHORALE_RUN_OK, rc;
    double all[3] = { 0, -1, 0 };
    char why[160] = "";

    rc = call_once(t, c, chorale_task_root(t->task, bench->size, bench->ppn,
                                           turn),
                   round, &all[2], &status, why, sizeof(why));
    /* Status; a rank with a reason, found by the maximum; seconds. */
    all[0] = status;
    if (status != CHORALE_RUN_OK)
        all[1] = bench->world_rank;
    if (bench->sibling != 0)
        all[2] = 0;
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_allreduce(bench, all, 3, 0);
    if (rc == MPI_SUCCESS && turn == 0)
        res->first_call = all[2];
    if (rc == MPI_SUCCESS && all[1] >= 0) {
        rc = chorale_p2p_bcast(bench, why, sizeof(why), (int)all[1]);
        for (char *p = why; *p != '\0'; p++)
            if (*p == '\n')
                *p = ' ';
        chorale_result_fail(res, (enum chorale_status)(int)all[0], why);
    }
    return rc;
}

/* Verify all roots that will be timed; of a barrier each rank is late once. No
 * pattern is used twice. */
static int verify(struct chorale_timing *t, int c, int pass,
                  struct chorale_result *res)
{
    int turns = is_barrier(t) ? late_ranks(t)
                              : chorale_timing_turns(t->task);
    int first = (pass * t->ncand + c) * turns, rc = MPI_SUCCESS;

    chorale_timing_announce(t, chorale_timing_cand(t, c)->cell_id);
    for (int turn = 0; turn < turns && rc == MPI_SUCCESS &&
                       res->status == CHORALE_RUN_OK;
         turn++)
        rc = verify_root(t, c, turn, first + turn + 1, res);
    return rc;
}

/* Verify, and confirm what was called. A forced algorithm is tried once more if
 * that fails, as the library's first call may make communicators. */
static int verify_and_confirm(struct chorale_timing *t, int c,
                              struct chorale_result *res, const char **no)
{
    const struct chorale_cand *cand = chorale_timing_cand(t, c);
    int tries = cand->provider == CHORALE_PROVIDER_NATIVE ? 2 : 1;
    int rc = MPI_SUCCESS;

    for (int i = 0; i < tries && rc == MPI_SUCCESS; i++) {
        rc = verify(t, c, 2 * i, res);
        if (rc != MPI_SUCCESS || res->status != CHORALE_RUN_OK)
            break;
        rc = chorale_provider_confirm(t->bench, &t->prob, cand, no,
                                      res->reason, sizeof(res->reason));
        if (*no == NULL)
            break;
    }
    return rc;
}

int chorale_cands_admit(struct chorale_timing *t)
{
    double most = t->bench->work.set.max_memory;
    double buffers = chorale_problem_memory(t->bench, t->task);
    int rc = MPI_SUCCESS;

    for (int c = 0; c < t->ncand && rc == MPI_SUCCESS; c++) {
        const struct chorale_cand *cand = chorale_timing_cand(t, c);
        struct chorale_result *res = &t->result[c];
        const char *no = NULL;
        double need = buffers;

        rc = chorale_provider_admit(t->bench, &t->prob, cand, &no);
        if (rc != MPI_SUCCESS)
            break;
        if (no == NULL) /* scratch is defined for applicable points only */
            need += chorale_problem_scratch(t->bench, t->task, cand);
        if (no != NULL) {
            chorale_result_fail(res, CHORALE_RUN_INAPPLICABLE, no);
        } else if (need > most) {
            chorale_result_fail(res, CHORALE_RUN_INAPPLICABLE, "");
            snprintf(res->reason, sizeof(res->reason), CHORALE_NO_MEMORY,
                     need, most);
        } else {
            rc = verify_and_confirm(t, c, res, &no);
            if (no != NULL)
                chorale_result_fail(res, CHORALE_RUN_INAPPLICABLE, no);
        }
        t->active[c] = res->status == CHORALE_RUN_OK;
    }
    if (rc == MPI_SUCCESS)
        chorale_timing_announce(t, 0);
    return rc;
}

int chorale_verify_again(struct chorale_timing *t)
{
    int rc = MPI_SUCCESS;

    for (int c = 0; c < t->ncand && rc == MPI_SUCCESS; c++) {
        struct chorale_result *res = &t->result[c], after = { 0 };
        int status = (int)res->status;

        rc = chorale_p2p_bcast(t->bench, &status, sizeof(status), 0);
        if (rc != MPI_SUCCESS || status != CHORALE_RUN_OK)
            continue;
        rc = verify(t, c, 1, &after);
        if (after.status != CHORALE_RUN_OK) {
            chorale_result_fail(res, after.status, "");
            snprintf(res->reason, sizeof(res->reason),
                     "after the repetitions: %.130s", after.reason);
        }
    }
    if (rc == MPI_SUCCESS)
        chorale_timing_announce(t, 0);
    return rc;
}
