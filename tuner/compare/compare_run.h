/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_run.h - the main steps of `chorale compare`, which `chorale ab` uses
 * after measuring: load, measure again what looks slower, print. */
#ifndef CHORALE_TUNER_COMPARE_COMPARE_RUN_H
#define CHORALE_TUNER_COMPARE_COMPARE_RUN_H

#include "tuner/compare/comparison.h"
#include "tuner/compare/ab_side.h"
#include "tuner/base/verb.h"
#include "tuner/run/run.h"

struct chorale_comparing {
    const char *base_path, *head_path; /* equal pointers: one database */
    const char *system, *baseline, *label, *fail_on, *format, *output;
    const char *recheck;     /* both, head, or NULL */
    const char *launcher_cmd;/* for custom launchers, or NULL */
    int no_bind;             /* as of struct chorale_run_opts */
    const struct chorale_ab_side *base_how, *head_how; /* program to measure
                              * with; NULL: this chorale as it is */
    double threshold;
    long min_launches, again;
    int all, unpaired, guidelines;
    int run;                 /* run the second measurement, in turn */
    int unlike;              /* see struct chorale_comparison */
    int more;                /* if no cell has a verdict for lack of launches,
                              * measure as many again, in turn */
};

#define CHORALE_COMPARING_DEFAULTS                                           \
    {                                                                        \
        .fail_on = "slower,gone", .format = "table", .threshold = -1,        \
        .min_launches = 5, .again = CHORALE_COMPARE_AGAIN                    \
    }

/* Option rows shared by compare and ab. `type` is the verb's options struct and
 * `field` its member of type struct chorale_comparing. */
#define CHORALE_COMPARING_OPTS(type, field)                                  \
    CHORALE_NO_BIND_OPT(type, field.no_bind),                                \
    { "threshold", 0, CHORALE_OPT_PERCENT, offsetof(type, field.threshold),  \
      "PERCENT", "ignore changes up to this one (default: 2%; in "           \
      "simulation 0)", 0, 0 },                                               \
    { "min-launches", 0, CHORALE_OPT_INT, offsetof(type, field.min_launches),\
      "N", "least number of launches on each side for a verdict (default: "  \
      "5)", 4, 1000 },                                                       \
    { "fail-on", 0, CHORALE_OPT_TEXT, offsetof(type, field.fail_on), "LIST", \
      "findings that fail, exit code 1: slower, gone, suspect, "             \
      "decision-changed, guideline-broken, too-few, undecided; or none "     \
      "(default: slower,gone)", 0, 0 },                                      \
    { "again", 0, CHORALE_OPT_INT, offsetof(type, field.again), "N",         \
      "launches of each side in a second measurement (default: 30)", 5,      \
      1000 },                                                                \
    { "unpaired", 0, CHORALE_OPT_FLAG, offsetof(type, field.unpaired), NULL, \
      "fail also by launches that were not made in turn; assumes that the "  \
      "machine did not change between them", 0, 0 },                         \
    { "guidelines", 0, CHORALE_OPT_FLAG, offsetof(type, field.guidelines),   \
      NULL, "also check performance guidelines in head, of the library's "   \
      "defaults and of the table decided; --fail-on guideline-broken "       \
      "implies it", 0, 0 },                                                  \
    { "format", 0, CHORALE_OPT_TEXT, offsetof(type, field.format),           \
      "table|markdown|tap|junit|json", "output format (default: table)", 0,  \
      0 },                                                                   \
    { "output", 'o', CHORALE_OPT_TEXT, offsetof(type, field.output), "FILE", \
      "write to this file (default, and -: standard output)", 0, 0 },        \
    { "all", 0, CHORALE_OPT_FLAG, offsetof(type, field.all), NULL,           \
      "table and Markdown: also list same and undecided cells", 0, 0 }

/* Check words of these options. CHORALE_USAGE: an option does not accept the
 * word. */
enum chorale_err chorale_comparing_check(const struct chorale_comparing *opts,
                                         struct chorale_errmsg *msg);

/* Compare and print. command is the command line, for the record. CHORALE_NO: a
 * finding fails, or no cell has a verdict and fail_on has undecided.
 * CHORALE_STOPPED: cells must be measured again, measuring was
 * interrupted, or no cell has a verdict (not with fail_on "none").
 * Other errors are those of chorale_comparison_load() and
 * chorale_interleave_run(). */
enum chorale_err chorale_comparing(const struct chorale_comparing *opts,
                                   const char *command,
                                   struct chorale_errmsg *msg);

#endif
