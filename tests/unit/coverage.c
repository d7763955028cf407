/* SPDX-License-Identifier: BSD-3-Clause */
/* coverage.c - do 95 % intervals hold the truth in 95 % of campaigns? Invented
 * campaigns of six launches, whose cells stop by the runner's own rule, are
 * stored and read back through the views that users read. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/store.h"
#include "runners/stopping.h"
#include "tests/tap.h"

enum { TRIALS = 1000, LAUNCHES = 6, NREP = 100, CHUNK = 8 };

#define SIGMA 0.1            /* of the logarithm of a repetition */
#define LAUNCH 0.02          /* of a launch, all its cells alike */
#define CELL 0.01            /* of a cell in a launch */
#define OUTLIERS 0.01        /* of the repetitions, 5 to 50 times as long */

struct scenario {
    const char *name;
    double rho;              /* of neighbouring repetitions */
    int outliers;
};

static const struct scenario scenario[] = {
    { "log-normal noise", 0, 0 },
    { "and outliers", 0, 1 },
    { "neighbours correlated by 0.5, outliers", 0.5, 1 },
    { "neighbours correlated by 0.9, outliers", 0.9, 1 },
};

static const struct chorale_stop stop = {
    .nrep_min = 10, .nrep_max = NREP, .target_width = 0.05,
    .cell_seconds = 1e9, .racing = 1,
};

/* One repetition after another of a cell whose median is level. */
struct series {
    double level, state;
};

static double next(gsl_rng *r, const struct scenario *sc, struct series *s)
{
    double x;

    s->state = sc->rho * s->state +
               gsl_ran_gaussian(r, sqrt(1 - sc->rho * sc->rho));
    x = s->level * exp(SIGMA * s->state);
    return sc->outliers && gsl_rng_uniform(r) < OUTLIERS
               ? x * (5 + 45 * gsl_rng_uniform(r))
               : x;
}

/* The median of such a repetition, in the long run. */
static double truth(const struct scenario *sc, double level)
{
    double half = sc->outliers ? 0.5 / (1 - OUTLIERS) : 0.5;

    return level * exp(SIGMA * gsl_cdf_ugaussian_Pinv(half));
}

/* Two cells of one launch until both are seen enough; their medians. */
static void launch(gsl_rng *r, const struct scenario *sc, const double *level,
                   double *median, long *nrep)
{
    double x[2][NREP], work[NREP], effect = gsl_ran_gaussian(r, LAUNCH);
    struct chorale_seen seen[2] = { { .keep = 1 }, { 0 } };
    struct series s[2];
    size_t n[2] = { 0, 0 };
    int going[2] = { 1, 1 };

    for (int c = 0; c < 2; c++) {
        s[c].level = level[c] * exp(effect + gsl_ran_gaussian(r, CELL));
        s[c].state = gsl_ran_gaussian(r, 1);
    }
    while (going[0] || going[1]) {
        for (int c = 0; c < 2; c++) {
            for (int i = 0; going[c] && i < CHUNK && n[c] < NREP; i++)
                x[c][n[c]++] = next(r, sc, &s[c]);
            chorale_seen_update(&seen[c], x[c], n[c], work);
        }
        for (int c = 0; c < 2; c++)
            going[c] = going[c] &&
                       chorale_stop_reason(&stop, seen, 2, c) == NULL;
    }
    for (int c = 0; c < 2; c++) {
        median[c] = seen[c].median;
        *nrep += seen[c].nrep;
    }
}

static void exec(struct chorale_store *store, const char *sql)
{
    char *why = NULL;

    if (sqlite3_exec(chorale_store_db(store), sql, NULL, NULL, &why) !=
        SQLITE_OK) {
        printf("Bail out! %s\n", why);
        exit(1);
    }
}

static const char setting[] =
    "INSERT INTO system VALUES (1, 's', 's', 'real', 's', 'l', '');"
    "INSERT INTO campaign (campaign_id, uuid, system_id, created, command,"
    " seed, launches, nrep_min, nrep_max, nwarmup, target_width,"
    " cell_seconds, max_memory, sync, launcher)"
    " VALUES (1, 'c', 1, '', '', 1, 6, 10, 100, 0, 0.05, 1, 1, 'barrier',"
    " 'custom');"
    "WITH RECURSIVE l (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM l"
    " WHERE i < 5) INSERT INTO launch (launch_id, uuid, campaign_id,"
    " system_id, ordinal, comm_size, ppn, shape, seed, started, status)"
    " SELECT i, 'l' || i, 1, 1, i, 4, 1, 'block', 1, '', 'done' FROM l;"
    "WITH RECURSIVE t (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM t"
    " WHERE i < 999), p (k, provider, variant) AS (VALUES (0, 'library',"
    " 'default'), (1, 'chorale', 'linear'))"
    "INSERT INTO cell (cell_id, uuid, campaign_id, system_id, provider,"
    " variant, coll, msg_size, n, comm_size, ppn, shape, dtype, root_policy,"
    " buffers, launches) SELECT 2 * i + k, 'c' || i || k, 1, 1, provider,"
    " variant, 'bcast', i, i, 4, 1, 'block', 'byte', 'first', 'warm', 6"
    " FROM t, p;";

static void store_run(sqlite3_stmt *run, sqlite3_stmt *sum, int cell, int l,
                      double median)
{
    sqlite3_bind_int(run, 1, cell * LAUNCHES + l);
    sqlite3_bind_int(run, 2, cell);
    sqlite3_bind_int(run, 3, l);
    sqlite3_step(run);
    sqlite3_reset(run);
    sqlite3_bind_int(sum, 1, cell * LAUNCHES + l);
    sqlite3_bind_double(sum, 2, median);
    sqlite3_step(sum);
    sqlite3_reset(sum);
}

/* Percent of the cells whose interval holds the truth. */
static double covered(struct chorale_store *store, const char *sql,
                      double value)
{
    sqlite3_stmt *s = NULL;
    int n = 0, held = 0;

    sqlite3_prepare_v2(chorale_store_db(store), sql, -1, &s, NULL);
    while (sqlite3_step(s) == SQLITE_ROW) {
        n++;
        held += sqlite3_column_double(s, 0) <= value &&
                value <= sqlite3_column_double(s, 1);
    }
    sqlite3_finalize(s);
    return n == TRIALS ? 100.0 * held / n : NAN;
}

static void try_scenario(const struct scenario *sc, gsl_rng *r,
                         const char *path)
{
    const double level[2] = { 20e-6, 18e-6 };
    struct chorale_errmsg msg = { "" };
    struct chorale_store *store = NULL;
    sqlite3_stmt *run = NULL, *sum = NULL;
    double median[2], one, ratio;
    long nrep = 0;

    unlink(path);
    if (chorale_store_open(path, CHORALE_STORE_CREATE, &store, &msg) !=
        CHORALE_OK) {
        printf("Bail out! %s\n", msg.text);
        exit(1);
    }
    exec(store, "BEGIN");
    exec(store, setting);
    sqlite3_prepare_v2(chorale_store_db(store),
                       "INSERT INTO run (run_id, uuid, cell_id, launch_id,"
                       " status) VALUES (?1, 'r' || ?1, ?2, ?3, 'ok')",
                       -1, &run, NULL);
    sqlite3_prepare_v2(chorale_store_db(store),
                       "INSERT INTO run_summary VALUES (?1, 1, 0, ?2, ?2, ?2,"
                       " ?2, ?2, ?2, ?2, ?2, ?2, ?2)", -1, &sum, NULL);
    for (int t = 0; t < TRIALS; t++)
        for (int l = 0; l < LAUNCHES; l++) {
            launch(r, sc, level, median, &nrep);
            for (int c = 0; c < 2; c++)
                store_run(run, sum, 2 * t + c, l, median[c]);
        }
    sqlite3_finalize(run);
    sqlite3_finalize(sum);
    exec(store, "COMMIT");
    one = covered(store, "SELECT lo, hi FROM v_summary"
                         " WHERE provider = 'chorale'", truth(sc, level[1]));
    ratio = covered(store, "SELECT speedup_lo, speedup_hi FROM v_speedup"
                           " WHERE provider = 'chorale'",
                    level[0] / level[1]);
    tap_ok(one >= 93 && one <= 97, "%s: the median's interval covers in "
                                   "%.1f %%", sc->name, one);
    tap_ok(ratio >= 93 && ratio <= 97, "%s: the paired ratio's in %.1f %%",
           sc->name, ratio);
    tap_diag("%.0f repetitions a cell and launch",
             (double)nrep / (2.0 * TRIALS * LAUNCHES));
    chorale_store_close(store);
    unlink(path);
}

int main(void)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);
    char path[] = "unit-coverage-XXXXXX";
    int fd = mkstemp(path);

    if (fd >= 0)
        close(fd);
    gsl_rng_set(r, 20260101);
    for (size_t i = 0; i < sizeof(scenario) / sizeof(scenario[0]); i++)
        try_scenario(&scenario[i], r, path);
    gsl_rng_free(r);
    return tap_done();
}
