/* SPDX-License-Identifier: BSD-3-Clause */
/* adaptive.h - choose the cells of a grid to measure next, within a budget.
 *
 * A round computes for each point of the grid the expected loss of the table
 * that `decide` would make of the measurements. Unmeasured times are predicted
 * by the model, corrected by the variant's measurements at other points. Their
 * standard deviation (kriging.h) comes from the errors of such predictions at
 * measured points. All times are drawn at random repeatedly. The expected loss
 * is the mean time of the table's choice relative to the draw's best variant.
 *
 * - Round 1 measures a few sizes at the smallest process count, to learn the
 *   system's parameters.
 * - Round 2 adds process counts up to the largest, with as many counts and
 *   sizes as half of the remaining budget pays for. If half is too little, it
 *   uses all. Every second count in between is not a power of two.
 * - Later rounds take the points with the largest expected loss per second of
 *   cost, until the round's share of the budget is spent. Losses of surrounding
 *   points are added, weighted by their correlation. A process count new to a
 *   collective gets CHORALE_ADAPT_SIZES sizes over the whole range, because the
 *   table covers only measured ranges.
 *
 * At a point only the library's default and candidates that are the best in at
 * least two draws are measured. In round 2 a candidate that is not the most
 * frequent winner must also have a gain of 0.01.
 */
#ifndef CHORALE_TUNER_ADAPTIVE_ADAPTIVE_H
#define CHORALE_TUNER_ADAPTIVE_ADAPTIVE_H

#include "tuner/decide/decide.h"
#include "tuner/decide/family.h"

/* A cell that may be measured. dtype, op: rows of dtypes.h; op -1: none. */
struct chorale_adapt_cell {
    enum chorale_coll coll;
    long msg_size;
    size_t n;
    int comm_size, ppn, dtype, op;
    const char *shape;       /* static */
    struct chorale_alg_config config; /* alg NULL: the library's default */
    char params[192];        /* canonical text of its parameters */
    int known;               /* measured, or planned before */
    int chosen;              /* out: for this round */
    double log_seconds, sd;  /* out: predicted */
    int wins;                /* out: number of draws in which it is the best */
    double gain;             /* out: its lead over the second best in the draws
                              * that it wins, summed and divided by the number
                              * of all draws, log units */
};

/* The cells of a grid, grouped by point, the library's first in each. */
struct chorale_adapt_grid {
    struct chorale_adapt_cell *cell;
    size_t ncell;
};

struct chorale_adapt_opts {
    struct chorale_decide_opts decide;
    double budget;           /* seconds, or node-seconds */
    int nodes;               /* 1: budget is in node-seconds */
    double spent;            /* part of the budget already spent */
    double goal;             /* stop at this expected regret (share) */
    double start_up;         /* seconds of a launch without its cells */
    long launches, nrep_min, nrep_max, nwarmup; /* per cell */
    double cell_seconds;
    long seed;
};

struct chorale_adapt_round {
    int round;               /* from 1 on; set by the caller */
    double foreseen;         /* predicted cost of the chosen cells */
    double regret;           /* expected before the round, geometric mean over
                              * the points; NAN: no measurements */
    size_t npoint, ncell;    /* chosen */
    char why[200];           /* reason if no cell is chosen */
};

/* Seconds of a cell in a launch on a real system: calls for verification and
 * warm-up, and 30 repetitions (or the campaign's limit) with their
 * synchronisation. seconds: time of one call. */
double chorale_adapt_cell_seconds(const struct chorale_adapt_opts *opts,
                                  int comm_size, double seconds);

/* Cost of all launches of comm_size ranks, each with its start-up and that many
 * seconds of cells, in the unit of the budget. */
double chorale_adapt_cost(const struct chorale_adapt_opts *opts,
                          int comm_size, int ppn, double seconds);

/* In costs, one simulated launch counts as this many real ones. */
#define CHORALE_ADAPT_LAUNCHES 6
/* Start-up seconds assumed before any launch, and in simulation. */
#define CHORALE_ADAPT_START_UP 1.0

/* Seconds of a cell that is measured until its time limit. */
double chorale_adapt_cell_most(const struct chorale_adapt_opts *opts,
                               int comm_size, double seconds);

/* Choose the cells of a round. round->ncell 0 with CHORALE_OK: the goal is
 * reached or no cell is worth its cost; round->why gives the reason.
 * CHORALE_USAGE: the budget is too small for the first round; CHORALE_ENV: out
 * of memory; or an error of chorale_decide(). */
enum chorale_err chorale_adapt_choose(struct chorale_adapt_grid *grid,
                                      const struct chorale_points *points,
                                      const struct chorale_adapt_opts *opts,
                                      struct chorale_adapt_round *round,
                                      struct chorale_errmsg *msg);

/* launch_cost.c: the cost of the launches already made. */
struct chorale_adapt_spent {
    double seconds, node_seconds;
    long nlaunch, nrun;
    long nstart;             /* starts of the program; launches may share one */
};

/* Sum the launches of one round's campaigns; round 0: of campaigns that are not
 * adaptive; -1: of all adaptive campaigns. Launches that still run are left
 * out. Real launches count from start to end; if several share a start, on the
 * nodes of the largest. A killed launch counts at most one start-up and its
 * cells, since its end is recorded late. A simulated launch counts
 * as CHORALE_ADAPT_LAUNCHES real ones with its simulated times. */
enum chorale_err chorale_adapt_spent(struct chorale_store *store,
                                     sqlite3_int64 system_id, int round,
                                     struct chorale_adapt_spent *spent,
                                     struct chorale_errmsg *msg);

/* Mean seconds of a start of that system without the cells of its largest
 * launch, over launches that ended by themselves; CHORALE_ADAPT_START_UP if
 * there is no such launch. */
enum chorale_err chorale_adapt_start_up(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        double *seconds_p,
                                        struct chorale_errmsg *msg);

/* Like chorale_adapt_start_up() for a real system, but cells whose repetitions
 * used up their time limit count with that time; *share_p: the share of such
 * runs (0 to 1). Both stay unchanged if no launch ended by itself. */
enum chorale_err chorale_adapt_ran(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   double *start_up_p, double *share_p,
                                   struct chorale_errmsg *msg);

/* prior_times.c: expected seconds before any measurement, for one collective,
 * placement, type and operation. */
struct chorale_adapt_model {
    struct chorale_run_point run; /* template of the problems */
    struct chorale_family_net net;
    struct chorale_predictor *played; /* replays schedules; NULL: formulas */
};

/* Typical parameters, for a network without measurements. */
extern const struct chorale_family_net chorale_adapt_typical;

/* Expected seconds of a variant, NAN if it does not run at the point. One root
 * represents all, since only ratios matter. */
double chorale_adapt_seconds(const struct chorale_adapt_model *model,
                             const struct chorale_alg_config *config, size_t n,
                             int comm_size);

/* Expected seconds of the library's default: its algorithm is unknown, so the
 * best of the simple variants with default parameters. INFINITY: none runs. */
double chorale_adapt_library(const struct chorale_adapt_model *model, size_t n,
                             int comm_size);

/* The rest is shared by adaptive.c, expected_loss.c and select_points.c. */

/* A point of the grid. */
struct chorale_adapt_point {
    size_t first, ncell;     /* range in grid->cell; the library's is first */
    size_t group;            /* index of its collective, type and operation */
    double loss;             /* expected, log units */
    int measured;            /* at least one cell is measured */
    int taken;               /* chosen for this round */
};

struct chorale_adapt {
    struct chorale_adapt_grid *grid;
    const struct chorale_adapt_opts *opts;
    struct chorale_adapt_point *point;
    size_t npoint, ngroup;
    double (*length)[2];     /* [ngroup] correlation lengths of n, P, octaves */
    double least_gain;       /* least gain of a candidate worth measuring */
};

/* Set log_seconds, sd, wins and gain of all cells, the loss of all points and
 * the lengths of all groups, given the current table row[nrow]. -1: out of
 * memory. */
int chorale_adapt_guess(struct chorale_adapt *a,
                        const struct chorale_points *points,
                        const struct chorale_decision *row, size_t nrow);

/* Choose points by expected loss per cost, up to the cost most; sets
 * cell->chosen. Returns the cost; -1: out of memory. */
double chorale_adapt_pick(struct chorale_adapt *a, double most);

/* 1 if i is one of k indices spread evenly over 0 ... n - 1, ends included. */
int chorale_adapt_spread(size_t i, size_t n, size_t k);
#define CHORALE_ADAPT_SIZES 5

/* Seconds per launch of the cells of a point that are worth measuring; choose:
 * 1 marks them as chosen, 0 only computes. */
double chorale_adapt_take(struct chorale_adapt *a, size_t point, int choose);

#endif
