/* SPDX-License-Identifier: BSD-3-Clause */
/* link_intervals.c - 95 % intervals of kappa, for patterns and for links. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuner/model/bootstrap.h"
#include "tuner/model/link_fit.h"

/* One row per launch: log kappa of each pattern, then the log ways of each
 * level; NAN: not measured. */
enum { WIDTH = CHORALE_LINKS_SEEN + CHORALE_WIRING_LEVELS };
struct rows {
    double *value;
    size_t n;
};

static const char launches_sql[] =
    "SELECT DISTINCT launch_id FROM launch JOIN environment USING (launch_id)"
    " WHERE system_id = ?1 AND comm_size = ?2 AND ppn = ?3"
    "  AND key LIKE 'distance\\_alpha\\_s:%' ESCAPE '\\' ORDER BY 1";

/* Number of ways of wiring f. */
static int nways(const struct chorale_wiring *f)
{
    return f->kind == CHORALE_WIRING_TREE ? f->nlevel
                                          : f->kind == CHORALE_WIRING_GRID;
}

/* kappa of a pattern counted on the links of f (of one level of a tree). */
static double counted(const struct chorale_wiring *f, int level,
                      const struct chorale_links *l,
                      const struct chorale_wiring_measured *seen)
{
    struct chorale_wiring one = *f;

    if (f->kind == CHORALE_WIRING_TREE && level >= 0) {
        one.nlevel = 1;
        one.width[0] = f->width[level];
        one.ways[0] = f->ways[level];
    }
    return chorale_wiring_pattern(&one, l->comm_size / l->ppn, seen->pattern,
                                  seen->places, l->ppn);
}

/* Log ways of a level, fitted to the patterns in which that level is the
 * busiest link: mean log(measured / counted) added to the ways of l. NAN: no
 * such pattern. */
static double ways_of(const struct chorale_links *l, int level,
                      const struct chorale_wiring_measured *seen, size_t n)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        double most = counted(&l->wiring, -1, l, &seen[i]);
        double mine = counted(&l->wiring, level, l, &seen[i]);

        if (mine < most || mine < CHORALE_WIRING_SHARED)
            continue;
        sum += log(seen[i].kappa / mine);
        count++;
    }
    return count > 0 ? log(l->wiring.ways[level]) + sum / (double)count : NAN;
}

/* Fill a row with the values of launch `one` for the patterns of `all`. */
static void fill(const struct chorale_links *all,
                 const struct chorale_links *one, double *row)
{
    struct chorale_wiring_measured want[CHORALE_LINKS_SEEN];
    struct chorale_wiring_measured have[CHORALE_LINKS_SEEN];
    size_t nwant = chorale_links_seen(all, want);
    size_t nhave = chorale_links_seen(one, have);

    for (int k = 0; k < WIDTH; k++)
        row[k] = NAN;
    for (size_t k = 0; k < nwant; k++)
        for (size_t i = 0; i < nhave; i++)
            if (have[i].pattern == want[k].pattern &&
                have[i].places == want[k].places)
                row[k] = log(have[i].kappa);
    for (int i = 0; i < nways(&all->wiring); i++)
        row[CHORALE_LINKS_SEEN + i] = ways_of(all, i, have, nhave);
}

static enum chorale_err add(struct chorale_store *store,
                            sqlite3_int64 system_id, sqlite3_int64 launch_id,
                            const struct chorale_links *l, struct rows *rows,
                            struct chorale_errmsg *msg)
{
    struct chorale_links *list = NULL;
    size_t count = 0;
    double *more;
    enum chorale_err err = chorale_links_load(store, system_id, launch_id,
                                              &list, &count, msg);

    if (err != CHORALE_OK)
        return err;
    more = realloc(rows->value, (rows->n + 1) * WIDTH * sizeof(*more));
    if (more != NULL)
        rows->value = more;
    else
        err = chorale_fail_memory(msg, "fit");
    for (size_t i = 0; i < count && err == CHORALE_OK; i++)
        if (list[i].ppn == l->ppn && list[i].comm_size == l->comm_size &&
            list[i].scattered == l->scattered)
            fill(l, &list[i], rows->value + rows->n++ * WIDTH);
    free(list);
    return err;
}

static enum chorale_err load(struct chorale_store *store,
                             sqlite3_int64 system_id,
                             const struct chorale_links *l, struct rows *rows,
                             struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, launches_sql, CHORALE_FIELDS(system_id, l->comm_size, l->ppn),
        &stmt, msg);
    while (chorale_store_next(store, stmt, &err, msg))
        err = add(store, system_id, sqlite3_column_int64(stmt, 0), l, rows,
                  msg);
    sqlite3_finalize(stmt);
    return err;
}

/* Interval of column k, extended to include value. */
static enum chorale_err bound(const struct rows *rows, size_t k, double value,
                              struct chorale_links_bounds *b,
                              struct chorale_errmsg *msg)
{
    double *known = malloc((rows->n + 1) * sizeof(*known));
    size_t n = 0;
    enum chorale_err err = CHORALE_OK;

    *b = (struct chorale_links_bounds){ NAN, NAN };
    if (known == NULL)
        return chorale_fail_memory(msg, "fit");
    for (size_t i = 0; i < rows->n; i++)
        if (isfinite(rows->value[i * WIDTH + k]))
            known[n++] = rows->value[i * WIDTH + k];
    if (n > 1)
        err = chorale_bootstrap_mean(known, 1, n, &b->lo, &b->hi, msg);
    free(known);
    if (n > 1 && err == CHORALE_OK) {
        b->lo = fmin(exp(b->lo), value);
        b->hi = fmax(exp(b->hi), value);
    }
    return err;
}

enum chorale_err chorale_links_bounds(
    struct chorale_store *store, sqlite3_int64 system_id,
    const struct chorale_links *l,
    struct chorale_links_bounds seen[CHORALE_LINKS_SEEN],
    struct chorale_links_bounds ways[CHORALE_WIRING_LEVELS],
    struct chorale_errmsg *msg)
{
    struct chorale_wiring_measured all[CHORALE_LINKS_SEEN];
    size_t n = chorale_links_seen(l, all);
    struct rows rows = { NULL, 0 };
    sqlite3_int64 simulated = 0;
    enum chorale_err err = chorale_store_find(
        store, "SELECT kind = 'simulated' FROM system WHERE system_id = ?1",
        CHORALE_FIELDS(system_id), 0, &simulated, msg);

    if (err == CHORALE_OK && !simulated)
        err = load(store, system_id, l, &rows, msg);
    for (size_t k = 0; k < n && err == CHORALE_OK; k++) {
        seen[k].lo = seen[k].hi = all[k].kappa;
        if (!simulated)
            err = bound(&rows, k, all[k].kappa, &seen[k], msg);
    }
    for (int i = 0; i < nways(&l->wiring) && err == CHORALE_OK; i++) {
        ways[i].lo = ways[i].hi = l->wiring.ways[i];
        if (!simulated)
            err = bound(&rows, CHORALE_LINKS_SEEN + (size_t)i,
                        l->wiring.ways[i], &ways[i], msg);
    }
    free(rows.value);
    return err;
}
