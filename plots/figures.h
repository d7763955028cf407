/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.h - the figures of a system one after the other, for `chorale plot`
 * and `chorale report`: what each is of, its name and title, its data file,
 * and its picture. */
#ifndef CHORALE_PLOTS_FIGURES_H
#define CHORALE_PLOTS_FIGURES_H

#include <limits.h>

#include "db/systems.h"
#include "plots/plots.h"

enum chorale_figure_kind {
    CHORALE_FIGURE_TIMES = 1 << 0,   /* time against n, a collective and P */
    CHORALE_FIGURE_MAP = 1 << 1,     /* the table's choices over n and P */
    CHORALE_FIGURE_SPEEDUP = 1 << 2, /* its speed-up over n and P */
    CHORALE_FIGURE_ALL = (1 << 3) - 1
};

/* One figure. What it is of lies in one of the three. */
struct chorale_figure {
    enum chorale_figure_kind kind;
    const char *name, *title;        /* of its files, without suffix; safe */
    const char *coll;
    int comm_size;                   /* 0: of several */
    const char *data, *picture;      /* paths; picture NULL: no gnuplot */
    size_t drawn, nseries;           /* series of TIMES */
    const struct chorale_plots_row *row;
    const struct chorale_plots_box *box;
    const struct chorale_plots_gain *gain;
    size_t count;
};

struct chorale_figures {
    struct chorale_store *store;
    unsigned kinds;                  /* enum chorale_figure_kind, or-ed */
    const char *collectives;         /* a list; NULL: all */
    const long *procs;               /* NULL: all, else times of these alone */
    size_t nprocs;
    int several_systems;             /* names tell of the system */
    const char *dir;                 /* where files go */
    const char *kind, *suffix;       /* of pictures, as terminal.gp has it */
    const struct chorale_proofs *proofs; /* what speed-ups are drawn from */
    /* Called for each. */
    enum chorale_err (*each)(void *arg, const struct chorale_figure *figure,
                             struct chorale_errmsg *msg);
    void *arg;
    /* What came of it. Begins as zeros. */
    int no_gnuplot;                  /* 1: only data files; why says why */
    struct chorale_errmsg why;
    size_t count;                    /* figures */
};

/* Make the figures of a system; system->name is what titles say. The first
 * failure ends it; that there is no gnuplot is none. CHORALE_STOPPED if asked
 * to stop. */
enum chorale_err chorale_figures_make(struct chorale_figures *figures,
                                      const struct chorale_system_row *system,
                                      struct chorale_errmsg *msg);

/* The speed-ups that can be had of a system: validated ones of the table that
 * the decisions are now, *validated_p is 1 then, else those of the campaign;
 * without decisions no rows. Release with chorale_proofs_release. */
enum chorale_err chorale_figures_proofs(struct chorale_store *store,
                                        const struct chorale_system_row *system,
                                        struct chorale_proofs *proofs,
                                        int *validated_p,
                                        struct chorale_errmsg *msg);

/* A folder in TMPDIR that only we can read, and its removal with the files in
 * it. CHORALE_ENV: it cannot be made. */
enum chorale_err chorale_folder_make(char dir[PATH_MAX],
                                     struct chorale_errmsg *msg);
void chorale_folder_remove(const char *dir);

#endif
