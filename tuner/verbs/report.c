/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - the verb `report`: writes one page about one system. */
#include "plots/stages.h"
#include "tuner/base/verb.h"

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_page_opts opts = { .quiet = 0 };
    int nword;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    return err == CHORALE_OK && nword >= 0
               ? chorale_report_make(argv[1], &opts, msg)
               : err;
}

#define AT(member) offsetof(struct chorale_page_opts, member)

static const struct chorale_opt rows[] = {
    { "output", 'o', CHORALE_OPT_TEXT, AT(output), "FILE",
      "page to write, replaced when complete (default: the database's name "
      "with -report.html instead of .db)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, AT(system), "NAME",
      "system, if there are several", 0, 0 },
    { "anonymize", 0, CHORALE_OPT_FLAG, AT(anonymize), NULL,
      "leave out or replace hosts, users, accounts, paths, command lines and "
      "names of systems and programs", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, AT(quiet), NULL,
      "do not print the page's name", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_report = {
    .name = "report",
    .args = "results.db",
    .summary = "write one HTML page with a system's results",
    .detail =
        "The page is a single file: it contains its pictures, and its policy "
        "forbids the browser to load anything else. It shows the gain over "
        "the library's default, with intervals and their origin; the table's "
        "choices over n and P and their crossovers; the speed-up over n and "
        "P; the time of every variant over n; the fitted model and its "
        "errors; counted messages and bytes compared with the algorithm's; "
        "noise and problems of the numbers; the predicted gain for an "
        "imported trace; the environment; and the commands that made it. "
        "Every picture has its numbers in a table. Sections can be filtered "
        "by collective and by P; without scripts everything is visible.\n"
        "The gain is as validated if `chorale validate` has measured the "
        "present table, else of the campaign's launches, each for the choice "
        "of the others; the page names the source.\n"
        "The same database gives the same page. Without gnuplot the page has "
        "only tables and notes it. With --anonymize the system is s1, and of "
        "the environment only values stay that do not identify the site.",
    .example = "chorale report results.db -o report.html\n"
               "chorale report results.db --anonymize -o public.html",
    .opt = rows,
    .run = run,
};
