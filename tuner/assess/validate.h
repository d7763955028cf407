/* SPDX-License-Identifier: BSD-3-Clause */
/* validate.h - validates a decision table: measures its choices against the
 * library's default again, in launches of their own.
 *
 * On a real system the table is compiled and preloaded with the shim. In each
 * launch one program calls MPI_X, which the shim serves from the table, and
 * PMPI_X, which no tool intercepts. The two are interleaved round by round.
 * Differences between launches often exceed the gain of a table; here they
 * affect both sides alike and cancel. Where the table chooses a variant, calls
 * back to back are measured as well: there ranks may run ahead of each other,
 * as in a loop of calls, so that ratios of durations need not hold. A launch
 * measures only the table; it forces or calls no other variant. In simulation
 * time is exact and there is no shim, so the runner calls the table's choice
 * directly.
 *
 * At each point both sides are measured in the arrival patterns by which the
 * point was decided (policy.h). Calls back to back have no pattern, and are
 * measured at points that were decided for ranks that enter together. */
#ifndef CHORALE_TUNER_ASSESS_VALIDATE_H
#define CHORALE_TUNER_ASSESS_VALIDATE_H

#include <jansson.h>

#include "db/store.h"
#include "tuner/decide/policy.h"
#include "tuner/emit/table.h"
#include "tuner/model/observations.h"

/* The measurements of the campaign, as they decided the system's table. */
struct chorale_proof_basis {
    struct chorale_points points; /* one time of a run for all patterns */
    struct chorale_points runs; /* every pattern */
    struct chorale_decide_opts decide;
};

/* Load the medians, with the arrival patterns of the system's stored policy.
 * Release *basis also after an error. */
enum chorale_err chorale_proof_basis_load(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          int simulated,
                                          struct chorale_proof_basis *basis,
                                          struct chorale_errmsg *msg);
void chorale_proof_basis_release(struct chorale_proof_basis *basis);

/* A point where the table is to be measured. Texts belong to the points. */
#define CHORALE_PROOF_PATTERNS 8
struct chorale_proof_point {
    struct chorale_run_point at; /* with msg_size, n, conditions, and arrival:
                              * sync, the traced pattern, or robust */
    char choice[320];        /* library, or variant:params */
    const char *pattern[CHORALE_PROOF_PATTERNS]; /* to measure, up to NULL */
};

/* List the points at which to validate a system's table. These are the points
 * with more than one rank where the library was measured under the default
 * conditions, in the patterns in which it was. Between two measured sizes, the
 * last size before and the first size after each change of choice are added;
 * with `between`, also the middle of each two sizes. Where ranks do not know n,
 * one choice holds for all n. The caller frees *point_p. CHORALE_ENV: out of
 * memory. */
enum chorale_err chorale_proof_points(
    const struct chorale_emit_table *table,
    const struct chorale_proof_basis *basis, int between,
    struct chorale_proof_point **point_p, size_t *count_p,
    struct chorale_errmsg *msg);

/* Leave out points, so that `launches` launches of the others take about
 * `seconds`, judged by the time of a run in the system's launches of as many
 * ranks: first those of the library, then others, evenly. both: as in
 * chorale_proof_plan(). At least one point remains. *count_p: the number of
 * points, before and after. */
enum chorale_err chorale_proof_thin(struct chorale_store *store,
                                    sqlite3_int64 system_id, long launches,
                                    int both, double seconds,
                                    struct chorale_proof_point *point,
                                    size_t *count_p,
                                    struct chorale_errmsg *msg);

/* Plan these points in one transaction. The campaign copies the settings of the
 * system's latest ordinary campaign. Each point gets two cells of part
 * "table-DIGEST" in each pattern. With `both`, where the table chooses a
 * variant for ranks that enter together, it gets two further cells for calls
 * back to back (metric throughput). Cells that are already planned stay and may
 * get more launches. Pending cells of other tables are dropped. CHORALE_DATA:
 * the system lacks an ordinary campaign. */
enum chorale_err chorale_proof_plan(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    const char *digest, const char *command,
                                    long launches,
                                    const struct chorale_proof_point *point,
                                    size_t count, int both,
                                    sqlite3_int64 *campaign_p,
                                    struct chorale_errmsg *msg);

/* The result at one point. NAN: unknown. Logarithms are natural. */
struct chorale_proof {
    enum chorale_coll coll;
    int comm_size, ppn;
    char shape[16], dtype[32], op[32], root[16], buffers[16];
    size_t msg_size, n;
    char choice[320], note[200]; /* why a launch does not count, or "" */
    double skew;             /* s, of the pattern */
    char arrival[32];        /* pattern; robust: largest loss over several */
    char rows_of[72];        /* type and operation whose decisions were used,
                              * "float sum"; "" for the point's own */
    double *ratio;           /* [nordinal] log(library / table), or NAN */
    double *times;           /* [2 nordinal] s of the table, then of the
                              * library, where ratio is not NAN; NULL: of a
                              * campaign */
    size_t nlaunch;          /* number of ratios that are not NAN */
    double seconds, library_seconds; /* geometric means */
    double mean, half;       /* of the ratios; half width of the 95 % interval,
                              * 0 in simulation */
    double p;                /* one-sided; null: loss <= threshold */
    int slower;              /* significant after Holm over all points */
    double best;             /* log(library / best) of the campaign */
};

struct chorale_proofs {
    struct chorale_proof *row;
    size_t count, nordinal;
    size_t npoint;           /* points of chorale_proof_points(), by
                              * chorale_proofs_current(); else 0 */
    size_t nrules;           /* points at which a rule file for the library
                              * chooses, not the dispatch table */
    int simulated;
    double threshold;
    double overlap;          /* factor of the variance of a mean of ratios:
                              * CHORALE_FOLD_OVERLAP if they are cross-fitted,
                              * else 1 */
    char digest[17];
    struct chorale_proofs *loop; /* the same of calls back to back, at points
                              * where the table chooses a variant; NULL: not
                              * measured */
    struct chorale_proofs *patterns; /* the rows of single patterns at points
                              * that are judged by the largest loss over them,
                              * without a verdict; NULL: no such point */
};

/* Totals over the proofs of one collective, or of all (CHORALE_NCOLL). */
struct chorale_proof_total {
    size_t npoint, nunknown, nslower; /* nunknown: no launch counts; such
                              * points are not in the numbers below */
    double mean, half;       /* of the log speed-up; the interval is over launch
                              * numbers, since points of one launch are not
                              * independent samples */
    const struct chorale_proof *best, *worst; /* of the points whose interval
                              * excludes 1, or NULL */
    double captured;         /* share of the campaign's best, where known */
};

/* Load and judge all measurements of table, by its digest, of calls back to
 * back apart. basis: of the system. A point that was decided by several arrival
 * patterns has one time on each side in a launch: that of the best in pattern
 * sync plus the largest loss over the patterns, as in decide_arrival.h. The
 * best in a pattern is the fastest of the table, the library and the campaign's
 * candidates. A point is slower if its loss (a fraction) is above threshold.
 * The test is a one-sided t test over the launches, corrected for the number of
 * points by Holm at 5 %. In simulation the loss itself decides. table and basis
 * give the best possible choice. Without measurements there are no rows.
 * Release *proofs also after an error. CHORALE_ENV: out of memory;
 * CHORALE_DATA: a launch has an invalid number.
 *
 * Source: Holm, Scandinavian J. of Statistics 6(2), 1979. */
enum chorale_err chorale_proofs_load(struct chorale_store *store,
                                     sqlite3_int64 system_id, int simulated,
                                     const struct chorale_emit_table *table,
                                     const struct chorale_proof_basis *basis,
                                     double threshold,
                                     struct chorale_proofs *proofs,
                                     struct chorale_errmsg *msg);
void chorale_proofs_release(struct chorale_proofs *proofs);
void chorale_proofs_total(const struct chorale_proofs *proofs,
                          enum chorale_coll coll,
                          struct chorale_proof_total *total);
/* The same over the rows of one arrival pattern. */
void chorale_proofs_pattern_total(const struct chorale_proofs *proofs,
                                  const char *arrival,
                                  struct chorale_proof_total *total);

/* The same for the table of the system's present decisions, with threshold
 * 0.03. There are no rows if it has no decisions or was not measured. */
enum chorale_err chorale_proofs_current(struct chorale_store *store,
                                        sqlite3_int64 system_id, int simulated,
                                        struct chorale_proofs *proofs,
                                        struct chorale_errmsg *msg);

/* The same from the campaign's own launches, for a table that was not
 * validated. Each launch counts for the choice that decide makes without it.
 * The points are those where the library's default was measured at more
 * than one rank. At each, the table's choice is compared with it, paired within
 * the launch. The dispatcher's cost is added. Points that stay with the library
 * get the log ratio 0. At points of collectives without a measured variant of
 * Chorale, the choices are those of the library's rule file, if decided: the
 * dispatch table has no choice there. CHORALE_DATA: no decisions; CHORALE_ENV:
 * out of memory. */
enum chorale_err chorale_proofs_campaign(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         int simulated,
                                         struct chorale_proofs *proofs,
                                         struct chorale_errmsg *msg);

/* Judge rows whose ratios are set and whose seconds and library_seconds hold
 * sums of logarithms, as chorale_proofs_load() does. Those of single patterns
 * get their means only. points NULL: the campaign's best stays unknown.
 * CHORALE_ENV: out of memory. */
enum chorale_err chorale_proofs_judge(struct chorale_proofs *proofs,
                                      const struct chorale_emit_table *table,
                                      const struct chorale_points *points,
                                      struct chorale_errmsg *msg);

/* Replace the rows of table validation that have this digest. */
enum chorale_err chorale_proofs_store(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      const struct chorale_proofs *proofs,
                                      struct chorale_errmsg *msg);

/* Print totals by collective, and where several patterns decided, a line for
 * each of them; with points every point before them, else the
 * slower points and those with a note after them. The JSON variant returns a
 * new object, or NULL if out of memory; without points it lists the slower
 * points only. */
void chorale_proofs_print(const struct chorale_proofs *proofs, int points);
json_t *chorale_proofs_json(const struct chorale_proofs *proofs, int points);

/* Returns 1 if the table leaves the point to the library. Both sides then run
 * the library, and a ratio other than 1 is noise or the shim's overhead. */
int chorale_proof_is_library(const struct chorale_proof *proof);

/* Name the point for people: "bcast, n = 64 KiB, P = 8". If decisions of
 * another type were used, the type is named: "allreduce of int sum, n = 64 KiB,
 * P = 8". A pattern other than sync is added: "bcast, n = 64 KiB, P = 8,
 * arrival last:1". */
void chorale_proof_where(const struct chorale_proof *proof, char *text,
                         size_t size);

/* Run `chorale validate`; also used by `tune`. CHORALE_NO: a point is slower
 * than the library by more than the threshold; msg names it. CHORALE_DATA:
 * there is nothing to validate. */
struct chorale_validate_opts {
    const char *system, *launcher_cmd, *command;
    long launches;           /* 0: the default, 5; in simulation 1 */
    double threshold, stall_seconds, hang_seconds;
    double seconds;          /* to measure in: points are left out, and
                              * measuring stops after 1.5 times; 0: no limit */
    int between, points, json, allow_patented, dry_run, quiet, verbose;
    int no_bind;             /* as of struct chorale_run_opts */
    int as_step;             /* step of another verb: progress bar, no output */
};
#define CHORALE_VALIDATE_DEFAULTS { .threshold = 0.03, .stall_seconds = 300 }
enum chorale_err chorale_validate(const char *path,
                                  const struct chorale_validate_opts *opts,
                                  struct chorale_errmsg *msg);

#endif
