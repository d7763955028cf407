/* SPDX-License-Identifier: BSD-3-Clause */
/* model_internal.h - a fit under way, for the files that make it: the cells
 * (model_cells.c), one network fitted to them (model_iterate.c), the choice
 * among networks (model_search.c) and of breakpoints (model_breakpoints.c), the
 * interval of a node's ports (model_kappa.c),
 * cross-validation (model_crossval.c) by fits to some cells (model_refit.c); and
 * how far it is (model_progress.c). */
#ifndef CHORALE_TUNER_MODEL_MODEL_INTERNAL_H
#define CHORALE_TUNER_MODEL_MODEL_INTERNAL_H

#include <stdint.h>

#include "tuner/model/model.h"

/* Above this relative error a prediction is of no use. */
#define MODEL_BOUND 0.10

/* The runs [first, last) of one cell and what it plays. */
struct model_cell {
    size_t first, last;
    const struct chorale_alg *alg;
    struct chorale_point pt;
    int ppn, nodes;
    enum chorale_net_place place;
    int tau;                 /* index, -1: reduces nothing */
    double seconds;          /* over its launches */
    struct chorale_score *score[3]; /* by root; all NULL: not in the sample */
    double played;           /* seconds on the network, NAN */
    uint64_t order;          /* in the sample */
    int coarse;              /* in the part of the sample by which the kind of
                              * network is chosen */
    int use;                 /* it is a row of the fit */
    int wild;                /* at these values its coefficients nearly cancel:
                              * messages that just meet or just miss; it waits
                              * for better ones */
};

struct model_job {
    const struct chorale_points *points;
    const char *system;
    struct chorale_model_opts opts;
    struct chorale_model *model;
    struct model_cell *cell;
    size_t ncell;
    /* Columns: those of the levels, then of each tau, then the parts (network.h:
     * overheads, gap), so that of what cannot be told apart the later ones are
     * left out. */
    size_t ncol;
    double *x;               /* [ncell * ncol] of all cells */
    unsigned char *drop;     /* [CHORALE_FIT_MAX] columns that are held at 0 */
    double *rx, *rs, *scratch; /* rows of a fit: packed columns, seconds */
    size_t *row;             /* cell of each row */
    double lack;             /* see chorale_model.lack */
    double ports_lo, ports_hi; /* 95 % interval of net.ports; NAN: unknown */
    struct chorale_model *last; /* as last played, and which part */
    int last_coarse;
    int coarse;              /* play that part only */
    int cold;                /* fits do not begin at the values given */
    int wide;                /* see struct chorale_fit_data */
};

/* Room for a fit to job->ncell cells. -1: out of memory; free it in any case,
 * with the cells, not with their schedules. */
int model_job_alloc(struct model_job *job);
void model_job_free(struct model_job *job);

/* Find the cells, and write down those of the sample. */
enum chorale_err model_cells_find(struct model_job *job,
                                  struct chorale_errmsg *msg);

/* Seconds of a cell over the launches of that ordinal (-1: all): a robust
 * centre of three or more, else the geometric mean; 0 if there is none. */
double model_cell_seconds(const struct model_job *job,
                          const struct model_cell *cell, int ordinal);

/* Play a cell at the model's network: seconds, of a rotating root the middle
 * of three; column (of the job, or NULL). wide: another network with more
 * regimes, whose own columns are wanted (NULL: the model's). */
double model_cell_play(const struct model_job *job,
                       const struct model_cell *cell,
                       const struct chorale_net *wide, double *column);

/* Number the columns of the model's network and taus. */
size_t model_columns(const struct chorale_model *model);
size_t model_column_tau(const struct chorale_model *model, size_t tau);
size_t model_column_parts(const struct chorale_model *model);
void model_values_get(const struct chorale_model *model, double *value);
void model_values_set(struct chorale_model *model, const double *value);

/* Fit to the rows that use selects (NULL: all that are fit for it) at the
 * coefficients of the last play; of launches of that ordinal (-1: all). value
 * [job->ncol] starts it and takes the result; fit may be NULL. CHORALE_DATA:
 * the rows do not tell the parameters apart. */
enum chorale_err model_fit_rows(struct model_job *job,
                                const unsigned char *use, int ordinal,
                                double *value, struct chorale_fit_result *fit,
                                struct chorale_errmsg *msg);

/* Play all, and fit, until the paths stand still. Sets the model's network,
 * taus, fit and job->lack. CHORALE_DATA as above, with what to measure. */
enum chorale_err model_settle(struct model_job *job, int rounds,
                              struct chorale_errmsg *msg);

/* Is it not to be fitted, but foretold? */
int model_is_beyond(const struct model_job *job,
                    const struct model_cell *cell);

/* Play all at the model's values. CHORALE_ENV: out of memory. */
enum chorale_err model_play(struct model_job *job,
                            struct chorale_errmsg *msg);

/* What an attempt changes, to be put back. */
struct model_state {
    struct chorale_net net;
    struct chorale_model_tau tau[CHORALE_MODEL_TAUS];
    double lack;
};
void model_save(const struct model_job *job, struct model_state *state);
enum chorale_err model_restore(struct model_job *job,
                               const struct model_state *state,
                               struct chorale_errmsg *msg);

/* Break levels and taus at the candidates [nedge] (bytes, ascending), for as
 * long as it is worth it. */
enum chorale_err model_breaks(struct model_job *job, const double *edge,
                              size_t nedge, struct chorale_errmsg *msg);

/* Do the terms x of a cell's time nearly cancel? */
int model_is_wild(const struct model_job *job, const double *x,
                  double seconds);

/* Choose port model, ports of a node, breakpoints. */
enum chorale_err model_search(struct model_job *job,
                              struct chorale_errmsg *msg);

/* Fit a network to the cells for which use [job->ncell] is set as if there
 * were no others, from the choice of port model on, and what the others take
 * on it into seconds [job->ncell]: NAN where these need what those do not
 * tell, MODEL_WILD where the terms nearly cancel. */
#define MODEL_WILD (-1.0)
enum chorale_err model_foretell(const struct model_job *job,
                                const unsigned char *use, double *seconds,
                                struct chorale_errmsg *msg);

/* Values [k], ascending, up to which fits are made to foretell what lies above
 * them: each at least apart times the last one, none the largest. Returns how
 * many, into cut [k]. */
size_t model_cuts(const double *value, size_t k, double apart, double *cut);
#define MODEL_RANKS_APART 2 /* ratio of numbers of ranks */
#define MODEL_SIZES_APART 8 /* ratio of sizes of blocks */

/* The bar's whole, from the cells: the search for a network, and the fits that
 * foretell. -1: out of memory. */
int model_progress_begin(const struct model_job *job);
#define MODEL_SEARCH 6 /* the search takes as long as so many of these fits */
/* So many of them are made; words for what comes next. */
void model_progress(const struct model_job *job, long done,
                    const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* CHORALE_STOPPED if the fit is not wanted any more. */
enum chorale_err model_asked(const struct model_job *job,
                             struct chorale_errmsg *msg);

/* Set job->ports_lo and ports_hi, from the launches of these ordinals, at the
 * values of the last play. NAN where ports do not matter to what was measured
 * or cannot be told from other parameters. CHORALE_ENV: out of memory. */
enum chorale_err model_ports_spread(struct model_job *job, const int *ordinal,
                                    size_t nlaunch,
                                    struct chorale_errmsg *msg);

/* Fill model->variant. */
enum chorale_err model_check(struct model_job *job,
                             struct chorale_errmsg *msg);

#endif
