/* SPDX-License-Identifier: BSD-3-Clause */
/* remarks.h - one-line remarks, without a newline, on the measurements of a
 * system: the text is "" if there is no reason for one. Errors of all:
 * CHORALE_DATA, CHORALE_ENV: the database cannot be read. */
#ifndef CHORALE_DB_REMARKS_H
#define CHORALE_DB_REMARKS_H

#include "db/store.h"

/* The runner tags runs with validity `load` if other programs took more than
 * this many processors from the ranks of a node (runners/measure/other_load.h).
 */
#define CHORALE_LOAD_LIMIT 0.2

enum { CHORALE_LOADED_TEXT = 256, CHORALE_EXPLORATORY_TEXT = 160,
       CHORALE_SPREAD_TEXT = 320 };

/* The tagged runs of a system (0: of all systems). */
enum chorale_err chorale_loaded_runs(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_LOADED_TEXT],
                                     struct chorale_errmsg *msg);

/* The launches of all systems whose ranks the launcher was asked to bind to
 * cores, but did not bind (facts binding_request and binding). */
enum chorale_err chorale_unbound_launches(struct chorale_store *store,
                                          char text[CHORALE_LOADED_TEXT],
                                          struct chorale_errmsg *msg);

/* The setting by which the MPI library tuned itself in launches of a system (0:
 * of all systems): times of its default then depend on the calls before, and
 * gains over it may not last. */
enum chorale_err chorale_self_tuning(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_LOADED_TEXT],
                                     struct chorale_errmsg *msg);

/* Why the table of a system (0: of any system) is exploratory, which is decided
 * by too few launches to confirm a choice: "exploratory: ...". */
enum chorale_err chorale_exploratory(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     char text[CHORALE_EXPLORATORY_TEXT],
                                     struct chorale_errmsg *msg);

/* system.mpi_library of an import without the library's name. */
#define CHORALE_IMPORT_MPI "not known"

/* The points of a system at which imported launches differ by more than this
 * factor, as those of several placements do. */
#define CHORALE_IMPORT_FACTOR 3
enum chorale_err chorale_imported_spread(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         char text[CHORALE_SPREAD_TEXT],
                                         struct chorale_errmsg *msg);

#endif
