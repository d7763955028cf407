/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_run.h - what `chorale compare` does, and `chorale ab` when it has
 * measured: load, measure again what looks slower, show. */
#ifndef CHORALE_TUNER_COMPARE_COMPARE_RUN_H
#define CHORALE_TUNER_COMPARE_COMPARE_RUN_H

#include "tuner/compare/comparison.h"
#include "tuner/compare/ab_side.h"
#include "tuner/base/verb.h"

struct chorale_comparing {
    const char *base_path, *head_path; /* the same pointer: one database */
    const char *system, *baseline, *label, *fail_on, *format, *output;
    const char *recheck;     /* both, head, or NULL */
    const char *launcher_cmd;/* of custom launchers, for run; or NULL */
    const struct chorale_how *base_how, *head_how; /* who measures; NULL: this
                              * chorale as it is */
    double threshold;
    long min_launches, again;
    int all, unpaired, guidelines;
    int run;                 /* what is to be measured again, in turn */
    int unlike;              /* see struct chorale_comparison */
};

#define CHORALE_COMPARING_DEFAULTS                                           \
    {                                                                        \
        .fail_on = "slower,gone", .format = "table", .threshold = -1,        \
        .min_launches = 5, .again = CHORALE_COMPARE_AGAIN                    \
    }

/* The option rows that compare and ab have in common, of a verb whose options
 * struct has a struct chorale_comparing member named field. */
#define CHORALE_COMPARING_OPTS(type, field)                                  \
    { "threshold", 0, CHORALE_OPT_PERCENT, offsetof(type, field.threshold),  \
      "PERCENT", "changes up to this one do not count (default: 2%; in "     \
      "simulation 0)", 0, 0 },                                               \
    { "min-launches", 0, CHORALE_OPT_INT, offsetof(type, field.min_launches),\
      "N", "launches on each side without which there is no verdict (default: "\
      "5)", 4, 1000 },                                                       \
    { "fail-on", 0, CHORALE_OPT_TEXT, offsetof(type, field.fail_on), "LIST", \
      "what is red, exit code 1: slower, gone, suspect, decision-changed, "  \
      "guideline-broken, too-few; or none (default: slower,gone)", 0, 0 },   \
    { "again", 0, CHORALE_OPT_INT, offsetof(type, field.again), "N",         \
      "so many of each (default: 30)", 5, 1000 },                            \
    { "unpaired", 0, CHORALE_OPT_FLAG, offsetof(type, field.unpaired), NULL, \
      "red also by launches that were not made in turn: believes that the "  \
      "machine has not changed meanwhile", 0, 0 },                           \
    { "guidelines", 0, CHORALE_OPT_FLAG, offsetof(type, field.guidelines),   \
      NULL, "hold head against performance guidelines too: the library's "   \
      "defaults, and the table that it decides; --fail-on guideline-broken " \
      "does so as well", 0, 0 },                                             \
    { "format", 0, CHORALE_OPT_TEXT, offsetof(type, field.format),           \
      "table|markdown|tap|junit|json", "how to say it (default: table)", 0,  \
      0 },                                                                   \
    { "output", 'o', CHORALE_OPT_TEXT, offsetof(type, field.output), "FILE", \
      "write it there (default, and -: standard output)", 0, 0 },            \
    { "all", 0, CHORALE_OPT_FLAG, offsetof(type, field.all), NULL,           \
      "of a table or Markdown: also what is the same or undecided", 0, 0 }

/* Words that no such option takes: CHORALE_USAGE. */
enum chorale_err chorale_comparing_check(const struct chorale_comparing *opts,
                                         struct chorale_errmsg *msg);

/* Compare and print. command is the command line, for the record. CHORALE_NO:
 * something is red; CHORALE_STOPPED: cells are to be measured again, or were
 * being; else as chorale_comparison_load and chorale_turns_run. */
enum chorale_err chorale_comparing(const struct chorale_comparing *opts,
                                   const char *command,
                                   struct chorale_errmsg *msg);

#endif
