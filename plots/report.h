/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - between the files of `chorale report`: the page being written, and
 * its sections. */
#ifndef CHORALE_PLOTS_REPORT_H
#define CHORALE_PLOTS_REPORT_H

#include <stdio.h>

#include "db/systems.h"
#include "plots/html.h"
#include "tuner/exchange/export.h"
#include "tuner/assess/validate.h"

enum { CHORALE_REPORT_COLUMNS = 32 }; /* that a query may have */

struct chorale_report {
    struct chorale_store *store;
    struct chorale_system_row system; /* its name as the page says it */
    const char *path;        /* the database, as the command names it */
    const char *database;    /* the file's name without its folder */
    struct chorale_anonymous *anon; /* NULL: everything is said */
    const char *told[CHORALE_REPORT_COLUMNS]; /* of the row, instead; NULL */
    struct chorale_proofs proofs; /* speed-ups of the table; none without */
    int validated;           /* they are of `chorale validate` */
    const char *dir;         /* where figures are made */
    int traced;              /* there is a trace */
    FILE *out;
    int nfigure;             /* pictures so far */
    int no_gnuplot;          /* 1: there are none */
    struct chorale_errmsg *msg;
};

/* Run one query with the system as ?1, each of its rows into each. */
typedef void chorale_report_row(struct chorale_report *report,
                                sqlite3_stmt *stmt, void *arg);
enum chorale_err chorale_report_query(struct chorale_report *report,
                                      const char *sql,
                                      chorale_report_row *each, void *arg);

/* What the page says of a text column of that row: its value, or with
 * --anonymize what stands for it (chorale_anonymous_row, by its name). */
const char *chorale_report_text(const struct chorale_report *report,
                                sqlite3_stmt *stmt, int column);

/* A number of a row for people, "-" where it is NULL: a time, bytes, a share
 * in percent. */
const char *chorale_report_seconds(sqlite3_stmt *stmt, int column,
                                   char text[32]);
const char *chorale_report_percent(sqlite3_stmt *stmt, int column,
                                   char text[32]);

/* "x1.23 [1.20, 1.26]" of columns; "-" where there is none. */
const char *chorale_report_speedup(sqlite3_stmt *stmt, int column,
                                   char text[80]);
/* The same of a mean log ratio and half of its interval. */
const char *chorale_report_ratio(double mean, double half, char text[80]);

/* "int sum", or the type alone. */
const char *chorale_report_type(const char *dtype, const char *op,
                                char text[80]);

/* Write the whole page. */
enum chorale_err chorale_report_page(struct chorale_report *report);

/* Sections, each with what is between its heading and the next. */
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
