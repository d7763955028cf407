/* SPDX-License-Identifier: BSD-3-Clause */
/* comparison.h - the comparison of two databases, or of two parts of one, as
 * `chorale compare` loads, judges and prints it. */
#ifndef CHORALE_TUNER_COMPARE_COMPARISON_H
#define CHORALE_TUNER_COMPARE_COMPARISON_H

#include <jansson.h>
#include <stdio.h>

#include "db/foreign_db.h"
#include "tuner/compare/compare.h"
#include "tuner/model/observations.h"

#define CHORALE_CANARIES 63  /* most canaries of a comparison */
#define CHORALE_REMARK_SIZE 400

/* A launch of a side's database. NAN: not recorded. */
struct chorale_side_launch {
    sqlite3_int64 id;
    int in;                  /* belongs to this side */
    int again;               /* of a second measurement */
    int comm_size, ppn;
    char shape[16], started[24];
    double alpha, beta;      /* log seconds of a message, and of a byte */
    double copy;             /* log seconds of a byte copied in memory */
};

/* One side: base or head. */
struct chorale_side {
    const char *path, *baseline; /* baseline: only its launches, or NULL */
    int not_baseline;        /* 1: all launches except the baseline's */
    int shared;              /* 1: both sides are in one database */
    const char *label;       /* only campaigns with this label; NULL: all */
    struct chorale_shard *shard;
    sqlite3_int64 system_id;
    int simulated;
    char system[128], mpi[256];
    struct chorale_points points;
    struct chorale_side_launch *launch; /* by id */
    size_t nlaunch;
    int imported;            /* `chorale import` made its system */
    sqlite3_int64 nother;    /* cells that are not compared: throughput, late
                              * ranks, siblings, tables */
};

/* A cell: its runs are base_row[0, nbase) and head_row[0, nhead) in the points
 * of the two sides. at is one of them; its texts live as long as the points. */
struct chorale_cell {
    struct chorale_run_point at;
    const struct chorale_run_point *base_row, *head_row;
    size_t nbase, nhead;
    int failed;              /* ran on both sides, but not correctly in head */
    int batch_base, batch_head; /* calls per repetition where they differ; such
                              * times are not comparable */
};

/* A performance guideline checked at one place (guidelines.c). NAN: unknown. */
struct chorale_guideline {
    struct chorale_run_point at; /* the left side's point */
    const char *rule;        /* "bcast <= scatter + allgather" */
    int tuned;               /* 1: the table's choices, 0: the library's */
    double seconds, bound;   /* of the left and of the right side */
    double p, adjusted;      /* one-sided; null: excess <= threshold */
    int broken;
};

/* Consecutive measured sizes at which head decides differently
 * (compare_decisions.c). */
struct chorale_rechoice {
    struct chorale_run_point at; /* at the first of these sizes */
    size_t n_lo, n_hi, nsize;
    const char *from, *to;   /* choices at the first size */
    double loss_base, loss_head; /* mean log(from / to) on each side */
    double p, adjusted;      /* null: the loss is equal on both sides */
    int changed;             /* 0: only a tie, or a crossover that moved by one
                              * size */
};

struct chorale_comparison {
    struct chorale_compare_opts opts;
    struct chorale_side base, head;
    struct chorale_cell *cell;
    struct chorale_compared *judged; /* [count], of the cells */
    size_t count;
    struct chorale_canary canary[CHORALE_CANARIES];
    char canary_name[CHORALE_CANARIES][48];
    size_t ncanary;
    struct chorale_guideline *guideline;
    size_t nguideline;
    struct chorale_rechoice *rechoice;
    size_t nrechoice;
    void *choice_texts;      /* memory of the texts in rechoice */
    double *pool;            /* memory of all series */
    int settings_differ;     /* number of MPI library settings that differ */
    int unlike;              /* the sides differ in more than code on purpose,
                              * so that no canary is valid */
    char note[12][CHORALE_REMARK_SIZE]; /* lines about what is not
                              * comparable */
    size_t nnote;
};

/* compare_load.c: open both sides, whose paths and baselines are set, and load
 * the named system; NULL means the one in common. CHORALE_USAGE: no or several
 * such systems, or no such baseline. CHORALE_DATA: one side is simulated and
 * the other real. */
enum chorale_err chorale_comparison_load(struct chorale_comparison *cmp,
                                         const char *system,
                                         struct chorale_errmsg *msg);
/* Free and zero the comparison. */
void chorale_comparison_release(struct chorale_comparison *cmp);
/* Add a note; when note[] is full it is dropped. */
void chorale_comparison_note(struct chorale_comparison *cmp,
                             const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The launch with this id, or NULL. */
const struct chorale_side_launch *
chorale_side_launch_of(const struct chorale_side *side, sqlite3_int64 id);

/* Copy the rows of a side's own first launches. Texts belong to the side; the
 * caller frees points->row. Returns -1 if out of memory. */
int chorale_side_first(const struct chorale_side *side,
                       struct chorale_points *points);

/* compare_cells.c: make the cells of both sides with their series, and the
 * canaries. CHORALE_DATA: there is nothing to compare. */
enum chorale_err chorale_comparison_cells(struct chorale_comparison *cmp,
                                          struct chorale_errmsg *msg);

/* compare_unpaired.c: if the sides share no cell, add notes on how the two most
 * similar cells differ and how to plan equal ones. */
void chorale_comparison_unpaired(struct chorale_comparison *cmp);

/* Order runs by the cell they belong to; 0 for the same cell. */
int chorale_cell_compare(const struct chorale_run_point *a,
                         const struct chorale_run_point *b);

/* compare_invalid.c: change cells judged gone or new to CHORALE_TOO_FEW if the
 * other side ran them but has no usable time. */
enum chorale_err chorale_comparison_invalid(struct chorale_comparison *cmp,
                                            struct chorale_errmsg *msg);

/* compare_invalid.c: count the runs of both sides that are left out, by reason:
 * "12 of 60 runs are left out (10 suspicious, 2 clock)", or "". */
enum chorale_err chorale_comparison_left_out(
    const struct chorale_comparison *cmp, char *text, size_t size,
    struct chorale_errmsg *msg);

/* compare_invalid.c: the measured cells of a system that are not compared, by
 * kind: "3 cells of throughput, 1 with late ranks", or "". */
enum chorale_err chorale_cells_uncompared(struct chorale_store *store,
                                          sqlite3_int64 system_id, char *text,
                                          size_t size,
                                          struct chorale_errmsg *msg);

/* guidelines.c: check every rule at every point of head. A rule is broken if
 * the excess is above the threshold: by a one-sided t test over the launches,
 * corrected over all by Benjamini and Hochberg at opts.fdr. In simulation the
 * excess decides. */
enum chorale_err chorale_comparison_guidelines(struct chorale_comparison *cmp,
                                               struct chorale_errmsg *msg);

/* compare_decisions.c: find where the two databases decide differently. */
enum chorale_err chorale_comparison_choices(struct chorale_comparison *cmp,
                                            struct chorale_errmsg *msg);

/* compare_remeasure.c: returns 1 if the runs of a side were imported. Then
 * nothing can be measured again, and the unpaired test gives the verdicts. */
int chorale_comparison_imported(const struct chorale_comparison *cmp);

/* compare_remeasure.c: CHORALE_USAGE: --recheck is given (recheck is not NULL),
 * but the runs of a side were imported. */
enum chorale_err
chorale_comparison_can_recheck(const struct chorale_comparison *cmp,
                               const char *recheck,
                               struct chorale_errmsg *msg);

/* compare_remeasure.c: plan the cells that look slower and were not measured
 * again in the database at path, with `launches` more launches each. *count_p
 * is set to the number of cells. */
enum chorale_err chorale_comparison_again(const struct chorale_comparison *cmp,
                                          const char *path, const char *system,
                                          long launches, const char *command,
                                          size_t *count_p,
                                          struct chorale_errmsg *msg);

/* compare_remeasure.c: double the launches of the first measurement in the
 * database at path. */
enum chorale_err chorale_comparison_more(const char *path, const char *system,
                                         struct chorale_errmsg *msg);

/* The number of missing runs (launches, summed over cells) in the second
 * measurement of a loaded side; system NULL: of any system. */
enum chorale_err chorale_comparison_left(const struct chorale_side *side,
                                         const char *system,
                                         sqlite3_int64 *left_p,
                                         struct chorale_errmsg *msg);

/* Kinds of findings that --fail-on names. */
enum chorale_fail_on {
    CHORALE_FAIL_SLOWER = 1,
    CHORALE_FAIL_GONE = 2,
    CHORALE_FAIL_SUSPECT = 4,
    CHORALE_FAIL_CHOICE = 8,
    CHORALE_FAIL_GUIDELINE = 16,
    CHORALE_FAIL_TOO_FEW = 32,
    CHORALE_FAIL_UNDECIDED = 64
};
/* Parse a list into bits; -1 for an unknown word. */
int chorale_fail_on_parse(const char *list);
/* The number of findings that fail the comparison. */
size_t chorale_comparison_failures(const struct chorale_comparison *cmp,
                                   int fail_on);
/* Returns 1 if this cell fails the comparison. */
int chorale_cell_fails(const struct chorale_comparison *cmp, size_t cell,
                       int fail_on);

/* compare_show.c: words and counts of verdicts, and names of cells in printable
 * ASCII. */
const char *chorale_verdict_word(enum chorale_verdict_kind verdict);
void chorale_comparison_tally(const struct chorale_comparison *cmp,
                              size_t count[CHORALE_NVERDICT]);
void chorale_safe_text(char *out, size_t size, const char *text);
/* The median of the launches behind the verdict, of base or of head, in
 * seconds. NAN without launches. */
double chorale_compared_seconds(const struct chorale_compared *c, int head);
/* The number of cells with a definite verdict: slower, faster or same. Verdicts
 * that are not definite: suspect, machine, undecided, too few, new, gone. */
size_t chorale_comparison_decided(const struct chorale_comparison *cmp);
/* Why no cell has a definite verdict: the most frequent verdict, its reason,
 * and the remedy. */
struct chorale_unjudged {
    enum chorale_verdict_kind verdict;
    const char *reason, *remedy;
    int launches;            /* 1: more launches may give a definite verdict */
};
const struct chorale_unjudged *
chorale_comparison_unjudged(const struct chorale_comparison *cmp);
/* The value of --recheck by which cells of this comparison can be measured
 * again: "both", or "head" if both sides are in one database. */
const char *chorale_comparison_recheck(const struct chorale_comparison *cmp);
/* Names like "bcast binomial segsize=8192" and places like "n = 64 KiB, P = 8,
 * one-per-node". */
void chorale_cell_name(const struct chorale_run_point *at, char *text,
                       size_t size);
void chorale_cell_place(const struct chorale_run_point *at, char *text,
                        size_t size);
/* The reason for a cell's verdict, one line for people. */
void chorale_cell_reason(const struct chorale_comparison *cmp, size_t cell,
                         char *text, size_t size);
/* The k-th remark on the whole comparison: what is not comparable, and whether
 * the machine changed. Returns 0 if there is no k-th remark. */
int chorale_comparison_remark(const struct chorale_comparison *cmp, size_t k,
                              char *text, size_t size);
/* Cell indices in order of importance, [count]; the caller frees. NULL: out of
 * memory. */
size_t *chorale_comparison_order(const struct chorale_comparison *cmp);

/* Print the comparison in one format. all: list unchanged cells as well.
 * Returns -1 if out of memory. */
int chorale_show_table(const struct chorale_comparison *cmp, FILE *out,
                       int all, int fail_on);
int chorale_show_markdown(const struct chorale_comparison *cmp, FILE *out,
                          int all, int fail_on);
int chorale_show_tap(const struct chorale_comparison *cmp, FILE *out, int all,
                     int fail_on);
int chorale_show_junit(const struct chorale_comparison *cmp, FILE *out,
                       int all, int fail_on);
int chorale_show_json(const struct chorale_comparison *cmp, FILE *out, int all,
                      int fail_on);

#endif
