/* SPDX-License-Identifier: BSD-3-Clause */
/* try_tune.c - see try_tune.h. The steps are those of the verbs import, plan,
 * run, fit, decide and generate. */
#include "config.h"

#include "tuner/try/try_tune.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tuner/run/launcher.h"
#include "tuner/emit/table_module.h"
#include "tuner/plan/plan.h"
#include "tuner/run/run.h"
#include "tuner/base/units.h"
#include "tuner/base/run_verb.h"
#include "tuner/exchange/trace_show.h"
#include "tuner/try/split_command.h"

#define SAY_LAUNCHER "use the launcher of this chorale's MPI library, and say " \
                     "where its words end by a second --"

enum { FACTS_MAX = 4 << 20, LAUNCHER_MAX = 16384 };
enum { LAUNCHES = 6, LAUNCHES_MOST = 96 }; /* first, and of any round */

struct job {
    const struct chorale_try_make *make;
    char db[PATH_MAX + 16], system[128];
    char launcher[LAUNCHER_MAX];
    int fixed;               /* it starts all ranks always */
    long nodes, ppn;         /* of all ranks, as the launcher puts them */
    int apart;               /* it puts fewer in another way */
    double start_up;         /* s */
    double ends;             /* of now(): the budget is spent */
    long launches;           /* that are planned */
    sqlite3_int64 campaign;
    struct chorale_errmsg *msg;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A collective on one rank is nothing to measure. */
static enum chorale_err check_trace(const struct job *job)
{
    const struct chorale_trace_text *t = job->make->trace;
    size_t several = 0;

    for (size_t i = 0; i < t->npoint; i++)
        several += t->point[i].comm_size > 1;
    if (t->npoint == 0)
        return chorale_fail(job->msg, CHORALE_DATA, "try: %.100s makes no "
                            "collective calls that a table could serve: there "
                            "is nothing to win; try another input or program",
                            t->program);
    if (several == 0)
        return chorale_fail(job->msg, CHORALE_DATA, "try: %.100s calls its "
                            "collectives on one rank: there is nothing to "
                            "win; start it on several", t->program);
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
        return chorale_fail(job->msg, CHORALE_USAGE, "try: no words before "
                            "the application, '%.100s', start its %d ranks; "
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

/* The words of the launcher with this many ranks. */
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

/* What the runner in the application's place finds on that many ranks: its
 * facts, or why it was not started, in text[FACTS_MAX]. */
static enum chorale_err ask(const struct job *job, int ranks, char *text,
                            int *status)
{
    struct chorale_args args = { .count = 0 };
    enum chorale_err err = launcher_words(job, ranks, &args);

    if (err == CHORALE_OK && args.count >= 2) {
        /* In the place of database and launch. */
        for (int i = 0; i < 2; i++) {
            free(args.word[--args.count]);
            args.word[args.count] = NULL;
        }
        chorale_args_add(&args, "--environment");
        err = chorale_capture(&args, NULL, text, FACTS_MAX, status,
                              job->msg);
    }
    if (err == CHORALE_OK && chorale_stop_requested())
        err = chorale_fail(job->msg, CHORALE_STOPPED, "try: stopped; the same "
                           "command begins again");
    chorale_args_free(&args);
    return err;
}

/* As many ranks as the application's, or the words were the wrong ones. */
static enum chorale_err probe_all(struct job *job, char *text)
{
    const int ranks = job->make->trace->comm_size;
    const double began = now();
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
                            "chorale-runner on %ld ranks that find each other, "
                            "and the application ran on %d; " SAY_LAUNCHER,
                            job->launcher, found, ranks);
    job->nodes = fact(text, "@env nodes ");
    job->ppn = fact(text, "@env ranks_per_node ");
    job->start_up = now() - began;
    return CHORALE_OK;
}

/* The smallest communicator that is to be measured; 0: all have all ranks. */
static int fewest(const struct chorale_trace_text *t)
{
    int least = t->comm_size;

    for (size_t i = 0; i < t->npoint; i++)
        if (t->point[i].comm_size > 1 && t->point[i].comm_size < least)
            least = t->point[i].comm_size;
    return least < t->comm_size ? least : 0;
}

/* Started by themselves, would fewer ranks fill node after node, as those of a
 * communicator are taken to? `srun -N 2 -n 2` puts one on each node. */
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
        fprintf(stderr, "chorale: '%.200s' puts fewer ranks on other nodes "
                        "than the application's communicators have: those are "
                        "measured in starts of all %d ranks only\n",
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

/* The trace goes into the database, and is shown. */
static enum chorale_err import(struct job *job)
{
    const char *const word[] = { "import", job->db, job->make->trace_file,
                                 "--quiet", NULL };
    struct chorale_store *store = NULL;
    sqlite3_int64 id = 0;
    enum chorale_err err = chorale_step(&chorale_verb_import, word, job->msg);

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
    /* The same points in each round. */
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
        fprintf(stderr, "chorale: no one word of '%.200s' says how many ranks "
                        "it starts: communicators of all %s are measured, and "
                        "no smaller ones\n", job->launcher, procs);
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

/* Until all is measured, or the budget is spent. What could not be started is
 * told, and what could is decided on. */
static enum chorale_err measure(const struct job *job)
{
    struct chorale_run_opts opts = CHORALE_RUN_DEFAULTS;
    struct chorale_errmsg why = { "" };
    sqlite3_int64 runs = 0, left = 0;
    const double began = now();
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
        printf("too little of it counts, as clocks or other load disturbed "
               "it: measuring in %ld launches\n", job->launches);
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
            err = chorale_fail(job->msg, CHORALE_ENV, "try: nothing was "
                               "measured in %s; give it more time: --budget "
                               "10m", budget);
        return err != CHORALE_OK ? err : counted;
    }
    if (err != CHORALE_OK)
        fprintf(stderr, "chorale: not all could be measured: %s\n", why.text);
    else if (left > 0)
        fprintf(stderr, "chorale: the budget of %s is spent with %lld runs "
                        "left; a larger --budget makes the table surer\n",
                budget, (long long)left);
    printf("measured: %lld runs in %s\n", (long long)runs,
           chorale_human_seconds(now() - began, took));
    return CHORALE_OK;
}

static enum chorale_err stopped(const struct job *job)
{
    return chorale_stop_requested()
               ? chorale_fail(job->msg, CHORALE_STOPPED, "try: stopped; the "
                              "same command begins again")
               : CHORALE_OK;
}

static enum chorale_err decide(const struct job *job)
{
    const char *const word[] = { "decide", job->db, "--quiet", "--system",
                                 job->system,
                                 job->make->allow_patented
                                     ? "--allow-patented"
                                     : NULL,
                                 NULL };
    struct chorale_errmsg why = { "" };
    enum chorale_err err = chorale_step_fit(job->db, job->system, 0, &why);

    if (err == CHORALE_STOPPED) {
        *job->msg = why;
        return err;
    }
    if (err != CHORALE_OK && err != CHORALE_DATA)
        fprintf(stderr, "chorale: no model: %s\n", why.text);
    err = stopped(job);
    if (err == CHORALE_OK)
        err = chorale_step(&chorale_verb_decide, word, job->msg);
    if (err == CHORALE_DATA)
        err = chorale_fail(job->msg, err, "try: nothing that was measured "
                           "counts for a decision, as clocks or other load "
                           "disturbed it; do it again where it is quiet, or "
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
        err = chorale_fail(job->msg, CHORALE_ENV, "%s: %s, and the table goes "
                           "there%s", table, strerror(errno),
                           chorale_err_unwritten(errno));
    chorale_module_remove(&module);
    return err == CHORALE_OK ? stopped(job) : err;
}

/* Round after round, each with twice the launches, until it can be decided: on
 * a machine with other work runs of few launches may all be in doubt. */
static enum chorale_err measured_table(struct job *job)
{
    enum chorale_err err;

    job->ends = now() + job->make->budget;
    for (job->launches = LAUNCHES;; job->launches *= 2) {
        err = plan(job);
        if (err == CHORALE_OK)
            err = measure(job);
        if (err != CHORALE_OK)
            return err;
        err = decide(job);
        if (err != CHORALE_DATA || 2 * job->launches > LAUNCHES_MOST ||
            now() + job->start_up > job->ends)
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
