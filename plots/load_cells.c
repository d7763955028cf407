/* SPDX-License-Identifier: BSD-3-Clause */
/* load_cells.c - loads the measured cells of a system, with the model's time
 * and the decision for each. No statistics are computed here: all numbers are
 * from the database, the decision's times, or the fitted model. */
#include "db/byte_buffer.h"
#include "plots/plots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide.h"
#include "tuner/decide/inherit_runs.h"
#include "tuner/emit/table.h"
#include "tuner/model/predict.h"

static const char cells_sql[] =
    "SELECT coll, comm_size, ppn, shape, dtype, op, root_policy, buffers,"
    " op_class, provider, variant, params, n, msg_size, seconds, lo, hi"
    " FROM v_summary WHERE system_id = ?1 AND metric = 'duration'"
    "  AND arrival = 'sync' AND siblings = 'alone' AND seconds > 0"
    "  AND variant <> 'untouched' AND provider <> 'table'"
    " ORDER BY coll, comm_size, ppn, shape, dtype, op, root_policy, buffers,"
    " provider <> 'library', provider, variant, length(params), params, n";

static const char decision_sql[] =
    "SELECT provider, variant, params, 0 AS place FROM v_decision"
    " WHERE system_id = ?1 AND coll = ?2"
    " AND ?3 BETWEEN comm_size AND comm_size_hi AND ppn = ?4"
    " AND shape = ?5 AND dtype = ?6 AND op = ?7 AND ?8 BETWEEN n_lo AND n_hi"
    " UNION ALL SELECT 'library', 'default', '', 1"
    " WHERE EXISTS (SELECT 1 FROM v_decision WHERE system_id = ?1)"
    " ORDER BY place LIMIT 1";

static const char named_sql[] =
    "SELECT EXISTS (SELECT 1 FROM v_decision WHERE system_id = ?1 AND coll = ?2"
    " AND ?3 BETWEEN comm_size AND comm_size_hi AND ppn = ?4 AND shape = ?5"
    " AND dtype = ?6 AND op = ?7 AND provider = ?8 AND variant = ?9"
    " AND params = ?10)";

int chorale_plots_same_picture(const struct chorale_plots_row *a,
                               const struct chorale_plots_row *b)
{
    return a->comm_size == b->comm_size && a->ppn == b->ppn &&
           strcmp(a->coll, b->coll) == 0 && strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->op, b->op) == 0 &&
           strcmp(a->root, b->root) == 0 && strcmp(a->buffers, b->buffers) == 0;
}

int chorale_plots_same_series(const struct chorale_plots_row *a,
                              const struct chorale_plots_row *b)
{
    return strcmp(a->provider, b->provider) == 0 &&
           strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->params, b->params) == 0;
}

static void copy_text(char *out, size_t size, sqlite3_stmt *stmt, int column)
{
    const unsigned char *text = sqlite3_column_text(stmt, column);

    snprintf(out, size, "%s", text != NULL ? (const char *)text : "");
}

static double number(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL
               ? NAN
               : sqlite3_column_double(stmt, column);
}

static void read_cell(sqlite3_stmt *stmt, struct chorale_plots_row *row)
{
    memset(row, 0, sizeof(*row));
    copy_text(row->coll, sizeof(row->coll), stmt, 0);
    row->comm_size = sqlite3_column_int(stmt, 1);
    row->ppn = sqlite3_column_int(stmt, 2);
    copy_text(row->shape, sizeof(row->shape), stmt, 3);
    copy_text(row->dtype, sizeof(row->dtype), stmt, 4);
    copy_text(row->op, sizeof(row->op), stmt, 5);
    copy_text(row->root, sizeof(row->root), stmt, 6);
    copy_text(row->buffers, sizeof(row->buffers), stmt, 7);
    copy_text(row->op_class, sizeof(row->op_class), stmt, 8);
    copy_text(row->provider, sizeof(row->provider), stmt, 9);
    copy_text(row->variant, sizeof(row->variant), stmt, 10);
    copy_text(row->params, sizeof(row->params), stmt, 11);
    row->n = number(stmt, 12);
    row->msg_size = number(stmt, 13);
    row->seconds = number(stmt, 14);
    row->lo = number(stmt, 15);
    row->hi = number(stmt, 16);
    row->model = NAN;
}

/* Returns 1 for sizes that an operation can have. A damaged database may have
 * others, which would overflow axes and integers. */
static int is_sized(const struct chorale_plots_row *row)
{
    const double most = 0x1p62;

    return row->comm_size > 0 && row->n >= 0 && row->n <= most &&
           row->msg_size >= 0 && row->msg_size <= most;
}

/* Load all cells into *got. */
static enum chorale_err read_cells(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   struct chorale_plots_rows *got,
                                   struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, cells_sql, CHORALE_FIELDS(system_id), &stmt, msg);

    if (err != CHORALE_OK)
        return err;
    while (chorale_store_next(store, stmt, &err, msg)) {
        struct chorale_plots_row *larger =
            chorale_array_grow(got->row, got->count, sizeof(*larger));

        if (larger == NULL) {
            err = chorale_fail_memory(msg, chorale_store_path(store));
            break;
        }
        got->row = larger;
        read_cell(stmt, &got->row[got->count]);
        if (isfinite(got->row[got->count].seconds) &&
            is_sized(&got->row[got->count]))
            got->count++;
    }
    sqlite3_finalize(stmt);
    return err;
}

/* Seconds by the model for a variant of the catalogue; NAN if unknown. */
static double modelled(const struct chorale_plots_row *row,
                       struct chorale_predictor *model)
{
    int coll = chorale_coll_find(row->coll);
    struct chorale_where where = {
        .comm_size = row->comm_size, .ppn = row->ppn, .shape = row->shape,
        .msg_size = (size_t)row->msg_size, .dtype = row->dtype,
        .op = row->op, .op_class = row->op_class,
        .root_policy = row->root,
    };
    struct chorale_alg_config config;

    if (coll < 0 || strcmp(row->provider, "chorale") != 0)
        return NAN;
    where.coll = (enum chorale_coll)coll;
    config = chorale_alg_configure(where.coll, row->variant, row->params);
    return config.alg == NULL
               ? NAN
               : chorale_predict(model, config.alg, config.value, &where);
}

/* Set the type and operation whose decisions apply to a row. kind is that of
 * its collective in the table. */
static void find_served(struct chorale_plots_row *row,
                        const struct chorale_served_kind *kind)
{
    const char *by[2] = { row->dtype, row->op };

    chorale_served_kind_instead(kind, row->dtype, row->op, row->op_class,
                                row->instead);
    if (strcmp(row->instead, "library") == 0) {
        by[0] = by[1] = "";
    } else if (row->instead[0] != '\0') {
        by[0] = kind->dtype;
        by[1] = kind->op;
    }
    snprintf(row->by_dtype, sizeof(row->by_dtype), "%s", by[0]);
    snprintf(row->by_op, sizeof(row->by_op), "%s", by[1]);
}

/* 1 if row i was measured under the name of a candidate that equals the choice
 * there, and the choice itself was not measured. */
static int is_equal(const struct chorale_plots_rows *rows, size_t i,
                    const struct chorale_plots_row *choice)
{
    const struct chorale_plots_row *row = &rows->row[i];
    const int coll = chorale_coll_find(row->coll);
    struct chorale_alg_config config[2];
    struct chorale_class_point at;
    struct chorale_run_point run = {
        .coll = (enum chorale_coll)coll, .comm_size = row->comm_size,
        .ppn = row->ppn, .shape = row->shape, .op_class = row->op_class,
        .type = chorale_dtype(chorale_dtype_find(row->dtype)),
        .msg_size = (size_t)row->msg_size, .n = (size_t)row->n,
        .conditions = row->root,
    };

    if (coll < 0 || strcmp(row->provider, "chorale") != 0 ||
        strcmp(choice->provider, "chorale") != 0)
        return 0;
    for (size_t k = i; k-- > 0 && chorale_plots_same_picture(&rows->row[k],
                                                             row);)
        if (rows->row[k].n == row->n &&
            chorale_plots_same_series(&rows->row[k], choice))
            return 0;
    for (size_t k = i + 1; k < rows->count && chorale_plots_same_picture(
                                                  &rows->row[k], row); k++)
        if (rows->row[k].n == row->n &&
            chorale_plots_same_series(&rows->row[k], choice))
            return 0;
    config[0] = chorale_alg_configure(run.coll, row->variant, row->params);
    config[1] = chorale_alg_configure(run.coll, choice->variant,
                                      choice->params);
    at = chorale_run_class_point(&run);
    return chorale_classes_equal(&at, &config[0], &config[1]);
}

/* Set decided of row i; a row that equals the choice gets its name, so that the
 * choice is one line over its whole range. If there is a table, points that it
 * does not cover belong to the library. */
static enum chorale_err read_decided(struct chorale_store *store,
                                     sqlite3_stmt *stmt,
                                     struct chorale_plots_rows *rows, size_t i,
                                     struct chorale_errmsg *msg)
{
    struct chorale_plots_row *row = &rows->row[i], choice;
    enum chorale_err err = chorale_store_bind(
        store, stmt, 2,
        CHORALE_FIELDS(row->coll, row->comm_size, row->ppn, row->shape,
                       row->by_dtype, row->by_op, row->n), msg);

    if (chorale_store_next(store, stmt, &err, msg)) {
        copy_text(choice.provider, sizeof(choice.provider), stmt, 0);
        copy_text(choice.variant, sizeof(choice.variant), stmt, 1);
        copy_text(choice.params, sizeof(choice.params), stmt, 2);
        if (is_equal(rows, i, &choice)) {
            memcpy(row->variant, choice.variant, sizeof(row->variant));
            memcpy(row->params, choice.params, sizeof(row->params));
        }
        row->decided = chorale_plots_same_series(row, &choice);
    }
    return err;
}

/* Set named of a row. */
static enum chorale_err read_named(struct chorale_store *store,
                                   sqlite3_stmt *stmt,
                                   struct chorale_plots_row *row,
                                   struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_bind(
        store, stmt, 2,
        CHORALE_FIELDS(row->coll, row->comm_size, row->ppn, row->shape,
                       row->by_dtype, row->by_op, row->provider, row->variant,
                       row->params), msg);

    if (chorale_store_next(store, stmt, &err, msg))
        row->named = sqlite3_column_int(stmt, 0);
    return err;
}

/* The order of cells_sql. */
static int compare_rows(const void *x, const void *y)
{
    const struct chorale_plots_row *a = x, *b = y;
    int library_a = strcmp(a->provider, "library") == 0;
    int library_b = strcmp(b->provider, "library") == 0;
    int d = strcmp(a->coll, b->coll);

    d = d != 0 ? d : a->comm_size - b->comm_size;
    d = d != 0 ? d : a->ppn - b->ppn;
    d = d != 0 ? d : strcmp(a->shape, b->shape);
    d = d != 0 ? d : strcmp(a->dtype, b->dtype);
    d = d != 0 ? d : strcmp(a->op, b->op);
    d = d != 0 ? d : strcmp(a->root, b->root);
    d = d != 0 ? d : strcmp(a->buffers, b->buffers);
    d = d != 0 ? d : library_b - library_a;
    d = d != 0 ? d : strcmp(a->provider, b->provider);
    d = d != 0 ? d : strcmp(a->variant, b->variant);
    d = d != 0 ? d : (int)strlen(a->params) - (int)strlen(b->params);
    d = d != 0 ? d : strcmp(a->params, b->params);
    return d != 0 ? d : (a->n > b->n) - (a->n < b->n);
}

/* Set model, decided and named of every row. */
static enum chorale_err complete(struct chorale_store *store,
                                 sqlite3_int64 system_id,
                                 struct chorale_plots_rows *rows,
                                 struct chorale_errmsg *msg)
{
    sqlite3_stmt *decision = NULL, *named = NULL;
    struct chorale_predictor *model = NULL;
    struct chorale_served_kind kind = { "", "" };
    enum chorale_err err;

    err = chorale_predictor_load(store, system_id, &model, msg);
    chorale_predict_limit(model, 0, CHORALE_DECIDE_EVENTS);
    if (err == CHORALE_OK)
        err = chorale_store_query(store, decision_sql,
                                  CHORALE_FIELDS(system_id), &decision, msg);
    if (err == CHORALE_OK)
        err = chorale_store_query(store, named_sql, CHORALE_FIELDS(system_id),
                                  &named, msg);
    for (size_t i = 0; i < rows->count && err == CHORALE_OK; i++) {
        struct chorale_plots_row *row = &rows->row[i];

        row->model = modelled(row, model);
        if (i == 0 || strcmp(row->coll, row[-1].coll) != 0)
            err = chorale_served_kind_load(store, system_id, row->coll,
                                           "dispatch", &kind, msg);
        find_served(row, &kind);
        if (err == CHORALE_OK)
            err = read_decided(store, decision, rows, i, msg);
        if (err == CHORALE_OK)
            err = read_named(store, named, row, msg);
    }
    if (err == CHORALE_OK && rows->count > 0)
        qsort(rows->row, rows->count, sizeof(*rows->row), compare_rows);
    chorale_predictor_free(model);
    sqlite3_finalize(decision);
    sqlite3_finalize(named);
    return err;
}

enum chorale_err chorale_plots_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    struct chorale_plots_rows *rows,
                                    struct chorale_errmsg *msg)
{
    struct chorale_plots_rows got = { .row = NULL };
    enum chorale_err err = read_cells(store, system_id, &got, msg);

    if (err == CHORALE_OK)
        err = chorale_plots_decided_times(store, system_id, &got, msg);
    if (err == CHORALE_OK)
        err = complete(store, system_id, &got, msg);
    if (err != CHORALE_OK) {
        free(got.row);
        return err;
    }
    *rows = got;
    return CHORALE_OK;
}
