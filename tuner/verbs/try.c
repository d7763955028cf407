/* SPDX-License-Identifier: BSD-3-Clause */
/* try.c - `chorale try`: an application with a table and without, in
 * turns. */
#include "config.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stddef.h>
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
#include "tuner/try/split_command.h"
#include "tuner/base/verb.h"

enum { WITHOUT, WITH, WAYS };
enum { MAX_REPEAT = 1000, TOP = 10 };

#define BUDGET_SECONDS 120 /* --help */

struct opts {
    long repeat;
    double budget;           /* s; 0: not said */
    const char *system, *keep;
    int allow_patented, measure;
    const char *command;     /* our own */
};

struct job {
    char **argv;             /* of the application */
    int at;                  /* where it begins after its launcher's words, by
                              * a second --; -1: not said */
    long repeat;
    int made;                /* the table is, by us, of its trace */
    char keep[PATH_MAX];     /* where it stays; "": it does not */
    char table[PATH_MAX + 16], dir[PATH_MAX], trace_file[PATH_MAX + 16];
    double wall[MAX_REPEAT][WAYS], inside[MAX_REPEAT][WAYS];
    struct chorale_trace_text last[WAYS];
    struct chorale_errmsg *msg;
};

/* Each pair of runs in the other order than the one before: what drifts meets
 * both. */
static enum chorale_err run_all(struct job *job)
{
    enum chorale_err err = CHORALE_OK;

    for (long i = 0; i < job->repeat; i++)
        for (int k = 0; k < WAYS && err == CHORALE_OK; k++) {
            const int way = (i + k) % 2 == 0 ? WITHOUT : WITH;

            chorale_trace_release(&job->last[way]);
            err = chorale_try_run(job->argv,
                                  way == WITH ? job->table : NULL,
                                  job->trace_file, 0, &job->last[way],
                                  &job->wall[i][way], &job->inside[i][way],
                                  job->msg);
        }
    return err;
}

struct ratio {
    double mean, lo, hi;     /* without / with; lo, hi NAN: one pair */
};

/* Geometric mean of the pairs, 95 % interval by Student's t. */
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

/* Geometric, so that the quotient of two is that of show_ratio. */
static double mean_of(double (*time)[WAYS], long n, int way)
{
    double sum = 0;

    for (long i = 0; i < n; i++)
        sum += log(time[i][way]);
    return exp(sum / (double)n);
}

static struct ratio show_ratio(const char *what, double (*time)[WAYS], long n)
{
    const struct ratio r = ratio_of(time, n);
    char without[32], with[32];

    printf("%-16s %10s without, %10s with: x%.3f%s", what,
           chorale_human_seconds(mean_of(time, n, WITHOUT), without),
           chorale_human_seconds(mean_of(time, n, WITH), with), r.mean,
           r.mean < 1 ? ", slower" : " faster");
    if (isfinite(r.lo))
        printf(" (%.3f to %.3f)%s", r.lo, r.hi,
               r.lo <= 1 && r.hi >= 1 ? ", which may be chance" : "");
    printf("\n");
    return r;
}

/* A rank's time in one call at that point, as the library ran it. */
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

/* Returns how many points the table ran. */
static size_t show_points(const struct job *job)
{
    const struct chorale_trace_text *t = &job->last[WITH];
    size_t shown = 0, changed = 0;

    for (size_t i = 0; i < t->npoint; i++)
        changed += strcmp(t->point[i].ran, "library") != 0;
    if (changed == 0)
        printf("The table changed no call.\n");
    else
        printf("\nWhat the table ran in the last run, and what the same call "
               "took without:\n");
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
        printf("  and %zu points more\n", changed - shown);
    return changed;
}

static enum chorale_err show(struct job *job)
{
    struct ratio wall = show_ratio("program:", job->wall, job->repeat);
    size_t changed;

    show_ratio("in collectives:", job->inside, job->repeat);
    changed = show_points(job);
    if (changed == 0 && (wall.lo > 1 || wall.hi < 1))
        printf("That the runs differ is not its doing: look for what else ran "
               "on the machine.\n");
    if (job->repeat < 2)
        printf("One pair of runs says nothing of chance: --repeat 3.\n");
    if (wall.hi < 1 && changed > 0)
        return chorale_fail(job->msg, CHORALE_NO, "try: the program is slower "
                            "with the table: all of the 95 %% interval, %.3f "
                            "to %.3f, is below 1; run it without, or make a "
                            "table with a larger --budget", wall.lo, wall.hi);
    return CHORALE_OK;
}

/* A shared object as it is; of a database one is made. */
static enum chorale_err find_table(struct job *job, const char *name,
                                   const struct opts *opts,
                                   struct chorale_module *module)
{
    const size_t len = strlen(name);
    char real[PATH_MAX];
    enum chorale_err err;

    if (len > 3 && strcmp(name + len - 3, ".so") == 0) {
        if (opts->system != NULL || opts->allow_patented)
            return chorale_fail(job->msg, CHORALE_USAGE, "try: --system and "
                                "--allow-patented are for a database; %s is a "
                                "table already", name);
        if (realpath(name, real) == NULL || access(real, R_OK) != 0)
            return chorale_fail(job->msg, CHORALE_ENV, "%s: %s; name a table "
                                "that was compiled, or a database", name,
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

/* A table that is there for the application without being named: as the shim
 * looks for it. "": none. */
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

/* The folder for what shall stay, made if it is missing. */
static enum chorale_err make_keep(struct job *job, const char *name)
{
    struct stat st;

    if (mkdir(name, 0755) != 0 && errno != EEXIST)
        return chorale_fail(job->msg, CHORALE_ENV, "--keep %s: %s; name a "
                            "folder that can be made", name, strerror(errno));
    if (stat(name, &st) == 0 && !S_ISDIR(st.st_mode))
        return chorale_fail(job->msg, CHORALE_ENV, "--keep %s: is no folder; "
                            "name one", name);
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

/* Trace the application, and measure a table for what it calls. */
static enum chorale_err make_table(struct job *job, const struct opts *opts)
{
    struct chorale_trace_text trace;
    struct chorale_try_make make = {
        .argv = job->argv, .at = job->at, .trace_file = job->trace_file,
        .trace = &trace, .command = opts->command,
        .budget = opts->budget > 0 ? opts->budget : BUDGET_SECONDS,
        .allow_patented = opts->allow_patented,
    };
    double wall, inside;
    enum chorale_err err = CHORALE_OK;

    if (opts->keep != NULL)
        err = make_keep(job, opts->keep);
    if (err != CHORALE_OK)
        return err;
    make.dir = opts->keep != NULL ? job->keep : job->dir;
    err = chorale_try_run(job->argv, NULL, job->trace_file, 1, &trace, &wall,
                          &inside, job->msg);
    if (err == CHORALE_OK)
        err = chorale_try_make(&make, job->table, job->msg);
    unlink(job->trace_file);
    chorale_trace_release(&trace);
    job->made = err == CHORALE_OK;
    return err;
}

/* What was named, else what is served, else one of our own. */
static enum chorale_err get_table(struct job *job, const char *name,
                                  const struct opts *opts,
                                  struct chorale_module *module)
{
    const int measure = opts->measure || opts->keep != NULL
                     || opts->budget > 0;
    char served[PATH_MAX] = "";
    enum chorale_err err = CHORALE_OK;

    if (name != NULL && measure)
        return chorale_fail(job->msg, CHORALE_USAGE, "try: --measure, --budget "
                            "and --keep are for a table that is made here; "
                            "leave %s out, or them", name);
    if (name != NULL)
        return find_table(job, name, opts, module);
    if (opts->system != NULL)
        return chorale_fail(job->msg, CHORALE_USAGE, "try: --system is for a "
                            "database; name it before the --");
    if (!measure)
        err = find_served(served, sizeof(served), job->msg);
    if (err != CHORALE_OK || served[0] == '\0')
        return err == CHORALE_OK ? make_table(job, opts) : err;
    if (realpath(served, job->table) == NULL
        || access(job->table, R_OK) != 0)
        return chorale_fail(job->msg, CHORALE_ENV, "%s: %s; mend the table "
                            "that is served, or add --measure to make one "
                            "for this program", served, strerror(errno));
    printf("table: %s, which is served here; --measure makes one for this "
           "program\n", served);
    return CHORALE_OK;
}

/* How the table that was made becomes everybody's. */
static void close_with(const struct job *job)
{
    char path[PATH_MAX + 16], quoted[4 * sizeof(path) + 3];

    if (!job->made)
        return;
    snprintf(path, sizeof(path), "%s/" CHORALE_TRY_TABLE, job->keep);
    if (job->keep[0] != '\0')
        printf("To install the table: chorale table install %s\n",
               chorale_shell_word(path, quoted, sizeof(quoted)));
    else
        printf("The table is not kept; to install one like it: the same "
               "command with --keep DIR, then chorale table install "
               "DIR/" CHORALE_TRY_TABLE "\n");
}

/* A folder of our own, here, which all nodes see. */
static enum chorale_err make_folder(struct job *job)
{
    if (getcwd(job->dir, sizeof(job->dir) - 32) == NULL)
        return chorale_fail(job->msg, CHORALE_ENV, "try: this folder: %s; go "
                            "to one that is there", strerror(errno));
    strcat(job->dir, "/chorale-try-XXXXXX");
    if (!chorale_in_path(job->argv[0]))
        return chorale_fail(job->msg, CHORALE_ENV, "try: no program %s%s",
                            job->argv[0], strchr(job->argv[0], '/') != NULL
                                ? "; name one that is there and can be started"
                                : " in PATH; write the path that it has");
    if (mkdtemp(job->dir) == NULL)
        return chorale_fail(job->msg, CHORALE_ENV, "try: no folder for traces "
                            "can be made here (%s); go to one that you may "
                            "write", strerror(errno));
    snprintf(job->trace_file, sizeof(job->trace_file), "%s/trace", job->dir);
    return CHORALE_OK;
}

static enum chorale_err try_it(struct job *job, const char *name,
                               const struct opts *opts)
{
    struct chorale_module module = { .dir = "" };
    enum chorale_err err = make_folder(job);

    if (err != CHORALE_OK)
        return err;
    chorale_stop_catch();
    err = get_table(job, name, opts, &module);
    if (err == CHORALE_OK)
        err = run_all(job);
    if (err == CHORALE_OK)
        err = show(job);
    if (err == CHORALE_OK)
        close_with(job);
    chorale_module_remove(&module);
    chorale_try_remove(job->dir);
    if (err == CHORALE_STOPPED && job->keep[0] != '\0')
        return chorale_fail(job->msg, err, "try: stopped; what is measured is "
                            "in %s, and the same command goes on with it",
                            job->keep);
    return err == CHORALE_STOPPED
               ? chorale_fail(job->msg, err, "try: stopped; nothing is kept of "
                              "it: the same command begins again, and with "
                              "--keep DIR one that is stopped goes on")
               : err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    static struct job job;
    struct opts opts = { .repeat = 3 };
    char command[1024];
    int nword = 0, end = 1;
    char *dashes;
    enum chorale_err err;

    chorale_command_text(argc, argv, command, sizeof(command));
    opts.command = command;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    dashes = end < argc ? argv[end] : NULL;
    argv[end] = NULL;
    err = chorale_opts_parse(verb, end, argv, &opts, 0, 1, &nword, msg);
    argv[end] = dashes;
    if (err != CHORALE_OK || nword < 0)
        return err;
    if (end + 1 >= argc)
        return chorale_fail(msg, CHORALE_USAGE, "try: name the program after "
                            "--, as in `chorale try %s%s-- mpiexec -n 2 "
                            "./app`", nword > 0 ? argv[1] : "",
                            nword > 0 ? " " : "");
    job.argv = argv + end + 1;
    job.at = nword > 0 ? -1 : chorale_try_cut(job.argv);
    if (job.argv[0] == NULL || (job.at >= 0 && job.argv[job.at] == NULL))
        return chorale_fail(msg, CHORALE_USAGE, "try: name the program after "
                            "the second --, as in `chorale try -- mpiexec -n "
                            "2 -- ./app`");
    job.repeat = opts.repeat;
    job.msg = msg;
    err = try_it(&job, nword > 0 ? argv[1] : NULL, &opts);
    for (int way = 0; way < WAYS; way++)
        chorale_trace_release(&job.last[way]);
    return err;
}

static const struct chorale_opt rows[] = {
    { "repeat", 0, CHORALE_OPT_INT, offsetof(struct opts, repeat), "N",
      "pairs of runs, with the table and without (default: 3)", 1,
      MAX_REPEAT },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "the system whose table, where the database has several", 0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG,
      offsetof(struct opts, allow_patented), NULL,
      "the table may have variants under a patent", 0, 0 },
    { "measure", 0, CHORALE_OPT_FLAG, offsetof(struct opts, measure), NULL,
      "make a table for the program, although one is installed; so do "
      "--budget and --keep", 0, 0 },
    { "budget", 0, CHORALE_OPT_SECONDS, offsetof(struct opts, budget), "TIME",
      "what measuring such a table may take: the points that take most of the "
      "program's time first, as many as fit (default: 2m)", 1, 0 },
    { "keep", 0, CHORALE_OPT_TEXT, offsetof(struct opts, keep), "DIR",
      "leave such a table there, as table.so, and what was measured, as "
      "results.db, with which the same command goes on (default: both are "
      "removed)", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_try = {
    .name = "try",
    .args = "[results.db|table.so] -- COMMAND...",
    .summary = "what a table gains an application",
    .detail =
        "Runs the command without the table and with it, in turns, each under"
        " the shim and traced, so that both carry the same burden. Prints how"
        " long the program took from MPI_Init to MPI_Finalize, and a rank in"
        " collectives, as geometric means, and how many times faster it is with"
        " the table, with a 95 % interval (Student's t) from the ratios of the"
        " pairs; and what the table ran. The exit"
        " code is 1 if all of the interval of the program's ratio is below 1:"
        " it is slower beyond chance. Of a database the table is generated and"
        " compiled first.\n"
        "Without a table it takes the one that is served here, by"
        " CHORALE_DISPATCH or installed for the site. Where there is none, or"
        " with --measure, it makes one first: it traces the program, plans the"
        " calls that take most of its time as `chorale plan --from-trace`"
        " does, measures them with the program's own launcher for at most"
        " --budget, fits and decides; where load disturbed too much of it for"
        " that, it measures again, in twice the launches. A program that makes"
        " no collective calls on several ranks, or none that can be measured,"
        " is told so, with"
        " exit code 4.\n"
        "For that chorale-runner is started in the program's place, by the"
        " words of the command that come before it. The program is the one"
        " word that has the name of what the trace says ran, so that"
        " no launcher's options need to be known. Where ranks run something"
        " else than is written there (a script), or several words have that"
        " name, a second -- says where the launcher's words end; the first --"
        " of the command always does, and is not passed on. The number of ranks"
        " is the word after -n, -np or --ntasks, and the like, that is as many"
        " as the program had: by others in its place smaller communicators are"
        " measured. Without such a word they are left out, for one line. Where"
        " fewer ranks are put on other nodes than the communicators have, as by"
        " srun -N 2, they are measured in starts of all ranks only.\n"
        "The command is any that starts the ranks. The shim is passed by the"
        " environment (LD_PRELOAD and CHORALE_ variables), which MPICH's and"
        " Slurm's launchers pass on; for Open MPI's OMPI_MCA_mca_base_env_list"
        " is set, if it is not set yet. Traces are written into a folder that"
        " is made here and removed: all nodes must see it.\n"
        "The shim makes a communicator of its own beside each of the"
        " application's with enough calls, at most CHORALE_MAX_COMMS in a"
        " process (default: 256), of those that the library can make (2048 in"
        " MPICH). They are given back when a call on all ranks finds no"
        " more. A communicator with a rank that has a GPU's runtime loaded is"
        " the library's; one that is loaded later is noticed at the next"
        " communicator that the shim sets up.",
    .example = "chorale try -- mpiexec -n 2 ./app input\n"
               "chorale try --budget 10m --keep tuned -- srun -n 64 -- ./run.sh\n"
               "chorale try results.db -- mpiexec -n 2 ./app input\n"
               "chorale try table.so --repeat 5 -- srun -n 64 ./app",
    .opt = rows,
    .run = run,
};
