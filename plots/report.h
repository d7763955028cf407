/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - shared by the files of `chorale report`: the page being written,
 * and its sections. */
#ifndef CHORALE_PLOTS_REPORT_H
#define CHORALE_PLOTS_REPORT_H

#include <stdio.h>

#include "db/systems.h"
#include "plots/html.h"
#include "tuner/exchange/export.h"
#include "tuner/assess/validate.h"

enum { CHORALE_REPORT_COLUMNS = 32 }; /* most columns of a query */

struct chorale_report {
    struct chorale_store *store;
    struct chorale_system_row system; /* with the name shown on the page */
    const char *path;        /* the database, as the command names it */
    const char *database;    /* the file's name without its folder */
    struct chorale_anonymous *anon; /* NULL: not anonymized */
    const char *replaced[CHORALE_REPORT_COLUMNS]; /* replaced texts, or NULL */
    struct chorale_proofs proofs; /* speed-ups of the table; no rows without */
    int validated;           /* 1: from `chorale validate` */
    const char *dir;         /* temporary folder for figures */
    int traced;              /* 1: the database has a trace */
    FILE *out;
    int nfigure;             /* pictures so far */
    int no_gnuplot;          /* 1: no pictures */
    struct chorale_errmsg *msg;
};

/* Run one query with the system as ?1 and call each() for every row. */
typedef void chorale_report_row(struct chorale_report *report,
                                sqlite3_stmt *stmt, void *arg);
enum chorale_err chorale_report_query(struct chorale_report *report,
                                      const char *sql,
                                      chorale_report_row *each, void *arg);

/* The text of a column as shown on the page: its value, or with --anonymize its
 * replacement (chorale_anonymous_row, by column name). */
const char *chorale_report_text(const struct chorale_report *report,
                                sqlite3_stmt *stmt, int column);

/* Format a number for people, or "-" for NULL: a time in seconds, or a share in
 * percent. */
const char *chorale_report_seconds(sqlite3_stmt *stmt, int column,
                                   char text[32]);
const char *chorale_report_percent(sqlite3_stmt *stmt, int column,
                                   char text[32]);

/* Format three columns as "x1.23 [1.20, 1.26]"; "-" for NULL. */
const char *chorale_report_speedup(sqlite3_stmt *stmt, int column,
                                   char text[80]);
/* The same for a mean log ratio and half the width of its interval. */
const char *chorale_report_ratio(double mean, double half, char text[80]);

/* Format "int sum", or the type alone without an operation. */
const char *chorale_report_type(const char *dtype, const char *op,
                                char text[80]);

/* Write the whole page. */
enum chorale_err chorale_report_page(struct chorale_report *report);

/* The sections; each writes the text below its heading. */
typedef enum chorale_err chorale_report_section(struct chorale_report *report);
chorale_report_section chorale_report_head;
chorale_report_section chorale_report_choices;
chorale_report_section chorale_report_speedups;
chorale_report_section chorale_report_times;
chorale_report_section chorale_report_model;
chorale_report_section chorale_report_counters;
chorale_report_section chorale_report_noise;
chorale_report_section chorale_report_application;
chorale_report_section chorale_report_environment;
chorale_report_section chorale_report_campaigns;

#endif
