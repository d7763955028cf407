/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_internal.h - state of a plan being written, shared by plan*.c. */
#ifndef CHORALE_TUNER_PLAN_PLAN_INTERNAL_H
#define CHORALE_TUNER_PLAN_PLAN_INTERNAL_H

#include "tuner/adaptive/adaptive.h"
#include "tuner/base/arrival.h"
#include "tuner/plan/estimate.h"
#include "tuner/plan/native_algs.h"
#include "tuner/plan/plan.h"
#include "tuner/plan/system.h"

/* A point requested by --from-trace. */
struct chorale_trace_target {
    enum chorale_coll coll;
    long msg_size, procs;
    int dtype, op;           /* rows of dtypes.h; op -1: none */
    const char *root;        /* policy */
    char arrival[CHORALE_ARRIVAL_SIZE]; /* pattern over all traces, as in
                              * v_arrival; "": unknown */
    double seconds;          /* traced, summed over ranks */
    double calls;            /* of all ranks, in that time */
};

struct planner {
    struct chorale_plan *plan;
    struct chorale_store *store;
    struct chorale_system sys;
    struct chorale_natives natives;
    long *size, *proc;
    size_t nsize, nproc;
    sqlite3_int64 campaign_id;
    sqlite3_stmt *insert;
    char label[CHORALE_LABEL_SIZE];
    long ncell, npoint;
    struct chorale_adapt_grid grid;
    int gathering;           /* collect cells in grid, not in the database */
    struct chorale_points points; /* of the system, in pattern sync; for plans
                              * in rounds */
    struct chorale_points decided; /* the same with times by which the table is
                              * decided, if arrival patterns decide */
    struct chorale_adapt_evidence evidence;
    struct chorale_decide_opts decide; /* of the table */
    struct chorale_adapt_round round;
    struct chorale_estimate estimate;
    double budget, spent;    /* seconds, or node-seconds */
    int nodes;
    struct chorale_trace_target *want; /* largest time first */
    size_t nwant;
    struct chorale_errmsg *msg;
};

/* Ranks per node of launches with that many processes. */
long chorale_planner_ppn(const struct planner *p, long procs);

/* The placement of such launches, as stored in the database. */
const char *chorale_planned_shape(const struct planner *p, long procs);

/* CHORALE_USAGE: the launcher would not fill the nodes evenly as planned. */
enum chorale_err chorale_plan_even(const struct planner *p);

/* plan_from_trace.c: load the points of the traces in the database at path into
 * p->want and their process counts into p->proc. Points that cannot be planned
 * are reported on stderr. CHORALE_DATA: no point remains. */
enum chorale_err chorale_plan_traced(struct planner *p, const char *path);

/* Number of concurrent communicators of procs ranks for a word of --siblings;
 * "all": as many as fit into the largest of --procs. */
long chorale_planned_siblings(const struct planner *p, const char *word,
                              long procs);

/* Write the cells of all points by the prepared p->insert: the library's
 * default, and those of --providers, --variants and --set. Counts in p->ncell
 * and p->npoint. */
enum chorale_err chorale_plan_cells(struct planner *p);

/* plan_adaptive.c: collect the cells of all points in p->grid and choose those
 * of the next round (p->round). The system must be stored and the transaction
 * open. *pending_p: the campaign of a round that is planned but not measured,
 * in which case no cell is chosen; else 0. CHORALE_USAGE: the budget is too
 * small. Call chorale_plan_release() in either case. */
enum chorale_err chorale_plan_choose(struct planner *p,
                                     sqlite3_int64 *pending_p);
void chorale_plan_release(struct planner *p);

/* Write the chosen cells by the prepared p->insert. */
enum chorale_err chorale_plan_chosen(struct planner *p);

/* plan_estimate.c: compute p->estimate of that campaign, in the transaction
 * that wrote it; print it. */
enum chorale_err chorale_plan_estimate(struct planner *p,
                                       sqlite3_int64 campaign);
enum chorale_err chorale_plan_show_estimate(struct planner *p);

/* Append a cell to p->grid. */
enum chorale_err chorale_plan_gather(struct planner *p,
                                     const struct chorale_adapt_cell *cell);

/* 1 if the candidates of a point are selected by the model: set model, and a
 * model is fitted. */
int chorale_plan_predicts(const struct planner *p);

/* Of the candidates of one point, those from p->grid.cell[first] on, of which
 * the first is the library's, keep those that may be the best or were
 * measured. */
enum chorale_err chorale_plan_contend(struct planner *p, size_t first);

/* plan_cells.c: append to p->grid the library's cell, and those of the
 * candidates that may be the best, at the point of another cell, but at procs
 * ranks. */
enum chorale_err chorale_plan_gather_at(struct planner *p,
                                        const struct chorale_adapt_cell *like,
                                        long procs);

/* plan_between.c: choose, for each process count below a planned one, a variant
 * that is expected to be much faster there than those measured on both sides. A
 * table can only choose it if it was measured: it is chosen at the next planned
 * count, or at the one before, if the budget pays for that launch. Sets the
 * counts and the cost of p->round. */
enum chorale_err chorale_plan_between(struct planner *p,
                                      const struct chorale_adapt_opts *opts);

/* plan_cells.c: write one cell by p->insert. */
enum chorale_err chorale_plan_put(struct planner *p,
                                  const struct chorale_adapt_cell *cell);

#endif
