/* SPDX-License-Identifier: BSD-3-Clause */
/* family.c - predictions between and beyond measured points, and their error
 * estimates: variants take a known multiple of the model's time, and some are
 * not measured everywhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/decide/family.h"

#define LOW 8
#define HIGH 24
#define LEAST 64
#define MOST 65536

/* Candidates of bcast with their times at LOW and at HIGH ranks as multiples of
 * the model's time; 0: not measured, -1: invalid. */
static const struct who {
    const char *provider, *variant;
    double low, high;
    long from, to;           /* sizes at LOW */
} who[] = {
    { "library", "default", 3, 3, LEAST, MOST },
    { "chorale", "binomial", 1, 1.1, LEAST, MOST },
    { "chorale", "linear", 1, 1.25, LEAST, MOST },
    { "chorale", "knomial", 1.5, 0, LEAST, MOST },
    { "chorale", "pipeline", 0, 0.7, LEAST, MOST },
    { "chorale", "chain", 1, -1, LEAST, MOST },
    { "native", "theirs", 2, 0, LEAST, MOST },
    { "chorale", "binary", 1, 1, LEAST, 1024 },
    { "chorale", "kary", 1, 1, 4096, MOST },
    { "chorale", "scatter_ring_allgather", 1, 1, LEAST, MOST },
};
enum { LIBRARY, BINOMIAL, LINEAR, KNOMIAL, PIPELINE, CHAIN, NATIVE, BINARY,
       KARY, RING, NWHO };

/* The model's seconds; for other providers those of binomial. */
static double model(struct chorale_predictor *p, const struct who *w, long m,
                    int comm_size)
{
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_BCAST, w->variant);
    const struct chorale_where where = {
        .coll = CHORALE_BCAST, .comm_size = comm_size, .ppn = 1,
        .shape = "one-per-node", .msg_size = (size_t)m, .dtype = "byte",
        .op = "", .op_class = "", .root_policy = "last",
    };
    long value[CHORALE_MAX_PARAM];
    char why[160];

    if (alg == NULL)
        alg = chorale_alg_find(CHORALE_BCAST, "binomial");
    if (chorale_alg_params_parse(alg, "", value, why, sizeof(why)) != 0)
        exit(99);
    return chorale_predict(p, alg, value, &where);
}

static void add(struct fixture *f, const struct who *w, long m, int comm_size,
                double seconds)
{
    struct fixture_run run = {
        "bcast", w->provider, w->variant, "", comm_size, 1, m, 0,
        fabs(seconds), seconds < 0 ? "invalid" : NULL, NULL, NULL, NULL,
    };

    fixture_add(f, &run);
}

/* A network of 1 us per message and 1 ns per byte, fitted to two variants. */
static struct chorale_predictor *network(void)
{
    struct chorale_points points = { .row = NULL };
    struct chorale_predictor *p = NULL;
    struct fixture f;

    fixture_open(&f, "net", 1);
    for (int comm_size = 4; comm_size <= 32; comm_size *= 2)
        for (long m = LEAST; m <= MOST; m *= 4) {
            double t = 1e-6 + 1e-9 * (double)m;

            add(&f, &who[BINOMIAL], m, comm_size, log2(comm_size) * t);
            add(&f, &who[LINEAR], m, comm_size, (comm_size - 1) * t);
        }
    if (chorale_points_load(f.store, 1, &points, NULL) == CHORALE_OK)
        p = chorale_predictor_fit(&points);
    chorale_points_release(&points);
    fixture_close(&f);
    return p;
}

struct world {
    struct fixture f;
    struct chorale_points points;
    struct chorale_decide_opts opts;
    struct chorale_predictor *model;
    struct chorale_measured *spot;
    size_t nspot;
    struct chorale_family fam;
    size_t cand[NWHO];       /* index of each candidate */
};

/* Make a family with the candidates in mask; returns 1 if it is made. */
static int begin(struct world *w, unsigned mask)
{
    struct chorale_errmsg msg;

    memset(w, 0, sizeof(*w));
    w->opts = (struct chorale_decide_opts){ .simulated = 1, .compact = 0.01,
                                            .max_scratch = -1 };
    w->model = network();
    fixture_open(&w->f, "family", 1);
    for (int i = 0; i < NWHO && w->model != NULL; i++)
        for (long m = LEAST; m <= MOST && (mask >> i & 1); m *= 4) {
            if (who[i].low != 0 && m >= who[i].from && m <= who[i].to)
                add(&w->f, &who[i], m, LOW,
                    who[i].low * model(w->model, &who[i], m, LOW));
            if (who[i].high != 0)
                add(&w->f, &who[i], m, HIGH,
                    who[i].high * model(w->model, &who[i], m, HIGH));
        }
    if (w->model == NULL ||
        chorale_points_load(w->f.store, 1, &w->points, &msg) != CHORALE_OK ||
        chorale_decide_sizes(&w->points, &w->opts, &w->spot, &w->nspot,
                             &msg) != CHORALE_OK ||
        chorale_family_init(&w->fam, w->spot, w->nspot, w->spot, w->model,
                            &w->opts) != 0)
        return 0;
    for (size_t c = 0; c < w->fam.ncand; c++)
        for (int i = 0; i < NWHO; i++)
            if (strcmp(w->fam.cand[c].run->variant, who[i].variant) == 0)
                w->cand[i] = c;
    return w->fam.nline == 2 && w->fam.played;
}

static void end(struct world *w)
{
    chorale_family_release(&w->fam);
    for (size_t i = 0; i < w->nspot; i++)
        chorale_measured_release(&w->spot[i]);
    free(w->spot);
    chorale_points_release(&w->points);
    chorale_predictor_free(w->model);
    fixture_close(&w->f);
}

static int near(double got, double want)
{
    return fabs(got - want) < 1e-3 * fabs(want);
}

/* Predicted time of a candidate at 4 KiB and 16 ranks over the model's time;
 * NAN without a prediction. */
static double between(struct world *w, int i, double *error_p)
{
    return exp(chorale_family_between(&w->fam, 0, w->cand[i], 4096, 16,
                                      error_p)) /
           model(w->model, &who[i], 4096, 16);
}

/* Predictions between two process counts. */
static void test_between(void)
{
    double halfway = log(16.0 / LOW) / log((double)HIGH / LOW), error, got;
    struct world w;

    tap_ok(begin(&w, (1u << NWHO) - 1),
           "a family of two process counts is made");
    got = between(&w, LINEAR, &error);
    tap_ok(near(got, pow(1.25, halfway)),
           "measured on both sides: the ratio to the model is interpolated "
           "(%.3f)", got);
    tap_ok(near(error, 0.25), "its error estimate is the difference (%.3f)",
           error);
    got = between(&w, KNOMIAL, &error);
    tap_ok(near(got, 1.5),
           "measured below only: the ratio there is used (%.3f)", got);
    tap_ok(near(error, 0.25),
           "its error estimate is the largest of the others (%.3f)",
           error);
    got = between(&w, PIPELINE, &error);
    tap_ok(near(got, 0.7),
           "measured above only: the ratio there is used (%.3f)", got);
    tap_ok(isnan(chorale_family_guess(&w.fam, CHORALE_GUESS_PLAIN, 0,
                                      w.cand[KNOMIAL], 4096, 16)),
           "without the model it is not predicted");
    tap_ok(isnan(between(&w, CHAIN, NULL)),
           "a variant that is invalid above is not predicted");
    tap_ok(isnan(between(&w, NATIVE, NULL)),
           "a variant of another table is not predicted");
    w.fam.cand[w.cand[LINEAR]].lacks = w.fam.cand[w.cand[KNOMIAL]].lacks = 1;
    tap_ok(isfinite(between(&w, LINEAR, &error)) && isnan(error) &&
               isnan(between(&w, KNOMIAL, NULL)),
           "a model that lacks fit: no error estimate, and one side is not "
           "enough");
    w.fam.cand[w.cand[LINEAR]].lacks = w.fam.cand[w.cand[KNOMIAL]].lacks = 0;
    w.fam.played = 0;
    tap_ok(isnan(between(&w, KNOMIAL, NULL)),
           "without simulated schedules one side is not enough");
    got = between(&w, LINEAR, &error);
    tap_ok(isfinite(got) && isnan(error),
           "both sides are enough, but there is no error estimate");
    end(&w);
    tap_ok(begin(&w, 1u << LIBRARY | 1u << LINEAR | 1u << KNOMIAL),
           "a family with one candidate on both sides is made");
    got = between(&w, KNOMIAL, &error);
    tap_ok(near(got, 1.5) && isnan(error),
           "one such candidate gives no error estimate of another");
    end(&w);
    tap_ok(begin(&w, 1u << LIBRARY | 1u << LINEAR | 1u << KNOMIAL |
                         1u << PIPELINE),
           "a family with one candidate on both sides and two on one is made");
    between(&w, KNOMIAL, &error);
    tap_ok(near(error, 1.5 / 0.7 - 1),
           "its error estimate is the largest difference between any cells "
           "(%.3f)", error);
    end(&w);
    tap_ok(begin(&w, 1u << LIBRARY | 1u << LINEAR | 1u << KNOMIAL |
                         1u << BINARY),
           "a family with another candidate, at other sizes, is made");
    between(&w, KNOMIAL, &error);
    tap_ok(near(error, 0.25), "candidates at other sizes count as well (%.3f)",
           error);
    end(&w);
}

/* For a variant of which the library does a part, the time between two process
 * counts is predicted from its own times, as for the library: not by a schedule
 * or formula. */
static void test_by_library(void)
{
    const struct chorale_alg *alg =
        chorale_alg_find(CHORALE_BCAST, "or_allreduce");
    struct chorale_run_point run, other;
    struct chorale_member *m;
    double want, got;
    struct world w;

    if (alg == NULL)
        return; /* built without patented variants */
    tap_ok(begin(&w, 1u << LIBRARY | 1u << BINOMIAL | 1u << LINEAR),
           "a family of the library and two candidates is made");
    m = &w.fam.cand[w.cand[LINEAR]];
    run = *m->run;
    run.config = chorale_alg_configure(CHORALE_BCAST, alg->name,
                                       "base=library");
    m->run = &run;
    m->modelled = chorale_family_models(&w.fam, &run);
    tap_ok(run.config.alg == alg, "one candidate is set to base=library");
    for (w.fam.played = 0; w.fam.played <= 1; w.fam.played++) {
        want = chorale_family_guess(&w.fam, CHORALE_GUESS_PLAIN, 0,
                                    w.cand[LINEAR], 4096, 16);
        got = chorale_family_between(&w.fam, 0, w.cand[LINEAR], 4096, 16,
                                     NULL);
        tap_ok(near(got, want), "base=library is predicted from its own times"
               "%s (%.3f)", w.fam.played ? " where schedules are simulated"
                                         : "",
               exp(got - want));
    }
    /* Its times, which no schedule predicts, say nothing about another base. */
    w.fam.played = 1;
    run.config = chorale_alg_configure(CHORALE_BCAST, alg->name,
                                       "base=recursive_doubling");
    other = *w.fam.cand[w.cand[BINOMIAL]].run;
    other.config = run.config;
    w.fam.cand[w.cand[BINOMIAL]].run = &other;
    run.config = chorale_alg_configure(CHORALE_BCAST, alg->name,
                                       "base=library");
    for (size_t j = 0; j < w.fam.nline; j++)
        for (size_t i = 0; i < w.fam.line[j].nspot; i++)
            w.fam.line[j].log_time[i * w.fam.ncand + w.cand[BINOMIAL]] = NAN;
    tap_ok(isnan(chorale_family_on(&w.fam, 0, w.cand[BINOMIAL], 4096)),
           "the times of base=library do not predict another base");
    end(&w);
}

/* The library takes low and high times as long as the ring. */
static void as_ring(struct world *w, double low, double high)
{
    for (size_t j = 0; j < 2; j++) {
        struct chorale_line *line = &w->fam.line[j];

        for (size_t i = 0; i < line->nspot; i++) {
            double *t = line->log_time + i * w->fam.ncand;

            t[0] = t[w->cand[RING]] + log(j == 0 ? low : high);
        }
    }
}

/* A library that seems to run a known variant is predicted like it. */
static void test_twin(void)
{
    double want, got;
    struct world w;

    tap_ok(begin(&w, 1u << LIBRARY | 1u << BINOMIAL | 1u << RING),
           "a family of the library and two candidates is made");
    want = model(w.model, &who[RING], 4096, 16);
    as_ring(&w, 1, 1);
    got = exp(chorale_family_between(&w.fam, 0, 0, 4096, 16, NULL));
    tap_ok(near(got, want), "a library as fast as the ring on both sides is"
           " as fast between (%.3f)", got / want);
    as_ring(&w, 1.005, 0.995);
    got = exp(chorale_family_between(&w.fam, 0, 0, 4096, 16, NULL));
    tap_ok(near(got, want),
           "a difference of 0.5 %% is noise (%.3f)", got / want);
    as_ring(&w, 1, 1.02);
    got = exp(chorale_family_between(&w.fam, 0, 0, 4096, 16, NULL));
    tap_ok(!near(got, want), "2 %% on one side is a different algorithm (%.3f)",
           got / want);
    as_ring(&w, 1.02, 1);
    got = exp(chorale_family_between(&w.fam, 0, 0, 4096, 16, NULL));
    tap_ok(!near(got, want),
           "2 %% on the other side as well (%.3f)", got / want);
    for (size_t i = 0; i < w.fam.line[1].nspot; i++)
        w.fam.line[1].log_time[i * w.fam.ncand + w.cand[RING]] += log(1.06);
    as_ring(&w, 1, 1);
    want = exp(chorale_family_guess(&w.fam, CHORALE_GUESS_PLAIN, 0, 0, 4096,
                                    16));
    got = exp(chorale_family_between(&w.fam, 0, 0, 4096, 16, NULL));
    tap_ok(near(got, want), "if the ring is predicted badly, only the library's"
           " own times count (%.3f)", got / want);
    want = model(w.model, &who[RING], 4096, 16);
    w.fam.played = 0;
    got = exp(chorale_family_between(&w.fam, 0, 0, 4096, 16, NULL));
    tap_ok(!near(got, want), "without schedules only its own times count"
           " is (%.3f)", got / want);
    end(&w);
}

/* A family of bcast at LOW ranks and two sizes, at which the library and some
 * candidates take so many times the model's time of the binomial tree. */
static void begin_tree(struct world *w, const long size[2],
                       double times[NWHO][2])
{
    struct chorale_errmsg msg;

    memset(w, 0, sizeof(*w));
    w->opts = (struct chorale_decide_opts){ .simulated = 1, .compact = 0.01,
                                            .max_scratch = -1 };
    w->model = network();
    fixture_open(&w->f, "tree", 1);
    for (int i = 0; i < NWHO; i++)
        for (int k = 0; k < 2; k++)
            if (times[i][k] > 0)
                add(&w->f, &who[i], size[k], LOW, times[i][k] *
                        model(w->model, &who[BINOMIAL], size[k], LOW));
    if (chorale_points_load(w->f.store, 1, &w->points, &msg) != CHORALE_OK ||
        chorale_decide_sizes(&w->points, &w->opts, &w->spot, &w->nspot,
                             &msg) != CHORALE_OK ||
        chorale_family_init(&w->fam, w->spot, w->nspot, w->spot, w->model,
                            &w->opts) != 0)
        exit(99);
}

/* A library that takes as long as the binomial tree at one size, and three
 * times as long at the next, may use that tree at all sizes between. */
static void test_twin_along(void)
{
    static const long size[] = { 1024, 1900 };
    double times[NWHO][2] = { [LIBRARY] = { 1, 3 }, [BINOMIAL] = { 1, 1.3 },
                              [LINEAR] = { 0.9, 2.5 }, [RING] = { 3, 1.2 } };
    struct chorale_decision *rows = NULL;
    size_t count = 0;
    double got, want;
    struct world w;

    begin_tree(&w, size, times);
    got = chorale_family_on(&w.fam, 0, 0, 1400);
    for (size_t c = 1; c < w.fam.ncand; c++)
        if (strcmp(w.fam.cand[c].run->variant, "binomial") == 0)
            w.cand[BINOMIAL] = c;
    want = chorale_family_on(&w.fam, 0, w.cand[BINOMIAL], 1400);
    tap_ok(near(exp(got), exp(want)), "the library between two sizes is as fast"
           " as the tree that it used at one of them (%.3f)", exp(got - want));
    if (chorale_decide_rows(&w.fam, &rows, &count) != 0)
        exit(99);
    tap_ok(count == 3 && strcmp(rows[0].run->variant, "linear") == 0 &&
               strcmp(rows[1].run->variant, "default") == 0 &&
               strcmp(rows[2].run->variant, who[RING].variant) == 0,
           "it serves the sizes at which neither choice is as fast");
    for (size_t i = 0; i < count; i++)
        tap_diag("%zu-%zu %s", rows[i].n_lo, rows[i].n_hi,
                 rows[i].run->variant);
    free(rows);
    end(&w);
}

/* Predictions along sizes, next to sizes at which other candidates were
 * measured but this one was not. */
static void test_along(void)
{
    static const struct {
        int who;
        size_t n;
        int played, known;
        const char *what;
    } cases[] = {
        { BINARY, 512, 1, 1, "between its sizes" },
        { BINARY, 4095, 1, 1, "beyond its last, before the next one" },
        { BINARY, 4096, 1, 0, "at the next one" },
        { BINARY, 60000, 1, 0, "beyond that" },
        { BINARY, 2000, 0, 0, "beyond its last by a formula" },
        { KARY, 1025, 1, 1, "before its first, after the one before" },
        { KARY, 1024, 1, 0, "at the one before" },
        { KARY, 100, 1, 0, "before that" },
        { KARY, 2000, 0, 0, "before its first by a formula" },
        { LINEAR, 100000, 1, 1, "beyond all sizes" },
        { LINEAR, 8, 1, 1, "before all sizes" },
    };
    struct world w;
    int made = begin(&w, (1u << NWHO) - 1);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && made; i++) {
        int c = cases[i].who;
        double got, want;

        w.fam.played = cases[i].played;
        got = exp(chorale_family_on(&w.fam, 0, w.cand[c], cases[i].n));
        want = model(w.model, &who[c], (long)cases[i].n, LOW);
        tap_ok(cases[i].known ? near(got, want) : isnan(got),
               "%s is %sguessed %s (%.3f)", who[c].variant,
               cases[i].known ? "" : "not ", cases[i].what, got / want);
    }
    end(&w);
}

int main(void)
{
    test_between();
    test_by_library();
    test_twin();
    test_twin_along();
    test_along();
    return tap_done();
}
