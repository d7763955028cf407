/* SPDX-License-Identifier: BSD-3-Clause */
/* coverage.c - 95 % intervals cover the true value in about 95 % of campaigns.
 * Simulated campaigns, whose cells stop by the runner's own rule, are stored
 * and read back through the views that users read.
 *
 * The interval inside a launch, which only stops sampling, must cover the
 * launch's long-run value, also with correlated repetitions. Stop reasons must
 * be true. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/store.h"
#include "runners/measure/stop_rule.h"
#include "tests/tap.h"

enum { TRIALS = 1000, LAUNCHES = 6, NREP = 100, CHUNK = 8, CELLS = 3,
       NREASON = 4 };

#define CAP 1e9              /* seconds of a cell: no limit */
#define LAUNCH 0.02          /* sigma of a launch, common to all its cells */
#define CELL 0.01            /* sigma of a cell in a launch */
#define OUTLIERS 0.01        /* share of repetitions, 5 to 50 times as long */

struct scenario {
    const char *name;
    int launches;
    double sigma;            /* of the logarithm of a repetition */
    double rho;              /* correlation of neighbouring repetitions */
    int outliers;
    double cap;              /* time cap of a cell, seconds */
    const char *mostly;      /* most frequent stop reason of cells 0 and 1 */
};

static const struct scenario scenario[] = {
    { "log-normal noise", LAUNCHES, 0.1, 0, 0, CAP, "nrep" },
    { "log-normal noise, outliers", LAUNCHES, 0.1, 0, 1, CAP, "nrep" },
    { "neighbours correlated by 0.5, outliers", LAUNCHES, 0.1, 0.5, 1, CAP,
      "nrep" },
    { "neighbours correlated by 0.9, outliers", LAUNCHES, 0.1, 0.9, 1, CAP,
      "nrep" },
    { "little noise", LAUNCHES, 0.05, 0, 1, CAP, "width" },
    { "a time cap", LAUNCHES, 0.1, 0.5, 1, 6e-4, "time" },
    { "three launches", 3, 0.1, 0.5, 1, CAP, "nrep" },
    { "two launches", 2, 0.1, 0.5, 1, CAP, "nrep" },
};

/* Medians: the library, a slightly faster variant, a much slower one. */
static const double level[CELLS] = { 20e-6, 18e-6, 36e-6 };
static const char *const variant[CELLS] = { "default", "linear", "chain" };

static const char *const reason[NREASON] = { "time", "nrep", "raced",
                                             "width" };

/* Trials, so that every scenario has as many launches. */
static int trials(const struct scenario *sc)
{
    return TRIALS * LAUNCHES / sc->launches;
}

/* Stop reasons of the cells of a scenario. */
struct outcome {
    long nrep[CELLS], stopped[CELLS][NREASON], untrue;
};

/* State of a cell's series of repetitions with median level. */
struct series {
    double level, state;
};

static double next(gsl_rng *r, const struct scenario *sc, struct series *s)
{
    double x;

    s->state = sc->rho * s->state +
               gsl_ran_gaussian(r, sqrt(1 - sc->rho * sc->rho));
    x = s->level * exp(sc->sigma * s->state);
    return sc->outliers && gsl_rng_uniform(r) < OUTLIERS
               ? x * (5 + 45 * gsl_rng_uniform(r))
               : x;
}

/* Long-run median of these repetitions. */
static double truth(const struct scenario *sc, double median)
{
    double half = sc->outliers ? 0.5 / (1 - OUTLIERS) : 0.5;

    return median * exp(sc->sigma * gsl_cdf_ugaussian_Pinv(half));
}

/* Record why a cell stopped, and check that the reason is true. */
static void note(struct outcome *out, const struct chorale_stop *stop,
                 const struct chorale_interim *seen, int c, const char *why)
{
    const struct chorale_interim *s = &seen[c];
    double rivals = seen[0].hi > seen[1].hi ? seen[0].hi : seen[1].hi;
    int i = 0;

    while (i < NREASON - 1 && strcmp(reason[i], why) != 0)
        i++;
    out->stopped[c][i]++;
    out->nrep[c] += s->nrep;
    out->untrue += i == 0   ? s->spent < stop->cell_seconds || s->nrep < 3
                   : i == 1 ? s->nrep != NREP
                   : i == 2 ? c != 2 || !(s->lo > rivals)
                            : s->nrep < stop->nrep_min ||
                                  !(s->hi - s->lo <= 0.05 * s->median);
}

/* Sample the cells of one launch until all stop; sets their medians. */
static void launch(gsl_rng *r, const struct scenario *sc, double *median,
                   struct outcome *out)
{
    const struct chorale_stop stop = {
        .nrep_min = 10, .nrep_max = NREP, .target_width = 0.05,
        .cell_seconds = sc->cap, .racing = 1,
    };
    double x[CELLS][NREP], work[NREP], effect = gsl_ran_gaussian(r, LAUNCH);
    struct chorale_interim seen[CELLS] = { { .keep = 1 } };
    struct series s[CELLS];
    size_t n[CELLS] = { 0 };
    int going[CELLS], left = CELLS;

    for (int c = 0; c < CELLS; c++) {
        s[c].level = level[c] * exp(effect + gsl_ran_gaussian(r, CELL));
        s[c].state = gsl_ran_gaussian(r, 1);
        going[c] = 1;
    }
    while (left > 0) {
        for (int c = 0; c < CELLS; c++) {
            for (int i = 0; going[c] && i < CHUNK && n[c] < NREP; i++) {
                x[c][n[c]] = next(r, sc, &s[c]);
                seen[c].spent += x[c][n[c]++];
            }
            if (going[c])
                chorale_interim_update(&seen[c], x[c], n[c], work);
        }
        for (int c = 0; c < CELLS; c++) {
            const char *why =
                going[c] ? chorale_stop_reason(&stop, seen, CELLS, c) : NULL;

            if (why == NULL)
                continue;
            note(out, &stop, seen, c, why);
            going[c] = 0;
            left--;
        }
    }
    for (int c = 0; c < CELLS; c++)
        median[c] = seen[c].median;
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
    " WHERE i < 2999), p (k, provider, variant) AS (VALUES (0, 'library',"
    " 'default'), (1, 'chorale', 'linear'), (2, 'chorale', 'chain'))"
    "INSERT INTO cell (cell_id, uuid, campaign_id, system_id, provider,"
    " variant, coll, msg_size, n, comm_size, ppn, shape, dtype, root_policy,"
    " buffers, launches) SELECT 3 * i + k, 'c' || i || k, 1, 1, provider,"
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

/* Percentage of a variant's cells whose interval covers the value. */
static double covered(struct chorale_store *store, const char *what,
                      const char *name, double value, int *count)
{
    sqlite3_stmt *s = NULL;
    char sql[160];
    int n = 0, held = 0;

    *count = 0;
    snprintf(sql, sizeof(sql), "SELECT %s WHERE variant = '%s'", what, name);
    sqlite3_prepare_v2(chorale_store_db(store), sql, -1, &s, NULL);
    while (sqlite3_step(s) == SQLITE_ROW) {
        n++;
        held += sqlite3_column_double(s, 0) <= value &&
                value <= sqlite3_column_double(s, 1);
    }
    sqlite3_finalize(s);
    *count = n;
    return 100.0 * held / n;
}

/* Store simulated campaigns in a new database. */
static struct chorale_store *invent(const struct scenario *sc, gsl_rng *r,
                                    const char *path, struct outcome *out)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_store *store = NULL;
    sqlite3_stmt *run = NULL, *sum = NULL;
    double median[CELLS];

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
    for (int t = 0; t < trials(sc); t++)
        for (int l = 0; l < sc->launches; l++) {
            launch(r, sc, median, out);
            for (int c = 0; c < CELLS; c++)
                store_run(run, sum, CELLS * t + c, l, median[c]);
        }
    sqlite3_finalize(run);
    sqlite3_finalize(sum);
    exec(store, "COMMIT");
    return store;
}

/* Check the stop reasons: expected and true. */
static void judge_stops(const struct scenario *sc, const struct outcome *out)
{
    double runs = (double)trials(sc) * sc->launches;
    int most = 0;

    for (int i = 1; i < NREASON; i++)
        if (out->stopped[1][i] > out->stopped[1][most])
            most = i;
    tap_ok(out->untrue == 0, "%s: every stop reason is true",
           sc->name);
    tap_ok(strcmp(reason[most], sc->mostly) == 0, "%s: most cells stop by %s",
           sc->name, reason[most]);
    tap_ok(out->stopped[0][2] == 0 && out->stopped[1][2] == 0,
           "%s: no contender is raced out", sc->name);
    /* Else ten repetitions have no interval, or the cap allows fewer. */
    if (sc->rho < 0.9 && sc->cap >= CAP)
        tap_ok((double)out->stopped[2][2] > 0.9 * runs,
               "%s: the slow variant is raced out, in %.1f %%", sc->name,
               100 * (double)out->stopped[2][2] / runs);
    tap_diag("repetitions a cell and launch: %.0f, %.0f, far behind %.0f",
             (double)out->nrep[0] / runs, (double)out->nrep[1] / runs,
             (double)out->nrep[2] / runs);
}

static void try_scenario(const struct scenario *sc, gsl_rng *r,
                         const char *path)
{
    struct outcome out = { { 0 }, { { 0 } }, 0 };
    struct chorale_store *store = invent(sc, r, path, &out);

    for (int c = 1; c < CELLS; c++) {
        int n, nratio;
        double one = covered(store, "lo, hi FROM v_summary", variant[c],
                             truth(sc, level[c]), &n);
        double ratio = covered(store, "speedup_lo, speedup_hi FROM v_speedup",
                               variant[c], level[0] / level[c], &nratio);

        tap_ok(n == trials(sc) && nratio == n, "%s, %s: %d campaigns",
               sc->name, variant[c], n);
        tap_ok(one >= 93 && one <= 97,
               "%s, %s: the median's interval covers the truth in %.1f %%",
               sc->name, variant[c], one);
        tap_ok(ratio >= 93 && ratio <= 97,
               "%s, %s: the paired ratio's interval covers in %.1f %%",
               sc->name, variant[c], ratio);
    }
    judge_stops(sc, &out);
    chorale_store_close(store);
    unlink(path);
}

/* Check the interval of n successive repetitions against the launch's level. */
static void try_inside(gsl_rng *r, double rho, size_t n, double least)
{
    const struct scenario sc = { "", 1, 0.1, rho, 1, CAP, "" };
    double *x = malloc(2 * n * sizeof(*x)), percent;
    int held = 0, none = 0;

    for (int t = 0; x != NULL && t < TRIALS; t++) {
        struct series s = { 1, gsl_ran_gaussian(r, 1) };
        struct chorale_interim seen = { 0 };

        for (size_t i = 0; i < n; i++)
            x[i] = next(r, &sc, &s);
        chorale_interim_update(&seen, x, n, x + n);
        none += !isfinite(seen.lo);
        held += seen.lo <= truth(&sc, 1) && truth(&sc, 1) <= seen.hi;
    }
    percent = none < TRIALS ? 100.0 * held / (TRIALS - none) : NAN;
    tap_ok(percent >= least && percent <= 99.5,
           "%zu repetitions correlated by %g: their interval covers in "
           "%.1f %%", n, rho, percent);
    if (none > 0)
        tap_diag("%d of %d had too few values for an interval", none, TRIALS);
    free(x);
}

int main(void)
{
    /* For a hundred and for a thousand repetitions. */
    static const double rhos[] = { 0, 0.5, 0.9 };
    static const double least[][2] = { { 93, 93 }, { 92, 93 }, { 80, 91 } };
    gsl_rng *r = gsl_rng_alloc(gsl_rng_mt19937);
    char path[] = "unit-coverage-XXXXXX";
    int fd = mkstemp(path);

    if (fd >= 0)
        close(fd);
    gsl_rng_set(r, 20260101);
    for (size_t i = 0; i < sizeof(scenario) / sizeof(scenario[0]); i++)
        try_scenario(&scenario[i], r, path);
    for (size_t i = 0; i < sizeof(rhos) / sizeof(rhos[0]); i++) {
        try_inside(r, rhos[i], NREP, least[i][0]);
        try_inside(r, rhos[i], 10 * NREP, least[i][1]);
    }
    gsl_rng_free(r);
    return tap_done();
}
