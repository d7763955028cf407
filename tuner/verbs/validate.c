/* SPDX-License-Identifier: BSD-3-Clause */
/* validate.c - the verb `validate`: measures the decision table against the
 * library's default on the system itself. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/systems.h"
#include "tuner/emit/table_module.h"
#include "tuner/run/run.h"
#include "tuner/base/process.h"
#include "tuner/assess/validate.h"
#include "tuner/base/verb.h"
#include "tuner/base/rows.h"
#include "tuner/base/units.h"

#define PATIENCE 1.5     /* times the expected time: then measuring stops */

/* State of a validation. */
struct job {
    const char *path;
    const struct chorale_validate_opts *opts;
    struct chorale_errmsg *msg;
    sqlite3_int64 system_id, campaign_id;
    int simulated;
    char system[128], digest[17], part[32];
    struct chorale_emit_table table;
    struct chorale_proof_basis basis;
    struct chorale_proof_point *point;
    size_t count;
    struct chorale_module module; /* temporary */
};

static enum chorale_err load(struct job *job)
{
    struct chorale_store *store = NULL;
    enum chorale_err err;

    err = chorale_store_open(job->path, CHORALE_STORE_READ, &store, job->msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, job->opts->system, &job->system_id,
                                   &job->simulated, job->msg);
    if (err == CHORALE_OK)
        err = chorale_emit_load(store, job->system_id, &job->table, job->msg);
    if (err == CHORALE_OK) {
        snprintf(job->system, sizeof(job->system), "%s",
                 job->table.origin.system);
        err = chorale_emit_digest(&job->table, job->digest, job->msg);
        snprintf(job->part, sizeof(job->part), "table-%s", job->digest);
    }
    if (err == CHORALE_OK)
        err = chorale_proof_basis_load(store, job->system_id, job->simulated,
                                       &job->basis, job->msg);
    if (err == CHORALE_OK)
        err = chorale_proof_points(&job->table, &job->basis,
                                   job->opts->between, &job->point,
                                   &job->count, job->msg);
    if (err == CHORALE_OK && job->count == 0)
        err = chorale_fail(job->msg, CHORALE_DATA,
                           "%s: the library's default was not "
                           "measured properly at more than one rank; "
                           "run `chorale run`", job->path);
    chorale_store_close(store);
    return err;
}

static enum chorale_err plan(struct job *job, int *pending)
{
    const struct chorale_validate_opts *opts = job->opts;
    long launches = opts->launches > 0 ? opts->launches
                                       : job->simulated ? 1 : 5;
    const size_t all = job->count;
    struct chorale_store *store = NULL;
    sqlite3_int64 left = 0;
    enum chorale_err err;

    if (job->simulated)
        launches = 1; /* simulated time is exact */
    err = chorale_store_open(job->path, CHORALE_STORE_WRITE, &store, job->msg);
    if (err == CHORALE_OK)
        err = chorale_store_lock(store, CHORALE_LOCK_CAMPAIGN,
                                 CHORALE_LOCK_PATIENCE, job->msg);
    if (err == CHORALE_OK && opts->seconds > 0)
        err = chorale_proof_thin(store, job->system_id, launches,
                                 !job->simulated, opts->seconds, job->point,
                                 &job->count, job->msg);
    if (err == CHORALE_OK)
        err = chorale_proof_plan(store, job->system_id, job->digest,
                                 opts->command, launches, job->point,
                                 job->count, !job->simulated,
                                 &job->campaign_id, job->msg);
    if (err == CHORALE_OK)
        err = chorale_store_find(
            store, "SELECT count(*) FROM cell c WHERE part = ?1"
            " AND system_id = ?2 AND launches > (SELECT count(DISTINCT"
            " l.ordinal) FROM run r JOIN launch l USING (launch_id)"
            " WHERE r.cell_id = c.cell_id)",
            CHORALE_FIELDS(job->part, job->system_id), 0, &left, job->msg);
    chorale_store_close(store);
    *pending = left > 0;
    if (err == CHORALE_OK && *pending && job->count < all && !opts->quiet)
        printf("%s: validating %zu of %zu points, to end in time; `chorale "
               "validate` measures them all\n", job->path, job->count, all);
    return err;
}

static enum chorale_err measure(struct job *job)
{
    const struct chorale_run_opts run = {
        .system = job->system,
        .campaign = job->campaign_id,
        .launcher_cmd = job->opts->launcher_cmd,
        .no_bind = job->opts->no_bind,
        .stall_seconds = job->opts->stall_seconds,
        .hang_seconds = job->opts->hang_seconds,
        .command = job->opts->command,
        .part = job->part,
        .module = job->simulated ? NULL : job->module.path,
        .quiet = job->opts->quiet || job->opts->json,
        .as_step = job->opts->as_step,
        .verbose = job->opts->verbose,
    };
    enum chorale_err err = CHORALE_OK;

    if (!job->simulated) {
        chorale_stop_catch();
        err = chorale_module_make(&job->module, job->path, job->system,
                                  job->opts->allow_patented, job->msg);
    }
    if (job->opts->seconds > 0)
        chorale_stop_after(PATIENCE * job->opts->seconds);
    if (err == CHORALE_OK)
        err = chorale_run(job->path, &run, job->msg);
    if (err == CHORALE_STOPPED && chorale_stop_requested() == SIGALRM)
        err = CHORALE_OK;
    if (job->opts->seconds > 0)
        chorale_stop_after(0);
    chorale_module_remove(&job->module);
    return err;
}

static enum chorale_err print_json(const struct job *job,
                                   const struct chorale_proofs *proofs)
{
    json_t *root = chorale_proofs_json(proofs, job->opts->points);

    return chorale_json_print(root) == 0
               ? CHORALE_OK : chorale_fail_memory(job->msg, "validate");
}

static void say_cost(const struct chorale_proofs *proofs)
{
    const struct chorale_proof *worst = NULL;
    size_t n = 0;
    char where[128];

    for (size_t i = 0; i < proofs->count; i++) {
        const struct chorale_proof *p = &proofs->row[i];

        if (!p->slower || !chorale_proof_is_library(p))
            continue;
        n++;
        if (worst == NULL || p->mean < worst->mean)
            worst = p;
    }
    if (worst == NULL)
        return;
    chorale_proof_where(worst, where, sizeof(where));
    fprintf(stderr, "chorale: at %zu point%s that the table leaves to the "
                    "library the shim's overhead exceeds %.3g %% of a "
                    "call; the worst is %s: %.0f ns\n", n, n == 1 ? "" : "s",
            100 * proofs->threshold, where,
            1e9 * (worst->seconds - worst->library_seconds));
}

/* The verdict: is a choice of the table slower anywhere? */
static enum chorale_err judge(const struct job *job,
                              const struct chorale_proofs *proofs,
                              const char *how)
{
    struct chorale_proof_total total;
    const struct chorale_proof *slow = NULL;
    const char *note = "";
    char where[128];
    size_t nslower = 0;

    chorale_proofs_total(proofs, CHORALE_NCOLL, &total);
    for (size_t i = 0; i < proofs->count; i++) {
        const struct chorale_proof *p = &proofs->row[i];

        if (p->slower && !chorale_proof_is_library(p)) {
            nslower++;
            if (slow == NULL || p->mean < slow->mean)
                slow = p;
        }
        if (p->note[0] != '\0')
            note = p->note;
    }
    if (total.npoint == 0)
        return chorale_fail(job->msg, CHORALE_ENV,
                            "no point of the table could be validated%s%s; "
                            "`chorale validate -v` shows the launches' "
                            "output", note[0] != '\0' ? ": " : "", note);
    if (slow == NULL)
        return CHORALE_OK;
    chorale_proof_where(slow, where, sizeof(where));
    return chorale_fail(job->msg, CHORALE_NO,
                        "%zu of %zu point%s %s slower with the table%s by more "
                        "than %.3g %%, at worst %s: x%.3f with %.100s; decide "
                        "again, without them",
                        nslower, total.npoint,
                        chorale_plural((long long)total.npoint),
                        nslower == 1 ? "is" : "are", how,
                        100 * proofs->threshold, where, exp(slow->mean),
                        slow->choice);
}

static enum chorale_err answer(const struct job *job,
                               const struct chorale_proofs *proofs)
{
    enum chorale_err err;

    say_cost(proofs);
    err = judge(job, proofs, "");
    return err == CHORALE_OK && proofs->loop != NULL
               ? judge(job, proofs->loop, " in calls back to back") : err;
}

static enum chorale_err conclude(struct job *job)
{
    struct chorale_proofs proofs = { .row = NULL };
    struct chorale_store *store = NULL;
    enum chorale_err err;

    err = chorale_store_open(job->path, CHORALE_STORE_WRITE, &store, job->msg);
    if (err == CHORALE_OK)
        err = chorale_store_lock(store, CHORALE_LOCK_CAMPAIGN,
                                 CHORALE_LOCK_PATIENCE, job->msg);
    if (err == CHORALE_OK)
        err = chorale_proofs_load(store, job->system_id, job->simulated,
                                  &job->table, &job->basis,
                                  job->opts->threshold, &proofs, job->msg);
    if (err == CHORALE_OK)
        err = chorale_proofs_store(store, job->system_id, &proofs, job->msg);
    chorale_store_close(store);
    if (err == CHORALE_OK && job->opts->json)
        err = print_json(job, &proofs);
    else if (err == CHORALE_OK && !job->opts->quiet && !job->opts->as_step)
        chorale_proofs_print(&proofs, job->opts->points);
    if (err == CHORALE_OK)
        err = answer(job, &proofs);
    chorale_proofs_release(&proofs);
    return err;
}

enum chorale_err chorale_validate(const char *path,
                                  const struct chorale_validate_opts *opts,
                                  struct chorale_errmsg *msg)
{
    struct job job = { .path = path, .opts = opts, .msg = msg };
    int pending = 0;
    enum chorale_err err = load(&job);

    if (err == CHORALE_OK && opts->dry_run) {
        printf("%s: would validate table %s of %s at %zu point%s\n", path,
               job.digest, job.system, job.count,
               chorale_plural((long long)job.count));
    } else {
        if (err == CHORALE_OK)
            err = plan(&job, &pending);
        if (err == CHORALE_OK && pending)
            err = measure(&job);
        if (err == CHORALE_OK)
            err = conclude(&job);
    }
    free(job.point);
    chorale_proof_basis_release(&job.basis);
    chorale_emit_release(&job.table);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_validate_opts opts = CHORALE_VALIDATE_DEFAULTS;
    char command[1024];
    enum chorale_err err;
    int nword;

    chorale_command_text(argc, argv, command, sizeof(command));
    opts.command = command;
    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_validate(argv[1], &opts, msg);
}

#define AT(field) offsetof(struct chorale_validate_opts, field)

static const struct chorale_opt options[] = {
    { "system", 0, CHORALE_OPT_TEXT, AT(system), "NAME",
      "system whose table to validate, if there are several", 0, 0 },
    { "launches", 0, CHORALE_OPT_INT, AT(launches), "N",
      "number of launches, the samples of the intervals; a larger number adds "
      "launches (default: 5; in simulation one is exact)", 2, 1000 },
    { "threshold", 0, CHORALE_OPT_PERCENT, AT(threshold), "LOSS",
      "a point is slower if its loss is significantly above this (default: "
      "3%)", 0, 0 },
    { "between", 0, CHORALE_OPT_FLAG, AT(between), NULL,
      "also validate half-way between each two measured sizes", 0, 0 },
    { "points", 0, CHORALE_OPT_FLAG, AT(points), NULL, "list each point", 0,
      0 },
    { "json", 0, CHORALE_OPT_FLAG, AT(json), NULL, "print JSON", 0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG, AT(allow_patented), NULL,
      "the table may choose patented variants", 0, 0 },
    { "launcher-cmd", 0, CHORALE_OPT_TEXT, AT(launcher_cmd), "CMD",
      "launcher of campaigns planned with a custom one; a command is never "
      "taken from the database", 0, 0 },
    CHORALE_NO_BIND_OPT(struct chorale_validate_opts, no_bind),
    { "stall-timeout", 0, CHORALE_OPT_SECONDS, AT(stall_seconds), "TIME",
      "end a launch without output for this long (default: 5m)", 1, 0 },
    { "hang", 0, CHORALE_OPT_SECONDS, AT(hang_seconds), "TIME",
      "treat a call that takes this long as hung (default: see `chorale run "
      "--help`)", 1, 0 },
    { "dry-run", 0, CHORALE_OPT_FLAG, AT(dry_run), NULL,
      "print what would be validated and do nothing", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, AT(quiet), NULL,
      "no progress bar and no table; see the exit status", 0, 0 },
    { "verbose", 'v', CHORALE_OPT_FLAG, AT(verbose), NULL,
      "forward the output of the launched programs", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_validate = {
    .name = "validate",
    .args = "results.db",
    .summary = "measure the table against the library's default",
    .detail =
        "Compiles the decision table of a system and preloads the shim with "
        "it into launches like those of the campaign. Measures each point of "
        "the table twice, interleaved: MPI_X as an application calls it, "
        "which the shim serves from the table, and PMPI_X, which is the "
        "library's default. Points are the measured ones and, if the choice "
        "changes between two sizes, the last size before and the first after. "
        "Points at which the table chooses a variant are also measured in "
        "calls back to back. If arrival patterns decided the table, each point "
        "is measured in those instead, and without calls back to back: a "
        "robust table in sync, last and ascending, judged by the largest loss "
        "over them, and a traced one in the pattern of the traces. "
        "Measurements that the decisions rest on are not "
        "used.\n"
        "Prints the speed-up by collective: the geometric mean over the "
        "points with its 95 % interval over the launches, the share of the "
        "best gain that the campaign found (of the logarithms; on real "
        "systems that best is itself the luckiest of many), and the worst "
        "point. A point is slower if its loss is significantly above the "
        "threshold: by a one-sided t test, corrected for the number of points "
        "by Holm at 5 %. If a choice of the table is slower, in durations or "
        "back to back, the exit status is 1, and `chorale decide` does not "
        "choose it there again. If the point is left to the library, the loss "
        "is the shim's overhead, which is reported. Table `validation` of the "
        "database stores all results.\n"
        "In simulation there is no shim: the table's choices are called "
        "directly and compared with the library's selector.\n"
        "After a stop or kill, repeat the command to continue.",
    .example = "chorale validate results.db\n"
               "chorale validate results.db --launches 10 --points",
    .opt = options,
    .run = run,
};
