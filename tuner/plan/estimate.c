/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.c - estimate the time of a planned campaign. */
#include "config.h"

#include "db/byte_buffer.h"
#include "tuner/plan/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One row for each cell of the campaign and each pending launch of it, ordered
 * by kind of launch (as in launches.c). */
#define PENDING_CELLS                                                        \
    "WITH RECURSIVE o(ordinal) AS (SELECT 0 UNION ALL"                       \
    "   SELECT ordinal + 1 FROM o"                                           \
    "    WHERE ordinal + 1 < (SELECT max(launches) FROM cell))"              \
    "SELECT c.comm_size, c.ppn, c.shape, c.part,"                            \
    "       max(1, CAST(c.siblings AS INTEGER)) AS siblings, o.ordinal,"     \
    "       c.cell_id, c.coll, c.provider, c.variant, c.params, c.dtype,"    \
    "       c.op, c.op_class, c.n, k.max_memory"                             \
    "  FROM o JOIN cell c ON c.launches > o.ordinal"                         \
    "  JOIN campaign k ON k.campaign_id = c.campaign_id"                     \
    " WHERE c.campaign_id = ?1 AND NOT EXISTS ("                             \
    "       SELECT 1 FROM run r JOIN launch l USING (launch_id)"             \
    "        WHERE r.cell_id = c.cell_id AND l.ordinal = o.ordinal)"         \
    " ORDER BY c.comm_size, c.ppn, c.shape, c.part, siblings, c.cell_id,"    \
    "          o.ordinal"

/* The kind of launches whose rows are being read. */
struct kind {
    int comm_size, ppn, siblings;
    char shape[16], part[128];
    double *seconds;         /* [nordinal] of cells; below 0: no such launch */
    size_t nordinal;
    sqlite3_int64 cell;
    double cell_seconds;     /* of that cell, per launch */
};

struct maker {
    struct chorale_store *store;
    sqlite3_int64 system_id;
    struct chorale_adapt_opts opts;
    const struct chorale_estimate_given *said;
    struct chorale_predictor *model;
    struct chorale_estimate *e;
    struct kind kind;
    struct chorale_estimate_launch *launch;
    size_t nlaunch;
    double in_time;          /* share of cells that use up their time limit */
    struct chorale_errmsg *msg;
};

/* The network parameters for calls with that placement, type and operation. */
static struct chorale_family_net
network(const struct maker *m, const struct chorale_run_point *run)
{
    struct chorale_family_net net = chorale_family_network(m->model, run);

    if (!(net.alpha > 0))
        net = chorale_adapt_typical;
    if (m->said->alpha >= 0)
        net.alpha = m->said->alpha;
    if (m->said->beta >= 0)
        net.beta = m->said->beta;
    return net;
}

/* Bytes of buffers on a node that this cell needs at least. */
static double least_memory(const struct chorale_run_point *run)
{
    const struct chorale_coll_info *info = chorale_coll_info(run->coll);
    int at_root = info->rooted && info->blocks; /* only the root has n bytes */

    return (double)run->n * (at_root ? 1 : run->ppn);
}

/* Seconds of a call; NAN: it does not run there, or needs more memory. */
static double call_seconds(const struct maker *m,
                           struct chorale_adapt_model *model, double memory)
{
    struct chorale_run_point *run = &model->run;
    double seconds;

    if (least_memory(run) > memory)
        return NAN;
    model->net = network(m, run);
    if (strcmp(run->provider, "chorale") != 0) {
        seconds = chorale_adapt_library(model, run->n, run->comm_size);
        return isfinite(seconds) ? seconds : 0;
    }
    run->config = chorale_alg_configure(run->coll, run->variant, run->params);
    return run->config.alg == NULL
               ? NAN
               : chorale_adapt_seconds(model, &run->config, run->n,
                                       run->comm_size);
}

static double read_cell(const struct maker *m, sqlite3_stmt *stmt)
{
    struct chorale_adapt_model model = {
        .run = {
            .coll = (enum chorale_coll)
                chorale_coll_find(chorale_text(stmt, 7)),
            .comm_size = m->kind.comm_size, .ppn = m->kind.ppn,
            .shape = m->kind.shape,
            .provider = chorale_text(stmt, 8),
            .variant = chorale_text(stmt, 9),
            .params = chorale_text(stmt, 10),
            .type = chorale_dtype(chorale_dtype_find(chorale_text(stmt, 11))),
            .dtype = chorale_text(stmt, 11), .op = chorale_text(stmt, 12),
            .op_class = chorale_text(stmt, 13),
            .n = (size_t)sqlite3_column_int64(stmt, 14),
        },
    };
    double seconds, precise, most;

    seconds = call_seconds(m, &model, sqlite3_column_double(stmt, 15));
    if (isnan(seconds))
        return NAN;
    precise = chorale_adapt_cell_seconds(&m->opts, m->kind.comm_size, seconds);
    most = chorale_adapt_cell_most(&m->opts, m->kind.comm_size, seconds);
    return precise + m->in_time * (most - precise);
}

/* The row of the current kind: the last one, or a new one. NULL: out of
 * memory. */
static struct chorale_estimate_row *row_of(struct maker *m)
{
    struct chorale_estimate *e = m->e;
    struct chorale_estimate_row *row =
        e->nrow > 0 ? &e->row[e->nrow - 1] : NULL;

    if (row != NULL && row->comm_size == m->kind.comm_size &&
        row->ppn == m->kind.ppn)
        return row;
    row = realloc(e->row, (e->nrow + 1) * sizeof(*row));
    if (row == NULL)
        return NULL;
    e->row = row;
    row = &e->row[e->nrow++];
    *row = (struct chorale_estimate_row){
        .comm_size = m->kind.comm_size, .ppn = m->kind.ppn,
        .nodes = (m->kind.comm_size + m->kind.ppn - 1) / m->kind.ppn,
    };
    return row;
}

static double cost(const struct maker *m, const struct kind *k, int nodes,
                   double seconds)
{
    struct chorale_adapt_opts opts = m->opts;

    opts.launches = 1;
    opts.nodes = nodes;
    return chorale_adapt_cost(&opts, k->comm_size, k->ppn, seconds);
}

/* Add a launch of the current kind, whose row row_of() returned. Simulated,
 * cyclic and forced launches never share a start (launches.c,
 * run_pending.c). */
static int put_launch(struct maker *m, int ordinal, double seconds)
{
    const struct kind *k = &m->kind;
    struct chorale_estimate_launch *l =
        chorale_array_grow(m->launch, m->nlaunch, sizeof(*l));

    if (l == NULL)
        return -1;
    m->launch = l;
    l += m->nlaunch++;
    *l = (struct chorale_estimate_launch){
        .p = { .comm_size = k->comm_size, .ppn = k->ppn, .ordinal = ordinal,
               .siblings = k->siblings },
        .row = m->e->nrow - 1,
        .shares = !m->e->simulated && !m->said->one_per_p &&
                  k->part[0] == '\0' && k->siblings == 1 &&
                  strcmp(k->shape, "cyclic") != 0,
        .seconds = seconds,
    };
    snprintf(l->p.shape, sizeof(l->p.shape), "%s", k->shape);
    return 0;
}

/* Add the cost of each launch to its row, when all launches are known. A
 * simulated launch counts as several real ones. */
static enum chorale_err add_starts(struct maker *m)
{
    double times = m->e->simulated ? CHORALE_ADAPT_LAUNCHES : 1;
    enum chorale_err err = chorale_estimate_starts(
        m->launch, m->nlaunch, m->opts.start_up, m->msg);

    for (size_t i = 0; err == CHORALE_OK && i < m->nlaunch; i++) {
        const struct chorale_estimate_launch *l = &m->launch[i];
        struct chorale_estimate_row *row = &m->e->row[l->row];

        row->nstart += l->starts;
        row->seconds += times * l->taken;
        row->node_seconds += times * l->node_taken;
    }
    return err;
}

/* Sum the launches of the current kind, when all of them are known. */
static enum chorale_err end_kind(struct maker *m)
{
    struct kind *k = &m->kind;
    struct chorale_estimate_row *row;

    if (k->comm_size == 0)
        return CHORALE_OK;
    row = row_of(m);
    if (row == NULL)
        return chorale_fail_memory(m->msg, NULL);
    for (size_t i = 0; i < k->nordinal; i++) {
        if (k->seconds[i] < 0)
            continue;
        if (put_launch(m, (int)i, k->seconds[i]) != 0)
            return chorale_fail_memory(m->msg, NULL);
        row->nlaunch++;
        row->launch_seconds = fmax(row->launch_seconds, k->seconds[i]);
        row->node_seconds_each += cost(m, k, 1, k->seconds[i]);
        k->seconds[i] = -1;
    }
    return CHORALE_OK;
}

/* 1 if the row belongs to another kind of launches. */
static int is_new(const struct kind *k, sqlite3_stmt *stmt)
{
    return k->comm_size != sqlite3_column_int(stmt, 0) ||
           k->ppn != sqlite3_column_int(stmt, 1) ||
           k->siblings != sqlite3_column_int(stmt, 4) ||
           strcmp(k->shape, chorale_text(stmt, 2)) != 0 ||
           strcmp(k->part, chorale_text(stmt, 3)) != 0;
}

static enum chorale_err begin_kind(struct maker *m, sqlite3_stmt *stmt)
{
    struct kind *k = &m->kind;
    enum chorale_err err = end_kind(m);

    k->comm_size = sqlite3_column_int(stmt, 0);
    k->ppn = sqlite3_column_int(stmt, 1);
    k->siblings = sqlite3_column_int(stmt, 4);
    snprintf(k->shape, sizeof(k->shape), "%s", chorale_text(stmt, 2));
    snprintf(k->part, sizeof(k->part), "%s", chorale_text(stmt, 3));
    k->cell = -1;
    if (k->ppn < 1)
        k->ppn = 1;
    return err;
}

static enum chorale_err read_row(struct maker *m, sqlite3_stmt *stmt)
{
    struct kind *k = &m->kind;
    size_t ordinal = (size_t)sqlite3_column_int64(stmt, 5);
    struct chorale_estimate_row *row;
    enum chorale_err err = CHORALE_OK;

    if (is_new(k, stmt))
        err = begin_kind(m, stmt);
    if (err != CHORALE_OK)
        return err;
    row = row_of(m);
    if (row == NULL)
        return chorale_fail_memory(m->msg, NULL);
    if (ordinal >= k->nordinal) {
        double *more = realloc(k->seconds, (ordinal + 1) * sizeof(*more));

        if (more == NULL)
            return chorale_fail_memory(m->msg, NULL);
        for (k->seconds = more; k->nordinal <= ordinal; k->nordinal++)
            k->seconds[k->nordinal] = -1;
    }
    if (k->cell != sqlite3_column_int64(stmt, 6)) {
        k->cell = sqlite3_column_int64(stmt, 6);
        k->cell_seconds = read_cell(m, stmt);
        row->ncell++;
        row->nleft += isnan(k->cell_seconds);
    }
    k->seconds[ordinal] = fmax(k->seconds[ordinal], 0) +
                          (isnan(k->cell_seconds) ? 0 : k->cell_seconds);
    return CHORALE_OK;
}

static enum chorale_err add_up(struct maker *m, sqlite3_int64 campaign_id)
{
    struct chorale_estimate_row *all = &m->e->all;
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        m->store, PENDING_CELLS, CHORALE_FIELDS(campaign_id), &stmt, m->msg);
    while (chorale_store_next(m->store, stmt, &err, m->msg))
        err = read_row(m, stmt);
    sqlite3_finalize(stmt);
    if (err == CHORALE_OK)
        err = end_kind(m);
    if (err == CHORALE_OK)
        err = add_starts(m);
    for (size_t i = 0; i < m->e->nrow; i++) {
        const struct chorale_estimate_row *r = &m->e->row[i];

        all->ncell += r->ncell;
        all->nlaunch += r->nlaunch;
        all->nstart += r->nstart;
        all->nleft += r->nleft;
        all->seconds += r->seconds;
        all->node_seconds += r->node_seconds;
        all->node_seconds_each += r->node_seconds_each;
    }
    return err;
}

/* Determine the parameters and the source of each. */
static enum chorale_err find_numbers(struct maker *m)
{
    static const struct chorale_run_point between = {
        .shape = "one-per-node", .dtype = "double", .op = "sum",
    };
    const enum chorale_estimate_from from =
        m->model != NULL ? CHORALE_ESTIMATE_MODEL : CHORALE_ESTIMATE_DEFAULT;
    struct chorale_estimate *e = m->e;
    struct chorale_adapt_spent spent = { 0, 0, 0, 0, 0 };
    enum chorale_err err = CHORALE_OK;

    e->net = network(m, &between);
    e->alpha = m->said->alpha >= 0 ? CHORALE_ESTIMATE_STATED : from;
    e->beta = m->said->beta >= 0 ? CHORALE_ESTIMATE_STATED : from;
    e->tau = from;
    m->opts.start_up = CHORALE_ADAPT_START_UP;
    if (!e->simulated)
        err = chorale_adapt_spent(m->store, m->system_id, -2, &spent, m->msg);
    if (err == CHORALE_OK && spent.nlaunch > 0)
        err = chorale_adapt_ran(m->store, m->system_id, &m->opts.start_up,
                                &m->in_time, m->msg);
    e->nstarted = spent.nstart;
    e->start_up = e->nstarted > 0 ? CHORALE_ESTIMATE_MODEL
                                  : CHORALE_ESTIMATE_DEFAULT;
    if (m->said->start_up >= 0) {
        m->opts.start_up = m->said->start_up;
        e->start_up = CHORALE_ESTIMATE_STATED;
    }
    e->start_up_seconds = m->opts.start_up;
    e->in_time = m->in_time;
    return err;
}

/* The estimate if every cell uses up its time limit. */
static enum chorale_err sum_time_limits(const struct maker *m,
                                        sqlite3_int64 campaign_id)
{
    struct chorale_estimate most = { .row = NULL };
    struct maker all = { .store = m->store, .system_id = m->system_id,
                         .opts = m->opts, .said = m->said,
                         .model = m->model, .e = &most, .in_time = 1,
                         .msg = m->msg };
    enum chorale_err err = add_up(&all, campaign_id);

    m->e->most_seconds = most.all.seconds;
    m->e->most_node_seconds = most.all.node_seconds;
    for (size_t i = 0; err == CHORALE_OK && i < m->e->nrow; i++)
        m->e->row[i].launch_most = most.row[i].launch_seconds;
    chorale_estimate_release(&most);
    free(all.kind.seconds);
    free(all.launch);
    return err;
}

enum chorale_err
chorale_estimate_make(struct chorale_store *store, sqlite3_int64 system_id,
                      sqlite3_int64 campaign_id,
                      const struct chorale_adapt_opts *opts,
                      const struct chorale_estimate_given *said,
                      struct chorale_estimate *estimate,
                      struct chorale_errmsg *msg)
{
    struct maker m = { .store = store, .system_id = system_id, .opts = *opts,
                       .said = said, .e = estimate, .msg = msg };
    enum chorale_err err;

    memset(estimate, 0, sizeof(*estimate));
    estimate->simulated = opts->decide.simulated;
    err = chorale_predictor_load(store, system_id, &m.model, msg);
    if (err == CHORALE_OK)
        err = find_numbers(&m);
    if (err == CHORALE_OK)
        err = add_up(&m, campaign_id);
    if (err == CHORALE_OK && !estimate->simulated)
        err = sum_time_limits(&m, campaign_id);
    chorale_predictor_free(m.model);
    free(m.kind.seconds);
    free(m.launch);
    return err;
}

void chorale_estimate_release(struct chorale_estimate *estimate)
{
    free(estimate->row);
    estimate->row = NULL;
    estimate->nrow = 0;
}
