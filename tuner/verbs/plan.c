/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - the verb `plan`: writes the cells to measure into a database. */
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
      NULL, "print what would be planned and write nothing", 0, 0 },
    { "estimate", 0, CHORALE_OPT_FLAG,
      offsetof(struct plan_opts, plan.estimate), NULL,
      "print the cost of the plan, cells, launches and node-hours, and write "
      "nothing", 0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, offsetof(struct plan_opts, plan.json),
      NULL, "with --estimate: print JSON", 0, 0 },
    { "alpha", 0, CHORALE_OPT_SECONDS, offsetof(struct plan_opts, plan.alpha),
      "TIME", "with --estimate: time of a message, as 1.5us (default: the "
      "model's, else 2us)", 0, 0 },
    { "beta", 0, CHORALE_OPT_SECONDS, offsetof(struct plan_opts, plan.beta),
      "TIME", "with --estimate: time of a byte, as 0.08ns (default: the "
      "model's, else 0.4ns)", 0, 0 },
    { "start-up", 0, CHORALE_OPT_SECONDS,
      offsetof(struct plan_opts, plan.start_up), "TIME",
      "with --estimate: time of starting a launch (default: the mean of "
      "earlier ones on that system, else 1s)", 0, 0 },
    { "one-launch-per-p", 0, CHORALE_OPT_FLAG,
      offsetof(struct plan_opts, plan.one_per_p), NULL,
      "with --estimate: as started by `chorale run --one-launch-per-p`",
      0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG,
      offsetof(struct plan_opts, plan.policy.allow_patented), NULL,
      "with --set model or --adaptive: measure patented variants, too", 0, 0 },
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
        "database is made if it is missing. Planning again adds new cells, "
        "raises the number of launches, and removes nothing. Pending launches "
        "of a cell that is planned again follow the new plan, those of other "
        "cells the old one. --sync and --batch define what a time means, so a "
        "point of a database has one value of them, and another one is "
        "refused. `chorale run` then measures what is pending.\n"
        "Provider native is the MPI library's own algorithms, each forced by "
        "the library's control variables if it has them, as MPICH and Open "
        "MPI do. Their parameters stay at the library's defaults; --set all "
        "measures other values of them as well. A parameter that the library "
        "reads in MPI_Init (the tree types of MPICH, the modules and segment "
        "sizes of Open MPI's han) has launches of its own, in which the "
        "variable is set. An "
        "algorithm of Open MPI is measured only if the messages of a call "
        "prove that the component with this algorithm serves it. They are "
        "measured with the others and never chosen by `chorale decide`. The "
        "library's default is then measured once more, as variant untouched, "
        "in launches that force no algorithm. In simulation they are "
        "SimGrid's, each forced for a launch of its own.\n"
        "Counters: for each run one additional call is counted, outside the "
        "timed repetitions, and stored in table counter. For our own variants "
        "the events are chorale::messages, bytes_sent, bytes_reduced, rounds "
        "(steps in which a rank completes messages before it continues; of "
        "the busiest rank) and wait_ns (in the calls that complete them). "
        "--counters adds events by PAPI's names: presets (PAPI_TOT_CYC), "
        "native events of any component (net:::eth0:tx:bytes; an event of the "
        "whole node is read by one rank a node) and our own "
        "(sde:::chorale::rounds; `papi_native_avail -sde "
        LIBDIR "/chorale/libchorale_events.so` lists them). Values are of "
        "one call, summed over the ranks. Events that do not exist are "
        "reported once and stored as absent (NULL). If there are more events "
        "than counters, the events take turns in separate calls. Bytes per "
        "message, and cycles per byte with --counters PAPI_TOT_CYC:\n"
        "SELECT c.coll, c.variant, c.msg_size, b.value / m.value FROM cell c "
        "JOIN run r USING (cell_id) JOIN counter b ON b.run_id = r.run_id AND "
        "b.event = 'chorale::bytes_sent' JOIN counter m ON m.run_id = "
        "r.run_id AND m.event = 'chorale::messages'\n"
        "SELECT c.coll, c.variant, c.msg_size, k.value / b.value FROM cell c "
        "JOIN run r USING (cell_id) JOIN counter k ON k.run_id = r.run_id AND "
        "k.event = 'PAPI_TOT_CYC' JOIN counter b ON b.run_id = r.run_id AND "
        "b.event = 'chorale::bytes_sent'\n"
        "Set model: --set model plans one round, for every point of the grid. "
        "The first round calibrates the model. In the next ones every "
        "variant, with every listed value of its parameters and with sizes "
        "and counts between these, is predicted at every point by replaying "
        "its schedule. Planned are the library's default and the candidates "
        "that are expected to be faster than all measured ones by more than "
        "--goal, within the error that the model had at measured cells. "
        "`chorale run` measures the round, and repeating the plan makes the "
        "next one. The exit code is 1 when no candidate is left. `chorale "
        "tune` does both.\n"
        "Adaptive: --adaptive plans one round of the cells that the other "
        "options select. The first round has a few sizes at the smallest "
        "process count. The next ones go up to the largest process count. "
        "Later rounds measure where the table that `decide` would make is "
        "expected to lose most, relative to the cost of measuring. Times not "
        "measured yet are the model's, corrected by the variant's times at "
        "other points; their uncertainty is the error of this prediction at "
        "measured points. `chorale run` measures the round, and repeating the "
        "plan makes the next one. The exit code is 1 when the budget is spent "
        "or the goal is reached:\n"
        "while chorale plan results.db -P 2:64 --adaptive --budget 2nh; do "
        "chorale run results.db || break; done\n"
        "The budget counts the time of all adaptive rounds of that system. "
        "With /coll it is multiplied by the number of collectives, which "
        "share their launches; a collective that is settled leaves the rest "
        "to others. It is kept as accurately as costs can be predicted: a "
        "cell's repetitions, warm-up, verification and synchronisation, and "
        "for each launch the start-up time of earlier ones. A simulated "
        "launch counts as 6 real ones with its times, of 30 repetitions (10 "
        "to 30 if 0.5 s are exceeded) and one second to start.\n"
        "Estimate: --estimate counts the launches that `chorale run` would "
        "make for this plan, without those already made. For each P it adds "
        "up their time: starting, and for each cell repetitions (30, or 10 to "
        "30 if --cell-time is exceeded), warm-up, verification and "
        "synchronisation, as the budget of --adaptive does. The time of a "
        "call is its variant's stated cost (`chorale list`) on a network of "
        "three numbers: those of the model in the database, or --alpha and "
        "--beta, or defaults; the output names them. The library is assumed "
        "to be as fast as the best of the core set. The number of repetitions "
        "depends on the noise of the machine. The share of cells that need "
        "all of --cell-time is taken from earlier measurements on that "
        "system; without any it is assumed to be none, which is a guess. The "
        "cost if all cells do is printed as well. Slow variants are given up "
        "early, so the true cost is rather lower. Launches that share a start "
        "(`chorale run --help`) are those that `run` would combine; the nodes "
        "of the start are held until the last of them is done. With "
        "--one-launch-per-p each has its own. node-hours are nodes times "
        "hours, one start after the other.\n"
        "A simulated system (--launcher smpirun --platform FILE.xml) is a "
        "separate system: decisions never mix it with a real one.",
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
