/* SPDX-License-Identifier: BSD-3-Clause */
/* tune.c - the verb `tune`: its options, and the way to measure that they
 * choose. */
#include "config.h"

#include "tuner/verbs/tune_pipeline.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/units.h"
#include "tuner/base/verb.h"

struct options {
    struct chorale_tune tune;
    int full;                /* 1: measure every point of the grid */
};

#define BUDGET "6m"      /* of measuring, by default; validation follows */

/* The pattern of the system's present table, if all systems of that name ("":
 * any) have one; else "sync". The database need not exist. */
static const char *present_arrival(const char *path, const char *system)
{
    struct chorale_store *store = NULL;
    struct chorale_errmsg ignored; /* planning reports it */
    sqlite3_stmt *stmt = NULL;
    int found = -1;
    enum chorale_err err = CHORALE_NO;

    if (access(path, F_OK) == 0)
        err = chorale_store_open(path, CHORALE_STORE_READ, &store, &ignored);
    if (err == CHORALE_OK)
        err = chorale_store_query(
            store, "SELECT min(arrival) FROM policy JOIN system y USING"
            " (system_id) WHERE ?1 IN ('', y.name)"
            " HAVING count(DISTINCT arrival) = 1", CHORALE_FIELDS(system),
            &stmt, &ignored);
    if (chorale_store_next(store, stmt, &err, &ignored))
        found = chorale_arrival_policy_find(chorale_text(stmt, 0));
    sqlite3_finalize(stmt);
    chorale_store_close(store);
    return chorale_arrival_policy_name(
        found < 0 ? CHORALE_ARRIVALS_SYNC
                  : (enum chorale_arrival_policy)found);
}

/* Measure in the patterns by which the table is decided: those of --arrival, or
 * else of the present table. */
static void choose_arrival(struct chorale_plan *plan, const char *path)
{
    const int asked = plan->arrival != NULL;

    if (!asked)
        plan->arrival = present_arrival(path, plan->system != NULL
                                                  ? plan->system : "");
    if (!asked && strcmp(plan->arrival, "traced") == 0 && !plan->from_trace)
        plan->arrival = "sync"; /* cannot be planned */
    else if (chorale_arrival_policy_find(plan->arrival) >= 0)
        plan->policy.arrival = plan->arrival;
}

/* Choose how to measure: within a budget, unless an option selects another way.
 * budget: storage for plan.budget. */
static enum chorale_err choose_way(struct chorale_tune *opts, int full,
                                   char budget[32], struct chorale_errmsg *msg)
{
    struct chorale_plan *plan = &opts->plan;
    const int simulated = plan->launcher != NULL &&
                          strcmp(plan->launcher, "smpirun") == 0;
    int nodes = 0, each = 0;
    enum chorale_err err;

    if (full && (plan->budget != NULL || plan->adaptive))
        return chorale_fail(msg, CHORALE_USAGE, "--full: measures every point, "
                            "without a budget; leave out %s",
                            plan->adaptive ? "--adaptive" : "--budget");
    if (plan->set != NULL || plan->variants != NULL || plan->from_trace ||
        plan->adaptive || chorale_plan_conditions(plan))
        return CHORALE_OK;
    if (full || chorale_spec_listed(plan->providers, "native")) {
        plan->set = "model";
        return CHORALE_OK;
    }
    if (plan->budget == NULL)
        plan->budget = BUDGET;
    err = chorale_plan_budget(plan->budget, &opts->seconds, &nodes, &each, msg);
    if (err != CHORALE_OK)
        return err;
    plan->adaptive = 1;
    if (nodes || each) {
        opts->seconds = 0;
        return CHORALE_OK;
    }
    plan->spent_before = -1;
    plan->clock = opts->seconds;
    snprintf(budget, 32, "%.6gs",
             simulated ? opts->seconds : CHORALE_TUNE_ROUNDS * opts->seconds);
    plan->budget = budget;
    return CHORALE_OK;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct options given = { .tune = { .plan = CHORALE_PLAN_DEFAULTS,
                                       .run = CHORALE_RUN_DEFAULTS } };
    struct chorale_tune *opts = &given.tune;
    char command[1024], budget[32];
    enum chorale_err err;
    int nword;

    chorale_command_text(argc, argv, command, sizeof(command));
    opts->plan.arrival = NULL;
    err = chorale_opts_parse(verb, argc, argv, &given, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    choose_arrival(&opts->plan, argv[1]);
    err = chorale_policy_check(&opts->plan.policy, msg);
    if (err == CHORALE_OK && opts->confirm_seconds > 0 && opts->plan.adaptive)
        err = chorale_fail(msg, CHORALE_USAGE, "--confirm: an adaptive plan "
                           "chooses its launches itself; raise --budget");
    if (err != CHORALE_OK)
        return err;
    err = choose_way(opts, given.full, budget, msg);
    return err == CHORALE_OK ? chorale_tune(opts, argv[1], command, msg) : err;
}

static const struct chorale_opt options[] = {
    CHORALE_PLAN_OPTS(struct options, tune.plan),
    CHORALE_POLICY_OPTS(struct options, tune.plan.policy),
    { "full", 0, CHORALE_OPT_FLAG, offsetof(struct options, full), NULL,
      "measure every point of the grid, however long it takes", 0, 0 },
    { "no-validate", 0, CHORALE_OPT_FLAG,
      offsetof(struct options, tune.no_validate), NULL,
      "skip the final validation of the table", 0, 0 },
    { "confirm", 0, CHORALE_OPT_SECONDS,
      offsetof(struct options, tune.confirm_seconds), "TIME",
      "measure points whose gain is not significant yet in further launches, "
      "most valuable first, for about this long (default: what the rounds "
      "leave of the budget; with --full and --set none)", 1e-3, 0 },
    { "output", 'o', CHORALE_OPT_TEXT, offsetof(struct options, tune.output),
      "PREFIX", "prefix of the products' names (default: the "
      "database's name without .db)", 0, 0 },
    CHORALE_NO_BIND_OPT(struct options, tune.run.no_bind),
    { "stall-timeout", 0, CHORALE_OPT_SECONDS,
      offsetof(struct options, tune.run.stall_seconds), "TIME",
      "end a launch without output on both streams for this long (default: "
      "5m)", 1, 0 },
    { "hang", 0, CHORALE_OPT_SECONDS,
      offsetof(struct options, tune.run.hang_seconds), "TIME",
      "treat a call that takes this long as hung (default: see `chorale run "
      "--help`)", 1, 0 },
    { "one-launch-per-p", 0, CHORALE_OPT_FLAG,
      offsetof(struct options, tune.run.one_per_p), NULL,
      "give each process count its own start (`chorale run --help`)",
      0, 0 },
    { "dry-run", 0, CHORALE_OPT_FLAG,
      offsetof(struct options, tune.plan.dry_run), NULL,
      "print what would be planned and write nothing", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct options, tune.run.quiet),
      NULL, "no progress bar", 0, 0 },
    { "verbose", 'v', CHORALE_OPT_FLAG,
      offsetof(struct options, tune.run.verbose), NULL,
      "forward the output of the launched programs", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_tune = {
    .name = "tune",
    .args = "results.db",
    .summary = "plan, measure, fit, decide and write the tuned table",
    .detail =
        "The main job. Measures the library's default and the variants that "
        "may be the best over message and communicator sizes, fits the "
        "model, decides for each, and writes beside the database: the "
        "dispatch file (results-dispatch.c and .h), pictures "
        "(results-plots/), a summary page (results-summary.md) and a report "
        "to share (results-report.html, `chorale report`). Before these the "
        "table is validated against the library, as by `chorale validate`. "
        "A choice that is slower at a point is not chosen there again, and "
        "sizes without a measurement where the table seems slower are "
        "measured: the table is decided and validated again, up to four "
        "times. If a point is still slower, the exit status is 1. In "
        "simulation, and with --adaptive, the table stays; in simulation the "
        "summary lists slower points. Validation ends when about four thirds "
        "of the budget have passed; a system with too many points for that is "
        "validated at a part of them, evenly spread. The command ends by "
        "printing the summary, and where the products are.\n"
        "It measures for at most " BUDGET ", or --budget TIME, in rounds, each "
        "chosen from the results of the previous ones: the points and the "
        "candidates of the whole catalogue whose measurement is expected to "
        "improve the table most (`chorale plan --help`). If a variant seems to "
        "gain at a point but the launches are too few to tell, the library "
        "stays there; the rest of the budget goes to further launches of such "
        "points, most valuable first. In simulation the time counts that real "
        "launches would take, or if it is longer the time of simulating them, "
        "so that many ranks are measured with short messages; and no round "
        "starts when 70 % of it have passed by the clock. The command prints "
        "what it spent, the loss that is expected to remain, how the rounds "
        "lowered it, and how many points are undecided. Repeat it to "
        "measure for as long again.\n"
        "--full measures at every point, until no candidate without a "
        "measurement is expected to win. --set core or --set all plans a fixed "
        "set instead. With these, --confirm TIME measures further launches of "
        "undecided points. With --adaptive --budget TIME the budget counts all "
        "rounds of the system, also earlier ones. `chorale status` lists the "
        "gain of each round.\n"
        "With --arrival robust it measures each candidate for ranks that enter "
        "together, with a late last rank and in ascending order, and decides "
        "and validates by the largest loss over these patterns. Without "
        "--arrival it measures the patterns that decided the present table.\n"
        "The table is decided with the options of the present one, except "
        "those given and --allow-patented (`chorale decide --help`).\n"
        "After a stop or kill, repeat the command to continue.",
    .example = "chorale tune results.db\n"
               "chorale tune results.db -m 8:1M -P 2:16 --budget 1h\n"
               "chorale tune results.db -m 8:1M -P 2:16 --full --confirm 10m\n"
               "chorale tune sim.db --launcher smpirun --platform cluster.xml "
               "-m 8:256K -P 4,8,16,32",
    .opt = options,
    .run = run,
};
