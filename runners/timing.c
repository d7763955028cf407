/* SPDX-License-Identifier: BSD-3-Clause */
/* timing.c - repetitions of all candidates of a point, interleaved, round by
 * round in an order drawn anew for each round, so that whatever drifts drifts
 * for all of them. After each chunk of rounds rank 0 decides which candidates
 * have been seen enough.
 *
 * Operations too short for the clock are repeated in batches with a barrier
 * of the runner's own after each call. Batches of barriers alone, interleaved
 * like a candidate, say what to subtract. */
#include "runners/timed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/mark.h"
#include "db/order.h"
#include "runners/cut.h"

#define CHUNK_SECONDS 0.05
#define LATE_SHARE 0.2       /* of a chunk: then the lead must grow */
#define SLACK_MAX 0.02
#define LEAD_MAX 8
#define WINDOW 1.25          /* times the longest repetition of a chunk */
#define CHECK_SECONDS 0.5    /* between two looks at the clocks */
#define SIM_EQUAL 1e-6       /* relative: the clock's own rounding */
#define SAY_SECONDS 1        /* between two signs of life */
#define LOOK_CLOCK 1
#define LOOK_MESSAGES 2

static void shuffle(struct chorale_timing *t)
{
    uint64_t s = (uint64_t)t->bench->work.seed * 0x2545f4914f6cdd1du +
                 (uint64_t)(t->task - t->bench->work.task) * 1000003u +
                 (uint64_t)t->round;

    for (int i = 0; i < t->nentry; i++)
        t->order[i] = i;
    for (int i = t->nentry - 1; i > 0; i--) {
        int j = (int)(chorale_random(&s) % (uint64_t)(i + 1));
        int swap = t->order[i];

        t->order[i] = t->order[j];
        t->order[j] = swap;
    }
}

/* The calls of one repetition. Entry ncand is the barrier alone. */
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
        if (bad == MPI_SUCCESS && chorale_separated(t))
            bad = chorale_sync_separate(t->bench);
        rc = bad != MPI_SUCCESS ? bad : rc;
    }
    return rc;
}

/* Random patterns differ from round to round; in simulation only as far as
 * repetitions that must be equal allow. */
static double delay(const struct chorale_timing *t)
{
    int turns = chorale_timing_turns(t->task);
    int round = chorale_simulated() ? t->round % turns : t->round;

    return chorale_arrival_delay(t->bench,
                                 (enum chorale_arrival)t->task->arrival,
                                 t->skew, round);
}

/* One repetition into slot, which is on every rank. */
static void repeat(struct chorale_timing *t, int c, struct chorale_slot *slot)
{
    struct chorale_bench *bench = t->bench;
    int root = chorale_task_root(t->task, bench->size, bench->ppn, t->round);
    int late, rc;
    const struct chorale_cand *cand =
        c < t->ncand ? chorale_timing_cand(t, c) : NULL;
    double *v = t->value + (size_t)(slot - t->slot) * CHORALE_NVALUE;
    double begun = chorale_now_common(bench), start, left, in, out;

    if ((chorale_simulated() || bench->announce) && cand != NULL)
        chorale_timing_say(t, cand->cell_id);
    if (cand != NULL)
        chorale_provider_begin(bench, t->task, cand);
    chorale_problem_prepare(&t->prob);
    bench->calling = cand != NULL ? cand->cell_id : CHORALE_MARK_NONE;
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

/* nround rounds of all active entries. */
static void rounds(struct chorale_timing *t, int nround)
{
    t->nslot = 0;
    chorale_sync_restart(t->bench);
    for (int r = 0; r < nround; r++, t->round++) {
        shuffle(t);
        for (int i = 0; i < t->nentry; i++)
            if (t->active[t->order[i]])
                repeat(t, t->order[i], &t->slot[t->nslot++]);
    }
}

/* A point may take longer than `chorale run` bears silence. */
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
        rc = chorale_own_reduce(t->bench, t->value,
                                t->nslot * CHORALE_NVALUE, 0, t->spare);
    return rc;
}

/* The launch is to end early: what is left is given up where every candidate
 * has its least repetitions. Their time is over, as far as anyone can tell. */
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

    if (chorale_clock_fails(t))
        chorale_start_again(t, CHORALE_SYNC_BARRIER);
    for (int c = 0; c < t->ncand; c++) {
        struct chorale_result *res = &t->result[c];

        if (!t->active[c])
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

/* How many rounds the next chunk has: no candidate shall get more repetitions
 * than it may have. */
static int next_rounds(const struct chorale_timing *t)
{
    int most = CHORALE_CHUNK_MAX, nrep_max = t->bench->work.set.stop.nrep_max;
    double round = 0;

    for (int c = 0; c < t->nentry; c++)
        if (t->active[c])
            round += t->longest[c] + t->bench->slack;
    for (int c = 0; c < t->ncand; c++)
        if (t->active[c] && nrep_max - t->nsample[c] < most)
            most = nrep_max - t->nsample[c];
    if (!(CHUNK_SECONDS > 2 * round) || most < 2)
        return 1;
    return CHUNK_SECONDS / round > most ? most : (int)(CHUNK_SECONDS / round);
}

static void read_slots(struct chorale_timing *t, int keeps)
{
    int nlate = 0;

    memset(t->longest, 0, sizeof(*t->longest) * (size_t)t->nentry);
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
            chorale_keep(t, slot, v);
    }
    if (nlate > LATE_SHARE * t->nslot) {
        if (t->bench->slack < SLACK_MAX)
            t->bench->slack *= 1.5;
        if (t->lead < LEAD_MAX)
            t->lead *= 1.5;
    }
    for (int c = 0; c < t->nentry; c++)
        if (t->longest[c] > 0)
            t->window[c] = t->lead * WINDOW * t->longest[c] +
                           2 * t->bench->clock.residual;
}

static int any_active(const struct chorale_timing *t)
{
    for (int c = 0; c < t->ncand; c++)
        if (t->active[c])
            return 1;
    return 0;
}

/* --- chunks ----------------------------------------------------------- */

/* Give all ranks what rank 0 has decided. */
static int share(struct chorale_timing *t, int *nround, int *look)
{
    struct chorale_bench *bench = t->bench;
    size_t n = (size_t)t->nentry;
    int word[3] = { t->how, *nround, *look };
    int rc = chorale_own_bcast(bench, t->active, n * sizeof(*t->active), 0);

    if (rc == MPI_SUCCESS)
        rc = chorale_own_bcast(bench, t->window, n * sizeof(*t->window), 0);
    if (rc == MPI_SUCCESS)
        rc = chorale_own_bcast(bench, word, sizeof(word), 0);
    t->how = word[0];
    *nround = word[1];
    *look = word[2];
    return rc;
}

/* *look: what it is time to look at, LOOK_... */
static int chunk_end(struct chorale_timing *t, int *nround, int *look)
{
    int rc = gather(t);

    *look = 0;
    if (rc != MPI_SUCCESS)
        return rc;
    if (t->bench->world_rank == 0) {
        read_slots(t, 1);
        chorale_seen_all(t);
        judge_chunk(t);
        if (chorale_cut_look(t) && any_active(t)) /* else settle() does */
            *look = LOOK_MESSAGES;
        *nround = next_rounds(t);
        if (!t->bench->clock.shared &&
            chorale_now_common(t->bench) - t->looked > CHECK_SECONDS)
            *look |= LOOK_CLOCK;
    }
    return share(t, nround, look);
}

/* How far off the clocks have been since the last look counts from then on
 * for all repetitions of the point. */
static int look_at_clock(struct chorale_timing *t)
{
    struct chorale_clock *clock = &t->bench->clock;
    int rc = chorale_clock_check(clock, t->bench->sync, t->bench->node);

    if (clock->residual > t->clock_error)
        t->clock_error = clock->residual;
    t->looked = chorale_now_common(t->bench);
    return rc;
}

/* Before the first repetition. What the clocks were off before does not
 * count, what they still are does. */
static int first_look(struct chorale_timing *t)
{
    int rc = look_at_clock(t);

    t->clock_error = 0;
    return rc == MPI_SUCCESS ? look_at_clock(t) : rc;
}

/* Untimed rounds, then what the others need to know: the batch, the skew, the
 * windows. All candidates come together here and are not skewed. */
static int warm_up(struct chorale_timing *t)
{
    int n = t->bench->work.set.nwarmup, rc = MPI_SUCCESS, one = 1, look = 0;
    double gauge[2] = { 0, 0 }, any = INFINITY, library = INFINITY;

    if (chorale_simulated() || n < 1)
        n = 1;
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
        rounds(t, 1);
        rc = gather(t);
        if (i == n / 2) /* the first ones make connections */
            any = library = INFINITY;
        if (rc == MPI_SUCCESS && t->bench->world_rank == 0)
            chorale_shortest(t, &any, &library);
    }
    if (rc == MPI_SUCCESS)
        rc = first_look(t);
    if (rc != MPI_SUCCESS)
        return rc;
    if (t->bench->world_rank == 0) {
        read_slots(t, 0);
        gauge[0] = chorale_batch_of(t, any);
        gauge[1] = isfinite(library) ? t->task->late_by * library : 0;
        for (int c = 0; c < t->ncand; c++)
            t->window[c] = gauge[0] * t->window[c] + gauge[1];
    }
    rc = chorale_own_bcast(t->bench, gauge, sizeof(gauge), 0);
    t->batch = (int)gauge[0];
    t->skew = gauge[1];
    t->round = 0;
    if (chorale_separated(t)) {
        t->nentry = t->ncand + 1;
        t->active[t->ncand] = 1;
        for (int c = 0; c < t->ncand; c++)
            if (t->window[c] > t->window[t->ncand])
                t->window[t->ncand] = t->window[c];
    }
    return rc == MPI_SUCCESS ? share(t, &one, &look) : rc;
}

/* Between order statistics lo and n - 1 - lo of the n times of each root, how
 * far it is, relative to the first; the worst. */
static double sim_spread(struct chorale_timing *t, int c, int turns, int n,
                         size_t lo)
{
    double time[CHORALE_SIM_REPS_MAX], worst = 0;

    for (int i = 0; i < turns; i++) {
        for (int k = 0; k < n; k++)
            time[k] = t->sample[c][i + k * turns].seconds;
        chorale_sort(time, (size_t)n);
        worst = fmax(worst, (time[(size_t)n - 1 - lo] - time[lo]) / time[lo]);
    }
    return worst;
}

/* Those whose times are equal are done, the others stay active. */
static void judge_pairs(struct chorale_timing *t, int turns)
{
    for (int c = 0; c < t->ncand; c++) {
        struct chorale_result *res = &t->result[c];

        t->active[c] = 0;
        if (res->status != CHORALE_RUN_OK ||
            t->nsample[c] != CHORALE_SIM_REPS * turns)
            continue;
        t->active[c] =
            !(sim_spread(t, c, turns, CHORALE_SIM_REPS, 0) <= SIM_EQUAL);
        res->stop_reason = "equal";
    }
}

/* After many: is each root's median known as well as it shall be? */
static void judge_medians(struct chorale_timing *t, int turns)
{
    double enough = t->bench->work.set.stop.target_width;
    size_t lo, hi;

    if (chorale_median_interval(CHORALE_SIM_REPS_MAX, &lo, &hi) != 0)
        lo = 0;
    for (int c = 0; c < t->ncand; c++)
        if (t->nsample[c] == CHORALE_SIM_REPS_MAX * turns &&
            t->result[c].status == CHORALE_RUN_OK)
            t->result[c].stop_reason =
                sim_spread(t, c, turns, CHORALE_SIM_REPS_MAX, lo) <= enough
                ? "width" : "unequal";
}

/* In simulation nothing varies but the root, so two repetitions of each root
 * decide, and they must be equal. Where messages share links, the order of
 * those that come at the same instant hangs on the last digit of the time, and
 * by it now and then all that follows: of such candidates the median of more
 * counts, if it is known as well as on a real machine. */
static int time_simulated(struct chorale_timing *t)
{
    int turns = chorale_timing_turns(t->task), nround, look, rc;
    int rank0 = t->bench->world_rank == 0;

    rounds(t, CHORALE_SIM_REPS * turns);
    rc = chunk_end(t, &nround, &look);
    if (rc == MPI_SUCCESS && rank0)
        judge_pairs(t, turns);
    if (rc == MPI_SUCCESS)
        rc = share(t, &nround, &look);
    if (rc != MPI_SUCCESS || !any_active(t))
        return rc;
    rounds(t, (CHORALE_SIM_REPS_MAX - CHORALE_SIM_REPS) * turns);
    rc = chunk_end(t, &nround, &look);
    if (rc == MPI_SUCCESS && rank0)
        judge_medians(t, turns);
    return rc;
}

/* All have been seen enough: was the clock good to the end, and is it possible
 * what they show? Else they begin once more. It may be the messages that were
 * slow when they were measured. */
static int settle(struct chorale_timing *t)
{
    int rc = look_at_clock(t), doubt = 0, one = 1, look = 0;

    if (rc == MPI_SUCCESS && t->bench->world_rank == 0)
        doubt = chorale_settle(t);
    if (rc == MPI_SUCCESS)
        rc = chorale_own_bcast(t->bench, &doubt, sizeof(doubt), 0);
    if (rc == MPI_SUCCESS && doubt)
        rc = chorale_floor_measure(t->bench);
    if (rc == MPI_SUCCESS && doubt && t->bench->world_rank == 0)
        chorale_doubt(t);
    if (t->bench->world_rank == 0)
        chorale_cut_look(t);
    return rc == MPI_SUCCESS ? share(t, &one, &look) : rc;
}

/* Between two chunks: are they what was too slow? See cut.h. */
static int look_at_messages(struct chorale_timing *t)
{
    int rc = chorale_floor_measure(t->bench);

    if (t->bench->world_rank == 0)
        chorale_cut_measured(t);
    return rc;
}

static int time_real(struct chorale_timing *t)
{
    int nround = 1, look, rc = MPI_SUCCESS;

    while (rc == MPI_SUCCESS && any_active(t)) {
        rounds(t, nround);
        rc = chunk_end(t, &nround, &look);
        if (rc == MPI_SUCCESS && (look & LOOK_MESSAGES) != 0)
            rc = look_at_messages(t);
        if (rc == MPI_SUCCESS && (look & LOOK_CLOCK) != 0)
            rc = look_at_clock(t);
        if (rc == MPI_SUCCESS && !any_active(t)) {
            rc = settle(t);
            nround = 1;
        }
    }
    return rc;
}

int chorale_timing_run(struct chorale_timing *t)
{
    int rc = warm_up(t);

    if (rc == MPI_SUCCESS)
        rc = chorale_simulated() ? time_simulated(t) : time_real(t);
    chorale_hand_over(t);
    if (rc == MPI_SUCCESS)
        rc = chorale_own_bcast(t->bench, &t->lacking, sizeof(t->lacking), 0);
    return rc == MPI_SUCCESS && t->lacking ? MPI_ERR_NO_MEM : rc;
}
