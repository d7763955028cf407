/* SPDX-License-Identifier: BSD-3-Clause */
/* policy.h - how a system's table is decided: what `chorale decide` was asked
 * for, kept with the table (table policy of the database), so that what
 * decides again does it alike and a table says what it was decided by. */
#ifndef CHORALE_TUNER_DECIDE_POLICY_H
#define CHORALE_TUNER_DECIDE_POLICY_H

#include <math.h>

#include "db/store.h"
#include "tuner/decide/decide.h"
#include "tuner/model/observations.h"
#include "tuner/base/process.h"

struct chorale_policy {
    double threshold;        /* a share; NAN: the default of the system's kind,
                              * 0.03 or, simulated, 0 */
    double compact;          /* a share; NAN: 0.01 */
    double dispatch_cost;    /* s; NAN: the default of the system's kind,
                              * CHORALE_DISPATCH_SECONDS or, simulated, 0 */
    const char *objective;   /* "median" or "p95"; NULL: median */
    int deterministic, allow_patented;
    long max_scratch;        /* bytes a rank; -1: as struct
                              * chorale_decide_opts has it */
};

#define CHORALE_POLICY_DEFAULTS                                             \
    { .threshold = NAN, .compact = NAN, .dispatch_cost = NAN,               \
      .max_scratch = -1 }

/* Options of a verb, in its struct with a member that is a policy. */
#define CHORALE_POLICY_WORDS 7
#define CHORALE_POLICY_OPTS(type, member)                                   \
    { "threshold", 0, CHORALE_OPT_PERCENT, offsetof(type, member.threshold),\
      "GAIN", "keep the library below this gain (default: 3%, 0 in "        \
      "simulation)", 0, 0 },                                                \
    { "compact", 0, CHORALE_OPT_PERCENT, offsetof(type, member.compact),    \
      "PERCENT", "what a point may lose so that the table has fewer "       \
      "ranges (default: 1%)", 0, 0 },                                       \
    { "dispatch-cost", 0, CHORALE_OPT_SECONDS,                              \
      offsetof(type, member.dispatch_cost), "TIME",                         \
      "what choosing a variant adds to a program's call; added to the "     \
      "times of all variants (default: 30ns, 0 in simulation)", 0, 1 },     \
    { "objective", 0, CHORALE_OPT_TEXT, offsetof(type, member.objective),   \
      "WHAT", "the time of a run that counts: median or p95 (default: "     \
      "median)", 0, 0 },                                                    \
    { "deterministic", 0, CHORALE_OPT_FLAG,                                 \
      offsetof(type, member.deterministic), NULL,                           \
      "reductions: only variants that combine the operands in the order of "\
      "the ranks", 0, 0 },                                                  \
    { "max-scratch", 0, CHORALE_OPT_SIZE,                                   \
      offsetof(type, member.max_scratch), "BYTES",                          \
      "the scratch a rank may need (default: eight times the bytes of the " \
      "operation, at least 64K and at most 64M)", 0, 1L << 40 },            \
    { "allow-patented", 0, CHORALE_OPT_FLAG,                                \
      offsetof(type, member.allow_patented), NULL,                          \
      "let variants under a patent (`chorale list` shows them) enter the "  \
      "table", 0, 0 }

/* Its objective is one. CHORALE_USAGE: no. */
enum chorale_err chorale_policy_check(const struct chorale_policy *policy,
                                      struct chorale_errmsg *msg);
/* The time of a run that counts. */
enum chorale_objective
chorale_policy_objective(const struct chorale_policy *policy);

/* What the table that a system has was decided by; without one *policy stays
 * as it is. */
enum chorale_err chorale_policy_load(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     struct chorale_policy *policy,
                                     struct chorale_errmsg *msg);
/* What *policy does not say becomes what the system's table was decided by
 * last, but for allow_patented, which is asked for each time. A system without
 * a table: nothing changes. */
enum chorale_err chorale_policy_inherit(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        struct chorale_policy *policy,
                                        struct chorale_errmsg *msg);
/* Keep it, inside of the transaction that writes the table. */
enum chorale_err chorale_policy_keep(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     const struct chorale_policy *policy,
                                     struct chorale_errmsg *msg);

/* How that is decided, and what is added to each of its variants [s]. */
struct chorale_decide_opts
chorale_policy_decide(const struct chorale_policy *policy, int simulated);
double chorale_policy_cost(const struct chorale_policy *policy, int simulated);

/* The options of `chorale decide` that say it, those of the defaults left out:
 * appended to args; or as a text, "--threshold=0.05 --deterministic", or "". */
#define CHORALE_POLICY_TEXT 256
void chorale_policy_args(const struct chorale_policy *policy,
                         struct chorale_args *args);
void chorale_policy_words(const struct chorale_policy *policy, char *text,
                          size_t size);

#endif
