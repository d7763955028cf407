/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c - the verb `run`: runs all pending launches. */
#include "tuner/base/verb.h"
#include "tuner/run/run.h"

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_run_opts opts = CHORALE_RUN_DEFAULTS;
    char command[1024];
    enum chorale_err err;
    int nword;

    chorale_command_text(argc, argv, command, sizeof(command));
    opts.command = command;
    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_run(argv[1], &opts, msg);
}

static const struct chorale_opt options[] = {
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct chorale_run_opts, system),
      "NAME", "only this system's cells (default: all)", 0, 0 },
    { "launcher-cmd", 0, CHORALE_OPT_TEXT,
      offsetof(struct chorale_run_opts, launcher_cmd), "CMD",
      "the launcher of campaigns planned with one of their own; a command is "
      "never taken from the database", 0, 0 },
    CHORALE_NO_BIND_OPT(struct chorale_run_opts, no_bind),
    { "stall-timeout", 0, CHORALE_OPT_SECONDS,
      offsetof(struct chorale_run_opts, stall_seconds), "TIME",
      "end a launch that prints nothing for this long on either of its "
      "streams; while it measures it prints every second (default: 5m)", 1,
      0 },
    { "max-launches", 0, CHORALE_OPT_INT,
      offsetof(struct chorale_run_opts, max_launches), "N",
      "stop after so many launches, with exit code 75 if more are pending: to "
      "measure two databases in turn (default: all)", 1, 1000000 },
    { "one-launch-per-p", 0, CHORALE_OPT_FLAG,
      offsetof(struct chorale_run_opts, one_per_p), NULL,
      "start the program separately for each process count, instead of "
      "measuring small counts on parts of a larger start", 0, 0 },
    { "retry-failed", 0, CHORALE_OPT_FLAG,
      offsetof(struct chorale_run_opts, retry_failed), NULL,
      "forget the runs that failed (a rank died or a call hung, in two "
      "launches) and try those cells again in all launches", 0, 0 },
    { "hang", 0, CHORALE_OPT_SECONDS,
      offsetof(struct chorale_run_opts, hang_seconds), "TIME",
      "time after which a call counts as hung; when it hangs again, its cell "
      "is marked as failed (default: 1m, at least 60 times the "
      "plan's time limit of a cell; in simulation as --stall-timeout)", 1, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG,
      offsetof(struct chorale_run_opts, quiet), NULL,
      "no progress bar, no summary", 0, 0 },
    { "verbose", 'v', CHORALE_OPT_FLAG,
      offsetof(struct chorale_run_opts, verbose), NULL,
      "pass on what the launched programs print; where standard error is no "
      "terminal, as in a job's log, also print the progress each minute", 0,
      0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_run = {
    .name = "run",
    .args = "results.db",
    .summary = "execute the planned cells that are pending",
    .detail =
        "Starts chorale-runner once for each launch and communicator size, "
        "under the launcher that the plan names. On several nodes one start "
        "measures all sizes of a launch: the largest on all nodes, then the "
        "others in groups of whole nodes, several at once if the groups do not "
        "share a part of the network, which is tested first. Every point is "
        "stored as soon as it is complete. If the command is killed at any "
        "moment, the file stays valid, and a launch loses at most the point "
        "being measured; the same command resumes with that point. A point "
        "that may take more than a minute is measured in several launches, "
        "each with some of its cells and the library. After SIGUSR1, which a "
        "batch system may send ahead of its time limit, the current point is "
        "finished first, within 45 s.\n"
        "A cell that ends the program or hangs in two launches is marked as "
        "failed and skipped from then on. If the cell was not the cause (out "
        "of memory, a lost node), --retry-failed measures it again.\n"
        "Runs are tagged load (v_run.validity) if other programs took more "
        "than 0.2 processors from the ranks of a node in the second before. "
        "They count, but decisions on them are marked.\n"
        "The launcher is mpiexec of the MPI that the runner is built with; "
        "the environment variable CHORALE_MPIEXEC names another. Each rank is "
        "bound to a core: srun gets --cpu-bind=cores, mpiexec the variables "
        "HYDRA_BINDING (MPICH), OMPI_MCA_hwloc_base_binding_policy and "
        "PRTE_MCA_hwloc_default_binding_policy (Open MPI), which the user's "
        "own values and options override. Chorale requests no binding with "
        "--no-bind, with a launcher of --launcher-cmd, where a node has more "
        "ranks than cores, and where chorale itself is bound, as by taskset. "
        "Slurm and Open MPI may bind unasked. The table "
        "environment has for each launch what was asked (binding_request) and "
        "what the ranks found (binding, binding:RANK).",
    .example = "chorale run results.db\n"
               "chorale run results.db --launcher-cmd 'flux run -n {P}'",
    .opt = options,
    .run = run,
};
