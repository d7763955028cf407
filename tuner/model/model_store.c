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

static const char *unit(const char *param)
{
    if (strcmp(param, "beta") == 0 || strcmp(param, "tau") == 0 ||
        strcmp(param, "copy") == 0 || strcmp(param, "cold") == 0)
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
    return chorale_store_put(
        store, stmt, 2,
        CHORALE_FIELDS(p->level, regime, p->name,
                       p->tau >= 0 ? m->tau[p->tau].dtype : "",
                       p->tau >= 0 ? m->tau[p->tau].op : "", p->value, p->lo,
                       p->hi, unit(p->name), m->npoints, m->fit.median_error,
                       m->fit.worst_error, m->trusted, p->upto, p->ppn), msg);
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

    ports.level = CHORALE_MODEL_COPIED;
    ports.value = fmin(m->net.copied_upto, CHORALE_MODEL_OVERLAPPED);
    if (m->net.copied_upto > 0 && err == CHORALE_OK)
        err = insert_param(store, stmt, m, &ports, msg);

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
    struct chorale_wiring_measured seen[CHORALE_LINKS_SEEN];
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

static enum chorale_err insert_ranks(struct chorale_store *store,
                                     sqlite3_stmt *stmt,
                                     const struct chorale_model_variant *v,
                                     struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < v->nranks && err == CHORALE_OK; i++) {
        const struct chorale_model_ranks *r = &v->ranks[i];

        err = chorale_store_put(
            store, stmt, 2,
            CHORALE_FIELDS(chorale_coll_info(v->alg->coll)->name, v->alg->name,
                           v->shape, v->ppn, r->comm_size, r->npoints,
                           r->error, r->ahead, r->m_lo, r->m_hi, r->m_max),
            msg);
    }
    return err;
}

static enum chorale_err insert_variants(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        const struct chorale_model *m,
                                        struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL, *ranks = NULL;
    enum chorale_err err = chorale_store_query(
        store, "INSERT INTO model_variant VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
        CHORALE_FIELDS(system_id), &stmt, msg);

    if (err == CHORALE_OK)
        err = chorale_store_query(
            store, "INSERT INTO model_ranks VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            CHORALE_FIELDS(system_id), &ranks, msg);
    for (size_t i = 0; i < m->nvariant && err == CHORALE_OK; i++) {
        const struct chorale_model_variant *v = &m->variant[i];

        err = chorale_store_put(
            store, stmt, 2,
            CHORALE_FIELDS(chorale_coll_info(v->alg->coll)->name, v->alg->name,
                           v->shape, v->ppn, v->npoints, v->median_error,
                           v->worst_error, v->loo_error, v->lack, v->reach,
                           v->reach_m, v->trusted), msg);
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

    if (err == CHORALE_OK)
        err = insert_params(store, stmt, model, msg);
    if (err == CHORALE_OK)
        err = insert_links(store, stmt, model, system_id, msg);
    if (err == CHORALE_OK)
        err = chorale_store_run(
            store, "DELETE FROM model_variant WHERE system_id = ?1",
            CHORALE_FIELDS(system_id), msg);
    if (err == CHORALE_OK)
        err = chorale_store_run(
            store, "DELETE FROM model_ranks WHERE system_id = ?1",
            CHORALE_FIELDS(system_id), msg);
    if (err == CHORALE_OK)
        err = insert_variants(store, system_id, model, msg);
    return chorale_replace_end(store, stmt, err, msg);
}
