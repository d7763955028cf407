/* SPDX-License-Identifier: BSD-3-Clause */
/* judge_samples.h - between repeat.c, which repeats, and judge_samples.c, which makes samples
 * of what a repetition leaves and says whether they can be believed. All of
 * judge_samples.c but the first three is rank 0's. */
#ifndef CHORALE_RUNNERS_MEASURE_JUDGE_SAMPLES_H
#define CHORALE_RUNNERS_MEASURE_JUDGE_SAMPLES_H

#include "runners/measure/point.h"

#define CHORALE_CHUNK_MAX 32 /* rounds between two decisions */
#define CHORALE_SIM_REPS 2   /* repetitions that must be equal */
#define CHORALE_SIM_REPS_MAX 9 /* of candidates where they are not */

/* What a repetition leaves on a rank; the largest of all ranks counts. */
enum chorale_value {
    CHORALE_OUT, CHORALE_IN, CHORALE_MINUS_IN,
    CHORALE_MINUS_LEFT,      /* when it was let go; IN is later by the skew */
    CHORALE_ROOT_OUT,
    CHORALE_OWN,             /* since it was let go, on its own clock */
    CHORALE_MEASURED,        /* those above are of the communicator that is
                              * measured, those below also of its siblings */
    CHORALE_LATE = CHORALE_MEASURED, CHORALE_FAILED,
    CHORALE_BUSY,            /* from the start until it is ready again */
    CHORALE_SPENT,           /* with getting together */
    CHORALE_NVALUE
};

int chorale_simulated(void);

/* Between two calls of a repetition there is a barrier, to be subtracted. */
int chorale_separated(const struct chorale_timing *t);

/* The clocks are not one and were not good enough: each rank times itself. A
 * rank that leaves the barrier late may find its data there, so that such
 * times may be below what messages take. */
int chorale_own_times(const struct chorale_timing *t);

/* Calls a repetition: what the campaign says, or what the point had in earlier
 * launches, else so many, a power of two, that the clock's steps do not
 * count; 1 where a second call would not meet the conditions of the point.
 * least: seconds of the shortest call. */
int chorale_batch_of(const struct chorale_timing *t, double least);

/* A repetition is one call, whatever the calls of other candidates take, if the
 * shortest call of some takes least seconds: the others may be looked at
 * later. */
int chorale_slow(const struct chorale_timing *t, double least);

/* Lower *any to the shortest repetition of the chunk, *library to the
 * library's shortest, s. On clocks that are not one each rank times itself:
 * the common one may be bad. */
void chorale_shortest(const struct chorale_timing *t, double *any,
                      double *library);

/* A slot becomes a sample; v[CHORALE_NVALUE]: of all ranks. Sets lacking if
 * there is no memory. */
void chorale_keep(struct chorale_timing *t, const struct chorale_slot *slot,
                  const double *v);

/* Bring seen up to date. */
void chorale_seen_all(struct chorale_timing *t);

/* The clocks are off by more than a share of the shortest candidate's
 * repetition: no candidate can be started by them. */
int chorale_clock_fails(const struct chorale_timing *t);

/* Any candidate is faster than messages can be. */
int chorale_any_below(const struct chorale_timing *t);

/* Set aside all samples of the point, the barriers' too, and make all
 * candidates begin again, started that way. Time that is spent is not given
 * back. */
void chorale_start_again(struct chorale_timing *t, enum chorale_sync how);

/* After the last repetition. Clocks that fail: again from a barrier, or, if a
 * candidate has no time left, marks that they were lost. Returns 1 if some
 * candidate is faster than messages are, for the first time in this point:
 * messages are to be measured again, and then chorale_doubt called. */
int chorale_settle(struct chorale_timing *t);

/* If a candidate is still faster than messages: all of them once more, those
 * whose time is spent for three repetitions. */
void chorale_doubt(struct chorale_timing *t);

/* Results as they would be if nothing came any more: result[ncand], whose
 * samples are to be freed. What is set aside is left out, and nothing is
 * counted. 0, or -1: there is no memory, and nothing to be freed. */
int chorale_seen_so_far(const struct chorale_timing *t,
                        struct chorale_result *result);

/* judge_simulated.c: of candidates with CHORALE_SIM_REPS repetitions of each of so
 * many roots those whose times are equal are done, the others stay active. */
void chorale_judge_pairs(struct chorale_timing *t, int turns);
/* With CHORALE_SIM_REPS_MAX of each: is each root's median known as well as it
 * shall be? Sets stop_reason. */
void chorale_judge_medians(struct chorale_timing *t, int turns);

/* The samples to their results, without the separating barrier. */
void chorale_hand_over(struct chorale_timing *t);

#endif
