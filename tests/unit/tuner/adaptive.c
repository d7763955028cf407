/* SPDX-License-Identifier: BSD-3-Clause */
/* adaptive.c - cells that adaptive plans choose on simulated systems, their
 * budgets, and the regret that they expect. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/adaptive/adaptive.h"
#include "tuner/base/kriging.h"

static const char *const variant[] = { "default", "binomial", "linear",
                                       "scatter_ring_allgather" };
static const int proc[] = { 2, 4, 8, 16, 32, 64 };
#define NVARIANT 4
#define NPROC 6
#define NSIZE 18 /* 8 ... 1M */

/* True seconds of variant v. The network has 1 us and 1 ns per byte; the
 * library is a binomial tree that loses one third. */
static double truth(int v, double n, int p)
{
    double rounds = ceil(log2(p));

    switch (v) {
    case 2:
        return (p - 1) * (1e-6 + 1e-9 * n);
    case 3:
        return (rounds + p - 1) * 1e-6 + 2 * 1e-9 * n * (p - 1) / p;
    }
    return rounds * (1e-6 + 1e-9 * n) * (v == 0 ? 1.5 : 1);
}

struct plan {
    struct chorale_adapt_grid grid;
    struct chorale_adapt_cell cell[NPROC * NSIZE * NVARIANT];
    struct chorale_adapt_opts opts;
    struct chorale_adapt_round round;
    struct chorale_errmsg msg;
    struct fixture f;
};

static void begin(struct plan *p, double budget)
{
    size_t n = 0;

    memset(p, 0, sizeof(*p));
    for (int i = 0; i < NPROC; i++)
        for (int j = 0; j < NSIZE; j++)
            for (int v = 0; v < NVARIANT; v++) {
                struct chorale_adapt_cell *cell = &p->cell[n++];

                *cell = (struct chorale_adapt_cell){
                    .coll = CHORALE_BCAST, .msg_size = 8L << j,
                    .n = (size_t)8 << j, .comm_size = proc[i], .ppn = 1,
                    .op = -1, .shape = "one-per-node",
                    .config = chorale_alg_configure(CHORALE_BCAST, variant[v],
                                                    ""),
                };
            }
    p->grid = (struct chorale_adapt_grid){ p->cell, n };
    p->opts = (struct chorale_adapt_opts){
        .decide = { .simulated = 1, .fdr = 0.05, .compact = 0.01,
                    .max_scratch = -1 },
        .budget = budget, .nodes = 1, .goal = 0.001, .start_up = 1,
        .launches = 1, .nrep_min = 10, .nrep_max = 100, .nwarmup = 2,
        .cell_seconds = 0.5, .seed = 1,
    };
    fixture_open(&p->f, "sim", 1);
}

/* Measure the chosen cells; returns their cost. */
static double measure(struct plan *p)
{
    double seconds[NPROC] = { 0 }, cost = 0;

    for (size_t c = 0; c < p->grid.ncell; c++) {
        struct chorale_adapt_cell *cell = &p->cell[c];
        size_t i = c / (NSIZE * NVARIANT);
        double t = truth((int)(c % NVARIANT), (double)cell->n,
                         cell->comm_size);
        struct fixture_run run = {
            "bcast", cell->config.alg == NULL ? "library" : "chorale",
            variant[c % NVARIANT], "", cell->comm_size, 1,
            cell->msg_size, 0, t, NULL, NULL, NULL, NULL,
        };

        if (!cell->chosen)
            continue;
        cell->known = 1;
        cell->chosen = 0;
        fixture_add(&p->f, &run);
        seconds[i] += chorale_adapt_cell_seconds(&p->opts, cell->comm_size, t);
    }
    for (int i = 0; i < NPROC; i++)
        if (seconds[i] > 0)
            cost += chorale_adapt_cost(&p->opts, proc[i], 1, seconds[i]);
    return cost;
}

static enum chorale_err choose(struct plan *p)
{
    struct chorale_points points = { .row = NULL };
    struct chorale_adapt_evidence evidence;
    enum chorale_err err = chorale_points_load(p->f.store, 1, &points,
                                               &p->msg);

    if (err != CHORALE_OK ||
        chorale_adapt_evidence_init(&evidence, &points, "last",
                                    proc[NPROC - 1]) != 0)
        exit(99);
    p->round.round++;
    err = chorale_adapt_choose(&p->grid, &points, &evidence, &p->opts,
                               &p->round, &p->msg);
    chorale_adapt_evidence_release(&evidence);
    chorale_points_release(&points);
    return err;
}

/* Process counts with chosen cells, as "2,8,". */
static const char *chosen_procs(const struct plan *p)
{
    static char text[64];
    size_t len = 0;

    text[0] = '\0';
    for (int i = 0; i < NPROC; i++) {
        int any = 0;

        for (int c = 0; c < NSIZE * NVARIANT; c++)
            any |= p->cell[i * NSIZE * NVARIANT + c].chosen;
        if (any)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%d,",
                                    proc[i]);
    }
    return text;
}

/* 1 if each point with a chosen cell has the library too, and no known cell is
 * chosen again. */
static int is_sound(const struct plan *p)
{
    for (size_t c = 0; c < p->grid.ncell; c++) {
        const struct chorale_adapt_cell *library =
            &p->cell[c - c % NVARIANT];

        if (p->cell[c].chosen && (p->cell[c].known ||
                                  !(library->chosen || library->known)))
            return 0;
    }
    return 1;
}

static void test_rounds(void)
{
    struct plan *p = malloc(sizeof(*p));
    double first, last = 0;
    int sound = 1, paid = 1, found = 1;

    if (p == NULL)
        exit(99);
    begin(p, 1000);
    tap_ok(choose(p) == CHORALE_OK && strcmp(chosen_procs(p), "2,") == 0,
           "round 1 of a small budget measures the smallest process count: %s",
           chosen_procs(p));
    fixture_close(&p->f);
    begin(p, 3000);
    tap_ok(choose(p) == CHORALE_OK && strcmp(chosen_procs(p), "2,8,64,") == 0 &&
               isnan(p->round.regret),
           "round 1 measures three process counts: %s", chosen_procs(p));
    p->opts.spent += measure(p);
    tap_ok(choose(p) == CHORALE_OK &&
               strstr(chosen_procs(p), "16,") != NULL &&
               strstr(chosen_procs(p), "64,") != NULL,
           "round 2 measures up to the largest process count: %s",
           chosen_procs(p));
    first = p->round.regret;
    for (int i = 2; i < 20 && p->round.ncell > 0; i++) {
        double cost;

        sound &= is_sound(p);
        found &= p->round.npoint > 0;
        cost = measure(p);
        paid &= cost < 1.25 * p->round.foreseen;
        p->opts.spent += cost;
        if (choose(p) != CHORALE_OK)
            break;
        last = p->round.regret;
    }
    tap_ok(sound, "no cell is measured twice or without the library");
    tap_ok(paid, "costs equal the planned costs");
    tap_ok(p->round.ncell == 0 && p->round.why[0] != '\0',
           "planning ends with a reason: %s",
           p->round.why);
    tap_ok(p->opts.spent <= 3000,
           "all rounds stay within the budget: %g", p->opts.spent);
    tap_ok(first > 0.005 && last < 0.001,
           "the expected regret falls from %g to %g", first, last);
    fixture_close(&p->f);
    free(p);
}

/* The same measurements and seed give the same choice; another seed gives other
 * draws. */
static void test_seed(void)
{
    struct plan *p[3];
    int same = 1, other = 0;

    for (int i = 0; i < 3; i++) {
        p[i] = malloc(sizeof(**p));
        if (p[i] == NULL)
            exit(99);
        begin(p[i], 3000);
        p[i]->opts.seed = i < 2 ? 1 : 2;
        choose(p[i]);
        measure(p[i]);
        choose(p[i]);
    }
    for (size_t c = 0; c < p[0]->grid.ncell; c++) {
        same &= p[0]->cell[c].chosen == p[1]->cell[c].chosen &&
                p[0]->cell[c].wins == p[1]->cell[c].wins;
        other |= p[0]->cell[c].wins != p[2]->cell[c].wins;
    }
    tap_ok(same, "the same seed gives the same choice");
    tap_ok(other, "another seed gives other draws");
    for (int i = 0; i < 3; i++) {
        fixture_close(&p[i]->f);
        free(p[i]);
    }
}

/* 1 if the round leaves out, at points that it takes, exactly the candidates
 * whose expected gain is below least. *left_p: their number. */
static int leaves_out(const struct plan *p, double least, int *left_p)
{
    int right = 1;

    *left_p = 0;
    for (size_t i = 0; i < p->grid.ncell; i += NVARIANT) {
        const struct chorale_adapt_cell *cell = &p->cell[i];
        size_t first = 1;
        int taken = 0;

        for (size_t c = 1; c < NVARIANT; c++) {
            first = cell[c].wins > cell[first].wins ? c : first;
            taken |= cell[c].chosen;
        }
        for (size_t c = 1; c < NVARIANT && taken; c++) {
            if (cell[c].known || cell[c].wins < 2)
                continue;
            right &= cell[c].chosen == (c == first || cell[c].gain >= least);
            *left_p += !cell[c].chosen;
        }
    }
    return right;
}

/* Plan the next round; returns the share that it may spend of the remaining
 * budget without its reserve of 12 %. */
static double next_share(struct plan *p)
{
    double left;

    p->opts.spent += measure(p);
    left = 0.88 * (p->opts.budget - p->opts.spent);
    if (choose(p) != CHORALE_OK)
        return NAN;
    return p->round.foreseen / left;
}

/* Budget of each round, and the candidates that it takes. */
static void test_shares(void)
{
    struct plan *p = malloc(sizeof(*p));
    int left_out, right;
    double share;

    if (p == NULL)
        exit(99);
    begin(p, 2000);
    p->opts.goal = 0;
    choose(p);
    share = next_share(p);
    tap_ok(share > 0.4 && share <= 0.5,
           "round 2 plans for half of the remaining budget: %.2f", share);
    right = leaves_out(p, INFINITY, &left_out);
    tap_ok(right && left_out > 0, "round 2 leaves out %d candidates that are "
           "not the most frequent winner", left_out);
    share = next_share(p);
    tap_ok(share > 0.5 && share <= 0.6,
           "round 3 plans for 60 %% of the remaining budget: %.2f", share);
    right = leaves_out(p, 0, &left_out);
    tap_ok(right && left_out == 0,
           "round 3 leaves out no candidate that may win");
    fixture_close(&p->f);
    begin(p, 1600);
    p->opts.goal = 0;
    choose(p);
    for (int i = 0; i < 3; i++)
        share = next_share(p);
    tap_ok(p->round.round == 4 && share > 0.6 && share <= 1,
           "round 4 plans for all of the remaining budget: %.2f", share);
    fixture_close(&p->f);
    free(p);
}

/* Largest size chosen for the i-th process count; 0: none. */
static long largest(const struct plan *p, int i)
{
    long most = 0;

    for (int c = i * NSIZE * NVARIANT; c < (i + 1) * NSIZE * NVARIANT; c++)
        if (p->cell[c].chosen && p->cell[c].msg_size > most)
            most = p->cell[c].msg_size;
    return most;
}

/* Round 2 with a budget for the start at the largest process count, but not for
 * its largest sizes. */
static void test_tight(void)
{
    struct plan *p = malloc(sizeof(*p));
    const char *procs;

    if (p == NULL)
        exit(99);
    begin(p, 625);
    choose(p);
    p->opts.spent = measure(p);
    procs = choose(p) == CHORALE_OK ? chosen_procs(p) : "";
    tap_ok(strstr(procs, "64,") != NULL && largest(p, NPROC - 1) >= 4096 &&
               largest(p, NPROC - 1) < 1048576 &&
               p->round.foreseen <= 0.88 * (625 - p->opts.spent),
           "a budget too small for all sizes reaches the largest process count "
           "with small ones: P = %s up to %ld bytes", procs,
           largest(p, NPROC - 1));
    fixture_close(&p->f);
    free(p);
}

static void test_budget(void)
{
    struct plan *p = malloc(sizeof(*p));

    if (p == NULL)
        exit(99);
    begin(p, 0.5);
    tap_ok(choose(p) == CHORALE_USAGE,
           "too small a budget is refused: %s", p->msg.text);
    p->opts.budget = 40; /* for the probe only */
    tap_ok(choose(p) == CHORALE_OK && p->round.ncell > 0 &&
               p->round.foreseen <= 40, "a budget for one round is accepted");
    p->opts.spent = measure(p);
    p->opts.budget = 1.02 * p->opts.spent;
    tap_ok(choose(p) == CHORALE_OK && p->round.ncell == 0,
           "a budget for one round gives no second round: %s", p->round.why);
    p->opts.budget = 1e6;
    p->opts.goal = 100;
    choose(p);
    p->opts.spent += measure(p);
    tap_ok(choose(p) == CHORALE_OK && p->round.ncell == 0 &&
               strstr(p->round.why, "goal") != NULL,
                                    "planning ends at the goal: "
           "%s", p->round.why);
    p->grid.ncell = 0;
    tap_ok(choose(p) == CHORALE_OK && p->round.ncell == 0,
           "an empty grid gives no round: %s", p->round.why);
    fixture_close(&p->f);
    free(p);
}

/* Simulated by the clock, a cell costs its share of the time that its simulation
 * takes, and a grid with more process counts comes before one with all
 * sizes. */
static void test_clock(void)
{
    struct plan *p = malloc(sizeof(*p));
    const struct chorale_adapt_cell *cell;
    const char *procs;
    double seconds;

    if (p == NULL)
        exit(99);
    begin(p, 12);
    p->opts.nodes = 0;
    p->opts.start_up = 0.01;
    p->opts.alpha = 1e-6;
    p->opts.beta = 1e-9;
    cell = &p->cell[p->grid.ncell - NVARIANT];
    seconds = 1e-9 * (double)cell->n + 10e-6; /* ten messages of each rank */
    tap_ok(chorale_adapt_planned_seconds(&p->opts, cell, seconds) ==
               chorale_adapt_cell_seconds(&p->opts, 64, seconds),
           "a cell costs what it takes on a real system");
    p->opts.by_clock = 1;
    seconds = chorale_adapt_planned_seconds(&p->opts, cell, seconds);
    tap_ok(fabs(seconds / (64 * (10 * 80e-6 + 6e-9 * (double)cell->n) / 6) -
                1) < 1e-6,
           "by the clock, a sixth of its simulation: %g s", seconds);
    seconds = chorale_adapt_planned_seconds(&p->opts, cell + 2, 1e-3);
    tap_ok(fabs(seconds / (64 * (63 * 80e-6 + 6e-9 * (double)cell->n) / 6) -
                1) < 1e-6,
           "for a variant, by the messages of its critical path: %g s",
           seconds);
    choose(p);
    measure(p);
    procs = choose(p) == CHORALE_OK ? chosen_procs(p) : "";
    tap_ok(strcmp(procs, "2,4,8,64,") == 0 && largest(p, NPROC - 1) > 0 &&
               largest(p, NPROC - 1) < largest(p, 1),
           "round 2 leaves out long messages on many ranks: P = %s, on 64 up "
           "to %ld bytes, on 4 up to %ld", procs, largest(p, NPROC - 1),
           largest(p, 1));
    fixture_close(&p->f);
    free(p);
}

/* Without a budget: few cells calibrate the model, then each point is measured
 * until its best candidate is. */
static void test_every(void)
{
    struct plan *p = malloc(sizeof(*p));
    size_t first = 0, ncell = 0, lost = 0;

    if (p == NULL)
        exit(99);
    begin(p, 0);
    p->opts.every = 1;
    tap_ok(choose(p) == CHORALE_OK && p->round.ncell > 0 &&
               p->round.npoint == 9 && isnan(p->round.regret),
           "every point: round 1 calibrates at 9 points");
    for (int i = 0; i < 9 && p->round.ncell > 0; i++) {
        first = i == 0 ? p->round.ncell : first;
        ncell += p->round.ncell;
        measure(p);
        if (choose(p) != CHORALE_OK)
            break;
    }
    tap_ok(p->round.ncell == 0 && strstr(p->round.why, "0.10 %") != NULL,
           "every point: planning ends with a reason: %s", p->round.why);
    for (size_t c = 0; c < p->grid.ncell; c += NVARIANT) {
        const struct chorale_adapt_cell *cell = &p->cell[c];
        double best = INFINITY, known = INFINITY;

        for (int v = 0; v < NVARIANT; v++) {
            double t = truth(v, (double)cell->n, cell->comm_size);

            best = fmin(best, t);
            known = cell[v].known ? fmin(known, t) : known;
        }
        lost += known > 1.001 * best || !cell->known;
    }
    tap_ok(lost == 0, "every point: the library and the best are measured, "
           "except at %zu points", lost);
    tap_ok(ncell < 3 * p->grid.ncell / 4 && first * 5 < ncell,
           "every point: %zu of %zu cells, %zu in round 1", ncell,
           p->grid.ncell, first);
    fixture_close(&p->f);
    free(p);
}

/* Set log_late of all cells of variant v. */
static void set_late(struct plan *p, int v, double log_late)
{
    for (size_t c = (size_t)v; c < p->grid.ncell; c += NVARIANT)
        p->cell[c].log_late = log_late;
}

/* The largest difference between log_seconds of variant v and before[] plus
 * log_late. */
static double late_error(const struct plan *p, int v, const double *before,
                         double log_late)
{
    double most = 0;

    for (size_t c = (size_t)v; c < p->grid.ncell; c += NVARIANT)
        if (isfinite(before[c]))
            most = fmax(most, fabs(p->cell[c].log_seconds - before[c] -
                                   log_late));
    return most;
}

/* Arrival patterns decide: times are predicted for pattern sync, then corrected
 * by what late ranks cost each candidate. */
static void test_late(void)
{
    static double before[NPROC * NSIZE * NVARIANT];
    struct plan *p = malloc(sizeof(*p));
    int picked[2] = { 0, 0 }, best = 0;

    if (p == NULL)
        exit(99);
    begin(p, 0);
    p->opts.every = 1;
    choose(p);
    measure(p);
    for (int late = 0; late < 2; late++) {
        if (late) {
            set_late(p, 1, log(20));
            set_late(p, 2, 0.25);
            for (size_t c = 0; c < p->grid.ncell; c += NVARIANT)
                p->cell[c].log_late = p->cell[c].known ? 0.5 : NAN;
        }
        for (size_t c = 0; c < p->grid.ncell; c++)
            p->cell[c].chosen = 0;
        if (choose(p) != CHORALE_OK)
            exit(99);
        for (size_t c = 0; c < p->grid.ncell; c++) {
            if (c % NVARIANT == 1)
                picked[late] += p->cell[c].chosen;
            if (!late)
                before[c] = p->cell[c].log_seconds;
        }
    }
    for (size_t c = 1; c < p->grid.ncell; c += NVARIANT)
        best += isfinite(before[c]) && before[c] < before[c + 1] &&
                before[c] < before[c + 2];
    tap_ok(late_error(p, 1, before, log(20)) < 1e-9 &&
               late_error(p, 2, before, 0.25) < 1e-9 &&
               late_error(p, 3, before, 0) < 1e-9,
           "predicted times include what late ranks cost the candidate");
    tap_ok(late_error(p, 0, before, 0.5) < 1e-9,
           "the library's has the mean of its measured points where unknown");
    tap_ok(best > 0 && picked[0] > 0 && picked[1] == 0,
           "a candidate that is the fastest in sync only is not measured "
           "(%d points, %d chosen, then %d)", best, picked[0], picked[1]);
    fixture_close(&p->f);
    free(p);
}

/* Number of cells of a point that settle chooses; *first_p: the first one. */
static int settle(struct chorale_adapt_cell *cell, size_t ncell,
                  size_t *first_p)
{
    const struct chorale_adapt_opts opts = { .seed = 1 };
    struct chorale_adapt_grid grid = { cell, ncell };
    struct chorale_adapt_point point = { .ncell = ncell };
    struct chorale_adapt a = { .grid = &grid, .opts = &opts, .point = &point,
                               .npoint = 1 };
    int chosen = 0;

    if (chorale_adapt_settle(&a, 0, 0.001) != 0)
        exit(99);
    *first_p = 0;
    for (size_t c = ncell; c-- > 0;)
        if (cell[c].chosen) {
            chosen++;
            *first_p = c;
        }
    return chosen;
}

static void test_settle(void)
{
    const struct chorale_alg_config variants[] = {
        { .alg = NULL }, { .alg = chorale_algs[0] }, { .alg = chorale_algs[1] },
        { .alg = chorale_algs[2] },
    };
    const double seconds[] = { 3, 2, 1, 1.5 };
    struct chorale_adapt_cell cell[4];
    size_t first;

    for (int k = 0; k < 4; k++)
        cell[k] = (struct chorale_adapt_cell){
            .config = variants[k], .log_seconds = log(seconds[k]), .sd = 1e-3,
        };
    tap_ok(settle(cell, 4, &first) == 1 && first == 2,
           "without measurements only the fastest candidate is chosen");
    cell[2].chosen = 0;
    cell[2].known = 1;
    tap_ok(settle(cell, 4, &first) == 0,
           "no candidate is chosen after the fastest is measured");
    cell[2].log_seconds = INFINITY;
    tap_ok(settle(cell, 4, &first) == 1 && first == 3,
           "if the fastest fails, the next one is chosen");
}

/* The interpolation is exact at measured points; elsewhere the true value is
 * nearly always within two standard deviations. */
static void test_krige(void)
{
    struct chorale_krige_at at[36];
    struct chorale_krige k;
    double z[36], worst = 0, sd = 0, far;
    int out = 0, n = 0;

    for (int i = 0; i < 36; i++) {
        at[i] = (struct chorale_krige_at){ .x = 3 * (i % 6), .y = i / 6.0 };
        z[i] = 0.3 * sin(at[i].x / 4) + 0.1 * at[i].y;
    }
    tap_ok(chorale_krige_fit(&k, at, z, 36, 0, 0.3, NULL, NULL) == 0, "fitted");
    for (int i = 0; i < 36; i++)
        worst = fmax(worst, fabs(chorale_krige_expect(&k, &at[i], &sd) -
                                 z[i]));
    tap_ok(worst < 1e-3, "kriging is exact at measured points: %g", worst);
    for (double x = 0.5; x < 15; x += 0.5)
        for (double y = 0.25; y < 5; y += 0.25, n++) {
            const struct chorale_krige_at to = { .x = x, .y = y };
            double mean = chorale_krige_expect(&k, &to, &sd);

            out += fabs(mean - 0.3 * sin(x / 4) - 0.1 * y) > 2 * sd;
        }
    tap_ok(out * 20 < n,
           "two standard deviations cover the truth: %d of %d outside", out, n);
    const struct chorale_krige_at away = { .x = 500, .y = 500 };
    far = chorale_krige_expect(&k, &away, &sd);
    tap_ok(fabs(far - k.mean) < 1e-9 && fabs(sd - k.sd) < 1e-9,
           "far away the estimate is the mean");
    chorale_krige_release(&k);
    tap_ok(chorale_krige_fit(&k, at, z, 0, 0, 0.3, NULL, NULL) == 0 &&
               chorale_krige_expect(&k, &at[0], &sd) == 0 &&
               sd == 0.3, "without data the deviation is the prior's");
    chorale_krige_release(&k);
    for (int i = 0; i < 36; i++)
        at[i] = at[0];
    tap_ok(chorale_krige_fit(&k, at, z, 36, 0, 0.3, NULL, NULL) == 0 &&
               isfinite(chorale_krige_expect(&k, &at[0], &sd)) && isfinite(sd),
           "repeated measurements of one point are finite");
    chorale_krige_release(&k);
}

int main(void)
{
    test_krige();
    test_rounds();
    test_shares();
    test_seed();
    test_tight();
    test_budget();
    test_clock();
    test_every();
    test_late();
    test_settle();
    return tap_done();
}
