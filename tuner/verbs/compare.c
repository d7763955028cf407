/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c - `chorale compare`: did a collective become slower? */
#include <string.h>
#include <sys/stat.h>

#include "tuner/compare/compare_run.h"
#include "tuner/base/output.h"

struct opts {
    struct chorale_comparing cmp;
    const char *base_command;
};

static int same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

static enum chorale_err check(const struct opts *opts, char **word, int nword,
                              struct chorale_errmsg *msg)
{
    const struct chorale_comparing *cmp = &opts->cmp;
    int one_file = nword == 1 || same_file(word[1], word[2]);
    enum chorale_err err = chorale_comparing_check(cmp, msg);

    if (err != CHORALE_OK)
        return err;
    if (cmp->recheck != NULL && strcmp(cmp->recheck, "both") != 0 &&
        strcmp(cmp->recheck, "head") != 0)
        return chorale_fail(msg, CHORALE_USAGE, "--recheck %s: both, or head",
                            cmp->recheck);
    if (nword == 1 && cmp->baseline == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "compare: one database and no "
                            "--baseline NAME; name what to compare with");
    if (one_file && cmp->recheck != NULL && strcmp(cmp->recheck, "both") == 0)
        return chorale_fail(msg, CHORALE_USAGE, "--recheck both: base and head "
                            "are one database; keep them in two, or --recheck "
                            "head");
    if ((cmp->run || opts->base_command != NULL) && cmp->recheck == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "--run and --base-command go "
                            "with --recheck");
    return CHORALE_OK;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .cmp = CHORALE_COMPARING_DEFAULTS };
    struct chorale_how other = { .text = NULL };
    char command[1024];
    int nword = 0;
    enum chorale_err err;

    chorale_command_text(argc, argv, command, sizeof(command));
    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 2, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    err = check(&opts, argv, nword, msg);
    if (err != CHORALE_OK)
        return err;
    opts.cmp.output = chorale_output_name(opts.cmp.output);
    opts.cmp.base_path = argv[1];
    opts.cmp.head_path = argv[nword];
    if (opts.base_command != NULL) {
        chorale_how_build(&other, opts.base_command);
        opts.cmp.base_how = &other;
    }
    err = chorale_comparing(&opts.cmp, command, msg);
    chorale_how_release(&other);
    return err;
}

static const struct chorale_opt rows[] = {
    { "baseline", 0, CHORALE_OPT_TEXT, offsetof(struct opts, cmp.baseline),
      "NAME",
      "base is these launches, which `chorale baseline set` has named, of the "
      "first database; of a single one head is all its others", 0, 0 },
    { "label", 0, CHORALE_OPT_TEXT, offsetof(struct opts, cmp.label), "TEXT",
      "head is only what was planned with this --label", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, cmp.system), "NAME",
      "the system, where they have several in common", 0, 0 },
    { "recheck", 0, CHORALE_OPT_TEXT, offsetof(struct opts, cmp.recheck),
      "WHERE",
      "plan more launches of the cells that look slower, in both databases or "
      "in head; exit code 75: run them and repeat the command", 0, 0 },
    { "run", 0, CHORALE_OPT_FLAG, offsetof(struct opts, cmp.run), NULL,
      "and run them, base and head in turn, launch by launch", 0, 0 },
    { "base-command", 0, CHORALE_OPT_TEXT,
      offsetof(struct opts, base_command), "FILE",
      "the chorale that measures base, of another build or for another MPI "
      "library (default: this one)", 0, 0 },
    CHORALE_COMPARING_OPTS(struct opts, cmp),
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_compare = {
    .name = "compare",
    .args = "[base.db] head.db",
    .summary = "did a collective become slower? For CI",
    .detail =
        "Compares each cell (a variant at a size and number of ranks) of two "
        "databases, or of one with a baseline in it, by the medians of its "
        "launches. The change is the median over all pairs of launches of "
        "head / base, with the 95 % interval of Mann and Whitney's test.\n"
        "What looks slower (one-sided p of 0.15, above half the threshold) is "
        "suspect: that is not red. It is measured again, with --recheck, in "
        "launches of base and head in turn, and is slower if it is so in "
        "these alone: above the threshold, by Wilcoxon's signed ranks, with "
        "Holm's correction over all that were measured again at 0.5 % for the "
        "whole comparison. One that was stopped goes on with the same command, "
        "and is no verdict before it is whole. Faster is by Benjamini and "
        "Hochberg at 5 %; same, if the interval is within the threshold.\n"
        "machine: slower, but so are messages, copies in memory (for blocks of "
        "8 KiB or more), or the library where it is the "
        "same on both sides; nothing is decided then. gone: not in head, or "
        "nowhere right there. suspect, machine, undecided, too few and new "
        "are never red unless --fail-on says so. The exit code is 0 if nothing "
        "is red, 1 if something is, 75 if something is to be measured first.\n"
        "decision changed: at two sizes or more of a number of ranks the two "
        "databases would choose differently, and what base would choose is "
        "slower in head than it was, against what head would.\n"
        "What a budget buys, where launches of a cell differ by 1.5 %: with 6 "
        "launches and 30 of what looks slower, +3 % is found in 95 of 100 "
        "cells, +4 % in all; with 20 instead of 30, +3 % in 68. Of "
        "2000 comparisons of 2000 cells in which nothing changed, on an "
        "invented machine that drifts, has slow phases and outliers, 1 was "
        "red; with --unpaired and no second measurement in turn 183.\n"
        "Cells that were timed in batches of different lengths on the two "
        "sides are left undecided: short calls of two databases that are to be "
        "compared are planned with the same --batch.\n"
        "In simulation times are exact: any difference above the threshold is "
        "a change, and one launch tells.",
    .example = "chorale compare base.db head.db --recheck both --run\n"
               "chorale compare perf.db --baseline v1.2 --format junit -o"
               " out.xml\n"
               "chorale compare base.db head.db --threshold 5% --fail-on"
               " slower,decision-changed",
    .opt = rows,
    .run = run,
};
