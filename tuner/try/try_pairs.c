/* SPDX-License-Identifier: BSD-3-Clause */
/* try_pairs.c - runs an application with a table and without it, in turns, and
 * compares the times. */
#include "config.h"

#include "tuner/try/try_pairs.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithms/dispatch/table/site.h"
#include "tuner/run/launcher.h"
#include "tuner/emit/table_module.h"
#include "tuner/base/shell_quote.h"
#include "tuner/base/process.h"
#include "tuner/base/units.h"
#include "tuner/try/try_app.h"
#include "tuner/try/try_tune.h"

enum { WITHOUT, WITH, WAYS };
enum { TOP = 10 };

#define BUDGET_SECONDS 120 /* --help */
#define SPREAD 100 /* an interval around 1 whose end is above this multiple of
                    * its begin is not printed */

struct job {
    char **argv;             /* command of the application */
    int at;                  /* index of the application after its launcher's
                              * words, by a second --; -1: not given */
    long repeat;
    int oversubscribe;       /* 1: continue with more ranks than processors; 2:
                              * this was reported */
    int made;                /* the table was made here from a trace */
    char keep[PATH_MAX];     /* folder to keep it in, or "" */
    char table[PATH_MAX + 16], dir[PATH_MAX], trace_file[PATH_MAX + 16];
    double wall[CHORALE_TRY_REPEATS][WAYS], inside[CHORALE_TRY_REPEATS][WAYS];
    struct chorale_trace_text last[WAYS];
    struct chorale_errmsg *msg;
};

/* Refuse a node with more ranks than processors, unless --oversubscribe is
 * given: such times depend on the scheduler. */
static enum chorale_err check_processors(struct job *job,
                                         const struct chorale_trace_text *trace)
{
    if (trace->node_ranks == 0 || job->oversubscribe == 2)
        return CHORALE_OK;
    if (job->oversubscribe == 0)
        return chorale_fail(job->msg, CHORALE_USAGE, "try: %d ranks on %d "
                            "processors are oversubscribed: their times are "
                            "not usable; use up to %d, or --oversubscribe",
                            trace->node_ranks, trace->processors,
                            trace->processors);
    fprintf(stderr, "chorale: %d ranks on %d processors are oversubscribed: "
                    "measured cells are tagged and not used for decisions, "
                    "and ratios depend on the scheduler\n", trace->node_ranks,
            trace->processors);
    job->oversubscribe = 2;
    return CHORALE_OK;
}

/* Run all pairs. Each pair has the reverse order of the previous one, so that
 * drift affects both ways alike. */
static enum chorale_err run_all(struct job *job)
{
    enum chorale_err err = CHORALE_OK;

    for (long i = 0; i < job->repeat; i++)
        for (int k = 0; k < WAYS && err == CHORALE_OK; k++) {
            const int way = (i + k) % 2 == 0 ? WITHOUT : WITH;
            char what[80];

            snprintf(what, sizeof(what), "run %ld of %ld, %s the table,",
                     2 * i + k + 1, 2 * job->repeat,
                     way == WITH ? "with" : "without");
            chorale_trace_release(&job->last[way]);
            err = chorale_try_run(job->argv, what,
                                  way == WITH ? job->table : NULL,
                                  job->trace_file, 0, &job->last[way],
                                  &job->wall[i][way], &job->inside[i][way],
                                  job->msg);
            if (err == CHORALE_OK)
                err = check_processors(job, &job->last[way]);
        }
    return err;
}

struct ratio {
    double mean, lo, hi;     /* without / with; lo, hi: NAN for one pair */
};

/* Geometric mean of the pairs' ratios, with a 95 % interval by Student's t. */
static struct ratio ratio_of(double (*time)[WAYS], long n)
{
    struct ratio r = { NAN, NAN, NAN };
    double sum = 0, square = 0, half;

    for (long i = 0; i < n; i++)
        sum += log(time[i][WITHOUT] / time[i][WITH]);
    sum /= (double)n;
    r.mean = exp(sum);
    for (long i = 0; i < n; i++)
        square += pow(log(time[i][WITHOUT] / time[i][WITH]) - sum, 2);
    if (n < 2 || !isfinite(sum))
        return r;
    half = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1))
           * sqrt(square / (double)(n - 1) / (double)n);
    r.lo = exp(sum - half);
    r.hi = exp(sum + half);
    return r;
}

/* Geometric mean, so that quotients agree with show_ratio(). */
static double mean_of(double (*time)[WAYS], long n, int way)
{
    double sum = 0;

    for (long i = 0; i < n; i++)
        sum += log(time[i][way]);
    return exp(sum / (double)n);
}

/* 1 if the 95 % interval contains 1 or is unknown. */
static int may_be_chance(const struct ratio *r)
{
    return !(r->lo > 1 || r->hi < 1);
}

/* 1 if the interval contains 1 and is too wide to be useful. */
static int differs_too_much(const struct ratio *r)
{
    return isfinite(r->lo) && may_be_chance(r) && r->hi > SPREAD * r->lo;
}

/* Print the ratio. It is called faster or slower only if its interval excludes
 * 1 and the table served a call. */
static void show_words(const struct ratio *r, size_t changed)
{
    const int sure = changed > 0 && !may_be_chance(r);

    if (!isfinite(r->mean)) {
        printf("no ratio\n");
        return;
    }
    if (differs_too_much(r)) {
        printf("the runs differ too much for a ratio\n");
        return;
    }
    printf("x%.3f%s", r->mean, !sure ? "" : r->lo > 1 ? " faster" : ", slower");
    if (isfinite(r->lo))
        printf(" (%.3f to %.3f)%s", r->lo, r->hi,
               may_be_chance(r) ? ", which may be chance"
               : changed == 0   ? ", but not by the table" : "");
    printf("\n");
}

static struct ratio show_ratio(const char *what, double (*time)[WAYS], long n,
                               size_t changed)
{
    const struct ratio r = ratio_of(time, n);
    char without[32], with[32];

    printf("%-16s %10s without, %10s with: ", what,
           chorale_human_seconds(mean_of(time, n, WITHOUT), without),
           chorale_human_seconds(mean_of(time, n, WITH), with));
    show_words(&r, changed);
    return r;
}

/* A rank's mean time of one call at that point without the table. */
static double library_call(const struct chorale_trace_text *t,
                           const struct chorale_traced *p)
{
    double seconds = 0, calls = 0;

    for (size_t i = 0; i < t->npoint; i++) {
        const struct chorale_traced *q = &t->point[i];

        if (q->coll != p->coll || q->comm_size != p->comm_size
            || q->n != p->n || strcmp(q->dtype, p->dtype) != 0
            || strcmp(q->op, p->op) != 0 || strcmp(q->root, p->root) != 0
            || strcmp(q->shape, p->shape) != 0)
            continue;
        seconds += q->seconds;
        calls += (double)q->rank_calls;
    }
    return seconds / calls;
}

/* The number of points that the table changed in the last run with the
 * table. */
static size_t count_changed(const struct job *job)
{
    const struct chorale_trace_text *t = &job->last[WITH];
    size_t changed = 0;

    for (size_t i = 0; i < t->npoint; i++)
        changed += strcmp(t->point[i].ran, "library") != 0;
    return changed;
}

static void show_points(const struct job *job, size_t changed)
{
    const struct chorale_trace_text *t = &job->last[WITH];
    size_t shown = 0;

    if (changed == 0)
        printf("The table changed no call.\n");
    else
        printf("\nPoints that the table changed in the last run, with times "
               "per call with and without:\n");
    for (size_t i = 0; i < t->npoint && shown < TOP; i++) {
        const struct chorale_traced *p = &t->point[i];
        char m[32], with[32], without[32] = "-";
        double before;

        if (strcmp(p->ran, "library") == 0)
            continue;
        shown++;
        before = library_call(&job->last[WITHOUT], p);
        if (isfinite(before))
            chorale_human_seconds(before, without);
        printf("  %-20s %10s P = %-5d %8.6g calls %10s %10s  %s\n",
               chorale_coll_info(p->coll)->name,
               chorale_human_bytes((double)p->msg_size, m), p->comm_size,
               p->calls,
               chorale_human_seconds(p->seconds / (double)p->rank_calls,
                                     with),
               without, p->ran);
    }
    if (changed > shown)
        printf("  and %zu more point%s\n", changed - shown,
               chorale_plural((long long)(changed - shown)));
}

/* Print why the ratio is not conclusive, and a remedy. */
static void show_doubts(const struct job *job, const struct ratio *wall,
                        size_t changed)
{
    const long more = 4 * job->repeat < CHORALE_TRY_REPEATS
                          ? 4 * job->repeat : CHORALE_TRY_REPEATS;

    if (changed == 0 && !may_be_chance(wall))
        printf("The table did not cause the difference: check for other load "
               "on the machine.\n");
    if (job->repeat < 2)
        printf("One pair of runs gives no interval; use --repeat 3.\n");
    else if (differs_too_much(wall))
        printf("The runs differ too much: repeat on an idle machine, or with "
               "--repeat %ld.\n", more);
    else if (changed > 0 && may_be_chance(wall))
        printf("The interval contains 1: more pairs narrow it, as by --repeat "
               "%ld.\n", more);
}

static enum chorale_err show(struct job *job, size_t changed)
{
    struct ratio wall = show_ratio("program:", job->wall, job->repeat, changed);

    show_ratio("in collectives:", job->inside, job->repeat, changed);
    show_points(job, changed);
    show_doubts(job, &wall, changed);
    if (wall.hi < 1 && changed > 0)
        return chorale_fail(job->msg, CHORALE_NO, "try: the program is slower "
                            "with the table, as the 95 %% interval is %.3f "
                            "to %.3f; run it without, or make a "
                            "table with a larger --budget", wall.lo, wall.hi);
    return CHORALE_OK;
}

/* Use a shared object as it is; make one of a database. */
static enum chorale_err find_table(struct job *job, const char *name,
                                   const struct chorale_try_opts *opts,
                                   struct chorale_module *module)
{
    const size_t len = strlen(name);
    char real[PATH_MAX];
    enum chorale_err err;

    if (len > 3 && strcmp(name + len - 3, ".so") == 0) {
        if (opts->system != NULL || opts->allow_patented)
            return chorale_fail(job->msg, CHORALE_USAGE, "try: --system and "
                                "--allow-patented require a database, but %s "
                                "is a table; leave them out", name);
        if (realpath(name, real) == NULL || access(real, R_OK) != 0)
            return chorale_fail(job->msg, CHORALE_ENV, "%s: %s; name a "
                                "compiled table or a database", name,
                                strerror(errno));
        snprintf(job->table, sizeof(job->table), "%s", real);
        return CHORALE_OK;
    }
    err = chorale_module_make(module, name, opts->system,
                              opts->allow_patented, job->msg);
    if (err == CHORALE_OK)
        snprintf(job->table, sizeof(job->table), "%s", module->path);
    return err;
}

/* Find the table that the shim would load for the application; "" if none. */
static enum chorale_err find_served(char *path, size_t size,
                                    struct chorale_errmsg *msg)
{
    const char *named = getenv("CHORALE_DISPATCH");
    const char *site = getenv("CHORALE_SITE");
    char library[256], mpi[80];
    enum chorale_err err;

    if (named != NULL && named[0] != '\0') {
        snprintf(path, size, "%s", named);
        return CHORALE_OK;
    }
    err = chorale_runner_probe(library, sizeof(library), msg);
    if (err != CHORALE_OK)
        return err;
    chorale_site_mpi(library, mpi, sizeof(mpi));
    chorale_site_find(site != NULL && site[0] == '/' ? site
                                                     : SYSCONFDIR "/chorale",
                      getenv("SLURM_CLUSTER_NAME"),
                      getenv("SLURM_JOB_PARTITION"), mpi, path, size, NULL);
    return CHORALE_OK;
}

/* Make the folder to keep results in, if it is missing. */
static enum chorale_err make_keep(struct job *job, const char *name)
{
    struct stat st;

    if (mkdir(name, 0755) != 0 && errno != EEXIST)
        return chorale_fail(job->msg, CHORALE_ENV, "--keep %s: %s; name a "
                            "folder that you can make", name, strerror(errno));
    if (stat(name, &st) == 0 && !S_ISDIR(st.st_mode))
        return chorale_fail(job->msg, CHORALE_ENV, "--keep %s: not a folder; "
                            "name a folder", name);
    if (realpath(name, job->keep) == NULL
        || access(job->keep, W_OK | X_OK) != 0)
        return chorale_fail(job->msg, CHORALE_ENV, "--keep %s: %s; name a "
                            "folder that you may write", name,
                            strerror(errno));
    if (strlen(job->keep) + 64 < sizeof(job->keep))
        return CHORALE_OK;
    return chorale_fail(job->msg, CHORALE_ENV, "--keep %s: its path is too "
                        "long; name a folder nearer to /", name);
}

/* Trace the application and make a table for its calls. */
static enum chorale_err make_table(struct job *job,
                                   const struct chorale_try_opts *opts)
{
    struct chorale_trace_text trace;
    struct chorale_try_make make = {
        .argv = job->argv, .at = job->at, .trace_file = job->trace_file,
        .trace = &trace, .command = opts->command,
        .budget = opts->budget > 0 ? opts->budget : BUDGET_SECONDS,
        .allow_patented = opts->allow_patented,
        .oversubscribe = opts->oversubscribe,
    };
    double wall, inside;
    enum chorale_err err = CHORALE_OK;

    if (opts->keep != NULL)
        err = make_keep(job, opts->keep);
    if (err != CHORALE_OK)
        return err;
    make.dir = opts->keep != NULL ? job->keep : job->dir;
    err = chorale_try_run(job->argv, "the traced run", NULL, job->trace_file,
                          1, &trace, &wall, &inside, job->msg);
    if (err == CHORALE_OK)
        err = check_processors(job, &trace);
    if (err == CHORALE_OK)
        err = chorale_try_make(&make, job->table, job->msg);
    unlink(job->trace_file);
    chorale_trace_release(&trace);
    job->made = err == CHORALE_OK;
    return err;
}

/* Use the named table, else the installed one, else make one. */
static enum chorale_err get_table(struct job *job, const char *name,
                                  const struct chorale_try_opts *opts,
                                  struct chorale_module *module)
{
    const int measure = opts->measure || opts->keep != NULL
                     || opts->budget > 0;
    char served[PATH_MAX] = "";
    enum chorale_err err = CHORALE_OK;

    if (name != NULL && measure)
        return chorale_fail(job->msg, CHORALE_USAGE, "try: --measure, --budget "
                            "and --keep make a table; "
                            "leave out either %s or them", name);
    if (name != NULL)
        return find_table(job, name, opts, module);
    if (opts->system != NULL)
        return chorale_fail(job->msg, CHORALE_USAGE, "try: --system requires a "
                            "database; name it before the --");
    if (!measure)
        err = find_served(served, sizeof(served), job->msg);
    if (err != CHORALE_OK || served[0] == '\0')
        return err == CHORALE_OK ? make_table(job, opts) : err;
    if (realpath(served, job->table) == NULL
        || access(job->table, R_OK) != 0)
        return chorale_fail(job->msg, CHORALE_ENV, "%s: %s; repair the "
                            "installed table, or add --measure to make one "
                            "for this program", served, strerror(errno));
    printf("table: %s, which is installed; --measure makes one for this "
           "program\n", served);
    return CHORALE_OK;
}

/* Print how to install the table that was made here, if it served a call. */
static void print_install_hint(const struct job *job, size_t changed)
{
    char path[PATH_MAX + 16], quoted[4 * sizeof(path) + 3];

    if (!job->made || changed == 0)
        return;
    snprintf(path, sizeof(path), "%s/" CHORALE_TRY_TABLE, job->keep);
    if (job->keep[0] != '\0')
        printf("To install the table: chorale table install %s\n",
               chorale_shell_word(path, quoted, sizeof(quoted)));
    else
        printf("The table is not kept; to install one like it: repeat the "
               "command with --keep DIR, then chorale table install "
               "DIR/" CHORALE_TRY_TABLE "\n");
}

/* Make a temporary folder in the working directory, which all nodes can
 * read. */
static enum chorale_err make_folder(struct job *job)
{
    if (getcwd(job->dir, sizeof(job->dir) - 32) == NULL)
        return chorale_fail(job->msg, CHORALE_ENV, "try: this folder: %s; use "
                            "an existing one", strerror(errno));
    strcat(job->dir, "/chorale-try-XXXXXX");
    if (!chorale_in_path(job->argv[0]))
        return chorale_fail(job->msg, CHORALE_ENV, "try: no program %s%s",
                            job->argv[0], strchr(job->argv[0], '/') != NULL
                                ? "; name an executable file"
                                : " in PATH; give its full path");
    if (mkdtemp(job->dir) == NULL)
        return chorale_fail(job->msg, CHORALE_ENV, "try: no folder for traces "
                            "can be made here (%s); use a folder that you may "
                            "write", strerror(errno));
    snprintf(job->trace_file, sizeof(job->trace_file), "%s/trace", job->dir);
    return CHORALE_OK;
}

static enum chorale_err try_it(struct job *job, const char *name,
                               const struct chorale_try_opts *opts)
{
    struct chorale_module module = { .dir = "" };
    size_t changed = 0;
    enum chorale_err err = make_folder(job);

    if (err != CHORALE_OK)
        return err;
    chorale_stop_catch();
    err = get_table(job, name, opts, &module);
    if (err == CHORALE_OK)
        err = run_all(job);
    if (err == CHORALE_OK) {
        changed = count_changed(job);
        err = show(job, changed);
    }
    if (err == CHORALE_OK)
        print_install_hint(job, changed);
    chorale_module_remove(&module);
    chorale_try_remove(job->dir);
    if (err == CHORALE_STOPPED && job->keep[0] != '\0')
        return chorale_fail(job->msg, err, "try: stopped, the measurements are "
                            "in %s; repeat the command to continue",
                            job->keep);
    return err == CHORALE_STOPPED
               ? chorale_fail(job->msg, err, "try: stopped, and no results are "
                              "kept; repeat the command, with --keep DIR to be "
                              "able to continue after a stop")
               : err;
}

enum chorale_err chorale_app_try(char **argv, int at, const char *table,
                                 const struct chorale_try_opts *opts,
                                 struct chorale_errmsg *msg)
{
    static struct job job;
    enum chorale_err err;

    job.argv = argv;
    job.at = at;
    job.repeat = opts->repeat;
    job.oversubscribe = opts->oversubscribe;
    job.msg = msg;
    err = try_it(&job, table, opts);
    for (int way = 0; way < WAYS; way++)
        chorale_trace_release(&job.last[way]);
    return err;
}
