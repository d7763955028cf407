/* SPDX-License-Identifier: BSD-3-Clause */
/* between_procs.c - decisions between measured process counts, and for
 * collectives whose ranks do not know the size, on simulated measurements. */
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/base/verb.h"

#define ALPHA 1e-6
#define BETA 1e-9

static void is(const char *got, const char *want, const char *what)
{
    if (!tap_ok(strcmp(got, want) == 0, "%s", what)) {
        tap_diag("got  %s", got);
        tap_diag("want %s", want);
    }
}

static void decide(struct fixture *f, const char *what)
{
    struct chorale_errmsg msg = { "" };

    tap_ok(fixture_verb(f, &chorale_verb_decide, &msg, "@db",
                        "--dispatch-cost=0", (const char *)NULL) == CHORALE_OK,
           "decided: %s %s", what, msg.text);
}

/* The variant chosen at a point, "" without a row. */
static const char *choice(struct fixture *f, long n, int comm_size)
{
    char sql[200];

    snprintf(sql, sizeof(sql), "SELECT variant || iif(count(*) > 1, ' twice',"
             " '') FROM decision WHERE %ld BETWEEN n_lo AND n_hi AND %d"
             " BETWEEN comm_size AND comm_size_hi", n, comm_size);
    return fixture_text(f, sql);
}

/* Add runs with blocks of m bytes: library and ring take so many times the
 * seconds of the ring's formula. */
static void ring(struct fixture *f, int comm_size, long m, double library,
                 double own)
{
    struct fixture_run run = {
        "allgather", "library", "default", "", comm_size, 1, m, 0, 0, NULL,
        NULL, NULL, NULL,
    };
    double t = (comm_size - 1) * (ALPHA + BETA * (double)m);

    run.seconds = library * t;
    fixture_add(f, &run);
    run.provider = "chorale";
    run.variant = "ring";
    run.seconds = own * t;
    fixture_add(f, &run);
}

/* The same with blocks of 64 to 4096 bytes at two process counts. */
static void rings(struct fixture *f, int p, int q, double library, double own)
{
    for (long m = 64; m <= 4096; m *= 4) {
        ring(f, p, m, library, own);
        ring(f, q, m, library, own);
    }
}

/* 1 if decide --explain prints the text for a point. */
static int explains(struct fixture *f, const char *coll, const char *m,
                    const char *comm_size, const char *text)
{
    struct chorale_errmsg msg;

    return fixture_verb(f, &chorale_verb_decide, &msg, "@db", "--explain",
                        coll, m, comm_size, (const char *)NULL) ==
               CHORALE_OK && fixture_output_has(f, text);
}

/* n of blocks of 64 to 4096 bytes is 256 to 16384 at 4 ranks and 1024 to 65536
 * at 16 ranks: in between, both ends of the range shift. */
static void test_hull(void)
{
    struct fixture f;
    int inside = 0, outside = 0;

    fixture_open(&f, "sim", 1);
    rings(&f, 4, 16, 2, 1);
    decide(&f, "two process counts whose sizes shift");
    for (int p = 4; p <= 16; p++) {
        inside += strcmp(choice(&f, 64L * p, p), "ring") == 0 &&
                  strcmp(choice(&f, 4096L * p, p), "ring") == 0;
        outside += strcmp(choice(&f, 32L * p - 1, p), "") == 0 &&
                   strcmp(choice(&f, 2 * 4096L * p + 1, p), "") == 0;
    }
    tap_ok(inside == 13, "rows contain the least and the largest block size of"
           " each process count");
    tap_ok(outside == 13, "rows exceed them at most by a factor of 2");
    is(fixture_text(&f, "SELECT group_concat(comm_size || '-' || comm_size_hi"
                    " || ' ' || n_lo || '-' || n_hi || ' ' || basis, '; ')"
                    " FROM decision"),
       "4-7 256-28672 measured; 8-16 512-65536 measured",
       "a choice has as many rows as doublings of n");
    fixture_close(&f);

    fixture_open(&f, "sim", 1);
    rings(&f, 4, 16, 1, 2);
    decide(&f, "two process counts with a fast library");
    is(fixture_text(&f, "SELECT group_concat(comm_size || '-' || comm_size_hi"
                    " || ' ' || n_lo || '-' || n_hi || ' ' || basis, '; ')"
                    " FROM decision"), "4-16 256-65536 library",
       "the library has one row");
    tap_ok(explains(&f, "allgather", "4K", "4", "no variant is faster") &&
           explains(&f, "allgather", "4K", "6", "no variant is faster") &&
           explains(&f, "allgather", "5K", "4", "outside the measured range") &&
           explains(&f, "allgather", "5K", "6", "outside the measured range"),
           "--explain names the measured range of each process count");
    fixture_close(&f);
}

/* Add a point of bcast at which two variants take so many times the time of the
 * network; the library takes twice that. */
static void bcast_at(struct fixture *f, int comm_size, long m, int launch,
                     double linear, double binomial)
{
    struct fixture_run run = {
        "bcast", "library", "default", "", comm_size, 1, m, launch, 0, NULL,
        NULL, NULL, NULL,
    };
    double t = ALPHA + BETA * (double)m;

    run.seconds = 2 * t;
    fixture_add(f, &run);
    run.provider = "chorale";
    run.variant = "linear";
    run.seconds = linear * t;
    fixture_add(f, &run);
    run.variant = "binomial";
    run.params = "segsize=0";
    run.seconds = binomial * t;
    fixture_add(f, &run);
}

/* Each point prefers another variant than its neighbours, by so much. Sizes
 * that differ by less than a factor of 2 have no predicted ones between. */
static void chequered(struct fixture *f, int simulated, double advantage,
                      double noise)
{
    fixture_open(f, simulated ? "sim" : "real", simulated);
    for (int launch = 0; launch < (simulated ? 1 : 6); launch++)
        for (int p = 5; p <= 7; p++)
            for (long m = 64; m <= 144; m += m / 2) {
                int odd = (p + (m == 96)) % 2;
                double k = 1 + noise * ((launch * 5 + p) % 6 - 2.5);

                bcast_at(f, p, m, launch, (odd ? 1 : advantage) * k,
                         (odd ? advantage : 1) * k);
            }
    decide(f, "points that alternate");
}

/* Nearly equal choices of adjacent process counts share a row. */
static void test_merge(void)
{
    struct fixture f;

    chequered(&f, 1, 1.009, 0);
    is(fixture_text(&f, "SELECT group_concat(comm_size || '-' || comm_size_hi"
                    " || ' ' || n_lo || '-' || n_hi || printf(' %s %.2f %.2f'"
                    " || ' %.2f %d', basis, speedup, speedup_lo, speedup_hi,"
                    " regret > 0 AND regret <= 0.01), '; ') FROM decision"),
       "5-7 64-144 measured 1.99 1.99 1.99 1",
       "choices within 1 % of each other have one row");
    is(fixture_text(&f, "SELECT reason FROM decision"), "faster than the"
       " library in simulation at 9 measured points", "the reason has"
       " the number of points");
    fixture_close(&f);
    chequered(&f, 1, 1.02, 0);
    is(fixture_text(&f, "SELECT count(*) FROM decision"), "9",
       "choices that differ by more have their own rows");
    is(fixture_text(&f, "SELECT max(regret) < 1e-9 FROM decision"), "1",
       "rows of the best choices have no regret");
    fixture_close(&f);
    chequered(&f, 0, 1.0, 0.01);
    is(fixture_text(&f, "SELECT group_concat(comm_size || '-' || comm_size_hi"
                    " || printf(' %d %d', speedup_lo < speedup,"
                    " speedup_hi > speedup AND speedup_hi < 2.1), '; ')"
                    " FROM decision"), "5-7 1 1",
       "launches of several process counts give one interval");
    fixture_close(&f);
}

/* Runs that determine the network: bcast at both process counts. */
static void network(struct fixture *f)
{
    for (int p = 4; p <= 8; p *= 2)
        for (long m = 64; m <= 65536; m *= 4) {
            struct fixture_run run = {
                "bcast", "library", "default", "", p, 1, m, 0,
                (p == 4 ? 2 : 3) * (ALPHA + BETA * (double)m), NULL, NULL,
                NULL, NULL,
            };

            fixture_add(f, &run);
            run.provider = "chorale";
            run.variant = "binomial";
            run.params = "segsize=0";
            fixture_add(f, &run);
        }
}

/* With one block size, no measured n lies between the process counts. The n of
 * that block is decided there. */
static void test_one_size(void)
{
    struct fixture f;

    fixture_open(&f, "sim", 1);
    ring(&f, 4, 16384, 2, 1);
    ring(&f, 8, 16384, 2, 1);
    network(&f);
    decide(&f, "one size");
    fixture_exec(&f, "DELETE FROM decision WHERE coll = 'bcast'");
    is(choice(&f, 5 * 16384, 5), "ring",
       "P = 5: n of the block size is decided");
    is(choice(&f, 7 * 16384, 7), "ring",
       "P = 7: n of the block size is decided");
    is(choice(&f, 2 * 7 * 16384 + 1, 7), "",
       "P = 7: no n far from it is decided");
    is(fixture_text(&f, "SELECT count(*) FROM decision WHERE seconds IS NULL OR"
                    " regret IS NULL"), "0", "all rows have times and regret");
    fixture_close(&f);
}

/* Between process counts that are very far apart no row is made. */
static void test_far(void)
{
    static const int far[] = { 4 + 513, 4 + 514, 1 << 30 };
    struct fixture f;

    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
        fixture_open(&f, "sim", 1);
        ring(&f, 4, 64, 2, 1);
        ring(&f, 4, 65536, 2, 1);
        ring(&f, far[i], 64, 2, 1);
        ring(&f, far[i], 65536, 2, 1);
        decide(&f, "two process counts far apart");
        is(choice(&f, 300L * 256, 300), i == 0 ? "default" : "",
           i == 0 ? "512 process counts in between: rows are made"
                  : "more process counts in between: no rows");
        fixture_close(&f);
    }
}

/* Above 64 ranks a prediction stands for process counts that differ by up to a
 * sixteenth: a change of algorithm with P happens between two such ranges. */
static void test_alike(void)
{
    struct chorale_errmsg msg = { "" };
    struct fixture f;
    int inside = 0;

    fixture_open(&f, "sim", 1);
    for (int p = 64; p <= 256; p *= 4)
        for (long m = 256; m <= 262144; m *= 2) {
            double t = ALPHA + BETA * (double)m, rounds = p == 64 ? 6 : 8;
            struct fixture_run run = {
                "bcast", "library", "default", "", p, 1, m, 0,
                2 * rounds * t, NULL, NULL, NULL, NULL,
            };

            fixture_add(&f, &run);
            run.provider = "chorale";
            run.variant = "binomial";
            run.params = "segsize=0";
            run.seconds = rounds * t;
            fixture_add(&f, &run);
            run.variant = "scatter_ring_allgather";
            run.params = "";
            run.seconds = (rounds + p - 1) * ALPHA +
                          2 * BETA * (double)m * (p - 1) / p;
            fixture_add(&f, &run);
        }
    tap_ok(fixture_verb(&f, &chorale_verb_decide, &msg, "@db",
                        "--dispatch-cost=0", "--compact=0.01%",
                        (const char *)NULL) == CHORALE_OK,
           "decided: 64 and 256 ranks %s", msg.text);
    is(fixture_text(&f, "SELECT count(DISTINCT comm_size) > 1 FROM decision"
                    " WHERE comm_size BETWEEN 65 AND 255"), "1",
       "between 64 and 256 ranks choices change with P");
    is(fixture_text(&f, "SELECT group_concat(DISTINCT comm_size) FROM decision"
                    " WHERE comm_size BETWEEN 65 AND 255 AND comm_size NOT IN"
                    " (65, 70, 75, 80, 86, 92, 98, 105, 112, 120, 128, 129,"
                    " 138, 147, 157, 167, 178, 190, 202, 215, 229, 244)"),
       "", "they change between ranges of a sixteenth");
    is(fixture_text(&f, "SELECT count(*) FROM decision WHERE comm_size < 64 OR"
                    " comm_size_hi > 256"), "0", "no row leaves the counts");
    fixture_close(&f);

    fixture_open(&f, "sim", 1);
    rings(&f, 64, 128, 2, 1);
    decide(&f, "64 and 128 ranks whose sizes shift");
    for (int p = 65; p < 128; p++)
        inside += strcmp(choice(&f, 64L * p, p), "ring") == 0 &&
                  strcmp(choice(&f, 4096L * p, p), "ring") == 0;
    tap_ok(inside == 63, "rows contain the least and the largest block size of"
           " each count of a range: %d", inside);
    fixture_close(&f);
}

/* Times that jump between process counts add half of such a jump to the
 * uncertainty; a variant must be faster even then. */
static void test_doubt(void)
{
    static const int size[] = { 8, 12, 16, 24, 36 };
    static const struct {
        double library[5], own[5];
        const char *want, *what;
    } cases[] = {
        { { 1.1, 1.1, 1.1, 1.1, 1.1 }, { 1, 1, 1, 1, 1 }, "ring",
          "10 % faster than a steady library wins" },
        { { 1.001, 1.6, 1.001, 1.6, 1.001 }, { 1, 1, 1, 1, 1 }, "default",
          "less than that keeps a library whose times jump" },
        { { 1.1, 1.4, 1.1, 1.4, 1.1 }, { 1, 1.3, 1, 1.3, 1 }, "default",
          "10 % faster keeps the library if the ring's times jump" },
    };
    struct fixture f;

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        fixture_open(&f, "sim", 1);
        for (size_t i = 0; i < 5; i++)
            for (long m = 64; m <= 4096; m *= 4)
                ring(&f, size[i], m, cases[k].library[i], cases[k].own[i]);
        decide(&f, "five process counts");
        is(choice(&f, 17 * 256, 17), cases[k].want, cases[k].what);
        is(choice(&f, 16 * 256, 16), "ring",
           "at a measured process count the ring wins");
        fixture_close(&f);
    }
}

/* Add runs of gatherv with m bytes per rank: linear and binomial_counts take so
 * many times the library's time. */
static void gatherv(struct fixture *f, int comm_size, long m, int launch,
                    double linear, double binomial)
{
    static const char *const name[] = { "default", "linear",
                                        "binomial_counts" };
    double ratio[] = { 1, linear, binomial };

    for (int v = 0; v < 3; v++) {
        struct fixture_run run = {
            "gatherv", v == 0 ? "library" : "chorale", name[v], "", comm_size,
            1, m, launch, 0, NULL, NULL, NULL, NULL,
        };

        run.seconds = ratio[v] * (comm_size - 1) * (ALPHA + BETA * (double)m) *
                      (1 + 0.001 * launch * v);
        fixture_add(f, &run);
    }
}

static const char *choices(struct fixture *f)
{
    return fixture_text(f, "SELECT group_concat(v, ' ') FROM (SELECT DISTINCT"
                        " variant AS v FROM decision WHERE 4 BETWEEN comm_size"
                        " AND comm_size_hi OR 8 BETWEEN comm_size AND"
                        " comm_size_hi ORDER BY v)");
}

/* If ranks do not know n, the choice depends on the process count only. */
static void test_blind(void)
{
    /* At 64, 256, 1024, 4096 bytes per rank. */
    static const struct {
        double linear[4], binomial[4];
        const char *want, *what;
    } cases[] = {
        { { .9, .9, .9, .9 }, { .5, .5, .5, 1.05 }, "linear",
          "a variant that is slower at one size is not chosen" },
        { { .9, .9, .9, 1.05 }, { .5, .5, .5, 1.05 }, "default",
          "the library is kept if all variants are slower at one size" },
        { { .9, .9, .9, .9 }, { .8, .8, .8, .8 }, "binomial_counts",
          "the best variant that is never slower is chosen" },
        { { .99, .99, .99, .98 }, { 2, 2, 2, 2 }, NULL,
          "a gain below the threshold of a real system is ignored" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int simulated = 0; simulated < 2; simulated++) {
            struct fixture f;

            fixture_open(&f, simulated ? "sim" : "real", simulated);
            for (int l = 0; l < (simulated ? 1 : 6); l++)
                for (int p = 4; p <= 8; p *= 2)
                    for (int k = 0; k < 4; k++)
                        gatherv(&f, p, 64L << 2 * k, l, cases[i].linear[k],
                                cases[i].binomial[k]);
            decide(&f, simulated ? "simulated" : "six launches");
            is(choices(&f), cases[i].want != NULL ? cases[i].want
                            : simulated ? "linear" : "default", cases[i].what);
            is(fixture_text(&f, "SELECT count(*) FROM decision a JOIN decision"
                            " b ON a.decision_id < b.decision_id AND"
                            " a.comm_size <= b.comm_size_hi AND b.comm_size <="
                            " a.comm_size_hi"), "0",
               "one row per process count");
            fixture_close(&f);
        }
}

/* A variant is slower than the library at one size in some of six launches, or
 * each variant is faster in launches in which the other is slower. */
static void test_blind_launches(void)
{
    static const struct {
        int slow;            /* launches, -1: every other one */
        const char *want, *what;
    } cases[] = {
        { 1, "binomial_counts", "an outlier at one size does not count" },
        { 4, "linear", "a variant that is mostly slower at one size is not"
          " chosen" },
        { -1, "default", "launches do not confirm their own choice" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;

        fixture_open(&f, "real", 0);
        for (int l = 0; l < 6; l++)
            for (int k = 0; k < 4; k++) {
                double linear = .9, binomial = k == 3 && l < cases[i].slow
                                                   ? 1.5 : .5;

                if (cases[i].slow < 0) {
                    linear = l % 2 ? 1.02 : .8;
                    binomial = l % 2 ? .8 : 1.02;
                }
                gatherv(&f, 4, 64L << 2 * k, l, linear, binomial);
            }
        decide(&f, cases[i].what);
        is(choices(&f), cases[i].want, cases[i].what);
        fixture_close(&f);
    }
}

/* A choice of both neighbours is checked in between, at all sizes. */
static void test_blind_between(void)
{
    struct fixture f;

    fixture_open(&f, "sim", 1);
    for (int p = 4; p <= 8; p *= 2)
        for (int k = 0; k < 4; k++)
            gatherv(&f, p, 64L << 2 * k, 0, .2, k < 3 ? .15 : .9);
    decide(&f, "one is far better, another at times better still");
    is(fixture_text(&f, "SELECT group_concat(DISTINCT variant) FROM decision"
                    " WHERE 6 BETWEEN comm_size AND comm_size_hi"), "linear",
       "the variant chosen on both sides is chosen in between");
    fixture_exec(&f, "UPDATE run_summary SET median = median * 3 WHERE run_id"
                 " IN (SELECT run_id FROM run JOIN cell USING (cell_id) WHERE"
                 " n = 8 * 4096 AND variant = 'linear')");
    decide(&f, "linear is hardly better at the largest size of one side");
    is(fixture_text(&f, "SELECT group_concat(DISTINCT variant) FROM decision"
                    " WHERE 6 BETWEEN comm_size AND comm_size_hi"), "default",
       "a variant that may be slower at one size is not chosen");
    fixture_close(&f);
}

/* On a real system a choice near n must be confirmed: at the next smaller
 * measured size of one side, or at the next larger one. */
static void test_confirmed_beside(void)
{
    struct fixture f;

    fixture_open(&f, "real", 0);
    for (int launch = 0; launch < 6; launch++)
        for (int p = 4; p <= 8; p *= 2)
            for (long m = 64; m <= 65536; m *= 4)
                for (int v = 0; v < 2; v++) {
                    struct fixture_run run = {
                        "allgather", v == 0 ? "library" : "chorale",
                        v == 0 ? "default" : "ring", "", p, 1, m, launch,
                        (p - 1) * (ALPHA + BETA * (double)m) *
                            (1 + 0.001 * launch * v) *
                            (v == 0 && m >= 16384 ? 2 : 1),
                        NULL, NULL, NULL, NULL,
                    };

                    fixture_add(&f, &run);
                }
    decide(&f, "a library that is slow from a size on");
    is(choice(&f, 4 * 16384, 4), "ring",
       "P = 4: the ring from the size on where the library is slow");
    is(choice(&f, 4 * 4096, 4), "default",
       "P = 4: the library below that size");
    is(choice(&f, 40000, 6), "ring",
       "P = 6: the ring at a predicted size below");
    is(choice(&f, 12000, 6), "default",
       "P = 6: the library where no size is confirmed");
    fixture_close(&f);
}

int main(void)
{
    test_confirmed_beside();
    test_hull();
    test_merge();
    test_one_size();
    test_far();
    test_alike();
    test_doubt();
    test_blind();
    test_blind_launches();
    test_blind_between();
    return tap_done();
}
