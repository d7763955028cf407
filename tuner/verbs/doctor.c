/* SPDX-License-Identifier: BSD-3-Clause */
/* doctor.c - the verb `doctor`: reports the machine's capabilities and
 * conditions that would disturb a measurement. */
#include "tuner/base/verb.h"
#include "tuner/site/machine_check.h"

struct doctor_opts {
    long ranks;
};

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct doctor_opts opts = { .ranks = 2 };
    enum chorale_err err;
    int nword;

    err = chorale_opts_parse(verb, argc, argv, &opts, 0, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_machine_check(opts.ranks, nword == 1 ? argv[1] : NULL,
                                 msg);
}

static const struct chorale_opt options[] = {
    { "ranks", 'P', CHORALE_OPT_INT, offsetof(struct doctor_opts, ranks), "N",
      "start as many ranks as the campaign (default: 2)", 1, 1 << 20 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_doctor = {
    .name = "doctor",
    .args = "[DIR]",
    .summary = "check what this machine can measure, and what disturbs it",
    .detail =
        "Looks for the MPI library, PAPI, SimGrid, gnuplot and Slurm. Starts "
        "ranks under the launcher and judges the environment that they would "
        "record with each launch, bound to cores as `chorale run` binds them. "
        "It warns of oversubscribed ranks, ranks that are not bound all the "
        "same, a CPU quota, an MPI library that tunes itself, clocks that "
        "disagree, other load, a governor other than performance, and a "
        "virtual machine. It lists the MPI library's control variables that "
        "differ from their defaults. Inside a Slurm job it tries srun with "
        "pmi2 and pmix, and mpiexec, and prints the lines of those that start "
        "ranks for the site file of `chorale submit`.\n"
        "With DIR it tests whether locks in that folder exclude other "
        "processes, and whether files reach the disk. It also reads the mount "
        "options, since a test on one node cannot show whether locks exclude "
        "processes of other nodes.\n"
        "The launcher is mpiexec of the MPI that the runner is built with; "
        "the environment variable CHORALE_MPIEXEC names another.",
    .example = "chorale doctor\n"
               "chorale doctor /scratch/me\n"
               "chorale doctor -P 16",
    .opt = options,
    .run = run,
};
