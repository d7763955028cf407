/* SPDX-License-Identifier: BSD-3-Clause */
/* try_tune.c - makes a table for one application, by the stages import, plan,
 * run, fit, decide and generate. */
#include "config.h"

#include "tuner/try/try_tune.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/run/launcher.h"
#include "tuner/decide/decide_tables.h"
#include "tuner/emit/table_module.h"
#include "tuner/fit/fit.h"
#include "tuner/plan/plan.h"
#include "tuner/run/run.h"
#include "tuner/base/units.h"
#include "tuner/exchange/import.h"
#include "tuner/exchange/trace_show.h"
#include "tuner/try/split_command.h"

#define SAY_LAUNCHER "use the launcher of this chorale's MPI library, mark " \
                     "the end of its words by a second --"

enum { FACTS_MAX = 4 << 20, LAUNCHER_MAX = 16384 };
enum { LAUNCHES = 6, LAUNCHES_MOST = 96 }; /* of the first and last round */

struct job {
    const struct chorale_try_make *make;
    char db[PATH_MAX + 16], system[128];
    char launcher[LAUNCHER_MAX];
    int fixed;               /* it cannot start fewer ranks */
    long nodes, ppn;         /* if all ranks are started */
    int apart;               /* fewer ranks are placed differently */
    double start_up;         /* s */
    double ends;             /* of the budget, by chorale_seconds() */
    long launches;           /* planned launches */
    sqlite3_int64 campaign;
    struct chorale_errmsg *msg;
};

/* Check that a collective runs on more than one rank. */
static enum chorale_err check_trace(const struct job *job)
{
    const struct chorale_trace_text *t = job->make->trace;
    size_t several = 0;

    for (size_t i = 0; i < t->npoint; i++)
        several += t->point[i].comm_size > 1;
    if (t->npoint == 0)
        return chorale_fail(job->msg, CHORALE_DATA, "try: %.100s makes no "
                            "collective calls that a table could serve; "
                            "try another input or program",
                            t->program);
    if (several == 0)
        return chorale_fail(job->msg, CHORALE_DATA, "try: %.100s calls its "
                            "collectives on one rank, where a table gains "
                            "nothing; start it on several", t->program);
    return CHORALE_OK;
}

static enum chorale_err find_launcher(struct job *job)
{
    const struct chorale_try_make *make = job->make;
    const int ranks = make->trace->comm_size;
    int at = make->at;
    enum chorale_err err = CHORALE_OK;

    if (at < 0)
        err = chorale_try_find(make->argv, make->trace->program, &at,
                               job->msg);
    if (err != CHORALE_OK)
        return err;
    if (at == 0)
        return chorale_fail(job->msg, CHORALE_USAGE, "try: no launcher before "
                            "the application '%.100s' for its %d ranks; "
                            "name the launcher, as in `chorale try -- mpiexec "
                            "-n 2 -- ./app`", make->argv[0], ranks);
    return chorale_try_launcher(make->argv, at, ranks, job->launcher,
                                sizeof(job->launcher), &job->fixed, job->msg);
}

static long fact(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at != NULL ? strtol(at + strlen(key), NULL, 10) : 0;
}

/* The launcher's words for this number of ranks. */
static enum chorale_err launcher_words(const struct job *job, int ranks,
                                       struct chorale_args *args)
{
    struct chorale_launcher launcher = { .kind = "custom",
                                         .command = job->launcher };
    struct chorale_sim_files files = { 0, 0, "", "", NULL };
    enum chorale_err err = chorale_launcher_args(
        &launcher, ranks, ranks, "", "", 0, args, &files, job->msg);

    chorale_sim_files_close(&files);
    return err;
}

/* Run the runner in the application's place on this number of ranks. Its facts,
 * or the reason why it did not start, are stored in text[FACTS_MAX]. */
static enum chorale_err ask(const struct job *job, int ranks, char *text,
                            int *status)
{
    struct chorale_args args = { .count = 0 };
    enum chorale_err err = launcher_words(job, ranks, &args);

    if (err == CHORALE_OK && args.count >= 2) {
        /* Replaces the arguments database and launch. */
        for (int i = 0; i < 2; i++) {
            free(args.word[--args.count]);
            args.word[args.count] = NULL;
        }
        chorale_args_add(&args, "--environment");
        err = chorale_capture(&args, NULL, text, FACTS_MAX, status,
                              job->msg);
    }
    if (err == CHORALE_OK && chorale_stop_requested())
        err = chorale_fail(job->msg, CHORALE_STOPPED, "try: stopped; repeat "
                           "the command to start again");
    chorale_args_free(&args);
    return err;
}

/* Check that the launcher's words start as many ranks as the application
 * had. */
static enum chorale_err probe_all(struct job *job, char *text)
{
    const struct chorale_try_make *make = job->make;
    const int ranks = make->trace->comm_size;
    const double began = chorale_seconds();
    int status = 0;
    long found;
    enum chorale_err err = ask(job, ranks, text, &status);

    if (err != CHORALE_OK)
        return err;
    found = fact(text, "@env ranks ");
    if (status != 0)
        return chorale_fail(job->msg, CHORALE_ENV, "try: '%.200s' does not "
                            "start chorale-runner in the application's place: "
                            "%.200s; " SAY_LAUNCHER, job->launcher, text);
    if (found != ranks)
        return chorale_fail(job->msg, CHORALE_ENV, "try: '%.200s' starts "
                            "chorale-runner on %ld connected ranks, but "
                            "the application ran on %d; " SAY_LAUNCHER,
                            job->launcher, found, ranks);
    if (strstr(text, "@env oversubscribed yes") != NULL &&
        !make->oversubscribe)
        return chorale_fail(job->msg, CHORALE_USAGE, "try: a node has more "
                            "ranks than processors that they may use; use "
                            "fewer ranks, or --oversubscribe");
    job->nodes = fact(text, "@env nodes ");
    job->ppn = fact(text, "@env ranks_per_node ");
    job->start_up = chorale_seconds() - began;
    return CHORALE_OK;
}

/* The smallest communicator with several ranks; 0 if all have all ranks. */
static int fewest(const struct chorale_trace_text *t)
{
    int least = t->comm_size;

    for (size_t i = 0; i < t->npoint; i++)
        if (t->point[i].comm_size > 1 && t->point[i].comm_size < least)
            least = t->point[i].comm_size;
    return least < t->comm_size ? least : 0;
}

/* Check whether a start with fewer ranks fills node after node, as
 * communicators are assumed to. `srun -N 2 -n 2` instead puts one rank on each
 * node. */
static enum chorale_err probe_fewer(struct job *job, char *text)
{
    const int few = fewest(job->make->trace);
    const long ppn = few < job->ppn ? few : job->ppn;
    int status = 0;
    enum chorale_err err;

    if (job->fixed || job->nodes < 2 || few == 0)
        return CHORALE_OK;
    err = ask(job, few, text, &status);
    if (err != CHORALE_OK)
        return err;
    job->apart = status != 0 || fact(text, "@env ranks ") != few ||
                 fact(text, "@env ranks_per_node ") != ppn ||
                 fact(text, "@env nodes ") != (few + ppn - 1) / ppn;
    if (job->apart)
        fprintf(stderr, "chorale: '%.200s' places fewer ranks differently "
                        "than the application's communicators; these are "
                        "measured only in starts of all %d ranks\n",
                job->launcher, job->make->trace->comm_size);
    return CHORALE_OK;
}

static enum chorale_err probe(struct job *job)
{
    char *text = calloc(1, FACTS_MAX);
    enum chorale_err err = text != NULL ? probe_all(job, text)
                                        : chorale_fail_memory(job->msg, NULL);

    if (err == CHORALE_OK)
        err = probe_fewer(job, text);
    free(text);
    return err;
}

/* Import the trace into the database and print it. */
static enum chorale_err import(struct job *job)
{
    const struct chorale_import_as as = { .label = "" };
    char *file = job->make->trace_file;
    struct chorale_store *store = NULL;
    sqlite3_int64 id = 0;
    enum chorale_err err = chorale_files_import(job->db, &file, 1, &as, 1,
                                                job->msg);

    if (err == CHORALE_OK)
        err = chorale_store_open(job->db, CHORALE_STORE_READ, &store,
                                 job->msg);
    if (err == CHORALE_OK)
        err = chorale_store_int(store, "SELECT max(trace_id) FROM trace", 0,
                                &id, job->msg);
    if (err == CHORALE_OK) {
        printf("traced:\n");
        err = chorale_trace_show(store, id, job->msg);
    }
    chorale_store_close(store);
    return err;
}

static enum chorale_err plan(struct job *job)
{
    const struct chorale_try_make *make = job->make;
    struct chorale_plan plan = CHORALE_PLAN_DEFAULTS;
    char procs[16];
    enum chorale_err err;

    snprintf(procs, sizeof(procs), "%d", make->trace->comm_size);
    plan.launcher = "custom";
    plan.launcher_cmd = job->launcher;
    plan.from_trace = 1;
    plan.launches = job->launches;
    /* Scaled so that each round plans the same points. */
    plan.trace_seconds = make->budget * (double)job->launches / LAUNCHES;
    plan.trace_start_up = job->start_up;
    plan.policy.allow_patented = make->allow_patented;
    if (job->nodes > 1)
        plan.ppn = job->ppn;
    if (job->apart)
        plan.trace_with = make->trace->comm_size;
    if (job->fixed)
        plan.procs = procs;
    if (job->fixed && job->launches == LAUNCHES)
        fprintf(stderr, "chorale: no single word of '%.200s' gives the number "
                        "of ranks; only communicators of all %s ranks are "
                        "measured\n", job->launcher, procs);
    err = chorale_plan_write(&plan, job->db, make->command, 1, job->system,
                             &job->campaign, job->msg);
    if (err == CHORALE_DATA)
        err = chorale_fail(job->msg, err, "try: none of the collective calls of "
                           "%.100s can be measured; the lines above say why",
                           make->trace->program);
    return err;
}

static enum chorale_err count_runs(const struct job *job, sqlite3_int64 *runs,
                                   sqlite3_int64 *left)
{
    struct chorale_store *store = NULL;
    enum chorale_err err = chorale_store_open(job->db, CHORALE_STORE_READ,
                                              &store, job->msg);

    if (err == CHORALE_OK)
        err = chorale_store_int(store, "SELECT sum(done) FROM v_progress", 0,
                                runs, job->msg);
    if (err == CHORALE_OK)
        err = chorale_store_int(store, "SELECT sum(planned) FROM v_progress",
                                0, left, job->msg);
    chorale_store_close(store);
    *left -= *runs;
    return err;
}

/* Run until all is measured or the budget is spent. Launches that cannot start
 * are reported and ignored. */
static enum chorale_err measure(const struct job *job)
{
    struct chorale_run_opts opts = CHORALE_RUN_DEFAULTS;
    struct chorale_errmsg why = { "" };
    sqlite3_int64 runs = 0, left = 0;
    const double began = chorale_seconds();
    char budget[32], took[32];
    enum chorale_err err, counted;

    opts.system = job->system;
    opts.campaign = job->campaign;
    opts.launcher_cmd = job->launcher;
    opts.command = job->make->command;
    opts.as_step = 1;
    chorale_human_seconds(job->make->budget, budget);
    if (job->launches == LAUNCHES)
        printf("measuring the traced points with '%.200s', for at most %s\n",
               job->launcher, budget);
    else
        printf("clocks or other load disturbed too many runs; measuring again "
               "in %ld launch%s\n", job->launches,
               job->launches == 1 ? "" : "es");
    fflush(stdout);
    chorale_stop_after(job->ends > began ? job->ends - began : 1e-3);
    err = chorale_run(job->db, &opts, &why);
    if (err == CHORALE_STOPPED && chorale_stop_requested() == SIGALRM)
        err = CHORALE_OK;
    chorale_stop_after(0);
    counted = count_runs(job, &runs, &left);
    if (err == CHORALE_STOPPED || counted != CHORALE_OK || runs == 0) {
        if (err != CHORALE_OK)
            *job->msg = why;
        else if (counted == CHORALE_OK)
            err = chorale_fail(job->msg, CHORALE_ENV, "try: no run "
                               "ended in %s; use a larger --budget, as "
                               "10m", budget);
        return err != CHORALE_OK ? err : counted;
    }
    if (err != CHORALE_OK)
        fprintf(stderr, "chorale: not all could be measured: %s\n", why.text);
    else if (left > 0)
        fprintf(stderr, "chorale: the budget of %s is spent with %lld run%s "
                        "left; a larger --budget gives a better table\n",
                budget, (long long)left, chorale_plural(left));
    printf("measured: %lld run%s in %s\n", (long long)runs,
           chorale_plural(runs),
           chorale_human_seconds(chorale_seconds() - began, took));
    return CHORALE_OK;
}

static enum chorale_err stopped(const struct job *job)
{
    return chorale_stop_requested()
               ? chorale_fail(job->msg, CHORALE_STOPPED, "try: stopped; "
                              "repeat the command to start again")
               : CHORALE_OK;
}

static enum chorale_err decide(const struct job *job)
{
    struct chorale_tables_opts tables = CHORALE_TABLES_DEFAULTS;
    struct chorale_errmsg why = { "" };
    const struct chorale_fit_opts fit = {
        .each = { .system = job->system, .quiet = 1 },
    };
    enum chorale_err err = chorale_models_fit(job->db, &fit, &why);

    if (err == CHORALE_STOPPED) {
        *job->msg = why;
        return err;
    }
    if (err != CHORALE_OK && err != CHORALE_DATA)
        fprintf(stderr, "chorale: no model: %s\n", why.text);
    tables.each = fit.each;
    tables.policy.allow_patented = job->make->allow_patented;
    err = stopped(job);
    if (err == CHORALE_OK)
        err = chorale_tables_decide(job->db, &tables, job->msg);
    if (err == CHORALE_DATA)
        err = chorale_fail(job->msg, err, "try: clocks or other load disturbed "
                           "all runs, so that nothing can be decided; repeat "
                           "it on an idle machine, or "
                           "with a larger --budget");
    return err;
}

static enum chorale_err generate(const struct job *job, char *table)
{
    struct chorale_module module = { "", "" };
    enum chorale_err err = chorale_module_make(&module, job->db, job->system,
                                               job->make->allow_patented,
                                               job->msg);

    snprintf(table, PATH_MAX + 16, "%s/" CHORALE_TRY_TABLE, job->make->dir);
    if (err == CHORALE_OK && rename(module.path, table) != 0)
        err = chorale_fail(job->msg, CHORALE_ENV, "%s: cannot be written (%s)"
                           "%s", table, strerror(errno),
                           chorale_err_unwritten(errno));
    chorale_module_remove(&module);
    return err == CHORALE_OK ? stopped(job) : err;
}

/* Repeat rounds, each with twice the launches, until a decision is possible.
 * Other load on the machine may make all runs of a few launches unusable. */
static enum chorale_err measured_table(struct job *job)
{
    enum chorale_err err;

    job->ends = chorale_seconds() + job->make->budget;
    for (job->launches = LAUNCHES;; job->launches *= 2) {
        err = plan(job);
        if (err == CHORALE_OK)
            err = measure(job);
        if (err != CHORALE_OK)
            return err;
        err = decide(job);
        if (err != CHORALE_DATA || 2 * job->launches > LAUNCHES_MOST ||
            chorale_seconds() + job->start_up > job->ends)
            return err;
    }
}

enum chorale_err chorale_try_make(const struct chorale_try_make *make,
                                  char table[PATH_MAX + 16],
                                  struct chorale_errmsg *msg)
{
    static struct job job;
    enum chorale_err err;

    job.make = make;
    job.msg = msg;
    snprintf(job.db, sizeof(job.db), "%s/" CHORALE_TRY_DATABASE, make->dir);
    err = check_trace(&job);
    if (err == CHORALE_OK)
        err = find_launcher(&job);
    if (err == CHORALE_OK)
        err = probe(&job);
    if (err == CHORALE_OK)
        err = import(&job);
    if (err == CHORALE_OK)
        err = measured_table(&job);
    return err == CHORALE_OK ? generate(&job, table) : err;
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    remove(path);
    return 0;
}

void chorale_try_remove(const char *dir)
{
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
