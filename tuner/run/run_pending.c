/* SPDX-License-Identifier: BSD-3-Clause */
/* run_pending.c - run all pending launches, one at a time. Each point is stored
 * when it is complete, so that the next launch continues after any
 * interruption. */
#include "config.h"

#include "tuner/run/run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "db/remarks.h"
#include "db/systems.h"
#include "tuner/run/bind.h"
#include "tuner/run/launcher.h"
#include "tuner/run/session.h"
#include "tuner/base/units.h"

#define ORPHAN_SECONDS 10
#define REPORT_SECONDS 60    /* between two log lines of --verbose */
#define HANG_SECONDS 60.0    /* or HANG_CAPS times a cell's time limit */
#define HANG_CAPS 60.0
#define LEAD_SHARE 0.75      /* of the lead time: for a launch to end itself */
#define KILL_REST 2.5        /* s before SIGKILL, to end it and to publish */

/* Seconds that a launch may continue after SIGTERM; 0: end it at once. */
static double patience(const struct chorale_run_opts *opts)
{
    double share = LEAD_SHARE * opts->kill_seconds,
           rest = opts->kill_seconds - KILL_REST;

    return rest <= 0 ? 0 : rest < share ? rest : share;
}

/* Load the campaign's launcher; free launcher->sim.platform. */
static enum chorale_err load_launcher(struct chorale_session *s,
                                      const struct chorale_pending *p,
                                      struct chorale_launcher *launcher,
                                      char network[16], char selector[512],
                                      sqlite3_int64 *seed)
{
    double hang;
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err;

    err = chorale_store_query(
        s->store, "SELECT launcher, platform, network, sim_selector, seed,"
        "       EXISTS (SELECT 1 FROM cell c WHERE c.system_id = ?2"
        "                  AND c.comm_size = ?3 AND c.provider = 'native'"
        "                  AND c.part = ?4 AND ?4 NOT LIKE '%:%'),"
        "       cell_seconds"
        "  FROM campaign WHERE campaign_id = ?1",
        CHORALE_FIELDS(p->campaign_id, p->system_id, p->comm_size, p->part),
        &stmt, s->msg);
    if (err != CHORALE_OK)
        return err;
    if (chorale_store_next(s->store, stmt, &err, s->msg)) {
        const char *text[4];

        for (int i = 0; i < 4; i++)
            text[i] = (const char *)sqlite3_column_text(stmt, i);
        snprintf(launcher->kind, sizeof(launcher->kind), "%s", text[0]);
        launcher->sim.platform = strdup(text[1]);
        snprintf(network, 16, "%s", text[2]);
        snprintf(selector, 512, "%s", text[3]);
        launcher->sim.network = network;
        launcher->sim.selector = selector;
        launcher->command = s->opts->launcher_cmd;
        launcher->module = s->opts->module;
        launcher->served = s->opts->served;
        launcher->mpi = s->opts->mpi;
        *seed = sqlite3_column_int64(stmt, 4);
        launcher->outlives = patience(s->opts) > 0;
        launcher->turns = s->opts->turns;
        launcher->seed = (uint64_t)*seed + ((uint64_t)p->comm_size << 32);
        launcher->ordinal = p->ordinal;
        launcher->native = sqlite3_column_int(stmt, 5);
        launcher->sim.forced = strchr(p->part, ':') != NULL ? p->part : NULL;
        launcher->setting = strchr(p->part, '=') != NULL ? p->part : NULL;
        hang = HANG_CAPS * sqlite3_column_double(stmt, 6);
        if (s->opts->hang_seconds > 0)
            s->hang = s->opts->hang_seconds;
        else if (strcmp(launcher->kind, "smpirun") == 0)
            s->hang = s->opts->stall_seconds; /* a simulated call may be slow */
        else
            s->hang = hang > HANG_SECONDS ? hang : HANG_SECONDS;
        if (launcher->sim.platform == NULL)
            err = chorale_fail_memory(s->msg, NULL);
        else if (strcmp(launcher->kind, "smpirun") == 0 &&
                 !chorale_selector_ok(selector))
            err = chorale_fail(s->msg, CHORALE_DATA,
                               "%s: campaign %lld has the invalid "
                               "--sim-selector '%.100s'; plan its cells again",
                               chorale_store_path(s->store),
                               (long long)p->campaign_id, selector);
        else if ((launcher->sim.forced != NULL &&
                  (strcmp(launcher->kind, "smpirun") != 0 ||
                   !chorale_forced_valid(launcher->sim.forced))) ||
                 (launcher->setting != NULL &&
                  (strcmp(launcher->kind, "smpirun") == 0 ||
                   !chorale_setting_valid(launcher->setting))))
            err = chorale_fail(s->msg, CHORALE_DATA,
                               "%s: cells of P = %d have the part '%s', which "
                               "%s cannot start; plan them again "
                               "into another database",
                               chorale_store_path(s->store), p->comm_size,
                               p->part, launcher->kind);
        else if (strcmp(launcher->kind, "custom") == 0 &&
                 launcher->command == NULL)
            err = chorale_fail(s->msg, CHORALE_USAGE,
                               "%s: planned with a custom launcher; "
                               "give it again with --launcher-cmd (commands "
                               "are not taken from a file)",
                               chorale_store_path(s->store));
    }
    sqlite3_finalize(stmt);
    return err;
}

/* The argument of the runner that names the launches (runners/launch/groups.h),
 * freed by the caller; NULL: out of memory. */
static char *launch_word(const struct chorale_cosched *fellow, int count)
{
    size_t room = (size_t)count * (CHORALE_UUID_SIZE + 24), len = 0;
    char *word = count > 1 ? malloc(room) : strdup(fellow->uuid);

    for (int i = 0; word != NULL && count > 1 && i < count; i++)
        len += (size_t)snprintf(word + len, room - len, "%s%s:%d:%d",
                                i > 0 ? "," : "", fellow[i].uuid,
                                fellow[i].wave, fellow[i].node);
    return word;
}

/* Decide whether the ranks of a start are bound. */
static void choose_binding(struct chorale_session *s,
                           struct chorale_launcher *launcher, int ppn,
                           char request[CHORALE_BIND_TEXT])
{
    if (s->opts->no_bind) {
        snprintf(request, CHORALE_BIND_TEXT, "none: --no-bind");
    } else if (s->opts->bind) {
        snprintf(request, CHORALE_BIND_TEXT, "core");
        launcher->bind = launcher->bound = 1;
    } else {
        launcher->bind = chorale_bind_wanted(launcher->kind, ppn, request);
    }
}

/* The command line of a start. */
static enum chorale_err command_line(struct chorale_session *s,
                                     struct chorale_launcher *launcher,
                                     const struct chorale_cosched *fellow,
                                     int count, struct chorale_args *args,
                                     struct chorale_sim_files *files,
                                     char request[CHORALE_BIND_TEXT])
{
    const struct chorale_pending *p = &fellow->p;
    char db[PATH_MAX], *word = launch_word(fellow, count);
    enum chorale_err err = CHORALE_OK;

    if (word == NULL)
        err = chorale_fail_memory(s->msg, NULL);
    else if (realpath(chorale_store_path(s->store), db) == NULL)
        err = chorale_fail_long(s->msg, chorale_store_path(s->store));
    if (err == CHORALE_OK)
        choose_binding(s, launcher,
                       p->siblings * (p->ppn < p->comm_size ? p->ppn
                                                            : p->comm_size),
                       request);
    if (err == CHORALE_OK)
        err = chorale_launcher_args(launcher, p->comm_size * p->siblings,
                                    p->ppn * p->siblings, db, word,
                                    s->suspect == CHORALE_SUSPECT_ANY, args,
                                    files, s->msg);
    free(word);
    if (err == CHORALE_OK && !chorale_in_path(args->word[0]))
        err = chorale_fail(s->msg, CHORALE_ENV,
                           "no program %s in PATH; install it, or name the "
                           "launcher with CHORALE_MPIEXEC or --launcher-cmd",
                           args->word[0]);
    return err;
}

/* Insert the rows of the launches. */
static enum chorale_err begin(struct chorale_session *s,
                              const struct chorale_cosched *fellow, int count,
                              sqlite3_int64 seed,
                              const struct chorale_args *args,
                              const char *request)
{
    enum chorale_err err = CHORALE_OK;

    for (int i = 0; i < count && err == CHORALE_OK; i++) {
        long nleft = 0;

        err = chorale_launch_begin(s->store, &fellow[i].p, seed,
                                   fellow[i].uuid, &nleft, s->msg);
        s->nleft += nleft;
        if (err == CHORALE_OK)
            err = chorale_launch_commands(s->store, fellow[i].uuid,
                                          s->opts->command, args, request,
                                          s->msg);
    }
    return err;
}

/* Start the program and process its output to the end. */
static enum chorale_err hear(struct chorale_session *s,
                             const struct chorale_args *args,
                             enum chorale_ending *ending, int *status)
{
    char end[PATH_MAX];
    struct chorale_child child;
    enum chorale_err err;

    if (s->opts->lead_seconds > 0 &&
        snprintf(end, sizeof(end), "%s" CHORALE_END_SUFFIX,
                 chorale_store_path(s->store)) < (int)sizeof(end))
        chorale_stop_gently(end, LEAD_SHARE * s->opts->lead_seconds,
                            patience(s->opts));
    err = chorale_spawn(args, NULL, &child, s->msg);
    if (err == CHORALE_OK)
        *ending = chorale_child_wait(&child, &s->silence,
                                     chorale_session_line, s, status);
    chorale_stop_gently(NULL, 0, 0);
    return err;
}

/* One start of the program, with one launch or several. */
static enum chorale_err one_start(struct chorale_session *s,
                                  struct chorale_cosched *fellow, int count)
{
    struct chorale_launcher launcher = { .bind = 0 };
    struct chorale_args args = { .count = 0 };
    struct chorale_sim_files files = { 0, 0, "", "", NULL };
    char network[16], selector[512], request[CHORALE_BIND_TEXT] = "";
    sqlite3_int64 seed = 0;
    enum chorale_ending ending = CHORALE_ENDED;
    enum chorale_err err;
    int status = 0;

    chorale_session_begin(s, fellow, count);
    for (int i = 0; i < count; i++)
        chorale_uuid(fellow[i].uuid);
    err = load_launcher(s, &fellow->p, &launcher, network, selector, &seed);
    s->forced = launcher.sim.forced != NULL;
    if (err == CHORALE_OK)
        err = command_line(s, &launcher, fellow, count, &args, &files,
                           request);
    if (err == CHORALE_OK)
        err = begin(s, fellow, count, seed, &args, request);
    if (err == CHORALE_OK) {
        chorale_progress_step(&s->bar, s->nleft, s->what);
        err = hear(s, &args, &ending, &status);
        if (err == CHORALE_OK)
            err = chorale_session_judge(s, fellow, count, ending, status);
        else
            for (int i = 0; i < count; i++)
                chorale_launch_failed(s->store, fellow[i].uuid,
                                      "could not be started", s->msg);
    }
    chorale_sim_files_close(&files);
    chorale_args_free(&args);
    free(launcher.sim.platform);
    return err;
}

/* Run the next launch, with others that can share its start. */
static enum chorale_err one_launch(struct chorale_session *s,
                                   const struct chorale_launch_filter *wanted,
                                   const struct chorale_pending *p)
{
    struct chorale_cosched alone = { .p = *p }, *fellow = NULL;
    int count = 0;
    enum chorale_err err = CHORALE_OK;

    if (!s->opts->one_per_p && !s->one_per_p && s->opts->max_launches == 0 &&
        p->part[0] == '\0' && p->siblings == 1)
        err = chorale_pending_cosched(s->store, wanted, p, &fellow, &count,
                                      s->msg);
    if (err != CHORALE_OK)
        return err;
    err = one_start(s, count > 0 ? fellow : &alone, count > 0 ? count : 1);
    free(fellow);
    return err;
}

/* Launches of this kind cannot be started: skip them for this command and go on
 * with the others. The first reason is reported at the end. */
static enum chorale_err give_up(struct chorale_session *s,
                                const struct chorale_pending *p,
                                struct chorale_errmsg *first)
{
    if (first->text[0] == '\0')
        *first = *s->msg;
    return chorale_pending_give_up(s->store, p, s->msg);
}

static enum chorale_err count_work(struct chorale_session *s,
                                   sqlite3_int64 *done,
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

static enum chorale_err check_ready(struct chorale_session *s)
{
    sqlite3_int64 cells = 0, id;
    enum chorale_err err;

    err = chorale_store_lock(s->store, CHORALE_LOCK_CAMPAIGN,
                             CHORALE_LOCK_PATIENCE, s->msg);
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
    if (err == CHORALE_OK)
        err = chorale_systems_measurable(s->store, s->opts->system, s->msg);
    if (err == CHORALE_OK && s->opts->retry_failed)
        err = chorale_pending_retry(s->store, s->opts->system, s->msg);
    if (err == CHORALE_OK)
        err = chorale_store_int(s->store, "SELECT count(*) FROM cell", 0,
                                &cells, s->msg);
    if (err == CHORALE_OK && cells == 0)
        err = chorale_fail(s->msg, CHORALE_DATA,
                           "%s: no cell is planned; `chorale plan` adds cells",
                           chorale_store_path(s->store));
    return err;
}

enum chorale_err chorale_run(const char *path,
                             const struct chorale_run_opts *opts,
                             struct chorale_errmsg *msg)
{
    const struct chorale_launch_filter wanted = { opts->system, opts->campaign,
                                           opts->part, opts->element };
    struct chorale_session s = { .opts = opts, .msg = msg };
    sqlite3_int64 done = 0, planned = 0, before;
    struct chorale_errmsg first = { "" };
    char loaded[CHORALE_LOADED_TEXT] = "", unbound[CHORALE_LOADED_TEXT] = "";
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
    chorale_progress_start(&s.bar, opts->quiet, 0, (long)done,
                           (long)planned);
    if (opts->verbose && !opts->quiet)
        chorale_progress_report(&s.bar, REPORT_SECONDS);
    while ((err = chorale_pending_next(s.store, &wanted, &p, &found, msg)) ==
               CHORALE_OK &&
           found) {
        if (chorale_stop_requested())
            err = chorale_fail(msg, CHORALE_STOPPED,
                               "%s: stopped; the same command goes on from "
                               "here", path);
        else if (opts->max_launches > 0 && nlaunch++ == opts->max_launches)
            err = chorale_fail(msg, CHORALE_STOPPED, "%s: --max-launches %ld "
                               "are made; the same command goes on from here",
                               path, opts->max_launches);
        else
            err = one_launch(&s, &wanted, &p);
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
    if (err == CHORALE_OK && !opts->quiet && !opts->as_step && done > before)
        err = chorale_loaded_runs(s.store, 0, loaded, msg);
    if (err == CHORALE_OK && !opts->quiet && done > before)
        err = chorale_unbound_launches(s.store, unbound, msg);
    if (err == CHORALE_OK && !opts->quiet && !opts->as_step)
        printf("%s: %lld run%s made, %lld of %lld %s done\n", path,
               (long long)(done - before), chorale_plural(done - before),
               (long long)done, (long long)planned, done == 1 ? "is" : "are");
    if (err == CHORALE_OK && loaded[0] != '\0')
        printf("%s: %s\n", path, loaded);
    if (err == CHORALE_OK && unbound[0] != '\0')
        printf("%s: %s\n", path, unbound);
    chorale_store_close(s.store);
    chorale_notes_release(&s.notes);
    /* Not CHORALE_STOPPED: with --max-launches a caller would never end. */
    if ((err == CHORALE_OK ||
         (err == CHORALE_STOPPED && !chorale_stop_requested())) &&
        first.text[0] != '\0') {
        *msg = first;
        err = CHORALE_ENV;
    }
    return err;
}
