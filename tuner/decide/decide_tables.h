/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_tables.h - the stage `decide`: computes the decision tables of each
 * system of a database, stores them in table decision and prints them. */
#ifndef CHORALE_TUNER_DECIDE_DECIDE_TABLES_H
#define CHORALE_TUNER_DECIDE_DECIDE_TABLES_H

#include "tuner/base/for_each_system.h"
#include "tuner/decide/decide.h"
#include "tuner/decide/policy.h"

struct chorale_tables_opts {
    struct chorale_each_opts each; /* quiet: do not print the tables */
    struct chorale_policy policy;
    int as_before;           /* unset fields of policy are those of the stored
                              * table (chorale_policy_inherit) */
    const struct chorale_decide_query *explain; /* explain this point and store
                              * nothing; its left_out is ignored; or NULL */
};

#define CHORALE_TABLES_DEFAULTS { .policy = CHORALE_POLICY_DEFAULTS }

/* Decide the selected systems of the database at path. If it may not be
 * written, tables are printed only, unless each.quiet. CHORALE_DATA: a system
 * has no measurement that can be decided upon, or with each.json a name is not
 * UTF-8. */
enum chorale_err chorale_tables_decide(const char *path,
                                       const struct chorale_tables_opts *opts,
                                       struct chorale_errmsg *msg);

/* decide_exploratory.c: copy the runs, with the library's own algorithms as the
 * catalogue's variants of the same name. copy stays as it is if Chorale's
 * variants were measured themselves. The caller frees copy->row only. -1: out
 * of memory. */
int chorale_points_by_catalogue(const struct chorale_points *points,
                                struct chorale_points *copy);

/* decide_exploratory.c: prepare to decide the runs of a system. If times of a
 * real system are imported, set how->smooth (CHORALE_SMOOTH_ALL if points have
 * fewer than CHORALE_DECIDE_SURE launches), join the process counts of a node
 * in points, and copy the runs to catalogue, with the library's own algorithms
 * as the catalogue's variants of the same name; those decide the dispatch table
 * unless variants were measured themselves. The caller frees catalogue->row
 * only. text: why the table is exploratory, or "". -1: out of memory. */
int chorale_decide_exploratory(struct chorale_points *points,
                               struct chorale_decide_opts *how,
                               struct chorale_points *catalogue,
                               char text[CHORALE_EXPLORATORY_TEXT]);

#endif
