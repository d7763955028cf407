/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.c - the verb `decide`: computes the decision table of each system,
 * stores it as rows of table decision and prints it as ranges of n. */
#include <stdlib.h>

#include "tuner/base/units.h"
#include "tuner/base/suggest.h"
#include "tuner/base/verb.h"
#include "tuner/decide/decide_tables.h"

struct opts {
    struct chorale_tables_opts tables;
    int explain;
};

/* Parse the words COLLECTIVE SIZE P of --explain. */
static enum chorale_err parse_query(char **word,
                                    struct chorale_decide_query *query,
                                    struct chorale_errmsg *msg)
{
    char text[CHORALE_SUGGEST_SIZE];
    int coll;
    long size, *procs = NULL;
    size_t nproc = 0;
    enum chorale_err err;

    chorale_opts_colls(word[0]);
    coll = chorale_coll_find(word[0]);
    if (coll < 0)
        return chorale_fail(msg, CHORALE_USAGE, "--explain: %s is no"
                            " collective; %s", word[0],
                            chorale_suggest_coll(
                                word[0], "`chorale list` names them", text));
    err = chorale_spec_size("--explain: SIZE", word[1], &size, msg);
    if (err == CHORALE_OK)
        err = chorale_spec_list("--explain: P", word[2], 1, &procs, &nproc,
                                msg);
    if (err == CHORALE_OK && (nproc != 1 || procs[0] > 1 << 30))
        err = chorale_fail(msg, CHORALE_USAGE, "--explain: one process count,"
                           " as in: --explain bcast 64K 128");
    if (err == CHORALE_OK)
        *query = (struct chorale_decide_query){ (enum chorale_coll)coll,
                                                (size_t)size, (int)procs[0],
                                                0 };
    free(procs);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .tables = CHORALE_TABLES_DEFAULTS };
    struct chorale_decide_query query;
    char **word = argv + 1, *path;
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 4,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    if (nword != (opts.explain ? 4 : 1))
        return chorale_fail(msg, CHORALE_USAGE, opts.explain
                                ? "--explain: give a database and what to"
                                  " explain, as in: chorale decide results.db"
                                  " --explain bcast 64K 128"
                                : "decide: name one database, as in: chorale "
                                  "decide results.db");
    err = chorale_policy_check(&opts.tables.policy, msg);
    if (err != CHORALE_OK)
        return err;
    path = word[0];
    if (opts.explain && chorale_coll_find(word[0]) >= 0)
        path = word[3]; /* the database comes last */
    else
        word++;
    if (opts.explain) {
        err = parse_query(word, &query, msg);
        opts.tables.explain = &query;
    }
    return err == CHORALE_OK ? chorale_tables_decide(path, &opts.tables, msg)
                             : err;
}

static const struct chorale_opt rows[] = {
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, tables.each.system),
      "NAME", "decide only this system (default: all)", 0, 0 },
    { "explain", 0, CHORALE_OPT_FLAG, offsetof(struct opts, explain), NULL,
      "store nothing, and explain the decision at a point; give COLLECTIVE, "
      "SIZE of a block, and P", 0, 0 },
    { "as-before", 0, CHORALE_OPT_FLAG,
      offsetof(struct opts, tables.as_before), NULL,
      "use the options of the present table for those below that are not "
      "given, except --allow-patented", 0, 0 },
    CHORALE_POLICY_OPTS(struct opts, tables.policy),
    CHORALE_POLICY_ARRIVAL_OPT(struct opts, tables.policy),
    { "json", 0, CHORALE_OPT_FLAG, offsetof(struct opts, tables.each.json),
      NULL, "print JSON", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, tables.each.quiet),
      NULL, "store the table and print nothing", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_decide = {
    .name = "decide",
    .args = "results.db",
    .summary = "choose a variant for each size and process count",
    .detail =
        "Compares the variants with the library's default, paired within each "
        "launch. On a real system each launch is set aside in turn: the "
        "others choose the best variant, and that launch measures its gain "
        "(cross-fitting). A variant replaces the library only if the mean of "
        "these gains is above the threshold and significant, with correction "
        "for the number of points (Benjamini and Hochberg, 5 %). Outliers are "
        "clipped, and neighbouring sizes share their evidence for the same "
        "choice.\n"
        "The variation between launches is estimated from all points "
        "together, because a few launches of one point tell little (Smyth's "
        "moderated t). If a point varies more, its own variation is used. At "
        "least 3 launches are needed; with fewer the library stays. The "
        "printed speed-ups, with 95 % intervals, are those of the launches "
        "set aside. A simulated system is deterministic, and one launch is "
        "enough.\n"
        "A run calls a variant directly, but a program reaches it through the "
        "dispatcher. Therefore --dispatch-cost is added to the times of "
        "variants before they are compared, printed and stored.\n"
        "Between two measured sizes, and between two measured process counts, "
        "times are those of the fitted model, corrected by the variant's own "
        "times at the points around. Between process counts the library stays "
        "unless a variant would still be faster if this prediction were wrong "
        "by half its error. The error is measured at the adjacent process "
        "counts, predicted from their neighbours. The library also stays if "
        "that error exceeds 30 %. Outside the measured sizes and process "
        "counts the library's default is used.\n"
        "By default the times of ranks that enter a call together decide. "
        "--arrival traced compares each point in its arrival pattern in the "
        "imported traces; times count from the last arrival. --arrival robust "
        "takes the largest loss of a variant against the best one, over the "
        "patterns sync, last and ascending, and chooses the variant for which "
        "it is smallest. Cells of these patterns come from `chorale plan "
        "--arrival`; points without such cells are decided by sync.\n"
        "If half of the points of imported timings have fewer than 4 launches, "
        "no choice can be confirmed, and times are smoothed over n, P and the "
        "algorithms. The smoothing is as strong as launches of one point "
        "differ (pooled variance, without the noisiest hundredth of the "
        "points); --launch-noise states this difference if no point has two "
        "launches. The smallest smoothed time is chosen if its gain is above "
        "the threshold (default then: 1 %), also between measured process "
        "counts. With more launches choices are tested at measured points, and "
        "smoothed times decide only between process counts, next to a "
        "confirmed choice. The dispatch table has the catalogue's variants of "
        "the names of the imported algorithms.\n"
        "The table of a real system is marked exploratory in each output if "
        "half of its points or more have fewer than 4 launches.\n"
        "Choices are replaced by others if that saves ranges and costs at most "
        "--compact more time on average. A single replacement costs at most "
        "--compact at a measured size and ten times as much between measured "
        "sizes. It is never slower than the library.\n"
        "Provider native, the library's own algorithms, is not in this table, "
        "as a dispatch table cannot call them. If they were measured, a "
        "second table is decided among them and the default, for the "
        "library's rules files (decision.target is rules).\n"
        "There is one table for each measured type and operation. Table "
        "decision of the database is replaced for each system; the same "
        "measurements give the same rows. If the file or its folder may not be "
        "written, the table is only printed. Table policy keeps the options; "
        "`chorale tune` and campaigns decide again with those.",
    .example = "chorale decide results.db\n"
               "chorale decide results.db --threshold 5% --json\n"
               "chorale decide results.db --arrival robust\n"
               "chorale decide results.db --explain bcast 64K 128",
    .opt = rows,
    .run = run,
};
