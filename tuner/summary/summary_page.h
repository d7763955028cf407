/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_page.h - between the files of the summary: the page being written
 * and how foreign text gets onto it. */
#ifndef CHORALE_TUNER_SUMMARY_SUMMARY_PAGE_H
#define CHORALE_TUNER_SUMMARY_SUMMARY_PAGE_H

#include <stdio.h>

#include "db/store.h"
#include "tuner/summary/summary.h"

/* What is being written, and what the rows have added up to. */
struct chorale_page {
    struct chorale_store *store;
    sqlite3_int64 system_id;
    FILE *out;
    int markdown;
    char heading[160]; /* of the table being printed */
    sqlite3_int64 npoints, ngained, nbetween;
    double sum_log;
    double best, worst; /* speed-up; 0: none yet */
    char best_at[320], worst_at[320];
    sqlite3_int64 ncells, nflagged[CHORALE_NFLAG];
    int remarked; /* the heading of the remarks is out */
};

typedef void chorale_page_row(struct chorale_page *page, sqlite3_stmt *stmt);

/* Run one query with the system as ?1, each of its rows into each. */
enum chorale_err chorale_page_query(struct chorale_page *page, const char *sql,
                                    chorale_page_row *each,
                                    struct chorale_errmsg *msg);

/* A column's text, "" for NULL. */
const char *chorale_page_text(sqlite3_stmt *stmt, int column);

/* Foreign text as it may stand in a line, a table and in Markdown. Returns
 * its width as plain text. */
int chorale_page_safe(const struct chorale_page *page, char *out, size_t size,
                      const char *from);
void chorale_page_put(const struct chorale_page *page, const char *from);
void chorale_page_heading(const struct chorale_page *page, int level,
                          const char *from);

/* "12 KiB" where that is exact or large, "12345 B" otherwise. */
const char *chorale_page_bytes(sqlite3_int64 value, char out[32]);

/* The decisions by collective, then what they gain in all. */
enum chorale_err chorale_page_decisions(struct chorale_page *page,
                                        struct chorale_errmsg *msg);

/* What validating the table that these decisions make has shown, if it was. */
enum chorale_err chorale_page_proofs(struct chorale_page *page,
                                     struct chorale_errmsg *msg);

#endif
