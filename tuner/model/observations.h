/* SPDX-License-Identifier: BSD-3-Clause */
/* observations.h - what was measured of one system, loaded for fit and decide: one
 * row for each run, in an order that depends on the content alone. */
#ifndef CHORALE_TUNER_MODEL_OBSERVATIONS_H
#define CHORALE_TUNER_MODEL_OBSERVATIONS_H

#include <stddef.h>

#include "algorithms/coll.h"
#include "db/store.h"
#include "tuner/model/topology.h"

/* One run of one cell in one launch. Texts are interned: equal texts are
 * equal pointers, alive until the points are released. */
struct chorale_run_point {
    enum chorale_coll coll;
    int comm_size, ppn;
    const char *shape, *dtype, *op, *op_class;
    size_t msg_size, n;      /* bytes of a block, of the operation */
    const char *provider, *variant, *params;
    const char *conditions;  /* root policy and buffer policy */
    const char *launch;      /* UUID */
    sqlite3_int64 launch_id; /* its row */
    int batch;               /* calls a repetition */
    int ordinal;             /* of the launch in its campaign */
    int ok;                  /* 1: seconds counts, 0: must not be chosen */
    double seconds;          /* median of the run, or what the objective says,
                              * to a picosecond; 0 unless ok */
    double late;             /* of the same where ranks come late: the longest
                              * over the arrival patterns of the mean of its
                              * launches; 0: not measured */
    int patterns;            /* so many patterns */
};

struct chorale_points {
    struct chorale_run_point *row;
    size_t count;
    void *pool;
    struct chorale_wiring wiring; /* of the system, as its launches found it:
                              * link_fit.h */
};

/* Load the runs of a system: metric duration, synchronous arrival, no
 * siblings. Sorted by collective, comm_size, ppn, shape, dtype, op, n,
 * provider, variant, params, conditions, launch. Left out: unknown
 * collectives, inapplicable cells, and all of a point in a launch in which the
 * clocks were lost or a candidate was faster than the network can be. Runs
 * that failed or failed verification are kept with ok 0. */
enum chorale_err chorale_points_load(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     struct chorale_points *points,
                                     struct chorale_errmsg *msg);

/* The same with another time of each run than its median. */
enum chorale_objective { CHORALE_OBJECTIVE_MEDIAN, CHORALE_OBJECTIVE_P95 };
enum chorale_err chorale_points_load_by(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        enum chorale_objective objective,
                                        struct chorale_points *points,
                                        struct chorale_errmsg *msg);

/* What it adds to a call of a real program that a variant is chosen for it, in
 * seconds: `make bench` measures it (tests/bench/shim.sh; in a program whose
 * own data passes through the caches it is the upper half of what that shows).
 * A run calls variants without it. */
#define CHORALE_DISPATCH_SECONDS 30e-9

/* Add that to the times of all runs of Chorale's own variants. */
void chorale_points_dispatched(struct chorale_points *points, double seconds);

void chorale_points_release(struct chorale_points *points);

#endif
