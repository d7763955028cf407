/* SPDX-License-Identifier: BSD-3-Clause */
/* point.h - state and functions for measuring one point. measure.c runs the
 * stages, warm_up.c verifies, repeat.c repeats, judge_samples.c keeps the
 * samples, arrival.c delays ranks, count_point.c counts events. */
#ifndef CHORALE_RUNNERS_MEASURE_POINT_H
#define CHORALE_RUNNERS_MEASURE_POINT_H

#include "runners/measure/runner.h"

/* State of one point. Members marked "all" are the same on all ranks; the
 * others are valid on rank 0 only. */
struct chorale_timing {
    struct chorale_bench *bench;
    const struct chorale_task *task;
    struct chorale_problem prob;
    struct chorale_result *result;
    int ncand;               /* all */
    int nentry;              /* all; ncand, or ncand + 1 with the barrier */
    int batch;               /* all; calls in a repetition */
    double skew;             /* all; s, of the arrival pattern */
    int *active;             /* all [nentry]: still timed */
    int how;                 /* all; enum chorale_sync: the same for the whole
                              * point, so that candidates are comparable */
    double *window;          /* all [nentry]: longest repetition allowed, s */
    int *order;              /* all [nentry] */
    int round;               /* all */
    int at;                  /* all; index in order; 0: start of a round */
    int nlate, nlooked;      /* rank 0: late repetitions of nlooked, not judged
                              * yet */
    struct chorale_slot *slot; /* all: repetitions of the chunk */
    int nslot;
    double *value, *spare;   /* values of the slots, after a chunk on rank 0
                              * the maxima over all ranks; scratch, same size */
    struct chorale_interim *seen; /* [nentry] */
    int *room;               /* [nentry], samples allocated */
    double *longest;         /* [nentry], repetition of the last chunk, s */
    struct chorale_sample **sample; /* [nentry] */
    int *nsample;            /* [nentry] */
    double *work;            /* scratch, 2 nrep_max, for the stopping rule */
    double lead;             /* factor by which windows grow */
    double clock_error;      /* s, the worst since the first repetition */
    double looked;           /* common time of the last check of the clocks */
    int clock_lost;          /* 1: clocks too bad, and no time left */
    int doubted;             /* rank 0: messages were measured again */
    double said;             /* rank 0: time of its last heartbeat */
    int lacking;             /* 1: out of memory */
};

/* One repetition of a chunk. */
struct chorale_slot {
    int entry, round;
    double start;
};

static inline const struct chorale_cand *
chorale_timing_cand(const struct chorale_timing *t, int c)
{
    return &t->bench->work.cand[t->task->first + c];
}

#define CHORALE_NO_MEMORY \
    "memory: needs %.0f bytes a node, --max-memory is %.0f"

/* Set a result's status and its reason. */
void chorale_result_fail(struct chorale_result *res,
                         enum chorale_status status, const char *reason);

/* Number of roots that the repetitions take in turn. */
int chorale_timing_turns(const struct chorale_task *task);

/* Tell `chorale run` which candidate is called, in case the call ends the
 * program; 0: no candidate. */
void chorale_timing_announce(const struct chorale_timing *t, int64_t cell_id);

/* warm_up.c: check and verify all candidates; sets active. Returns an MPI error
 * code. */
int chorale_cands_admit(struct chorale_timing *t);

/* Median of a result's samples, s; NAN if out of memory. Rank 0. */
double chorale_result_median(const struct chorale_result *res);

/* count_point.c: count the events of a call of each candidate that is OK; sets
 * counter and stat of its result. Returns an MPI error code. */
int chorale_event_count(struct chorale_timing *t);

/* Verify the timed candidates once more. Returns an MPI error code. */
int chorale_verify_again(struct chorale_timing *t);

/* repeat.c: warm up all candidates, then repeat them, interleaved, until the
 * stopping rule ends them; fills their samples. Returns an MPI error code. */
int chorale_timing_run(struct chorale_timing *t);

/* judge_samples.c: 0, or -1 if out of memory; release in either case. */
int chorale_timing_init(struct chorale_timing *t);
void chorale_timing_release(struct chorale_timing *t);

/* arrival.c: delay of this rank in that round for a skew, both in s. */
double chorale_arrival_delay(const struct chorale_bench *bench,
                             enum chorale_arrival arrival, double skew,
                             int round);

/* Pseudo-random generator splitmix64. */
uint64_t chorale_random_next(uint64_t *state);

#endif
