/* SPDX-License-Identifier: BSD-3-Clause */
/* import_rows.h - tables of other benchmarks as cells, launches and runs.
 *
 * They get a system of their own, of kind real, whose signature says that it
 * was imported, so that no decision and no plan ever mixes them with what was
 * measured here. The k-th row of a point in a file is the k-th launch; provider
 * library, variant default, validity imported. A cell's number of launches is
 * 0: there is nothing to run.
 *
 * run_summary has what was printed: mean, min and max as in struct
 * chorale_foreign_row, median what the caller chose of them (p50 if it is
 * there). What was not printed repeats that time (q25, q75, p95, p99), and lo
 * and hi are NULL; there are no samples. The launch's environment says so, by
 * keys that begin with "import:".
 */
#ifndef CHORALE_TUNER_EXCHANGE_IMPORT_ROWS_H
#define CHORALE_TUNER_EXCHANGE_IMPORT_ROWS_H

#include "db/store.h"
#include "tuner/exchange/foreign.h"

struct chorale_import_as {
    const char *system, *mpi, *label, *command;
    long procs;              /* of what does not say it; 0: not said */
    long ppn;                /* 0: not said */
    const char *shape;       /* NULL: of procs and ppn */
    int slowest;             /* the time is the slowest rank's mean */
};

struct chorale_imported {
    sqlite3_int64 system_id, campaign_id; /* 0: none yet */
    long launches, runs, there; /* there: launches of before */
};

/* CHORALE_USAGE: as says too little of this file, or what contradicts it. */
enum chorale_err chorale_import_check(const char *path,
                                      const struct chorale_foreign *f,
                                      const struct chorale_import_as *as,
                                      struct chorale_errmsg *msg);
/* In a transaction of the caller's; what was imported before is left alone. */
enum chorale_err chorale_import_rows(struct chorale_store *store,
                                     const char *path,
                                     const struct chorale_foreign *f,
                                     const struct chorale_import_as *as,
                                     struct chorale_imported *got,
                                     struct chorale_errmsg *msg);

#endif
