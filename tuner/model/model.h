/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h - fit the network parameters of a system (network.h) and tau to the
 * runs of Chorale's variants, whose schedules are known. */
#ifndef CHORALE_TUNER_MODEL_MODEL_H
#define CHORALE_TUNER_MODEL_MODEL_H

#include "db/store.h"
#include "tuner/model/least_squares.h"
#include "tuner/model/network.h"
#include "tuner/model/observations.h"
#include "tuner/base/progress.h"

#define CHORALE_MODEL_TAUS 8

/* The model is not trusted above this median error or this 90th percentile of
 * the errors. */
#define CHORALE_MODEL_TRUST 0.10
#define CHORALE_MODEL_TRUST_TAIL 0.30

/* A variant lacks fit if the p-value of the test is below this and its worst
 * error is above 10 %. The second condition is needed because very precise
 * times reveal lack of fit of any model. */
#define CHORALE_MODEL_LACK 0.01

/* A parameter is determined if its interval excludes zero and the ratio of its
 * ends is at most this. */
#define CHORALE_MODEL_SPAN 3.0

/* Limits on the fitted cells and on the recorded schedule events (network.h).
 * A larger database is sampled, spread over variants, process counts and sizes;
 * the sample is the same in each run. */
#define CHORALE_MODEL_CELLS 1000
#define CHORALE_MODEL_NOTES 100000

/* Time per reduced byte for one type and operation. */
struct chorale_model_tau {
    const char *dtype, *op;
    size_t type_size;
    int known;               /* 0: not separable from beta, excluded */
    struct chorale_net_regimes regime;
};

/* One parameter with its 95 % interval (NAN: unset). */
struct chorale_model_param {
    const char *name;        /* alpha, beta, tau, send_overhead, ... */
    const char *level;       /* "all", "node", "net"; for tau "all" */
    double from, upto;       /* regime: from < bytes <= upto */
    int tau;                 /* index in model.tau, or -1 */
    int ppn;                 /* for kappa; else 0 */
    double value, lo, hi;
};

#define CHORALE_MODEL_PARAMS (CHORALE_FIT_MAX + 8)

/* Cross-validation of one variant at one process count. */
struct chorale_model_ranks {
    int comm_size;
    size_t npoints;
    size_t nwild;            /* ill-conditioned points: two messages barely
                              * overlap or barely do not. They are not predicted
                              * and count in no error */
    double error;            /* worst error of a fit without this process
                              * count; NAN: not enough data for that fit */
    double ahead;            /* worst error of a fit to at most half as many
                              * ranks; NAN as above */
    size_t m_lo, m_hi;       /* block sizes [bytes] with error within the bound;
                              * m_lo > m_hi: empty range */
    size_t m_max;            /* largest block measured, bytes */
};

/* Fit quality of one variant in one shape, with the lack-of-fit test. */
struct chorale_model_variant {
    const struct chorale_alg *alg;
    const char *shape;
    int ppn;
    size_t npoints, nwild;
    double median_error, worst_error;
    double loo_error;        /* 90th percentile over its points, each predicted
                              * by a fit without its process count; NAN:
                              * unset */
    double lack;             /* p-value of the lack-of-fit test against the
                              * variance between launches; NAN: one launch, and
                              * times are not exact */
    double reach, reach_m;   /* ratio by which more ranks, or larger blocks,
                              * were predicted within the bound; 1: not at
                              * all */
    int lacks;               /* lack is significant and the worst error above
                              * the bound: use at measured points only */
    int trusted;             /* loo_error is within the bound, and not lacks */
    size_t npoor;            /* points with an error above
                              * CHORALE_MODEL_TRUST_TAIL, */
    size_t nfast;            /* and how many of them the model predicts too
                              * fast */
    size_t poor_lo, poor_hi; /* least and largest block size of these points,
                              * bytes */
    size_t nranks;
    struct chorale_model_ranks *ranks; /* ascending */
};

struct chorale_model_opts {
    int ports;               /* 0: choose by lack of fit; 1: one port; 2:
                              * overlapped */
    int no_breaks;           /* do not look for breakpoints */
    int no_check;            /* no cross-validation */
    int max_procs;           /* fit to at most this many ranks and predict the
                              * rest; 0: fit to all */
    int exact;               /* simulated times, equal in all launches */
    struct chorale_progress *bar; /* advances with the fit; or NULL */
    int (*asked)(void);      /* polled: nonzero stops the fit; or NULL */
};

struct chorale_model {
    struct chorale_net net;
    size_t ntau;
    struct chorale_model_tau tau[CHORALE_MODEL_TAUS];
    size_t nparam;
    struct chorale_model_param param[CHORALE_MODEL_PARAMS];
    struct chorale_fit_result fit; /* errors over the points; its values are by
                              * column, see param */
    double lack[2];          /* mean |log(measured / model)|, capped at 0.5 per
                              * cell: one port, overlapped; NAN: not tried */
    size_t npoints, nlaunch;
    size_t ncell;            /* cells available for the fit */
    size_t nskipped;         /* runs of unknown variants, types or shapes */
    size_t nopaque;          /* runs without a known schedule */
    int trusted;
    struct chorale_run_point worst; /* point with the worst error */
    struct {
        size_t npoints;      /* with more ranks than opts.max_procs */
        double median, worst; /* |model / measured - 1| there */
        struct chorale_run_point at; /* point with the worst error */
    } beyond;
    struct {
        size_t npoints;      /* points predicted by fits without their block
                              * size; 0: simulated, or fewer than three sizes */
        double median, tail; /* |predicted / measured - 1|; tail: 90th
                              * percentile */
    } sizes;
    size_t nvariant;
    struct chorale_model_variant *variant;
};

/* Fit. system: its name for error lines; opts may be NULL. Texts in model point
 * into points, which must live as long. CHORALE_DATA: no measurements, or alpha
 * and beta are not separable. CHORALE_STOPPED: opts->asked() requested it.
 * CHORALE_ENV: out of memory. *model is unchanged on error. */
enum chorale_err chorale_model_fit(const struct chorale_points *points,
                                   const char *system,
                                   const struct chorale_model_opts *opts,
                                   struct chorale_model *model,
                                   struct chorale_errmsg *msg);
void chorale_model_release(struct chorale_model *model);

/* Bytes that SimGrid adds to each message: the alpha of a simulated network
 * contains their time. */
#define CHORALE_MODEL_SIM_HEADER 16

/* Level of the alpha of each further link between nodes. The levels of kappa
 * are names of links (topology.h) and of patterns ("shift 4", "mirror"). */
#define CHORALE_MODEL_HOP "hop"

/* Level of copy, of cold for copies and reductions, and of alpha, the time of a
 * copy or reduction of any size. */
#define CHORALE_MODEL_LOCAL "rank"

/* Level of the parameter overlapped whose value is copied_upto (network.h); it
 * is stored if ranks copy messages. */
#define CHORALE_MODEL_COPIED "copied"

/* model.value of the parameter overlapped if it is HUGE_VAL. */
#define CHORALE_MODEL_OVERLAPPED 9e18

/* "one_port", "overlapped", "overlapped up to 65536 bytes". text: 48
 * characters. */
const char *chorale_model_ports(const struct chorale_net *net, char *text);

/* Replace the rows of a system in model, model_variant and model_ranks, in one
 * transaction. */
enum chorale_err chorale_model_store(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     const struct chorale_model *model,
                                     struct chorale_errmsg *msg);

#endif
