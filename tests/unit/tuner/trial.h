/* SPDX-License-Identifier: BSD-3-Clause */
/* trial.h - complete comparisons of simulated cells: launches of base, then of
 * head, then a second measurement, judged as `chorale compare` does. */
#ifndef CHORALE_TESTS_UNIT_TUNER_TRIAL_H
#define CHORALE_TESTS_UNIT_TUNER_TRIAL_H

#include <stdlib.h>

#include "tests/unit/tuner/noise.h"
#include "tuner/compare/compare.h"

enum trial_way {
    TRIAL_PAIRED,            /* remeasure base and head, interleaved */
    TRIAL_HEAD,              /* remeasure head only */
    TRIAL_ONCE               /* do not remeasure */
};

struct trial {
    struct noise noise;
    size_t ncell, first, again; /* launches on each side, in each measurement */
    double effect;           /* slowdown of head's first nslow cells, log */
    size_t nslow;
    double shift;            /* slowdown of the machine before head, log */
    enum trial_way way;
};

/* A canary: a measurement that no code change affects. factor: how much of the
 * machine's speed it shows; noise: its own noise, log; it represents the cells
 * whose number is a multiple of every. */
struct trial_canary {
    const char *name;
    double factor, noise;
    size_t every;
};
static const struct trial_canary trial_canary[] = {
    { "messages", 1, 0.01, 1 },
    { "bytes", 0.8, 0.01, 1 },
    { "copies in memory", 0.4, 0.015, 2 },
    { "library", 0.75, 0.005, 1 },
};
enum { TRIAL_CANARIES = sizeof(trial_canary) / sizeof(trial_canary[0]) };

struct outcome {
    size_t red, found, flagged, machine; /* red: cells that did not change */
};

/* Make one launch: x[cell * stride] for the cells in mask (NULL: all), and
 * canary[kind * stride]. */
static void trial_launch(const struct trial *t, struct machine *m, int head,
                         const unsigned char *mask, double *x, size_t stride,
                         double *canary)
{
    machine_launch(m, &t->noise);
    for (int k = 0; k < TRIAL_CANARIES; k++)
        canary[(size_t)k * stride] =
            machine_common(m, &t->noise, trial_canary[k].factor) +
            trial_canary[k].noise * random_normal(&m->random);
    for (size_t i = 0; i < t->ncell; i++)
        if (mask == NULL || mask[i])
            x[i * stride] =
                machine_common(m, &t->noise, machine_factor(i)) +
                machine_block(m, &t->noise, i) + machine_own(m, &t->noise) +
                (head && i < t->nslow ? t->effect : 0);
}

/* Memory of a trial, reused by the next. */
struct bench_trial {
    double *x[4], *canary[4];
    unsigned char *mask;
    struct chorale_compared *cell;
};

static int trial_alloc(struct bench_trial *b, const struct trial *t)
{
    size_t n = t->first > t->again ? t->first : t->again;
    int good = 1;

    for (int k = 0; k < 4; k++) {
        b->x[k] = malloc((t->ncell * n + 1) * sizeof(double));
        b->canary[k] = malloc((n + 1) * TRIAL_CANARIES * sizeof(double));
        good &= b->x[k] != NULL && b->canary[k] != NULL;
    }
    b->mask = malloc(t->ncell + 1);
    b->cell = calloc(t->ncell + 1, sizeof(*b->cell));
    return good && b->mask != NULL && b->cell != NULL ? 0 : -1;
}

static void trial_release(struct bench_trial *b)
{
    for (int k = 0; k < 4; k++) {
        free(b->x[k]);
        free(b->canary[k]);
    }
    free(b->mask);
    free(b->cell);
}

static struct chorale_series trial_series(const double *x, size_t cell,
                                          size_t n)
{
    return (struct chorale_series){ x != NULL ? x + cell * n : NULL,
                                    x != NULL ? n : 0 };
}

static void trial_again(const struct trial *t, struct bench_trial *b,
                        struct machine *m)
{
    for (size_t l = 0; l < t->again; l++) {
        if (t->way == TRIAL_PAIRED)
            trial_launch(t, m, 0, b->mask, b->x[2] + l, t->again,
                         b->canary[2] + l);
        trial_launch(t, m, 1, b->mask, b->x[3] + l, t->again,
                     b->canary[3] + l);
    }
    for (size_t i = 0; i < t->ncell; i++) {
        struct chorale_sides *s = &b->cell[i].sides;

        if (!b->mask[i])
            continue;
        s->paired = t->way == TRIAL_PAIRED;
        if (s->paired)
            s->again_base = trial_series(b->x[2], i, t->again);
        s->again_head = trial_series(b->x[3], i, t->again);
    }
}

/* The canaries' times of the first measurement; if again, of both. */
static void trial_canaries(const struct trial *t, const struct bench_trial *b,
                           int again, struct chorale_canary *canary)
{
    for (size_t k = 0; k < TRIAL_CANARIES; k++) {
        struct chorale_sides *s = &canary[k].sides;

        canary[k].name = trial_canary[k].name;
        s->base = trial_series(b->canary[0], k, t->first);
        s->head = trial_series(b->canary[1], k, t->first);
        if (!again)
            continue;
        s->paired = t->way == TRIAL_PAIRED;
        if (s->paired)
            s->again_base = trial_series(b->canary[2], k, t->again);
        s->again_head = trial_series(b->canary[3], k, t->again);
    }
}

/* Bit mask of the canaries that represent a cell. */
static unsigned long long trial_speakers(size_t cell)
{
    unsigned long long bits = 0;

    for (int k = 0; k < TRIAL_CANARIES; k++)
        if (cell % trial_canary[k].every == 0)
            bits |= 1ull << k;
    return bits;
}

/* Run one comparison. Returns 0, or -1 without memory. */
static int trial_run(const struct trial *t, struct bench_trial *b,
                     uint64_t seed, struct outcome *out)
{
    struct chorale_compare_opts opts = CHORALE_COMPARE_DEFAULTS;
    struct machine m = { .random = { .state = seed } };
    struct chorale_canary canary[TRIAL_CANARIES] = { { .name = NULL } };
    int rc;

    *out = (struct outcome){ 0, 0, 0, 0 };
    opts.unpaired = t->way != TRIAL_PAIRED;
    for (int side = 0; side < 2; side++) {
        m.speed += side == 1 ? t->shift : 0;
        for (size_t l = 0; l < t->first; l++)
            trial_launch(t, &m, side, NULL, b->x[side] + l, t->first,
                         b->canary[side] + l);
    }
    for (size_t i = 0; i < t->ncell; i++) {
        b->cell[i] = (struct chorale_compared){
            .canaries = trial_speakers(i),
        };
        b->cell[i].sides.base = trial_series(b->x[0], i, t->first);
        b->cell[i].sides.head = trial_series(b->x[1], i, t->first);
    }
    trial_canaries(t, b, 0, canary);
    rc = chorale_compare_judge(b->cell, t->ncell, canary, TRIAL_CANARIES,
                               &opts);
    for (size_t i = 0; i < t->ncell; i++) {
        b->mask[i] = (unsigned char)b->cell[i].looks_slower;
        out->flagged += b->mask[i];
    }
    if (rc == 0 && t->way != TRIAL_ONCE && out->flagged > 0) {
        trial_again(t, b, &m);
        trial_canaries(t, b, 1, canary);
        rc = chorale_compare_judge(b->cell, t->ncell, canary, TRIAL_CANARIES,
                                   &opts);
    }
    for (size_t i = 0; i < t->ncell && rc == 0; i++) {
        int red = b->cell[i].verdict == CHORALE_SLOWER;

        out->found += (size_t)(red && i < t->nslow);
        out->red += (size_t)(red && i >= t->nslow);
        out->machine += b->cell[i].verdict == CHORALE_MACHINE;
    }
    return rc;
}

#endif
