/* SPDX-License-Identifier: BSD-3-Clause */
/* plots.h - between the files of this room: what is drawn in one picture, its
 * data file, and gnuplot. */
#ifndef CHORALE_PLOTS_PLOTS_H
#define CHORALE_PLOTS_PLOTS_H

#include <stddef.h>

#include "db/store.h"

/* Series drawn in one picture; the rest stays in the data file. */
#define CHORALE_PLOTS_MAX_DRAWN 16

/* One measured cell, with what was fitted and decided for it. */
struct chorale_plots_row {
    /* what the picture is of */
    char coll[32], shape[16], dtype[32], op[32], root[16], buffers[16];
    int comm_size, ppn, commutes;
    /* which series */
    char provider[16], variant[64], params[128];
    /* the point: bytes and seconds; NAN where unknown */
    double n, msg_size, seconds, lo, hi, model;
    int decided; /* the decision table chooses this variant here */
};

struct chorale_plots_rows {
    struct chorale_plots_row *row; /* by picture, series, n */
    size_t count;
};

/* One picture: rows [first, first + count) of all the rows. */
struct chorale_plots_picture {
    const struct chorale_plots_row *row;
    size_t count;
    const char *title; /* safe text */
    size_t drawn;      /* out: series to draw */
    size_t nseries;    /* out: all series */
};

/* A row's picture, and its series, are those of another. */
int chorale_plots_same_picture(const struct chorale_plots_row *a,
                               const struct chorale_plots_row *b);
int chorale_plots_same_series(const struct chorale_plots_row *a,
                              const struct chorale_plots_row *b);

/* Copy foreign text for a label: printable ASCII without quotes, backslashes
 * and backticks; whatever else becomes '?'. */
void chorale_plots_safe_text(char *out, size_t size, const char *text);
/* The same for a piece of a file name: [A-Za-z0-9_.-], no leading dot. */
void chorale_plots_safe_name(char *out, size_t size, const char *text);

/* Measured cells of a system with their model and decision. The caller frees
 * rows->row. */
enum chorale_err chorale_plots_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    struct chorale_plots_rows *rows,
                                    struct chorale_errmsg *msg);

/* Write one picture's data file. */
enum chorale_err chorale_plots_write_dat(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         struct chorale_plots_picture *picture,
                                         const char *path,
                                         struct chorale_errmsg *msg);

/* Find an installed script of this room. */
enum chorale_err chorale_plots_find_script(const char *name, char *path,
                                           size_t size,
                                           struct chorale_errmsg *msg);

/* Run gnuplot in folder dir on argv (argv[0] is replaced by gnuplot's name),
 * wait for it, and pass the first line of its complaints on. CHORALE_ENV: no
 * gnuplot (*missing_p is then 1) or it failed. */
enum chorale_err chorale_plots_gnuplot(const char *dir, char **argv,
                                       int *missing_p,
                                       struct chorale_errmsg *msg);

#endif
