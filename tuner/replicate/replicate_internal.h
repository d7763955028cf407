/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_internal.h - declarations shared by the files of the stage
 * `replicate`.
 *
 * The stage (replicate_solve.c) reads fitted parameters from a database
 * (replicate_fitted.c). It fills rows by the model, by times in a database
 * (replicate_measured_db.c), or by running the pattern (replicate_run.c). It
 * prints them (replicate_show.c, replicate_json.c) and draws them
 * (replicate_draw.c). */
#ifndef CHORALE_TUNER_REPLICATE_REPLICATE_INTERNAL_H
#define CHORALE_TUNER_REPLICATE_REPLICATE_INTERNAL_H

#include "db/store.h"
#include "tuner/replicate/replicate.h"
#include "tuner/replicate/replicate_solve.h"

/* A group size. Model parts are times per datum in units of sending one datum.
 * Measured parts are total seconds. NAN: unknown. */
struct chorale_rep_row {
    long side;
    struct chorale_rep_cost cost;      /* by the model, or as measured */
    struct chorale_rep_cost other;     /* by the other form of the model: the
                                        * paper's, or of real links, see
                                        * rep.as_links */
    struct chorale_rep_cost apart;     /* by the model, scattered */
    struct chorale_rep_cost seen[2];   /* measured: aggregate, scatter */
    char why[160];                     /* why the row is unknown, or "" */
    char caveat[240];                  /* how the known placement differs */
};

/* A replication problem: the model, its parameters and the rows. */
struct chorale_rep_job {
    const struct chorale_rep_opts *opts;
    struct chorale_rep rep;
    char name[16], system[128];
    char links[48];          /* the fitted links that gave the network; or "" */
    double alpha_s, beta, tau; /* s, s/byte, s/byte: of the database, or
                                * measured; NAN: unknown */
    int known;               /* --system measured: rows are in seconds */
    int crowded;             /* measured with more ranks than processors */
    struct chorale_rep_row *row;
    size_t nrow;
    struct chorale_errmsg *msg;
};

/* Returns 1 in one dimension: groups are counted in elements, not sides. */
int chorale_rep_one_dim(const struct chorale_rep_job *job);

/* Append a row with unknown values; NULL if out of memory. */
struct chorale_rep_row *chorale_rep_add_row(struct chorale_rep_job *job,
                                            long side);

/* Fill cost, other and apart of a row by the model. */
void chorale_rep_predict(struct chorale_rep_job *job,
                         struct chorale_rep_row *row);

/* The row with the least total of cost, of other, or of seen[which]; NULL
 * without such a row. */
enum { CHORALE_REP_COST = -1, CHORALE_REP_OTHER = -2 };
const struct chorale_rep_row *
chorale_rep_best(const struct chorale_rep_job *job, int which);

/* replicate_fitted.c: chorale_rep_links() takes the network and the side from
 * the fitted links, unless options give them (CHORALE_USAGE: the links do not
 * determine them). chorale_rep_fitted() then loads alpha_s, beta and tau, and
 * with --system measured the rows. */
enum chorale_err chorale_rep_links(struct chorale_rep_job *job,
                                   const char *path);
enum chorale_err chorale_rep_fitted(struct chorale_rep_job *job,
                                    const char *path);

/* replicate_measured_db.c: fill rows from the times of alltoall,
 * reduce_scatter_block (else reduce_scatter) and allgather in the database.
 * rep.side becomes the number of processes. CHORALE_DATA: they were not
 * measured. */
enum chorale_err chorale_rep_load_db(struct chorale_rep_job *job,
                                     struct chorale_store *store,
                                     sqlite3_int64 system_id);

/* replicate_run.c: start the runner and fill seen of the rows. rep.alpha and
 * rep.tm are taken from the measured message and addition times, unless options
 * give them. Then fill cost, other and apart. rep.divisors and rep.as_links
 * become 1. The data are rounded up to a number that all groups divide
 * evenly. */
enum chorale_err chorale_rep_measure(struct chorale_rep_job *job);

/* replicate_run.c: write the platform file that would be simulated, for
 * --save-platform. */
enum chorale_err chorale_rep_save_platform(struct chorale_rep_job *job);

/* replicate_show.c: print to standard output, as text or JSON. CHORALE_DATA:
 * every group is unknown. */
enum chorale_err chorale_rep_show(const struct chorale_rep_job *job);

/* replicate_json.c: print as JSON; best is the row with the least cost. */
enum chorale_err chorale_rep_json(const struct chorale_rep_job *job,
                                  const struct chorale_rep_row *best);

/* replicate_draw.c: chorale_rep_draw_check() checks before any computation that
 * opts->plot names a picture that can be drawn, else CHORALE_USAGE.
 * chorale_rep_draw() draws it, with a data file beside it. */
enum chorale_err chorale_rep_draw_check(const struct chorale_rep_job *job);
enum chorale_err chorale_rep_draw(const struct chorale_rep_job *job);

/* replicate_show.c: the model's time unit for all data, in microseconds. */
double chorale_rep_unit_us(const struct chorale_rep_job *job);

#endif
