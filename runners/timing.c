/* SPDX-License-Identifier: BSD-3-Clause */
/* timing.c - repetitions of all candidates of a point, interleaved, round by
 * round in an order drawn anew for each round, so that whatever drifts drifts
 * for all of them. After each chunk of rounds rank 0 decides which candidates
 * have been seen enough.
 *
 * Operations too short for the clock are repeated in batches with a barrier
 * of the runner's own after each call. Batches of barriers alone, interleaved
 * like a candidate, say what to subtract. */
#include "runners/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_MAX 32         /* rounds between two decisions */
#define CHUNK_SECONDS 0.05
#define SIM_REPS 2           /* repetitions that must be equal */
#define SIM_EQUAL 1e-6       /* relative: the clock's own rounding */
#define LATE_SHARE 0.2       /* of a chunk: then the lead must grow */
#define SLACK_MAX 0.02
#define LEAD_MAX 8
#define CLOCK_STEPS 100      /* that a repetition must last */
#define BATCH_MAX 1000
#define THROUGHPUT_BATCH 64  /* calls back to back, unless said */
#define CLOCK_SHARE 0.05     /* of a median, that the clock may be off */
#define WINDOW 1.25          /* times the longest repetition of a chunk */
#define SAY_SECONDS 1        /* between two signs of life */

/* What a repetition leaves on a rank; the largest of all ranks counts. */
enum value {
    OUT, IN, MINUS_IN, ROOT_OUT,
    OWN,                     /* out - in, on the rank's own clock */
    MEASURED,                /* those above are of the communicator that is
                              * measured, those below also of its siblings */
    LATE = MEASURED, FAILED,
    BUSY,                    /* from the start until it is ready again */
    SPENT,                   /* with getting together */
    NVALUE
};

static int simulated(void)
{
#ifdef CHORALE_SIM
    return 1;
#else
    return 0;
#endif
}

static int separated(const struct chorale_timing *t)
{
    return t->batch > 1 && t->task->metric == CHORALE_METRIC_DURATION;
}

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

        if (c < t->ncand)
            bad = chorale_provider_call(t->bench, &t->prob,
                                        chorale_timing_cand(t, c), root);
        if (bad == MPI_SUCCESS && separated(t))
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

    return chorale_arrival_delay(t->bench,
                                 (enum chorale_arrival)t->task->arrival,
                                 t->skew,
                                 simulated() ? t->round % turns : t->round);
}

/* One repetition into slot, which is on every rank. */
static void repeat(struct chorale_timing *t, int c, struct chorale_slot *slot)
{
    struct chorale_bench *bench = t->bench;
    int root = chorale_task_root(t->task, bench->size, t->round), late, rc;
    const struct chorale_cand *cand =
        c < t->ncand ? chorale_timing_cand(t, c) : NULL;
    double *v = t->value + (size_t)(slot - t->slot) * NVALUE;
    double begun = chorale_now_common(bench), start, in, out;

    if ((simulated() || bench->announce) && cand != NULL)
        chorale_timing_announce(t, cand->cell_id);
    if (cand != NULL)
        chorale_provider_begin(bench, t->task, cand);
    chorale_problem_prepare(&t->prob);
    start = chorale_sync_start(bench, (enum chorale_sync)t->how[c],
                               t->window[c], &in, &late);
    if (t->task->arrival != CHORALE_ARRIVAL_SYNC)
        in = chorale_wait_common(bench, start + delay(t));
    rc = call(t, c, root);
    out = chorale_now_common(bench);
    v[OUT] = out;
    v[IN] = in;
    v[MINUS_IN] = -in;
    v[ROOT_OUT] = bench->rank == root ? out : -INFINITY;
    v[LATE] = late;
    v[FAILED] = rc != MPI_SUCCESS;
    v[OWN] = out - in;
    if (bench->sibling != 0)
        for (int i = 0; i < MEASURED; i++)
            v[i] = -INFINITY;
    v[BUSY] = chorale_now_common(bench) - start;
    v[SPENT] = chorale_now_common(bench) - begun;
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

    if (simulated() || t->bench->world_rank != 0 ||
        now - t->said < SAY_SECONDS)
        return;
    t->said = now;
    chorale_timing_announce(t, 0);
}

static int gather(struct chorale_timing *t)
{
    int rc = chorale_sync_end(t->bench);

    say(t);
    if (rc == MPI_SUCCESS)
        rc = chorale_own_reduce(t->bench, t->value, t->nslot * NVALUE, 0,
                                t->spare);
    return rc;
}

/* --- rank 0 ----------------------------------------------------------- */

/* Seconds of a repetition: from the common start to the last rank out, or
 * where ranks time themselves that of the slowest. */
static double seconds(const struct chorale_timing *t,
                      const struct chorale_slot *slot, const double *v)
{
    if (t->how[slot->entry] == CHORALE_SYNC_BARRIER && !simulated() &&
        t->task->arrival == CHORALE_ARRIVAL_SYNC)
        return v[OWN];
    return v[OUT] - slot->start;
}

static void keep(struct chorale_timing *t, const struct chorale_slot *slot,
                 const double *v)
{
    int c = slot->entry;
    double total = seconds(t, slot, v), start = slot->start;

    if (t->how[c] == CHORALE_SYNC_BARRIER && !simulated())
        start = -v[MINUS_IN];
    if (t->nsample[c] == t->room[c]) {
        int room = t->room[c] > 0 ? 2 * t->room[c] : 64;
        struct chorale_sample *grown =
            realloc(t->sample[c], (size_t)room * sizeof(*grown));

        if (grown == NULL) {
            t->lacking = 1;
            return;
        }
        t->sample[c] = grown;
        t->room[c] = room;
    }
    t->sample[c][t->nsample[c]++] = (struct chorale_sample){
        .seconds = total / t->batch,
        .first_in = -v[MINUS_IN] - start,
        .last_in = v[IN] - start,
        .root_out = v[ROOT_OUT] - start,
        .root = chorale_task_root(t->task, t->bench->size, slot->round),
        .late = v[LATE] > 0,
    };
    t->seen[c].spent += v[SPENT];
}

/* What the barrier between two calls takes, as seen so far. */
static double separator(const struct chorale_timing *t)
{
    struct chorale_seen seen = { 0 };
    int n = t->nsample[t->ncand], most = t->bench->work.set.stop.nrep_max;

    if (!separated(t) || n == 0)
        return 0;
    if (n > most)
        n = most;
    for (int i = 0; i < n; i++)
        t->work[i] = t->sample[t->ncand][i].seconds;
    chorale_seen_update(&seen, t->work, (size_t)n, t->work + most);
    return seen.median;
}

static void update_seen(struct chorale_timing *t)
{
    int most = t->bench->work.set.stop.nrep_max;
    double less = separator(t);

    for (int c = 0; c < t->ncand; c++) {
        int n = t->nsample[c] < most ? t->nsample[c] : most;

        for (int i = 0; i < n; i++)
            t->work[i] = t->sample[c][i].seconds - less;
        if (n > 0)
            chorale_seen_update(&t->seen[c], t->work, (size_t)n,
                                t->work + most);
    }
}

/* Clocks that are off by more than a share of the median cannot time it: back
 * to a barrier and the ranks' own clocks, from the first repetition on. */
static int refuse_clock(struct chorale_timing *t, int c)
{
    double least = CLOCK_SHARE * t->seen[c].median * t->batch;

    if (t->how[c] == CHORALE_SYNC_BARRIER || t->nsample[c] == 0 ||
        t->bench->clock.residual <= least)
        return 0;
    t->how[c] = CHORALE_SYNC_BARRIER;
    t->nsample[c] = 0;
    t->seen[c].nrep = 0;
    return 1;
}

static void judge_chunk(struct chorale_timing *t)
{
    const struct chorale_stop *stop = &t->bench->work.set.stop;
    int going = 0;

    for (int c = 0; c < t->ncand; c++) {
        struct chorale_result *res = &t->result[c];

        if (!t->active[c] || refuse_clock(t, c))
            continue;
        res->stop_reason = chorale_stop_reason(stop, t->seen, t->ncand, c);
        t->active[c] = res->status == CHORALE_RUN_OK &&
                       res->stop_reason == NULL && !t->lacking;
    }
    for (int c = 0; c < t->ncand; c++)
        going |= t->active[c];
    for (int c = t->ncand; c < t->nentry; c++)
        t->active[c] = going;
}

/* How many rounds the next chunk has. */
static int next_rounds(const struct chorale_timing *t)
{
    double round = 0;

    for (int c = 0; c < t->nentry; c++)
        if (t->active[c])
            round += t->longest[c] + t->bench->slack;
    if (!(round > 0) || CHUNK_SECONDS / round < 1)
        return 1;
    return CHUNK_SECONDS / round > CHUNK_MAX ? CHUNK_MAX
                                             : (int)(CHUNK_SECONDS / round);
}

static void read_slots(struct chorale_timing *t, int keeps)
{
    int nlate = 0;

    memset(t->longest, 0, sizeof(*t->longest) * (size_t)t->nentry);
    for (int s = 0; s < t->nslot; s++) {
        const double *v = t->value + (size_t)s * NVALUE;
        const struct chorale_slot *slot = &t->slot[s];

        nlate += v[LATE] > 0;
        if (v[BUSY] > t->longest[slot->entry])
            t->longest[slot->entry] = v[BUSY];
        if (v[FAILED] > 0 && slot->entry < t->ncand)
            chorale_result_fail(&t->result[slot->entry], CHORALE_RUN_FAILED,
                                "MPI error while it was timed");
        else if (keeps)
            keep(t, slot, v);
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

/* --- chunks ----------------------------------------------------------- */

/* Give all ranks what rank 0 has decided. */
static int share(struct chorale_timing *t, int *nround)
{
    struct chorale_bench *bench = t->bench;
    size_t n = (size_t)t->nentry;
    int rc = chorale_own_bcast(bench, t->active, n * sizeof(*t->active), 0);

    if (rc == MPI_SUCCESS)
        rc = chorale_own_bcast(bench, t->how, n * sizeof(*t->how), 0);
    if (rc == MPI_SUCCESS)
        rc = chorale_own_bcast(bench, t->window, n * sizeof(*t->window), 0);
    if (rc == MPI_SUCCESS)
        rc = chorale_own_bcast(bench, nround, sizeof(*nround), 0);
    return rc;
}

static int chunk_end(struct chorale_timing *t, int *nround)
{
    int rc = gather(t);

    if (rc != MPI_SUCCESS)
        return rc;
    if (t->bench->world_rank == 0) {
        read_slots(t, 1);
        update_seen(t);
        judge_chunk(t);
        *nround = next_rounds(t);
    }
    return share(t, nround);
}

static int any_active(const struct chorale_timing *t)
{
    for (int c = 0; c < t->ncand; c++)
        if (t->active[c])
            return 1;
    return 0;
}

/* Seconds of the shortest repetition and of the library's, by the last chunk:
 * rank 0. */
static void shortest(const struct chorale_timing *t, double *any,
                     double *library)
{
    *any = *library = INFINITY;
    for (int s = 0; s < t->nslot; s++) {
        const struct chorale_slot *slot = &t->slot[s];
        double is = seconds(t, slot, t->value + (size_t)s * NVALUE);

        if (slot->entry >= t->ncand)
            continue;
        if (is < *any)
            *any = is;
        if (is < *library && chorale_timing_cand(t, slot->entry)->provider ==
                                 CHORALE_PROVIDER_LIBRARY)
            *library = is;
    }
    if (!isfinite(*library))
        *library = *any;
}

/* Calls a repetition, so that the clock's steps do not count. */
static int batch_of(const struct chorale_timing *t, double least)
{
    double step = t->bench->clock.resolution, calls;

    if (t->task->arrival != CHORALE_ARRIVAL_SYNC)
        return 1; /* only the first call would meet the pattern */
    if (t->bench->work.set.batch > 0)
        return t->bench->work.set.batch;
    if (t->task->metric == CHORALE_METRIC_THROUGHPUT)
        return THROUGHPUT_BATCH;
    if (!(step > 0) || least >= CLOCK_STEPS * step)
        return 1;
    calls = CLOCK_STEPS * step / (least > step ? least : step);
    return calls < BATCH_MAX ? (int)ceil(calls) : BATCH_MAX;
}

/* Untimed rounds, then what the others need to know: the batch, the skew, the
 * windows. All candidates come together here and are not skewed. */
static int warm_up(struct chorale_timing *t)
{
    int n = t->bench->work.set.nwarmup, rc = MPI_SUCCESS, one = 1;
    double gauge[2] = { 0, 0 };

    if (simulated() || n < 1)
        n = 1;
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
        rounds(t, 1);
        rc = gather(t);
    }
    if (rc != MPI_SUCCESS)
        return rc;
    if (t->bench->world_rank == 0) {
        double any, library;

        read_slots(t, 0);
        shortest(t, &any, &library);
        gauge[0] = batch_of(t, any);
        gauge[1] = t->task->late_by * library;
        for (int c = 0; c < t->ncand; c++)
            t->window[c] = gauge[0] * t->window[c] + gauge[1];
    }
    rc = chorale_own_bcast(t->bench, gauge, sizeof(gauge), 0);
    t->batch = (int)gauge[0];
    t->skew = gauge[1];
    t->round = 0;
    if (separated(t)) {
        t->nentry = t->ncand + 1;
        t->active[t->ncand] = 1;
        t->how[t->ncand] = t->how[0];
        for (int c = 0; c < t->ncand; c++)
            if (t->window[c] > t->window[t->ncand])
                t->window[t->ncand] = t->window[c];
    }
    return rc == MPI_SUCCESS ? share(t, &one) : rc;
}

/* In simulation nothing varies but the root, so two repetitions of each root
 * decide, and they must be equal. */
static int time_simulated(struct chorale_timing *t)
{
    int turns = chorale_timing_turns(t->task), nround, rc;

    rounds(t, SIM_REPS * turns);
    rc = chunk_end(t, &nround);
    for (int c = 0; rc == MPI_SUCCESS && t->bench->world_rank == 0 &&
                    c < t->ncand; c++) {
        const struct chorale_sample *x = t->sample[c];

        if (t->nsample[c] != SIM_REPS * turns)
            continue;
        t->result[c].stop_reason = "equal";
        for (int i = 0; i < turns; i++)
            if (fabs(x[i].seconds - x[i + turns].seconds) >
                SIM_EQUAL * x[i].seconds)
                t->result[c].stop_reason = "unequal";
    }
    return rc;
}

static int time_real(struct chorale_timing *t)
{
    int nround = 1, rc = MPI_SUCCESS;

    while (rc == MPI_SUCCESS && any_active(t)) {
        rounds(t, nround);
        rc = chunk_end(t, &nround);
    }
    return rc;
}

/* The samples to their results, without the separating barrier. */
static void hand_over(struct chorale_timing *t)
{
    double less = separator(t);

    for (int c = 0; c < t->ncand; c++) {
        struct chorale_result *res = &t->result[c];

        res->sample = t->sample[c];
        res->nsample = t->nsample[c];
        res->batch = t->batch;
        res->separator = less;
        res->sync = t->how[c];
        res->skew = t->skew;
        t->sample[c] = NULL;
        for (int i = 0; i < res->nsample; i++) {
            res->sample[i].seconds -= less;
            /* Noise of the barrier, where next to nothing is left. */
            if (!(res->sample[i].seconds > 0))
                res->suspicious = 1;
        }
    }
}

int chorale_timing_run(struct chorale_timing *t)
{
    int rc = warm_up(t);

    if (rc == MPI_SUCCESS)
        rc = simulated() ? time_simulated(t) : time_real(t);
    if (rc == MPI_SUCCESS)
        rc = chorale_own_bcast(t->bench, &t->lacking, sizeof(t->lacking), 0);
    if (rc == MPI_SUCCESS && t->lacking)
        rc = MPI_ERR_NO_MEM;
    hand_over(t);
    return rc;
}

int chorale_timing_init(struct chorale_timing *t)
{
    int rounds_max = simulated() ? SIM_REPS * 3 : CHUNK_MAX;
    size_t n = (size_t)t->ncand + 1, slots = n * (size_t)rounds_max;

    t->nentry = t->ncand;
    t->batch = 1;
    t->lead = 1;
    t->active = calloc(n, sizeof(*t->active));
    t->how = calloc(n, sizeof(*t->how));
    t->window = calloc(n, sizeof(*t->window));
    t->order = calloc(n, sizeof(*t->order));
    t->slot = calloc(slots, sizeof(*t->slot));
    t->value = calloc(slots * NVALUE, sizeof(*t->value));
    t->spare = calloc(slots * NVALUE, sizeof(*t->spare));
    t->seen = calloc(n, sizeof(*t->seen));
    t->room = calloc(n, sizeof(*t->room));
    t->longest = calloc(n, sizeof(*t->longest));
    t->sample = calloc(n, sizeof(*t->sample));
    t->nsample = calloc(n, sizeof(*t->nsample));
    t->work = calloc(2 * (size_t)t->bench->work.set.stop.nrep_max,
                     sizeof(*t->work));
    if (!t->active || !t->how || !t->window || !t->order || !t->slot ||
        !t->value || !t->spare || !t->seen || !t->room || !t->longest ||
        !t->sample || !t->nsample || !t->work)
        return -1;
    for (int c = 0; c < (int)n; c++)
        t->how[c] = t->bench->work.set.sync;
    for (int c = 0; c < t->ncand; c++)
        t->seen[c].keep = chorale_timing_cand(t, c)->provider ==
                          CHORALE_PROVIDER_LIBRARY;
    return 0;
}

void chorale_timing_release(struct chorale_timing *t)
{
    for (int c = 0; t->sample != NULL && c <= t->ncand; c++)
        free(t->sample[c]);
    free(t->active);
    free(t->how);
    free(t->window);
    free(t->order);
    free(t->slot);
    free(t->value);
    free(t->spare);
    free(t->seen);
    free(t->room);
    free(t->longest);
    free(t->sample);
    free(t->nsample);
    free(t->work);
}
