/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_known.c - where a prediction may be relied on: see predict.h. */
#include "tuner/predict_known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of ranks at which rounds are counted, and how much more of them twice
 * as many ranks may need: less than twice as many. */
#define MANY 1024
#define LINEAR 1.8

/* One row of model_ranks. */
struct ranks {
    const struct chorale_alg *alg;
    char shape[16];
    int ppn, comm_size;
    size_t m_lo, m_hi, m_max;
    double reach, reach_m;   /* of the variant */
};

struct predict_known {
    struct ranks *row;       /* a variant's together, numbers of ranks rising */
    size_t count;
};

static void read_row(sqlite3_stmt *stmt, struct predict_known *known)
{
    const char *coll = (const char *)sqlite3_column_text(stmt, 0);
    const char *name = (const char *)sqlite3_column_text(stmt, 1);
    int found = chorale_coll_find(coll);
    struct ranks *r = &known->row[known->count];

    if (found < 0)
        return;
    r->alg = chorale_alg_find((enum chorale_coll)found, name);
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

enum chorale_err predict_known_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    struct predict_known **known_p,
                                    struct chorale_errmsg *msg)
{
    struct predict_known *got = calloc(1, sizeof(*got));
    sqlite3_stmt *stmt = NULL;
    size_t room = 0;
    int row = 0;
    enum chorale_err err = CHORALE_ENV;

    if (got == NULL)
        return chorale_fail(msg, CHORALE_ENV, "model: out of memory");
    err = chorale_store_prepare(
        store, "SELECT coll, variant, shape, ppn, comm_size, m_lo, m_hi,"
        " m_max, reach, reach_m FROM model_ranks JOIN model_variant"
        " USING (system_id, coll, variant, shape, ppn) WHERE system_id = ?1"
        " ORDER BY coll, variant, shape, ppn, comm_size", &stmt, msg);
    if (err == CHORALE_OK)
        sqlite3_bind_int64(stmt, 1, system_id);
    while (err == CHORALE_OK &&
           (err = chorale_store_step(store, stmt, &row, msg)) == CHORALE_OK &&
           row) {
        if (got->count == room) {
            struct ranks *more;

            room = 2 * room + 64;
            more = realloc(got->row, room * sizeof(*more));
            if (more == NULL) {
                err = chorale_fail(msg, CHORALE_ENV, "model: out of memory");
                break;
            }
            got->row = more;
        }
        read_row(stmt, got);
    }
    sqlite3_finalize(stmt);
    if (err == CHORALE_OK) {
        *known_p = got;
        got = NULL;
    }
    predict_known_free(got);
    return err;
}

void predict_known_free(struct predict_known *known)
{
    if (known == NULL)
        return;
    free(known->row);
    free(known);
}

static int is_here(const struct ranks *r, const struct chorale_alg *alg,
                   const struct chorale_where *w)
{
    if (r->alg != alg || strcmp(r->shape, w->shape) != 0)
        return 0;
    return strcmp(w->shape, "single-node") == 0 || r->ppn == w->ppn ||
           (strcmp(w->shape, "one-per-node") == 0 && r->ppn == 1);
}

/* Does it send Theta(P) messages one after the other? */
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

/* Was a block of that size foretold at that number of ranks, or is it no
 * farther beyond than half of what was? */
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

int predict_known_may(const struct predict_known *known,
                      const struct chorale_alg *alg,
                      const struct chorale_where *where, char *why,
                      size_t size)
{
    const struct ranks *below = NULL, *above = NULL;
    int p = where->comm_size;

    for (size_t i = 0; known != NULL && i < known->count; i++) {
        const struct ranks *r = &known->row[i];

        if (!is_here(r, alg, where))
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
    if (above == NULL && is_linear(alg, where))
        return no(why, size, "it was measured at up to %.0f ranks, and its "
                  "rounds grow with P", below->comm_size, 0);
    if (above == NULL && p > below->comm_size * below->reach / 2)
        return no(why, size, "it was measured at up to %.0f ranks, and "
                  "cross-validation allows %.3g times as many",
                  below->comm_size, below->reach > 2 ? below->reach / 2 : 1);
    if (!size_known(below, where->msg_size))
        return no(why, size, "at %.0f ranks blocks of %.0f bytes were not "
                  "foretold within 10 %%", below->comm_size,
                  (double)where->msg_size);
    if (above != NULL && !size_known(above, where->msg_size))
        return no(why, size, "at %.0f ranks blocks of %.0f bytes were not "
                  "foretold within 10 %%", above->comm_size,
                  (double)where->msg_size);
    return 1;
}
