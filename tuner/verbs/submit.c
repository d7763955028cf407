/* SPDX-License-Identifier: BSD-3-Clause */
/* submit.c - the verb `submit`: runs a campaign as batch jobs of Slurm. */
#include "tuner/base/verb.h"
#include "tuner/slurm/submit.h"

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_submit_opts opts = { .plan = CHORALE_PLAN_DEFAULTS,
                                        .seconds = 3600, .attempts = 20,
                                        .threshold = -1, .change = -1,
                                        .start_up = -1 };
    char command[1024];
    enum chorale_err err;
    int nword;

    chorale_command_text(argc, argv, command, sizeof(command));
    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_campaign_submit(argv[1], &opts, command, msg);
}

#define AT(member) offsetof(struct chorale_submit_opts, member)
#define TEXT(name, member, arg, help)                                        \
    { name, 0, CHORALE_OPT_TEXT, AT(member), arg, help, 0, 0 }

static const struct chorale_opt options[] = {
    CHORALE_PLAN_OPTS(struct chorale_submit_opts, plan),
    TEXT("site", site, "FILE", "settings of this site: lines KEY = VALUE, "
         "with # comments; keys are partition, account, qos, reservation, "
         "constraint, switches, launcher (srun or mpiexec), mpi, shards, bind "
         "(yes or no), exclusive (yes or no), spread (yes or no), prologue (a "
         "script to source) and any number of option (--mail-type=END)"),
    TEXT("partition", partition, "NAME", "part of the system's name"),
    TEXT("account", account, "NAME", "account to charge"),
    TEXT("qos", qos, "NAME", "quality of service"),
    TEXT("reservation", reservation, "NAME", "use only its nodes"),
    TEXT("constraint", constraint, "FEATURE", "use only nodes that have it"),
    TEXT("switches", switches, "N[@TIME]",
         "most leaf switches that an element may span, and how long to wait "
         "for this"),
    { "time", 0, CHORALE_OPT_SECONDS, AT(seconds), "TIME",
      "time limit of a job, rounded up to minutes; longer work is requeued "
      "(default: 1h)", 60, 0 },
    { "nodes", 0, CHORALE_OPT_INT, AT(nodes), "N",
      "refuse launches that need more nodes (default: no limit)", 1, 1e6 },
    { "max-node-hours", 0, CHORALE_OPT_REAL, AT(node_hours),
      "H", "refuse submissions that may take more; required above 100", 0, 0 },
    { "attempts", 0, CHORALE_OPT_INT, AT(attempts), "N",
      "most starts of an element (default: 20)", 1, 10000 },
    { "at-once", 0, CHORALE_OPT_INT, AT(at_once), "N",
      "most elements of an array that run at once; elements on the same "
      "switches disturb each other (default: limited only by Slurm)",
      1, 10000 },
    TEXT("mpi", mpi, "TYPE", "value of srun's --mpi (default: auto, each job "
         "tries pmi2 and pmix)"),
    TEXT("shards", shards, "FOLDER", "measure into files in this folder of "
         "the nodes, and publish copies (default: all in the submission's "
         "folder)"),
    { "one-launch-per-p", 0, CHORALE_OPT_FLAG, AT(one_per_p), NULL,
      "give each process count its own start and nodes", 0, 0 },
    { "start-up", 0, CHORALE_OPT_SECONDS, AT(start_up), "TIME",
      "time of starting a launch, to decide whether a small launch shares "
      "the start of a large one (default: as measured, else 5s)", 0,
      0 },
    { "share-nodes", 0, CHORALE_OPT_FLAG, AT(shared), NULL,
      "do not use --exclusive; other jobs may disturb the times", 0, 0 },
    { "any-nodes", 0, CHORALE_OPT_FLAG, AT(any_nodes), NULL,
      "let Slurm choose all nodes and their order; without this option, "
      "launches of a cell use different nodes in different orders", 0,
      0 },
    { "threshold", 0, CHORALE_OPT_PERCENT, AT(threshold),
      "GAIN", "keep the library's default below this gain (3%)", 0, 0 },
    { "wait", 0, CHORALE_OPT_FLAG, AT(wait), NULL,
      "wait for the last job and use its exit code: 0, 75 if runs are missing, "
      "3 if it left no result or squeue fails for ten minutes", 0, 0 },
    TEXT("compare", compare, "BASE.db", "after --wait compare it with the new "
         "results and use the exit code of `chorale compare`"),
    TEXT("fail-on", fail_on, "LIST", "for --compare: findings that fail, see "
         "`chorale compare --help`"),
    { "change", 0, CHORALE_OPT_PERCENT, AT(change), "PERCENT",
      "for --compare: its --threshold, ignore changes up to this one", 0,
      0 },
    { "unpaired", 0, CHORALE_OPT_FLAG, AT(unpaired), NULL,
      "for --compare: fail although base was measured at another time; "
      "otherwise such a difference is only suspect", 0, 0 },
    { "dry-run", 0, CHORALE_OPT_FLAG, AT(dry_run), NULL,
      "print the scripts; write and submit nothing", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, AT(quiet), NULL,
      "print only errors and scripts", 0, 0 },
    { "verbose", 'v', CHORALE_OPT_FLAG, AT(verbose), NULL,
      "for --wait: print a line for each change instead of a progress bar, "
      "also without a terminal", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_submit = {
    .name = "submit",
    .args = "results.db",
    .summary = "measure through job arrays of Slurm",
    .detail =
        "Plans the core set, or that of --set, and packs the launches into "
        "elements of job arrays. There is one array for each number of nodes "
        "and ranks a node; each element is as long as its time limit allows. "
        "Launches of one cell go to different elements, so that they get "
        "different allocations.\n"
        "If the partition has more nodes than an element needs, elements of "
        "different launches exclude different nodes, by the seed (#SBATCH "
        "--exclude). An element may still use half of the working nodes and "
        "twice as many as it needs. In each launch the ranks also use all "
        "nodes except the first in another order. --any-nodes disables both. "
        "No node is excluded if --constraint, --reservation, --switches or an "
        "option selects nodes. If the nodes of an array are gone, `scontrol "
        "update JobId=ID ExcNodeList=` lets it use any node. The summary "
        "shows on how many sets of nodes a cell was measured.\n"
        "Launches on fewer nodes share the start of a larger launch, in "
        "groups of its nodes, where this is expected to take fewer node-hours "
        "(`chorale run --help`).\n"
        "Each element measures into its own database. A last job merges them, "
        "fits, decides, and writes the dispatch file and the summary beside "
        "results.db. Scripts, logs and shards are in results-slurm/. `chorale "
        "status` shows the progress, and `chorale job --help` explains the "
        "jobs.\n"
        "Before its time limit an element publishes its results and is "
        "requeued until it is done. Repeat the command to submit missing "
        "runs; runs in the queue are not submitted again.\n"
        "Nodes are not shared and ranks are bound to cores. If Slurm cannot "
        "bind, no job is submitted unless the site file has bind = no. An "
        "element fails if the ranks of a launch were not bound.\n"
        "With --wait and --compare the exit code is the campaign's verdict: 0 "
        "for success, 1 if a finding fails, 75 if runs are missing or no "
        "cell has a verdict, 3 if the last job was cancelled or died, 4 if "
        "a shard is damaged, else the last job's exit code.",
    .example =
        "chorale submit results.db -m 8:1M -P 64,128,256 --ppn 32 --partition "
        "main --time 2h --dry-run\n"
        "chorale submit results.db -m 8:1M -P 64,128,256 --ppn 32 --site "
        "site.txt --wait\n"
        "chorale submit results.db -m 8:1M -P 64 --ppn 32 --site site.txt "
        "--wait --compare last.db --fail-on slower,suspect",
    .opt = options,
    .run = run,
};
