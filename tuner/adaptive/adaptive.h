/* SPDX-License-Identifier: BSD-3-Clause */
/* adaptive.h - choose the cells of a grid to measure next.
 *
 * Without a budget (set model), round 1 calibrates the model: a few sizes of a
 * few collectives at three process counts. Each later round measures at every
 * point the library's default and the candidates that are expected to lead the
 * best measured one by more than opts.goal, within the error of the model. The
 * candidates of a point are those of the whole catalogue that may be the best
 * (contenders.c).
 *
 * Unmeasured times are predicted by the model, corrected by the variant's
 * measurements at other points. Their standard deviation (kriging.h) comes from
 * the errors of such predictions at measured points. All times are drawn at
 * random repeatedly.
 *
 * With a budget, a round computes for each point of the grid the expected loss
 * of the table that `decide` would make of the measurements: the mean time of
 * the table's choice relative to the draw's best variant.
 *
 * - Round 1 measures a few sizes at the smallest process count, to learn the
 *   system's parameters.
 * - Round 2 adds process counts up to the largest, with as many counts and
 *   sizes as half of the remaining budget pays for. If half is too little, it
 *   uses most of it, and if need be leaves out the points that cost most. Every
 *   second count in between is not a power of two. In a simulation by the clock
 *   (opts.by_clock) it leaves out such points rather than measure fewer than
 *   four counts.
 * - Later rounds take the points with the largest expected loss per second of
 *   cost, until the round's share of the budget is spent. Losses of surrounding
 *   points are added, weighted by their correlation. A process count new to a
 *   collective gets CHORALE_ADAPT_SIZES sizes over the whole range, because the
 *   table covers only measured ranges.
 *
 * There only the library's default and candidates that are the best in at
 * least two draws are measured, in round 2 only the most frequent winner.
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
    int failed;              /* a known variant without a run that is ok */
    int chosen;              /* out: for this round */
    double log_late;         /* log(time by which the table is decided / time in
                              * pattern sync), if arrival patterns decide; NAN:
                              * not known */
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
    struct chorale_decide_opts decide; /* arrivals: sync or robust */
    const struct chorale_points *decided; /* the points with times by which the
                              * table is decided; NULL: those of pattern sync */
    int patterns;            /* arrival patterns of a cell; 0: one */
    int every;               /* measure every point, without a budget */
    double budget;           /* seconds, or node-seconds */
    int nodes;               /* 1: budget is in node-seconds */
    double spent;            /* part of the budget already spent */
    double goal;             /* stop at this expected regret (share); with
                              * every: measure candidates that are expected to
                              * win by more */
    double start_up;         /* seconds of a launch without its cells */
    int by_clock;            /* 1: a simulated cell costs at least the time of
                              * its simulation, on a network with these: */
    double alpha, beta;      /* s per message, s per byte */
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

/* The same for a planned cell, by its expected seconds; with opts.by_clock at
 * least its share of the time that the simulation takes. */
double chorale_adapt_planned_seconds(const struct chorale_adapt_opts *opts,
                                     const struct chorale_adapt_cell *cell,
                                     double seconds);

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

struct chorale_adapt_evidence;

/* Choose the cells of a round from the evidence of the points. round->ncell 0
 * with CHORALE_OK: the goal is reached or no cell is worth its cost; round->why
 * gives the reason.
 * CHORALE_USAGE: the budget is too small for the first round; CHORALE_ENV: out
 * of memory; or an error of chorale_decide(). */
enum chorale_err chorale_adapt_choose(struct chorale_adapt_grid *grid,
                                      const struct chorale_points *points,
                                      const struct chorale_adapt_evidence *e,
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

/* contenders.c: the model and its error, from the measurements of a system. */
struct chorale_adapt_evidence {
    struct chorale_predictor *model; /* NULL: the measurements determine none */
    const char *root;        /* root policy of the planned cells */
    double *bias;            /* by chorale_alg_index(): mean log(measured /
                              * model), 0 without measurements */
    double *doubt;           /* part of a positive bias that may not hold for
                              * other parameters: all of it, unless several
                              * cells agree on it */
    double sd;               /* log units: the model's error for a variant that
                              * is not measured at the point */
    double work;             /* limit of the schedule events that a plan
                              * replays; 0: the largest */
    int far;                 /* the error at the largest process count is not
                              * known: only the best prediction contends */
};

/* Fit the model to points, which must live as long, and compare both.
 * comm_size: the largest one to be predicted; if only smaller ones are
 * measured, the error there is unknown. -1: out of memory. Release the evidence
 * in either case. */
int chorale_adapt_evidence_init(struct chorale_adapt_evidence *evidence,
                                const struct chorale_points *points,
                                const char *root, int comm_size);
void chorale_adapt_evidence_release(struct chorale_adapt_evidence *evidence);

/* Keep of the n candidates of one point those that may be the best: predicted
 * within the model's error of the best prediction, at most 48; also the
 * library's, cell[0], and all known ones. If arrivals robust decide,
 * predictions include the largest loss over the patterns, and log_late is set
 * where it is NAN. Their order stays. The evidence must
 * have a model. Returns how many are kept; SIZE_MAX: out of memory. */
size_t chorale_adapt_contenders(const struct chorale_adapt_evidence *evidence,
                                const struct chorale_decide_opts *decide,
                                struct chorale_adapt_cell *cell, size_t n);

/* Expected seconds of a variant's cell: the model's, times the variant's mean
 * deviation from it; NAN: it does not run there. The evidence must have a
 * model. */
double chorale_adapt_expected(const struct chorale_adapt_evidence *evidence,
                              const struct chorale_adapt_cell *cell);

/* 1 if two runs are of one cell. */
int chorale_adapt_same_cell(const struct chorale_run_point *a,
                            const struct chorale_run_point *b);

/* prior_times.c: expected seconds before any measurement, for one collective,
 * placement, type and operation. */
struct chorale_adapt_model {
    struct chorale_run_point run; /* template of the problems */
    struct chorale_family_net net;
    struct chorale_predictor *played; /* replays schedules; NULL: formulas */
    const char *root;        /* root policy; NULL: the last rank, since mostly
                              * only ratios matter */
    const char *arrival;     /* pattern, and delay of the last rank, s */
    double skew;
};

/* A run at the point of a cell, as the template of a model. */
struct chorale_run_point
chorale_adapt_run(const struct chorale_adapt_cell *cell);

/* Typical parameters, for a network without measurements. */
extern const struct chorale_family_net chorale_adapt_typical;

/* Expected seconds of a variant, NAN if it does not run at the point. */
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
    const struct chorale_adapt_evidence *evidence;
    const struct chorale_adapt_opts *opts;
    struct chorale_adapt_point *point;
    size_t npoint, ngroup;
    double (*length)[2];     /* [ngroup] correlation lengths of n, P, octaves */
    double least_gain;       /* least gain of a candidate worth measuring */
    int calibrating;         /* only some groups, see line() */
    double most;             /* cost of a point in line(); 0: any */
};

/* Set log_seconds, sd, wins and gain of all cells, the loss of all points and
 * the lengths of all groups, given the current table row[nrow]. -1: out of
 * memory. */
int chorale_adapt_guess(struct chorale_adapt *a,
                        const struct chorale_points *points,
                        const struct chorale_decision *row, size_t nrow);

/* Mark candidates of a point as chosen until no other one is expected to lead
 * the known and the chosen ones by more than goal, log units; the one with the
 * least expected time first if none is known. -1: out of memory. */
int chorale_adapt_settle(struct chorale_adapt *a, size_t point, double goal);

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
