/* SPDX-License-Identifier: BSD-3-Clause */
/* excluded_points.h - count the points that were measured but are excluded in
 * every launch. observations.h excludes a point of a launch if its clock
 * synchronisation was lost or a time was below the physical minimum. */
#ifndef CHORALE_TUNER_MODEL_EXCLUDED_POINTS_H
#define CHORALE_TUNER_MODEL_EXCLUDED_POINTS_H

#include "algorithms/coll.h"
#include "db/store.h"

struct chorale_excluded_count {
    sqlite3_int64 count;     /* points */
    char first[96];          /* "bcast of 32768 bytes, P = 2"; "": count is 0 */
};

/* Count the excluded points of a system. If coll is not CHORALE_NCOLL, count
 * only those at that collective, block size (bytes) and comm_size.
 * CHORALE_DATA, CHORALE_ENV: the database cannot be read. */
enum chorale_err chorale_excluded_count(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        enum chorale_coll coll, size_t msg_size,
                                        int comm_size,
                                        struct chorale_excluded_count *left,
                                        struct chorale_errmsg *msg);

#endif
