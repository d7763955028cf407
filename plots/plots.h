/* SPDX-License-Identifier: BSD-3-Clause */
/* plots.h - shared by the files of this folder: the rows of pictures, their
 * data files, and gnuplot. */
#ifndef CHORALE_PLOTS_PLOTS_H
#define CHORALE_PLOTS_PLOTS_H

#include <stddef.h>

#include "db/store.h"
#include "tuner/base/gnuplot.h"

/* Most series drawn in a picture: the library, and as many others as
 * time_vs_n.gp draws differently without colours. The data file has all. */
#define CHORALE_PLOTS_MAX_DRAWN 56

/* One measured cell, with its model time and decision. */
struct chorale_plots_row {
    /* the picture */
    char coll[32], shape[16], dtype[32], op[32], root[16], buffers[16];
    char op_class[16];
    int comm_size, ppn;
    /* type and operation of the decisions that are used: its own, or those of
     * chorale_served_kind_instead(); "" if the library is used */
    char by_dtype[32], by_op[32], instead[72];
    /* the series */
    char provider[16], variant[64], params[128];
    /* the point: bytes and seconds; NAN where unknown */
    double n, msg_size, seconds, lo, hi, model;
    int decides; /* 1: seconds is the time by which the table is decided; 0: a
                  * decision ignores the cell, or takes the mean over several
                  * root or buffer policies; then seconds is of v_summary */
    int decided; /* 1: the decision table chooses this variant here, or one
                  * for which its series stands */
    int named;   /* 1: a range of the table at this process count names it */
};

/* What the times are, by the options of the table (policy.h). */
struct chorale_plots_times {
    int arrivals;    /* enum chorale_arrival_policy */
    double dispatch; /* s, added to the catalogue's variants */
    int p95;         /* 1: the 95 % quantile of a launch; 0: the median */
    int smoothed;    /* 1: choices are made by smoothed times instead */
};

struct chorale_plots_rows {
    struct chorale_plots_row *row; /* by picture, series, n */
    size_t count;
    struct chorale_plots_times of;
};

/* A series: consecutive rows of one picture. */
struct chorale_plots_series {
    struct chorale_plots_row *row;
    size_t count;
    double merit; /* least ratio to the best at its n; 0: decided, or the
                   * library; INFINITY: another series stands for it */
    const struct chorale_plots_row *like; /* first row of the series that
                                           * stands for it, or its own */
};

/* One picture: rows [first, first + count) of all the rows. */
struct chorale_plots_picture {
    struct chorale_plots_row *row;
    size_t count;
    struct chorale_plots_times of;
    const char *title; /* safe text */
    struct chorale_plots_series *series; /* the drawn ones first */
    size_t drawn;      /* series to draw */
    size_t nseries;    /* all series */
};

/* Returns 1 if two rows belong to the same picture, or series. */
int chorale_plots_same_picture(const struct chorale_plots_row *a,
                               const struct chorale_plots_row *b);
int chorale_plots_same_series(const struct chorale_plots_row *a,
                              const struct chorale_plots_row *b);

/* Set the times of the rows to those by which the table is or would be decided,
 * and rows->of. CHORALE_ENV: out of memory; other errors are those of reading
 * the database. */
enum chorale_err chorale_plots_decided_times(struct chorale_store *store,
                                             sqlite3_int64 system_id,
                                             struct chorale_plots_rows *rows,
                                             struct chorale_errmsg *msg);

/* Measured cells of a system with their model and decision. The caller frees
 * rows->row. */
enum chorale_err chorale_plots_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    struct chorale_plots_rows *rows,
                                    struct chorale_errmsg *msg);

/* Divide a picture into series; the caller frees picture->series. Series 0 is
 * the library's and may be empty. Of several series with the same times one
 * stands for all: the library's, else that with the fewest parameters, then the
 * shortest label. The drawn series are the library's, the choices of the table,
 * and the contenders, which come within 3 % of the best time at some n; with
 * `all` also the others. At most CHORALE_PLOTS_MAX_DRAWN are drawn, those
 * closest to the best. CHORALE_ENV: out of memory. */
enum chorale_err
chorale_plots_find_series(struct chorale_plots_picture *picture, int all,
                          struct chorale_errmsg *msg);

/* Write the data file of a picture with series. */
enum chorale_err
chorale_plots_write_dat(struct chorale_store *store, sqlite3_int64 system_id,
                        const struct chorale_plots_picture *picture,
                        const char *path, struct chorale_errmsg *msg);

/* Format a label like "native binomial segsize=8192". The provider is left out
 * if it is chorale, the name if it adds nothing. The result is safe text of at
 * most CHORALE_PLOTS_LABEL bytes with its terminator; it is never truncated, so
 * that labels stay distinct. */
enum { CHORALE_PLOTS_LABEL = 256 };
void chorale_plots_choice_label(char *out, size_t size, const char *provider,
                                const char *variant, const char *params);

/* One row of the decision table. */
struct chorale_plots_box {
    /* the map; ppn 0: implied by the shape */
    char coll[32], shape[16], dtype[32], op[32], op_class[16];
    int ppn;
    char provider[16], variant[64], params[128];
    char instead[72];        /* what the table uses instead of this row, from
                              * chorale_served_kind_instead(); or "" */
    int comm_size, comm_size_hi, modelled;
    sqlite3_int64 n_lo, n_hi; /* bytes */
};

struct chorale_plots_boxes {
    struct chorale_plots_box *box; /* by map, comm_size, n */
    size_t count;
};

/* Load the table of a system, from two ranks on. The caller frees
 * boxes->box. */
enum chorale_err chorale_plots_load_boxes(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          struct chorale_plots_boxes *boxes,
                                          struct chorale_errmsg *msg);
int chorale_plots_same_map(const struct chorale_plots_box *a,
                           const struct chorale_plots_box *b);

/* The row of a map's box[0, count) that decides n bytes on comm_size ranks.
 * NULL: the library is used without a row. */
const struct chorale_plots_box *
chorale_plots_find_box(const struct chorale_plots_box *box, size_t count,
                       int comm_size, sqlite3_int64 n);

/* Write the data file of the map of box[0, count) to path, with letters for the
 * measured process counts and some between. CHORALE_ENV: the file cannot be
 * written, or out of memory; other errors are those of reading the database. */
enum chorale_err chorale_plots_write_map(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         const struct chorale_plots_box *box,
                                         size_t count, const char *title,
                                         const char *path,
                                         struct chorale_errmsg *msg);

/* The table's speed-up at one point. */
struct chorale_plots_gain {
    const char *coll, *shape, *dtype, *op, *root, *choice, *rows_of; /* owned
                              * by the proofs */
    int ppn;                 /* 0: implied by the shape */
    int comm_size;
    double n, msg_size;      /* bytes */
    double speedup, lo, hi;  /* relative to the library; lo, hi NAN: unknown */
    int slower;              /* significantly */
};

struct chorale_plots_gains {
    struct chorale_plots_gain *gain; /* by map, comm_size, n */
    size_t count;
};

struct chorale_proofs;       /* tuner/assess/validate.h */

/* List all points with a launch that counts. Texts belong to the proofs. The
 * caller frees gains->gain. CHORALE_ENV: out of memory. */
enum chorale_err chorale_plots_load_gains(const struct chorale_proofs *proofs,
                                          struct chorale_plots_gains *gains,
                                          struct chorale_errmsg *msg);
int chorale_plots_same_gains(const struct chorale_plots_gain *a,
                             const struct chorale_plots_gain *b);

/* Write the data file of the map of gain[0, count). */
enum chorale_err
chorale_plots_write_gains(const struct chorale_plots_gain *gain, size_t count,
                          const char *title, const char *path,
                          struct chorale_errmsg *msg);

#endif
