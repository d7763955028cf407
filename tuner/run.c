/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c - execute what is pending: the verb `run`. One launch of the runner
 * at a time; it stores each point as it is done, so whatever ends a launch,
 * the next one goes on from there. */
#include "config.h"

#include "tuner/run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "db/systems.h"
#include "tuner/launch_notes.h"
#include "tuner/launcher.h"
#include "tuner/pending.h"
#include "tuner/plan.h"
#include "tuner/progress.h"
#include "tuner/verb.h"

#define ORPHAN_SECONDS 10
#define HANG_SECONDS 60.0    /* or this many times a cell's time cap */
#define HANG_CAPS 60.0
#define VAIN_MAX 4           /* launches on end that brought nothing */
#define SUSPECT_ANY (-1LL)   /* some cell that was being timed */

struct session {
    struct chorale_store *store;
    const struct chorale_run_opts *opts;
    struct chorale_progress bar;
    char what[64], last_err[512];
    int siblings;            /* communicators that call at once */
    int comm_size, end_code; /* the runner's own verdict, -1: none */
    int launch_failed;       /* it did not get to its first point */
    long long trying;        /* cell whose call is under way, 0: none said */
    long long suspect;       /* cell that ended the launch before this one;
                              * SUSPECT_ANY: it hung where none was said, so
                              * this one announces every repetition */
    int vain;                /* launches on end that brought nothing */
    int tried;               /* this one has come to its cells */
    int forced;              /* SimGrid is forced to an algorithm in it */
    int false_starts;        /* of this one's kind, on end */
    long nleft;              /* cells that it was not to try again */
    double silence, hang;    /* seconds: allowed now, and during a call */
    struct chorale_notes notes;
    struct chorale_errmsg *msg;
};

/* What the campaign says of its launches; free launcher->platform. */
static enum chorale_err load_launcher(struct session *s,
                                      const struct chorale_pending *p,
                                      struct chorale_launcher *launcher,
                                      char network[16], char selector[512],
                                      sqlite3_int64 *seed)
{
    double hang;
    sqlite3_stmt *stmt = NULL;
    int row = 0;
    enum chorale_err err;

    err = chorale_store_prepare(
        s->store,
        "SELECT launcher, platform, network, sim_selector, seed,"
        "       EXISTS (SELECT 1 FROM cell c WHERE c.system_id = ?2"
        "                  AND c.comm_size = ?3 AND c.provider = 'native'"
        "                  AND c.part = '' AND ?4 = ''),"
        "       cell_seconds"
        "  FROM campaign WHERE campaign_id = ?1", &stmt, s->msg);
    if (err != CHORALE_OK)
        return err;
    sqlite3_bind_int64(stmt, 1, p->campaign_id);
    sqlite3_bind_int64(stmt, 2, p->system_id);
    sqlite3_bind_int(stmt, 3, p->comm_size);
    sqlite3_bind_text(stmt, 4, p->part, -1, SQLITE_STATIC);
    err = chorale_store_step(s->store, stmt, &row, s->msg);
    if (err == CHORALE_OK && row) {
        const char *text[4];

        for (int i = 0; i < 4; i++)
            text[i] = (const char *)sqlite3_column_text(stmt, i);
        snprintf(launcher->kind, sizeof(launcher->kind), "%s", text[0]);
        launcher->platform = strdup(text[1]);
        snprintf(network, 16, "%s", text[2]);
        snprintf(selector, 512, "%s", text[3]);
        launcher->network = network;
        launcher->selector = selector;
        launcher->command = s->opts->launcher_cmd;
        launcher->module = s->opts->module;
        launcher->served = s->opts->served;
        launcher->mpi = s->opts->mpi;
        launcher->bind = s->opts->bind;
        *seed = sqlite3_column_int64(stmt, 4);
        launcher->native = sqlite3_column_int(stmt, 5);
        launcher->forced = strchr(p->part, ':') != NULL ? p->part : NULL;
        hang = HANG_CAPS * sqlite3_column_double(stmt, 6);
        if (s->opts->hang_seconds > 0)
            s->hang = s->opts->hang_seconds;
        else if (strcmp(launcher->kind, "smpirun") == 0)
            s->hang = s->opts->stall_seconds; /* one call may compute long */
        else
            s->hang = hang > HANG_SECONDS ? hang : HANG_SECONDS;
        if (launcher->platform == NULL)
            err = chorale_fail(s->msg, CHORALE_ENV, "out of memory");
        else if (strcmp(launcher->kind, "smpirun") == 0 &&
                 !chorale_selector_ok(selector))
            err = chorale_fail(s->msg, CHORALE_DATA,
                               "%s: campaign %lld has a --sim-selector that "
                               "is none: '%.100s'; plan its cells again",
                               chorale_store_path(s->store),
                               (long long)p->campaign_id, selector);
        else if (launcher->forced != NULL &&
                 (strcmp(launcher->kind, "smpirun") != 0 ||
                  !chorale_forced_ok(launcher->forced)))
            err = chorale_fail(s->msg, CHORALE_DATA,
                               "%s: cells of P = %d are of part '%s', which "
                               "is none that %s can start; plan them again "
                               "into another database",
                               chorale_store_path(s->store), p->comm_size,
                               p->part, launcher->kind);
        else if (strcmp(launcher->kind, "custom") == 0 &&
                 launcher->command == NULL)
            err = chorale_fail(s->msg, CHORALE_USAGE,
                               "%s was planned with a launcher of its own: "
                               "give it again with --launcher-cmd (commands "
                               "are not taken from a file)",
                               chorale_store_path(s->store));
    }
    sqlite3_finalize(stmt);
    return err;
}

/* Open MPI frames what it says with lines of dashes. */
static int says_something(const char *line)
{
    return line[strspn(line, " \t-=_*#")] != '\0';
}

/* One line of the runner or of what started it. */
static int on_line(void *arg, const char *line, int is_err)
{
    struct session *s = arg;
    char coll[32];
    long ncell;
    long long m;

    if (!is_err && sscanf(line, "@point %ld %31s %lld", &ncell, coll, &m) ==
                       3) {
        snprintf(s->what, sizeof(s->what), "%s P=%d m=%lld", coll,
                 s->comm_size, m);
        chorale_progress_step(&s->bar, ncell, s->what);
        return 0;
    }
    if (!is_err && sscanf(line, "@try %lld", &s->trying) == 1) {
        s->tried = 1;
        s->false_starts = 0;
        s->silence = s->trying > 0 ? s->hang : s->opts->stall_seconds;
        return 0;
    }
    if (!is_err && sscanf(line, "@end %d", &s->end_code) == 1)
        return 1;
    if (is_err && chorale_notes_pass(&s->notes, &s->bar, line))
        return 0;
    /* The runner's own line says it best, then the first one said. */
    if (is_err && says_something(line) &&
        (s->last_err[0] == '\0' ||
         (strncmp(line, "chorale-runner: ", 16) == 0 &&
          strncmp(s->last_err, "chorale-runner: ", 16) != 0)))
        snprintf(s->last_err, sizeof(s->last_err), "%s", line);
    if (s->opts->verbose) {
        chorale_progress_clear(&s->bar);
        fprintf(stderr, "%s\n", line);
    }
    return 0;
}

/* A launch ended or hung in a call of a cell. The second time in the same
 * cell, that cell has failed and the others go on. */
static enum chorale_err blame(struct session *s, const char *uuid, int hung,
                              const char *reason)
{
    char text[700];
    int again = s->suspect == s->trying || s->suspect == SUSPECT_ANY;
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
static enum chorale_err blame_all(struct session *s, const char *uuid,
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
static void explain(const struct session *s, enum chorale_ending ending,
                    int status, char *reason, size_t size)
{
    const char *said = s->last_err;

    if (strncmp(said, "chorale-runner: ", 16) == 0)
        said += 16;
    if (ending == CHORALE_ENDED_STOPPED)
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
static enum chorale_err find_fault(struct session *s, const char *uuid,
                                   int hung, const char *reason,
                                   sqlite3_int64 stored)
{
    s->vain = stored > 0 ? 0 : s->vain + 1;
    if (s->forced && !s->tried && stored == 0)
        return blame_all(s, uuid, hung, reason);
    if (s->trying > 0 && s->vain <= VAIN_MAX)
        return blame(s, uuid, hung, reason);
    if ((hung || s->tried) && (stored > 0 || s->suspect != SUSPECT_ANY) &&
        s->vain <= VAIN_MAX) {
        s->suspect = SUSPECT_ANY; /* in a cell that was being timed */
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

/* Say what became of a launch that did not end well. */
static enum chorale_err judge(struct session *s, const char *uuid,
                              enum chorale_ending ending, int status)
{
    sqlite3_int64 stored = 0;
    char reason[600];
    enum chorale_err err;

    if (s->end_code == 0) {
        if (s->suspect == SUSPECT_ANY)
            s->suspect = 0;
        s->vain = 0;
        return CHORALE_OK; /* all is stored, however it ended */
    }
    explain(s, ending, status, reason, sizeof(reason));
    err = chorale_launch_failed(s->store, uuid, reason, s->msg);
    if (err == CHORALE_OK)
        err = chorale_launch_runs(s->store, uuid, &stored, s->msg);
    if (err != CHORALE_OK)
        return err;
    stored -= s->nleft;
    if (ending == CHORALE_ENDED_STOPPED)
        return chorale_fail(s->msg, CHORALE_STOPPED,
                            "stopped; all finished points are stored, and "
                            "the same command goes on from here");
    s->launch_failed = stored == 0;
    if (s->end_code > 0) {
        /* A full disk or a lost file is no matter of this launch alone. */
        s->launch_failed = s->launch_failed &&
                           strstr(reason, "the launch") != NULL;
        return chorale_fail(s->msg, (enum chorale_err)s->end_code, "%s",
                            reason);
    }
    return find_fault(s, uuid, ending == CHORALE_ENDED_STALLED, reason,
                      stored);
}

static enum chorale_err one_launch(struct session *s,
                                   const struct chorale_pending *p)
{
    struct chorale_launcher launcher = { .platform = NULL };
    struct chorale_args args = { .count = 0 };
    struct chorale_sim_files files = { 0, 0, "", "" };
    struct chorale_child child;
    char network[16], selector[512], uuid[CHORALE_UUID_SIZE], db[PATH_MAX];
    sqlite3_int64 seed = 0;
    enum chorale_ending ending = CHORALE_ENDED;
    enum chorale_err err;
    int status = 0;

    s->comm_size = p->comm_size;
    s->siblings = p->siblings;
    s->end_code = -1;
    s->launch_failed = 0;
    s->trying = 0;
    s->tried = 0;
    s->nleft = 0;
    s->silence = s->opts->stall_seconds;
    s->last_err[0] = '\0';
    chorale_uuid(uuid);
    if (realpath(chorale_store_path(s->store), db) == NULL)
        return chorale_fail(s->msg, CHORALE_ENV, "%s: its path is too long",
                            chorale_store_path(s->store));
    err = load_launcher(s, p, &launcher, network, selector, &seed);
    s->forced = launcher.forced != NULL;
    if (err == CHORALE_OK)
        err = chorale_launcher_args(&launcher, p->comm_size * p->siblings,
                                    p->ppn * p->siblings, db, uuid,
                                    s->suspect == SUSPECT_ANY, &args, &files,
                                    s->msg);
    if (err == CHORALE_OK && !chorale_in_path(args.word[0]))
        err = chorale_fail(s->msg, CHORALE_ENV,
                           "no program %s in PATH; install it, or name the "
                           "launcher with CHORALE_MPIEXEC or --launcher-cmd",
                           args.word[0]);
    if (err == CHORALE_OK)
        err = chorale_launch_begin(s->store, p, seed, uuid, &s->nleft,
                                   s->msg);
    if (err == CHORALE_OK)
        err = chorale_launch_commands(s->store, uuid, s->opts->command,
                                      &args, s->msg);
    if (err == CHORALE_OK) {
        chorale_progress_step(&s->bar, s->nleft, s->what);
        err = chorale_spawn(&args, NULL, &child, s->msg);
        if (err == CHORALE_OK)
            ending = chorale_child_wait(&child, &s->silence, on_line, s,
                                        &status);
        if (err == CHORALE_OK)
            err = judge(s, uuid, ending, status);
        else
            chorale_launch_failed(s->store, uuid, "could not be started",
                                  s->msg);
    }
    chorale_sim_files_close(&files);
    chorale_args_free(&args);
    free(launcher.platform);
    return err;
}

/* Launches of this kind do not start here: leave them out for this command
 * and go on with the others. The first reason is kept for the end. */
static enum chorale_err give_up(struct session *s,
                                const struct chorale_pending *p,
                                struct chorale_errmsg *first)
{
    if (first->text[0] == '\0')
        *first = *s->msg;
    return chorale_pending_give_up(s->store, p, s->msg);
}

static enum chorale_err count_work(struct session *s, sqlite3_int64 *done,
                                   sqlite3_int64 *planned)
{
    enum chorale_err err;

    err = chorale_store_int(s->store, "SELECT sum(done) FROM v_progress", 0,
                            done, s->msg);
    if (err == CHORALE_OK)
        err = chorale_store_int(s->store,
                                "SELECT sum(planned) FROM v_progress", 0,
                                planned, s->msg);
    return err;
}

static enum chorale_err check_ready(struct session *s)
{
    sqlite3_int64 cells = 0, id;
    enum chorale_err err;

    err = chorale_store_lock(s->store, CHORALE_LOCK_CAMPAIGN, 0, s->msg);
    /* A runner that outlived its command is about to end: wait for it. */
    for (int i = 0; err == CHORALE_OK && i < 10 * ORPHAN_SECONDS; i++) {
        if (!chorale_store_locked(s->store, CHORALE_LOCK_RUNNER))
            break;
        if (i + 1 == 10 * ORPHAN_SECONDS)
            err = chorale_store_lock(s->store, CHORALE_LOCK_RUNNER, 0,
                                     s->msg);
        nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
    }
    if (err == CHORALE_OK)
        err = chorale_launch_failed(s->store, NULL, "killed", s->msg);
    if (err == CHORALE_OK)
        err = chorale_pending_open(s->store, s->msg);
    if (err == CHORALE_OK && s->opts->system != NULL)
        err = chorale_store_system(s->store, s->opts->system, &id, NULL,
                                   s->msg);
    if (err == CHORALE_OK && s->opts->retry_failed)
        err = chorale_pending_retry(s->store, s->opts->system, s->msg);
    if (err == CHORALE_OK)
        err = chorale_store_int(s->store, "SELECT count(*) FROM cell", 0,
                                &cells, s->msg);
    if (err == CHORALE_OK && cells == 0)
        err = chorale_fail(s->msg, CHORALE_DATA,
                           "%s: nothing is planned; `chorale plan` adds cells",
                           chorale_store_path(s->store));
    return err;
}

enum chorale_err chorale_run(const char *path,
                             const struct chorale_run_opts *opts,
                             struct chorale_errmsg *msg)
{
    struct session s = { .opts = opts, .msg = msg };
    sqlite3_int64 done = 0, planned = 0, before;
    struct chorale_errmsg first = { "" };
    struct chorale_pending p;
    enum chorale_err err;
    long nlaunch = 0;
    int found = 0;

    err = chorale_store_open(path, CHORALE_STORE_WRITE, &s.store, msg);
    if (err == CHORALE_OK)
        err = check_ready(&s);
    if (err == CHORALE_OK)
        err = count_work(&s, &done, &planned);
    if (err != CHORALE_OK) {
        chorale_store_close(s.store);
        return err;
    }
    before = done;
    chorale_stop_catch();
    chorale_progress_start(&s.bar, (long)done, (long)planned);
    if (opts->quiet)
        s.bar.shown = 0;
    while ((err = chorale_pending_next(s.store, opts->system, opts->campaign,
                                       opts->part, opts->element, &p, &found,
                                       msg)) ==
               CHORALE_OK &&
           found) {
        if (chorale_stop_requested())
            err = chorale_fail(msg, CHORALE_STOPPED,
                               "stopped; the same command goes on from here");
        else if (opts->max_launches > 0 && nlaunch++ == opts->max_launches)
            err = chorale_fail(msg, CHORALE_STOPPED, "%s: --max-launches %ld "
                               "are made; the same command goes on from here",
                               path, opts->max_launches);
        else
            err = one_launch(&s, &p);
        if (err == CHORALE_ENV && s.launch_failed)
            err = give_up(&s, &p, &first);
        if (err == CHORALE_OK && opts->launched != NULL)
            err = opts->launched(opts->launched_arg, s.store, msg);
        if (err != CHORALE_OK)
            break;
    }
    chorale_progress_clear(&s.bar);
    if (err == CHORALE_OK)
        err = count_work(&s, &done, &planned);
    if (err == CHORALE_OK && !opts->quiet)
        printf("%s: %lld runs made, %lld of %lld are done\n", path,
               (long long)(done - before), (long long)done,
               (long long)planned);
    chorale_store_close(s.store);
    chorale_notes_release(&s.notes);
    /* Who asks for launches one by one would ask for these for ever. */
    if ((err == CHORALE_OK ||
         (err == CHORALE_STOPPED && !chorale_stop_requested())) &&
        first.text[0] != '\0') {
        *msg = first;
        err = CHORALE_ENV;
    }
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_run_opts opts = CHORALE_RUN_DEFAULTS;
    char command[1024];
    enum chorale_err err;
    int nword;

    chorale_command_text(argc, argv, command, sizeof(command));
    opts.command = command;
    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_run(argv[1], &opts, msg);
}

static const struct chorale_opt options[] = {
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct chorale_run_opts, system),
      "NAME", "only this system's cells (default: all)", 0, 0 },
    { "launcher-cmd", 0, CHORALE_OPT_TEXT,
      offsetof(struct chorale_run_opts, launcher_cmd), "CMD",
      "the launcher of campaigns planned with one of their own; a command is "
      "never taken from the database", 0, 0 },
    { "stall-timeout", 0, CHORALE_OPT_SECONDS,
      offsetof(struct chorale_run_opts, stall_seconds), "TIME",
      "end a launch that says nothing for this long, on neither of its "
      "streams; while it measures it says so every second (default: 5m)", 1,
      0 },
    { "max-launches", 0, CHORALE_OPT_INT,
      offsetof(struct chorale_run_opts, max_launches), "N",
      "stop after so many launches, with exit code 75 if more are pending: to "
      "measure two databases in turn (default: all)", 1, 1000000 },
    { "retry-failed", 0, CHORALE_OPT_FLAG,
      offsetof(struct chorale_run_opts, retry_failed), NULL,
      "forget the runs that failed (a rank died or a call hung, in two "
      "launches) and try those cells again in all launches", 0, 0 },
    { "hang", 0, CHORALE_OPT_SECONDS,
      offsetof(struct chorale_run_opts, hang_seconds), "TIME",
      "a call that takes this long hangs; when it hangs again its cell has "
      "failed and the others go on (default: 1m, at least 60 times the plan's "
      "time cap of a cell; in simulation as --stall-timeout)", 1, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG,
      offsetof(struct chorale_run_opts, quiet), NULL,
      "no progress bar, no summary", 0, 0 },
    { "verbose", 'v', CHORALE_OPT_FLAG,
      offsetof(struct chorale_run_opts, verbose), NULL,
      "pass on what the launched programs print", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_run = {
    .name = "run",
    .args = "results.db",
    .summary = "execute the planned cells that are pending",
    .detail =
        "Starts chorale-runner once for each launch and communicator size, "
        "under the launcher that the plan names. Every point is stored whole "
        "as soon as it is measured. Killed at any moment, the file stays "
        "valid and the same command goes on with the first unfinished "
        "point.\n"
        "A cell that ends the program or hangs in two launches has failed and "
        "is left alone from then on. Where the cell was not to blame (memory "
        "ran out, a node was lost), --retry-failed tries it again.\n"
        "The launcher is mpiexec of the MPI that the runner is built with; "
        "the environment variable CHORALE_MPIEXEC names another.",
    .example = "chorale run results.db\n"
               "chorale run results.db --launcher-cmd 'flux run -n {P}'",
    .opt = options,
    .run = run,
};
