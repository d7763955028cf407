/* SPDX-License-Identifier: BSD-3-Clause */
/* import_rows.h - store tables of other benchmarks as cells, launches and runs.
 *
 * Each imported name and MPI library is a system of its own, of kind real. Its
 * signature marks it as imported: decisions and plans never mix it
 * with measurements of Chorale. The k-th row of a point in a file belongs to
 * the file's k-th launch. Provider is library, variant default, validity
 * chorale_imported_validity(). A cell has 0 launches to run.
 *
 * run_summary has the printed values: mean, min and max as in struct
 * chorale_foreign_row; median is the value selected by the caller (p50 if
 * printed). Quantiles that were not printed repeat that value; lo and hi are
 * NULL, and there are no samples. Environment entries with the prefix "import:"
 * document this.
 */
#ifndef CHORALE_TUNER_EXCHANGE_IMPORT_ROWS_H
#define CHORALE_TUNER_EXCHANGE_IMPORT_ROWS_H

#include "db/store.h"
#include "tuner/exchange/foreign.h"
#include "tuner/exchange/statistic.h"

struct chorale_import_as {
    const char *system, *mpi, *label, *command; /* system, mpi: NULL, not
                              * given */
    long procs;              /* for files without it; 0: unset */
    long ppn;                /* 0: unset */
    const char *shape;       /* NULL: derived from procs and ppn */
    int slowest;             /* use the mean of the slowest rank as the time */
    /* For timings of named algorithms (timings.h); NULL: not given. */
    const char *map;         /* COLUMN=NAME,... of a CSV file */
    const char *deflt;       /* name of the library's default */
    const char *provider, *variant; /* provider: native, foreign or library */
    const char *rep;         /* name of the launch of a raw file */
    const char *coll;        /* of a raw file that lacks it */
    int statistic;           /* enum chorale_statistic; -1: not given */
};

struct chorale_imported {
    sqlite3_int64 system_id, campaign_id; /* 0: not yet created */
    long launches, runs, there; /* there: launches imported before; of
                              * timings.h, runs */
    long systems;            /* of timings.h: systems in the file, and times */
    sqlite3_int64 defaults;  /* of the library's default, with those that the
                              * database had of these systems */
};

/* Check the rows and options of a file. CHORALE_USAGE: the options lack
 * information that the file lacks too, or contradict the file. CHORALE_DATA: a
 * time is 0, or without a label two times of a point differ by more than
 * CHORALE_IMPORT_FACTOR (db/remarks.h), as of different placements. */
enum chorale_err chorale_import_check(const char *path,
                                      const struct chorale_foreign *f,
                                      const struct chorale_import_as *as,
                                      struct chorale_errmsg *msg);
/* Name of the system, if not given. */
#define CHORALE_IMPORT_SYSTEM "imported"

/* Find the imported system of that name and library, or add it. CHORALE_USAGE:
 * another system has that name. */
enum chorale_err chorale_import_system(struct chorale_store *store,
                                       const char *name, const char *mpi,
                                       sqlite3_int64 *id_p,
                                       struct chorale_errmsg *msg);
enum chorale_err chorale_import_campaign(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         const struct chorale_import_as *as,
                                         sqlite3_int64 *id_p,
                                         struct chorale_errmsg *msg);
/* Add a row to table environment; a value that is NULL or "" is left out. */
enum chorale_err chorale_import_fact(struct chorale_store *store,
                                     sqlite3_int64 launch, const char *key,
                                     const char *value,
                                     struct chorale_errmsg *msg);
/* The time of the file's last change, as in launch.started. */
void chorale_import_time(const char *path, char text[32]);

/* Store the rows in the caller's transaction; earlier imports stay unchanged.
 * Adds to the counts in *got; the files of one command share it, and thus a
 * campaign. CHORALE_USAGE: as->system is the name of another system.
 * CHORALE_DATA: a time differs by more than CHORALE_IMPORT_FACTOR from one of
 * an earlier import. */
enum chorale_err chorale_import_rows(struct chorale_store *store,
                                     const char *path,
                                     const struct chorale_foreign *f,
                                     const struct chorale_import_as *as,
                                     struct chorale_imported *got,
                                     struct chorale_errmsg *msg);

#endif
