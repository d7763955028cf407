/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_internal.h - what the files of the verb `replicate` share: it reads its
 * options (replicate.c), takes from a database what was fitted
 * (replicate_fitted.c), fills rows by the model (there), by what a database
 * holds (replicate_measured_db.c) or by running the pattern
 * (replicate_run.c), shows them (replicate_show.c) and draws them
 * (replicate_draw.c). */
#ifndef CHORALE_TUNER_REPLICATE_REPLICATE_INTERNAL_H
#define CHORALE_TUNER_REPLICATE_REPLICATE_INTERNAL_H

#include "db/store.h"
#include "tuner/replicate/replicate.h"

struct chorale_rep_opts {
    const char *net, *in, *plot;
    long n, datum;
    double accesses, tx, tm, alpha, data, bands;
    int divisors, open, json;
    /* of --measure */
    int measure, both;
    const char *launcher, *command, *platform, *network, *save;
    long ppn, nrep;
    double bandwidth, latency;
};

/* A group size. Parts are times per datum in units of sending one, or, of what
 * was measured, seconds in all; what was not is NAN. */
struct chorale_rep_row {
    long side;
    struct chorale_rep_cost cost;      /* by the model, or what is known */
    struct chorale_rep_cost other;     /* by its other form: the paper's, or as
                                        * links allow (rep.as_links) */
    struct chorale_rep_cost apart;     /* by the model, scattered */
    struct chorale_rep_cost seen[2];   /* measured: aggregate, scatter */
    char why[160];                     /* nothing is known of it: the reason */
    char caveat[240];                  /* known, but not as it would be run */
};

/* What is asked: a model, and what it is told by. */
struct chorale_rep_job {
    const struct chorale_rep_opts *opts;
    struct chorale_rep rep;
    char name[16], system[128];
    char links[48];          /* as fitted, which tell the network; or "" */
    double alpha_s, beta, tau; /* s, s/byte: of the database, or measured; NAN:
                                * none */
    int known;               /* --system measured: rows of seconds */
    int crowded;             /* measured with more ranks than processors */
    struct chorale_rep_row *row;
    size_t nrow;
    struct chorale_errmsg *msg;
};

/* One dimension, and so groups of elements, not of sides. */
int chorale_rep_flat(const struct chorale_rep_job *job);

/* A row more, of which nothing is known yet; NULL: out of memory. */
struct chorale_rep_row *chorale_rep_add_row(struct chorale_rep_job *job,
                                            long side);

/* Fill a row by the model: cost, other, apart. */
void chorale_rep_foretell(struct chorale_rep_job *job,
                          struct chorale_rep_row *row);

/* The row with the least total: of cost, of other, or of seen[which]; NULL:
 * there is none. */
enum { CHORALE_REP_TOLD = -1, CHORALE_REP_OTHER = -2 };
const struct chorale_rep_row *
chorale_rep_best(const struct chorale_rep_job *job, int which);

/* replicate_fitted.c: the network and the side that nobody has said, from the
 * fitted links (CHORALE_USAGE: there are none that tell it); then alpha_s, beta
 * and tau, and with --system measured the rows. */
enum chorale_err chorale_rep_links(struct chorale_rep_job *job,
                                   const char *path);
enum chorale_err chorale_rep_fitted(struct chorale_rep_job *job,
                                    const char *path);

/* replicate_measured_db.c: rows by the times of alltoall, reduce_scatter_block (else
 * reduce_scatter) and allgather in the database; rep.side becomes the number of
 * processes. CHORALE_DATA: they are not there. */
enum chorale_err chorale_rep_known(struct chorale_rep_job *job,
                                   struct chorale_store *store,
                                   sqlite3_int64 system_id);

/* replicate_run.c: start the runner, fill seen of rows, and with what it
 * tells of messages and additions rep.alpha and rep.tm that nobody has said;
 * then cost and apart. Data are rounded up to what can be cut evenly. */
enum chorale_err chorale_rep_measure(struct chorale_rep_job *job);

/* --save-platform: the file that would be simulated. */
enum chorale_err chorale_rep_save_platform(struct chorale_rep_job *job);

/* replicate_show.c: on standard output, as text or JSON. CHORALE_DATA: of no
 * group is anything known. */
enum chorale_err chorale_rep_show(const struct chorale_rep_job *job);

/* replicate_json.c: as JSON; best: by cost. */
enum chorale_err chorale_rep_json(const struct chorale_rep_job *job,
                                  const struct chorale_rep_row *best);

/* replicate_draw.c: the picture that opts->plot names, with its data beside
 * it; before anything is worked out, whether it is one that can be drawn
 * (CHORALE_USAGE: it is not). */
enum chorale_err chorale_rep_draws(const struct chorale_rep_job *job);
enum chorale_err chorale_rep_draw(const struct chorale_rep_job *job);

/* replicate_show.c: the unit of the model's times, for all data, in us. */
double chorale_rep_unit_us(const struct chorale_rep_job *job);

#endif
