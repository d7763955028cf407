/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c - the verb `job`, which the batch scripts of `submit` start. */
#include "tuner/base/verb.h"
#include "tuner/slurm/element_run.h"
#include "tuner/slurm/gather_shards.h"

struct opts {
    struct chorale_element_opts element;
    const char *gather;
    double threshold;
};

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .element = CHORALE_ELEMENT_DEFAULTS,
                         .threshold = -1 };
    enum chorale_err err;
    int nword;

    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    if ((opts.element.element > 0) == (opts.gather != NULL))
        return chorale_fail(msg, CHORALE_USAGE,
                            "job: give either --element or --gather");
    if (opts.gather != NULL)
        return chorale_gather(argv[1], opts.gather, opts.threshold, msg);
    return chorale_element_run(argv[1], &opts.element, msg);
}

#define AT(member) offsetof(struct opts, element.member)

static const struct chorale_opt options[] = {
    { "element", 0, CHORALE_OPT_INT, AT(element), "N",
      "measure the launches of this element", 1, 1e9 },
    { "attempts", 0, CHORALE_OPT_INT, AT(attempts), "N",
      "most starts of the element (default: 1)", 1, 1e6 },
    { "one-launch-per-p", 0, CHORALE_OPT_FLAG, AT(one_per_p),
      NULL, "give each launch its own start", 0, 0 },
    { "mpi", 0, CHORALE_OPT_TEXT, AT(mpi), "TYPE",
      "value of srun's --mpi: pmi2, pmix, or auto: the one of these with "
      "which ranks find each other (default: Slurm's own)", 0, 0 },
    { "bind", 0, CHORALE_OPT_FLAG, AT(bind), NULL,
      "bind each rank to a core, and fail before the first point of a launch "
      "with unbound ranks", 0, 0 },
    { "any-nodes", 0, CHORALE_OPT_FLAG, AT(any_nodes), NULL,
      "launches use the nodes in Slurm's order, not in their own", 0,
      0 },
    { "partition", 0, CHORALE_OPT_TEXT, AT(partition),
      "NAME", "measure only in this partition, the planned one", 0, 0 },
    { "shards", 0, CHORALE_OPT_TEXT, AT(shards), "FOLDER",
      "measure into a file in this folder, as on a disk of the node (default: "
      "in the submission's folder)", 0, 0 },
    { "lead", 0, CHORALE_OPT_SECONDS, AT(lead), "TIME",
      "time between SIGUSR1 and the time limit (default: 1m)", 1, 0 },
    { "kill-wait", 0, CHORALE_OPT_SECONDS, AT(kill_wait),
      "TIME", "time from SIGTERM to SIGKILL, Slurm's KillWait, as "
      "`submit` found it (default: unknown, so SIGTERM ends the current point "
      "at once)", 1, 0 },
    { "publish", 0, CHORALE_OPT_SECONDS, AT(publish),
      "TIME", "publish during a launch after each point that ends this long "
      "after the last publication; a lost node loses finished points of at "
      "most this time (default: 10s)", 1, 0 },
    { "gather", 0, CHORALE_OPT_TEXT, offsetof(struct opts, gather), "FILE",
      "merge the published shards into this database, and make the table", 0,
      0 },
    { "threshold", 0, CHORALE_OPT_PERCENT, offsetof(struct opts, threshold),
      "GAIN", "for --gather: keep the library below this gain (default: 3%)",
      0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_job = {
    .name = "job",
    .args = "FOLDER",
    .summary = "run a batch job of `submit`",
    .detail =
        "An element measures its launches into a shard, its own database, and "
        "publishes a copy (FOLDER/shard-N.db). It publishes after each "
        "launch, and during a launch after each point that ends more than "
        "--publish after the last publication. The copy is written under "
        "another name and renamed, so a reader never finds a partial one.\n"
        "On SIGUSR1, which Slurm sends ahead of the time limit, the current "
        "point (all variants of a collective at a size, interleaved) is "
        "finished: at once if each variant has its least repetitions, else as "
        "planned, unless that takes three quarters of --lead. The element "
        "then publishes its results, requeues itself and exits with 75; but "
        "not more often than --attempts, nor after an attempt that added no "
        "run.\n"
        "On SIGTERM, with which Slurm cancels, preempts or requeues, and "
        "which all ranks get and ignore, the point is finished in the same "
        "way, unless that takes three quarters of --kill-wait, or all but 2.5 "
        "s of it; then it is given up, and measured again later. The element "
        "publishes its results, exits with 75, and leaves the queue to Slurm; "
        "a cancelled job does not return.\n"
        "A SIGKILL loses at most the current point. With --shards an attempt "
        "that starts on another node begins with the published copy, so the "
        "loss of a node also loses the points finished since; the file that "
        "was measured into, chorale-*.db, stays on the first node.\n"
        "With --gather the job merges all shards, reports which elements lack "
        "runs, fits, decides, and writes the dispatch file and the summary "
        "beside the database.\n"
        "Exit status: 0 for success; 75 if an element was stopped, or if runs "
        "are missing for the last job: repeat `chorale submit` to submit "
        "them; else the code of the error, as of any command.",
    .example = "chorale job /scratch/results-slurm/1 --element 3 --mpi pmi2 "
               "--bind\n"
               "chorale job /scratch/results-slurm/1 --gather "
               "/scratch/results.db",
    .opt = options,
    .run = run,
};
