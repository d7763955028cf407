/* SPDX-License-Identifier: BSD-3-Clause */
/* loaded_runs.h - the runs beside which other programs took the ranks'
 * processors: their validity has `load`. */
#ifndef CHORALE_DB_LOADED_RUNS_H
#define CHORALE_DB_LOADED_RUNS_H

#include "db/store.h"

/* The runner tags runs if other programs took more than this many processors
 * from the ranks of a node (runners/measure/other_load.h). */
#define CHORALE_LOAD_LIMIT 0.2

enum { CHORALE_LOADED_TEXT = 256 };

/* Describe the tagged runs of a system, of all systems for 0, in one line
 * without its end; "" without such runs. CHORALE_DATA, CHORALE_ENV: the
 * database cannot be read. */
enum chorale_err chorale_loaded_runs(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_LOADED_TEXT],
                                     struct chorale_errmsg *msg);

#endif
