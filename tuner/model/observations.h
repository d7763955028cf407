/* SPDX-License-Identifier: BSD-3-Clause */
/* observations.h - load the measurements of one system for fit and decide: one
 * row per run, in an order that depends only on the content. */
#ifndef CHORALE_TUNER_MODEL_OBSERVATIONS_H
#define CHORALE_TUNER_MODEL_OBSERVATIONS_H

#include <stddef.h>

#include "algorithms/dtypes.h"
#include "db/store.h"
#include "tuner/base/alg_config.h"
#include "tuner/base/arrival.h"
#include "tuner/model/memory_rows.h"
#include "tuner/model/topology.h"

/* One run of one cell in one launch. Texts are interned: equal texts have equal
 * pointers, valid until the points are released. */
struct chorale_run_point {
    enum chorale_coll coll;
    int comm_size, ppn;
    const char *shape, *dtype, *op, *op_class;
    const struct chorale_dtype *type; /* of that name; NULL: not known to this
                              * build */
    size_t msg_size, n;      /* bytes of a block, of the operation */
    const char *provider, *variant, *params;
    struct chorale_alg_config config; /* of provider chorale; alg NULL: another
                              * provider, or not known to this build */
    const char *conditions;  /* root policy and buffer policy */
    const char *launch;      /* UUID; "ordinal N" in simulation */
    sqlite3_int64 launch_id; /* its row */
    int batch;               /* calls per repetition */
    int ordinal;             /* of the launch in its campaign */
    int ok;                  /* 1: seconds is set; 0: must not be chosen */
    double seconds;          /* median of the run, or the quantile of the
                              * objective, rounded to a picosecond; 0 unless
                              * ok */
    double late;             /* the same under skewed arrival: largest mean over
                              * launches among the arrival patterns; 0: not
                              * measured */
    int patterns;            /* number of arrival patterns measured */
    int loaded;              /* 1: tagged load (db/remarks.h) */
    int slower;              /* 1: a validation found this choice slower than
                              * the library at the point, in this pattern */
    int slower_robust;       /* the same by the largest loss over the patterns;
                              * 0 unless loaded for CHORALE_ARRIVALS_ROBUST */
    int imported;            /* 1: of another program's results */
    int not_duration;        /* 1: a mean over the ranks of a rooted collective,
                              * imported */
    int inherited;           /* 1: measured under the name of an equal candidate
                              * (tuner/decide/inherit_runs.h) */
    const char *arrival;     /* arrival pattern; "sync" unless other patterns
                              * were loaded, which decide_arrival.c combines */
    double skew;             /* s: delay of the latest rank in that launch */
};

/* 1 if two runs of one struct chorale_points have the same provider, variant
 * and parameters. */
int chorale_run_same_candidate(const struct chorale_run_point *a,
                               const struct chorale_run_point *b);

/* Bytes of an element; 1 if this build does not know the type. */
size_t chorale_run_type_size(const struct chorale_run_point *run);

struct chorale_points {
    struct chorale_run_point *row;
    size_t count;
    void *pool;
    struct chorale_wiring wiring; /* topology of the system (link_fit.h) */
    struct chorale_memory_row *memory; /* [nmemory] (memory_rows.h) */
    size_t nmemory;
};

/* Load the runs of a system with metric duration, synchronous arrival and no
 * siblings. Sorted by collective, comm_size, ppn, shape, dtype, op, n,
 * provider, variant, params, conditions, ordinal, launch.
 * Excluded: unknown collectives, inapplicable runs, validations of tables, and
 * a whole point of a launch if clock synchronisation was lost or a time is
 * below the physical minimum. Runs that failed, also in verification, were
 * oversubscribed, or have stop_reason unequal get ok 0. *points is unchanged on
 * error. */
enum chorale_err chorale_points_load(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     struct chorale_points *points,
                                     struct chorale_errmsg *msg);

/* The same with the given quantile of each run instead of its median, and with
 * runs in further arrival patterns. CHORALE_ARRIVALS_TRACED adds the pattern of
 * the point in the imported traces (v_arrival). CHORALE_ARRIVALS_ROBUST adds
 * last and ascending by any delay. Runs that differ in the pattern only are
 * adjacent, sync first. */
enum chorale_objective { CHORALE_OBJECTIVE_MEDIAN, CHORALE_OBJECTIVE_P95 };
enum chorale_err chorale_points_load_by(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        enum chorale_objective objective,
                                        enum chorale_arrival_policy arrivals,
                                        struct chorale_points *points,
                                        struct chorale_errmsg *msg);

/* Seconds that the dispatcher adds to a call of an application when it selects
 * a variant. Measured runs do not include it. Source: tests/bench/shim.sh
 * (`make bench`); upper half of the range seen in a program whose data also
 * occupies the caches. */
#define CHORALE_DISPATCH_SECONDS 30e-9

/* Add seconds to the times of all runs of Chorale's own variants. */
void chorale_points_dispatched(struct chorale_points *points, double seconds);

/* Remove the runs whose time is not a duration. Returns their number. */
size_t chorale_points_remove_means(struct chorale_points *points);

void chorale_points_release(struct chorale_points *points);

#endif
