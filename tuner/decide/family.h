/* SPDX-License-Identifier: BSD-3-Clause */
/* family.h - all that was measured of one collective, placement, type and
 * operation, as lines of sizes by process count, and what the model, calibrated
 * on them, makes of the points between. */
#ifndef CHORALE_TUNER_DECIDE_FAMILY_H
#define CHORALE_TUNER_DECIDE_FAMILY_H

#include "algorithms/alg.h"
#include "tuner/decide/decide.h"
#include "tuner/model/predict.h"

/* Seconds a message, a byte and a reduced byte; alpha NAN: no model. */
struct chorale_family_net {
    double alpha, beta, tau;
};

/* Notes of schedules (network.h) that one table may play, about 100 ns each; what
 * takes more is foretold by cost formulas on a network of three numbers. A
 * table of more cells (candidates at measured sizes) than CELLS may play less
 * in proportion: little lies between the points of a large grid. */
#define CHORALE_FAMILY_NOTES 1.2e8
#define CHORALE_FAMILY_CELLS 6000

/* A candidate of the family; [0] is the library. */
struct chorale_member {
    const char *provider, *variant, *params;
    const struct chorale_alg *alg; /* NULL: none of ours */
    int lacks;               /* its model lacks fit: what nothing checked is
                              * not believed */
    long value[CHORALE_MAX_PARAM];
};

/* How times between process counts are guessed: interpolated as ratios to the
 * model, or as they are. */
enum chorale_guess_kind {
    CHORALE_GUESS_MODEL,
    CHORALE_GUESS_PLAIN,
    CHORALE_GUESS_KINDS
};

/* The measured sizes at one process count, in ascending n. Logarithms of
 * seconds: NAN not measured, INFINITY must not be chosen. */
struct chorale_line {
    int comm_size;
    struct chorale_spot *spot; /* picks become those of the rows */
    size_t nspot;
    double *log_time;        /* [nspot][ncand] */
    double *error[CHORALE_GUESS_KINDS]; /* [nspot][ncand] |guess / measured - 1|
                              * of the guess from the lines on both sides;
                              * NAN */
};

struct chorale_family {
    const struct chorale_run_point *point; /* any run of it */
    const struct chorale_decide_opts *opts;
    struct chorale_family_net net;
    struct chorale_predictor *model; /* NULL: none */
    int played;              /* its schedules are played, and not formulas */
    struct chorale_line *line; /* ascending in comm_size */
    size_t nline;
    struct chorale_member *cand;
    size_t ncand;
};

/* The parameters for that type and operation of a model; NULL: none. */
struct chorale_family_net
chorale_family_network(const struct chorale_predictor *model,
                       const struct chorale_run_point *point);

/* 1 if two runs belong to one family. */
int chorale_family_same(const struct chorale_run_point *a,
                        const struct chorale_run_point *b);

/* The family of first among spot[0, nspot), which are sorted by process count
 * within a family. -1: out of memory; release it in either case. */
int chorale_family_init(struct chorale_family *fam,
                        struct chorale_spot *spot, size_t nspot,
                        const struct chorale_spot *first,
                        struct chorale_predictor *model,
                        const struct chorale_decide_opts *opts);
void chorale_family_release(struct chorale_family *fam);

/* The member that a spot's candidate is, ncand if none. */
size_t chorale_family_member(const struct chorale_family *fam,
                             const struct chorale_cand *cand);

/* NULL if the table may choose that variant at n bytes and comm_size ranks,
 * else why not (static). */
const char *chorale_family_bars(const struct chorale_family *fam, size_t cand,
                                size_t n, int comm_size);

/* Mark in near [ncand] those that at a measured size beside n on that line
 * took at most CHORALE_FAMILY_NEAR log units more than the fastest, or were not
 * measured there: who is further behind is not worth a guess. */
#define CHORALE_FAMILY_NEAR 0.25
void chorale_family_near(const struct chorale_family *fam, size_t line,
                         size_t n, unsigned char *near);

/* Logarithm of the seconds that a candidate is expected to take at n bytes on
 * a line, and between lines k and k + 1 at comm_size ranks; NAN: unknown.
 * Between lines it is the kind of guess that was less wrong; *error_p (may be
 * NULL): how wrong it may be: the larger error of the lines k and k + 1 beside
 * n, each guessed from its neighbours, times how much narrower this gap is (in
 * log P). Where neither could be checked, schedules are played and the
 * variant's model does not lack fit (chorale_predict_lacks): by how much
 * what the model is off by differs between the two lines; where it was measured
 * on one of them only, and no error forbids that: for other candidates, the
 * largest. NAN: nothing tells. The library is guessed as a variant that takes
 * as long as it does at the sizes beside n on both lines, if guesses of that
 * variant were right within 4 %. */
double chorale_family_on(const struct chorale_family *fam, size_t line,
                         size_t cand, size_t n);
double chorale_family_between(const struct chorale_family *fam, size_t k,
                              size_t cand, size_t n, int comm_size,
                              double *error_p);

double chorale_family_guess(const struct chorale_family *fam,
                            enum chorale_guess_kind kind, size_t k,
                            size_t cand, size_t n, int comm_size);

/* Where a candidate has no error of its own, the model's for its variant with
 * other parameters, the largest. Once, when the errors are known. */
void chorale_family_fill_errors(struct chorale_family *fam);

/* Of two stops, at each of which another choice is the best by so many log
 * units, the last n at which the first one still is. */
size_t chorale_crossing(size_t n_a, size_t n_b, double left, double right);

#endif
