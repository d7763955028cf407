/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.h - makes the figures of a system one after the other, for `chorale
 * plot` and `chorale report`: names, titles, data files and pictures. */
#ifndef CHORALE_PLOTS_FIGURES_H
#define CHORALE_PLOTS_FIGURES_H

#include <limits.h>

#include "db/systems.h"
#include "plots/plots.h"

enum chorale_figure_kind {
    CHORALE_FIGURE_TIMES = 1 << 0,   /* time over n, per collective and P */
    CHORALE_FIGURE_MAP = 1 << 1,     /* the table's choices over n and P */
    CHORALE_FIGURE_SPEEDUP = 1 << 2, /* its speed-up over n and P */
    CHORALE_FIGURE_ALL = (1 << 3) - 1
};

/* One figure. By kind, one of series, box and gain is set. */
struct chorale_figure {
    enum chorale_figure_kind kind;
    const char *name, *title;        /* name of its files, no suffix; safe */
    const char *coll;
    int comm_size;                   /* 0: several process counts */
    const char *data, *picture;      /* paths; picture NULL: no gnuplot */
    const struct chorale_plots_series *series; /* the drawn ones first */
    size_t drawn, nseries;
    const struct chorale_plots_box *box;
    const struct chorale_plots_gain *gain;
    size_t count;                    /* of boxes or gains */
};

struct chorale_figures {
    struct chorale_store *store;
    unsigned kinds;                  /* enum chorale_figure_kind, or-ed */
    const char *collectives;         /* a list; NULL: all */
    const long *procs;               /* process counts of TIMES, and no other
                                      * figures; NULL: all figures */
    size_t nprocs;
    int several_systems;             /* names include the system */
    int all_variants;                /* 1: TIMES also draws non-contenders */
    const char *dir;                 /* output folder */
    const char *kind, *suffix;       /* picture format, as in terminal.gp */
    const struct chorale_proofs *proofs; /* source of the speed-ups */
    /* Called for each figure. */
    enum chorale_err (*each)(void *arg, const struct chorale_figure *figure,
                             struct chorale_errmsg *msg);
    void *arg;
    /* Results. Zero-initialise. */
    int no_gnuplot;                  /* 1: only data files; see why */
    struct chorale_errmsg why;
    size_t count;                    /* number of figures */
};

/* Make the figures of a system; titles contain system->name. The first failure
 * ends it, but a missing gnuplot is not a failure. CHORALE_STOPPED:
 * interrupted. */
enum chorale_err chorale_figures_make(struct chorale_figures *figures,
                                      const struct chorale_system_row *system,
                                      struct chorale_errmsg *msg);

/* Load a system's speed-ups: those of `chorale validate` for the present
 * decisions, with *validated_p set to 1, else those of the campaign. Without
 * decisions there are no rows. Release with chorale_proofs_release(). */
enum chorale_err chorale_figures_speedups(
    struct chorale_store *store, const struct chorale_system_row *system,
    struct chorale_proofs *proofs, int *validated_p,
    struct chorale_errmsg *msg);

/* Make a private folder in TMPDIR, and remove it with its files. CHORALE_ENV:
 * it cannot be made. */
enum chorale_err chorale_folder_make(char dir[PATH_MAX],
                                     struct chorale_errmsg *msg);
void chorale_folder_remove(const char *dir);

#endif
