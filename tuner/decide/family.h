/* SPDX-License-Identifier: BSD-3-Clause */
/* family.h - all measurements of one collective, placement, type and operation,
 * and predictions between them by the calibrated model. */
#ifndef CHORALE_TUNER_DECIDE_FAMILY_H
#define CHORALE_TUNER_DECIDE_FAMILY_H

#include "algorithms/alg.h"
#include "tuner/decide/decide.h"
#include "tuner/decide/smooth.h"
#include "tuner/model/predict.h"

/* Seconds per message, byte and reduced byte; alpha NAN: no model. */
struct chorale_family_net {
    double alpha, beta, tau;
};

/* Limit of the schedule events (network.h) that a family may replay by its
 * estimate, about 100 ns each; beyond it cost formulas predict. Above CELLS
 * cells of all families (candidates at measured sizes) the limit shrinks in
 * proportion, as a large grid needs less interpolation. */
#define CHORALE_FAMILY_EVENTS 4e7
#define CHORALE_FAMILY_CELLS 6000

/* A candidate of the family. [0] is the library; others follow by simplicity
 * (chorale_alg_config_place), natives last. */
struct chorale_member {
    const struct chorale_run_point *run; /* as in struct chorale_cand */
    int modelled;            /* as of chorale_family_models() */
    int lacks;               /* its model lacks fit: use only predictions that
                              * were checked */
};

/* How times between process counts are predicted: by interpolating the ratio to
 * the model, or the times themselves. */
enum chorale_guess_kind {
    CHORALE_GUESS_MODEL,
    CHORALE_GUESS_PLAIN,
    CHORALE_GUESS_KINDS
};

/* The measured sizes at one process count, in ascending n. Log times: NAN not
 * measured, INFINITY must not be chosen. */
struct chorale_line {
    int comm_size;
    struct chorale_measured *spot; /* their picks become those of the rows */
    size_t nspot;
    double *log_time;        /* [nspot][ncand] */
    double *error[CHORALE_GUESS_KINDS]; /* [nspot][ncand] |guess / measured - 1|
                              * of the guess from both neighbouring lines;
                              * NAN: unknown */
};

struct chorale_family {
    const struct chorale_run_point *point; /* any run of it */
    const struct chorale_decide_opts *opts;
    struct chorale_family_net net;
    struct chorale_predictor *model; /* or NULL */
    const struct chorale_smooth *smooth; /* set by the caller after
                              * chorale_family_init(); NULL: times are not
                              * smoothed */
    int played;              /* schedules are replayed; 0: formulas are used */
    double apart;            /* ratio - 1 of the model's largest and least error
                              * at any cells; NAN: unknown */
    struct chorale_line *line; /* ascending in comm_size */
    size_t nline;
    struct chorale_member *cand;
    size_t ncand;
};

/* The model's parameters for that type and operation; alpha NAN if model is
 * NULL. */
struct chorale_family_net
chorale_family_network(const struct chorale_predictor *model,
                       const struct chorale_run_point *point);

/* 1 if two runs belong to one family. */
int chorale_family_same(const struct chorale_run_point *a,
                        const struct chorale_run_point *b);

/* Build the family of first from spot[0, nspot), sorted by process count within
 * a family. -1: out of memory; release it in either case. */
int chorale_family_init(struct chorale_family *fam,
                        struct chorale_measured *spot, size_t nspot,
                        const struct chorale_measured *first,
                        struct chorale_predictor *model,
                        const struct chorale_decide_opts *opts);
void chorale_family_release(struct chorale_family *fam);

/* The member with that provider, variant and parameters, or ncand. */
size_t chorale_family_member(const struct chorale_family *fam,
                             const struct chorale_run_point *run);

/* 1 if the model predicts that candidate: it is one of Chorale's variants, the
 * library runs no part of it, and there is a model. */
int chorale_family_models(const struct chorale_family *fam,
                          const struct chorale_run_point *run);

/* NULL if the table may choose that variant at n bytes and comm_size ranks,
 * else the reason (static). */
const char *chorale_family_excluded(const struct chorale_family *fam,
                                    size_t cand,
                                    size_t n, int comm_size);

/* Mark in near[ncand] the members worth a prediction at n. At a measured size
 * next to n they took at most CHORALE_FAMILY_NEAR log units more than the
 * fastest, or were not measured. */
#define CHORALE_FAMILY_NEAR 0.25
void chorale_family_near(const struct chorale_family *fam, size_t line,
                         size_t n, unsigned char *near);

/* Predicted log seconds of a candidate at n bytes, on a line, or between lines
 * k and k + 1 at comm_size ranks; NAN: unknown.
 *
 * Between lines the kind of guess with the smaller error is used. *error_p (may
 * be NULL) receives its error, NAN: unknown.
 *  - Usually lines k and k + 1 were themselves predicted from their neighbours
 *    as a check. The error is the larger one at the sizes next to n, times the
 *    ratio of the gap widths in log P.
 *  - Without such a check it is the difference between the model's errors on
 *    the two lines.
 *  - If the variant was measured on one line only, it is the largest such
 *    difference of other candidates, or without these the largest difference
 *    between the model's errors at any cells.
 * The last two need replayed schedules and a model without lack of fit
 * (chorale_predict_lacks()).
 *
 * If a variant takes as long as the library next to n on both lines, and was
 * predicted within 4 %, it predicts the library too. On a line one measured
 * size next to n is enough, and the smaller prediction counts: where the
 * library changes between two sizes is unknown. */
double chorale_family_on(const struct chorale_family *fam, size_t line,
                         size_t cand, size_t n);
double chorale_family_between(const struct chorale_family *fam, size_t k,
                              size_t cand, size_t n, int comm_size,
                              double *error_p);

/* Like chorale_family_between(), by one kind of guess, and without a
 * replacement for the library. */
double chorale_family_guess(const struct chorale_family *fam,
                            enum chorale_guess_kind kind, size_t k,
                            size_t cand, size_t n, int comm_size);

/* Set apart, and give candidates without a model error the largest one of their
 * variant with other parameters. Call once, when the errors are known. */
void chorale_family_fill_errors(struct chorale_family *fam);

/* decide_smooth.c: let got be the smoothed times of like's collective, type and
 * operation, if opts ask for them; keeps those it has if they are. -1: out of
 * memory. got starts empty; free got->smooth at last. */
struct chorale_smoothed {
    struct chorale_smooth *smooth;
    const struct chorale_run_point *like;
};
int chorale_smooth_for(const struct chorale_points *points,
                       const struct chorale_decide_opts *opts,
                       const struct chorale_run_point *like,
                       struct chorale_smoothed *got);

/* Smoothed log seconds of a candidate; as of chorale_smooth_at(). */
double chorale_family_smooth(const struct chorale_family *fam, size_t cand,
                             size_t n, int comm_size);

/* Between two sizes, at each of which another choice is better by the given log
 * units: the last n at which the first choice is still better. */
size_t chorale_family_crossing(size_t n_a, size_t n_b, double left,
                               double right);

#endif
