/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_grid.h - times and losses of a family's candidates over sizes and
 * process counts, from which the rectangles of the table are made. Shared by
 * decide_grid.c, decide_line.c, between_procs.c, decide_rectangles.c and
 * decide_rows.c. */
#ifndef CHORALE_TUNER_DECIDE_DECIDE_GRID_H
#define CHORALE_TUNER_DECIDE_DECIDE_GRID_H

#include "tuner/decide/family.h"

/* A process count, or several alike. */
struct chorale_layer {
    int comm_size;           /* the one that is measured or predicted */
    int first, last;         /* process counts that it stands for; comm_size,
                              * unless times are smoothed or it is above
                              * CHORALE_DECIDE_EACH */
    size_t line;             /* the last line of at most this process count */
    int measured;            /* 1: that line has this process count */
    size_t lo, hi;           /* the hull: least and largest n that may have a
                              * row; lo > hi: the hull is empty */
};

/* Layers: the process counts of successive lines and those between. Stops: the
 * sizes of all these lines, and further ones in wide gaps. */
struct chorale_grid {
    const struct chorale_family *fam;
    size_t line, nline;      /* the first line, number of lines */
    int blind;               /* some ranks do not know n */
    struct chorale_layer *layer;
    size_t nlayer;
    size_t *n, nstop;        /* ascending */
    size_t *member, ncand;   /* [ncand] of the family; [0] is the library */
    /* [nlayer][nstop] */
    struct chorale_measured **spot; /* NULL: predicted */
    unsigned char *inside;   /* within the hull */
    double *error;           /* of the best candidate's prediction between two
                              * lines; else 0 */
    /* [nlayer][nstop][ncand], logarithms of seconds */
    double *seconds;         /* NAN: unknown */
    double *score;           /* likewise, corrected for prediction errors */
    double *loss;            /* as in chorale_family_losses(); 0 outside the
                              * hull */
    /* Scratch. */
    unsigned char *near;     /* [members of the family] worth a prediction */
    unsigned char *may;      /* [ncand] may be chosen */
    double *wrong;           /* [ncand] errors of predictions */
};

/* One choice for n in [lo, hi] in the layers begin ... end. */
struct chorale_rectangle {
    size_t begin, end, lo, hi;
    size_t cand;
    int gap;                 /* 1: the library, between two sizes of which
                              * neither choice is known to be faster there */
};

/* Index of an entry of the arrays [nlayer][nstop][ncand]. */
size_t chorale_grid_at(const struct chorale_grid *grid, size_t layer,
                       size_t stop);

/* 1 if n lies within the hull of a process count. */
int chorale_grid_in_hull(const struct chorale_family *fam, int comm_size,
                         size_t n);

/* decide_line.c: fill the entries of a measured layer. On a real system, only
 * choices that are confirmed at one of two adjacent sizes compete with the
 * library between these sizes. */
void chorale_grid_fill_line(struct chorale_grid *grid, size_t layer);

/* Log seconds of candidate cand at a stop of a measured layer. If it was not
 * measured there and the stop is within the hull, it is predicted at n, unless
 * cand or other is the library. NAN: unknown. */
double chorale_grid_known(const struct chorale_grid *grid, size_t layer,
                          size_t stop, size_t cand, size_t other, size_t n);

/* between_procs.c: mark in near[] the members that are worth a prediction at a
 * stop between line and the next line. These are the library and the members
 * near the best at an adjacent measured size of either line. If some ranks do
 * not know n, they are the choices of both lines. */
void chorale_grid_near(const struct chorale_grid *grid, size_t line,
                       size_t stop, unsigned char *near);

/* between_procs.c: fill the entries of a layer between two lines. */
void chorale_grid_fill_between(struct chorale_grid *grid, size_t layer);

/* between_procs.c: 1 if a variant may replace the library at n, between a line
 * and the next. On a real system a choice must be confirmed at a measured size
 * next to n, at either process count. */
int chorale_grid_may_replace(const struct chorale_grid *grid, size_t line,
                             size_t n);

/* For a collective with unknown n: choose the variant that is the fastest on
 * average over the stops within the hull of a layer, among those that are
 * predicted to beat the library by more than the threshold at each stop; with
 * smoothed times at measured points, those of chorale_smooth_serves_all(). */
void chorale_grid_choose_one(struct chorale_grid *grid, size_t layer);

/* decide_smooth.c: fill the entries of a layer with smoothed times. */
void chorale_grid_fill_smooth(struct chorale_grid *grid, size_t layer);
/* Most layers between two lines then. */
#define CHORALE_SMOOTH_LAYERS 6
/* The reason of a rectangle with nspot measured points. */
void chorale_smooth_reason(const struct chorale_grid *grid,
                           const struct chorale_rectangle *r, size_t nspot,
                           char *text, size_t size);

/* decide_rectangles.c: append the rows of a grid whose entries are filled. -1:
 * out of memory. */
int chorale_grid_add_rows(const struct chorale_grid *grid,
                          struct chorale_decision **rows_p, size_t *count_p);

/* decide_rows.c: append the row of a rectangle, and mark its choice in the
 * measured spots that it contains. -1: out of memory. */
int chorale_grid_row(const struct chorale_grid *grid,
                     const struct chorale_rectangle *r,
                     struct chorale_decision **rows_p, size_t *count_p);

#endif
