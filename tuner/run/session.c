/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c - what launches say, and whose fault it is when they end badly:
 * see session.h. */
#include "config.h"

#include "tuner/run/session.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "db/mark.h"
#include "tuner/base/open_shard.h"

#define VAIN_MAX 4           /* launches on end that brought nothing */
#define PUBLISH_SHARE 0.01   /* of a launch's time, to publish meanwhile */

/* The runner's own line says best why a launch ended, then that of srun on the
 * task that ended first: others may die of its silence and say so at length. Of
 * equals the first one said counts. */
static int telling(const char *line)
{
    if (strncmp(line, "chorale-runner: ", 16) == 0)
        return 2;
    return strncmp(line, "srun: error: ", 13) == 0 &&
           strstr(line, ": task") != NULL;
}

/* Open MPI frames what it says with lines of dashes. */
static int says_something(const char *line)
{
    return line[strspn(line, " \t-=_*#")] != '\0';
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What is stored so far is passed on, if it is time: at once as long as that
 * takes next to nothing. Between two copies the runner's tail has it
 * (db/tail.h): nothing is lost with a node. What fails now is told when the
 * launch has ended and it fails again. */
static void publish(struct chorale_session *s)
{
    double began = now(), since = began - s->published;
    struct chorale_errmsg why;

    if (!s->fresh || s->opts->launched == NULL ||
        (since < s->opts->publish_seconds &&
         since * PUBLISH_SHARE < s->publishing))
        return;
    s->opts->launched(s->opts->launched_arg, s->store, &why);
    s->published = now();
    s->publishing = s->published - began;
    s->fresh = 0;
}

int chorale_session_line(void *arg, const char *line, int is_err)
{
    struct chorale_session *s = arg;
    char coll[32];
    long ncell;
    long long m;
    int comm_size;

    if (!is_err && sscanf(line, "@point %ld %31s %lld %d", &ncell, coll, &m,
                          &comm_size) == 4) {
        snprintf(s->what, sizeof(s->what), "%s P=%d m=%lld", coll, comm_size,
                 m);
        chorale_progress_step(&s->bar, ncell, s->what);
        s->fresh = 1;
        publish(s);
        return 0;
    }
    if (!is_err && sscanf(line, "@try %lld", &s->trying) == 1) {
        if (s->grouped)
            s->trying = 0; /* of one group: the others go on */
        s->tried = 1;
        s->false_starts = 0;
        s->silence = s->trying > 0 ? s->hang : s->opts->stall_seconds;
        publish(s);
        return 0;
    }
    if (!is_err && sscanf(line, "@end %d", &s->end_code) == 1)
        return 1;
    if (is_err && chorale_notes_pass(&s->notes, &s->bar, line))
        return 0;
    if (is_err && says_something(line) &&
        (s->last_err[0] == '\0' || telling(line) > telling(s->last_err)))
        snprintf(s->last_err, sizeof(s->last_err), "%s", line);
    if (s->opts->verbose) {
        chorale_progress_clear(&s->bar);
        fprintf(stderr, "%s\n", line);
    }
    return 0;
}

/* A launch ended or hung in a call of a cell. The second time in the same
 * cell, that cell has failed and the others go on. */
static enum chorale_err blame(struct chorale_session *s, const char *uuid,
                              int hung, const char *reason)
{
    char text[700];
    int again = s->suspect == s->trying || s->suspect == CHORALE_SUSPECT_ANY;
    long count;
    enum chorale_err err;

    s->suspect = s->trying;
    if (!again)
        return CHORALE_OK;
    s->vain = 0;
    snprintf(text, sizeof(text), "%s%s", hung ? "" : CHORALE_ENDED_PROGRAM,
             reason);
    err = chorale_launch_blame(s->store, uuid, s->trying, text, &count,
                               s->msg);
    chorale_progress_step(&s->bar, 1, s->what);
    return err;
}

/* A simulated program that an algorithm is forced on ended before its first
 * cell: SimGrid itself calls collectives. The second time they all failed. */
static enum chorale_err blame_all(struct chorale_session *s, const char *uuid,
                                  int hung, const char *reason)
{
    char text[700];
    long count = 0;
    enum chorale_err err = CHORALE_OK;

    if (++s->false_starts < 2)
        return CHORALE_OK;
    s->false_starts = 0;
    s->vain = 0;
    snprintf(text, sizeof(text), "%s%s", hung ? "" : CHORALE_ENDED_PROGRAM,
             reason);
    err = chorale_launch_blame(s->store, uuid, 0, text, &count, s->msg);
    chorale_progress_step(&s->bar, count, s->what);
    return err;
}

/* Why a launch ended, in words. */
static void explain(const struct chorale_session *s, enum chorale_ending ending,
                    int status, char *reason, size_t size)
{
    const char *said = s->last_err;

    if (strncmp(said, "chorale-runner: ", 16) == 0)
        said += 16;
    if (ending == CHORALE_ENDED_STOPPED || s->end_code == CHORALE_STOPPED)
        snprintf(reason, size, "stopped");
    else if (ending == CHORALE_ENDED_STALLED)
        snprintf(reason, size, CHORALE_HANG "silent for %g s", s->silence);
    else if (said[0] != '\0')
        snprintf(reason, size, "%s", said);
    else if (WIFSIGNALED(status))
        snprintf(reason, size, "killed by signal %d", WTERMSIG(status));
    else
        snprintf(reason, size, "exit code %d", WEXITSTATUS(status));
}

/* It ended without a verdict of its own, a rank died or hung: whose fault was
 * it? stored: runs that it brought. */
static enum chorale_err find_fault(struct chorale_session *s, const char *uuid,
                                   int hung, const char *reason,
                                   sqlite3_int64 stored)
{
    s->vain = stored > 0 ? 0 : s->vain + 1;
    if (s->forced && !s->tried && stored == 0)
        return blame_all(s, uuid, hung, reason);
    if (s->trying > 0 && s->vain <= VAIN_MAX)
        return blame(s, uuid, hung, reason);
    if ((hung || s->tried) &&
        (stored > 0 || s->suspect != CHORALE_SUSPECT_ANY) &&
        s->vain <= VAIN_MAX) {
        s->suspect = CHORALE_SUSPECT_ANY; /* in a cell that was being timed */
        return CHORALE_OK;
    }
    if (stored > 0)
        return CHORALE_OK; /* it got on: try the rest in a new launch */
    return chorale_fail(s->msg, CHORALE_ENV,
                        "a launch of %d ranks failed before its first point "
                        "was stored: %s; `chorale run -v` shows all that it "
                        "prints, `chorale doctor -P %d` tries the launcher",
                        s->comm_size * s->siblings, reason,
                        s->comm_size * s->siblings);
}

enum chorale_err chorale_session_take_in(struct chorale_session *s,
                                         enum chorale_cuts cuts,
                                         sqlite3_int64 *runs_p)
{
    const char *path = s->opts->published;
    char real[PATH_MAX];
    unsigned other = 0;
    enum chorale_err err;

    /* What the runner is called with: run.c. */
    if (path == NULL)
        path = realpath(chorale_store_path(s->store), real);
    if (path == NULL)
        return chorale_fail_long(s->msg, chorale_store_path(s->store));
    err = chorale_tail_take_in(s->store, path, cuts, runs_p, &other, s->msg);
    chorale_read_left_out(path, other);
    return err;
}

void chorale_session_begin(struct chorale_session *s,
                           const struct chorale_fellow *fellow, int count)
{
    s->comm_size = fellow->p.comm_size;
    s->siblings = fellow->p.siblings;
    s->grouped = count > 1;
    s->end_code = -1;
    s->launch_failed = 0;
    s->trying = 0;
    s->tried = 0;
    s->nleft = 0;
    s->silence = s->opts->stall_seconds;
    s->fresh = 0;
    s->published = now();
    s->last_err[0] = '\0';
}

/* Those that have not been done are marked; *stored: runs that all brought. */
static enum chorale_err mark_failed(struct chorale_session *s,
                                    const struct chorale_fellow *fellow,
                                    int count, const char *reason,
                                    sqlite3_int64 *stored)
{
    enum chorale_err err = CHORALE_OK;

    *stored = 0;
    for (int i = 0; i < count && err == CHORALE_OK; i++) {
        sqlite3_int64 brought = 0;

        err = chorale_launch_failed(s->store, fellow[i].uuid, reason, s->msg);
        if (err == CHORALE_OK)
            err = chorale_launch_runs(s->store, fellow[i].uuid, &brought,
                                      s->msg);
        *stored += brought;
    }
    return err;
}

/* What a rank died of, 0: nothing is known. Launchers pass it on, as it is or
 * as a shell does. */
static int died_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) & 127
           : WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static int crashed(int status)
{
    int signal = WIFEXITED(status) ? died_of(status) : 0;

    return signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS ||
           signal == SIGFPE || signal == SIGILL;
}

/* What it had of the point under way; and which cell was being called, the one
 * that may be to blame. */
static enum chorale_err take_in_rest(struct chorale_session *s,
                                     const struct chorale_fellow *fellow,
                                     enum chorale_ending ending, int status)
{
    enum chorale_cuts cuts = CHORALE_CUTS_MARKED;
    sqlite3_int64 runs = 0;
    int64_t called;
    enum chorale_err err;

    if (s->end_code >= 0) /* it has a verdict of its own */
        cuts = CHORALE_CUTS_NONE;
    else if (ending == CHORALE_ENDED_STOPPED)
        cuts = CHORALE_CUTS_ALL;
    else if (ending == CHORALE_ENDED && crashed(status))
        cuts = CHORALE_CUTS_NONE;
    else if (ending == CHORALE_ENDED && died_of(status) == SIGKILL)
        cuts = CHORALE_CUTS_KILLED;
    err = chorale_session_take_in(s, cuts, &runs);
    if (err == CHORALE_OK && runs > 0)
        chorale_progress_step(&s->bar, (long)runs, s->what);
    /* What was announced before all had left the one before may be wrong. */
    called = chorale_mark_read(fellow->uuid);
    if (!s->grouped && called > 0)
        s->trying = called;
    return err;
}

enum chorale_err chorale_session_judge(struct chorale_session *s,
                                       const struct chorale_fellow *fellow,
                                       int count, enum chorale_ending ending,
                                       int status)
{
    sqlite3_int64 stored = 0;
    char reason[600];
    enum chorale_err err;

    if (s->end_code == 0) {
        if (s->suspect == CHORALE_SUSPECT_ANY)
            s->suspect = 0;
        s->vain = 0;
        return CHORALE_OK; /* all is stored, however it ended */
    }
    explain(s, ending, status, reason, sizeof(reason));
    err = take_in_rest(s, fellow, ending, status);
    if (err == CHORALE_OK)
        err = mark_failed(s, fellow, count, reason, &stored);
    if (err != CHORALE_OK)
        return err;
    stored -= s->nleft;
    if (ending == CHORALE_ENDED_STOPPED || s->end_code == CHORALE_STOPPED)
        return chorale_fail(s->msg, CHORALE_STOPPED,
                            "stopped; all finished points are stored, and "
                            "the same command goes on from here");
    /* One by one they show whose fault it was. */
    if (s->grouped) {
        s->one_per_p = 1;
        return CHORALE_OK;
    }
    s->launch_failed = stored == 0;
    if (s->end_code > 0) {
        /* A full disk or a lost file is no matter of this launch alone. */
        s->launch_failed = s->launch_failed &&
                           strstr(reason, "the launch") != NULL;
        return chorale_fail(s->msg, (enum chorale_err)s->end_code, "%s",
                            reason);
    }
    return find_fault(s, fellow->uuid, ending == CHORALE_ENDED_STALLED,
                      reason, stored);
}
