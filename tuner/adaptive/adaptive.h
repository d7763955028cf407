/* SPDX-License-Identifier: BSD-3-Clause */
/* adaptive.h - which cells of a grid are worth measuring next, within a budget.
 *
 * A round looks at all points of the grid: what the table that `decide` would
 * make of the measurements loses there, as far as one can tell. Times that are
 * not measured are the model's, corrected by what the variant took elsewhere,
 * with a standard deviation (kriging.h) from how well such guesses do for what is
 * measured. The expected loss of a point is the mean, over times drawn from
 * that, of what the table's choice takes longer than the best of the draw.
 *
 * - Round 1 measures a few sizes at the smallest process count, to learn what
 *   the system is like.
 * - The next one adds process counts up to the largest, as many and with as
 *   many sizes as half of the budget pays for, or all of it if that is too
 *   little, every other one of those between no power of two.
 * - Every further one takes the points where most of the expected loss, that
 *   of the points around weighted by how much they correlate, goes for a second
 *   of cost, until its share of the budget is spent. A process count that is
 *   new to a collective gets CHORALE_ADAPT_SIZES sizes over the whole range, as
 *   nothing is decided beyond what is measured, and little that is worth it far
 *   from it.
 *
 * At a point only candidates are measured that are the best in some draw, in
 * the second round only where that would be missed, and the library's default.
 */
#ifndef CHORALE_TUNER_ADAPTIVE_ADAPTIVE_H
#define CHORALE_TUNER_ADAPTIVE_ADAPTIVE_H

#include "tuner/decide/decide.h"
#include "tuner/decide/family.h"

/* A cell that may be measured. dtype, op: rows of kinds.h, op -1: none. */
struct chorale_adapt_cell {
    enum chorale_coll coll;
    long msg_size;
    size_t n;
    int comm_size, ppn, dtype, op;
    const char *shape, *provider; /* static */
    char variant[64], params[192];
    int known;               /* measured, or planned before */
    int chosen;              /* out: for this round */
    double log_seconds, sd;  /* out: expected */
    int wins;                /* out: draws in which it is the best, */
    double gain;             /* and what they gain over all, log units */
};

/* The cells of a grid; those of one point, the library's first, follow each
 * other. */
struct chorale_adapt_grid {
    struct chorale_adapt_cell *cell;
    size_t ncell;
};

struct chorale_adapt_opts {
    struct chorale_decide_opts decide;
    double budget;           /* seconds, or node-seconds */
    int nodes;               /* 1: node-seconds */
    double spent;            /* of it */
    double goal;             /* stop at this expected regret */
    double start_up;         /* seconds of a launch beside its cells */
    long launches, nrep_min, nrep_max, nwarmup; /* of each cell */
    double cell_seconds;
    long seed;
};

struct chorale_adapt_round {
    int round;               /* from 1 on; set by the caller */
    double foreseen;         /* cost of what is chosen */
    double regret;           /* expected before it, geometric mean over the
                              * points of the grid; NAN: nothing measured */
    size_t npoint, ncell;    /* chosen */
    char why[200];           /* if nothing is: why not */
};

/* Seconds that a cell takes in a launch on a real system: calls to verify and
 * to warm up, and 30 repetitions or as many as the campaign allows, each of
 * them with the messages that start it together. */
double chorale_adapt_cell_seconds(const struct chorale_adapt_opts *opts,
                                  int comm_size, double seconds);

/* The cost of so many seconds in each launch of comm_size ranks. */
double chorale_adapt_cost(const struct chorale_adapt_opts *opts,
                          int comm_size, int ppn, double seconds);

/* Launches of a real system that one simulated launch stands for, in costs. */
#define CHORALE_ADAPT_LAUNCHES 6
/* Start-up of a launch where none was made yet, and in simulation. */
#define CHORALE_ADAPT_START_UP 1.0

/* Seconds of a cell whose repetitions go on until its time is over. */
double chorale_adapt_cell_most(const struct chorale_adapt_opts *opts,
                               int comm_size, double seconds);

/* Choose. CHORALE_OK with round->ncell 0: nothing is worth it, round->why says
 * why. CHORALE_USAGE: the budget does not pay for the first round;
 * CHORALE_ENV: out of memory. */
enum chorale_err chorale_adapt_choose(struct chorale_adapt_grid *grid,
                                      const struct chorale_points *points,
                                      const struct chorale_adapt_opts *opts,
                                      struct chorale_adapt_round *round,
                                      struct chorale_errmsg *msg);

/* launch_cost.c: what launches of a system took. */
struct chorale_adapt_spent {
    double seconds, node_seconds;
    long nlaunch, nrun;
    long nstart;             /* of the program: launches may share one */
};

/* Add up the launches of one round's campaigns; round 0: of campaigns that are
 * not adaptive, -1: of all that are. On a real system it is the time from start
 * to end, on the nodes of the largest where launches share a start; a simulated
 * launch counts as CHORALE_ADAPT_LAUNCHES real ones would that took its
 * times. */
enum chorale_err chorale_adapt_spent(struct chorale_store *store,
                                     sqlite3_int64 system_id, int round,
                                     struct chorale_adapt_spent *spent,
                                     struct chorale_errmsg *msg);

/* Seconds of a start of that system beside the cells of its largest launch: the
 * mean over all that ended by themselves, CHORALE_ADAPT_START_UP where there is
 * none. */
enum chorale_err chorale_adapt_start_up(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        double *seconds_p,
                                        struct chorale_errmsg *msg);

/* What a start of that real system took beside its cells, and the share of its
 * runs, 0 to 1, whose repetitions went on until their time was over: those
 * count as such here, where chorale_adapt_start_up counts repetitions alone.
 * Both untouched if no launch of it ended by itself. */
enum chorale_err chorale_adapt_ran(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   double *start_up_p, double *share_p,
                                   struct chorale_errmsg *msg);

/* prior_times.c: seconds that are expected where nothing was measured, of one
 * collective, placement, type and operation. */
struct chorale_adapt_model {
    struct chorale_run_point run; /* stands for its problems */
    struct chorale_family_net net;
    struct chorale_predictor *played; /* schedules are; NULL: formulas */
};

/* A network of which nothing is known. */
extern const struct chorale_family_net chorale_adapt_typical;

/* Of a variant, NAN where it refuses the point. One root stands for all: it is
 * ratios of them that matter. */
double chorale_adapt_seconds(const struct chorale_adapt_model *model,
                             const struct chorale_alg *alg, const long *value,
                             size_t n, int comm_size);

/* Of the library nothing is known but that it has some algorithm: the best of
 * the simple ones, at their defaults. INFINITY: all of them refuse. */
double chorale_adapt_library(const struct chorale_adapt_model *model, size_t n,
                             int comm_size);

/* Between adaptive.c, expected_loss.c and select_points.c. */

/* A point of the grid. */
struct chorale_adapt_point {
    size_t first, ncell;     /* of grid->cell; the first is the library's */
    size_t group;            /* of one collective, type and operation */
    double loss;             /* expected, log units */
    int measured;            /* some cell is */
    int taken;               /* chosen for this round */
};

struct chorale_adapt {
    struct chorale_adapt_grid *grid;
    const struct chorale_adapt_opts *opts;
    struct chorale_adapt_point *point;
    size_t npoint, ngroup;
    double (*length)[2];     /* [ngroup] of n, P in octaves */
    double least_gain;       /* of a candidate that is measured */
};

/* Fill in log_seconds, sd and wins of all cells and the loss of all points.
 * -1: out of memory. */
int chorale_adapt_guess(struct chorale_adapt *a,
                        const struct chorale_points *points,
                        const struct chorale_decision *row, size_t nrow);

/* Take points by expected loss per cost for at most so much. Returns the
 * cost; sets cell->chosen. -1: out of memory. */
double chorale_adapt_pick(struct chorale_adapt *a, double most);

/* 1 if the i-th of n is one of k that are spread over them, ends included. */
int chorale_adapt_spread(size_t i, size_t n, size_t k);
#define CHORALE_ADAPT_SIZES 5

/* Choose the cells of a point that are worth it; seconds of a launch that they
 * take. count 0: only tell. */
double chorale_adapt_take(struct chorale_adapt *a, size_t point, int choose);

#endif
