/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c - the model inside a node: regimes of measured messages, copies, and
 * bytes that are not in the caches. Times are made from known values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/dtypes.h"
#include "algorithms/schedule/schedule.h"
#include "tests/tap.h"
#include "tuner/model/memory_rows.h"
#include "tuner/model/model_internal.h"

#define COPY 3e-11
#define COLD 2e-10
#define LOCAL 5e-8

static const char single[] = "single-node", byte[] = "byte", none[] = "",
                  chorale[] = "chorale", warm[] = "none warm",
                  cold[] = "none rotate", first[] = "first warm",
                  first_cold[] = "first rotate";

static double local = LOCAL; /* of the true network */

/* Eager to 1 KiB, then by pieces, and from 16 KiB on copied by the kernel. */
static struct chorale_net truth(void)
{
    return (struct chorale_net){
        .nlevel = 1, .overlap_upto = -1, .ports = 1, .memory = 1,
        .copy = COPY, .cold = COLD, .local = local,
        .level = { { "all", -1,
                     { 3, { 1448, 20066, HUGE_VAL }, { 3e-7, 6e-7, 2e-6 },
                       { 5e-10, 2e-10, 8e-11 }, { 0, 1e-10, 5e-10 } } } },
    };
}

static int near(double got, double want, double tolerance)
{
    return fabs(got - want) <= tolerance * want;
}

static void test_regimes(void)
{
    double bytes[] = { 8, 64, 256, 1024, 2048, 4096, 8192, 16384, 32768,
                       65536, 262144, 1048576 };
    enum { N = sizeof(bytes) / sizeof(bytes[0]) };
    struct chorale_net net = truth();
    const struct chorale_net_regimes *r = &net.level[0].regime;
    double seconds[N], upto[CHORALE_NET_REGIMES];
    int k;

    for (int i = 0; i < N; i++) {
        int at = chorale_net_regime(r, bytes[i]);

        seconds[i] = r->alpha[at] + r->beta[at] * bytes[i];
    }
    k = chorale_memory_regimes(bytes, seconds, N, upto);
    tap_ok(k == 3 && upto[0] > 1024 && upto[0] < 2048 && upto[1] > 16384 &&
               upto[1] < 32768 && isinf(upto[2]),
           "three protocols give three regimes (%d: %g, %g)", k, upto[0],
           upto[1]);
    /* Between 8 and 16 KiB the protocol changes. */
    for (int i = 0; i < N; i++)
        seconds[i] = bytes[i] <= 8192 ? 2e-7 + 1.2e-10 * bytes[i]
                                      : 3e-6 + 7e-11 * bytes[i];
    seconds[6] *= 1.08;
    k = chorale_memory_regimes(bytes, seconds, N, upto);
    tap_ok(k == 2 && upto[0] > 8192 && upto[0] < 16384,
           "a size that a line misses by 8 %% stays in its protocol (%d: %g)",
           k, upto[0]);
    for (int i = 0; i < N; i++)
        seconds[i] = 1e-6 + 1e-10 * bytes[i];
    tap_ok(chorale_memory_regimes(bytes, seconds, N, upto) == 1,
           "one line gives one regime");
    tap_ok(chorale_memory_regimes(bytes, seconds, 1, upto) == 0,
           "a single size gives no regime");
}

/* Seconds of a single operation on the network of truth(). */
static double operation(enum chorale_memory_kind kind, size_t bytes)
{
    struct chorale_net net = truth();
    struct chorale_score *score = chorale_memory_recording(kind, bytes);
    double seconds = NAN;

    if (score != NULL)
        seconds = chorale_recording_replay(score, &net, NULL);
    chorale_recording_free(score);
    return seconds;
}

static void test_operations(void)
{
    tap_ok(near(operation(CHORALE_MEMORY_MESSAGE, 4096),
                6e-7 + 4096 * 2e-10, 1e-12),
           "a message takes alpha + beta n of its regime");
    tap_ok(near(operation(CHORALE_MEMORY_EXCHANGE, 65536),
                2e-6 + 65536 * 8e-11, 1e-12),
           "an exchange takes as long on full-duplex ports");
    tap_ok(near(operation(CHORALE_MEMORY_COPY, 65536), LOCAL + 65536 * COPY,
                1e-12),
           "a copy takes a constant, and the time of each copied byte");
}

/* Seconds of a variant at *pt on a network; NAN: it cannot be recorded. column:
 * out, the terms; *adds_up: they add up to the seconds. */
static double replayed(const struct chorale_net *net,
                       const struct chorale_alg *alg, const char *params,
                       struct chorale_point *pt, int ppn, int is_cold,
                       double column[CHORALE_NET_COLUMNS], int *adds_up)
{
    double value[CHORALE_NET_COLUMNS], sum = 0, seconds;
    struct chorale_score *score;

    *adds_up = 0;
    chorale_alg_params_parse(alg, params, pt->param, NULL, 0);
    score = chorale_recording_new(alg, pt, ppn, CHORALE_NET_BLOCK, is_cold,
                                  NULL);
    if (score == NULL)
        return NAN;
    seconds = chorale_recording_replay(score, net, column);
    chorale_recording_free(score);
    chorale_net_get(net, value);
    for (int j = 0; j < chorale_net_columns(net); j++)
        sum += column[j] * value[j];
    *adds_up = near(sum, seconds, 1e-9);
    return seconds;
}

/* The same with two ranks on one node. */
static double on_node(const struct chorale_net *net, enum chorale_coll coll,
                      const char *name, const char *params, size_t m,
                      int is_cold, int *adds_up)
{
    struct chorale_point pt = {
        .comm_size = 2, .msg_size = m, .n = chorale_coll_n(coll, m, 2),
        .type_size = 1, .commutative = 1,
    };
    double column[CHORALE_NET_COLUMNS];

    return replayed(net, chorale_alg_find(coll, name), params, &pt, 2, is_cold,
                    column, adds_up);
}

/* Seconds on the network of truth(). */
static double played(enum chorale_coll coll, const char *name, size_t m,
                     int is_cold, int *adds_up)
{
    struct chorale_net net = truth();

    return on_node(&net, coll, name, "", m, is_cold, adds_up);
}

static void test_cold(void)
{
    enum { M = 131072 };
    const double message = 2e-6 + M * 8e-11;
    int adds_up = 0;
    double t;

    t = played(CHORALE_BCAST, "binomial", M, 0, &adds_up);
    tap_ok(near(t, message, 1e-9), "a broadcast from caches is one message");
    t = played(CHORALE_BCAST, "binomial", M, 1, &adds_up);
    tap_ok(near(t, message + 2 * M * 5e-10, 1e-9) && adds_up,
           "with cold buffers both ends of the message add their bytes");
    t = played(CHORALE_ALLGATHER, "ring", M, 0, &adds_up);
    tap_ok(near(t, LOCAL + M * COPY + message, 1e-9) && adds_up,
           "an allgather copies its own block first");
    t = played(CHORALE_ALLGATHER, "ring", M, 1, &adds_up);
    tap_ok(near(t, LOCAL + M * COPY + 2 * M * COLD + message + M * 5e-10,
                1e-9) && adds_up,
           "cold, the copy adds two blocks and the message one");
}

/* Each copy counts once, also after a wait and after the last event. On 5 ranks
 * a message to the other node ends after the last copy of its sender, which it
 * wakes again. */
static void test_copies(int comm_size, int ppn, size_t bytes)
{
    struct chorale_net net = truth();
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_ALLGATHER,
                                                     "bruck");
    struct chorale_point pt = { .comm_size = comm_size, .msg_size = bytes,
                                .n = (size_t)comm_size * bytes,
                                .type_size = 1, .commutative = 1 };
    struct chorale_schedule_sum sum;
    double column[CHORALE_NET_COLUMNS] = { 0 };
    int at = chorale_net_column_parts(&net) + 3, walked, adds_up;

    net.overlap_upto = HUGE_VAL;
    replayed(&net, alg, "", &pt, ppn, 0, column, &adds_up);
    walked = chorale_schedule_walk(alg, &pt, &sum, NULL) == 0;
    tap_ok(walked && sum.most_copied > (long long)bytes &&
               near(column[at], (double)sum.most_copied, 1e-12),
           "P=%d: the copies of a rank count once (%g of %lld bytes)",
           comm_size, column[at], sum.most_copied);
}

/* A broadcast that combines bytes has no time per reduction, which belongs to a
 * collective that reduces. */
static void test_or(void)
{
    struct chorale_net net = truth();
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_BCAST,
                                                     "or_allreduce");
    struct chorale_point pt = { .comm_size = 4, .msg_size = 4096, .n = 4096,
                                .type_size = 1, .commutative = 1 };
    double column[CHORALE_NET_COLUMNS] = { 0 }, seconds;
    int adds_up;

    if (alg == NULL)
        return; /* built without patented variants */
    net.tau.n = 0;
    seconds = replayed(&net, alg, "base=recursive_doubling", &pt, 1, 0, column,
                       &adds_up);
    tap_ok(adds_up && seconds < 1e-3,
           "or_allreduce of a broadcast: the terms add up to %g s", seconds);
    tap_ok(near(column[chorale_net_column_parts(&net) + 3], 2 * 4096, 0.51),
           "it combines bytes at the speed of a copy");
}

/* Messages up to 20066 bytes are copied twice. */
static struct chorale_net copying(void)
{
    struct chorale_net net = truth();

    net.copied_upto = net.level[0].regime.upto[1];
    net.send_overhead = 1e-7;
    net.recv_overhead = 1.5e-7;
    net.gap = 4e-8;
    return net;
}

/* Seconds on the network of copying(). */
static double copied(enum chorale_coll coll, const char *name,
                     const char *params, size_t m, int *adds_up)
{
    struct chorale_net net = copying();

    return on_node(&net, coll, name, params, m, 0, adds_up);
}

static void test_copied(void)
{
    const double b = 2e-10, large = 2e-6 + 65536 * 8e-11;
    int adds_up = 0;
    double t;

    t = copied(CHORALE_BCAST, "binomial", "", 4096, &adds_up);
    tap_ok(near(t, 6e-7 + 4096 * b, 1e-9) && adds_up,
           "a message copied twice takes alpha + beta n (%g s)", t);
    t = copied(CHORALE_BCAST, "pipeline", "segsize=4096", 16384, &adds_up);
    t -= 2 * 4e-8; /* two receives are posted meanwhile */
    tap_ok(near(t, 6e-7 + 4096 * b + 3 * (1.5e-7 + 2048 * b), 1e-9) && adds_up,
           "of four in a row, each further one takes the receiver's part"
           " (%g s)", t);
    t = copied(CHORALE_BCAST, "binomial", "", 65536, &adds_up);
    tap_ok(near(t, 4e-8 + large, 1e-9) && adds_up,
           "a message copied once starts when its receive is posted (%g s)", t);
    t = copied(CHORALE_BCAST, "pipeline", "segsize=65536", 262144, &adds_up);
    tap_ok(t > 4 * large && t < 4 * large + 3e-7 && adds_up,
           "the receiver copies four such messages one after another (%g s)",
           t);
    t = copied(CHORALE_ALLGATHER, "ring", "", 65536, &adds_up);
    tap_ok(near(t, LOCAL + 65536 * COPY + 4e-8 + large + 65536 * 5e-10, 1e-9) &&
               adds_up,
           "in an exchange both copy at once, and data just written adds the"
           " time of cold bytes (%g s)", t);
}

/* A leaf that limits its sends waits until its parent receives. Where sends are
 * overlapped, the others fill the parent's port. */
static void test_synchronous(void)
{
    struct chorale_net net = {
        .nlevel = 1, .overlap_upto = HUGE_VAL, .ports = 1,
        .level = { { "all", -1, { 1, { HUGE_VAL }, { 1e-6 }, { 1e-9 },
                                  { 0 } } } },
        .tau = { 1, { HUGE_VAL }, { 0 }, { 0 }, { 0 } },
    };
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_REDUCE,
                                                     "pipeline");
    static const char *const param[] = { "max_reqs=0,segsize=1024",
                                         "max_reqs=2,segsize=1024" };
    double seconds[2] = { NAN, NAN };

    for (int i = 0; i < 2; i++) {
        struct chorale_point pt = { .comm_size = 8, .msg_size = 131072,
                                    .n = 131072, .type_size = 8,
                                    .commutative = 1 };
        struct chorale_score *score;

        chorale_alg_params_parse(alg, param[i], pt.param, NULL, 0);
        score = chorale_recording_new(alg, &pt, 1, CHORALE_NET_BLOCK, 0, NULL);
        if (score != NULL)
            seconds[i] = chorale_recording_replay(score, &net, NULL);
        chorale_recording_free(score);
    }
    tap_ok(seconds[1] < 0.8 * seconds[0] && near(seconds[1], 137e-6 * 2, 0.1),
           "a pipeline with two sends in flight is faster (%g and %g s)",
           seconds[1], seconds[0]);
}

/* Messages to 31 children share their parent's port; an event changes the rates
 * of all of them. */
static void test_shared(void)
{
    struct chorale_net net = {
        .nlevel = 1, .overlap_upto = HUGE_VAL, .ports = 1,
        .level = { { "all", -1, { 1, { HUGE_VAL }, { 1e-6 }, { 1e-9 },
                                  { 0 } } } },
        .send_overhead = 1e-7,
    };
    struct chorale_point pt = { .comm_size = 32, .msg_size = 4096,
                                .n = 4096, .type_size = 1 };
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_BCAST, "linear");
    struct chorale_score *score =
        chorale_recording_new(alg, &pt, 1, CHORALE_NET_BLOCK, 0, NULL);
    double events, shared;

    if (score == NULL)
        exit(99);
    events = (double)chorale_recording_events(score);
    chorale_recording_replay(score, &net, NULL);
    shared = chorale_recording_shared(score);
    tap_ok(shared > 5 * events,
           "a replay counts its steps of sharing ports (%g, %g events)",
           shared, events);
    chorale_recording_free(score);
}

/* --- fit ------------------------------------------------------------------ */

#define MAX_RUNS 2000
static struct chorale_run_point runs[MAX_RUNS];
static struct chorale_memory_row rows[200];

/* Noise of a few percent, the same in each run of the test. On exact times a
 * robust fit takes all rows of an inexact regime for outliers. */
static double noise(size_t k)
{
    return 1 + 0.04 * sin(2.4 * (double)k);
}

static size_t add_variant(size_t n, enum chorale_coll coll, const char *name)
{
    const struct chorale_alg *alg = chorale_alg_find(coll, name);
    int rooted = chorale_coll_info(coll)->rooted;

    for (size_t m = 8; m <= 1 << 20; m *= 4) {
        int is_cold = m >= CHORALE_NET_COLD_FROM, adds_up;
        const char *conditions = rooted ? is_cold ? first_cold : first
                                 : is_cold ? cold : warm;

        runs[n] = (struct chorale_run_point){
            .coll = coll, .comm_size = 2, .ppn = 2, .shape = single,
            .dtype = byte, .type = chorale_dtype(chorale_dtype_find(byte)),
            .op = none, .op_class = none, .msg_size = m,
            .n = chorale_coll_n(coll, m, 2), .provider = chorale,
            .variant = alg->name, .params = none,
            .config = chorale_alg_configure(coll, alg->name, ""),
            .conditions = conditions, .launch = none, .ok = 1,
            .seconds = noise(n) * played(coll, name, m, is_cold, &adds_up),
        };
        n++;
    }
    return n;
}

/* The value of a parameter of the regime that contains bytes; 0: absent. */
static double value(const struct chorale_model *m, const char *name,
                    const char *level, double bytes)
{
    for (size_t i = 0; i < m->nparam; i++)
        if (strcmp(m->param[i].name, name) == 0 &&
            strcmp(m->param[i].level, level) == 0 &&
            m->param[i].from < bytes && bytes <= m->param[i].upto)
            return m->param[i].value;
    return 0;
}

static struct chorale_points points(int measured)
{
    static const struct {
        enum chorale_coll coll;
        const char *name;
    } some[] = {
        { CHORALE_BCAST, "binomial" }, { CHORALE_BCAST, "pipeline" },
        { CHORALE_ALLGATHER, "ring" }, { CHORALE_ALLGATHER, "bruck" },
        { CHORALE_SCATTER, "linear" }, { CHORALE_GATHER, "linear" },
    };
    struct chorale_points p = { .row = runs, .memory = rows };

    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
        p.count = add_variant(p.count, some[i].coll, some[i].name);
    for (int kind = 0; kind < CHORALE_MEMORY_KINDS && measured; kind++)
        for (size_t m = 8; m <= 1 << 20; m *= 2)
        {
            rows[p.nmemory] = (struct chorale_memory_row){
                .kind = (enum chorale_memory_kind)kind, .bytes = m,
                .seconds = noise(p.nmemory) *
                           operation((enum chorale_memory_kind)kind, m),
            };
            p.nmemory++;
        }
    return p;
}

static void test_fit(void)
{
    struct chorale_points p = points(1);
    struct chorale_errmsg msg = { "" };
    struct chorale_model m;

    if (!tap_ok(chorale_model_fit(&p, "s", NULL, &m, &msg) == CHORALE_OK,
                "times inside a node are fitted")) {
        tap_diag("%s", msg.text);
        return;
    }
    for (size_t i = 0; i < m.nparam; i++)
        tap_diag("%s %s to %g: %g", m.param[i].name, m.param[i].level,
                 m.param[i].upto, m.param[i].value);
    tap_ok(m.net.memory && m.net.level[0].regime.n == 3,
           "the measured messages give three regimes (%d)",
           m.net.level[0].regime.n);
    tap_ok(near(value(&m, "copy", CHORALE_MODEL_LOCAL, 1), COPY, 0.1) &&
               near(value(&m, "cold", CHORALE_MODEL_LOCAL, 1), COLD, 0.1) &&
               near(value(&m, "alpha", CHORALE_MODEL_LOCAL, 1), LOCAL, 0.4),
           "the times of copied and of cold bytes and of a copy are recovered"
           " (%g, %g, %g)", value(&m, "copy", CHORALE_MODEL_LOCAL, 1),
           value(&m, "cold", CHORALE_MODEL_LOCAL, 1),
           value(&m, "alpha", CHORALE_MODEL_LOCAL, 1));
    /* Latency is shared with the time a receiver is busy. */
    tap_ok(near(value(&m, "alpha", "all", 1e5), 2e-6, 0.35) &&
               near(value(&m, "beta", "all", 1e5), 8e-11, 0.35) &&
               near(value(&m, "cold", "all", 1e5), 5e-10, 0.1),
           "the parameters of long messages are recovered (%g, %g, %g)",
           value(&m, "alpha", "all", 1e5), value(&m, "beta", "all", 1e5),
           value(&m, "cold", "all", 1e5));
    tap_ok(m.fit.median_error < 0.04 && m.fit.tail_error < 0.15,
           "the fit is within 15 %% at nine points of ten (%.2g, %.2g)",
           m.fit.median_error, m.fit.tail_error);
    tap_ok(m.sizes.npoints > 0 && m.sizes.median < 0.06,
           "sizes left out are predicted (%zu points, median %.2g)",
           m.sizes.npoints, m.sizes.median);
    chorale_model_release(&m);
    p = points(0);
    if (chorale_model_fit(&p, "s", NULL, &m, NULL) == CHORALE_OK) {
        size_t poor = 0, below = 0;

        for (size_t i = 0; i < m.nvariant; i++) {
            poor += m.variant[i].npoor;
            below += m.variant[i].npoor > 0 &&
                     (m.variant[i].poor_lo > m.variant[i].poor_hi ||
                      m.variant[i].nfast > m.variant[i].npoor);
        }
        tap_ok(!m.net.memory && poor > 0 && below == 0,
               "without measured operations the poor sizes are listed (%zu)",
               poor);
        chorale_model_release(&m);
    }
}

/* Two of six launches ran while the processors shared a cache. */
static void test_states(void)
{
    static const double state[] = { 1, 0.3, 1, 1, 0.3, 1 };
    enum { N = sizeof(state) / sizeof(state[0]) };
    static struct chorale_run_point all[MAX_RUNS];
    struct chorale_points p;
    struct chorale_model m;
    size_t n = 0;

    local = 0; /* not fitted without operations in memory */
    p = points(0);

    for (size_t i = 0; i < p.count; i++)
        for (int l = 0; l < N && runs[i].msg_size < 1024; l++) {
            all[n] = runs[i];
            all[n].ordinal = l;
            all[n++].seconds *= state[l];
        }
    p.row = all;
    p.count = n;
    if (tap_ok(chorale_model_fit(&p, "s", NULL, &m, NULL) == CHORALE_OK,
               "launches in two states are fitted")) {
        tap_ok(near(value(&m, "alpha", "all", 8), 3e-7, 0.02),
               "the values are those of the more frequent state (%g)",
               value(&m, "alpha", "all", 8));
        chorale_model_release(&m);
    }
}

int main(void)
{
    test_regimes();
    test_operations();
    test_cold();
    test_copies(2, 2, 4096);
    test_copies(5, 3, 65536);
    test_or();
    test_copied();
    test_synchronous();
    test_shared();
    test_fit();
    test_states();
    return tap_done();
}
