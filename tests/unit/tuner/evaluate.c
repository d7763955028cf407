/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluate.c - the regret of a table equals the value computed by hand. */
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/base/verb.h"

/* Times of library, linear and binomial at P = 4. The table chooses linear up
 * to 64 bytes and binomial above. */
static const struct {
    long m;
    double library, linear, binomial;
} t[] = {
    { 8, 20, 10, 15 },       /* linear: right */
    { 64, 20, 20, 10 },      /* linear: twice the best */
    { 1024, 20, 30, 40 },    /* binomial: twice the library */
    { 4096, 40, 0, 10 },     /* binomial: right */
    { 65536, 40, 20, 0 },    /* binomial, which is not measured */
};

static void fill(struct fixture *f)
{
    static const char *const name[] = { "default", "linear", "binomial" };

    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
        for (int v = 0; v < 3; v++) {
            double s = v == 0 ? t[i].library
                              : v == 1 ? t[i].linear : t[i].binomial;
            struct fixture_run run = {
                "bcast", v == 0 ? "library" : "chorale", name[v], "", 4, 1,
                t[i].m, 0, s * 1e-6, NULL, NULL, NULL, NULL,
            };

            if (s > 0)
                fixture_add(f, &run);
        }
    fixture_exec(f, "INSERT INTO decision (system_id, coll, comm_size,"
                 " comm_size_hi, ppn, shape, dtype, op, n_lo, n_hi, provider,"
                 " variant, params, basis, reason) VALUES"
                 " (1, 'bcast', 4, 4, 1, 'one-per-node', 'byte', '', 0, 64,"
                 "  'chorale', 'linear', '', 'measured', ''),"
                 " (1, 'bcast', 3, 5, 1, 'one-per-node', 'byte', '', 65,"
                 "  1048576, 'chorale', 'binomial', '', 'modelled', '')");
}

static void test_scores(void)
{
    struct chorale_errmsg msg;
    struct fixture f;

    fixture_open(&f, "sim", 1);
    fill(&f);
    tap_ok(fixture_verb(&f, &chorale_verb_evaluate, &msg, "@db", "--oracle",
                        "@db", "--points", (const char *)NULL) == CHORALE_OK,
           "evaluated %s", msg.text);
    /* Ratios to the best: 1, 2, 2, 1, whose geometric mean is sqrt(2). Gain
     * over the library: 2 * 1 * 1/2 * 4 of 2 * 2 * 1 * 4, so log 4 / log 16. */
    tap_ok(fixture_output_has(&f, " 5  41.42 %  100.00 %  100.00 %    50.0 % "
                              "    1.414       0          1        1 "),
           "mean, worst, captured share, speed-up, slower and unknown are "
           "right");
    tap_ok(fixture_output_has(&f, "100.00 %    x0.500"),
           "a point slower than the library is listed");
    tap_ok(fixture_output_has(&f, "unknown"),
           "a point without a time is listed");
    tap_ok(fixture_verb(&f, &chorale_verb_evaluate, &msg, "@db", "--oracle",
                        "@db", "--json", (const char *)NULL) == CHORALE_OK &&
           fixture_output_has(&f, "\"slower_than_library\": 0") &&
           fixture_output_has(&f, "\"modelled_slower\": 1"),
           "JSON output has the same numbers");
    fixture_exec(&f, "UPDATE decision SET basis = 'measured', comm_size = 4,"
                 " comm_size_hi = 4");
    tap_ok(fixture_verb(&f, &chorale_verb_evaluate, &msg, "@db", "--oracle",
                        "@db", (const char *)NULL) == CHORALE_OK &&
           fixture_output_has(&f, " 1.414       1          0        1 "),
           "a loss at a measured point counts as the table's");
    fixture_close(&f);
}

/* Unknown numbers are left out: no NaN is printed. */
static void test_nothing_known(void)
{
    struct chorale_errmsg msg;
    struct fixture f;

    fixture_open(&f, "sim", 1);
    fill(&f);
    fixture_exec(&f, "DELETE FROM run_summary WHERE run_id IN (SELECT run_id"
                 " FROM run JOIN cell USING (cell_id) WHERE provider ="
                 " 'chorale'); DELETE FROM run WHERE cell_id IN (SELECT cell_id"
                 " FROM cell WHERE provider = 'chorale')");
    tap_ok(fixture_verb(&f, &chorale_verb_evaluate, &msg, "@db", "--oracle",
                        "@db", (const char *)NULL) == CHORALE_OK &&
           !fixture_output_has(&f, "nan"),
                                   "an oracle with the library only prints no "
                                   "NaN");
    fixture_close(&f);
}

static void test_errors(void)
{
    struct chorale_errmsg msg;
    struct fixture f;

    fixture_open(&f, "sim", 1);
    tap_ok(fixture_verb(&f, &chorale_verb_evaluate, &msg, "@db",
                        (const char *)NULL) == CHORALE_USAGE,
           "a missing --oracle is refused: %s", msg.text);
    tap_ok(fixture_verb(&f, &chorale_verb_evaluate, &msg, "@db", "--oracle",
                        "@db", (const char *)NULL) == CHORALE_DATA,
           "a database without decisions is refused: %s", msg.text);
    fill(&f);
    fixture_exec(&f, "DELETE FROM run_summary; DELETE FROM run");
    tap_ok(fixture_verb(&f, &chorale_verb_evaluate, &msg, "@db", "--oracle",
                        "@db", (const char *)NULL) == CHORALE_DATA,
           "an oracle without measurements is refused: %s", msg.text);
    fixture_close(&f);
}

int main(void)
{
    test_scores();
    test_nothing_known();
    test_errors();
    return tap_done();
}
