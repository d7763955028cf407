/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c - parse the output of launches, and find the cause of failures. */
#include "config.h"

#include "tuner/run/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/base/units.h"
#define VAIN_MAX 4           /* consecutive launches without new results */

/* How informative an error line is. The runner's own line is best. Then comes
 * srun's line about the task that ended first; other tasks may fail later and
 * print more. Of equally informative lines the first is kept. */
static int error_line_rank(const char *line)
{
    if (strncmp(line, "chorale-runner: ", 16) == 0)
        return 2;
    return strncmp(line, "srun: error: ", 13) == 0 &&
           strstr(line, ": task") != NULL;
}

/* Whether a line has text: Open MPI frames messages with lines of dashes. */
static int has_text(const char *line)
{
    return line[strspn(line, " \t-=_*#")] != '\0';
}

/* A point has been stored: publish, if the last publication is old enough. An
 * error here is reported after the launch, when it recurs. */
static void publish(struct chorale_session *s)
{
    struct chorale_errmsg why;

    if (s->opts->launched == NULL ||
        chorale_seconds() - s->published < s->opts->publish_seconds)
        return;
    s->opts->launched(s->opts->launched_arg, s->store, &why);
    s->published = chorale_seconds();
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
        if (!s->grouped)
            publish(s);
        return 0;
    }
    if (!is_err && strcmp(line, "@stored") == 0) { /* by rank 0 of a group */
        publish(s);
        return 0;
    }
    if (!is_err && sscanf(line, "@try %lld", &s->trying) == 1) {
        if (s->grouped)
            s->trying = 0; /* one group has finished, the others go on */
        s->tried = 1;
        s->false_starts = 0;
        s->silence = s->trying > 0 ? s->hang : s->opts->stall_seconds;
        return 0;
    }
    if (!is_err && sscanf(line, "@end %d", &s->end_code) == 1)
        return 1;
    if (is_err && chorale_notes_pass(&s->notes, &s->bar, line))
        return 0;
    if (is_err && has_text(line) &&
        (s->last_err[0] == '\0' ||
         error_line_rank(line) > error_line_rank(s->last_err)))
        snprintf(s->last_err, sizeof(s->last_err), "%s", line);
    if (s->opts->verbose) {
        chorale_progress_clear(&s->bar);
        fprintf(stderr, "%s\n", line);
    }
    return 0;
}

/* A launch ended or hung in a call of a cell. Mark the cell as failed if this
 * is its second time; other cells continue. */
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
    err = chorale_launch_fail_cell(s->store, uuid, s->trying, text, &count,
                                   s->msg);
    chorale_progress_step(&s->bar, 1, s->what);
    return err;
}

/* A simulation with a forced algorithm ended before its first cell, because
 * SimGrid itself calls collectives. Mark all its cells as failed the second
 * time. */
static enum chorale_err fail_all_cells(struct chorale_session *s,
                                       const char *uuid,
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
    err = chorale_launch_fail_cell(s->store, uuid, 0, text, &count, s->msg);
    chorale_progress_step(&s->bar, count, s->what);
    return err;
}

/* Describe why a launch ended. */
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

/* Find the cause if the runner reported no exit code: a rank died or hung.
 * stored: number of runs that the launch stored. */
static enum chorale_err find_fault(struct chorale_session *s, const char *uuid,
                                   int hung, const char *reason,
                                   sqlite3_int64 stored)
{
    s->vain = stored > 0 ? 0 : s->vain + 1;
    if (s->forced && !s->tried && stored == 0)
        return fail_all_cells(s, uuid, hung, reason);
    if (s->trying > 0 && s->vain <= VAIN_MAX)
        return blame(s, uuid, hung, reason);
    if ((hung || s->tried) &&
        (stored > 0 || s->suspect != CHORALE_SUSPECT_ANY) &&
        s->vain <= VAIN_MAX) {
        s->suspect = CHORALE_SUSPECT_ANY; /* a cell being timed */
        return CHORALE_OK;
    }
    if (stored > 0)
        return CHORALE_OK; /* it made progress: a new launch does the rest */
    return chorale_fail(s->msg, CHORALE_ENV,
                        "a launch of %d ranks failed before its first point "
                        "was stored: %s; `chorale run -v` shows more, `chorale "
                        "doctor -P %d` tries the launcher",
                        s->comm_size * s->siblings, reason,
                        s->comm_size * s->siblings);
}

void chorale_session_begin(struct chorale_session *s,
                           const struct chorale_cosched *fellow, int count)
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
    s->published = chorale_seconds();
    s->last_err[0] = '\0';
}

/* Mark the unfinished launches as failed; *stored: runs of all launches. */
static enum chorale_err mark_failed(struct chorale_session *s,
                                    const struct chorale_cosched *fellow,
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

enum chorale_err chorale_session_judge(struct chorale_session *s,
                                       const struct chorale_cosched *fellow,
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
        return CHORALE_OK; /* everything is stored, however it ended */
    }
    explain(s, ending, status, reason, sizeof(reason));
    err = mark_failed(s, fellow, count, reason, &stored);
    if (err != CHORALE_OK)
        return err;
    stored -= s->nleft;
    if (ending == CHORALE_ENDED_STOPPED || s->end_code == CHORALE_STOPPED)
        return chorale_fail(s->msg, CHORALE_STOPPED,
                            "stopped; all finished points are stored, and "
                            "the same command goes on from here");
    /* Separate starts will show which launch fails. */
    if (s->grouped) {
        s->one_per_p = 1;
        return CHORALE_OK;
    }
    s->launch_failed = stored == 0;
    if (s->end_code > 0) {
        /* A full disk or a lost file affects all launches. */
        s->launch_failed = s->launch_failed &&
                           strstr(reason, "the launch") != NULL;
        return chorale_fail(s->msg, (enum chorale_err)s->end_code, "%s",
                            reason);
    }
    return find_fault(s, fellow->uuid, ending == CHORALE_ENDED_STALLED,
                      reason, stored);
}
