/* SPDX-License-Identifier: BSD-3-Clause */
/* contenders.c - the contenders of a point include the best of all candidates
 * of the catalogue, though few of these are predicted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dtypes.h"
#include "tests/tap.h"
#include "tuner/adaptive/adaptive.h"
#include "tuner/model/predict.h"
#include "tuner/plan/candidates.h"

static struct chorale_model model;
static const struct chorale_decide_opts decide = { .max_scratch = -1,
                                                   .allow_patented = 1 };

/* A network with one regime a level. node: alpha of messages inside a node, s,
 * below 0: not fitted; 0: one level. overhead, s; below 0: one port. */
static struct chorale_predictor *network(double alpha, double beta,
                                         double node, double overhead)
{
    static const char *const name[2][2] = { { "all", "" },
                                            { "node", "net" } };
    const int two = node < 0 || node > 0;

    memset(&model, 0, sizeof(model));
    model.net.ports = 1;
    model.net.overlap_upto = overhead < 0 ? -1 : HUGE_VAL;
    model.net.send_overhead = overhead < 0 ? 0 : overhead;
    model.net.recv_overhead = overhead < 0 ? 0 : 2 * overhead / 3;
    model.net.nlevel = two + 1;
    for (int l = 0; l < model.net.nlevel; l++) {
        int inner = l + 1 < model.net.nlevel;

        model.net.level[l] = (struct chorale_net_level){
            .name = name[two][l], .width = inner ? 0 : -1,
            .regime = { .n = 1, .upto = { HUGE_VAL },
                        .alpha = { inner ? fmax(node, 0) : alpha },
                        .beta = { inner ? beta / 2 : beta } },
        };
    }
    model.ntau = 1;
    model.tau[0] = (struct chorale_model_tau){
        .dtype = "double", .op = "sum", .type_size = 8, .known = 1,
        .regime = { .n = 1, .upto = { HUGE_VAL }, .beta = { 1e-10 } },
    };
    return chorale_predictor_of(&model);
}

/* The candidates of a point. */
struct point {
    struct chorale_adapt_cell at, *cell;
    size_t ncell;
    const struct chorale_alg *alg;
};

static enum chorale_err put(void *arg, const long *value)
{
    struct point *pt = arg;
    struct chorale_adapt_cell *more =
        realloc(pt->cell, (pt->ncell + 1) * sizeof(*more));

    if (more == NULL)
        exit(99);
    pt->cell = more;
    more += pt->ncell++;
    *more = pt->at;
    more->config.alg = pt->alg;
    for (int i = 0; pt->alg != NULL && i < pt->alg->nparam; i++)
        more->config.value[i] = value[i];
    return CHORALE_OK;
}

static void list(struct point *pt)
{
    const struct chorale_point at = {
        .comm_size = pt->at.comm_size, .msg_size = (size_t)pt->at.msg_size,
        .n = pt->at.n, .type_size = chorale_dtype(pt->at.dtype)->size,
        .commutative = 1, .ppn = pt->at.ppn,
    };

    pt->alg = NULL;
    put(pt, NULL);
    for (int i = 0; chorale_algs[i] != NULL; i++) {
        pt->alg = chorale_algs[i];
        if (pt->alg->coll == pt->at.coll)
            chorale_candidates(pt->alg, CHORALE_SET_MODEL, &at, put, pt, NULL);
    }
}

/* The model for a point; if a rank is late, then by the time of the library's
 * call. */
static struct chorale_adapt_model expectations(struct chorale_predictor *net,
                                               const struct point *pt)
{
    struct chorale_adapt_model m = { .run = chorale_adapt_run(&pt->at),
                                     .played = net, .root = "last" };

    m.net = chorale_family_network(net, &m.run);
    m.skew = chorale_adapt_library(&m, pt->at.n, pt->at.comm_size);
    return m;
}

/* 1 if a table may choose the cell. */
static int may_choose(const struct chorale_adapt_model *m,
                      const struct point *pt, size_t i)
{
    const struct chorale_alg_config *config = &pt->cell[i].config;
    const struct chorale_point at = chorale_decide_point(
        &m->run, config->value, pt->at.n, pt->at.comm_size);

    return config->alg != NULL &&
           chorale_decide_excluded(config->alg, &at, &decide) == NULL &&
           !chorale_alg_by_library(config->alg, &at);
}

/* The least predicted time of the cells that a table may choose, s. */
static double least(struct chorale_predictor *net, const struct point *pt)
{
    const struct chorale_adapt_model m = expectations(net, pt);
    double best = INFINITY;

    for (size_t i = 1; i < pt->ncell; i++)
        if (may_choose(&m, pt, i))
            best = fmin(best, chorale_adapt_seconds(&m, &pt->cell[i].config,
                                                    pt->at.n,
                                                    pt->at.comm_size));
    return best;
}

struct tally {
    long points, lost, candidates, contenders;
    double all, few;         /* replayed events */
};

/* Compare the contenders of a point with all candidates. */
static void check(struct tally *t, const double *net, enum chorale_coll coll,
                  int comm_size, int ppn, long msg_size)
{
    const struct chorale_coll_info *info = chorale_coll_info(coll);
    struct point pt = {
        .at = { .coll = coll, .msg_size = info->dataless ? 0 : msg_size,
                .n = chorale_coll_n(coll, (size_t)msg_size, comm_size),
                .comm_size = comm_size, .ppn = ppn,
                .dtype = chorale_dtype_find(info->reduces ? "double" : "byte"),
                .op = info->reduces ? chorale_opkind_find("sum") : -1,
                .shape = ppn > 1 ? "block" : "one-per-node" },
    };
    double *bias = calloc(1000, sizeof(*bias)), best;
    struct chorale_predictor *all = network(net[0], net[1], net[2], net[3]);
    struct chorale_adapt_evidence e = {
        .model = network(net[0], net[1], net[2], net[3]), .root = "last",
        .bias = bias, .doubt = bias, .sd = 0.001,
    };

    if (bias == NULL || all == NULL || e.model == NULL)
        exit(99);
    list(&pt);
    t->points++;
    t->candidates += (long)pt.ncell;
    best = least(all, &pt);
    t->all += chorale_predict_work(all);
    pt.ncell = chorale_adapt_contenders(&e, &decide, pt.cell, pt.ncell);
    t->few += chorale_predict_work(e.model);
    t->contenders += (long)pt.ncell;
    if (least(all, &pt) > best * 1.0001) {
        t->lost++;
        tap_diag("%s, %ld bytes, P = %d: %g s of %g s", info->name, msg_size,
                 comm_size, least(all, &pt), best);
    }
    chorale_predictor_free(all);
    chorale_adapt_evidence_release(&e);
    free(pt.cell);
}

static void test_networks(void)
{
    /* alpha, beta, alpha inside a node, overhead */
    static const struct {
        const char *name;
        double net[4];
    } row[] = {
        { "overlapped, 1 us", { 1.5e-6, 1e-10, 0, 3e-7 } },
        { "overlapped, slow", { 2e-5, 1e-8, 0, 3e-7 } },
        { "overlapped, no overhead", { 8e-7, 4e-11, 0, 0 } },
        { "one port", { 2e-6, 4e-10, 0, -1 } },
        { "two levels", { 3e-6, 1e-10, 4e-7, 2e-7 } },
        { "no latency in a node", { 3e-6, 1e-10, -1, 2e-7 } },
    };
    static const enum chorale_coll coll[] = {
        CHORALE_BCAST, CHORALE_ALLREDUCE, CHORALE_ALLGATHER, CHORALE_SCATTER,
        CHORALE_REDUCE, CHORALE_ALLTOALL,
    };
    static const int procs[] = { 5, 12 };
    static const long sizes[] = { 8, 1024, 65536 };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct tally t = { 0, 0, 0, 0, 0, 0 };
        int ppn = row[i].net[2] < 0 || row[i].net[2] > 0 ? 4 : 1;

        for (size_t c = 0; c < sizeof(coll) / sizeof(coll[0]); c++)
            for (size_t p = 0; p < 2; p++)
                for (size_t m = 0; m < 3; m++)
                    if (ppn == 1 || procs[p] % ppn == 0)
                        check(&t, row[i].net, coll[c], procs[p], ppn,
                              sizes[m]);
        tap_ok(t.lost == 0, "%s: the best candidate is a contender at each of "
               "%ld points", row[i].name, t.points);
        tap_diag("%ld of %ld candidates, %.3g of %.3g events", t.contenders,
                 t.candidates, t.few, t.all);
        tap_ok(t.few < t.all, "%s: not all candidates are predicted",
               row[i].name);
    }
}

/* A measured candidate stays, however slow. */
static void test_known(void)
{
    struct point pt = {
        .at = { .coll = CHORALE_BCAST, .msg_size = 65536, .n = 65536,
                .comm_size = 12, .ppn = 1,
                .dtype = chorale_dtype_find("byte"), .op = -1,
                .shape = "one-per-node" },
    };
    double zero[1000] = { 0 };
    struct chorale_adapt_evidence e = {
        .model = network(1.5e-6, 1e-10, 0, 3e-7), .root = "last",
        .bias = zero, .doubt = zero, .sd = 0.001,
    };
    int kept[2] = { 0, 0 };

    for (int known = 0; known < 2; known++) {
        pt.ncell = 0;
        list(&pt);
        for (size_t i = 1; i < pt.ncell; i++)
            pt.cell[i].known = known && strcmp(pt.cell[i].config.alg->name,
                                               "linear") == 0;
        pt.ncell = chorale_adapt_contenders(&e, &decide, pt.cell, pt.ncell);
        for (size_t i = 1; i < pt.ncell; i++)
            kept[known] += strcmp(pt.cell[i].config.alg->name, "linear") == 0;
    }
    tap_ok(kept[0] == 0, "a slow candidate is no contender");
    tap_ok(kept[1] == 1, "a slow candidate that was measured stays");
    chorale_predictor_free(e.model);
    free(pt.cell);
}

/* Where the model's error is not known, many candidates contend; if only the best
 * prediction counts, few, and the best is among them. */
static void test_far(void)
{
    struct point pt = {
        .at = { .coll = CHORALE_BCAST, .msg_size = 8192, .n = 8192,
                .comm_size = 48, .ppn = 1,
                .dtype = chorale_dtype_find("byte"), .op = -1,
                .shape = "one-per-node" },
    };
    double zero[1000] = { 0 }, best[2];
    size_t kept[2];

    for (int far = 0; far < 2; far++) {
        struct chorale_adapt_evidence e = {
            .model = network(1.5e-6, 1e-10, 0, 3e-7), .root = "last",
            .bias = zero, .doubt = zero, .sd = 0.4, .far = far,
        };

        pt.ncell = 0;
        list(&pt);
        kept[far] = chorale_adapt_contenders(&e, &decide, pt.cell, pt.ncell);
        pt.ncell = kept[far];
        best[far] = least(e.model, &pt);
        chorale_predictor_free(e.model);
    }
    tap_ok(kept[1] < kept[0] / 2 && best[1] <= best[0] * 1.0001,
           "far from measurements the likeliest winner contends: %zu instead of "
           "%zu candidates", kept[1], kept[0]);
    free(pt.cell);
}

enum { PATTERNS = 3 };
static const char *const pattern[PATTERNS] = { NULL, "last", "ascending" };

/* The least predicted seconds of the cells in each pattern. */
static void pattern_least(struct chorale_adapt_model *m,
                          const struct point *pt, double best[PATTERNS])
{
    for (int k = 0; k < PATTERNS; k++) {
        best[k] = INFINITY;
        m->arrival = pattern[k];
        for (size_t i = 1; i < pt->ncell; i++)
            if (may_choose(m, pt, i))
                best[k] = fmin(best[k], chorale_adapt_seconds(
                                            m, &pt->cell[i].config, pt->at.n,
                                            pt->at.comm_size));
    }
}

/* The least over the cells of the largest loss over the patterns, s. */
static double least_loss(struct chorale_adapt_model *m, const struct point *pt,
                         const double best[PATTERNS])
{
    double found = INFINITY;

    for (size_t i = 1; i < pt->ncell; i++) {
        double loss = 0;

        for (int k = 0; k < PATTERNS && may_choose(m, pt, i); k++) {
            m->arrival = pattern[k];
            loss = fmax(loss, chorale_adapt_seconds(m, &pt->cell[i].config,
                                                    pt->at.n,
                                                    pt->at.comm_size) -
                                  best[k]);
        }
        if (may_choose(m, pt, i))
            found = fmin(found, loss);
    }
    return found;
}

/* Where late ranks decide, the candidate with the smallest loss in the worst
 * case is a contender, though it is slow in pattern sync. */
static void test_robust(void)
{
    static const struct {
        int comm_size;
        long msg_size;
    } row[] = { { 8, 1648 }, { 16, 2560 } };
    static double zero[1000];

    for (size_t r = 0; r < sizeof(row) / sizeof(row[0]); r++) {
        double best[PATTERNS], loss[3];

        for (int way = 0; way < 3; way++) { /* all, sync, robust */
            struct chorale_decide_opts how = decide;
            struct point pt = {
                .at = { .coll = CHORALE_ALLREDUCE,
                        .msg_size = row[r].msg_size,
                        .n = (size_t)row[r].msg_size,
                        .comm_size = row[r].comm_size, .ppn = 1,
                        .dtype = chorale_dtype_find("double"),
                        .op = chorale_opkind_find("sum"),
                        .shape = "one-per-node", .log_late = NAN },
            };
            struct chorale_adapt_evidence e = {
                .model = network(1.5e-6, 8e-10, 0, 3e-7), .root = "last",
                .bias = zero, .doubt = zero, .sd = 0.001,
            };
            struct chorale_adapt_model m;

            list(&pt);
            how.arrivals = way == 2 ? CHORALE_ARRIVALS_ROBUST
                                    : CHORALE_ARRIVALS_SYNC;
            if (way > 0)
                pt.ncell = chorale_adapt_contenders(&e, &how, pt.cell,
                                                    pt.ncell);
            m = expectations(e.model, &pt);
            if (way == 0)
                pattern_least(&m, &pt, best);
            loss[way] = least_loss(&m, &pt, best);
            tap_diag("%zu cells, loss %g of %g", pt.ncell, loss[way], best[0]);
            chorale_predictor_free(e.model);
            free(pt.cell);
        }
        tap_ok(loss[2] <= loss[0] + 1e-4 * best[0],
               "P = %d: the best one in the worst case is a contender",
               row[r].comm_size);
        tap_ok(loss[1] > loss[0] + 0.01 * best[0],
               "P = %d: it is left out if pattern sync decides",
               row[r].comm_size);
    }
}

/* The candidate that is predicted to be the best: plain, with a model that is
 * too fast for its variant by a factor of eight, and if that factor may not
 * hold for the candidate. */
static void test_doubt(void)
{
    const int linear = chorale_alg_index(chorale_alg_find(CHORALE_BCAST,
                                                          "linear"));
    double bias[1000] = { 0 }, doubt[1000] = { 0 };
    struct chorale_adapt_evidence e = {
        .model = network(2e-5, 1e-10, 0, 1e-8), .root = "last",
        .bias = bias, .doubt = doubt, .sd = 0.001,
    };
    int kept[3] = { 0, 0, 0 };

    for (int way = 0; way < 3; way++) {
        struct point pt = {
            .at = { .coll = CHORALE_BCAST, .msg_size = 8, .n = 8,
                    .comm_size = 5, .ppn = 1,
                    .dtype = chorale_dtype_find("byte"), .op = -1,
                    .shape = "one-per-node" },
        };

        bias[linear] = way > 0 ? log(8) : 0;
        doubt[linear] = way > 1 ? log(8) : 0;
        list(&pt);
        pt.ncell = chorale_adapt_contenders(&e, &decide, pt.cell, pt.ncell);
        for (size_t i = 1; i < pt.ncell; i++)
            kept[way] += chorale_alg_index(pt.cell[i].config.alg) == linear;
        free(pt.cell);
    }
    tap_ok(kept[0] == 1, "the fastest variant by the model stays");
    tap_ok(kept[1] == 0, "a variant that measurements show as slower goes");
    tap_ok(kept[2] == 1, "a variant that may be slower stays");
    chorale_predictor_free(e.model);
}

/* Append the cells of a broadcast that takes factor times the prediction. */
static size_t add_cells(struct chorale_run_point *run, size_t n,
                        struct chorale_predictor *net, const char *name,
                        int ncell, double factor)
{
    static const char byte[] = "byte", none[] = "", shape[] = "one-per-node",
                      conditions[] = "first warm", provider[] = "chorale";
    const struct chorale_alg *alg = chorale_alg_find(CHORALE_BCAST, name);

    for (int i = 0; i < ncell; i++, n++) {
        struct chorale_where where = {
            .coll = CHORALE_BCAST, .comm_size = 4 << i % 2, .ppn = 1,
            .shape = shape, .msg_size = (size_t)8 << 4 * (i / 2),
            .dtype = byte, .op = none, .op_class = none,
            .root_policy = "first",
        };

        run[n] = (struct chorale_run_point){
            .coll = where.coll, .comm_size = where.comm_size, .ppn = 1,
            .shape = shape, .dtype = byte,
            .type = chorale_dtype(chorale_dtype_find(byte)), .op = none,
            .op_class = none, .msg_size = where.msg_size, .n = where.msg_size,
            .provider = provider, .variant = alg->name, .params = none,
            .config = chorale_alg_configure(where.coll, alg->name, ""),
            .conditions = conditions, .launch = none, .ok = 1,
        };
        run[n].seconds = factor * chorale_predict(net, alg,
                                                  run[n].config.value, &where);
    }
    return n;
}

/* A variant that takes thrice its prediction: in one cell, and in eight. */
static void test_evidence(void)
{
    static const int ncell[] = { 1, 8 };
    const int late = chorale_alg_index(chorale_alg_find(CHORALE_BCAST,
                                                        "pipeline"));
    static struct chorale_run_point run[40];

    for (int way = 0; way < 2; way++) {
        struct chorale_predictor *net = network(2e-6, 1e-9, 0, -1);
        struct chorale_points points = { .row = run };
        struct chorale_adapt_evidence e;
        double bias, doubt;

        points.count = add_cells(run, 0, net, "binomial", 8, 1);
        points.count = add_cells(run, points.count, net, "linear", 8, 1);
        points.count = add_cells(run, points.count, net, "kary", 8, 1);
        points.count = add_cells(run, points.count, net, "pipeline",
                                 ncell[way], 3);
        if (chorale_adapt_evidence_init(&e, &points, "first", 8) != 0)
            exit(99);
        bias = e.bias[late];
        doubt = e.doubt[late];
        tap_ok(bias > 0.9 && bias < 1.3 && doubt == (way == 0 ? bias : 0),
               "a deviation in %d %s %s (%g, %g)", ncell[way],
               way == 0 ? "cell" : "cells", way == 0 ? "is doubted" : "counts",
               bias, doubt);
        chorale_adapt_evidence_release(&e);
        chorale_predictor_free(net);
    }
}

int main(void)
{
    test_networks();
    test_known();
    test_far();
    test_robust();
    test_doubt();
    test_evidence();
    return tap_done();
}
