/* SPDX-License-Identifier: BSD-3-Clause */
/* validate.h - the proof of a decision table: what it runs against the
 * library's default, measured again in launches of their own.
 *
 * On a real system the table is compiled and preloaded with the shim. In each
 * launch the same program calls MPI_X, which the shim takes and serves by the
 * table, and PMPI_X, which nobody takes, interleaved round by round: so what
 * is different from launch to launch, which is more than a table gains at many
 * points, is the same for both and cancels. The table of a launch is all that
 * is measured there; nothing else is forced or called. In simulation, where
 * time is exact and there is no shim, the runner calls the table's choice.
 */
#ifndef CHORALE_TUNER_ASSESS_VALIDATE_H
#define CHORALE_TUNER_ASSESS_VALIDATE_H

#include <jansson.h>

#include "db/store.h"
#include "tuner/emit/table.h"
#include "tuner/model/observations.h"

/* A point where the table is to be measured. Texts are the points'. */
struct chorale_proof_point {
    struct chorale_run_point at; /* with msg_size, n and conditions */
    char choice[320];        /* library, or variant:params */
};

/* The points of a system at which to prove its table: where the library was
 * measured as it should be, at more than one rank; the last size before and
 * the first after each change of choice between two of them; with between also
 * the middle of each two. Where ranks do not know n, the choice is the same for
 * all of it. *point_p is allocated, the caller frees. CHORALE_ENV: no
 * memory. */
enum chorale_err chorale_proof_points(
    const struct chorale_emit_table *table,
    const struct chorale_points *points, int between,
    struct chorale_proof_point **point_p, size_t *count_p,
    struct chorale_errmsg *msg);

/* Plan them, in a transaction: a campaign that measures as the system's latest
 * other one does, and two cells a point, of part "table-DIGEST". What is
 * planned already stays, up to more launches; what other tables have pending
 * is given up. CHORALE_DATA: no other campaign. */
enum chorale_err chorale_proof_plan(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    const char *digest, const char *command,
                                    long launches,
                                    const struct chorale_proof_point *point,
                                    size_t count, sqlite3_int64 *campaign_p,
                                    struct chorale_errmsg *msg);

/* What came of one point. NAN: unknown. Logs are natural. */
struct chorale_proof {
    enum chorale_coll coll;
    int comm_size, ppn;
    char shape[16], dtype[32], op[32], root[16], buffers[16];
    size_t msg_size, n;
    char choice[320], note[200]; /* what spoke against a launch, or "" */
    char rows_of[72];        /* "float sum": the type and operation whose rows
                              * of the table chose; "": its own */
    double *ratio;           /* [nordinal] log(library / table), NAN: none */
    size_t nlaunch;          /* that are not NAN */
    double seconds, library_seconds; /* geometric means */
    double mean, half;       /* of the ratios; half the 95 % interval, 0 in
                              * simulation */
    double p;                /* one-sided, of no loss above the threshold */
    int slower;              /* significant, by Holm over all points */
    double best;             /* log(library / best) of the campaign */
};

struct chorale_proofs {
    struct chorale_proof *row;
    size_t count, nordinal;
    int simulated;
    double threshold;
    char digest[17];
};

/* Over the proofs of a collective, or all: CHORALE_NCOLL. */
struct chorale_proof_total {
    size_t npoint, nunknown, nslower; /* nunknown: no launch counts, in nothing
                              * below */
    double mean, half;       /* of the log speed-up; the interval is that over
                              * launch numbers: what the points of one have in
                              * common is not mistaken for many samples */
    const struct chorale_proof *worst;
    double captured;         /* share of the campaign's best, where known */
};

/* All that was measured of the table with that digest, judged: a point is
 * slower if its loss is above threshold (0.03), by a one-sided t test over the
 * launches, corrected for the number of points by Holm at 5 %; in simulation if
 * it is. table and points give the best. Release in any case. No rows: nothing
 * measured. CHORALE_ENV: out of memory.
 * Source  Holm, Scandinavian J. of Statistics 6(2), 1979. */
enum chorale_err chorale_proofs_load(struct chorale_store *store,
                                     sqlite3_int64 system_id, int simulated,
                                     const struct chorale_emit_table *table,
                                     const struct chorale_points *points,
                                     double threshold,
                                     struct chorale_proofs *proofs,
                                     struct chorale_errmsg *msg);
void chorale_proofs_release(struct chorale_proofs *proofs);
void chorale_proofs_total(const struct chorale_proofs *proofs,
                          enum chorale_coll coll,
                          struct chorale_proof_total *total);

/* The same for the table that the decisions of a system are at this moment;
 * no rows where there is none, or nothing was measured of it. */
enum chorale_err chorale_proofs_current(struct chorale_store *store,
                                        sqlite3_int64 system_id, int simulated,
                                        struct chorale_proofs *proofs,
                                        struct chorale_errmsg *msg);

/* The same from the launches of the campaign that confirmed the decisions, for
 * where nothing was validated: at each point where the library's default was
 * measured at more than one rank, what the table chooses against it, paired
 * within the launch, the dispatcher's cost added. Points that the library keeps
 * are x1. CHORALE_DATA: no decisions; CHORALE_ENV: out of memory. */
enum chorale_err chorale_proofs_campaign(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         int simulated,
                                         struct chorale_proofs *proofs,
                                         struct chorale_errmsg *msg);

/* Judge rows whose ratios are there, with seconds and library_seconds the sums
 * of their logarithms: what chorale_proofs_load does with its own.
 * CHORALE_ENV: out of memory. */
enum chorale_err chorale_proofs_judge(struct chorale_proofs *proofs,
                                      const struct chorale_emit_table *table,
                                      const struct chorale_points *points,
                                      struct chorale_errmsg *msg);

/* Replace the table validation's rows of that digest. */
enum chorale_err chorale_proofs_store(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      const struct chorale_proofs *proofs,
                                      struct chorale_errmsg *msg);

/* A table of totals, every point before it if asked for, and the points that
 * are slower after it. As JSON: a new object, NULL: out of memory. */
void chorale_proofs_print(const struct chorale_proofs *proofs, int points);
json_t *chorale_proofs_json(const struct chorale_proofs *proofs, int points);

/* Whether the table leaves the point to the library, which is on both sides
 * then: a ratio other than 1 is noise, or the way through the shim. */
int chorale_proof_is_library(const struct chorale_proof *proof);

/* Where a proof is, for people: "bcast, n = 64 KiB, P = 8"; with its type where
 * rows of another one chose: "allreduce of int sum, n = 64 KiB, P = 8". */
void chorale_proof_where(const struct chorale_proof *proof, char *text,
                         size_t size);

/* The verb, for `tune`. CHORALE_NO: a point is slower than the library by more
 * than the threshold; msg says where. CHORALE_DATA: nothing to prove. */
struct chorale_validate_opts {
    const char *system, *launcher_cmd, *command;
    long launches;           /* 0: 5, in simulation 1 */
    double threshold, stall_seconds, hang_seconds;
    int between, points, json, allow_patented, dry_run, quiet, verbose;
    int as_step;             /* of another verb: the bar, and nothing printed */
};
#define CHORALE_VALIDATE_DEFAULTS { .threshold = 0.03, .stall_seconds = 300 }
enum chorale_err chorale_validate(const char *path,
                                  const struct chorale_validate_opts *opts,
                                  struct chorale_errmsg *msg);

#endif
