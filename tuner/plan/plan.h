/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - expand the options of `chorale plan` into cells. */
#ifndef CHORALE_TUNER_PLAN_PLAN_H
#define CHORALE_TUNER_PLAN_PLAN_H

#include "algorithms/coll.h"
#include "db/store.h"
#include "tuner/decide/policy.h"
#include "tuner/base/verb.h"

/* The options of `chorale plan` (and `tune`). */
struct chorale_plan {
    const char *collectives, *sizes, *procs, *dtype, *op, *root;
    const char *providers, *variants, *set, *counters, *sync;
    const char *buffers, *arrival, *siblings, *metric;
    const char *launcher, *launcher_cmd, *platform, *network, *sim_selector;
    const char *system, *label;
    const char *cluster, *partition; /* of Slurm, for the launches; NULL: those
                              * of the surrounding job, if any */
    long ppn, launches, nrep_min, nrep_max, nwarmup, seed, max_memory, batch;
    double width, cell_seconds, tau;
    int dry_run, no_racing;
    int estimate, json;      /* print an estimate only; as JSON */
    int one_per_p;           /* estimate: each launch has its own start */
    double alpha, beta, start_up; /* for the estimate, s; below 0: unset */
    int adaptive;
    int rounds;              /* adaptive, or set model: each call plans a round,
                              * from the results of the previous ones; set by
                              * chorale_plan_check() */
    int carried_on;          /* the caller measures the cells and plans the next
                              * round: print no advice to do so */
    int again;               /* plan the cells that the points have already */
    int from_trace;          /* plan the points of imported traces */
    const char *trace;       /* only traces with this label; NULL: all */
    double trace_seconds;    /* limit in seconds of measuring: the points with
                              * the largest traced times are kept; 0: all */
    double trace_start_up;   /* assumed seconds of a start, for that limit */
    long trace_with;         /* points with fewer ranks share starts with points
                              * of this many ranks, or are dropped; 0: they have
                              * their own starts */
    /* The same options before chorale_plan_check() filled in defaults. */
    const char *limit_sizes, *limit_op, *limit_root;
    int limits_kept;
    int all_values;          /* --variants without --set: use all values */
    const char *budget;
    double spent_before;     /* in rounds that the budget does not count, in its
                              * unit; negative: the first call sets it to the
                              * sum over all earlier rounds */
    double spent;            /* out: in all rounds before this one, */
    double foreseen;         /* and in this one */
    double clock;            /* the budget counts by the clock: seconds; 0: no */
    double planned;          /* cost of the rounds since spent_before, as they
                              * were planned; counts if simulated by the clock
                              */
    double regret;           /* out: expected before the round; NAN: unknown */
    double goal;
    struct chorale_policy policy; /* of the table that an adaptive plan
                              * prepares; unset fields are those of the
                              * existing table */
};

/* The largest number of words in --arrival. */
#define CHORALE_PLAN_ARRIVALS 8
/* Default of repetitions of a cell in a launch of an adaptive plan. */
#define CHORALE_PLAN_ADAPTIVE_ITERATIONS 10

/* Defaults. Options that depend on the launcher are NULL, 0 or -1;
 * chorale_plan_check() fills them in, or rejects them for that launcher. */
#define CHORALE_PLAN_DEFAULTS                                                \
    {                                                                        \
        .providers = "chorale,library", .counters = "",                      \
        .arrival = "sync", .siblings = "alone", .metric = "duration",        \
        .nwarmup = -1, .seed = 1, .width = -1, .tau = -1,                    \
        .goal = -1, .alpha = -1, .beta = -1, .start_up = -1,                 \
        .policy = CHORALE_POLICY_DEFAULTS                                    \
    }

/* The option rows of a verb whose options struct has a struct chorale_plan
 * member named field. */
#define CHORALE_PLAN_OPTS(type, field)                                       \
    { "msg-size", 'm', CHORALE_OPT_TEXT, offsetof(type, field.sizes),        \
      "SIZES", "per-rank block sizes: 8,64K or 8:1M (doubling), 8:1M:x4; a " \
      "range stops at its last value that is not above its end, as in OSU; " \
      "rounded up to whole elements (default: 8:1M)", 0, 0 },                \
    { "procs", 'P', CHORALE_OPT_TEXT, offsetof(type, field.procs), "PROCS",  \
      "communicator sizes: 2,3,6 or 2:64 (doubling), 2:64:+2 (default: 2 "   \
      "up to the processors, or the simulated hosts); in rounds also one "   \
      "count between two powers of two, such as 6 or 24", 0, 0 },            \
    { "collectives", 'c', CHORALE_OPT_COLLS,                                 \
      offsetof(type, field.collectives), "LIST",                             \
      "collectives to measure (default: all of `chorale list`)", 0, 0 },     \
    { "variants", 0, CHORALE_OPT_TEXT, offsetof(type, field.variants),       \
      "LIST", "only these variants: binomial or bcast:binomial, with all "   \
      "values of their parameters, or those of --set if it is given "        \
      "(default: the variants of --set); the library's default is always "   \
      "measured", 0, 0 },                                                    \
    { "set", 0, CHORALE_OPT_TEXT, offsetof(type, field.set), "SET",          \
      "core: at most six variants a collective, each with the parameters "   \
      "that its model favours; all: everything that `chorale list` shows, "  \
      "with every listed value, radixes up to P; model: in rounds, those "   \
      "of all, and of values in between, that the model fitted so far "      \
      "expects to be the best (default: model for `tune` and --adaptive, "   \
      "else core, which needs no results); candidates that do the same are " \
      "measured once, under the simplest name", 0, 0 },                      \
    { "providers", 0, CHORALE_OPT_TEXT, offsetof(type, field.providers),     \
      "LIST", "whose variants: chorale; native, the MPI library's own (in "  \
      "simulation SimGrid's), each forced; library, its default, which is "  \
      "always measured (default: chorale,library)", 0, 0 },                  \
    { "ppn", 0, CHORALE_OPT_INT, offsetof(type, field.ppn), "N",             \
      "ranks on a node (default: all on this node; 1 in simulation)", 1,     \
      1 << 20 },                                                             \
    { "type", 0, CHORALE_OPT_TEXT, offsetof(type, field.dtype), "TYPE",      \
      "datatype: byte, int, int64, float, double (default: double for "      \
      "reductions, byte for the rest)", 0, 0 },                              \
    { "op", 0, CHORALE_OPT_TEXT, offsetof(type, field.op), "OP",             \
      "operation: sum, prod, min, max, band, bor, bxor (default: sum)", 0,   \
      0 },                                                                   \
    { "root", 0, CHORALE_OPT_TEXT, offsetof(type, field.root), "POLICY",     \
      "root of rooted collectives: first, middle, last, rotate over the "    \
      "three (default: rotate)", 0, 0 },                                     \
    { "launches", 0, CHORALE_OPT_INT, offsetof(type, field.launches), "K",   \
      "independent starts of the runner; intervals come from the "           \
      "differences between them: fewer give wider intervals, one gives none "\
      "(default: 6; 1 in simulation, where time is exact)", 1, 1000 },       \
    { "iterations", 'i', CHORALE_OPT_INT, offsetof(type, field.nrep_max),    \
      "N", "repetitions of a cell in a launch, at most (default: 100; with " \
      "--adaptive 10, since launches tell more than repetitions; fixed in "  \
      "simulation: two of each root, which must be equal, or nine of which " \
      "the median counts; other options for starting and stopping are "      \
      "refused there)", 1,                                                   \
      4096 },                                                                \
    { "min-iterations", 0, CHORALE_OPT_INT, offsetof(type, field.nrep_min),  \
      "N", "repetitions before a cell may stop (default: 10)", 1, 4096 },    \
    { "warmup", 'x', CHORALE_OPT_INT, offsetof(type, field.nwarmup), "N",    \
      "untimed repetitions first (default: 2)", 0, 4096 },                   \
    { "width", 0, CHORALE_OPT_PERCENT, offsetof(type, field.width),          \
      "PERCENT", "stop a cell when the 95 % interval of its median is this " \
      "narrow (default: 5%)", 0, 0 },                                        \
    { "cell-time", 0, CHORALE_OPT_SECONDS,                                   \
      offsetof(type, field.cell_seconds), "TIME",                            \
      "stop a cell after this time in a launch (default: 0.5s)", 1e-6, 0 },  \
    { "max-memory", 0, CHORALE_OPT_SIZE, offsetof(type, field.max_memory),   \
      "BYTES", "cells whose buffers pass this on a node are recorded as "    \
      "inapplicable (default: half of this machine's memory)", 1, 0 },       \
    { "sync", 0, CHORALE_OPT_TEXT, offsetof(type, field.sync), "METHOD",     \
      "start repetitions at a common time announced each time (roundtime), " \
      "at fixed intervals (window), or from a barrier (default: roundtime; " \
      "barrier where the clocks do not agree well enough, and in "           \
      "simulation)", 0, 0 },                                                 \
    { "batch", 0, CHORALE_OPT_INT, offsetof(type, field.batch), "N",         \
      "calls per repetition, separated by a barrier whose time is "          \
      "subtracted, for throughput without one; always 1 with skewed arrival "\
      "or cold buffers (default: as in earlier launches, else enough for "   \
      "100 steps of the clock; for throughput 64)", 1, 100000 },             \
    { "metric", 0, CHORALE_OPT_TEXT, offsetof(type, field.metric), "NAME",   \
      "duration: from the common start to the last rank out; throughput: "   \
      "calls back to back, never used for decisions (default: duration)",    \
      0, 0 },                                                                \
    { "no-racing", 0, CHORALE_OPT_FLAG, offsetof(type, field.no_racing),     \
      NULL, "complete the measurement of variants that are surely slower",   \
      0, 0 },                                                                \
    { "buffers", 0, CHORALE_OPT_TEXT, offsetof(type, field.buffers),         \
      "POLICY", "warm: always the same; rotate: through more than the "      \
      "last-level cache; cold: caches flushed before each repetition "       \
      "(default: rotate from 64 KiB on, else warm; warm in simulation)", 0,  \
      0 },                                                                   \
    { "arrival", 0, CHORALE_OPT_TEXT, offsetof(type, field.arrival), "LIST", \
      "arrival patterns: sync (all ranks at once); first or last (one rank " \
      "is late), random, ascending. The latest rank is late by a factor "    \
      "(default 1) of the library's duration, or by a time: "                \
      "sync,ascending:0.5,last:50us. robust: sync,last,ascending; traced: "  \
      "sync and the pattern of the imported traces, with --from-trace "      \
      "(default: sync)", 0, 0 },                                             \
    { "siblings", 0, CHORALE_OPT_TEXT, offsetof(type, field.siblings),       \
      "LIST", "communicators that call at once, each with equally many "     \
      "ranks on every node: alone; a number; all, as many as fit into the "  \
      "largest of --procs, from P = 2 on; as in alone,2 (default: alone)",   \
      0, 0 },                                                                \
    { "counters", 0, CHORALE_OPT_TEXT, offsetof(type, field.counters),       \
      "LIST", "PAPI events to count, as in PAPI_TOT_CYC,net:::eth0:tx:bytes" \
      " (default: only Chorale's own, such as messages)", 0, 0 },            \
    { "launcher", 0, CHORALE_OPT_TEXT, offsetof(type, field.launcher),       \
      "NAME", "mpiexec, srun, smpirun (simulation), custom (default: "       \
      "mpiexec)", 0, 0 },                                                    \
    { "launcher-cmd", 0, CHORALE_OPT_TEXT,                                   \
      offsetof(type, field.launcher_cmd), "CMD",                             \
      "another launcher: {P}, {ppn}, {nodes} are replaced and the runner is "\
      "appended", 0, 0 },                                                    \
    { "platform", 0, CHORALE_OPT_TEXT, offsetof(type, field.platform),       \
      "FILE", "SimGrid platform file of a simulated system", 0, 0 },         \
    { "network", 0, CHORALE_OPT_TEXT, offsetof(type, field.network), "MODEL",\
      "network of a simulated system: hockney, loggp, smpi (default: loggp)",\
      0, 0 },                                                                \
    { "charge-tau", 0, CHORALE_OPT_REAL, offsetof(type, field.tau), "S",     \
      "seconds per reduced byte in simulation (default: 1e-10)", 0, 1 },     \
    { "sim-selector", 0, CHORALE_OPT_TEXT,                                   \
      offsetof(type, field.sim_selector), "NAME",                            \
      "MPI library whose selection `library` uses in simulation: mpich, "    \
      "ompi, mvapich2, impi; optionally with forced algorithms of SimGrid: " \
      "mpich,bcast:ompi_chain (default: mpich)", 0, 0 },                     \
    { "system", 0, CHORALE_OPT_TEXT, offsetof(type, field.system), "NAME",   \
      "name the system (default: the cluster or host, or platform and "      \
      "network)", 0, 0 },                                                    \
    { "label", 0, CHORALE_OPT_TEXT, offsetof(type, field.label), "TEXT",      \
      "version that is measured, for `chorale history`: a commit, a "        \
      "release; git: the output of `git describe --always --dirty` in this " \
      "folder", 0, 0 },                                                      \
    { "adaptive", 0, CHORALE_OPT_FLAG, offsetof(type, field.adaptive), NULL, \
      "measure only the cells that are worth it, in rounds, each chosen "    \
      "from the results of the previous ones", 0, 0 },                       \
    { "from-trace", 0, CHORALE_OPT_FLAG, offsetof(type, field.from_trace),   \
      NULL, "plan the points of imported traces instead of a grid, largest " \
      "time first; -c, -P, --type and --op then filter them, and -m gives "  \
      "the range of their sizes", 0, 0 },                                    \
    { "trace", 0, CHORALE_OPT_TEXT, offsetof(type, field.trace), "LABEL",    \
      "with --from-trace: only the traces of this label", 0, 0 },            \
    { "budget", 0, CHORALE_OPT_TEXT, offsetof(type, field.budget), "TIME",   \
      "what all rounds of --adaptive together may cost, including start-up " \
      "and synchronisation: time of their launches (10m, 2h), or of their "  \
      "nodes (90ns, 30nm, 2nh: node-hours), or a time for each collective "  \
      "(0.5nh/coll)", 0, 0 },                                                \
    { "goal", 0, CHORALE_OPT_PERCENT, offsetof(type, field.goal),            \
      "PERCENT", "end --adaptive when the expected regret of the table, "    \
      "averaged over all points, is this small (default: 0.5%); end --set "  \
      "model when no other candidate is expected to win by more at a point " \
      "(default: 3%, in simulation 0.1%)", 0, 0 },                           \
    { "seed", 0, CHORALE_OPT_INT, offsetof(type, field.seed), "N",           \
      "seed of all random order (default: 1)", 0, 0 }

/* Check the options against each other and the catalogue, and fill in derived
 * ones (launcher, network, min-iterations). CHORALE_USAGE. */
enum chorale_err chorale_plan_check(struct chorale_plan *plan,
                                    struct chorale_errmsg *msg);

/* 1 if a word of --variants names a catalogue variant of a planned
 * collective. */
int chorale_plan_variant(const struct chorale_plan *plan, const char *word);

/* Datatype and operation of a collective (rows of dtypes.h): the requested ones
 * or its defaults; op -1 if it does not reduce. CHORALE_USAGE: the operation is
 * not defined on the type. */
enum chorale_err chorale_plan_kinds(const struct chorale_plan *plan,
                                    const struct chorale_coll_info *info,
                                    int *dtype, int *op,
                                    struct chorale_errmsg *msg);

/* Write the plan to the database at path, which is created if missing. command:
 * the command line, stored with it. Prints one line to stdout unless quiet.
 * system receives the system's name, *campaign_p the campaign's row. An
 * adaptive plan writes one round, or gives the round that is still pending.
 * CHORALE_NO: no further round is worth its cost; msg gives the reason. */
enum chorale_err chorale_plan_write(struct chorale_plan *plan,
                                    const char *path, const char *command,
                                    int quiet, char system[128],
                                    sqlite3_int64 *campaign_p,
                                    struct chorale_errmsg *msg);

/* plan_consistency.c. Remember the campaign of each cell before a new campaign
 * takes cells over; call once per connection. */
enum chorale_err chorale_plan_before(struct chorale_store *store,
                                     struct chorale_errmsg *msg);

/* CHORALE_USAGE if a point of that campaign has cells that were planned or
 * measured with another --sync or --batch: their times are not comparable. */
enum chorale_err chorale_plan_alike(struct chorale_store *store,
                                    sqlite3_int64 campaign,
                                    struct chorale_errmsg *msg);

/* plan_adaptive.c: check the options of plans in rounds; sets --goal.
 * CHORALE_USAGE. */
enum chorale_err chorale_plan_check_adaptive(struct chorale_plan *plan,
                                             struct chorale_errmsg *msg);

/* 1 if the set model cannot be used: --siblings or --metric is not the default,
 * or --arrival is neither sync nor robust. */
int chorale_plan_conditions(const struct chorale_plan *plan);

/* plan_estimate.c: check the options of --estimate; sets dry_run, since it
 * writes nothing. CHORALE_USAGE. */
enum chorale_err chorale_plan_check_estimate(struct chorale_plan *plan,
                                             struct chorale_errmsg *msg);

/* plan_from_trace.c: check the options of --from-trace. CHORALE_USAGE. */
enum chorale_err chorale_plan_check_trace(const struct chorale_plan *plan,
                                          struct chorale_errmsg *msg);

/* plan_adaptive.c: parse --budget. *seconds_p: seconds; *nodes_p 1:
 * node-seconds; *each_p 1: for each collective. CHORALE_USAGE. */
enum chorale_err chorale_plan_budget(const char *text, double *seconds_p,
                                     int *nodes_p, int *each_p,
                                     struct chorale_errmsg *msg);

/* Warn on stderr if cells taken over by the campaign were planned with other
 * settings such as --cell-time or --width. --sync and --batch are compared for
 * unmeasured cells only. */
enum chorale_err chorale_plan_say_changed(struct chorale_store *store,
                                          sqlite3_int64 campaign,
                                          struct chorale_errmsg *msg);

/* campaign_label.c: text of --label: "" for NULL, the output of git for "git".
 * CHORALE_USAGE: too long, or not printable; CHORALE_ENV: git fails. */
#define CHORALE_LABEL_SIZE 128
enum chorale_err chorale_plan_label(const char *label,
                                    char text[CHORALE_LABEL_SIZE],
                                    struct chorale_errmsg *msg);

/* Print the effect of fewer launches than the default on a real system, and a
 * warning on stderr if no table can result. */
void chorale_plan_say_launches(long launches);

#endif
