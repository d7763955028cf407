/* SPDX-License-Identifier: BSD-3-Clause */
/* excluded_points.h - points that were measured and count in no launch: where clocks
 * were lost, or something was faster than messages are, all that was measured
 * of the point in that launch is left out (observations.h). */
#ifndef CHORALE_TUNER_MODEL_EXCLUDED_POINTS_H
#define CHORALE_TUNER_MODEL_EXCLUDED_POINTS_H

#include "algorithms/coll.h"
#include "db/store.h"

struct chorale_left_out {
    sqlite3_int64 count;     /* points */
    char first[96];          /* "bcast of 32768 bytes, P = 2", "": no such */
};

/* Of a system; of one point if coll is not CHORALE_NCOLL: its block size in
 * bytes and comm_size. CHORALE_DATA, CHORALE_ENV: the database cannot be
 * read. */
enum chorale_err chorale_left_out(struct chorale_store *store,
                                  sqlite3_int64 system_id,
                                  enum chorale_coll coll, size_t msg_size,
                                  int comm_size, struct chorale_left_out *left,
                                  struct chorale_errmsg *msg);

#endif
