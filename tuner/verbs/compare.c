/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c - the verb `compare`: tells whether collectives became slower. */
#include <string.h>

#include "tuner/compare/compare_run.h"
#include "tuner/base/suggest.h"
#include "tuner/base/output.h"

struct opts {
    struct chorale_comparing cmp;
    const char *base_command;
};

static enum chorale_err check(const struct opts *opts, char **word, int nword,
                              struct chorale_errmsg *msg)
{
    const struct chorale_comparing *cmp = &opts->cmp;
    int one_file = nword == 1 || chorale_output_same(word[1], word[2]);
    enum chorale_err err = chorale_comparing_check(cmp, msg);

    if (err != CHORALE_OK)
        return err;
    if (cmp->recheck != NULL)
        err = chorale_word_check("--recheck", cmp->recheck, "both,head", msg);
    if (err != CHORALE_OK)
        return err;
    if (nword == 1 && cmp->baseline == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "compare: one database without "
                            "--baseline NAME; name what to compare with");
    if (one_file && cmp->recheck != NULL && strcmp(cmp->recheck, "both") == 0)
        return chorale_fail(msg, CHORALE_USAGE, "--recheck both: base and head "
                            "are one database; keep them in two, or --recheck "
                            "head");
    if ((cmp->run || opts->base_command != NULL) && cmp->recheck == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "--run, --base-command: only "
                            "for second measurements; add --recheck");
    return CHORALE_OK;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .cmp = CHORALE_COMPARING_DEFAULTS };
    struct chorale_ab_side other = { .text = NULL };
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
        chorale_ab_side_build(&other, opts.base_command);
        opts.cmp.base_how = &other;
    }
    opts.cmp.more = opts.cmp.run && strcmp(opts.cmp.recheck, "both") == 0;
    err = chorale_comparing(&opts.cmp, command, msg);
    chorale_ab_side_release(&other);
    return err;
}

static const struct chorale_opt rows[] = {
    { "baseline", 0, CHORALE_OPT_TEXT, offsetof(struct opts, cmp.baseline),
      "NAME",
      "base is the launches with this baseline of the first database; with a "
      "single database head is all other launches", 0, 0 },
    { "label", 0, CHORALE_OPT_TEXT, offsetof(struct opts, cmp.label), "TEXT",
      "head is only the campaigns planned with this label", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, cmp.system), "NAME",
      "system, if the databases have several in common", 0, 0 },
    { "recheck", 0, CHORALE_OPT_TEXT, offsetof(struct opts, cmp.recheck),
      "WHERE",
      "plan more launches of cells that look slower, in both databases or in "
      "head; exit code 75: run them and repeat the command", 0, 0 },
    { "run", 0, CHORALE_OPT_FLAG, offsetof(struct opts, cmp.run), NULL,
      "also run them, base and head in turn, launch by launch", 0, 0 },
    { "base-command", 0, CHORALE_OPT_TEXT,
      offsetof(struct opts, base_command), "FILE",
      "chorale program to measure base with, of another build or for another "
      "MPI library (default: this one)", 0, 0 },
    { "launcher-cmd", 0, CHORALE_OPT_TEXT,
      offsetof(struct opts, cmp.launcher_cmd), "CMD",
      "launcher for --run, of campaigns planned with one of their own "
      "(`chorale run --help`)", 0, 0 },
    CHORALE_COMPARING_OPTS(struct opts, cmp),
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_compare = {
    .name = "compare",
    .args = "[base.db] head.db",
    .summary = "did a collective become slower? For CI",
    .detail =
        "Compares each cell (a variant at a size and number of ranks) of two "
        "databases, or of one database with a baseline in it, by the medians "
        "of its launches. The change is the median over all pairs of launches "
        "of head / base, with the 95 % interval of Mann and Whitney's test.\n"
        "suspect: looks slower (one-sided p at most 0.15, change above half "
        "the threshold). This does not fail the comparison. With --recheck "
        "such cells are measured again, in launches of base and head in turn.\n"
        "slower: above the threshold in the second measurement alone, by "
        "Wilcoxon's signed ranks. Holm's correction over all cells measured "
        "again keeps the error of the whole comparison at 0.5 %. Imported runs "
        "cannot be measured again: they are judged as with --unpaired, and "
        "--recheck is refused. A stopped "
        "second measurement continues when the command is repeated, and gives "
        "no verdict before it is complete.\n"
        "faster: by Benjamini and Hochberg at 5 %. same: the interval is "
        "within the threshold.\n"
        "machine: slower (or faster), but so are messages, copies in memory (for blocks "
        "of 8 KiB or more), or the library if it is the same on both sides; "
        "no verdict is given. gone: not in head, or never correct there.\n"
        "suspect, machine, undecided, too few and new fail only if --fail-on "
        "names them. The exit code is 0 for success, 1 if a finding fails, 75 "
        "if cells must be measured first or no cell has a definite verdict "
        "(slower, faster or same), or 1 for the latter if --fail-on names "
        "undecided; the last line then gives the reason. With --recheck both "
        "--run, if no cell has a verdict for lack of launches, as many "
        "launches again are measured.\n"
        "decision changed: at two or more sizes of a number of ranks the two "
        "databases choose differently, and base's choice became slower in "
        "head, relative to head's choice.\n"
        "More launches of suspect cells find smaller changes. COMPARING.md "
        "discusses detection and false alarms.\n"
        "Cells that were timed in different batches on the two sides are "
        "undecided. Plan short calls for both databases with the same --batch."
        "\n"
        "In simulation times are exact: any difference above the threshold is "
        "a change, and one launch is enough.",
    .example = "chorale compare base.db head.db --recheck both --run\n"
               "chorale compare perf.db --baseline v1.2 --format junit -o"
               " out.xml\n"
               "chorale compare base.db head.db --threshold 5% --fail-on"
               " slower,decision-changed",
    .opt = rows,
    .run = run,
};
