/* SPDX-License-Identifier: BSD-3-Clause */
/* between_procs.c - what a table says between the measured process counts, and of
 * collectives whose ranks do not know the size, on invented measurements. */
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

/* What is chosen at a point, "" where there is no row. */
static const char *choice(struct fixture *f, long n, int comm_size)
{
    char sql[200];

    snprintf(sql, sizeof(sql), "SELECT variant || iif(count(*) > 1, ' twice',"
             " '') FROM decision WHERE %ld BETWEEN n_lo AND n_hi AND %d"
             " BETWEEN comm_size AND comm_size_hi", n, comm_size);
    return fixture_text(f, sql);
}

/* Blocks of m bytes: the library and the ring take so many times what the
 * ring's formula says. */
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

/* Blocks of 64 to 4096 bytes at 4 and at 8 ranks are 256 to 16384 and 512 to
 * 32768 bytes: between, both ends shift. */
static void test_hull(void)
{
    static const struct {
        int comm_size;
        long lo, hi;
    } at[] = {
        { 4, 256, 16384 }, { 5, 320, 20480 }, { 6, 384, 24576 },
        { 7, 448, 28672 }, { 8, 512, 32768 },
    };
    struct fixture f;

    fixture_open(&f, "sim", 1);
    for (long m = 64; m <= 4096; m *= 4) {
        ring(&f, 4, m, 2, 1);
        ring(&f, 8, m, 2, 1);
    }
    decide(&f, "two process counts whose sizes shift");
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        int p = at[i].comm_size;
        char name[80];

        snprintf(name, sizeof(name), "P = %d: the least size, and none below",
                 p);
        tap_ok(strcmp(choice(&f, at[i].lo, p), "ring") == 0 &&
               strcmp(choice(&f, at[i].lo - 1, p), "") == 0, "%s", name);
        snprintf(name, sizeof(name), "P = %d: the largest, and none above", p);
        tap_ok(strcmp(choice(&f, at[i].hi, p), "ring") == 0 &&
               strcmp(choice(&f, at[i].hi + 1, p), "") == 0, "%s", name);
    }
    is(fixture_text(&f, "SELECT count(*) FROM decision a JOIN decision b ON"
                    " (a.comm_size, a.n_lo) < (b.comm_size, b.n_lo) AND"
                    " a.decision_id > b.decision_id"), "0",
       "rows are in order");
    fixture_close(&f);
}

/* What tells the network: bcast at both process counts. */
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

/* Blocks of one size alone: no measured n lies between the process counts, and
 * what is there is asked for at its own n. */
static void test_one_size(void)
{
    struct fixture f;

    fixture_open(&f, "sim", 1);
    ring(&f, 4, 16384, 2, 1);
    ring(&f, 8, 16384, 2, 1);
    network(&f);
    decide(&f, "one size");
    fixture_exec(&f, "DELETE FROM decision WHERE coll = 'bcast'");
    is(choice(&f, 5 * 16384, 5), "ring", "P = 5 at the block's size");
    is(choice(&f, 7 * 16384, 7), "ring", "P = 7 as well");
    is(choice(&f, 7 * 16384 + 1, 7), "", "and no other n");
    is(fixture_text(&f, "SELECT count(*) FROM decision WHERE seconds IS NULL OR"
                    " regret IS NULL"), "0", "all rows have their times");
    fixture_close(&f);
}

/* Between process counts that are very far apart nothing is chosen. */
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
           i == 0 ? "with 512 process counts between them, rows" : "none");
        fixture_close(&f);
    }
}

/* A time that jumps from one process count to the next may be what half such a
 * jump makes of it: even then a variant must still be faster. */
static void test_doubt(void)
{
    static const int size[] = { 8, 12, 16, 24, 36 };
    static const struct {
        double library[5], own[5];
        const char *want, *what;
    } cases[] = {
        { { 1.1, 1.1, 1.1, 1.1, 1.1 }, { 1, 1, 1, 1, 1 }, "ring",
          "a tenth faster than a steady library is enough" },
        { { 1.001, 1.6, 1.001, 1.6, 1.001 }, { 1, 1, 1, 1, 1 }, "default",
          "less, than one that jumps, is not" },
        { { 1.1, 1.4, 1.1, 1.4, 1.1 }, { 1, 1.3, 1, 1.3, 1 }, "default",
          "nor a tenth, of a ring that jumps" },
    };
    struct fixture f;

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        fixture_open(&f, "sim", 1);
        for (size_t i = 0; i < 5; i++)
            for (long m = 64; m <= 4096; m *= 4)
                ring(&f, size[i], m, cases[k].library[i], cases[k].own[i]);
        decide(&f, "five process counts");
        is(choice(&f, 17 * 256, 17), cases[k].want, cases[k].what);
        is(choice(&f, 16 * 256, 16), "ring", "where it is measured, it is");
        fixture_close(&f);
    }
}

/* gatherv at P ranks: of m bytes a rank, so many times the library's time for
 * linear and for binomial_counts. */
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
                        " variant AS v FROM decision WHERE comm_size IN (4, 8)"
                        " ORDER BY v)");
}

/* Ranks that do not know n choose by the process count alone. */
static void test_blind(void)
{
    /* By size: 64, 256, 1024, 4096 bytes a rank. */
    static const struct {
        double linear[4], binomial[4];
        const char *want, *what;
    } cases[] = {
        { { .9, .9, .9, .9 }, { .5, .5, .5, 1.05 }, "linear",
          "what is much faster but once slower is not taken" },
        { { .9, .9, .9, 1.05 }, { .5, .5, .5, 1.05 }, "default",
          "nor anything, where all are slower once" },
        { { .9, .9, .9, .9 }, { .8, .8, .8, .8 }, "binomial_counts",
          "of those that never are, the best" },
        { { .99, .99, .99, .98 }, { 2, 2, 2, 2 }, NULL,
          "a gain below the threshold of a real system" },
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
            is(fixture_text(&f, "SELECT count(*) FROM decision WHERE comm_size"
                            " IN (4, 8)"), "2", "one row each");
            fixture_close(&f);
        }
}

/* Launches that confirm refuse what those that choose took, and choose nothing
 * themselves. */
static void test_blind_launches(void)
{
    for (int odd = 0; odd < 2; odd++) {
        struct fixture f;

        fixture_open(&f, "real", 0);
        for (int l = 0; l < 6; l++)
            for (int k = 0; k < 4; k++)
                gatherv(&f, 4, 64L << 2 * k, l, .9,
                        k == 3 && l % 2 == odd ? 1.2 : .5);
        decide(&f, odd ? "slower once where it is confirmed"
                       : "slower once where it is chosen");
        is(choices(&f), odd ? "default" : "linear",
           odd ? "what confirms does not choose another" : "the other one");
        fixture_close(&f);
    }
}

/* What both sides choose is asked for between them, for all sizes as well. */
static void test_blind_between(void)
{
    struct fixture f;

    fixture_open(&f, "sim", 1);
    for (int p = 4; p <= 8; p *= 2)
        for (int k = 0; k < 4; k++)
            gatherv(&f, p, 64L << 2 * k, 0, .2, k < 3 ? .15 : .9);
    decide(&f, "one is far better, another at times better still");
    is(fixture_text(&f, "SELECT group_concat(DISTINCT variant) FROM decision"
                    " WHERE comm_size > 4 AND comm_size_hi < 8"), "linear",
       "its time is foretold");
    fixture_exec(&f, "UPDATE run_summary SET median = median * 3 WHERE run_id"
                 " IN (SELECT run_id FROM run JOIN cell USING (cell_id) WHERE"
                 " n = 8 * 4096 AND variant = 'linear')");
    decide(&f, "linear is hardly better at the largest size of one side");
    is(fixture_text(&f, "SELECT group_concat(DISTINCT variant) FROM decision"
                    " WHERE comm_size > 4 AND comm_size_hi < 8"), "default",
       "what may be slower at one size is chosen for none");
    fixture_close(&f);
}

/* On a real system something must be confirmed around n: at the next smaller
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
    is(choice(&f, 4 * 16384, 4), "ring", "P = 4: from there");
    is(choice(&f, 4 * 4096, 4), "default", "and not before");
    is(choice(&f, 40000, 6), "ring", "P = 6: below it, where a guess says so");
    is(choice(&f, 12000, 6), "default", "not where nothing is confirmed");
    fixture_close(&f);
}

int main(void)
{
    test_confirmed_beside();
    test_hull();
    test_one_size();
    test_far();
    test_doubt();
    test_blind();
    test_blind_launches();
    test_blind_between();
    return tap_done();
}
