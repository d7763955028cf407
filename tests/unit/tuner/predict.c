/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.c - a stored model predicts as its network simulates, and states
 * where it is reliable. */
#include "tuner/model/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

/* One port, alpha 1 us, beta 1 ns; above 8192 bytes 5 us and 0.5 ns. Binomial
 * is cross-validated at 4 to 16 ranks, at 16 only up to 64 KiB; linear
 * everywhere. */
static const char rows[] =
    "INSERT INTO system VALUES (1, 'u', 's', 'simulated', 'x', 'm', 't');"
    "INSERT INTO model (system_id, regime, param, value, unit, npoints, error,"
    " worst_error, trusted, upto) VALUES"
    " (1, '<= 8192', 'alpha', 1e-6, 's', 9, 0, 0, 1, 8192),"
    " (1, '> 8192', 'alpha', 5e-6, 's', 9, 0, 0, 1, NULL),"
    " (1, '<= 8192', 'beta', 1e-9, 's', 9, 0, 0, 1, 8192),"
    " (1, '> 8192', 'beta', 5e-10, 's', 9, 0, 0, 1, NULL),"
    " (1, 'all', 'overlapped', 0, 'bytes', 9, 0, 0, 1, NULL);"
    "INSERT INTO model_variant VALUES"
    " (1, 'bcast', 'binomial', 'one-per-node', 1, 9, 0, 0, 0, NULL, 8, 4, 1),"
    " (1, 'bcast', 'linear', 'one-per-node', 1, 9, 0, 0, 0, NULL, 8, 4, 1),"
    " (1, 'bcast', 'knomial', 'block', 4, 9, 0, 0.2, 0, 0.009, 8, 4, 0),"
    " (1, 'bcast', 'chain', 'block', 4, 9, 0, 0.09, 0, 0, 8, 4, 1),"
    " (1, 'bcast', 'binomial', 'block', 4, 9, 0, 0.2, 0, 0.011, 8, 4, 1);"
    "INSERT INTO model_ranks VALUES"
    " (1, 'bcast', 'binomial', 'one-per-node', 1, 4, 9, 0, 0, 8, 1048576,"
    "  1048576),"
    " (1, 'bcast', 'binomial', 'one-per-node', 1, 8, 9, 0, 0, 8, 1048576,"
    "  1048576),"
    " (1, 'bcast', 'binomial', 'one-per-node', 1, 16, 9, 0.4, 0, 8, 65536,"
    "  1048576),"
    " (1, 'bcast', 'linear', 'one-per-node', 1, 16, 9, 0, 0, 8, 1048576,"
    "  1048576);"
    "INSERT INTO model_ranks SELECT 1, 'bcast', variant, 'block', 4, p, 9, 0,"
    " 0, 8, 1024, 1024 FROM model_variant, (SELECT 8 AS p UNION SELECT 16)"
    " WHERE shape = 'block';";

/* Ten times slower between nodes than within a node. */
static const char two_levels[] =
    "INSERT INTO system VALUES (2, 'v', 't', 'simulated', 'y', 'm', 't');"
    "INSERT INTO model (system_id, level, param, value, unit, npoints, error,"
    " worst_error, trusted) VALUES"
    " (2, 'node', 'alpha', 1e-6, 's', 9, 0, 0, 1),"
    " (2, 'node', 'beta', 1e-10, 's', 9, 0, 0, 1),"
    " (2, 'net', 'alpha', 1e-5, 's', 9, 0, 0, 1),"
    " (2, 'net', 'beta', 1e-9, 's', 9, 0, 0, 1);";

/* Ranks of a node copy messages: alpha 1 us, beta 0.1 ns; a reduction or copy
 * takes 50 ns. */
static const char copied[] =
    "INSERT INTO system VALUES (3, 'w', 'r', 'real', 'z', 'm', 't');"
    "INSERT INTO model (system_id, level, param, value, unit, npoints, error,"
    " worst_error, trusted) VALUES"
    " (3, 'all', 'alpha', 1e-6, 's', 9, 0, 0, 1),"
    " (3, 'all', 'beta', 1e-10, 's', 9, 0, 0, 1),"
    " (3, 'rank', 'alpha', 5e-8, 's', 9, 0, 0, 1),"
    " (3, 'rank', 'copy', 1e-11, 's', 9, 0, 0, 1),"
    " (3, 'all', 'overlapped', 9e18, 'bytes', 9, 0, 0, 1),"
    " (3, 'copied', 'overlapped', 8192, 'bytes', 9, 0, 0, 1);";

static struct chorale_where at(int comm_size, size_t msg_size)
{
    return (struct chorale_where){
        CHORALE_BCAST, comm_size, 1, "one-per-node", msg_size, "byte", "", "",
        "first", NULL, 0,
    };
}

static const struct {
    const char *name, *shape, *what;
    int comm_size;
    size_t msg_size;
    int may;
} cases[] = {
    { "binomial", "one-per-node", "a measured point", 8, 1024, 1 },
    { "binomial", "one-per-node", "between numbers of ranks", 6, 1024, 1 },
    { "binomial", "one-per-node", "between counts, one of them mispredicted",
      12, 1 << 20,
      0 },
    { "binomial", "one-per-node", "between counts, both predicted", 12, 4096,
      1 },
    { "binomial", "one-per-node", "fewer ranks", 2, 1024, 0 },
    { "binomial", "one-per-node", "half the reach", 64, 1024, 1 },
    { "binomial", "one-per-node", "beyond half the reach", 65, 1024, 0 },
    { "binomial", "one-per-node", "larger blocks, half the reach", 8, 1 << 21,
      1 },
    { "binomial", "one-per-node", "larger blocks, beyond", 8, (1 << 21) + 1,
      0 },
    { "binomial", "one-per-node", "larger blocks, smaller ones mispredicted",
      16,
      1 << 21, 0 },
    { "binomial", "one-per-node", "smaller blocks", 8, 4, 0 },
    { "binomial", "single-node", "another shape", 8, 1024, 0 },
    { "linear", "one-per-node", "linear, measured", 16, 1024, 1 },
    { "linear", "one-per-node", "linear, more ranks", 17, 1024, 0 },
    { "knomial", "one-per-node", "never measured", 8, 1024, 0 },
    { "knomial", "block", "lack of fit, a measured point", 8, 1024, 1 },
    { "knomial", "block", "lack of fit, larger blocks", 8, 1025, 0 },
    { "knomial", "block", "lack of fit, between", 12, 1024, 0 },
    { "knomial", "block", "lack of fit, more ranks", 17, 1024, 0 },
    { "binomial", "block", "no significant lack of fit, between", 12, 1024,
      1 },
    { "binomial", "block", "no significant lack of fit, beyond", 17, 1025,
      1 },
};

static void test_may(struct chorale_predictor *p)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct chorale_where w = at(cases[i].comm_size, cases[i].msg_size);
        char why[160] = "";
        int may;

        w.shape = cases[i].shape;
        w.ppn = strcmp(w.shape, "block") == 0 ? 4 : 1;
        may = chorale_predict_may(p, chorale_alg_find(CHORALE_BCAST,
                                                      cases[i].name),
                                  &w, why, sizeof(why));
        tap_ok(may == cases[i].may && (may || why[0] != '\0'), "%s: %s %s",
               cases[i].what, may ? "yes" : "no,", why);
    }
}

static void test_lacks(struct chorale_predictor *p)
{
    static const char *const name[] = { "knomial", "chain", "binomial" };
    struct chorale_where w = at(8, 8);
    char why[160] = "";

    w.shape = "block";
    w.ppn = 4;
    for (int i = 0; i < 3; i++)
        tap_ok(chorale_predict_lacks(p, chorale_alg_find(CHORALE_BCAST,
                                                         name[i]),
                                     &w, why, sizeof(why)) == (i == 0),
               "%s %s", name[i], i == 0 ? why : "does not lack fit");
    tap_ok(strstr(why, "p = 0.009, off by up to 20 %") != NULL,
           "the reason has p and the largest error");
    w.ppn = 8;
    tap_ok(!chorale_predict_lacks(p, chorale_alg_find(CHORALE_BCAST, name[0]),
                                  &w, NULL, 0) &&
           !chorale_predict_lacks(NULL, NULL, &w, NULL, 0),
           "no lack of fit for another ppn or without a model");
}

/* A model that is not trusted as a whole predicts measured points only. */
static void test_doubtful(struct chorale_store *store)
{
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_BCAST,
                                                     "binomial");
    struct chorale_where w = at(8, 1024);
    struct chorale_predictor *p = NULL;
    int measured, between;

    if (!tap_ok(chorale_store_exec(store, "UPDATE model SET trusted = 0",
                                   NULL) == CHORALE_OK &&
                chorale_predictor_load(store, 1, &p, NULL) == CHORALE_OK,
                "an untrusted model is loaded"))
        return;
    measured = chorale_predict_may(p, alg, &w, NULL, 0);
    w.comm_size = 6;
    between = chorale_predict_may(p, alg, &w, NULL, 0);
    tap_ok(measured && !between,
           "an untrusted model may predict measured points only");
    chorale_predictor_free(p);
}

static void test_seconds(struct chorale_predictor *p)
{
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_BCAST,
                                                     "binomial");
    const struct chorale_alg *sum = chorale_alg_find(CHORALE_REDUCE,
                                                     "binomial");
    struct chorale_where w = at(8, 8192), r = at(8, 8192);
    long param[CHORALE_MAX_PARAM] = { 0 };
    double both;

    tap_ok(fabs(chorale_predict(p, alg, param, &w) /
                (3 * (1e-6 + 8192e-9)) - 1) < 1e-9, "the prediction below the "
                                                    "break is right");
    w.msg_size = 8193;
    tap_ok(fabs(chorale_predict(p, alg, param, &w) /
                (3 * (5e-6 + 8193 * 5e-10)) - 1) < 1e-9, "the prediction above "
                                                         "the break is right");
    tap_ok(fabs(chorale_predict(p, alg, param, &w) /
                (3 * (5e-6 + 8193 * 5e-10)) - 1) < 1e-9, "the same prediction "
                                                         "again is equal");
    w.comm_size = 1;
    tap_ok(!(chorale_predict(p, alg, param, &w) > 0), "one rank takes no time");
    r.coll = CHORALE_REDUCE;
    r.dtype = "double";
    r.op = "sum";
    r.op_class = "builtin";
    tap_ok(isnan(chorale_predict(p, sum, param, &r)),
           "an unknown tau gives no prediction");
    w.comm_size = 7;
    w.shape = "block";
    w.ppn = 4;
    both = chorale_predict(p, alg, param, &w);
    w.shape = "irregular";
    tap_ok(both > 0 && fabs(chorale_predict(p, alg, param, &w) / both - 1) <
                           1e-12,
           "irregular placement is predicted as a block with a partial last "
           "node");
    tap_ok(isnan(chorale_predict(NULL, alg, param, &w)),
           "without a model there is no prediction");
}

/* Each query differs from the previous in one field; the last is the first. */
static void test_two_levels(struct chorale_store *store)
{
    static const struct { int comm_size, ppn; size_t msg_size; } ask[] = {
        { 8, 2, 8 }, { 8, 4, 8 }, { 16, 4, 8 }, { 16, 4, 1 << 20 },
        { 8, 2, 8 },
    };
    enum { N = sizeof(ask) / sizeof(ask[0]) };
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_BCAST, "linear");
    const long param[CHORALE_MAX_PARAM] = { 0 };
    struct chorale_predictor *p = NULL;
    double got[N];
    int differ = 1;

    if (!tap_ok(chorale_store_exec(store, two_levels, NULL) == CHORALE_OK &&
                    chorale_predictor_load(store, 2, &p, NULL) == CHORALE_OK &&
                    p != NULL, "a model of two levels is loaded"))
        return;
    for (int i = 0; i < N; i++) {
        struct chorale_where w = at(ask[i].comm_size, ask[i].msg_size);

        w.shape = "block";
        w.ppn = ask[i].ppn;
        got[i] = chorale_predict(p, alg, param, &w);
        differ &= i == 0 || fabs(got[i] - got[i - 1]) > 1e-7;
    }
    tap_ok(differ && fabs(got[0] - got[N - 1]) < 1e-15,
           "cached predictions belong to their query");
    chorale_predictor_free(p);
}

/* Schedules are replayed up to a limit of events each, and of work; times that
 * are known stay known. */
static void test_limit(struct chorale_predictor *p)
{
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_BCAST, "linear");
    const long param[CHORALE_MAX_PARAM] = { 0 };
    const struct chorale_where small = at(16, 64), large = at(64, 64),
                               other = at(17, 64), late = at(15, 64),
                               few = at(10, 64), new = at(14, 64);
    double known = chorale_predict(p, alg, param, &small);

    chorale_predict_limit(p, 0, 1000); /* linear, P = 15: 1260 events */
    tap_ok(isnan(chorale_predict(p, alg, param, &late)) &&
               chorale_predict(p, alg, param, &few) > 0,
           "a schedule of too many events is not replayed, a shorter one is");
    chorale_predict_limit(p, 0, 3000); /* binomial, P = 64: 2304 events */
    tap_ok(isnan(chorale_predict(p, chorale_alg_find(CHORALE_BCAST, "binomial"),
                                 param, &large)),
           "nor one of too many ranks");
    chorale_predict_limit(p, 0, 0);
    tap_ok(chorale_predict(p, alg, param, &other) > 0, "without limits all are");
    chorale_predict_limit(p, chorale_predict_work(p) / 2, 0);
    tap_ok(isnan(chorale_predict(p, alg, param, &new)) &&
               fabs(chorale_predict(p, alg, param, &small) - known) < 1e-15,
           "after the limit of work only known times are given");
    chorale_predict_limit(p, 0, 0);
}

/* Two messages of 32 KiB: the receiver copies one after the other. */
static void test_copied(struct chorale_store *store)
{
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_BCAST, "pipeline");
    struct chorale_where w = at(2, 65536);
    struct chorale_predictor *p = NULL;
    long param[CHORALE_MAX_PARAM] = { 0 };
    double two = NAN, ring = NAN;

    if (!tap_ok(chorale_store_exec(store, copied, NULL) == CHORALE_OK &&
                    chorale_predictor_load(store, 3, &p, NULL) == CHORALE_OK &&
                    p != NULL, "a model of copied messages is loaded"))
        return;
    w.shape = "single-node";
    w.ppn = 2;
    if (chorale_alg_params_parse(alg, "segsize=32768", param, NULL, 0) == 0)
        two = chorale_predict(p, alg, param, &w);
    tap_ok(fabs(two / (2e-6 + 65536e-10) - 1) < 1e-6,
           "messages above the limit are copied one after the other (%g s)",
           two);
    w.coll = CHORALE_ALLGATHER;
    w.root_policy = "none";
    w.msg_size = 4096;
    memset(param, 0, sizeof(param));
    ring = chorale_predict(p, chorale_alg_find(CHORALE_ALLGATHER, "ring"),
                           param, &w);
    tap_ok(fabs(ring / (1.05e-6 + 4096 * 1.1e-10) - 1) < 1e-6,
           "a copy takes the time of level rank (%g s)", ring);
    chorale_predictor_free(p);
}

int main(void)
{
    char path[] = "/tmp/chorale-predict-XXXXXX", why[64];
    struct chorale_store *store = NULL;
    struct chorale_predictor *p = NULL;
    struct chorale_errmsg msg = { "" };
    struct chorale_where w = at(8, 8);
    int fd = mkstemp(path);

    if (fd >= 0)
        close(fd);
    unlink(path);
    if (!tap_ok(chorale_store_open(path, CHORALE_STORE_CREATE, &store, &msg) ==
                    CHORALE_OK &&
                chorale_predictor_load(store, 1, &p, &msg) == CHORALE_OK &&
                p == NULL, "an empty database has no model %s", msg.text))
        return tap_done();
    tap_ok(!chorale_predict_may(p, chorale_alg_find(CHORALE_BCAST, "linear"),
                                &w, why, sizeof(why)),
           "without a model no prediction is allowed: %s", why);
    if (tap_ok(chorale_store_exec(store, rows, &msg) == CHORALE_OK &&
                   chorale_predictor_load(store, 1, &p, &msg) == CHORALE_OK &&
                   p != NULL, "a model is loaded %s", msg.text)) {
        test_seconds(p);
        test_limit(p);
        test_may(p);
        test_lacks(p);
        test_doubtful(store);
        test_two_levels(store);
        test_copied(store);
    }
    chorale_predictor_free(p);
    chorale_store_close(store);
    unlink(path);
    return tap_done();
}
