/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_internal.h - a plan while it is written, between plan.c and plan_cells.c. */
#ifndef CHORALE_TUNER_PLAN_PLAN_INTERNAL_H
#define CHORALE_TUNER_PLAN_PLAN_INTERNAL_H

#include "tuner/adaptive/adaptive.h"
#include "tuner/plan/estimate.h"
#include "tuner/plan/native_algs.h"
#include "tuner/plan/plan.h"
#include "tuner/plan/system.h"

/* A point that --from-trace asks for. */
struct chorale_want {
    enum chorale_coll coll;
    long msg_size, procs;
    int dtype, op;           /* rows of kinds.h; op -1: none */
    const char *root;        /* policy */
    double seconds;          /* traced, summed over ranks */
    double calls;            /* of ranks, in that time */
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
    size_t room;             /* of grid.cell */
    int gathering;           /* cells go there instead of the database */
    struct chorale_adapt_round round;
    struct chorale_estimate estimate;
    double budget, spent;    /* seconds, or node-seconds */
    int nodes;
    struct chorale_want *want; /* most time first */
    size_t nwant;
    struct chorale_errmsg *msg;
};

/* Ranks a node of launches with that many processes. */
long chorale_planned_ppn(const struct planner *p, long procs);

/* The placement of such launches, a word of the schema's. */
const char *chorale_planned_shape(const struct planner *p, long procs);

/* CHORALE_USAGE: the launcher would not fill the nodes as planned. */
enum chorale_err chorale_plan_even(const struct planner *p);

/* plan_from_trace.c: the points of the traces in the database at path, as far as
 * they can be planned (what cannot is told on stderr), into p->want, and their
 * numbers of ranks into p->proc. CHORALE_DATA: there is none. */
enum chorale_err chorale_plan_traced(struct planner *p, const char *path);

/* Communicators of procs ranks at once that a word of --siblings asks for;
 * all is as many as the largest of --procs has ranks for. */
long chorale_planned_siblings(const struct planner *p, const char *word,
                              long procs);

/* The cells of all points, by the prepared p->insert: the library's default,
 * and what --providers, --variants and --set ask for. Counts in p->ncell and
 * p->npoint. CHORALE_STORE; CHORALE_ENV. */
enum chorale_err chorale_plan_cells(struct planner *p);

/* plan_adaptive.c: gather the cells of all points and choose those of the next
 * round, into p->grid and p->round. The system is stored already, and the
 * transaction open. *pending_p is the campaign of a round that is planned but
 * not measured, and then nothing is chosen; else 0. CHORALE_USAGE: the budget
 * is too small. Release p->grid in either case. */
enum chorale_err chorale_plan_choose(struct planner *p,
                                     sqlite3_int64 *pending_p);
void chorale_plan_release(struct planner *p);

/* Write the chosen cells by the prepared p->insert. */
enum chorale_err chorale_plan_chosen(struct planner *p);

/* plan_estimate.c: p->estimate of that campaign, in the open transaction that
 * wrote it; and print it. */
enum chorale_err chorale_plan_estimate(struct planner *p,
                                       sqlite3_int64 campaign);
enum chorale_err chorale_plan_show_estimate(struct planner *p);

/* Append a cell to p->grid. */
enum chorale_err chorale_plan_gather(struct planner *p,
                                     const struct chorale_adapt_cell *cell);

/* plan_cells.c: write such a cell by p->insert. */
enum chorale_err chorale_plan_put(struct planner *p,
                                  const struct chorale_adapt_cell *cell);

#endif
