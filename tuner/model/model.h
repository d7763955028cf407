/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h - the network of a system (network.h) and tau from the runs of the
 * catalogue's variants, whose schedules are known. */
#ifndef CHORALE_TUNER_MODEL_MODEL_H
#define CHORALE_TUNER_MODEL_MODEL_H

#include "db/store.h"
#include "tuner/model/least_squares.h"
#include "tuner/model/network.h"
#include "tuner/model/observations.h"
#include "tuner/base/progress.h"

#define CHORALE_MODEL_TAUS 8

/* Above this median error, or this 90th percentile of the errors, the model is
 * not to be trusted. */
#define CHORALE_MODEL_TRUST 0.10
#define CHORALE_MODEL_TRUST_TAIL 0.30

/* A variant lacks fit if the p-value of the test is below this and its worst
 * error above 10 %: of precise times any model lacks something. */
#define CHORALE_MODEL_LACK 0.01

/* A parameter is determined if its interval leaves out zero and is no wider
 * than this factor from end to end. */
#define CHORALE_MODEL_SPAN 3.0

/* At most so many cells are fitted, and so many notes of schedules played
 * (network.h): of larger databases a sample that is spread over variants, numbers
 * of ranks and sizes, the same one each time. */
#define CHORALE_MODEL_CELLS 1000
#define CHORALE_MODEL_NOTES 100000

/* Time of a reduced byte, for one type and operation. */
struct chorale_model_tau {
    const char *dtype, *op;
    size_t type_size;
    int known;               /* 0: cannot be told from beta, left out */
    struct chorale_net_regimes regime;
};

/* One parameter with its 95 % interval (NAN: unknown). */
struct chorale_model_param {
    const char *name;        /* alpha, beta, tau, send_overhead, ... */
    const char *level;       /* "all", "node", "net"; of tau "all" */
    double from, upto;       /* the regime: sizes above from, up to upto */
    int tau;                 /* index of tau, or -1 */
    int ppn;                 /* of kappa; else 0 */
    double value, lo, hi;
};

#define CHORALE_MODEL_PARAMS (CHORALE_FIT_MAX + 8)

/* What is known of one variant at one number of ranks. */
struct chorale_model_ranks {
    int comm_size;
    size_t npoints;
    size_t nwild;            /* of them not foretold, and in no error below:
                              * messages that just meet or just miss */
    double error;            /* worst, fitted without this number of ranks;
                              * NAN: nothing to fit then */
    double ahead;            /* worst, fitted to at most half as many; NAN */
    size_t m_lo, m_hi;       /* block sizes from which to which the former is
                              * within the bound; m_lo > m_hi: none */
    size_t m_max;            /* the largest block measured */
};

/* How well one variant is described in one shape; a row of the lack of fit. */
struct chorale_model_variant {
    enum chorale_coll coll;
    const char *name, *shape;
    int ppn;
    size_t npoints, nwild;
    double median_error, worst_error;
    double loo_error;        /* 90th percentile over its points, each foretold
                              * by a fit without its number of ranks; NAN */
    double lack;             /* p-value of the lack of fit against what
                              * launches differ by; NAN: no launches to tell
                              * and times not exact */
    double reach, reach_m;   /* ratio by which more ranks, larger blocks were
                              * foretold within the bound; 1: not beyond */
    int lacks;               /* significantly, and beyond the bound: to be
                              * used at measured points only */
    int trusted;             /* loo_error is within the bound, and not lacks */
    size_t nranks;
    struct chorale_model_ranks *ranks; /* ascending */
};

struct chorale_model_opts {
    int ports;               /* 0: by lack of fit; 1: one port; 2: overlapped */
    int no_breaks;           /* do not look for breakpoints */
    int no_check;            /* no cross-validation */
    int max_procs;           /* fit to at most so many ranks, and foretell the
                              * others; 0: fit to all */
    int exact;               /* times are simulated: launches do not differ */
    struct chorale_progress *bar; /* moves as the fit does; or NULL */
    int (*asked)(void);      /* whether to stop, looked at often; or NULL */
};

struct chorale_model {
    struct chorale_net net;
    size_t ntau;
    struct chorale_model_tau tau[CHORALE_MODEL_TAUS];
    size_t nparam;
    struct chorale_model_param param[CHORALE_MODEL_PARAMS];
    struct chorale_fit_result fit; /* of the points; values are not these */
    double lack[2];          /* mean |log(measured / model)|, at most 0.5 each,
                              * of one port and of overlapped; NAN: not tried */
    size_t npoints, nlaunch;
    size_t ncell;            /* cells that could have been fitted */
    size_t nskipped;         /* runs of unknown variants, types or shapes */
    size_t nopaque;          /* runs whose messages cannot be written down */
    int trusted;
    struct chorale_run_point worst; /* where the worst error is */
    struct {
        size_t npoints;      /* of more ranks than opts.max_procs */
        double median, worst; /* |model / measured - 1| there */
        struct chorale_run_point at; /* the worst */
    } beyond;
    size_t nvariant;
    struct chorale_model_variant *variant;
};

/* Fit. system names it in error lines; opts may be NULL. CHORALE_DATA: nothing
 * measured, or what was measured does not separate alpha from beta.
 * CHORALE_STOPPED: opts->asked() said so. The texts point into points. */
enum chorale_err chorale_model_fit(const struct chorale_points *points,
                                   const char *system,
                                   const struct chorale_model_opts *opts,
                                   struct chorale_model *model,
                                   struct chorale_errmsg *msg);
void chorale_model_release(struct chorale_model *model);

/* Level of the alpha that each further link between nodes takes; the levels of
 * kappa tell links by name (topology.h) and patterns ("shift 4", "mirror"). */
#define CHORALE_MODEL_HOP "hop"

/* What model.value of param overlapped is at most. */
#define CHORALE_MODEL_OVERLAPPED 9e18

/* "one_port", "overlapped", "overlapped up to 65536". text: 48 characters. */
const char *chorale_model_ports(const struct chorale_net *net, char *text);

/* Replace the rows that a system has in model, model_variant and model_ranks,
 * all or none. */
enum chorale_err chorale_model_store(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     const struct chorale_model *model,
                                     struct chorale_errmsg *msg);

#endif
