/* SPDX-License-Identifier: BSD-3-Clause */
/* judge_samples.h - interface between repeat.c, which runs the repetitions, and
 * judge_samples.c, which turns their times into samples and judges whether they
 * are plausible. Except for the first three functions of judge_samples.c, all
 * are for rank 0 only. */
#ifndef CHORALE_RUNNERS_MEASURE_JUDGE_SAMPLES_H
#define CHORALE_RUNNERS_MEASURE_JUDGE_SAMPLES_H

#include "runners/measure/point.h"

#define CHORALE_CHUNK_MAX 32 /* rounds between two decisions */
#define CHORALE_SIM_REPS 2   /* repetitions that must be equal */
#define CHORALE_SIM_REPS_MAX 9 /* repetitions of candidates that differ */

/* Values of a repetition on a rank; combined by the maximum over all ranks. */
enum chorale_value {
    CHORALE_OUT, CHORALE_IN, CHORALE_MINUS_IN,
    CHORALE_MINUS_LEFT,      /* minus its start; IN is later by the skew */
    CHORALE_ROOT_OUT,
    CHORALE_OWN,             /* since its start, on its own clock */
    CHORALE_MEASURED,        /* values above are of the measured communicator,
                              * those from here on also of its siblings */
    CHORALE_LATE = CHORALE_MEASURED, CHORALE_FAILED,
    CHORALE_BUSY,            /* from the common start until ready again */
    CHORALE_SPENT,           /* the same, plus waiting for the start */
    CHORALE_NVALUE
};

/* 1 if a barrier separates the calls of a repetition; its time is
 * subtracted. */
int chorale_timing_separated(const struct chorale_timing *t);

/* 1 if each rank times itself, because the clocks differ and were not good
 * enough. A rank that leaves the barrier late may find its data there already,
 * so such times can be below the physical lower bound. */
int chorale_timing_own_clock(const struct chorale_timing *t);

/* Calls in a repetition, by the first rule that applies:
 * - 1 if a second call would not meet the conditions of the point;
 * - as set in the campaign;
 * - THROUGHPUT_BATCH for the metric throughput;
 * - as in earlier launches of the point;
 * - a power of two, at most BATCH_MAX, that makes the clock's resolution
 *   negligible.
 * least: the shortest call, s. */
int chorale_timing_batch(const struct chorale_timing *t, double least);

/* Lower *any to the shortest repetition of the chunk, and *library to the
 * library's shortest, s. If the clocks differ, each rank's own time is used,
 * because the common clock may be bad. */
void chorale_timing_min(const struct chorale_timing *t, double *any,
                        double *library);

/* Store a slot as a sample; v[CHORALE_NVALUE]: values over all ranks. Sets
 * lacking if out of memory. */
void chorale_sample_add(struct chorale_timing *t,
                        const struct chorale_slot *slot,
                        const double *v);

/* Recompute seen from the samples. */
void chorale_interim_recompute(struct chorale_timing *t);

/* 1 if the clock error is more than a share of the shortest candidate's
 * repetition, so that no candidate can be started by the common clock. */
int chorale_clock_fails(const struct chorale_timing *t);

/* Set aside all samples of the point, including those of the barriers, and
 * restart all candidates with start method `how`. The time spent still
 * counts. */
void chorale_timing_restart(struct chorale_timing *t, enum chorale_sync how);

/* Call after the last repetition. If the clocks failed, restarts all candidates
 * from a barrier, or marks the clocks as lost if a candidate has no time left.
 * Returns 1 if, for the first time in this point, a candidate is faster than
 * messages can be: measure messages again and call chorale_timing_redo(). */
int chorale_timing_check(struct chorale_timing *t);

/* If a candidate is still faster than messages can be, time all candidates once
 * more; those without time left get three repetitions. */
void chorale_timing_redo(struct chorale_timing *t);

/* judge_simulated.c: candidates have CHORALE_SIM_REPS repetitions of each of
 * `turns` roots. Those with equal times are done; the others stay active. */
void chorale_judge_pairs(struct chorale_timing *t, int turns);
/* The same with CHORALE_SIM_REPS_MAX repetitions: sets stop_reason to "width"
 * if the median of each root is known to the target width, else "unequal". */
void chorale_judge_medians(struct chorale_timing *t, int turns);

/* Move the samples to the results and subtract the separating barrier. */
void chorale_timing_results(struct chorale_timing *t);

#endif
