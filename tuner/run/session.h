/* SPDX-License-Identifier: BSD-3-Clause */
/* session.h - state of a running `chorale run`: run_pending.c starts launches,
 * session.c parses their output and judges how they ended. */
#ifndef CHORALE_TUNER_RUN_SESSION_H
#define CHORALE_TUNER_RUN_SESSION_H

#include "tuner/run/runner_messages.h"
#include "tuner/run/launches.h"
#include "tuner/base/progress.h"
#include "tuner/run/run.h"
#include "tuner/base/process.h"

#define CHORALE_SUSPECT_ANY (-1LL) /* a cell being timed, unknown which */

struct chorale_session {
    struct chorale_store *store;
    const struct chorale_run_opts *opts;
    struct chorale_progress bar;
    char what[64], last_err[512];
    int siblings;            /* communicators that call concurrently */
    int comm_size, end_code; /* end_code: exit code reported by the runner, or
                              * -1 */
    int launch_failed;       /* the launch did not reach its first point */
    long long trying;        /* announced cell whose call is running, or 0 */
    long long suspect;       /* cell that ended the previous launch;
                              * CHORALE_SUSPECT_ANY: it hung in an unannounced
                              * call, so every repetition is now announced */
    int vain;                /* consecutive launches without new results */
    int tried;               /* this launch reached its cells */
    int forced;              /* SimGrid is forced to one algorithm */
    int grouped;             /* several launches share this start */
    int one_per_p;           /* shared starts are disabled from now on */
    int false_starts;        /* consecutive failed starts of this kind */
    long nleft;              /* cells marked as failed without being tried */
    double silence, hang;    /* s of silence allowed: now; in a call */
    double published;        /* time of the last call of opts->launched, s */
    struct chorale_notes notes;
    struct chorale_errmsg *msg;
};

/* Reset the state for a launch. fellow[0] uses all ranks. */
void chorale_session_begin(struct chorale_session *s,
                           const struct chorale_cosched *fellow, int count);
/* Process one output line of the runner or its launcher; arg is the session. */
int chorale_session_line(void *arg, const char *line, int is_err);
/* Report how the launch ended, and mark the cells that made it fail. */
enum chorale_err chorale_session_judge(struct chorale_session *s,
                                       const struct chorale_cosched *fellow,
                                       int count, enum chorale_ending ending,
                                       int status);

#endif
