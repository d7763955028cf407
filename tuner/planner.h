/* SPDX-License-Identifier: BSD-3-Clause */
/* planner.h - a plan while it is written, between plan.c and plan_cells.c. */
#ifndef CHORALE_TUNER_PLANNER_H
#define CHORALE_TUNER_PLANNER_H

#include "tuner/natives.h"
#include "tuner/plan.h"
#include "tuner/system.h"

struct planner {
    struct chorale_plan *plan;
    struct chorale_store *store;
    struct chorale_system sys;
    struct chorale_natives natives;
    long *size, *proc;
    size_t nsize, nproc;
    sqlite3_int64 campaign_id;
    sqlite3_stmt *insert;
    long ncell, npoint;
    struct chorale_errmsg *msg;
};

/* Ranks a node of launches with that many processes. */
long chorale_planned_ppn(const struct planner *p, long procs);

/* Communicators of procs ranks at once that a word of --siblings asks for;
 * all is as many as the largest of --procs has ranks for. */
long chorale_planned_siblings(const struct planner *p, const char *word,
                              long procs);

/* The cells of all points, by the prepared p->insert: the library's default,
 * and what --providers, --variants and --set ask for. Counts in p->ncell and
 * p->npoint. CHORALE_STORE; CHORALE_ENV. */
enum chorale_err chorale_plan_cells(struct planner *p);

#endif
