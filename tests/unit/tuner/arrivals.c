/* SPDX-License-Identifier: BSD-3-Clause */
/* arrivals.c - decisions by arrival patterns: the smallest largest loss
 * (robust) and the pattern of a trace (traced). Also names of patterns, and the
 * pattern that a trace implies. */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/base/arrival.h"
#include "tuner/base/verb.h"

/* Open a simulated database with bcast of 8 and 64 bytes by 4 ranks that enter
 * together: library 30, linear 10, binomial 12 us. */
static void open_sync(struct fixture *f)
{
    static const char *const name[] = { "default", "linear", "binomial" };
    static const double us[] = { 30, 10, 12 };

    fixture_open(f, "sim", 1);
    for (int v = 0; v < 3; v++)
        for (long m = 8; m <= 64; m *= 8) {
            struct fixture_run run = {
                "bcast", v == 0 ? "library" : "chorale", name[v], "", 4, 1, m,
                0, us[v] * 1e-6, NULL, NULL, NULL, NULL,
            };

            fixture_add(f, &run);
        }
}

/* Add times of 8 bytes in a pattern with that skew, all in us. */
static void add_late(struct fixture *f, const char *arrival, double skew,
                     double library, double linear, double binomial)
{
    char sql[1400];

    snprintf(sql, sizeof(sql),
             "CREATE TEMP TABLE k AS SELECT * FROM cell WHERE msg_size = 8"
             " AND arrival = 'sync';"
             "UPDATE k SET cell_id = cell_id + (SELECT max(cell_id) FROM cell),"
             " uuid = uuid || '-%s', arrival = '%s';"
             "INSERT INTO cell SELECT * FROM k;"
             "INSERT INTO run (uuid, cell_id, launch_id, status, sync, skew)"
             " SELECT 'late-' || k.cell_id || '-' || launch_id, k.cell_id,"
             " launch_id, 'ok', 'barrier', %g * 1e-6 FROM k, launch;"
             "INSERT INTO run_summary (run_id, nrep, nlate, mean, median, min,"
             " max, p95, p99, q25, q75) SELECT run_id, 2, 0, t, t, t, t, t, t,"
             " t, t FROM (SELECT run_id, CASE variant WHEN 'default' THEN %g"
             " WHEN 'linear' THEN %g ELSE %g END * 1e-6 AS t FROM run"
             " JOIN k USING (cell_id)); DROP TABLE k",
             arrival, arrival, skew, library, linear, binomial);
    fixture_exec(f, sql);
}

/* Decide by that --arrival, and check that the first row's variant and arrival
 * are those in want. */
static void chosen(struct fixture *f, const char *arrival, const char *want,
                   const char *what)
{
    struct chorale_errmsg msg = { "" };
    const char *got;

    tap_ok(fixture_verb(f, &chorale_verb_decide, &msg, "@db", "-q",
                        arrival != NULL ? "--arrival" : "--as-before",
                        arrival, (const char *)NULL) == CHORALE_OK,
           "decided %s", msg.text);
    got = fixture_text(f, "SELECT variant || ' ' || arrival FROM decision"
                       " ORDER BY n_lo LIMIT 1");
    if (!tap_ok(strcmp(got, want) == 0, "%s", what))
        tap_diag("got %s, want %s", got, want);
}

static void row_is(struct fixture *f, const char *want, const char *what)
{
    const char *got = fixture_text(
        f, "SELECT printf('%.1f %.1f', 1e6 * seconds, 1e6 * library_seconds)"
        " FROM decision ORDER BY n_lo LIMIT 1");

    if (!tap_ok(strcmp(got, want) == 0, "%s", what))
        tap_diag("got %s, want %s", got, want);
}

static void test_robust(void)
{
    struct fixture f;
    struct chorale_errmsg msg = { "" };

    open_sync(&f);
    chosen(&f, "robust", "linear sync",
           "without other patterns robust decides by sync");
    add_late(&f, "last:1", 30, 70, 60, 40);
    add_late(&f, "ascending:1", 30, 70, 50, 45);
    chosen(&f, "sync", "linear sync", "sync ignores other patterns");
    row_is(&f, "10.0 30.0", "times in sync are those measured");
    chosen(&f, "robust", "binomial robust",
           "robust chooses the smallest of the largest losses");
    row_is(&f, "12.0 40.0", "its time is the best one in sync and the largest "
           "loss");
    tap_ok(strcmp(fixture_text(&f, "SELECT group_concat(variant, ' ') FROM"
                               " (SELECT variant FROM decision ORDER BY n_lo)"),
                  "binomial linear") == 0,
           "a size without other patterns is decided by sync");
    chosen(&f, NULL, "binomial robust", "--as-before keeps the arrival");
    fixture_verb(&f, &chorale_verb_decide, &msg, "@db", "--explain", "bcast",
                 "8", "4", "--arrival", "robust", (const char *)NULL);
    tap_ok(fixture_output_has(&f, "arrival robust: times are those of the "
                              "best in sync"),
           "--explain describes the times");
    fixture_verb(&f, &chorale_verb_generate, &msg, "@db", "-o", "@dir/t.c",
                 (const char *)NULL);
    tap_ok(strstr(fixture_file(&f, "t.c"), "decided by: --arrival=robust")
               != NULL, "the heading of the C file has the option");
    tap_ok(strstr(fixture_file(&f, "t.c"), "arrival of ranks: robust; sync")
               != NULL, "the heading of the C file has the patterns");
    fixture_exec(&f, "UPDATE run SET status = 'failed' WHERE cell_id IN (SELECT"
                 " cell_id FROM cell WHERE arrival = 'last:1' AND variant ="
                 " 'binomial')");
    chosen(&f, "robust", "linear robust,sync",
           "a variant without a time in some pattern is not chosen");
    fixture_close(&f);
}

/* The pattern last takes longest in any case; the loss is larger in sync. */
static void test_regret(void)
{
    struct fixture f;

    open_sync(&f);
    add_late(&f, "last:1", 90, 130, 101, 100);
    chosen(&f, "robust", "linear robust,sync",
           "the largest loss decides, not the largest time");
    add_late(&f, "random:1", 90, 130, 300, 100);
    chosen(&f, "robust", "linear robust,sync",
           "random is not among the patterns of robust");
    fixture_close(&f);
}

static void test_traced(void)
{
    struct fixture f;

    open_sync(&f);
    add_late(&f, "last:50us", 50, 90, 70, 65);
    chosen(&f, "traced", "linear sync", "without a trace sync decides");
    fixture_exec(&f, "INSERT INTO trace (trace_id, uuid, imported, program,"
                 " mpi_library, started, comm_size, ranks, wall_mean, wall_max,"
                 " unlisted_calls, unlisted_seconds) VALUES (1, 'u', '', 'p',"
                 " '', '', 4, 4, 1, 1, 0, 0);"
                 "INSERT INTO trace_point (trace_id, coll, n, msg_size,"
                 " comm_size, shape, dtype, op, root, ran, rank_calls, calls,"
                 " seconds, max_seconds, arrival) VALUES"
                 " (1, 'bcast', 8, 8, 4, 'block', 'byte', '', 'first',"
                 " 'library', 4, 1, 1, 1, 'last:50us'),"
                 " (1, 'bcast', 8, 8, 4, 'block', 'byte', '', 'last',"
                 " 'library', 4, 1, 0.5, 1, 'ascending:50us')");
    chosen(&f, "traced", "binomial last:50us",
           "the pattern with the largest traced time decides");
    row_is(&f, "15.0 40.0", "its times count from the last arrival");
    chosen(&f, "sync", "linear sync", "by default traces do not count");
    fixture_exec(&f, "UPDATE run SET skew = 66e-6 WHERE skew IS NOT NULL");
    chosen(&f, "traced", "binomial last:50us",
           "a skew above a time does not prevent a decision");
    row_is(&f, "65.0 90.0", "a skew above a time is not subtracted");
    fixture_close(&f);
}

static void spelled(const char *word, const char *want)
{
    char text[CHORALE_ARRIVAL_SIZE] = "";
    int ok = chorale_arrival_spell(word, text);

    tap_ok(ok == (want != NULL) && (!ok || strcmp(text, want) == 0),
           "%s is %s", word, want != NULL ? want : "no pattern");
}

static void implied(double skew, double late, double trend, int latest,
                    const char *want)
{
    char text[CHORALE_ARRIVAL_SIZE] = "";

    chorale_arrival_of_trace(16, skew, late, trend, latest, 1e-4, text);
    tap_ok(strcmp(text, want) == 0, "P=16: skew %g, late %g, trend %g, latest "
           "%d is %s", skew, late, trend, latest, want);
}

int main(void)
{
    char list[80];

    test_robust();
    test_regret();
    test_traced();
    spelled("sync", "sync");
    spelled("last", "last:1");
    spelled("ascending:0.50", "ascending:0.5");
    spelled("first:2ms", "first:2000us");
    spelled("last:50us", "last:50us");
    spelled("sync:1", NULL);
    spelled("random:0", NULL);
    spelled("random:1m", NULL);
    spelled("middle", NULL);
    spelled("last:11s", NULL);
    implied(9e-6, 0.0625, 0.1, 15, "sync");
    implied(2e-4, 0.0625, 0.1, 15, "last:200us");
    implied(2.34e-4, 0.07, 0, 0, "first:230us");
    implied(2e-4, 0.5, 1, 15, "ascending:200us");
    implied(2e-4, 0.5, 0.2, 3, "random:200us");
    chorale_arrival_expand("traced,robust", "last:50us", list, sizeof(list));
    tap_ok(strcmp(list, "sync,last:50us,sync,last:1,ascending:1") == 0,
           "traced and robust are expanded");
    chorale_arrival_expand("traced", "", list, sizeof(list));
    tap_ok(strcmp(list, "sync") == 0, "an unknown traced pattern is sync");
    return tap_done();
}
