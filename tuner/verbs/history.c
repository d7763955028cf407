/* SPDX-License-Identifier: BSD-3-Clause */
/* history.c - the verb `history`: finds when a collective became slower or
 * faster. */
#include "tuner/base/verb.h"
#include "tuner/compare/history.h"

#define MAX_FILES 256

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_history_view opts = { .threshold = -1, .level = 0.001,
                                         .format = "png", .pictures = 12 };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1,
                                              MAX_FILES, &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_history_show(argv + 1, (size_t)nword, &opts, msg);
}

#define AT(member) offsetof(struct chorale_history_view, member)

static const struct chorale_opt rows[] = {
    { "collectives", 'c', CHORALE_OPT_COLLS, AT(collectives), "LIST",
      "only these collectives (default: all)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, AT(system), "NAME",
      "system, if there are several", 0, 0 },
    { "threshold", 0, CHORALE_OPT_PERCENT, AT(threshold),
      "PERCENT", "ignore changes up to this one (default: 2%)", 0, 0 },
    { "significance", 0, CHORALE_OPT_REAL, AT(level), "P",
      "largest probability that a series without a change appears to have one "
      "(default: 0.001)", 0, 0 },
    { "points", 0, CHORALE_OPT_FLAG, AT(points), NULL,
      "list every run of each cell", 0, 0 },
    { "plot", 0, CHORALE_OPT_TEXT, AT(plot), "DIR",
      "draw the cells that changed most into this folder, with their "
      "data", 0, 0 },
    { "pictures", 0, CHORALE_OPT_INT, AT(pictures), "N",
      "most pictures to draw (default: 12)", 1, 10000 },
    { "format", 0, CHORALE_OPT_TEXT, AT(format),
      "png|svg|pdf", "format of pictures (default: png)", 0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, AT(json), NULL,
      "print JSON", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_history = {
    .name = "history",
    .args = "results.db...",
    .summary = "when did a collective become slower or faster?",
    .detail =
        "Orders the times of each cell by runs of the benchmark, that is by "
        "the date of their first launch. A run is all campaigns planned with "
        "one --label, or one campaign without a label, in one or several "
        "databases. A run's time is the median of its launches.\n"
        "Changes are found by hierarchical energy statistics (E-divisive: "
        "Matteson and James, 2014), each with the p value of a permutation "
        "test, and placed where two levels fit best. In generated series of "
        "40 runs that vary by 1.5 %, with one outlier in a hundred, a change "
        "of 5 % is found in all of 100 series, and placed within one run of "
        "its true position in 95. A p of 0.001 requires at least 13 runs. If "
        "all cells have too few, there is no verdict and the exit code is 75. "
        "In simulation every difference is a change.",
    .example = "chorale plan perf.db --label git && chorale run perf.db\n"
               "chorale history perf.db --plot pictures\n"
               "chorale history nightly-*.db -c allreduce --json",
    .opt = rows,
    .run = run,
};
