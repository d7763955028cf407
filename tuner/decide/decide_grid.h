/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_grid.h - times and losses of a family's candidates over sizes and
 * process counts, from which the rectangles of the table are made. Shared by
 * decide_grid.c, decide_line.c, between_procs.c and decide_rows.c. */
#ifndef CHORALE_TUNER_DECIDE_DECIDE_GRID_H
#define CHORALE_TUNER_DECIDE_DECIDE_GRID_H

#include "tuner/decide/family.h"

/* A process count. */
struct chorale_layer {
    int comm_size;
    size_t line;             /* the line at or below it */
    int measured;            /* it is the process count of that line */
    size_t lo, hi;           /* the hull: least and largest n that may have a
                              * row; lo > hi: none */
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
    double *error;           /* of the prediction of the choice; 0: none */
    /* [nlayer][nstop][ncand], logarithms of seconds */
    double *seconds;         /* NAN: unknown */
    double *score;           /* likewise, corrected for prediction errors */
    double *loss;            /* as in chorale_family_losses(); 0 outside the
                              * hull */
    /* Scratch. */
    unsigned char *near, *may; /* [members of the family], [ncand] */
    double *wrong;           /* [ncand] errors of predictions */
};

/* Layers begin ... end with one choice for n in [lo, hi]. */
struct chorale_rectangle {
    size_t begin, end, lo, hi;
    size_t cand;
    int gap;                 /* the library, between two sizes whose choices
                              * were not both measured at both */
};

/* Index of an entry of the arrays [nlayer][nstop][ncand]. */
size_t chorale_grid_at(const struct chorale_grid *grid, size_t layer,
                       size_t stop);

/* 1 if n lies within the hull of a process count. */
int chorale_grid_in_hull(const struct chorale_family *fam, int comm_size,
                         size_t n);

/* decide_line.c: fill the entries of a measured layer. On a real system only
 * choices confirmed at one of the two sizes next to n compete with the library
 * between them. */
void chorale_grid_fill_line(struct chorale_grid *grid, size_t layer);

/* Log seconds of candidate cand at a stop of a measured layer, within the hull.
 * If it was not measured there, it is predicted at n, unless cand or other is
 * the library. */
double chorale_grid_known(const struct chorale_grid *grid, size_t layer,
                          size_t stop, size_t cand, size_t other, size_t n);

/* between_procs.c: mark in near[] the members worth a prediction at a stop of
 * the layers between two lines, the first of which is line: those near the best
 * at an adjacent measured size of either; if n is unknown, the choices of
 * both. */
void chorale_grid_near(const struct chorale_grid *grid, size_t line,
                       size_t stop, unsigned char *near);

/* between_procs.c: fill the entries of a layer between two lines. */
void chorale_grid_fill_between(struct chorale_grid *grid, size_t layer);

/* decide_rows.c: append the row of a rectangle, and mark its choice in the
 * measured spots that it contains. -1: out of memory. */
int chorale_grid_row(const struct chorale_grid *grid,
                     const struct chorale_rectangle *r,
                     struct chorale_decision **rows_p, size_t *count_p);

#endif
