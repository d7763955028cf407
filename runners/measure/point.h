/* SPDX-License-Identifier: BSD-3-Clause */
/* point.h - what the parts of measuring one point share: measure.c holds it
 * together, warm_up.c verifies, repeat.c repeats, judge_samples.c keeps the samples,
 * arrival.c makes ranks late, counting.c counts. */
#ifndef CHORALE_RUNNERS_MEASURE_POINT_H
#define CHORALE_RUNNERS_MEASURE_POINT_H

#include "runners/measure/runner.h"

/* One point while it is measured. "All" are the same on all ranks, the others
 * are rank 0's. */
struct chorale_timing {
    struct chorale_bench *bench;
    const struct chorale_task *task;
    struct chorale_problem prob;
    struct chorale_result *result;
    int ncand;               /* all */
    int nentry;              /* all; ncand, and the separating barrier */
    int batch;               /* all; calls a repetition */
    double skew;             /* all; s, of the arrival pattern */
    int *active;             /* all [nentry]: still timed */
    int how;                 /* all; enum chorale_sync: one for the point, so
                              * that its candidates can be compared */
    double *window;          /* all [nentry]: s, that a repetition may take */
    int *order;              /* all [nentry] */
    int round;               /* all */
    int at;                  /* all; place in order of a round, 0: its start */
    int nrep;                /* all; repetitions of the next chunk */
    int nadmitted;           /* all; candidates that were looked at */
    int parts;               /* all; in more than one go, */
    int whole;               /* or not, since calls are not slow */
    int warmed;              /* all; some have been called untimed */
    int nlate, nlooked;      /* rank 0: late repetitions, of so many, of which
                              * it is not yet said whether they are too many */
    double shortest;         /* all; s, of any call while it was verified */
    double begun;            /* rank 0: when the point began, MPI_Wtime() */
    struct chorale_slot *slot; /* all: of the chunk */
    int nslot;
    double *value, *spare;   /* of the slots, after a chunk on rank 0 those
                              * of all ranks; as many, scratch */
    struct chorale_seen *seen; /* [nentry] */
    int *room;               /* [nentry], samples allocated */
    double *longest;         /* [nentry], of the last chunk, s */
    struct chorale_sample **sample; /* [nentry] */
    int *nsample;            /* [nentry] */
    double *work;            /* two times nrep_max, for the stopping rule */
    double lead;             /* windows grow by this factor */
    double clock_error;      /* s, the worst since the first repetition */
    double looked;           /* common time when the clocks were checked */
    int clock_lost;          /* they were too bad, and no time was left */
    int doubted;             /* rank 0: messages were measured again */
    double said;             /* rank 0: when it last said that it goes on */
    int lacking;             /* out of memory */
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

/* Roots that the repetitions take in turn. */
int chorale_timing_turns(const struct chorale_task *task);

/* `chorale run` learns which candidate is called, should it end the program;
 * 0: none. All ranks have left the last one. say: they may not have, or nobody
 * knows. */
void chorale_timing_announce(const struct chorale_timing *t, int64_t cell_id);
void chorale_timing_say(const struct chorale_timing *t, int64_t cell_id);

/* warm_up.c: refuse, verify those that have not been looked at; sets active and
 * nadmitted. Where calls are slow it stops after some, at least one, when they
 * take what a cell may, warmed up and timed once: that comes before the others
 * are verified, so that what a kill takes stays small (cut.h). Returns an MPI
 * error code. */
int chorale_admit(struct chorale_timing *t);

/* Median of its samples, s; NAN: there is no memory. Rank 0. */
double chorale_result_median(const struct chorale_result *res);

/* counting.c: what each candidate that is OK does in a call, by the counters:
 * sets counter and stat of its result. Returns an MPI error code. */
int chorale_count(struct chorale_timing *t);

/* The same check once more of those that were timed. */
int chorale_verify_again(struct chorale_timing *t);

/* repeat.c: the candidates from first on that have been admitted, warmed up,
 * and, where others are still to be admitted or have been before, timed once;
 * or whole is set, and they are to begin with the others.
 * Then all of them, interleaved, until they have been seen enough; fills their
 * samples. Returns an MPI error code. */
int chorale_timing_begin(struct chorale_timing *t, int first);
int chorale_timing_run(struct chorale_timing *t);

/* judge_samples.c: 0, or -1: out of memory; release in any case. */
int chorale_timing_init(struct chorale_timing *t);
void chorale_timing_release(struct chorale_timing *t);

/* arrival.c: how late a rank comes in that round, s, of a skew. */
double chorale_arrival_delay(const struct chorale_bench *bench,
                             enum chorale_arrival arrival, double skew,
                             int round);

/* splitmix64. */
uint64_t chorale_random(uint64_t *state);

#endif
