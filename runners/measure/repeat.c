/* SPDX-License-Identifier: BSD-3-Clause */
/* repeat.c - repetitions of all candidates of a point, interleaved round by
 * round. Each round has a new random order, so that drift affects all
 * candidates alike. After each chunk of rounds rank 0 decides which candidates
 * have enough repetitions. A long round is split into several chunks, so that
 * rank 0 notices a request to end early and other groups' rows during it.
 *
 * Operations too short for the clock are repeated in batches, with a barrier of
 * the runner after each call. Batches of barriers alone, interleaved like a
 * candidate, give the time to subtract. */
#include "runners/measure/judge_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNK_SECONDS 0.05
#define PART_SECONDS 0.25    /* length of the parts of a longer round */
#define LATE_SHARE 0.2       /* share of late repetitions that is too much */
#define SLACK_MAX 0.02       /* s */
#define LEAD_MAX 8
#define WINDOW 1.25          /* times the longest repetition of a chunk */
#define CHECK_SECONDS 0.5    /* between two checks of the clocks */
#define SAY_SECONDS 1        /* between two heartbeats */

static void shuffle(struct chorale_timing *t)
{
    uint64_t s = (uint64_t)t->bench->work.seed * 0x2545f4914f6cdd1du +
                 (uint64_t)(t->task - t->bench->work.task) * 1000003u +
                 (uint64_t)t->round;

    for (int i = 0; i < t->nentry; i++)
        t->order[i] = i;
    for (int i = t->nentry - 1; i > 0; i--) {
        int j = (int)(chorale_random_next(&s) % (uint64_t)(i + 1));
        int swap = t->order[i];

        t->order[i] = t->order[j];
        t->order[j] = swap;
    }
}

/* Make the calls of one repetition. Entry ncand is the barrier alone. */
static int call(struct chorale_timing *t, int c, int root)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; i < t->batch; i++) {
        int bad = MPI_SUCCESS;

        if (i > 0 && c < t->ncand)
            chorale_problem_prepare(&t->prob); /* the next copy */
        if (c < t->ncand)
            bad = chorale_provider_call(t->bench, &t->prob,
                                        chorale_timing_cand(t, c), root);
        if (bad == MPI_SUCCESS && chorale_timing_separated(t))
            bad = chorale_sync_separate(t->bench);
        rc = bad != MPI_SUCCESS ? bad : rc;
    }
    return rc;
}

/* Random patterns differ from round to round. In simulation they repeat,
 * because the repetitions of a root must be equal. */
static double delay(const struct chorale_timing *t)
{
    int turns = chorale_timing_turns(t->task);
    int round = chorale_simulated() ? t->round % turns : t->round;

    return chorale_arrival_delay(t->bench,
                                 (enum chorale_arrival)t->task->arrival,
                                 t->skew, round);
}

/* Run one repetition and store its times in slot; on every rank. */
static void repeat(struct chorale_timing *t, int c, struct chorale_slot *slot)
{
    struct chorale_bench *bench = t->bench;
    int root = chorale_task_root(t->task, bench->size, bench->ppn, t->round);
    int late, rc;
    const struct chorale_cand *cand =
        c < t->ncand ? chorale_timing_cand(t, c) : NULL;
    double *v = t->value + (size_t)(slot - t->slot) * CHORALE_NVALUE;
    double begun = chorale_now_common(bench), start, left, in, out;

    if (chorale_simulated() && cand != NULL)
        chorale_timing_announce(t, cand->cell_id);
    if (cand != NULL)
        chorale_provider_begin(bench, t->task, cand);
    chorale_problem_prepare(&t->prob);
    bench->calling = cand != NULL ? cand->cell_id : 0;
    start = chorale_sync_start(bench, (enum chorale_sync)t->how,
                               t->window[c], &left, &late);
    in = left;
    if (t->task->arrival != CHORALE_ARRIVAL_SYNC)
        in = chorale_wait_common(bench, start + delay(t));
    rc = call(t, c, root);
    out = chorale_now_common(bench);
    v[CHORALE_OUT] = out;
    v[CHORALE_IN] = in;
    v[CHORALE_MINUS_IN] = -in;
    v[CHORALE_MINUS_LEFT] = -left;
    v[CHORALE_ROOT_OUT] = bench->rank == root ? out : -INFINITY;
    v[CHORALE_OWN] = out - left;
    v[CHORALE_LATE] = late;
    v[CHORALE_FAILED] = rc != MPI_SUCCESS;
    if (bench->sibling != 0)
        for (int i = 0; i < CHORALE_MEASURED; i++)
            v[i] = -INFINITY;
    v[CHORALE_BUSY] = chorale_now_common(bench) - start;
    v[CHORALE_SPENT] = chorale_now_common(bench) - begun;
    if (cand != NULL)
        chorale_provider_end(bench, t->task, cand);
    *slot = (struct chorale_slot){ c, t->round, start };
}

/* Number of repetitions in nround rounds of the active entries. */
static int count_repetitions(const struct chorale_timing *t, int nround)
{
    int n = 0;

    for (int i = 0; i < t->nentry; i++)
        n += t->active[i];
    return n * nround;
}

/* Go to the next entry of the round, or to the next round. */
static void advance(struct chorale_timing *t)
{
    if (++t->at == t->nentry) {
        t->at = 0;
        t->round++;
    }
}

/* Run the next n repetitions of active entries. */
static void repeat_next(struct chorale_timing *t, int n)
{
    t->nslot = 0;
    chorale_sync_restart(t->bench);
    while (t->nslot < n) {
        if (t->at == 0)
            shuffle(t);
        if (t->active[t->order[t->at]])
            repeat(t, t->order[t->at], &t->slot[t->nslot++]);
        advance(t);
    }
    while (t->at > 0 && !t->active[t->order[t->at]])
        advance(t);
}

/* Heartbeat: `chorale run` ends a launch that prints nothing for too long. */
static void say(struct chorale_timing *t)
{
    double now = MPI_Wtime();

    if (chorale_simulated() || t->bench->world_rank != 0 ||
        now - t->said < SAY_SECONDS)
        return;
    t->said = now;
    chorale_timing_announce(t, 0);
}

static int gather(struct chorale_timing *t)
{
    int rc = chorale_sync_end(t->bench);

    if (rc == MPI_SUCCESS)
        say(t);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_reduce(t->bench, t->value,
                                t->nslot * CHORALE_NVALUE, 0, t->spare);
    return rc;
}

/* The launch should end early: if every candidate has its least number of
 * repetitions, stop them all as if their time were over. */
static void cut_short(struct chorale_timing *t)
{
    for (int c = 0; c < t->ncand; c++)
        if (t->active[c] && t->nsample[c] < t->bench->work.set.stop.nrep_min)
            return;
    for (int c = 0; c < t->ncand; c++)
        if (t->active[c]) {
            t->active[c] = 0;
            t->result[c].stop_reason = "time";
        }
}

/* --- rank 0 ----------------------------------------------------------- */

static void judge_chunk(struct chorale_timing *t)
{
    const struct chorale_stop *stop = &t->bench->work.set.stop;
    int going = 0;

    for (int c = 0; c < t->ncand; c++) {
        struct chorale_result *res = &t->result[c];

        if (!t->active[c] || t->at > 0) /* in the middle of a round */
            continue;
        res->stop_reason = chorale_stop_reason(stop, t->seen, t->ncand, c);
        t->active[c] = res->status == CHORALE_RUN_OK &&
                       res->stop_reason == NULL && !t->lacking;
    }
    if (!chorale_simulated() && chorale_launch_ends(t->bench))
        cut_short(t);
    for (int c = 0; c < t->ncand; c++)
        going |= t->active[c];
    for (int c = t->ncand; c < t->nentry; c++)
        t->active[c] = going;
}

/* Number of repetitions in the next part of the round: all that are left,
 * unless that takes too long. */
static int next_part(const struct chorale_timing *t)
{
    double takes = 0;
    int n = 0;

    for (int i = t->at; i < t->nentry; i++) {
        int c = t->order[i];

        if (!t->active[c])
            continue;
        takes += t->longest[c] + t->bench->slack;
        if (n > 0 && takes > PART_SECONDS)
            break;
        n++;
    }
    return n;
}

/* Number of repetitions in the next chunk: whole rounds or a part of one. No
 * candidate gets more than nrep_max. */
static int next_chunk(struct chorale_timing *t)
{
    int most = CHORALE_CHUNK_MAX, nrep_max = t->bench->work.set.stop.nrep_max;
    double round = 0;

    if (t->at == 0)
        shuffle(t);
    for (int c = 0; c < t->nentry; c++)
        if (t->active[c])
            round += t->longest[c] + t->bench->slack;
    if (t->at > 0 || round > PART_SECONDS)
        return next_part(t);
    for (int c = 0; c < t->ncand; c++)
        if (t->active[c] && nrep_max - t->nsample[c] < most)
            most = nrep_max - t->nsample[c];
    if (!(CHUNK_SECONDS > 2 * round) || most < 2)
        return count_repetitions(t, 1);
    return count_repetitions(t, CHUNK_SECONDS / round > most
                            ? most
                            : (int)(CHUNK_SECONDS / round));
}

/* If too many of n repetitions were late, increase slack and lead. */
static void judge_late(struct chorale_timing *t, int nlate, int n)
{
    if (!(nlate > LATE_SHARE * n))
        return;
    if (t->bench->slack < SLACK_MAX)
        t->bench->slack *= 1.5;
    if (t->lead < LEAD_MAX)
        t->lead *= 1.5;
}

/* Evaluate the slots of a chunk. Returns the number of late repetitions. */
static int read_slots(struct chorale_timing *t, int keeps)
{
    int nlate = 0;

    for (int s = 0; s < t->nslot; s++)
        t->longest[t->slot[s].entry] = 0;
    for (int s = 0; s < t->nslot; s++) {
        const double *v = t->value + (size_t)s * CHORALE_NVALUE;
        const struct chorale_slot *slot = &t->slot[s];

        nlate += v[CHORALE_LATE] > 0;
        if (v[CHORALE_BUSY] > t->longest[slot->entry])
            t->longest[slot->entry] = v[CHORALE_BUSY];
        if (v[CHORALE_FAILED] > 0 && slot->entry < t->ncand)
            chorale_result_fail(&t->result[slot->entry], CHORALE_RUN_FAILED,
                                "MPI error while it was timed");
        else if (keeps)
            chorale_sample_add(t, slot, v);
    }
    return nlate;
}

static void set_windows(struct chorale_timing *t)
{
    for (int s = 0; s < t->nslot; s++) {
        int c = t->slot[s].entry;

        if (t->longest[c] > 0)
            t->window[c] = t->lead * WINDOW * t->longest[c] +
                           2 * t->bench->clock.residual;
    }
}

/* Lateness is judged over complete rounds. */
static void read_chunk(struct chorale_timing *t)
{
    t->nlate += read_slots(t, 1);
    t->nlooked += t->nslot;
    if (t->at == 0) {
        judge_late(t, t->nlate, t->nlooked);
        t->nlate = t->nlooked = 0;
    }
    set_windows(t);
}

static int any_active(const struct chorale_timing *t)
{
    for (int c = 0; c < t->ncand; c++)
        if (t->active[c])
            return 1;
    return 0;
}

/* --- chunks ----------------------------------------------------------- */

/* Broadcast rank 0's decisions. */
static int share(struct chorale_timing *t, int *nrep, int *look)
{
    struct chorale_bench *bench = t->bench;
    size_t n = (size_t)t->nentry;
    int word[3] = { t->how, *nrep, *look };
    int rc = chorale_p2p_bcast(bench, t->active, n * sizeof(*t->active), 0);

    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_bcast(bench, t->window, n * sizeof(*t->window), 0);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_bcast(bench, word, sizeof(word), 0);
    t->how = word[0];
    *nrep = word[1];
    *look = word[2];
    return rc;
}

/* Evaluate a chunk. *nrep: repetitions of the next one; *look: 1 to check the
 * clocks. */
static int chunk_end(struct chorale_timing *t, int *nrep, int *look)
{
    int rc = gather(t);

    *look = 0;
    if (rc != MPI_SUCCESS)
        return rc;
    if (t->bench->world_rank == 0) {
        read_chunk(t);
        chorale_interim_recompute(t);
        if (chorale_clock_fails(t))
            chorale_timing_restart(t, CHORALE_SYNC_BARRIER);
        judge_chunk(t);
        *nrep = next_chunk(t);
        *look = !t->bench->clock.shared &&
                chorale_now_common(t->bench) - t->looked > CHECK_SECONDS;
    }
    return share(t, nrep, look);
}

/* Check the clocks. Their error counts for all repetitions of the point. */
static int look_at_clock(struct chorale_timing *t)
{
    struct chorale_clock *clock = &t->bench->clock;
    int rc = chorale_clock_check(clock, t->bench->sync, t->bench->node);

    if (clock->residual > t->clock_error)
        t->clock_error = clock->residual;
    t->looked = chorale_now_common(t->bench);
    return rc;
}

/* Check before the first repetition. The error of the old line does not count,
 * that of the new line does. */
static int first_clock_check(struct chorale_timing *t)
{
    int rc = look_at_clock(t);

    t->clock_error = 0;
    return rc == MPI_SUCCESS ? look_at_clock(t) : rc;
}

/* Rank 0: from untimed rounds find the batch and the skew. */
static void calibrate_batch(struct chorale_timing *t, double any,
                            double library,
                            double gauge[2])
{
    judge_late(t, read_slots(t, 0), t->nslot);
    gauge[0] = chorale_timing_batch(t, any);
    gauge[1] = t->task->late_seconds;
    if (t->task->late_by > 0)
        gauge[1] = isfinite(library) ? t->task->late_by * library : 0;
    set_windows(t);
    for (int c = 0; c < t->ncand; c++) {
        t->window[c] = gauge[0] * t->window[c] + gauge[1];
        t->longest[c] = gauge[0] * t->longest[c] + gauge[1];
    }
}

/* Run untimed rounds, in which the ranks enter together, without skew. Then
 * broadcast batch, skew, windows, and *nrep: repetitions of the first chunk. */
static int warm_up(struct chorale_timing *t, int *nrep)
{
    int n = t->bench->work.set.nwarmup, rc = MPI_SUCCESS, look = 0;
    double gauge[2] = { 1, 0 }, any = INFINITY, library = INFINITY;

    if (chorale_simulated() || n < 1)
        n = 1;
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
        repeat_next(t, count_repetitions(t, 1));
        rc = gather(t);
        if (i == n / 2) /* earlier rounds set up connections */
            any = library = INFINITY;
        if (rc == MPI_SUCCESS && t->bench->world_rank == 0)
            chorale_timing_min(t, &any, &library);
    }
    if (rc == MPI_SUCCESS)
        rc = first_clock_check(t);
    if (rc != MPI_SUCCESS)
        return rc;
    if (t->bench->world_rank == 0)
        calibrate_batch(t, any, library, gauge);
    rc = chorale_p2p_bcast(t->bench, gauge, sizeof(gauge), 0);
    if (rc != MPI_SUCCESS)
        return rc;
    t->round = 0;
    t->batch = (int)gauge[0];
    t->skew = gauge[1];
    if (chorale_timing_separated(t)) {
        t->nentry = t->ncand + 1;
        t->active[t->ncand] = 1;
        for (int c = 0; c < t->ncand; c++)
            if (t->window[c] > t->window[t->ncand])
                t->window[t->ncand] = t->window[c];
    }
    if (t->bench->world_rank == 0) {
        shuffle(t);
        *nrep = next_part(t);
    }
    return share(t, nrep, &look);
}

/* In simulation only the root varies, so two repetitions of each root are
 * enough if they are equal. On shared links the order of simultaneous messages
 * may depend on the last digit of the time, and change everything after it.
 * Such candidates are repeated more often; their median counts if it is known
 * to the target width. */
static int time_simulated(struct chorale_timing *t)
{
    int turns = chorale_timing_turns(t->task), nrep, look, rc;
    int rank0 = t->bench->world_rank == 0;

    repeat_next(t, count_repetitions(t, CHORALE_SIM_REPS * turns));
    rc = chunk_end(t, &nrep, &look);
    if (rc == MPI_SUCCESS && rank0)
        chorale_judge_pairs(t, turns);
    if (rc == MPI_SUCCESS)
        rc = share(t, &nrep, &look);
    if (rc != MPI_SUCCESS || !any_active(t))
        return rc;
    repeat_next(t,
                count_repetitions(t, (CHORALE_SIM_REPS_MAX - CHORALE_SIM_REPS) *
                                    turns));
    rc = chunk_end(t, &nrep, &look);
    if (rc == MPI_SUCCESS && rank0)
        chorale_judge_medians(t, turns);
    return rc;
}

/* All candidates have stopped. Check the clocks and the lower bound; if one
 * fails, measure messages again, since they may have been slow the first time,
 * and restart the candidates. */
static int settle(struct chorale_timing *t, int *nrep)
{
    int rc = look_at_clock(t), doubt = 0, look = 0;

    if (rc == MPI_SUCCESS && t->bench->world_rank == 0)
        doubt = chorale_timing_check(t);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_bcast(t->bench, &doubt, sizeof(doubt), 0);
    if (rc == MPI_SUCCESS && doubt)
        rc = chorale_floor_measure(t->bench);
    if (rc == MPI_SUCCESS && doubt && t->bench->world_rank == 0)
        chorale_timing_redo(t);
    if (t->at > 0) { /* stopped within a round */
        t->at = 0;
        t->round++;
    }
    *nrep = 0;
    if (t->bench->world_rank == 0) {
        shuffle(t);
        *nrep = next_part(t);
    }
    return rc == MPI_SUCCESS ? share(t, nrep, &look) : rc;
}

/* Run *nrep repetitions and evaluate them; sets *nrep for the next chunk. */
static int chunk(struct chorale_timing *t, int *nrep)
{
    int look, rc;

    repeat_next(t, *nrep);
    rc = chunk_end(t, nrep, &look);
    if (rc == MPI_SUCCESS && look)
        rc = look_at_clock(t);
    return rc;
}

static int time_real(struct chorale_timing *t, int nrep)
{
    int rc = MPI_SUCCESS;

    do {
        rc = chunk(t, &nrep);
        if (rc == MPI_SUCCESS && !any_active(t))
            rc = settle(t, &nrep);
    } while (rc == MPI_SUCCESS && any_active(t));
    return rc;
}

int chorale_timing_run(struct chorale_timing *t)
{
    int nrep, rc = warm_up(t, &nrep);

    if (rc == MPI_SUCCESS)
        rc = chorale_simulated() ? time_simulated(t) : time_real(t, nrep);
    chorale_timing_results(t);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_bcast(t->bench, &t->lacking, sizeof(t->lacking), 0);
    return rc == MPI_SUCCESS && t->lacking ? MPI_ERR_NO_MEM : rc;
}
