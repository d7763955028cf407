/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c - the verb `status`: shows what is done, pending and failed. */
#include <math.h>

#include "tuner/base/verb.h"
#include "tuner/slurm/job_status.h"

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_status_opts opts = { .watch = NAN };
    enum chorale_err err;
    int nword;

    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    if (opts.rounds && opts.jobs)
        return chorale_fail(msg, CHORALE_USAGE,
                            "status: give --rounds or --jobs, not both");
    if (!isnan(opts.watch) && (!opts.jobs || opts.json || opts.watch < 1))
        return chorale_fail(msg, CHORALE_USAGE, "status: --watch requires "
                            "--jobs without --json; give 1 s or more");
    return chorale_status_show(argv[1], &opts, msg);
}

#define AT(member) offsetof(struct chorale_status_opts, member)

static const struct chorale_opt options[] = {
    { "json", 0, CHORALE_OPT_FLAG, AT(json), NULL,
      "print JSON", 0, 0 },
    { "rounds", 0, CHORALE_OPT_FLAG, AT(rounds), NULL,
      "print only the cost of launches: of each round of an adaptive plan, "
      "with the regret expected before it, and of all others", 0, 0 },
    { "jobs", 0, CHORALE_OPT_FLAG, AT(jobs), NULL,
      "print only the batch jobs of `chorale submit`: done runs of each "
      "element, remaining work, the job's state in Slurm and its last "
      "message. squeue is asked at most once in 30 s; sacct, if available, "
      "tells how incomplete jobs ended", 0, 0 },
    { "watch", 0, CHORALE_OPT_SECONDS, AT(watch), "TIME",
      "with --jobs: repeat at this interval until no queued element lacks "
      "runs; Slurm is still asked at most once in 30 s", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_status = {
    .name = "status",
    .args = "results.db",
    .summary = "show what is measured, what is left and what failed",
    .detail = "Counts a cell once for each launch it is planned in. Cells "
              "that could not or must not be measured are listed with the "
              "reason. If algorithms of the library were forced, its default "
              "beside them is compared with launches without forcing. Rounds "
              "of an adaptive plan are listed with their cost and the regret "
              "expected before each.",
    .example = "chorale status results.db",
    .opt = options,
    .run = run,
};
