/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_page.h - shared by the files of the summary: the page being written,
 * escaping of foreign text, and the flags of measurements. */
#ifndef CHORALE_TUNER_SUMMARY_SUMMARY_PAGE_H
#define CHORALE_TUNER_SUMMARY_SUMMARY_PAGE_H

#include <stdio.h>

#include "db/store.h"
#include "tuner/base/rows.h"

/* The flags of v_summary.validity and their descriptions; the last, "", stands
 * for all others. */
#define CHORALE_NFLAG 11
extern const char *const chorale_flags[CHORALE_NFLAG][2];
/* Parse a list of flags: has[i] is set to 1 or 0. */
void chorale_flags_read(const char *list, int has[CHORALE_NFLAG]);

/* The page being written, and totals over the rows. */
struct chorale_page {
    struct chorale_store *store;
    sqlite3_int64 system_id;
    FILE *out;
    int markdown;
    int rules;               /* 1: the table for rule files is being printed */
    int only_rules;          /* 1: only that table has choices */
    char heading[160];        /* of the table being printed */
    struct chorale_rows rows; /* of that table */
    sqlite3_int64 npoints, ngained, nbetween;
    double sum_log;
    double best, worst; /* speed-up; 0: unset */
    char best_at[352], worst_at[352];
    sqlite3_int64 ncells, nflagged[CHORALE_NFLAG];
    int remarked; /* 1: the heading of the remarks is printed */
};

typedef void chorale_page_row(struct chorale_page *page, sqlite3_stmt *stmt);

/* Run one query with the system as ?1 and call each() for every row. */
enum chorale_err chorale_page_query(struct chorale_page *page, const char *sql,
                                    chorale_page_row *each,
                                    struct chorale_errmsg *msg);

/* Escape foreign text for a line, a table and Markdown. */
void chorale_page_safe(const struct chorale_page *page, char *out,
                       size_t size, const char *from);
void chorale_page_put(const struct chorale_page *page, const char *from);
void chorale_page_heading(const struct chorale_page *page, int level,
                          const char *from);

/* Exact bytes in the largest unit that gives a whole number: "12 KiB",
 * "12345 B". */
const char *chorale_page_bytes(sqlite3_int64 value, char out[32]);

/* Print the decisions by collective, then their total gain. Do the same for the
 * table for rule files of the library. */
enum chorale_err chorale_page_decisions(struct chorale_page *page,
                                        struct chorale_errmsg *msg);

/* Print the validation results of the present table, if it was validated. */
enum chorale_err chorale_page_proofs(struct chorale_page *page,
                                     struct chorale_errmsg *msg);

#endif
