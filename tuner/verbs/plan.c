/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - the verb `plan`. */
#include "tuner/plan/plan.h"

#include <stddef.h>
#include <stdio.h>

struct plan_opts {
    struct chorale_plan plan;
    int quiet;
};

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct plan_opts opts = { .plan = CHORALE_PLAN_DEFAULTS };
    char command[1024], system[128];
    sqlite3_int64 campaign;
    enum chorale_err err;
    int nword;

    chorale_command_text(argc, argv, command, sizeof(command));
    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_plan_write(&opts.plan, argv[1], command, opts.quiet,
                              system, &campaign, msg);
}

static const struct chorale_opt options[] = {
    CHORALE_PLAN_OPTS(struct plan_opts, plan),
    { "dry-run", 0, CHORALE_OPT_FLAG, offsetof(struct plan_opts, plan.dry_run),
      NULL, "say what would be planned and write nothing", 0, 0 },
    { "estimate", 0, CHORALE_OPT_FLAG,
      offsetof(struct plan_opts, plan.estimate), NULL,
      "say what the plan would take, cells, launches and node-hours, and "
      "write nothing", 0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, offsetof(struct plan_opts, plan.json),
      NULL, "with --estimate: print JSON", 0, 0 },
    { "alpha", 0, CHORALE_OPT_SECONDS, offsetof(struct plan_opts, plan.alpha),
      "TIME", "with --estimate: what a message takes (1.5us) (default: the "
      "model's, else 2us)", 0, 0 },
    { "beta", 0, CHORALE_OPT_SECONDS, offsetof(struct plan_opts, plan.beta),
      "TIME", "with --estimate: what a byte takes (0.08ns) (default: the "
      "model's, else 0.4ns)", 0, 0 },
    { "start-up", 0, CHORALE_OPT_SECONDS,
      offsetof(struct plan_opts, plan.start_up), "TIME",
      "with --estimate: what starting a launch takes (default: the mean of "
      "those that were made on that system, else 1s)", 0, 0 },
    { "one-launch-per-p", 0, CHORALE_OPT_FLAG,
      offsetof(struct plan_opts, plan.one_per_p), NULL,
      "with --estimate: as `chorale run --one-launch-per-p` would start them",
      0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct plan_opts, quiet), NULL,
      "print nothing", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_plan = {
    .name = "plan",
    .args = "results.db",
    .summary = "write the cells to measure into a database",
    .detail =
        "A cell is one variant of a collective at one message size, "
        "communicator size, datatype and root policy on one system. The "
        "database is made if it is missing; planning again adds what is new "
        "and raises the number of launches, and forgets nothing: launches "
        "that are still to be made of a cell that is planned again follow the "
        "new plan, those of other cells the old one. --sync and --batch "
        "say what a time means, so one point of one database has one choice "
        "of them, and another one is refused. `chorale "
        "run` then executes what is pending.\n"
        "Provider native is the MPI library's own algorithms, each forced by "
        "the library's control variables, where it has such: MPICH's and Open "
        "MPI's do. Their parameters stay at the library's defaults. They are "
        "measured beside the others and never chosen by `chorale decide`. The "
        "library's default is then measured once more, as variant untouched, "
        "in launches in which nothing is forced. In simulation they are "
        "SimGrid's, each forced for a launch of its own.\n"
        "Counters: of each run one call more is counted, outside the timed "
        "repetitions, and stored in the table counter: for our own variants "
        "always the events chorale::messages, bytes_sent, bytes_reduced, "
        "rounds (steps in which a rank completes messages before it goes on; "
        "of the busiest rank) and wait_ns (in the calls that complete them), "
        "and what --counters names, by PAPI's names: presets (PAPI_TOT_CYC), "
        "native events of any component (net:::eth0:tx:bytes; what is of the "
        "whole node is read by one rank a node) and our own "
        "(sde:::chorale::rounds; `papi_native_avail -sde "
        LIBDIR "/chorale/libchorale_events.so` lists them). Values are of one "
        "call, added up over the "
        "ranks. Events that do not exist are named once and stored as absent "
        "(NULL). More events than the processor has counters take turns in "
        "calls of their own. Bytes per message, and cycles per byte where "
        "--counters PAPI_TOT_CYC was given:\n"
        "SELECT c.coll, c.variant, c.msg_size, b.value / m.value FROM cell c "
        "JOIN run r USING (cell_id) JOIN counter b ON b.run_id = r.run_id AND "
        "b.event = 'chorale::bytes_sent' JOIN counter m ON m.run_id = "
        "r.run_id AND m.event = 'chorale::messages'\n"
        "SELECT c.coll, c.variant, c.msg_size, k.value / b.value FROM cell c "
        "JOIN run r USING (cell_id) JOIN counter k ON k.run_id = r.run_id AND "
        "k.event = 'PAPI_TOT_CYC' JOIN counter b ON b.run_id = r.run_id AND "
        "b.event = 'chorale::bytes_sent'\n"
        "Adaptive: of the cells that the other options ask for, --adaptive "
        "plans one round: first a few sizes at the smallest process count, "
        "then process counts up to the largest, then where the table that "
        "`decide` would make is expected to lose most for what measuring "
        "costs. Times not measured yet are the model's, corrected by what the "
        "variant took elsewhere, and doubted by how well that does for what is "
        "measured. `chorale run` measures the round, the same plan again is "
        "the next one, and it ends with exit code 1 when the budget is spent "
        "or the goal is reached:\n"
        "while chorale plan results.db -P 2:64 --adaptive --budget 2nh; do "
        "chorale run results.db || break; done\n"
        "The budget counts what all adaptive rounds of that system took "
        "(with /coll the number of collectives times so much: they share their "
        "launches, and one that is settled leaves the rest to others), and "
        "is kept as well as their costs are foreseen: a cell's repetitions, "
        "warm-up, verification and synchronisation, and of each launch what "
        "earlier ones took to start. A simulated launch counts as 6 real ones "
        "with its times would, of 30 repetitions (10 to 30 where 0.5 s are "
        "passed) and one second to start.\n"
        "Estimate: --estimate counts the launches that `chorale run` would "
        "make of this plan, without what is measured already, and adds up for "
        "each P what they take: starting, and of each cell repetitions (30, "
        "or 10 to 30 where --cell-time is passed), warm-up, verification and "
        "synchronisation, as the budget of --adaptive does. What a call takes "
        "is its variant's stated cost (`chorale list`) on a network of three "
        "numbers: those of the model in the database, or --alpha and --beta, "
        "or defaults, and it says which; the library is taken for the best of "
        "the core set. How long repetitions go on hangs on how quiet the "
        "machine is: as many cells as took all of --cell-time in what was "
        "measured on that system are expected to, none where nothing was, "
        "which is a guess; what it takes if all of them do is said "
        "beside it. Variants that are surely slower are given up early, so "
        "it will rather be less. Launches that share a start (`chorale run "
        "--help`) are those that `run` would make so, and the nodes of the "
        "start are held until the last of them is done; --one-launch-per-p "
        "gives each its own. node-hours are nodes times hours, one start "
        "after the other.\n"
        "A simulated system (--launcher smpirun --platform FILE.xml) is a "
        "system of its own: decisions never mix it with a real one.",
    .example = "chorale plan results.db -m 8:1M -P 2:64 --ppn 8 --launcher "
               "srun\n"
               "chorale plan results.db -m 8:1M -P 256,1024 --ppn 32 "
               "--launcher srun --estimate --start-up 20s\n"
               "chorale plan results.db -P 2 --counters "
               "PAPI_TOT_CYC,PAPI_TOT_INS\n"
               "chorale plan results.db -P 2:64 --ppn 8 --launcher srun "
               "--adaptive --budget 2nh\n"
               "chorale plan results.db -c bcast,allreduce -m 8:64K -P 16 "
               "--launcher smpirun --platform cluster.xml",
    .opt = options,
    .run = run,
};
