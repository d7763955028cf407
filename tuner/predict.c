/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.c - see predict.h. */
#include "tuner/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/kinds.h"

#define MAX_TAU 64

struct tau {
    char dtype[32], op[32];
    double value;
};

struct chorale_predictor {
    double alpha, beta;
    struct tau tau[MAX_TAU];
    int ntau, trusted;
};

static void read_param(struct chorale_predictor *p, sqlite3_stmt *stmt)
{
    const char *param = (const char *)sqlite3_column_text(stmt, 0);
    double value = sqlite3_column_double(stmt, 3);

    p->trusted = sqlite3_column_int(stmt, 4);
    if (strcmp(param, "alpha") == 0)
        p->alpha = value;
    else if (strcmp(param, "beta") == 0)
        p->beta = value;
    else if (strcmp(param, "tau") == 0 && p->ntau < MAX_TAU) {
        struct tau *t = &p->tau[p->ntau++];

        snprintf(t->dtype, sizeof(t->dtype), "%s",
                 (const char *)sqlite3_column_text(stmt, 1));
        snprintf(t->op, sizeof(t->op), "%s",
                 (const char *)sqlite3_column_text(stmt, 2));
        t->value = value;
    }
}

enum chorale_err chorale_predictor_load(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        struct chorale_predictor **p,
                                        struct chorale_errmsg *msg)
{
    struct chorale_predictor *got = calloc(1, sizeof(*got));
    sqlite3_stmt *stmt = NULL;
    int row = 0, any = 0;
    enum chorale_err err;

    if (got == NULL)
        return chorale_fail(msg, CHORALE_ENV, "model: out of memory");
    err = chorale_store_prepare(store, "SELECT param, dtype, op, value,"
                                " trusted FROM model WHERE system_id = ?1",
                                &stmt, msg);
    if (err == CHORALE_OK)
        sqlite3_bind_int64(stmt, 1, system_id);
    while (err == CHORALE_OK &&
           (err = chorale_store_step(store, stmt, &row, msg)) == CHORALE_OK &&
           row) {
        read_param(got, stmt);
        any = 1;
    }
    sqlite3_finalize(stmt);
    if (err == CHORALE_OK) {
        *p = any ? got : NULL;
        got = any ? NULL : got;
    }
    free(got);
    return err;
}

void chorale_predictor_free(struct chorale_predictor *p)
{
    free(p);
}

double chorale_predict(struct chorale_predictor *p,
                       const struct chorale_alg *alg, const long *param,
                       const struct chorale_where *where)
{
    struct chorale_point pt = {
        .comm_size = where->comm_size, .msg_size = where->msg_size,
        .n = chorale_coll_n(where->coll, where->msg_size, where->comm_size),
        .type_size = chorale_dtype_size(where->dtype),
        .commutative = strcmp(where->op_class, "noncommutative") != 0,
        .ppn = strcmp(where->shape, "block") == 0 ? where->ppn : 0,
    };
    double a, b, c, tau = NAN;

    if (p == NULL)
        return NAN;
    memcpy(pt.param, param, sizeof(pt.param));
    if (chorale_alg_refuses(alg, &pt) != NULL ||
        !chorale_alg_modelled(alg, &pt))
        return NAN;
    for (int i = 0; i < p->ntau; i++)
        if (strcmp(p->tau[i].dtype, where->dtype) == 0 &&
            strcmp(p->tau[i].op, where->op) == 0)
            tau = p->tau[i].value;
    chorale_alg_cost_policy(alg, &pt, where->root_policy, &a, &b, &c);
    return a * p->alpha + b * p->beta + (c > 0 ? c * tau : 0);
}

int chorale_predict_may(struct chorale_predictor *p,
                        const struct chorale_alg *alg,
                        const struct chorale_where *where, char *why,
                        size_t size)
{
    (void)alg;
    if (p == NULL || !p->trusted || where->comm_size < 1) {
        snprintf(why, size, "%s", p == NULL ? "nothing is fitted"
                                            : "the model is not trusted");
        return 0;
    }
    return 1;
}
