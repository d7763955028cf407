/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_valid.c - decide whether a prediction may be used. */
#include "tuner/model/predict_valid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A variant is linear in P if twice MANY ranks need LINEAR times the rounds. */
#define MANY 1024
#define LINEAR 1.8

/* One row of model_ranks. */
struct ranks {
    const struct chorale_alg *alg;
    char shape[16];
    int ppn, comm_size;
    size_t m_lo, m_hi, m_max;
    double reach, reach_m;   /* as in struct chorale_model_variant */
};

/* A variant whose model lacks fit. */
struct lacking {
    const struct chorale_alg *alg;
    char shape[16];
    int ppn;
    double p, worst;
};

struct chorale_crossval {
    struct ranks *row;       /* grouped by variant, ascending comm_size */
    size_t count;
    struct lacking *lacking;
    size_t nlacking;
    int doubtful;
};

static const struct chorale_alg *alg_of(sqlite3_stmt *stmt)
{
    int coll = chorale_coll_find((const char *)sqlite3_column_text(stmt, 0));

    return coll < 0 ? NULL
                    : chorale_alg_find((enum chorale_coll)coll, (const char *)
                                       sqlite3_column_text(stmt, 1));
}

/* Make room for one more row and lacking; grows at powers of two. -1: out of
 * memory. */
static int make_room(struct chorale_crossval *known)
{
    size_t n = known->count + known->nlacking;
    void *more;

    if ((n & (n - 1)) != 0)
        return 0;
    more = realloc(known->row, (2 * n + 1) * sizeof(*known->row));
    if (more == NULL)
        return -1;
    known->row = more;
    more = realloc(known->lacking, (2 * n + 1) * sizeof(*known->lacking));
    if (more == NULL)
        return -1;
    known->lacking = more;
    return 0;
}

static void read_row(sqlite3_stmt *stmt, struct chorale_crossval *known)
{
    struct ranks *r = &known->row[known->count];

    r->alg = alg_of(stmt);
    if (r->alg == NULL)
        return;
    snprintf(r->shape, sizeof(r->shape), "%s",
             (const char *)sqlite3_column_text(stmt, 2));
    r->ppn = sqlite3_column_int(stmt, 3);
    r->comm_size = sqlite3_column_int(stmt, 4);
    r->m_lo = (size_t)sqlite3_column_int64(stmt, 5);
    r->m_hi = (size_t)sqlite3_column_int64(stmt, 6);
    r->m_max = (size_t)sqlite3_column_int64(stmt, 7);
    r->reach = sqlite3_column_double(stmt, 8);
    r->reach_m = sqlite3_column_double(stmt, 9);
    known->count++;
}

static void read_lacking(sqlite3_stmt *stmt, struct chorale_crossval *known)
{
    const char *shape = (const char *)sqlite3_column_text(stmt, 2);
    struct lacking *l = &known->lacking[known->nlacking];

    *l = (struct lacking){
        .alg = alg_of(stmt), .ppn = sqlite3_column_int(stmt, 3),
        .p = sqlite3_column_double(stmt, 4),
        .worst = sqlite3_column_double(stmt, 5),
    };
    snprintf(l->shape, sizeof(l->shape), "%s", shape);
    known->nlacking += l->alg != NULL;
}

static const char ranks_sql[] =
    "SELECT coll, variant, shape, ppn, comm_size, m_lo, m_hi, m_max, reach,"
    " reach_m FROM model_ranks JOIN model_variant"
    " USING (system_id, coll, variant, shape, ppn) WHERE system_id = ?1"
    " ORDER BY coll, variant, shape, ppn, comm_size";
static const char lacking_sql[] =
    "SELECT coll, variant, shape, ppn, lack, worst_error FROM model_variant"
    " WHERE system_id = ?1 AND lack < ?2 AND worst_error > ?3";

/* Read the rows of a query, growing the arrays as needed. */
static enum chorale_err load(struct chorale_store *store, const char *sql,
                             sqlite3_int64 system_id,
                             void (*read)(sqlite3_stmt *stmt,
                                          struct chorale_crossval *known),
                             struct chorale_crossval *known,
                             struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, sql,
        CHORALE_FIELDS(system_id, CHORALE_MODEL_LACK, CHORALE_PREDICT_BOUND),
        &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        if (make_room(known) == 0)
            read(stmt, known);
        else
            err = chorale_fail_memory(msg, "model");
    }
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_crossval_load(struct chorale_store *store,
                                       sqlite3_int64 system_id, int doubtful,
                                       struct chorale_crossval **known_p,
                                       struct chorale_errmsg *msg)
{
    struct chorale_crossval *got = calloc(1, sizeof(*got));
    enum chorale_err err;

    if (got == NULL)
        return chorale_fail_memory(msg, "model");
    got->doubtful = doubtful;
    err = load(store, ranks_sql, system_id, read_row, got, msg);
    if (err == CHORALE_OK)
        err = load(store, lacking_sql, system_id, read_lacking, got, msg);
    if (err == CHORALE_OK) {
        *known_p = got;
        got = NULL;
    }
    chorale_crossval_free(got);
    return err;
}

void chorale_crossval_free(struct chorale_crossval *known)
{
    if (known == NULL)
        return;
    free(known->row);
    free(known->lacking);
    free(known);
}

struct chorale_crossval *chorale_crossval_of(const struct chorale_model *model)
{
    struct chorale_crossval *got = calloc(1, sizeof(*got));

    for (size_t i = 0; got != NULL && i < model->nvariant; i++) {
        const struct chorale_model_variant *v = &model->variant[i];
        struct lacking *l;

        if (!v->lacks)
            continue;
        if (make_room(got) != 0) {
            chorale_crossval_free(got);
            return NULL;
        }
        l = &got->lacking[got->nlacking++];
        *l = (struct lacking){ v->alg, "", v->ppn, v->lack, v->worst_error };
        snprintf(l->shape, sizeof(l->shape), "%s", v->shape);
    }
    return got;
}

static int placement_matches(const char *shape, int ppn,
                             const struct chorale_where *w)
{
    return strcmp(shape, w->shape) == 0 &&
           (strcmp(shape, "single-node") == 0 || ppn == w->ppn ||
            (strcmp(shape, "one-per-node") == 0 && ppn == 1));
}

/* Whether the variant sends Theta(P) messages one after the other. */
static int is_linear(const struct chorale_alg *alg,
                     const struct chorale_where *w)
{
    double messages[2], bytes, reduced;

    for (int i = 0; i < 2; i++) {
        struct chorale_term term[CHORALE_MAX_TERM];
        struct chorale_point pt = {
            .comm_size = MANY << i, .msg_size = 1, .type_size = 1,
            .n = chorale_coll_n(alg->coll, 1, MANY << i), .commutative = 1,
            .ppn = strcmp(w->shape, "block") == 0 ? w->ppn : 0,
        };

        for (int k = 0; k < alg->nparam; k++)
            pt.param[k] = alg->param[k].def;
        chorale_term_sums(term, alg->cost(&pt, term), &messages[i], &bytes,
                          &reduced);
    }
    return messages[1] > LINEAR * messages[0];
}

/* Whether block size m was predicted at that process count, or lies within half
 * the ratio that was predicted beyond the largest size. */
static int size_known(const struct ranks *r, size_t m)
{
    if (r->m_lo > r->m_hi || m < r->m_lo)
        return 0;
    return m <= r->m_hi ||
           (r->m_hi == r->m_max &&
            (double)m <= (double)r->m_max * r->reach_m / 2);
}

static int no(char *why, size_t size, const char *format, double a, double b)
{
    char text[160];

    snprintf(text, sizeof(text), format, a, b);
    if (size > 0)
        snprintf(why, size, "%s", text);
    return 0;
}

int chorale_crossval_lacks(const struct chorale_crossval *known,
                           const struct chorale_alg *alg,
                           const struct chorale_where *where, char *why,
                           size_t size)
{
    for (size_t i = 0; known != NULL && i < known->nlacking; i++) {
        const struct lacking *l = &known->lacking[i];

        if (l->alg != alg || !placement_matches(l->shape, l->ppn, where))
            continue;
        no(why, size, "its model lacks fit (p = %.2g, off by up to %.0f %%)",
           l->p, 100 * l->worst);
        return 1;
    }
    return 0;
}

int chorale_crossval_may(const struct chorale_crossval *known,
                         const struct chorale_alg *alg,
                         const struct chorale_where *where, char *why,
                         size_t size)
{
    const struct ranks *below = NULL, *above = NULL;
    int p = where->comm_size;

    for (size_t i = 0; known != NULL && i < known->count; i++) {
        const struct ranks *r = &known->row[i];

        if (r->alg != alg || !placement_matches(r->shape, r->ppn, where))
            continue;
        if (r->comm_size <= p)
            below = r;
        if (r->comm_size >= p && above == NULL)
            above = r;
    }
    if (below == NULL && above == NULL)
        return no(why, size, "it was not measured in this shape", 0, 0);
    if (below == NULL)
        return no(why, size, "the fewest ranks measured are %.0f",
                  above->comm_size, 0);
    if (below->comm_size < p || where->msg_size > below->m_max) {
        if (known->doubtful)
            return no(why, size, "the model as a whole is not trusted", 0, 0);
        if (chorale_crossval_lacks(known, alg, where, why, size))
            return 0;
    }
    if (above == NULL && is_linear(alg, where))
        return no(why, size, "it was measured at up to %.0f ranks, and its "
                  "rounds grow with P", below->comm_size, 0);
    if (above == NULL && p > below->comm_size * below->reach / 2)
        return no(why, size, "it was measured at up to %.0f ranks, and "
                  "cross-validation allows %.3g times as many",
                  below->comm_size, below->reach > 2 ? below->reach / 2 : 1);
    if (!size_known(below, where->msg_size))
        return no(why, size, "at %.0f ranks blocks of %.0f bytes were not "
                  "predicted within 10 %%", below->comm_size,
                  (double)where->msg_size);
    if (above != NULL && !size_known(above, where->msg_size))
        return no(why, size, "at %.0f ranks blocks of %.0f bytes were not "
                  "predicted within 10 %%", above->comm_size,
                  (double)where->msg_size);
    return 1;
}
