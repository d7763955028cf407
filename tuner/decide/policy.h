/* SPDX-License-Identifier: BSD-3-Clause */
/* policy.h - the options of `chorale decide`, stored with the table (table
 * policy of the database). Later decisions reuse them, and they document the
 * table. */
#ifndef CHORALE_TUNER_DECIDE_POLICY_H
#define CHORALE_TUNER_DECIDE_POLICY_H

#include <math.h>

#include "db/remarks.h"
#include "db/store.h"
#include "tuner/decide/decide.h"
#include "tuner/model/observations.h"

#define CHORALE_LAUNCH_NOISE 0.05

struct chorale_policy {
    double threshold;        /* share; NAN: 0.03, or 0 in simulation */
    double compact;          /* share; NAN: 0.01 */
    double dispatch_cost;    /* s; NAN: CHORALE_DISPATCH_SECONDS, or 0 in
                              * simulation */
    const char *objective;   /* "median" or "p95"; NULL: median */
    const char *arrival;     /* "sync", "traced" or "robust"; NULL: "sync" */
    int deterministic, allow_patented;
    int accept_mean;         /* times that are not a duration decide too */
    double launch_noise;     /* standard deviation of the log time of a launch,
                              * if no cell has two; NAN: CHORALE_LAUNCH_NOISE */
    char exploratory[CHORALE_EXPLORATORY_TEXT]; /* why the table is only
                              * exploratory, or ""; set by decide */
    long max_scratch;        /* bytes per rank; -1: default, as in struct
                              * chorale_decide_opts */
};

#define CHORALE_POLICY_DEFAULTS                                             \
    { .threshold = NAN, .compact = NAN, .dispatch_cost = NAN,               \
      .launch_noise = NAN, .max_scratch = -1 }

#define CHORALE_POLICY_NOISE_OPT(type, member)                              \
    { "launch-noise", 0, CHORALE_OPT_PERCENT,                               \
      offsetof(type, member.launch_noise), "PERCENT",                       \
      "imported timings with one launch only: how much launches of one "     \
      "point differ (default: 5%)", 0, 0 }

/* Option rows of a verb whose struct has a member of type policy. */
#define CHORALE_POLICY_OPTS(type, member)                                   \
    { "threshold", 0, CHORALE_OPT_PERCENT, offsetof(type, member.threshold),\
      "GAIN", "keep the library below this gain (default: 3%, 1% if "       \
      "exploratory by imported timings, 0 in simulation)", 0, 0 },          \
    { "compact", 0, CHORALE_OPT_PERCENT, offsetof(type, member.compact),    \
      "PERCENT", "mean loss allowed so that the table has fewer ranges "    \
      "(default: 1%)", 0, 0 },                                       \
    { "dispatch-cost", 0, CHORALE_OPT_SECONDS,                              \
      offsetof(type, member.dispatch_cost), "TIME",                         \
      "time that dispatching adds to a call, added to the "                 \
      "times of all variants (default: 30ns, 0 in simulation)", 0, 1 },     \
    { "objective", 0, CHORALE_OPT_TEXT, offsetof(type, member.objective),   \
      "WHAT", "time of a run that is compared: median or p95 (default: "    \
      "median)", 0, 0 },                                                    \
    { "deterministic", 0, CHORALE_OPT_FLAG,                                 \
      offsetof(type, member.deterministic), NULL,                           \
      "reductions: only variants that combine the operands in the order of "\
      "the ranks", 0, 0 },                                                  \
    { "max-scratch", 0, CHORALE_OPT_SIZE,                                   \
      offsetof(type, member.max_scratch), "BYTES",                          \
      "scratch memory limit per rank (default: eight times the bytes of the "\
      "operation, at least 64K and at most 64M)", 0, 1L << 40 },            \
    { "allow-patented", 0, CHORALE_OPT_FLAG,                                \
      offsetof(type, member.allow_patented), NULL,                          \
      "allow patented variants (`chorale list` shows them) in the "         \
      "table", 0, 0 },                                                      \
    CHORALE_POLICY_NOISE_OPT(type, member),                                 \
    { "accept-mean", 0, CHORALE_OPT_FLAG, offsetof(type, member.accept_mean),\
      NULL, "decide also by imported times of rooted collectives that are " \
      "means over the ranks, and so not a duration", 0, 0 }

/* The option that selects arrival patterns, of the verb `decide` alone: in
 * verbs that plan, --arrival lists the patterns to measure. */
#define CHORALE_POLICY_ARRIVAL_OPT(type, member)                            \
    { "arrival", 0, CHORALE_OPT_TEXT, offsetof(type, member.arrival),       \
      "WHICH", "arrival patterns that decide: sync, all ranks at once; "    \
      "traced, the pattern of each point in the imported traces; robust, "  \
      "the largest loss over sync, last and ascending (default: sync)", 0, 0 }

/* CHORALE_USAGE: unknown objective or arrival. */
enum chorale_err chorale_policy_check(const struct chorale_policy *policy,
                                      struct chorale_errmsg *msg);
/* The arrival patterns that a checked policy selects. */
enum chorale_arrival_policy
chorale_policy_arrivals(const struct chorale_policy *policy);
/* The quantile of a run that counts as its time. */
enum chorale_objective
chorale_policy_objective(const struct chorale_policy *policy);

/* Load the policy of the system's stored table; without a table *policy is
 * unchanged. */
enum chorale_err chorale_policy_load(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     struct chorale_policy *policy,
                                     struct chorale_errmsg *msg);
/* Fill unset fields of *policy from the system's stored table, except
 * allow_patented, which must be given each time. Without a table *policy is
 * unchanged. */
enum chorale_err chorale_policy_inherit(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        struct chorale_policy *policy,
                                        struct chorale_errmsg *msg);
/* Store it; the caller has a transaction open. */
enum chorale_err chorale_policy_store(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      const struct chorale_policy *policy,
                                      struct chorale_errmsg *msg);

/* A policy's decide options, and the seconds added to a variant's time. */
struct chorale_decide_opts
chorale_policy_decide(const struct chorale_policy *policy, int simulated);
double chorale_policy_cost(const struct chorale_policy *policy, int simulated);

/* Load the runs of a system as the policy decides: by its objective and arrival
 * patterns, with its dispatch cost, and without times that are not a duration
 * unless it accepts them. count_p, means_p (may be NULL): numbers of points by
 * patterns, and of times that are not a duration. Errors of loading;
 * CHORALE_ENV: out of memory. */
struct chorale_arrival_count;
enum chorale_err chorale_policy_points(struct chorale_store *store,
                                       sqlite3_int64 system_id, int simulated,
                                       const struct chorale_policy *policy,
                                       struct chorale_points *points,
                                       struct chorale_arrival_count *count_p,
                                       size_t *means_p,
                                       struct chorale_errmsg *msg);

/* The options of `chorale decide` that differ from the defaults as a text,
 * "--threshold=0.05 --deterministic", or "". */
#define CHORALE_POLICY_TEXT 256
void chorale_policy_words(const struct chorale_policy *policy, char *text,
                          size_t size);

#endif
