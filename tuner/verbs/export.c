/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c - the verb `export`: writes a database's contents as CSV or JSON,
 * row by row. */
#include "tuner/base/output.h"
#include "tuner/base/verb.h"
#include "tuner/exchange/export.h"

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_export_opts opts = { .what = "summary" };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    opts.output = chorale_output_name(opts.output);
    return chorale_database_export(argv[1], &opts, msg);
}

#define AT(member) offsetof(struct chorale_export_opts, member)

static const struct chorale_opt rows[] = {
    { "what", 0, CHORALE_OPT_TEXT, AT(what), "NAME",
      "one of " CHORALE_EXPORT_DATASETS " (default: summary)", 0, 0 },
    { "format", 0, CHORALE_OPT_TEXT, AT(format),
      "csv|json", "json is an array of objects, one a line (default: csv)", 0,
      0 },
    { "csv", 0, CHORALE_OPT_FLAG, AT(csv), NULL,
      "same as --format csv", 0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, AT(json), NULL,
      "same as --format json", 0, 0 },
    { "output", 'o', CHORALE_OPT_TEXT, AT(output), "FILE",
      "the file to write, replaced when all is written (default, and -: "
      "standard output)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, AT(system), "NAME",
      "only rows of this system (default: all)", 0, 0 },
    { "collectives", 'c', CHORALE_OPT_COLLS, AT(collectives),
      "LIST", "only rows of these: bcast,allreduce (default: all)", 0, 0 },
    { "procs", 'P', CHORALE_OPT_TEXT, AT(procs), "LIST",
      "only rows of these process counts: 4,8 or 2:64 (default: all)", 0,
      0 },
    { "anonymize", 0, CHORALE_OPT_FLAG, AT(anonymize), NULL,
      "leave out or replace hosts, users, accounts, paths, command lines and "
      "names of systems", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_export = {
    .name = "export",
    .args = "results.db",
    .summary = "write measurements and decisions as CSV or JSON",
    .detail =
        "summary has a row for each measured cell, with its time and interval "
        "over the launches. speedup compares each cell with the library's "
        "default, and best has the fastest at each point; in both and in "
        "decisions, exploratory is 1 where too few launches confirm the table "
        "of the system. runs has a row for "
        "each cell in each launch, samples one for each repetition, counters "
        "one for each event. environment describes the launches, cells the "
        "planned cells, decisions the decision table. Times are in seconds "
        "and sizes in bytes; msg_size is the block of one rank, n the size of "
        "the operation in models.\n"
        "Numbers have all their digits. In CSV (RFC 4180, lines ending in a "
        "newline) an unknown value is empty; in JSON it is null, and bytes "
        "that are not text are replaced by U+FFFD.\n"
        "With --anonymize systems are named s1, s2. Messages of failed runs "
        "are left out, and words in other reasons that are not chorale's own "
        "become stars. Of the environment only values stay that do not "
        "identify the site. The uuids of launches and runs stay, so that "
        "tables can be joined.\n"
        "A database that is being measured is first copied to TMPDIR, so that "
        "exporting does not delay a campaign.",
    .example = "chorale export results.db >summary.csv\n"
               "chorale export results.db --what samples -c bcast -P 16"
               " -o samples.csv\n"
               "chorale export results.db --what runs --format json"
               " --anonymize",
    .opt = rows,
    .run = run,
};
