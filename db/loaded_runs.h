/* SPDX-License-Identifier: BSD-3-Clause */
/* loaded_runs.h - runs during which other programs took processors from the
 * ranks: their validity has `load`. */
#ifndef CHORALE_DB_LOADED_RUNS_H
#define CHORALE_DB_LOADED_RUNS_H

#include "db/store.h"

/* The runner tags runs if other programs took more than this many processors
 * from the ranks of a node (runners/measure/other_load.h). */
#define CHORALE_LOAD_LIMIT 0.2

enum { CHORALE_LOADED_TEXT = 256 };

/* Describe the tagged runs of a system (0: of all systems) in one line, without
 * a newline. text is "" if no run is tagged. CHORALE_DATA, CHORALE_ENV: the
 * database cannot be read. */
enum chorale_err chorale_loaded_runs(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_LOADED_TEXT],
                                     struct chorale_errmsg *msg);

#endif
