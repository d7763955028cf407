/* SPDX-License-Identifier: BSD-3-Clause */
/* session.h - a `chorale run` at work: what run.c starts and session.c hears
 * and judges. */
#ifndef CHORALE_TUNER_RUN_SESSION_H
#define CHORALE_TUNER_RUN_SESSION_H

#include "db/tail.h"
#include "tuner/run/runner_messages.h"
#include "tuner/run/launches.h"
#include "tuner/base/progress.h"
#include "tuner/run/run.h"
#include "tuner/base/process.h"

#define CHORALE_SUSPECT_ANY (-1LL) /* some cell that was being timed */

struct chorale_session {
    struct chorale_store *store;
    const struct chorale_run_opts *opts;
    struct chorale_progress bar;
    char what[64], last_err[512];
    int siblings;            /* communicators that call at once */
    int comm_size, end_code; /* the runner's own verdict, -1: none */
    int launch_failed;       /* it did not get to its first point */
    long long trying;        /* cell whose call is under way, 0: none said */
    long long suspect;       /* cell that ended the launch before this one;
                              * CHORALE_SUSPECT_ANY: it hung where none was
                              * said, so this one announces every repetition */
    int vain;                /* launches on end that brought nothing */
    int tried;               /* this one has come to its cells */
    int forced;              /* SimGrid is forced to an algorithm in it */
    int grouped;             /* several launches share this start */
    int one_per_p;           /* none shall any more */
    int false_starts;        /* of this one's kind, on end */
    long nleft;              /* cells that it was not to try again */
    double silence, hang;    /* seconds: allowed now, and during a call */
    int fresh;               /* points were stored since then: */
    double published;        /* when opts->launched was called last */
    double publishing;       /* seconds that it took then, 0: not known */
    struct chorale_notes notes;
    struct chorale_errmsg *msg;
};

/* A launch begins: nothing has been heard of it. fellow[0] is of all ranks. */
void chorale_session_begin(struct chorale_session *s,
                           const struct chorale_fellow *fellow, int count);
/* One line of the runner or of what started it; arg is the session. */
int chorale_session_line(void *arg, const char *line, int is_err);
/* Groups of a start that was killed leave files beside what they were
 * published to (db/tail.h), and so does a point under way: the database gets
 * what they have, of the latter as cuts says: *runs_p runs. Nobody measures into
 * it. */
enum chorale_err chorale_session_take_in(struct chorale_session *s,
                                         enum chorale_cuts cuts,
                                         sqlite3_int64 *runs_p);
/* Say what became of it, and blame what is to blame. */
enum chorale_err chorale_session_judge(struct chorale_session *s,
                                       const struct chorale_fellow *fellow,
                                       int count, enum chorale_ending ending,
                                       int status);

#endif
