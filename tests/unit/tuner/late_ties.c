/* SPDX-License-Identifier: BSD-3-Clause */
/* late_ties.c - variants that tie are ordered by their worst time with late
 * ranks. */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/base/verb.h"

/* Open a database with bcast of 8 bytes by 4 ranks, where linear and binomial
 * take equally long. */
static void open_tie(struct fixture *f, int simulated)
{
    static const char *const name[] = { "default", "linear", "binomial" };

    fixture_open(f, simulated ? "sim" : "real", simulated);
    for (int l = 0; l < (simulated ? 1 : 6); l++)
        for (int v = 0; v < 3; v++) {
            struct fixture_run run = {
                "bcast", v == 0 ? "library" : "chorale", name[v], "", 4, 1, 8,
                l, v == 0 ? 3e-5 : 1e-5, NULL, NULL, NULL, NULL,
            };

            fixture_add(f, &run);
        }
}

/* Add times of both in an arrival pattern, in microseconds. */
static void add_late(struct fixture *f, const char *arrival, double linear,
                     double binomial)
{
    char sql[1200];

    snprintf(sql, sizeof(sql),
             "CREATE TEMP TABLE k AS SELECT * FROM cell WHERE provider ="
             " 'chorale' AND arrival = 'sync';"
             "UPDATE k SET cell_id = cell_id + (SELECT max(cell_id) FROM cell),"
             " uuid = uuid || '-%s', arrival = '%s';"
             "INSERT INTO cell SELECT * FROM k;"
             "INSERT INTO run (uuid, cell_id, launch_id, status, sync) SELECT"
             " 'late-' || k.cell_id || '-' || launch_id, k.cell_id, launch_id,"
             " 'ok', 'barrier' FROM k, launch;"
             "INSERT INTO run_summary (run_id, nrep, nlate, mean, median, min,"
             " max, p95, p99, q25, q75) SELECT run_id, 2, 0, t, t, t, t, t, t,"
             " t, t FROM (SELECT run_id, iif(variant = 'linear', %g, %g) * 1e-6"
             " AS t FROM run JOIN k USING (cell_id)); DROP TABLE k",
             arrival, arrival, linear, binomial);
    fixture_exec(f, sql);
}

static void chosen(struct fixture *f, const char *want, const char *what)
{
    struct chorale_errmsg msg = { "" };
    const char *got;

    tap_ok(fixture_verb(f, &chorale_verb_decide, &msg, "@db", "-q",
                        (const char *)NULL) == CHORALE_OK, "decided %s",
           msg.text);
    got = fixture_text(f, "SELECT group_concat(variant) FROM decision");
    if (!tap_ok(strcmp(got, want) == 0, "%s", what))
        tap_diag("got %s, want %s", got, want);
}

int main(void)
{
    for (int simulated = 0; simulated < 2; simulated++) {
        struct fixture f;

        open_tie(&f, simulated);
        chosen(&f, "linear",
               "without arrival patterns the simpler variant wins");
        add_late(&f, "last:1", 20, 20);
        chosen(&f, "linear",
               "equal times with a late last rank keep the simpler variant");
        add_late(&f, "random:1", 15, 30);
        chosen(&f, "linear",
               "the simpler variant wins if it is better with random arrival");
        add_late(&f, "ascending:1", 40, 20);
        chosen(&f, "binomial", "the worst pattern counts, not the mean");
        fixture_exec(&f, "UPDATE run SET status = 'failed' WHERE cell_id IN"
                     " (SELECT cell_id FROM cell WHERE variant = 'linear' AND"
                     " arrival = 'ascending:1')");
        chosen(&f, "linear", "a pattern without times of both variants does"
               " not count");
        fixture_exec(&f, "UPDATE run SET status = 'ok'; UPDATE run SET validity"
                     " = 'suspicious' WHERE cell_id IN (SELECT cell_id FROM"
                     " cell WHERE arrival = 'ascending:1')");
        chosen(&f, "linear", "a pattern with suspicious times does not count");
        fixture_exec(&f, "UPDATE run SET validity = '';"
                     " UPDATE run_summary SET median = 0.9e-5 WHERE run_id"
                     " IN (SELECT run_id FROM run JOIN cell USING (cell_id)"
                     " WHERE variant = 'linear' AND arrival = 'sync')");
        chosen(&f, "linear", "without a tie, arrival patterns do not count");
        fixture_close(&f);
    }
    return tap_done();
}
