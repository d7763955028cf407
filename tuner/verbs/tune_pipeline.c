/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_pipeline.c - the stages of the verb `tune`, and what they print. */
#include "config.h"

#include "tuner/verbs/tune_pipeline.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plots/stages.h"
#include "tuner/run/launcher.h"
#include "tuner/assess/remeasure.h"
#include "tuner/assess/undecided.h"
#include "tuner/decide/decide_tables.h"
#include "tuner/emit/generate.h"
#include "tuner/fit/fit.h"
#include "tuner/base/shell_quote.h"
#include "tuner/base/units.h"
#include "tuner/base/output.h"
#include "tuner/assess/validate.h"
#include "tuner/summary/summary.h"

enum { MAX_REPAIRS = 4 }; /* decisions again after slower points; one when the
                           * time is over */
enum { MAX_PASSES = 2 }; /* each looks for significant gains, and so may find a
                          * false one */

#define LITTLE 0.1       /* share of the expected loss: if the second half of
                          * the rounds lowered it by less, more time brings
                          * little */
#define UNSPENT 0.5      /* share of the budget: rounds that spent less ended
                          * because no point is worth its time */
#define LEAST_REST 0.2   /* of the budget: with less, no further rounds */
#define WHOLE 1.33       /* budgets until the last validation should end, */
#define LEAST_PROOF 30   /* and seconds for each validation, at least */

enum { KEPT = 256 };     /* rounds of a command; more do not count */

/* The rounds of measuring in this command. */
struct rounds {
    int by_clock;            /* 1: ended by the clock */
    double regret[KEPT];     /* expected before each */
    int nregret;
};

/* Report the failure of a step whose product no other step needs. */
static void optional(enum chorale_err err, const char *what,
                     const struct chorale_errmsg *msg)
{
    if (err != CHORALE_OK)
        fprintf(stderr, "chorale: no %s: %s\n", what, msg->text);
}

/* The same for a finished step; but a stopped step stops the whole command. */
static enum chorale_err ended(enum chorale_err err,
                              const struct chorale_errmsg *why,
                              const char *what, struct chorale_errmsg *msg)
{
    if (err == CHORALE_STOPPED || chorale_stop_requested())
        return chorale_fail(msg, CHORALE_STOPPED, "stopped before the %s, and "
                            "all measurements are stored; repeat the command "
                            "to continue", what);
    optional(err, what, why);
    return CHORALE_OK;
}

/* Seconds until the last validation should end. */
static double time_left(const struct chorale_tune *opts, double begin)
{
    return opts->seconds > 0
               ? begin + WHOLE * opts->seconds - chorale_seconds() : INFINITY;
}

/* Validate the table. A table that is slower somewhere is still written and
 * shown, and the verdict is returned at the end. In simulation the summary
 * shows it but the verdict is ignored, as it affects no program. */
static enum chorale_err validate(const struct chorale_tune *opts,
                                 const char *path, const char *system,
                                 double begin, struct chorale_errmsg *msg)
{
    struct chorale_validate_opts proof = CHORALE_VALIDATE_DEFAULTS;
    enum chorale_err err;

    if (opts->no_validate)
        return CHORALE_OK;
    proof.system = system;
    proof.launcher_cmd = opts->run.launcher_cmd;
    proof.no_bind = opts->run.no_bind;
    proof.command = opts->run.command;
    proof.stall_seconds = opts->run.stall_seconds;
    proof.hang_seconds = opts->run.hang_seconds;
    proof.allow_patented = opts->plan.policy.allow_patented;
    proof.quiet = opts->run.quiet;
    proof.as_step = 1;
    proof.verbose = opts->run.verbose;
    if (opts->seconds > 0)
        proof.seconds = fmax(time_left(opts, begin), LEAST_PROOF);
    err = chorale_validate(path, &proof, msg);
    if (err == CHORALE_OK || err == CHORALE_NO || err == CHORALE_STOPPED)
        return err;
    optional(err, "validation", msg);
    return CHORALE_OK;
}

static void where(const char *path, const char *prefix, int plots,
                  int report, int simulated)
{
    char shim[PATH_MAX], cwd[PATH_MAX], source[3 * PATH_MAX];
    char module[3 * PATH_MAX], quoted[2][4 * PATH_MAX];

    printf("\ndatabase   %s\n"
           "dispatch   %s-dispatch.c and .h\n"
           "summary    %s-summary.md\n", path, prefix, prefix);
    if (plots)
        printf("plots      %s-plots/\n", prefix);
    if (report)
        printf("report     %s-report.html\n", prefix);
    if (simulated)
        return;
    chorale_shim_locate(shim, sizeof(shim));
    if (prefix[0] == '/' || getcwd(cwd, sizeof(cwd)) == NULL)
        cwd[0] = '\0';
    snprintf(source, sizeof(source), "%s%s%s-dispatch.c", cwd,
             cwd[0] != '\0' ? "/" : "", prefix);
    snprintf(module, sizeof(module), "%s%s%s-dispatch.so", cwd,
             cwd[0] != '\0' ? "/" : "", prefix);
    printf("\nto run an application with it:\n"
           "  cc -shared -fPIC -o %s %s\n",
           chorale_shell_word(module, quoted[0], sizeof(quoted[0])),
           chorale_shell_word(source, quoted[1], sizeof(quoted[1])));
    printf("  CHORALE_DISPATCH=%s LD_PRELOAD=%s \\\n"
           "      %s -n 2 ./application\n",
           chorale_shell_word(module, quoted[0], sizeof(quoted[0])),
           chorale_shell_word(shim, quoted[1], sizeof(quoted[1])),
           chorale_mpiexec());
}

/* Print how many points are left undecided, and what would decide them.
 * confirms: --confirm may be given. */
static enum chorale_err print_undecided(const char *path, const char *system,
                                        const struct chorale_policy *policy,
                                        int confirms,
                                        struct chorale_errmsg *msg)
{
    struct chorale_undecided_left left;
    char text[32];
    enum chorale_err err = chorale_undecided_count(path, system, policy, &left,
                                                   msg);

    if (err == CHORALE_OK && left.count > 0)
        printf("\n%zu point%s left undecided; %sabout %s of "
               "further launches would decide %s\n", left.count,
               left.count == 1 ? " is" : "s are",
               confirms ? "--confirm with " : "",
               chorale_human_seconds(left.seconds, text),
               left.count == 1 ? "it" : "them");
    else if (err == CHORALE_OK)
        printf("\nno point is left undecided\n");
    return err;
}

/* Check before hours of measuring that the products can be written. */
static enum chorale_err check_output(const char *prefix,
                                     struct chorale_errmsg *msg)
{
    const char *slash = strrchr(prefix, '/');
    char dir[PATH_MAX];

    snprintf(dir, sizeof(dir), "%.*s", slash != NULL ? (int)(slash - prefix)
                                                     : 1,
             slash != NULL ? prefix : ".");
    if (slash == prefix)
        snprintf(dir, sizeof(dir), "/");
    if (access(dir, W_OK | X_OK) != 0)
        return chorale_fail(msg, CHORALE_ENV,
                            "%s: %s; %sname another with --output", dir,
                            strerror(errno), errno == ENOENT
                                ? "make this folder for the products, or "
                                : "");
    return CHORALE_OK;
}

/* Plan and measure, once or round after round. begin: time of the start. */
static enum chorale_err measure(struct chorale_tune *opts,
                                struct rounds *rounds, const char *path,
                                const char *command, char system[128],
                                double begin, struct chorale_errmsg *msg)
{
    struct chorale_plan asked = opts->plan;
    sqlite3_int64 last = 0;

    for (;;) {
        enum chorale_err err;

        opts->plan = asked; /* planning fills in derived values */
        opts->plan.carried_on = !asked.dry_run;
        err = chorale_plan_write(
            &opts->plan, path, command, opts->run.quiet, system,
            &opts->run.campaign, msg);

        asked.spent_before = opts->plan.spent_before;
        asked.planned += opts->plan.foreseen;
        if (opts->plan.regret >= 0 && rounds->nregret < KEPT)
            rounds->regret[rounds->nregret++] = opts->plan.regret;
        if (err == CHORALE_NO && opts->seconds > 0 && asked.adaptive &&
            isnan(opts->plan.regret)) { /* one rank: plan the library alone */
            asked.adaptive = 0;
            asked.budget = NULL;
            asked.set = "model";
            continue;
        }
        if (err == CHORALE_NO && !opts->run.quiet && opts->seconds == 0)
            printf("%s\n", msg->text);
        if (err == CHORALE_NO)
            return CHORALE_OK;
        if (err != CHORALE_OK || opts->plan.dry_run)
            return err;
        if (opts->run.campaign == last)
            return chorale_fail(msg, CHORALE_ENV, "%s: cells of the last "
                                "round cannot be measured; see `chorale "
                                "run`", path);
        last = opts->run.campaign;
        opts->run.system = system;
        opts->run.launcher_cmd = opts->plan.launcher_cmd;
        opts->run.command = command;
        err = chorale_run(path, &opts->run, msg);
        if (err != CHORALE_OK || !opts->plan.rounds)
            return err;
        if (opts->seconds > 0 && strcmp(opts->plan.launcher, "smpirun") == 0 &&
            chorale_seconds() - begin > CHORALE_TUNE_ROUNDS * opts->seconds) {
            opts->plan.spent += opts->plan.foreseen;
            rounds->by_clock = 1;
            return CHORALE_OK;
        }
    }
}

/* Measure undecided points, with --confirm or in the rest of the budget. */
static enum chorale_err confirm(const struct chorale_tune *opts,
                                const char *path, const char *system,
                                const struct chorale_plan *asked, double begin,
                                struct chorale_errmsg *msg)
{
    double seconds = opts->confirm_seconds;

    if (seconds == 0)
        seconds = opts->seconds - (chorale_seconds() - begin);
    return seconds > 0 ? chorale_undecided_measure(path, system, asked,
                                                   &opts->run, seconds, msg)
                       : CHORALE_OK;
}

/* With a budget: rounds, then undecided points; both once more if enough of the
 * budget is left, and rounds are expected to improve the table. Rounds end
 * early if starts of launches take less time than was estimated. When the
 * budget is spent by the clock, all measuring and planning stops. */
static enum chorale_err measure_all(struct chorale_tune *opts,
                                    struct rounds *rounds, const char *path,
                                    const char *command, char system[128],
                                    double begin, struct chorale_errmsg *msg)
{
    const struct chorale_plan asked = opts->plan;
    char rest[32];
    enum chorale_err err = CHORALE_OK;

    if (opts->seconds > 0)
        chorale_stop_after(opts->seconds);
    for (int pass = 0; pass < MAX_PASSES && err == CHORALE_OK; pass++) {
        double left = opts->seconds - (chorale_seconds() - begin);

        if (pass > 0) {
            if (strcmp(opts->plan.launcher, "smpirun") == 0 ||
                !(left > LEAST_REST * opts->seconds) ||
                !(opts->plan.regret > opts->plan.goal))
                break;
            snprintf(rest, sizeof(rest), "%.6gs", left);
            opts->plan = asked;
            opts->plan.budget = rest;
        }
        err = measure(opts, rounds, path, command, system, begin, msg);
        if (err == CHORALE_OK && !opts->plan.dry_run)
            err = confirm(opts, path, system, &asked, begin, msg);
        if (opts->plan.dry_run || opts->seconds == 0)
            break;
    }
    if (err == CHORALE_STOPPED && chorale_stop_requested() == SIGALRM) {
        rounds->by_clock = 1;
        err = CHORALE_OK;
    }
    chorale_stop_after(0);
    return err;
}

/* Print the time spent, the expected loss and how it fell, and whether to
 * measure more. */
static void print_budget(const struct chorale_tune *opts,
                         const struct rounds *rounds, double begin)
{
    const struct chorale_plan *plan = &opts->plan;
    const double seconds =
        strcmp(plan->launcher, "smpirun") == 0 && !rounds->by_clock
            ? plan->spent - plan->spent_before
            : fmin(chorale_seconds() - begin, opts->seconds);
    const double half = rounds->regret[rounds->nregret / 2];
    char spent[32], budget[32];

    printf("\nmeasured for %s of %s", chorale_human_seconds(seconds, spent),
           chorale_human_seconds(opts->seconds, budget));
    if (plan->regret >= 0)
        printf("; %s expected to lose %.2f %% against the best variants",
               rounds->by_clock ? "before the last round the table was"
                              : "the table is", 100 * plan->regret);
    if (plan->regret >= 0 && rounds->nregret > 2)
        printf(", %.2f %% after half of the rounds", 100 * half);
    if (rounds->by_clock)
        printf("; repeat the command to measure for as long again\n");
    else if (!(plan->regret > plan->goal))
        printf("; no further point is worth measuring\n");
    else if (seconds < UNSPENT * opts->seconds)
        printf("; no further point is worth its time\n");
    else if (rounds->nregret > 2 && half - plan->regret < LITTLE * plan->regret)
        printf("; more time is expected to bring little\n");
    else
        printf("; repeat the command to measure for as long again\n");
}

enum chorale_err chorale_tune(const struct chorale_tune *options,
                              const char *path, const char *command,
                              struct chorale_errmsg *msg)
{
    struct chorale_tune copy = *options, *opts = &copy;
    struct rounds rounds = { 0 };
    const double begin = chorale_seconds();
    char prefix[PATH_MAX - 32], source[PATH_MAX], plots[PATH_MAX];
    char summary[PATH_MAX], page[PATH_MAX], system[128];
    const struct chorale_fit_opts fit = {
        .each = { .system = system, .quiet = 1 }, .no_bar = opts->run.quiet,
    };
    const struct chorale_tables_opts decide = {
        .each = fit.each, .policy = opts->plan.policy, .as_before = 1,
    };
    const struct chorale_generate_opts generate = {
        source, system, opts->plan.policy.allow_patented, 1
    };
    const struct chorale_plot_opts figures = { .dir = plots, .system = system,
                                               .quiet = 1 };
    const struct chorale_page_opts report = { .output = page, .system = system,
                                              .quiet = 1 };
    const struct chorale_plan asked = opts->plan;
    struct chorale_errmsg why, answer = { "" };
    enum chorale_err err, proved;
    int simulated = opts->plan.launcher != NULL &&
                    strcmp(opts->plan.launcher, "smpirun") == 0;
    int drawn = 0, reported = 0;

    if (opts->output != NULL)
        snprintf(prefix, sizeof(prefix), "%s", opts->output);
    else
        chorale_output_prefix(path, prefix, sizeof(prefix));
    snprintf(source, sizeof(source), "%s-dispatch.c", prefix);
    snprintf(plots, sizeof(plots), "%s-plots", prefix);
    snprintf(summary, sizeof(summary), "%s-summary.md", prefix);
    snprintf(page, sizeof(page), "%s-report.html", prefix);
    opts->run.command = command;
    opts->run.launcher_cmd = opts->plan.launcher_cmd;
    err = check_output(prefix, msg);
    if (err == CHORALE_OK && !opts->plan.dry_run)
        err = chorale_launcher_check(opts->plan.launcher_cmd, msg);
    if (err == CHORALE_OK)
        err = measure_all(opts, &rounds, path, command, system, begin, msg);
    if (err != CHORALE_OK || opts->plan.dry_run)
        return err;
    if (opts->seconds > 0)
        print_budget(opts, &rounds, begin);
    for (int round = 0, failed = 0, late = 0;; round++) {
        size_t lost = 0;

        err = ended(chorale_models_fit(path, &fit, &why), &why, "model", msg);
        if (err == CHORALE_OK)
            err = chorale_tables_decide(path, &decide, msg);
        if (err == CHORALE_OK)
            err = chorale_table_generate(path, &generate, msg);
        if (err != CHORALE_OK)
            return err;
        proved = validate(opts, path, system, begin, &answer);
        if ((proved != CHORALE_NO && proved != CHORALE_OK) ||
            opts->no_validate || round == MAX_REPAIRS || failed ||
            (asked.adaptive && opts->seconds == 0) ||
            (time_left(opts, begin) < 0 && (proved == CHORALE_OK || late++)))
            break;
        err = chorale_remeasure(path, system, &asked, &opts->run, &lost, &why);
        if (err == CHORALE_STOPPED) {
            *msg = why;
            return err;
        }
        optional(err, "second measurement", &why);
        failed = err != CHORALE_OK; /* then use the earlier measurements */
        if (lost == 0)
            break;
    }
    if (proved == CHORALE_STOPPED) {
        *msg = answer;
        return proved;
    }
    err = chorale_plots_make(path, &figures, &why);
    drawn = err == CHORALE_OK;
    err = ended(err, &why, "plots", msg);
    if (err == CHORALE_OK)
        err = chorale_summary_report(path, system, summary, msg);
    if (err == CHORALE_OK) {
        err = chorale_report_make(path, &report, &why);
        reported = err == CHORALE_OK;
        err = ended(err, &why, "report", msg);
    }
    if (err == CHORALE_OK)
        err = print_undecided(path, system, &asked.policy,
                              !asked.adaptive || opts->seconds > 0, msg);
    if (err == CHORALE_OK)
        where(path, prefix, drawn, reported, simulated);
    if (err == CHORALE_OK && proved != CHORALE_OK && !simulated) {
        *msg = answer;
        err = proved;
    }
    return err;
}
