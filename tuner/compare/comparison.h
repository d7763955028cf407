/* SPDX-License-Identifier: BSD-3-Clause */
/* comparison.h - two databases, or two parts of one, held against each other:
 * what `chorale compare` loads, judges and shows. */
#ifndef CHORALE_TUNER_COMPARE_COMPARISON_H
#define CHORALE_TUNER_COMPARE_COMPARISON_H

#include <jansson.h>
#include <stdio.h>

#include "db/foreign_db.h"
#include "tuner/compare/compare.h"
#include "tuner/model/observations.h"

#define CHORALE_CANARIES 63  /* that a comparison has at most */
#define CHORALE_REMARK_SIZE 400

/* A launch of one side. NAN: not recorded. */
struct chorale_side_launch {
    sqlite3_int64 id;
    int in;                  /* belongs to this side */
    int again;               /* of a second measurement */
    int comm_size, ppn;
    char shape[16], started[24];
    double alpha, beta;      /* log of what a message took, and a byte of it */
    double copy;             /* log of what a byte copied in memory took */
};

/* Base or head. */
struct chorale_side {
    const char *path, *baseline; /* baseline: only its launches, or NULL */
    int not_baseline;        /* 1: all but its launches */
    int shared;              /* 1: both sides are in one database */
    const char *label;       /* only campaigns with it, NULL: all */
    struct chorale_shard *shard;
    sqlite3_int64 system_id;
    int simulated;
    char system[128], mpi[256];
    struct chorale_points points;
    struct chorale_side_launch *launch; /* by id */
    size_t nlaunch;
    int imported;            /* its system is what `chorale import` made */
    sqlite3_int64 nother;    /* cells that are not compared: throughput, late
                              * ranks, siblings, tables */
};

/* A cell of the comparison: runs base_row[0, nbase) of the base's points and so
 * of the head's. at is one of them: texts live as long as the points. */
struct chorale_cell {
    struct chorale_run_point at;
    const struct chorale_run_point *base_row, *head_row;
    size_t nbase, nhead;
    int failed;              /* ran on both sides, but is not right in head */
    int batch_base, batch_head; /* calls a repetition, where they differ: times
                              * of two kinds, on which nothing is said */
};

/* A guideline and the place where it was held against the times (guidelines.c).
 * NAN: unknown. */
struct chorale_guideline {
    struct chorale_run_point at; /* of its left side */
    const char *rule;        /* "bcast <= scatter + allgather" */
    int tuned;               /* 1: the table's choices, 0: the library's */
    double seconds, bound;   /* of its left and its right side */
    double p, adjusted;      /* one-sided, of not being above the threshold */
    int broken;
};

/* Measured sizes of one line of the decisions that have another choice in head
 * (compare_decisions.c). */
struct chorale_rechoice {
    struct chorale_run_point at; /* of the first of these sizes */
    size_t n_lo, n_hi, nsize;
    const char *from, *to;   /* choices of the first size */
    double loss_base, loss_head; /* log(from / to) on each side, mean */
    double p, adjusted;      /* of the one being as large as the other */
    int changed;             /* 1: no tie that flipped, nor a crossover that
                              * moved by one size */
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
    void *choice_texts;      /* of the rechoices */
    double *pool;            /* of all series */
    int settings_differ;     /* of the MPI library: so many */
    int unlike;              /* the two sides differ in more than code by
                              * intent: no canary speaks for the machine */
    char note[12][CHORALE_REMARK_SIZE]; /* what is not comparable, one line
                              * each */
    size_t nnote;
};

/* compare_load.c: open both sides, whose paths and baselines are set, and load
 * the system of that name, NULL: the one they have in common. CHORALE_USAGE: no
 * such system or baseline, or several; CHORALE_DATA: simulated and real. */
enum chorale_err chorale_comparison_load(struct chorale_comparison *cmp,
                                         const char *system,
                                         struct chorale_errmsg *msg);
/* Afterwards all of it is zero. */
void chorale_comparison_release(struct chorale_comparison *cmp);
/* One more line of notes; what is beyond the last one is lost. */
void chorale_comparison_note(struct chorale_comparison *cmp,
                             const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The launch of a row; NULL: none. */
const struct chorale_side_launch *
chorale_side_launch_of(const struct chorale_side *side, sqlite3_int64 id);

/* The rows of a side's own first launches; the texts are the side's. The caller
 * frees points->row. -1: out of memory. */
int chorale_side_first(const struct chorale_side *side,
                       struct chorale_points *points);

/* compare_cells.c: the cells of both sides with their series, and the canaries.
 * CHORALE_DATA: nothing to compare. */
enum chorale_err chorale_comparison_cells(struct chorale_comparison *cmp,
                                          struct chorale_errmsg *msg);

/* compare_unpaired.c: where no cell is in both, notes that say in what the two
 * nearest ones differ, and what to plan so that they do not. */
void chorale_comparison_unpaired(struct chorale_comparison *cmp);

/* A library's name and version as people write them, by which two spellings of
 * one are known: "MPICH 4.0.2" of "MPICH Version:      4.0.2", "Open MPI 4.1.4"
 * of "Open MPI v4.1.4, package: ...". */
void chorale_mpi_name(const char *library, char *name, size_t size);

/* Runs of one cell compare as 0; the order is that of what it is made of. */
int chorale_cell_compare(const struct chorale_run_point *a,
                         const struct chorale_run_point *b);

/* compare_invalid.c: cells that were judged gone or new although the other side
 * ran them, without a time that counts, become CHORALE_TOO_FEW. */
enum chorale_err chorale_comparison_doubted(struct chorale_comparison *cmp,
                                            struct chorale_errmsg *msg);

/* guidelines.c: every rule at every point of head; broken by more than the
 * threshold, by a one-sided t test over the launches, Benjamini and Hochberg at
 * opts.fdr over all; in simulation by what is measured. */
enum chorale_err chorale_comparison_guidelines(struct chorale_comparison *cmp,
                                               struct chorale_errmsg *msg);

/* compare_decisions.c: where the two databases decide differently. */
enum chorale_err chorale_comparison_choices(struct chorale_comparison *cmp,
                                            struct chorale_errmsg *msg);

/* compare_remeasure.c: plan the cells that look slower and were not measured again
 * in the database at path, so many launches more of each; *count_p cells. */
enum chorale_err chorale_comparison_again(const struct chorale_comparison *cmp,
                                          const char *path, const char *system,
                                          long launches, const char *command,
                                          size_t *count_p,
                                          struct chorale_errmsg *msg);

/* Launches of cells that the second measurement of that side was planned with
 * and that were not made; system NULL: of any. The side is loaded. */
enum chorale_err chorale_comparison_left(const struct chorale_side *side,
                                         const char *system,
                                         sqlite3_int64 *left_p,
                                         struct chorale_errmsg *msg);

/* What --fail-on names. */
enum chorale_fail_on {
    CHORALE_FAIL_SLOWER = 1,
    CHORALE_FAIL_GONE = 2,
    CHORALE_FAIL_SUSPECT = 4,
    CHORALE_FAIL_CHOICE = 8,
    CHORALE_FAIL_GUIDELINE = 16,
    CHORALE_FAIL_TOO_FEW = 32
};
/* The bits of a list, -1: an unknown word. */
int chorale_fail_on_parse(const char *list);
/* How many findings are red. */
size_t chorale_comparison_red(const struct chorale_comparison *cmp,
                              int fail_on);
/* 1 if this cell is. */
int chorale_cell_red(const struct chorale_comparison *cmp, size_t cell,
                     int fail_on);

/* compare_show.c. Words and counts of verdicts; safe names of cells: printable
 * ASCII. */
const char *chorale_verdict_word(enum chorale_verdict_kind verdict);
void chorale_comparison_tally(const struct chorale_comparison *cmp,
                              size_t count[CHORALE_NVERDICT]);
void chorale_safe_text(char *out, size_t size, const char *text);
/* "bcast binomial segsize=8192" and "n = 64 KiB, P = 8, one-per-node". */
void chorale_cell_name(const struct chorale_run_point *at, char *text,
                       size_t size);
void chorale_cell_place(const struct chorale_run_point *at, char *text,
                        size_t size);
/* Why the verdict is what it is, for people, one line. */
void chorale_cell_reason(const struct chorale_comparison *cmp, size_t cell,
                         char *text, size_t size);
/* The k-th line on the comparison as a whole: what is not comparable, and
 * whether the machine is another one. 0: there are no more. */
int chorale_comparison_remark(const struct chorale_comparison *cmp, size_t k,
                              char *text, size_t size);
/* Cells in the order of importance: [count] of indices, the caller frees; NULL:
 * out of memory. */
size_t *chorale_comparison_order(const struct chorale_comparison *cmp);

/* Print it all. all: also cells that are as they were. -1: out of memory. */
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
