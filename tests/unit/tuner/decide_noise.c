/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_noise.c - error rates of decisions on simulated launches: chance does
 * not replace the library, few accepted gains are false, and most of what the
 * candidates gain is captured. Further launches of undecided points keep the
 * first two rates.
 *
 * Usage: decide_noise.t [SEEDS] (default: 20; FEW with further launches) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tuner/noise.h"
#include "tuner/assess/undecided.h"
#include "tuner/decide/decide.h"

/* LOOKS: most rounds of further launches in `chorale tune`: two passes
 * (MAX_PASSES of tune_pipeline.c) with CHORALE_UNDECIDED_ROUNDS each. */
enum { LINES = 20, SIZES = 10, POINTS = LINES * SIZES, MANY = 40,
       MOST_LAUNCHES = 24, LOOKS = 2 * CHORALE_UNDECIDED_ROUNDS,
       MOST_NAMES = MOST_LAUNCHES + LOOKS * SIZES * CHORALE_UNDECIDED_LAUNCHES,
       MOST_ROWS = 1 << 18, FEW = 5 };

/* A kind of system. Noise is in log units; an outlier is 1.5 to 5 times as
 * slow. */
struct world {
    const char *name;
    int ncand, nlaunch;
    double own;              /* noise of each run */
    double common;           /* noise that the sizes of a candidate share in a
                              * launch of a line */
    double uneven;           /* standard deviation of the log of a point's noise
                              * relative to that of others */
    double outlier;          /* probability of an outlier */
    int gains;               /* 1: candidates differ, see draw_truth() */
    double least;            /* share of the gains that must be captured */
    int further;             /* 1: also test further launches, see tune(); -1:
                              * only print their rate */
};

/* With uneven noise, further launches exceed the limit of false choices:
 * tests/bench/results/decide.md. */
static const struct world null[] = {
    { "independent noise", MANY, 6, 0.02, 0, 0, 0.01, 0, 0, 1 },
    { "noise shared by sizes", MANY, 6, 0.014, 0.014, 0, 0.01, 0, 0, 1 },
    { "uneven noise", MANY, 6, 0.02, 0, 0.7, 0.01, 0, 0, -1 },
    { "three candidates", 3, 6, 0.02, 0, 0, 0.01, 0, 0, 0 },
    { "three launches", MANY, 3, 0.02, 0, 0, 0.01, 0, 0, 0 },
};
static const struct world truth[] = {
    { "independent noise", 12, 6, 0.02, 0, 0, 0.01, 1, 0.9, 1 },
    { "noise shared by sizes", 12, 6, 0.014, 0.014, 0, 0.01, 1, 0.9, 1 },
    { "more and uneven noise", 12, 6, 0.03, 0.014, 0.7, 0.01, 1, 0.75, 1 },
    { "three launches", 12, 3, 0.02, 0.014, 0.5, 0.01, 1, 0.75, 0 },
};

struct bench {
    struct chorale_run_point row[MOST_ROWS];
    double gain[POINTS][MANY + 1]; /* true log(library time / time) */
    double scale[POINTS];    /* noise of a point relative to that of others */
    double shift[MANY + 1][MOST_NAMES]; /* noise that the sizes of a line share;
                              * NAN: not drawn yet */
    int nlaunch[POINTS];     /* launches of a point */
    int nname[LINES];        /* launches of a line, numbered from 0 */
    char launch[MOST_NAMES][16], variant[MANY + 1][16];
    struct chorale_points points;
};

static const struct chorale_decide_opts opts = {
    .rules = 1, .threshold = 0.03, .fdr = 0.05, .compact = 0.01,
    .max_scratch = -1,
};

/* The true gains. Without gains all are 0. Else two lines of five have no
 * faster candidate, but two that equal the library. In the others one candidate
 * gains up to 40 % at the smallest size, ever less at larger ones, and loses in
 * the end; a second one is 1 % slower. */
static void draw_truth(struct bench *b, const struct world *w,
                       struct random *random)
{
    memset(b->gain, 0, sizeof(b->gain));
    for (int line = 0; w->gains && line < LINES; line++) {
        double most = line % 5 < 2 ? 0 : log(1.4) * random_unit(random);
        double slope = line % 5 < 2 ? 0 : random_unit(random) * most * 2;

        for (int k = 0; k < SIZES; k++)
            for (int c = 1; c <= w->ncand; c++)
                b->gain[line * SIZES + k][c] =
                    c > 2 ? -0.05 * c : most - slope * k / SIZES -
                                        (c == 2 && most > 0 ? 0.01 : 0);
    }
}

/* Shared noise of the next line is drawn anew. */
static void forget_shifts(struct bench *b)
{
    for (int c = 0; c <= MANY; c++)
        for (int l = 0; l < MOST_NAMES; l++)
            b->shift[c][l] = NAN;
}

/* A run of candidate c at point i in launch l of its line. */
static struct chorale_run_point draw_run(struct bench *b, const struct world *w,
                                         int i, int c, int l,
                                         struct random *random)
{
    double x = -10 - b->gain[i][c] +
               w->own * b->scale[i] * random_normal(random);

    if (isnan(b->shift[c][l]))
        b->shift[c][l] = w->common * random_normal(random);
    x += b->shift[c][l];
    if (random_unit(random) < w->outlier)
        x += log(1.5 + 3.5 * random_unit(random));
    return (struct chorale_run_point){
        .coll = CHORALE_BCAST, .comm_size = 2 + i / SIZES,
        .ppn = 1, .shape = "block", .dtype = "byte", .op = "",
        .op_class = "", .msg_size = 8u << i % SIZES,
        .n = 8u << i % SIZES,
        .provider = c == 0 ? "library" : "native",
        .variant = b->variant[c], .params = "", .conditions = "",
        .launch = b->launch[l], .ordinal = l, .ok = 1,
        .seconds = exp(x),
    };
}

static void draw_times(struct bench *b, const struct world *w,
                       struct random *random)
{
    struct chorale_run_point *row = b->row;

    for (int i = 0; i < POINTS; i++) {
        b->scale[i] = exp(w->uneven * random_normal(random));
        b->nlaunch[i] = b->nname[i / SIZES] = w->nlaunch;
        if (i % SIZES == 0)
            forget_shifts(b);
        for (int c = 0; c <= w->ncand; c++)
            for (int l = 0; l < w->nlaunch; l++)
                *row++ = draw_run(b, w, i, c, l, random);
    }
    b->points = (struct chorale_points){
        .row = b->row, .count = (size_t)(row - b->row),
    };
}

/* Append launches first[i] ... first[i] + more[i] - 1 to each point i. */
static void append(struct bench *b, const struct world *w, const int *first,
                   const int *more, struct random *random)
{
    struct chorale_run_point *from = b->row + b->points.count, *to;

    for (int i = 0; i < POINTS; i++)
        b->points.count += (size_t)(more[i] * (w->ncand + 1));
    if (b->points.count > MOST_ROWS)
        abort();
    to = b->row + b->points.count;
    for (int i = POINTS - 1; i >= 0; i--) {
        if (i % SIZES == SIZES - 1)
            forget_shifts(b);
        for (int c = w->ncand; c >= 0; c--) {
            for (int l = more[i] - 1; l >= 0; l--)
                *--to = draw_run(b, w, i, c, first[i] + l, random);
            from -= b->nlaunch[i];
            to -= b->nlaunch[i];
            memmove(to, from, (size_t)b->nlaunch[i] * sizeof(*to));
        }
        b->nlaunch[i] += more[i];
    }
}

static void draw(struct bench *b, const struct world *w, unsigned seed)
{
    struct random random = { .state = seed };

    for (int l = 0; l < MOST_NAMES; l++)
        snprintf(b->launch[l], sizeof(b->launch[l]), "launch %d", l);
    for (int c = 0; c <= MANY; c++)
        snprintf(b->variant[c], sizeof(b->variant[c]), "variant %d", c);
    draw_truth(b, w, &random);
    draw_times(b, w, &random);
}

/* Decisions: accepted gains, those that are false, and the sums of the true log
 * gains of the choices and of the best candidates. */
struct score {
    double accepted, wrong, captured, possible;
    int pick[POINTS];        /* of the last decision; 0: the library */
};

static void decide(const struct bench *b, struct score *score)
{
    struct chorale_measured *spot;
    struct chorale_errmsg msg;
    size_t nspot;

    if (chorale_decide_sizes(&b->points, &opts, &spot, &nspot, &msg) !=
            CHORALE_OK || nspot != POINTS)
        abort();
    for (size_t i = 0; i < nspot; i++) {
        double best = 0;
        int pick = 0;

        for (int c = 1; c <= MANY; c++) {
            best = fmax(best, b->gain[i][c]);
            if (spot[i].cand[spot[i].pick].run->variant == b->variant[c])
                pick = c;
        }
        score->pick[i] = pick;
        score->accepted += pick > 0;
        score->wrong += pick > 0 && b->gain[i][pick] <= 0;
        score->captured += b->gain[i][pick];
        score->possible += best;
        chorale_measured_release(&spot[i]);
    }
    free(spot);
}

/* 40 variants that equal the library, at 200 points. */
static void test_null(struct bench *b, unsigned seeds)
{
    for (size_t k = 0; k < sizeof(null) / sizeof(null[0]); k++) {
        unsigned clean = 0;

        for (unsigned s = 1; s <= seeds; s++) {
            struct score score = { 0, 0, 0, 0, { 0 } };

            draw(b, &null[k], s);
            decide(b, &score);
            clean += score.accepted < 1;
        }
        tap_ok(clean >= 0.95 * seeds, "equal variants, %s: %u of %u tables "
               "are the library's", null[k].name, clean, seeds);
    }
}

static void test_truth(struct bench *b, unsigned seeds)
{
    for (size_t k = 0; k < sizeof(truth) / sizeof(truth[0]); k++) {
        struct score score = { 0, 0, 0, 0, { 0 } };

        for (unsigned s = 1; s <= seeds; s++) {
            draw(b, &truth[k], s);
            decide(b, &score);
        }
        tap_ok(score.wrong <= 0.05 * score.accepted,
               "gains up to 40 %%, %s: of %.0f accepted ones %.2f %% are false",
               truth[k].name, score.accepted / seeds,
               100 * score.wrong / score.accepted);
        tap_ok(score.captured >= truth[k].least * score.possible,
               "and %.1f %% of what the best candidates gain is captured",
               100 * score.captured / score.possible);
    }
}

/* The undecided points that at most 12 further launches would decide are
 * measured by 12 more. */
static void test_undecided(struct bench *b, unsigned seeds)
{
    struct world w = truth[2];
    double listed = 0, expected = 0, decided = 0;
    int sorted = 1, promising = 1;

    for (unsigned s = 1; s <= seeds; s++) {
        struct score score = { 0, 0, 0, 0, { 0 } };
        struct chorale_undecided *list;
        struct chorale_errmsg msg;
        size_t n, count = 0, place[POINTS];

        w.nlaunch = 6;
        draw(b, &w, s);
        decide(b, &score);
        if (chorale_decide_undecided(&b->points, &opts, &list, &n, &msg) !=
            CHORALE_OK)
            abort();
        for (size_t i = 0; i < n; i++) {
            size_t at = (size_t)(list[i].point - b->row) /
                        ((size_t)(w.ncand + 1) * 6);

            sorted &= i == 0 || list[i].value <= list[i - 1].value;
            promising &= list[i].gain > log(1.03) && score.pick[at] == 0 &&
                         list[i].probability > 0 &&
                         list[i].probability < 1 && list[i].launches > 0;
            if (list[i].launches > 12)
                continue;
            place[count++] = at;
            expected += list[i].probability;
        }
        free(list);
        w.nlaunch = 18;
        draw(b, &w, s);
        decide(b, &score);
        for (size_t i = 0; i < count; i++)
            decided += score.pick[place[i]] > 0;
        listed += (double)count;
    }
    tap_ok(sorted && promising && listed > 0,
           "undecided points have a gain and are sorted by value");
    tap_ok(decided >= 0.4 * expected, "of %.0f points, of which %.0f are "
           "expected to have a gain, 12 more launches accept %.0f", listed,
           expected, decided);
}

/* The index of a run's point. */
static int index_of(const struct chorale_run_point *run)
{
    int size = 0;

    while (8u << size < run->n)
        size++;
    return (run->comm_size - 2) * SIZES + size;
}

/* One round of chorale_undecided_measure() without a limit of time. Undecided
 * sizes of a line with equally many launches share further launches. Their
 * number is that of the most valuable size. Returns the number of points that
 * were undecided. */
static size_t look(struct bench *b, const struct world *w,
                   struct random *random)
{
    struct chorale_undecided *list;
    struct chorale_errmsg msg;
    int first[POINTS] = { 0 }, more[POINTS] = { 0 };
    size_t n;

    if (chorale_decide_undecided(&b->points, &opts, &list, &n, &msg) !=
        CHORALE_OK)
        abort();
    for (size_t k = 0; k < n; k++) {
        int at = index_of(list[k].point), *name = &b->nname[at / SIZES];

        if (more[at] > 0)
            continue;
        for (size_t m = k; m < n; m++) {
            int other = index_of(list[m].point);

            if (more[other] > 0 || other / SIZES != at / SIZES ||
                b->nlaunch[other] != b->nlaunch[at])
                continue;
            first[other] = *name;
            more[other] = (int)list[k].launches;
        }
        *name += more[at];
    }
    free(list);
    append(b, w, first, more, random);
    return n;
}

/* Decide after up to LOOKS rounds of further launches; only the last decision
 * counts. Returns the number of points that got launches, over all rounds. */
static size_t tune(struct bench *b, const struct world *w, unsigned seed,
                   struct score *score)
{
    struct random random = { .state = ~(uint64_t)seed };
    size_t sum = 0, n = 1;

    draw(b, w, seed);
    for (int k = 0; k < LOOKS && n > 0; k++)
        sum += n = look(b, w, &random);
    decide(b, score);
    return sum;
}

static void test_further_null(struct bench *b, unsigned seeds)
{
    for (size_t k = 0; k < sizeof(null) / sizeof(null[0]); k++) {
        unsigned clean = 0;
        size_t points = 0;

        for (unsigned s = 1; null[k].further != 0 && s <= seeds; s++) {
            struct score score = { 0, 0, 0, 0, { 0 } };

            points += tune(b, &null[k], s, &score);
            clean += score.accepted < 1;
        }
        if (null[k].further < 0)
            tap_diag("equal variants, %s, further launches: %u of %u tables "
                     "are the library's", null[k].name, clean, seeds);
        if (null[k].further > 0)
            tap_ok(points > 0 && clean >= 0.95 * seeds, "equal variants, %s, "
                   "further launches at %.1f points: %u of %u tables are the "
                   "library's", null[k].name, (double)points / seeds, clean,
                   seeds);
    }
}

static void test_further_truth(struct bench *b, unsigned seeds)
{
    for (size_t k = 0; k < sizeof(truth) / sizeof(truth[0]); k++) {
        struct score score = { 0, 0, 0, 0, { 0 } };
        size_t points = 0;

        for (unsigned s = 1; truth[k].further && s <= seeds; s++)
            points += tune(b, &truth[k], s, &score);
        if (!truth[k].further)
            continue;
        tap_ok(points > 0 && score.wrong <= 0.05 * score.accepted,
               "gains up to 40 %%, %s, further launches at %.1f points: of "
               "%.0f accepted ones %.2f %% are false", truth[k].name,
               (double)points / seeds, score.accepted / seeds,
               100 * score.wrong / score.accepted);
        tap_diag("%.1f %% of what the best candidates gain is captured",
                 100 * score.captured / score.possible);
    }
}

int main(int argc, char **argv)
{
    unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
    struct bench *b = malloc(sizeof(*b));

    if (b == NULL || seeds < 1)
        return 99;
    test_null(b, seeds);
    test_truth(b, seeds);
    test_undecided(b, seeds);
    test_further_null(b, argc > 1 ? seeds : FEW);
    test_further_truth(b, argc > 1 ? seeds : FEW);
    free(b);
    return tap_done();
}
