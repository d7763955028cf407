/* SPDX-License-Identifier: BSD-3-Clause */
/* model_store.c - store a fitted model in the tables model, model_variant and
 * model_ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/for_each_system.h"
#include "tuner/model/link_fit.h"
#include "tuner/model/model.h"

static void bind_text(sqlite3_stmt *stmt, int column, const char *text)
{
    sqlite3_bind_text(stmt, column, text, -1, SQLITE_TRANSIENT);
}

static const char *unit(const char *param)
{
    if (strcmp(param, "beta") == 0 || strcmp(param, "tau") == 0)
        return "s/byte";
    if (strcmp(param, "kappa") == 0)
        return "ways";
    return strcmp(param, "overlapped") == 0 ? "bytes" : "s";
}

static void regime_text(const struct chorale_model_param *p, char text[64])
{
    if (p->from < 0 && isinf(p->upto))
        snprintf(text, 64, "all");
    else if (p->from < 0)
        snprintf(text, 64, "<= %.0f", p->upto);
    else if (isinf(p->upto))
        snprintf(text, 64, "> %.0f", p->from);
    else
        snprintf(text, 64, "%.0f < .. <= %.0f", p->from, p->upto);
}

static enum chorale_err insert_param(struct chorale_store *store,
                                     sqlite3_stmt *stmt,
                                     const struct chorale_model *m,
                                     const struct chorale_model_param *p,
                                     struct chorale_errmsg *msg)
{
    char regime[64];

    regime_text(p, regime);
    bind_text(stmt, 2, p->level);
    bind_text(stmt, 3, regime);
    bind_text(stmt, 4, p->name);
    bind_text(stmt, 5, p->tau >= 0 ? m->tau[p->tau].dtype : "");
    bind_text(stmt, 6, p->tau >= 0 ? m->tau[p->tau].op : "");
    sqlite3_bind_double(stmt, 7, p->value);
    chorale_bind_finite(stmt, 8, p->lo);
    chorale_bind_finite(stmt, 9, p->hi);
    bind_text(stmt, 10, unit(p->name));
    sqlite3_bind_int64(stmt, 11, (sqlite3_int64)m->npoints);
    sqlite3_bind_double(stmt, 12, m->fit.median_error);
    sqlite3_bind_double(stmt, 13, m->fit.worst_error);
    sqlite3_bind_int(stmt, 14, m->trusted);
    chorale_bind_finite(stmt, 15, p->upto);
    sqlite3_bind_int(stmt, 16, p->ppn);
    return chorale_store_step(store, stmt, NULL, msg);
}

static enum chorale_err insert_params(struct chorale_store *store,
                                      sqlite3_stmt *stmt,
                                      const struct chorale_model *m,
                                      struct chorale_errmsg *msg)
{
    struct chorale_model_param ports = {
        .name = "overlapped", .level = "all", .from = -1, .upto = HUGE_VAL,
        .tau = -1, .lo = NAN, .hi = NAN,
        .value = fmin(fmax(m->net.overlap_upto, 0),
                      CHORALE_MODEL_OVERLAPPED),
    };
    enum chorale_err err = insert_param(store, stmt, m, &ports, msg);

    for (size_t i = 0; i < m->nparam && err == CHORALE_OK; i++)
        err = insert_param(store, stmt, m, &m->param[i], msg);
    return err;
}

/* Store the links and the delay of a message by a link. */
static enum chorale_err insert_wiring(struct chorale_store *store,
                                      sqlite3_stmt *stmt,
                                      const struct chorale_model *m,
                                      const struct chorale_links_bounds *ways,
                                      struct chorale_errmsg *msg)
{
    const struct chorale_net *net = &m->net;
    const struct chorale_wiring *f = &net->wiring;
    int n = f->kind == CHORALE_WIRING_TREE ? f->nlevel
            : f->kind == CHORALE_WIRING_GRID;
    char text[48];
    struct chorale_model_param p = { .from = -1, .upto = HUGE_VAL, .tau = -1,
                                     .lo = NAN, .hi = NAN };
    enum chorale_err err = CHORALE_OK;

    p.name = "kappa";
    for (int i = 0; i < n && err == CHORALE_OK; i++) {
        p.level = chorale_wiring_name(f, i, text);
        p.value = f->ways[i];
        p.lo = ways[i].lo;
        p.hi = ways[i].hi;
        err = insert_param(store, stmt, m, &p, msg);
    }
    p.lo = p.hi = NAN;
    p.name = "alpha";
    p.level = CHORALE_MODEL_HOP;
    p.value = f->hop * net->level[net->nlevel - 1].regime.alpha[0];
    if (n > 0 && f->hop > 0 && err == CHORALE_OK)
        err = insert_param(store, stmt, m, &p, msg);
    return err;
}

/* Store the measured kappa of each pattern. */
static enum chorale_err insert_patterns(struct chorale_store *store,
                                        sqlite3_stmt *stmt,
                                        const struct chorale_model *m,
                                        const struct chorale_links *l,
                                        const struct chorale_links_bounds *b,
                                        struct chorale_errmsg *msg)
{
    struct chorale_wiring_seen seen[CHORALE_LINKS_SEEN];
    struct chorale_model_param p = { .from = -1, .upto = HUGE_VAL, .tau = -1,
                                     .name = "kappa" };
    size_t n = chorale_links_seen(l, seen);
    char text[48];
    enum chorale_err err = CHORALE_OK;

    for (size_t k = 0; k < n && err == CHORALE_OK; k++) {
        snprintf(text, sizeof(text), "%s", chorale_pattern_name
                                               [seen[k].pattern]);
        if (seen[k].places > 0)
            snprintf(text, sizeof(text), "%s %d", chorale_pattern_name
                                             [seen[k].pattern],
                     seen[k].places);
        p.level = text;
        p.value = seen[k].kappa;
        p.lo = b[k].lo;
        p.hi = b[k].hi;
        err = insert_param(store, stmt, m, &p, msg);
    }
    return err;
}

/* Store the links and the patterns from which they were found. */
static enum chorale_err insert_links(struct chorale_store *store,
                                     sqlite3_stmt *stmt,
                                     const struct chorale_model *m,
                                     sqlite3_int64 system_id,
                                     struct chorale_errmsg *msg)
{
    struct chorale_links_bounds seen[CHORALE_LINKS_SEEN];
    struct chorale_links_bounds ways[CHORALE_WIRING_LEVELS];
    struct chorale_links *list = NULL;
    size_t count = 0, i = 0;
    enum chorale_err err = chorale_links_load(store, system_id, 0, &list,
                                              &count, msg);

    for (int k = 0; k < CHORALE_WIRING_LEVELS; k++)
        ways[k] = (struct chorale_links_bounds){ NAN, NAN };
    while (i < count && !list[i].found)
        i++;
    if (err == CHORALE_OK && i < count)
        err = chorale_links_bounds(store, system_id, &list[i], seen, ways,
                                   msg);
    if (err == CHORALE_OK)
        err = insert_wiring(store, stmt, m, ways, msg);
    if (err == CHORALE_OK && i < count)
        err = insert_patterns(store, stmt, m, &list[i], seen, msg);
    free(list);
    return err;
}

/* Prepare a statement and bind the system. */
static enum chorale_err prepare(struct chorale_store *store, const char *sql,
                                sqlite3_int64 system_id, sqlite3_stmt **stmt,
                                struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_prepare(store, sql, stmt, msg);

    if (err == CHORALE_OK)
        sqlite3_bind_int64(*stmt, 1, system_id);
    return err;
}

static enum chorale_err delete_rows(struct chorale_store *store,
                                    const char *sql, sqlite3_int64 system_id,
                                    struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = prepare(store, sql, system_id, &stmt, msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(store, stmt, NULL, msg);
    sqlite3_finalize(stmt);
    return err;
}

static void bind_variant(sqlite3_stmt *stmt,
                         const struct chorale_model_variant *v)
{
    bind_text(stmt, 2, chorale_coll_info(v->alg->coll)->name);
    bind_text(stmt, 3, v->alg->name);
    bind_text(stmt, 4, v->shape);
    sqlite3_bind_int(stmt, 5, v->ppn);
}

static enum chorale_err insert_ranks(struct chorale_store *store,
                                     sqlite3_stmt *stmt,
                                     const struct chorale_model_variant *v,
                                     struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < v->nranks && err == CHORALE_OK; i++) {
        const struct chorale_model_ranks *r = &v->ranks[i];

        bind_variant(stmt, v);
        sqlite3_bind_int(stmt, 6, r->comm_size);
        sqlite3_bind_int64(stmt, 7, (sqlite3_int64)r->npoints);
        chorale_bind_finite(stmt, 8, r->error);
        chorale_bind_finite(stmt, 9, r->ahead);
        sqlite3_bind_int64(stmt, 10, (sqlite3_int64)r->m_lo);
        sqlite3_bind_int64(stmt, 11, (sqlite3_int64)r->m_hi);
        sqlite3_bind_int64(stmt, 12, (sqlite3_int64)r->m_max);
        err = chorale_store_step(store, stmt, NULL, msg);
    }
    return err;
}

static enum chorale_err insert_variants(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        const struct chorale_model *m,
                                        struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL, *ranks = NULL;
    enum chorale_err err;

    err = prepare(store, "INSERT INTO model_variant VALUES"
                  " (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)",
                  system_id, &stmt, msg);
    if (err == CHORALE_OK)
        err = prepare(store, "INSERT INTO model_ranks VALUES"
                      " (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
                      system_id, &ranks, msg);
    for (size_t i = 0; i < m->nvariant && err == CHORALE_OK; i++) {
        const struct chorale_model_variant *v = &m->variant[i];

        bind_variant(stmt, v);
        sqlite3_bind_int64(stmt, 6, (sqlite3_int64)v->npoints);
        sqlite3_bind_double(stmt, 7, v->median_error);
        sqlite3_bind_double(stmt, 8, v->worst_error);
        chorale_bind_finite(stmt, 9, v->loo_error);
        chorale_bind_finite(stmt, 10, v->lack);
        sqlite3_bind_double(stmt, 11, v->reach);
        sqlite3_bind_double(stmt, 12, v->reach_m);
        sqlite3_bind_int(stmt, 13, v->trusted);
        err = chorale_store_step(store, stmt, NULL, msg);
        if (err == CHORALE_OK)
            err = insert_ranks(store, ranks, v, msg);
    }
    sqlite3_finalize(stmt);
    sqlite3_finalize(ranks);
    return err;
}

enum chorale_err chorale_model_store(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     const struct chorale_model *model,
                                     struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt;
    enum chorale_err err = chorale_replace_begin(
        store, "DELETE FROM model WHERE system_id = ?1", system_id,
        "INSERT INTO model (system_id, level, regime, param, dtype, op, value,"
        " lo, hi, unit, npoints, error, worst_error, trusted, upto, ppn)"
        " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)",
        &stmt, msg);

    if (err == CHORALE_OK) {
        sqlite3_bind_int64(stmt, 1, system_id);
        err = insert_params(store, stmt, model, msg);
    }
    if (err == CHORALE_OK)
        err = insert_links(store, stmt, model, system_id, msg);
    if (err == CHORALE_OK)
        err = delete_rows(store, "DELETE FROM model_variant"
                          " WHERE system_id = ?1", system_id, msg);
    if (err == CHORALE_OK)
        err = delete_rows(store, "DELETE FROM model_ranks"
                          " WHERE system_id = ?1", system_id, msg);
    if (err == CHORALE_OK)
        err = insert_variants(store, system_id, model, msg);
    return chorale_replace_end(store, stmt, err, msg);
}
