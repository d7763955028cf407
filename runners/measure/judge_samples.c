/* SPDX-License-Identifier: BSD-3-Clause */
/* judge_samples.c - turn repetitions into samples, and judge whether they are
 * plausible. */
#include "runners/measure/judge_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_STEPS 100      /* least length of a repetition, clock steps */
#define BATCH_MAX 1024       /* calls in a repetition */
#define THROUGHPUT_BATCH 64  /* calls back to back, by default */
#define CLOCK_SHARE 0.05     /* allowed clock error, share of a median */

int chorale_simulated(void)
{
#ifdef CHORALE_SIM
    return 1;
#else
    return 0;
#endif
}

int chorale_timing_separated(const struct chorale_timing *t)
{
    return t->batch > 1 && t->task->metric == CHORALE_METRIC_DURATION;
}

int chorale_timing_batch(const struct chorale_timing *t, double least)
{
    double want = CLOCK_STEPS * t->bench->clock.resolution;
    int calls = 1;

    /* In a batch only the first call would meet the pattern, or cold caches. */
    if (t->task->arrival != CHORALE_ARRIVAL_SYNC ||
        t->task->buffers == CHORALE_BUFFERS_COLD)
        return 1;
    if (t->bench->work.set.batch > 0)
        return t->bench->work.set.batch;
    if (t->task->metric == CHORALE_METRIC_THROUGHPUT)
        return THROUGHPUT_BATCH;
    if (t->task->batch > 0)
        return t->task->batch;
    if (least < t->bench->clock.resolution)
        least = t->bench->clock.resolution;
    while (calls < BATCH_MAX && calls * least < want)
        calls *= 2;
    return calls;
}

int chorale_timing_own_clock(const struct chorale_timing *t)
{
    return t->how == CHORALE_SYNC_BARRIER && !t->bench->clock.shared;
}

/* Start of a repetition: the common start, or the first rank out of the
 * barrier. */
static double begin(const struct chorale_timing *t,
                    const struct chorale_slot *slot, const double *v)
{
    return t->how == CHORALE_SYNC_BARRIER && !chorale_simulated()
               ? -v[CHORALE_MINUS_LEFT]
               : slot->start;
}

/* Duration of a repetition, s: until the last rank is out; if the ranks time
 * themselves, the longest local time. */
static double seconds(const struct chorale_timing *t,
                      const struct chorale_slot *slot, const double *v)
{
    return chorale_timing_own_clock(t) ? v[CHORALE_OWN]
                                       : v[CHORALE_OUT] - begin(t, slot, v);
}

void chorale_timing_min(const struct chorale_timing *t, double *any,
                        double *library)
{
    for (int s = 0; s < t->nslot; s++) {
        const struct chorale_slot *slot = &t->slot[s];
        const double *v = t->value + (size_t)s * CHORALE_NVALUE;
        double is = t->bench->clock.shared ? seconds(t, slot, v)
                                           : v[CHORALE_OWN];

        *any = fmin(*any, is);
        if (chorale_timing_cand(t, slot->entry)->provider ==
            CHORALE_PROVIDER_LIBRARY)
            *library = fmin(*library, is);
    }
    if (!isfinite(*library))
        *library = *any;
}

void chorale_sample_add(struct chorale_timing *t,
                        const struct chorale_slot *slot,
                        const double *v)
{
    int c = slot->entry, lost = chorale_timing_own_clock(t);
    double start = begin(t, slot, v);

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
        .seconds = seconds(t, slot, v) / t->batch,
        .first_in = lost ? NAN : -v[CHORALE_MINUS_IN] - start,
        .last_in = lost ? NAN : v[CHORALE_IN] - start,
        .root_out = lost ? NAN : v[CHORALE_ROOT_OUT] - start,
        .root = chorale_task_root(t->task, t->bench->size, t->bench->ppn,
                                  slot->round),
        .late = v[CHORALE_LATE] > 0,
    };
    t->seen[c].spent += v[CHORALE_SPENT];
}

/* 1 if barriers separate the calls and have been measured. */
static int separated(const struct chorale_timing *t)
{
    return chorale_timing_separated(t) && t->nsample[t->ncand] > 0;
}

/* Median time of the separating barrier, s; 0: unused, or below a clock
 * step. */
static double separator(const struct chorale_timing *t)
{
    struct chorale_interim seen = { 0 };
    int n = t->nsample[t->ncand], most = t->bench->work.set.stop.nrep_max;

    if (!separated(t))
        return 0;
    if (n > most)
        n = most;
    for (int i = 0; i < n; i++)
        t->work[i] = t->sample[t->ncand][i].seconds;
    chorale_interim_update(&seen, t->work, (size_t)n, t->work + most);
    return seen.median;
}

void chorale_interim_recompute(struct chorale_timing *t)
{
    int most = t->bench->work.set.stop.nrep_max;
    double less = separator(t);

    for (int c = 0; c < t->ncand; c++) {
        int n = t->nsample[c] < most ? t->nsample[c] : most;

        for (int i = 0; i < n; i++)
            t->work[i] = t->sample[c][i].seconds - less;
        if (n > 0)
            chorale_interim_update(&t->seen[c], t->work, (size_t)n,
                                   t->work + most);
    }
}

/* 1 if the candidate's samples count. */
static int counts(const struct chorale_timing *t, int c)
{
    return t->result[c].status == CHORALE_RUN_OK && t->nsample[c] > 0;
}

int chorale_clock_fails(const struct chorale_timing *t)
{
    double least = INFINITY;

    if (t->how == CHORALE_SYNC_BARRIER || t->bench->clock.shared)
        return 0;
    for (int c = 0; c < t->ncand; c++)
        if (counts(t, c))
            least = fmin(least, t->seen[c].median);
    return isfinite(least) &&
           !(t->clock_error <= CLOCK_SHARE * least * t->batch);
}

/* Move the samples of a candidate to those set aside. */
static int set_aside(struct chorale_timing *t, int c)
{
    struct chorale_result *res = &t->result[c];
    size_t old = (size_t)res->naside, more = (size_t)t->nsample[c];
    struct chorale_sample *grown =
        realloc(res->aside, (old + more) * sizeof(*grown));

    if (grown == NULL)
        return -1;
    res->aside = grown;
    memcpy(grown + old, t->sample[c], more * sizeof(*grown));
    res->naside += t->nsample[c];
    return 0;
}

void chorale_timing_restart(struct chorale_timing *t, enum chorale_sync how)
{
    for (int c = 0; c < t->nentry; c++) {
        if (c < t->ncand && !counts(t, c))
            continue;
        if (c < t->ncand && set_aside(t, c) != 0)
            t->lacking = 1;
        t->nsample[c] = 0;
        t->seen[c].nrep = 0;
        t->active[c] = 1;
    }
    t->how = (int)how;
}

/* 1 if any candidate is faster than messages can be. */
static int any_below(const struct chorale_timing *t)
{
    double less = separator(t);

    for (int c = 0; c < t->ncand && !chorale_timing_own_clock(t); c++)
        if (counts(t, c) &&
            chorale_median_below_floor(t->bench, t->task, t->seen[c].median,
                                       separated(t), less))
            return 1;
    return 0;
}

int chorale_timing_check(struct chorale_timing *t)
{
    int out_of_time = 0;

    for (int c = 0; c < t->ncand; c++)
        out_of_time |= counts(t, c) && t->result[c].stop_reason != NULL &&
                       strcmp(t->result[c].stop_reason, "time") == 0;
    if (t->lacking)
        return 0;
    if (!chorale_clock_fails(t))
        return !t->doubted && any_below(t);
    if (out_of_time)
        t->clock_lost = 1;
    else
        chorale_timing_restart(t, CHORALE_SYNC_BARRIER);
    return 0;
}

void chorale_timing_redo(struct chorale_timing *t)
{
    t->doubted = 1;
    if (any_below(t))
        chorale_timing_restart(t, (enum chorale_sync)t->how);
}

/* Record how a candidate's samples were taken. */
static void describe(const struct chorale_timing *t, int c, double less,
                     struct chorale_result *res)
{
    res->nsample = t->nsample[c];
    res->batch = t->batch;
    res->separated = separated(t);
    res->separator = less;
    res->sync = t->how;
    res->skew = t->skew;
    res->clock_error = t->clock_error;
    res->clock_lost = t->clock_lost;
}

void chorale_timing_results(struct chorale_timing *t)
{
    double less = separator(t);

    for (int c = 0; c < t->ncand; c++) {
        struct chorale_result *res = &t->result[c];

        describe(t, c, less, res);
        res->sample = t->sample[c];
        t->sample[c] = NULL;
        for (int i = 0; i < res->nsample; i++)
            res->sample[i].seconds -= less;
        for (int i = 0; i < res->naside; i++)
            res->aside[i].seconds -= less;
    }
}

int chorale_timing_init(struct chorale_timing *t)
{
    int rounds_max = chorale_simulated() ? CHORALE_SIM_REPS_MAX * 3
                                         : CHORALE_CHUNK_MAX;
    size_t n = (size_t)t->ncand + 1, slots = n * (size_t)rounds_max;

    t->nentry = t->ncand;
    t->batch = 1;
    t->lead = 1;
    t->how = t->bench->work.set.sync;
    t->active = calloc(n, sizeof(*t->active));
    t->window = calloc(n, sizeof(*t->window));
    t->order = calloc(n, sizeof(*t->order));
    t->slot = calloc(slots, sizeof(*t->slot));
    t->value = calloc(slots * CHORALE_NVALUE, sizeof(*t->value));
    t->spare = calloc(slots * CHORALE_NVALUE, sizeof(*t->spare));
    t->seen = calloc(n, sizeof(*t->seen));
    t->room = calloc(n, sizeof(*t->room));
    t->longest = calloc(n, sizeof(*t->longest));
    t->sample = calloc(n, sizeof(*t->sample));
    t->nsample = calloc(n, sizeof(*t->nsample));
    t->work = calloc(2 * (size_t)t->bench->work.set.stop.nrep_max,
                     sizeof(*t->work));
    if (!t->active || !t->window || !t->order || !t->slot || !t->value ||
        !t->spare || !t->seen || !t->room || !t->longest || !t->sample ||
        !t->nsample || !t->work)
        return -1;
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
