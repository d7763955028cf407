/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.c - the verb `merge`: gathers shards, each its own database, into
 * one. */
#include "tuner/base/merge_shards.h"
#include "tuner/base/verb.h"

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_merge_opts opts = { .quiet = 0 };
    enum chorale_err refused = CHORALE_OK;
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 2, argc,
                                              &nword, msg);

    if (err == CHORALE_OK && nword >= 0)
        err = chorale_shards_merge(argv[1], argv + 2, nword - 1, &opts,
                                   &refused, msg);
    return err != CHORALE_OK ? err : refused;
}

#define AT(member) offsetof(struct chorale_merge_opts, member)

static const struct chorale_opt rows[] = {
    { "dry-run", 0, CHORALE_OPT_FLAG, AT(dry_run), NULL,
      "print what would be added by each shard alone, and change nothing", 0,
      0 },
    { "other-systems", 0, CHORALE_OPT_FLAG, AT(other_systems), NULL,
      "also accept shards of systems that results.db lacks (default: they are "
      "refused, unless it is empty)", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, AT(quiet), NULL,
      "print only errors", 0, 0 },
    { "verbose", 'v', CHORALE_OPT_FLAG, AT(verbose), NULL,
      "print a line for each shard instead of a progress bar, also without a "
      "terminal", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_merge = {
    .name = "merge",
    .args = "results.db SHARD.db...",
    .summary = "gather the runs of several databases into one",
    .detail =
        "Copies systems, cells, launches and runs with their samples, "
        "counters and environment, and imported traces from each shard, a "
        "separate database, into results.db, which is made if it is missing. "
        "Merging a shard again adds only new rows. The order of shards and "
        "merges does not matter: exports are the same, byte by byte; row ids "
        "may change for this.\n"
        "Shards are not changed. A shard that an older chorale wrote, or that "
        "a killed command left incomplete, is read from a copy in TMPDIR.\n"
        "Systems are the same if their signatures are (MPI library, hosts, "
        "fabric). A shard of a system that results.db lacks is refused, "
        "unless --other-systems is given. If systems share a name, the oldest "
        "keeps it, and a hash of the signature is appended to the others. "
        "Cells are the same if they measure the same: a cell planned in two "
        "shards becomes one, with the runs of both. A killed launch is marked "
        "failed and keeps its stored runs. Models, decisions and baselines "
        "are not merged; repeat `chorale fit` and `chorale decide`.\n"
        "Each shard is merged in one transaction. A shard that is damaged, of "
        "a newer schema, being written, or in contradiction to results.db is "
        "refused with a message. The others are merged, and the exit code is "
        "that of the first refused shard.",
    .example = "chorale merge results.db shard-1.db shard-2.db\n"
               "chorale merge results.db shards/*.db --dry-run",
    .opt = rows,
    .run = run,
};
