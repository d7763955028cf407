/* SPDX-License-Identifier: BSD-3-Clause */
/* model_internal.h - the state of a fit, shared by the files that compute it:
 *   model_cells.c        cells from runs
 *   model_iterate.c      fit of one network to the cells
 *   model_search.c       choice among networks
 *   model_breakpoints.c  choice of size regimes
 *   model_memory.c       rows and regimes of operations in memory
 *   model_kappa.c        interval of the number of node ports
 *   model_crossval.c     cross-validation
 *   model_refit.c        fits to a subset of the cells
 *   model_progress.c     progress and stop requests
 */
#ifndef CHORALE_TUNER_MODEL_MODEL_INTERNAL_H
#define CHORALE_TUNER_MODEL_MODEL_INTERNAL_H

#include <stdint.h>

#include "tuner/model/model.h"

/* A prediction with a larger relative error is rejected. */
#define MODEL_BOUND 0.10

/* The runs [first, last) of one cell, and its recorded schedule. */
struct model_cell {
    size_t first, last;
    int memory;              /* 1: runs of points->memory; alg is NULL */
    const struct chorale_alg *alg;
    struct chorale_point pt;
    int ppn, nodes;
    enum chorale_net_place place;
    int tau;                 /* index of its tau, -1: no reduction */
    double seconds;          /* measured, over its launches */
    struct chorale_score *score[3]; /* by root; all NULL: not in the sample */
    double played;           /* seconds replayed on the network, or NAN */
    uint64_t order;          /* rank in the sampling order */
    int coarse;              /* in the subset that chooses the network type */
    int use;                 /* it is a row of the fit */
    int wild;                /* ill-conditioned at the current values: its terms
                              * nearly cancel, as two messages barely overlap or
                              * barely do not; skipped in this round */
};

struct model_job {
    const struct chorale_points *points;
    const char *system;
    struct chorale_model_opts opts;
    struct chorale_model *model;
    struct model_cell *cell;
    size_t ncell;
    size_t nrow;             /* cell[ncell] to cell[nrow - 1]: operations in
                              * memory (memory_rows.h), also rows of the fit */
    /* Columns: the levels, each tau, then the parts (overheads, gap, copy,
     * cold, local; network.h). Of linearly dependent columns the later ones are
     * dropped. */
    size_t ncol;
    double *x;               /* [nrow][CHORALE_FIT_MAX], of all rows; the
                              * first ncol of each are used */
    unsigned char *drop;     /* [CHORALE_FIT_MAX] columns held at 0 */
    double *rx, *rs, *scratch; /* rows of a fit: packed columns, seconds */
    size_t *row;             /* cell of each row */
    double lack;             /* as in chorale_model.lack */
    double ports_lo, ports_hi; /* 95 % interval of net.ports; NAN: unset */
    struct chorale_model *last; /* model of the last replay, */
    int last_coarse;         /* and whether it used the subset only */
    int coarse;              /* replay the coarse subset only */
    int cold;                /* fits ignore the current values as a start */
    int wide;                /* as in struct chorale_fit_data */
};

/* Allocate for job->ncell cells; -1: out of memory. In either case call
 * chorale_model_job_free(); it frees job->cell, not the recorded schedules. */
int chorale_model_job_alloc(struct model_job *job);
void chorale_model_job_free(struct model_job *job);

/* Find the cells and record the schedules of a sample. */
enum chorale_err chorale_model_cells_find(struct model_job *job,
                                          struct chorale_errmsg *msg);

/* Append the operations in memory of job->points to job->cell, which must have
 * room, and set job->nrow. Without cells on shared nodes no row is added.
 * CHORALE_ENV: out of memory. */
enum chorale_err chorale_model_memory_rows(struct model_job *job,
                                           struct chorale_errmsg *msg);
/* The most rows that chorale_model_memory_rows() may append. */
size_t chorale_model_memory_count(const struct chorale_points *points);
/* Median seconds of such a row over the launches with that ordinal (-1: all); 0
 * without a launch. */
double chorale_model_memory_seconds(const struct model_job *job,
                                    const struct model_cell *row, int ordinal);
/* Split the innermost level into the regimes of the measured messages. *upto_p:
 * the limit at which the time of a message increases suddenly, from copies
 * through a buffer to a single copy, or HUGE_VAL. Returns 1, or 0 if messages
 * were not measured or have one regime. */
int chorale_model_memory_regimes(struct model_job *job, double *upto_p);

/* Seconds of a cell over the launches with that ordinal (-1: all): a robust
 * centre of 3 to 32 runs, else the geometric mean; 0: no run. */
double chorale_model_cell_seconds(const struct model_job *job,
                                  const struct model_cell *cell, int ordinal);

/* Replay a cell on the model's network. Returns seconds, for a rotating root
 * the median of three; NAN on failure. column: receives the job's columns, or
 * NULL. wide: another network with more regimes, whose columns are stored
 * instead; NULL: the model's network. */
double chorale_model_cell_replay(const struct model_job *job,
                                 const struct model_cell *cell,
                                 const struct chorale_net *wide,
                                 double *column);

/* Column layout of the model's network and taus. */
size_t chorale_model_columns(const struct chorale_model *model);
size_t chorale_model_column_tau(const struct chorale_model *model, size_t tau);
size_t chorale_model_column_parts(const struct chorale_model *model);
void chorale_model_values_get(const struct chorale_model *model, double *value);
void chorale_model_values_set(struct chorale_model *model, const double *value);

/* Fit the rows selected by use (NULL: all usable rows) with the coefficients of
 * the last replay and the launches of that ordinal (-1: all). value
 * [job->ncol]: start values, then the result. fit may be NULL. CHORALE_DATA:
 * the rows do not separate the parameters. */
enum chorale_err chorale_model_fit_rows(struct model_job *job,
                                        const unsigned char *use, int ordinal,
                                        double *value,
                                        struct chorale_fit_result *fit,
                                        struct chorale_errmsg *msg);

/* Alternate replay and fit until the critical paths no longer change, for at
 * most that many rounds, and keep the best. Sets the model's network, taus, fit
 * and job->lack. CHORALE_DATA as above; msg names the missing measurements.
 * CHORALE_STOPPED, CHORALE_ENV. */
enum chorale_err chorale_model_converge(struct model_job *job, int rounds,
                                        struct chorale_errmsg *msg);

/* Whether the cell is excluded from the fit and only predicted (max_procs). */
int chorale_model_held_out(const struct model_job *job,
                           const struct model_cell *cell);

/* Replay all cells at the model's values. CHORALE_ENV: out of memory. */
enum chorale_err chorale_model_replay(struct model_job *job,
                                      struct chorale_errmsg *msg);

/* The state that an attempt changes, for restoring it. */
struct model_state {
    struct chorale_net net;
    struct chorale_model_tau tau[CHORALE_MODEL_TAUS];
    double lack;
};
void chorale_model_save(const struct model_job *job, struct model_state *state);
enum chorale_err chorale_model_restore(struct model_job *job,
                                       const struct model_state *state,
                                       struct chorale_errmsg *msg);

/* Add breakpoints to levels and taus, chosen from the candidates edge[nedge]
 * (bytes, ascending), while the criterion improves enough. */
enum chorale_err chorale_model_add_breaks(struct model_job *job,
                                          const double *edge,
                                          size_t nedge,
                                          struct chorale_errmsg *msg);

/* Whether the terms x of a cell's time nearly cancel (ill-conditioned). */
int chorale_model_ill_cond(const struct model_job *job, const double *x,
                           double seconds);

/* Choose the port model, the ports of a node and the breakpoints. */
enum chorale_err chorale_model_search(struct model_job *job,
                                      struct chorale_errmsg *msg);

/* Fit a network from scratch to the cells with use[job->ncell] set and predict
 * the remaining cells. seconds [job->ncell]: NAN for the cells with use set,
 * for all if no fit is possible, and where the fit lacks a needed parameter;
 * MODEL_WILD where the prediction is ill-conditioned. CHORALE_STOPPED,
 * CHORALE_ENV. */
#define MODEL_WILD (-1.0)
enum chorale_err chorale_model_predict(const struct model_job *job,
                                       const unsigned char *use,
                                       double *seconds,
                                       struct chorale_errmsg *msg);

/* Upper limits of fits that predict the values above them, chosen from value[k]
 * (ascending). Each is at least apart times the previous one; the largest value
 * is excluded. Returns the number stored in cut[k]. */
size_t chorale_model_cutoffs(const double *value, size_t k, double apart,
                             double *cut);
#define MODEL_RANKS_APART 2 /* ratio of process counts */
#define MODEL_SIZES_APART 8 /* ratio of block sizes */
#define MODEL_SIZES_OUT 8   /* most sizes left out, one at a time */

/* Set the total of the progress bar: the network search and the fits of the
 * cross-validation. -1: out of memory. */
int chorale_model_progress_begin(const struct model_job *job);
#define MODEL_SEARCH 6 /* cost of the search, in cross-validation fits */
/* Advance by done fits; format names the next step. */
void chorale_model_progress(const struct model_job *job, long done,
                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* CHORALE_STOPPED if opts.asked() requests a stop, else CHORALE_OK. */
enum chorale_err chorale_model_asked(const struct model_job *job,
                                     struct chorale_errmsg *msg);

/* Set job->ports_lo and ports_hi from the launches with these ordinals, at the
 * values of the last replay. Both are NAN if the times do not depend on the
 * ports or the ports are not separable from other parameters. CHORALE_ENV: out
 * of memory. */
enum chorale_err chorale_model_ports_spread(struct model_job *job,
                                            const int *ordinal,
                                            size_t nlaunch,
                                            struct chorale_errmsg *msg);

/* Cross-validate and fill model->variant. */
enum chorale_err chorale_model_crossval(struct model_job *job,
                                        struct chorale_errmsg *msg);

#endif
