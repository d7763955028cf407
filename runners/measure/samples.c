/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.c - samples in memory as a virtual table. SQLite calls it
 * eponymous-only: it exists by its name, without CREATE VIRTUAL TABLE. */
#include "runners/measure/samples.h"

#include <math.h>
#include <stdlib.h>

#define COLUMNS                                                              \
    "CREATE TABLE x (run_id INTEGER, rep INTEGER, seconds REAL,"             \
    " first_in REAL, last_in REAL, root_out REAL, root INTEGER,"             \
    " flags INTEGER)"

enum column { RUN_ID, REP, SECONDS, FIRST_IN, LAST_IN, ROOT_OUT, ROOT, FLAGS };

/* SQLite requires its own part first in both structures. */
struct table {
    sqlite3_vtab base;
    const struct chorale_samples *samples;
};

struct cursor {
    sqlite3_vtab_cursor base;
    const struct chorale_samples *samples;
    int row;
};

static int connect_table(sqlite3 *db, void *aux, int argc,
                         const char *const *argv, sqlite3_vtab **vtab,
                         char **error)
{
    struct table *table;
    int rc = sqlite3_declare_vtab(db, COLUMNS);

    (void)argc;
    (void)argv;
    (void)error;
    if (rc != SQLITE_OK)
        return rc;
    /* Views and triggers of a forged database must not use it. */
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    table = calloc(1, sizeof(*table));
    if (table == NULL)
        return SQLITE_NOMEM;
    table->samples = aux;
    *vtab = &table->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *vtab)
{
    free(vtab);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    (void)vtab;
    (void)info;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor_p)
{
    struct cursor *cursor = calloc(1, sizeof(*cursor));

    if (cursor == NULL)
        return SQLITE_NOMEM;
    cursor->samples = ((struct table *)vtab)->samples;
    *cursor_p = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    free(base);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int index, const char *name,
                  int argc, sqlite3_value **argv)
{
    (void)index;
    (void)name;
    (void)argc;
    (void)argv;
    ((struct cursor *)base)->row = 0;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->row++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (const struct cursor *)base;
    const struct chorale_result *result = cursor->samples->result;

    return cursor->row >= result->nsample + result->naside;
}

/* NaN and infinity become NULL. */
static void give_real(sqlite3_context *to, double value)
{
    if (isfinite(value))
        sqlite3_result_double(to, value);
    else
        sqlite3_result_null(to);
}

static int give_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
    const struct cursor *cursor = (const struct cursor *)base;
    const struct chorale_samples *samples = cursor->samples;
    const struct chorale_result *result = samples->result;
    int aside = cursor->row >= result->nsample;
    const struct chorale_sample *s =
        aside ? &result->aside[cursor->row - result->nsample]
              : &result->sample[cursor->row];

    switch ((enum column)i) {
    case RUN_ID:
        sqlite3_result_int64(to, samples->run_id);
        break;
    case REP:
        sqlite3_result_int(to, cursor->row);
        break;
    case SECONDS:
        give_real(to, s->seconds);
        break;
    case FIRST_IN:
        give_real(to, s->first_in);
        break;
    case LAST_IN:
        give_real(to, s->last_in);
        break;
    case ROOT_OUT:
        give_real(to, samples->rooted ? s->root_out : NAN);
        break;
    case ROOT:
        if (samples->rooted)
            sqlite3_result_int(to, s->root);
        break;
    case FLAGS:
        sqlite3_result_int(to, (s->late ? CHORALE_SAMPLE_LATE : 0) |
                                   (aside ? CHORALE_SAMPLE_ASIDE : 0));
        break;
    }
    return SQLITE_OK;
}

static int give_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = ((const struct cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 1,
    .xConnect = connect_table,
    .xDisconnect = disconnect,
    .xBestIndex = best_index,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = give_column,
    .xRowid = give_rowid,
};

int chorale_samples_table(sqlite3 *db, struct chorale_samples *samples)
{
    return sqlite3_create_module(db, "runner_sample",
                                 samples != NULL ? &module : NULL, samples);
}
