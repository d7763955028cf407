/* SPDX-License-Identifier: BSD-3-Clause */
/* verify_c.c - checks a dispatch table against the decisions in the database.
 * It shares only the names of shapes with table.c, which builds the table, so
 * that both cannot have the same mistake. */
#include "config.h"

#include "tuner/emit/verify_c.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/alg_config.h"

/* One row; choice.params points into params. */
struct row {
    enum chorale_coll coll;
    int shape, ppn, from, to;
    unsigned long long n_lo, n_hi;
    struct chorale_choice choice;
    int unknown;             /* variant not in the catalogue */
    char params[160];
};

struct chorale_emit_check {
    struct row *row;         /* by collective, shape, ppn, n_lo, n_hi */
    size_t count, points;
};

static const struct chorale_choice library = {
    .provider = "library", .variant = "default", .params = "",
};

static const char rows_sql[] =
    "SELECT dtype, op, shape, ppn, comm_size, max(comm_size, comm_size_hi),"
    " n_lo, n_hi, provider, variant, params"
    " FROM decision WHERE system_id = ?1 AND coll = ?2"
    "  AND target = 'dispatch' AND op_class IN ('', 'builtin')"
    " ORDER BY dtype, op, shape, ppn, n_lo, n_hi";

/* Take the row's choice if the catalogue knows it, else the library's. */
static void take_choice(sqlite3_stmt *stmt, struct row *row)
{
    const struct chorale_alg_config config = chorale_alg_configure(
        row->coll, chorale_text(stmt, 9), chorale_text(stmt, 10));
    const struct chorale_alg *alg = config.alg;

    row->choice = library;
    if (strcmp(chorale_text(stmt, 8), "chorale") != 0 || alg == NULL ||
        chorale_alg_params_format(alg, config.value, row->params,
                                  sizeof(row->params)) >=
            (int)sizeof(row->params)) {
        row->params[0] = '\0';
        row->unknown = strcmp(chorale_text(stmt, 8), "chorale") == 0;
        return;
    }
    row->choice.provider = "chorale";
    row->choice.variant = alg->name;
    row->choice.nparam = alg->nparam;
    for (int i = 0; i < alg->nparam; i++) {
        row->choice.param_name[i] = alg->param[i].name;
        row->choice.param_value[i] = config.value[i];
    }
}

/* Returns 1 if the row can apply to some call. */
static int take_row(sqlite3_stmt *stmt, struct row *row)
{
    sqlite3_int64 from = sqlite3_column_int64(stmt, 4);
    sqlite3_int64 to = sqlite3_column_int64(stmt, 5);
    sqlite3_int64 lo = sqlite3_column_int64(stmt, 6);
    sqlite3_int64 hi = sqlite3_column_int64(stmt, 7);

    for (int i = 4; i <= 7; i++)
        if (sqlite3_column_type(stmt, i) != SQLITE_INTEGER)
            return 0;
    row->shape = chorale_emit_shape(chorale_text(stmt, 2));
    row->ppn = sqlite3_column_int(stmt, 3);
    row->from = (int)from;
    row->to = (int)to;
    row->n_lo = (unsigned long long)lo;
    row->n_hi = (unsigned long long)hi;
    take_choice(stmt, row);
    if (row->shape <= 0 || from < 1 || to > INT_MAX || lo < 0 || hi < lo)
        return 0;
    if (chorale_coll_info(row->coll)->blind) { /* callers do not know n */
        row->n_lo = 0;
        row->n_hi = ULLONG_MAX;
    }
    return 1;
}

/* Returns 1 for the type and operation that represent a collective if they are
 * measured. */
static int preferred(const char *dtype, const char *op)
{
    return *op == '\0' ? strcmp(dtype, "byte") == 0
                       : strcmp(op, "sum") == 0 && strcmp(dtype, "double") == 0;
}

static enum chorale_err load_coll(struct chorale_store *store,
                                  sqlite3_stmt *stmt, enum chorale_coll coll,
                                  struct chorale_emit_check *check,
                                  struct chorale_errmsg *msg)
{
    char dtype[64] = "", op[64] = "";
    size_t first = check->count;
    int any = 0;
    enum chorale_err err = CHORALE_OK;

    while (chorale_store_next(store, stmt, &err, msg)) {
        const char *my_dtype = chorale_text(stmt, 0);
        const char *my_op = chorale_text(stmt, 1);
        struct row row = { .coll = coll }, *more;

        if (!any || (preferred(my_dtype, my_op) && !preferred(dtype, op))) {
            snprintf(dtype, sizeof(dtype), "%s", my_dtype);
            snprintf(op, sizeof(op), "%s", my_op);
            check->count = first;
            any = 1;
        } else if (strncmp(dtype, my_dtype, sizeof(dtype) - 1) != 0 ||
                   strncmp(op, my_op, sizeof(op) - 1) != 0) {
            continue;
        }
        if (!take_row(stmt, &row))
            continue;
        more = realloc(check->row, (check->count + 1) * sizeof(*more));
        if (more == NULL)
            return chorale_fail_memory(msg, "generate");
        check->row = more;
        more[check->count++] = row;
    }
    return err;
}

/* --- expected answers ---------------------------------------------------- */

static int same(const struct chorale_choice *a, const struct chorale_choice *b)
{
    if (strcmp(a->provider, b->provider) != 0 ||
        strcmp(a->variant, b->variant) != 0 ||
        strcmp(a->params, b->params) != 0 || a->nparam != b->nparam)
        return 0;
    for (int i = 0; i < a->nparam; i++)
        if (strcmp(a->param_name[i], b->param_name[i]) != 0 ||
            a->param_value[i] != b->param_value[i])
            return 0;
    return 1;
}

static int same_set(const struct row *a, const struct row *b)
{
    return a->shape == b->shape && a->ppn == b->ppn;
}

/* The rows that hold for one process count, in the original order. */
struct here {
    const struct row **row;
    size_t count;
};

/* The choice by these rows for a shape; ppn > 0 selects blocks of so many ranks
 * a node. */
static const struct chorale_choice *says(const struct here *here, int shape,
                                         int ppn, unsigned long long n)
{
    const struct chorale_choice *all = NULL, *mine;

    for (size_t i = 0, end; i < here->count; i = end) {
        mine = &library;
        for (end = i; end < here->count &&
                      same_set(here->row[i], here->row[end]); end++)
            if (here->row[end]->n_lo <= n)
                mine = n <= here->row[end]->n_hi ? &here->row[end]->choice
                                                 : &library;
        if ((shape != CHORALE_SHAPE_UNKNOWN && here->row[i]->shape != shape) ||
            (ppn > 0 && here->row[i]->ppn != ppn))
            continue;
        if (all != NULL && !same(all, mine))
            return &library;
        all = mine;
    }
    return all != NULL ? all : &library;
}

/* --- points to query ---------------------------------------------------- */

struct asking {
    const struct chorale_emit_check *check;
    chorale_emit_answer *answer; /* NULL: count only */
    const void *from;
    size_t points;
    struct here here;
    unsigned long long *n;   /* capacity: 6 a row, and 2 */
    unsigned long long *ppn; /* ppn to query; capacity: 3 a row, and 1 */
    size_t nppn;
    int *block, least, most; /* ppn of the rows; capacity: 1 a row */
    size_t nblock;
};

static int compare(const void *a, const void *b)
{
    unsigned long long x = *(const unsigned long long *)a;
    unsigned long long y = *(const unsigned long long *)b;

    return (x > y) - (x < y);
}

/* Sort and remove duplicates; returns the new length. */
static size_t unique(unsigned long long *list, size_t count)
{
    size_t kept = 0;

    qsort(list, count, sizeof(*list), compare);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[kept++] = list[i];
    return kept;
}

/* List a border, the first n or P beyond a range, and its two neighbours. */
static size_t around(unsigned long long border, unsigned long long *list)
{
    size_t count = 0;

    if (border > 0)
        list[count++] = border - 1;
    list[count++] = border;
    list[count++] = border + 1;
    return count;
}

/* The expected answer. A ppn that was decided has its own rows. A ppn between
 * decided ones gets the choice they agree on, a ppn beyond them the library. */
static const struct chorale_choice *wanted(const struct asking *a, int shape,
                                           int ppn, unsigned long long n)
{
    if (ppn == 0 || shape != CHORALE_SHAPE_BLOCK)
        return says(&a->here, shape, 0, n);
    for (size_t i = 0; i < a->nblock; i++)
        if (a->block[i] == ppn)
            return says(&a->here, shape, ppn, n);
    return ppn < a->least || ppn > a->most ? &library
                                           : says(&a->here, shape, 0, n);
}

static enum chorale_err ask(struct asking *a, enum chorale_coll coll,
                            int shape, int ppn, unsigned long long n,
                            int comm_size, struct chorale_errmsg *msg)
{
    const struct chorale_choice *want = wanted(a, shape, ppn, n);
    struct chorale_choice got = library;

    a->points++;
    if (a->answer == NULL)
        return CHORALE_OK;
    a->answer(a->from, coll, (enum chorale_shape)shape, ppn, n, comm_size,
              &got);
    if (same(want, &got))
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_DATA, "%s at P = %d and n = %llu, shape "
                        "%s, %d a node: the table answers %s %s%s%s, but "
                        "decided is %s %s%s%s; no file was written, report it",
                        chorale_coll_info(coll)->name, comm_size, n,
                        chorale_emit_shape_name((enum chorale_shape)shape),
                        ppn, got.provider, got.variant,
                        *got.params != '\0' ? ":" : "", got.params,
                        want->provider, want->variant,
                        *want->params != '\0' ? ":" : "", want->params);
}

/* Query all n of one process count: the borders of rows that hold for it, or
 * that end just before or begin just after it. */
static enum chorale_err ask_size(struct asking *a, const struct row *row,
                                 size_t count, long long comm_size,
                                 struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    size_t n = 0;

    a->here.count = 0;
    a->n[n++] = 0;
    a->n[n++] = ULLONG_MAX;
    for (size_t i = 0; i < count; i++) {
        if (row[i].from > comm_size + 1 || row[i].to < comm_size - 1)
            continue;
        n += around(row[i].n_lo, a->n + n);
        n += around(row[i].n_hi + 1, a->n + n);
        if (row[i].from <= comm_size && row[i].to >= comm_size)
            a->here.row[a->here.count++] = &row[i];
    }
    n = unique(a->n, n);
    for (size_t i = 0; i < n && err == CHORALE_OK; i++) {
        for (int s = 0; s < CHORALE_EMIT_SHAPES && err == CHORALE_OK; s++)
            err = ask(a, row->coll, s, 0, a->n[i], (int)comm_size, msg);
        for (size_t k = 0; k < a->nppn && err == CHORALE_OK; k++)
            err = ask(a, row->coll, CHORALE_SHAPE_BLOCK, (int)a->ppn[k],
                      a->n[i], (int)comm_size, msg);
    }
    return err;
}

/* Collect the ppn values of blocks, and the ppn values to query. */
static void find_blocks(struct asking *a, const struct row *row, size_t count)
{
    size_t n = 0;

    a->nblock = 0;
    a->least = INT_MAX;
    a->most = 0;
    a->ppn[n++] = 1;
    for (size_t i = 0; i < count; i++) {
        if (row[i].shape != CHORALE_SHAPE_BLOCK || row[i].ppn < 1 ||
            row[i].ppn == INT_MAX)
            continue;
        a->block[a->nblock++] = row[i].ppn;
        a->least = row[i].ppn < a->least ? row[i].ppn : a->least;
        a->most = row[i].ppn > a->most ? row[i].ppn : a->most;
        n += around((unsigned long long)row[i].ppn, a->ppn + n);
    }
    a->nppn = unique(a->ppn, n);
    if (a->ppn[0] == 0) {    /* 0 means unknown */
        memmove(a->ppn, a->ppn + 1, (a->nppn - 1) * sizeof(*a->ppn));
        a->nppn--;
    }
}

static int same_choice(const struct chorale_choice *a,
                       const struct chorale_choice *b)
{
    if (strcmp(a->provider, b->provider) != 0 ||
        strcmp(a->variant, b->variant) != 0 || a->nparam != b->nparam)
        return 0;
    for (int i = 0; i < a->nparam; i++)
        if (a->param_value[i] != b->param_value[i])
            return 0;
    return 1;
}

/* Fail if two rows begin at the same n, which leaves the choice open. */
static enum chorale_err check_apart(const struct asking *a,
                                    const char *path,
                                    struct chorale_errmsg *msg)
{
    for (size_t i = 1; i < a->here.count; i++) {
        const struct row *x = a->here.row[i - 1], *y = a->here.row[i];

        if (!same_set(x, y) || x->n_lo != y->n_lo)
            continue;
        if (chorale_coll_info(x->coll)->blind) {
            if (same_choice(&x->choice, &y->choice))
                continue;
            return chorale_fail(msg, CHORALE_DATA, "%s: two decisions on %s at"
                                " P = %d, whose ranks do not know n; run"
                                " `chorale decide` again", path,
                                chorale_coll_info(x->coll)->name,
                                x->from > y->from ? x->from : y->from);
        }
        return chorale_fail(msg, CHORALE_DATA, "%s: two decisions on %s at"
                            " P = %d and n = %llu; run `chorale decide` again",
                            path, chorale_coll_info(x->coll)->name,
                            x->from > y->from ? x->from : y->from, x->n_lo);
    }
    return CHORALE_OK;
}

static enum chorale_err ask_coll(struct asking *a, const struct row *row,
                                 size_t count, const char *path,
                                 struct chorale_errmsg *msg)
{
    unsigned long long *size = calloc(6 * count, sizeof(*size));
    enum chorale_err err = size != NULL ? CHORALE_OK
                                        : chorale_fail_memory(msg, "generate");
    size_t n = 0;

    find_blocks(a, row, count);
    for (size_t i = 0; i < count && size != NULL; i++) {
        n += around((unsigned long long)row[i].from, size + n);
        n += around((unsigned long long)row[i].to + 1, size + n);
    }
    n = size != NULL ? unique(size, n) : 0;
    for (size_t i = 0; i < n && err == CHORALE_OK; i++) {
        if (size[i] <= INT_MAX)
            err = ask_size(a, row, count, (long long)size[i], msg);
        if (err == CHORALE_OK && path != NULL)
            err = check_apart(a, path, msg);
    }
    free(size);
    return err;
}

/* Query all collectives. With the path of the database, for messages, also look
 * for contradicting rows. */
static enum chorale_err ask_all(struct asking *a, const char *path,
                                struct chorale_errmsg *msg)
{
    const struct chorale_emit_check *check = a->check;
    enum chorale_err err = CHORALE_OK;

    a->here.row = calloc(check->count + 1, sizeof(*a->here.row));
    a->n = calloc(6 * check->count + 2, sizeof(*a->n));
    a->ppn = calloc(3 * check->count + 1, sizeof(*a->ppn));
    a->block = calloc(check->count + 1, sizeof(*a->block));
    if (a->here.row == NULL || a->n == NULL || a->ppn == NULL ||
        a->block == NULL)
        err = chorale_fail_memory(msg, "generate");
    for (size_t i = 0, end; i < check->count && err == CHORALE_OK; i = end) {
        for (end = i; end < check->count &&
                      check->row[end].coll == check->row[i].coll; end++)
            continue;
        err = ask_coll(a, check->row + i, end - i, path, msg);
    }
    free(a->here.row);
    free(a->n);
    free(a->ppn);
    free(a->block);
    return err;
}

enum chorale_err chorale_emit_check_load(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         struct chorale_emit_check **check_p,
                                         struct chorale_errmsg *msg)
{
    struct chorale_emit_check *check = calloc(1, sizeof(*check));
    struct asking counting = { .check = check };
    enum chorale_err err = CHORALE_OK;

    *check_p = check;
    if (check == NULL)
        return chorale_fail_memory(msg, "generate");
    for (int i = 0; i < CHORALE_NCOLL && err == CHORALE_OK; i++) {
        sqlite3_stmt *stmt = NULL;

        err = chorale_store_query(
            store, rows_sql,
            CHORALE_FIELDS(system_id,
                           chorale_coll_info((enum chorale_coll)i)->name),
            &stmt, msg);
        if (err == CHORALE_OK)
            err = load_coll(store, stmt, (enum chorale_coll)i, check, msg);
        sqlite3_finalize(stmt);
    }
    for (size_t i = 0; i < check->count; i++) /* realloc moved the rows */
        check->row[i].choice.params = check->row[i].params;
    if (err == CHORALE_OK)
        err = ask_all(&counting, chorale_store_path(store), msg);
    check->points = counting.points;
    return err;
}

void chorale_emit_check_free(struct chorale_emit_check *check)
{
    if (check != NULL)
        free(check->row);
    free(check);
}

size_t chorale_emit_check_unknown(const struct chorale_emit_check *check)
{
    size_t count = 0;

    for (size_t i = 0; i < check->count; i++)
        count += check->row[i].unknown != 0;
    return count;
}

size_t chorale_emit_check_points(const struct chorale_emit_check *check)
{
    return check->points;
}

void chorale_emit_check_table(const void *from, enum chorale_coll coll,
                              enum chorale_shape shape, int ppn,
                              unsigned long long n, int comm_size,
                              struct chorale_choice *got)
{
    const struct chorale_emit_table *table = from;
    size_t i = chorale_emit_select(table, coll, shape, ppn, n, comm_size);
    const struct chorale_emit_choice *c = &table->choice[i];

    if (c->alg == NULL)
        return;
    *got = (struct chorale_choice){ .provider = "chorale",
                                    .variant = c->alg->name,
                                    .params = c->params,
                                    .nparam = c->alg->nparam };
    for (int p = 0; p < c->alg->nparam; p++) {
        got->param_name[p] = c->alg->param[p].name;
        got->param_value[p] = c->value[p];
    }
}

enum chorale_err chorale_emit_check(const struct chorale_emit_check *check,
                                    chorale_emit_answer *answer,
                                    const void *from,
                                    struct chorale_errmsg *msg)
{
    struct asking a = { .check = check, .answer = answer, .from = from };

    return ask_all(&a, NULL, msg);
}

static void widen(struct chorale_hull *hull, const struct row *row)
{
    const int none = hull->comm_size_hi == 0;

    if (none || row->from < hull->comm_size_lo)
        hull->comm_size_lo = row->from;
    if (none || row->n_lo < hull->n_lo)
        hull->n_lo = row->n_lo;
    if (row->to > hull->comm_size_hi)
        hull->comm_size_hi = row->to;
    if (row->n_hi > hull->n_hi)
        hull->n_hi = row->n_hi;
}

static const struct chorale_selector *
find_selector(const struct chorale_table *table, enum chorale_coll coll)
{
    for (int i = 0; i < table->nselector; i++)
        if (chorale_coll_find(table->selector[i].coll) == (int)coll)
            return &table->selector[i];
    return NULL;
}

/* A chorale_emit_answer: from is a struct chorale_table. */
static void ask_compiled(const void *from, enum chorale_coll coll,
                         enum chorale_shape shape, int ppn,
                         unsigned long long n, int comm_size,
                         struct chorale_choice *got)
{
    const struct chorale_selector *s = find_selector(from, coll);

    if (s == NULL)
        return;
    if (ppn > 0)
        *got = *s->select_ppn((size_t)n, comm_size, shape, ppn);
    else if (shape != CHORALE_SHAPE_UNKNOWN)
        *got = *s->select_shape((size_t)n, comm_size, shape);
    else
        *got = *s->select((size_t)n, comm_size);
}

static enum chorale_err check_hulls(const struct chorale_emit_check *check,
                                    const struct chorale_table *table,
                                    struct chorale_errmsg *msg)
{
    for (int i = 0; i < CHORALE_NCOLL; i++) {
        const struct chorale_selector *s =
            find_selector(table, (enum chorale_coll)i);
        struct chorale_hull want = { 0, 0, 0, 0 };
        struct chorale_hull hull = s != NULL ? s->hull : want;

        for (size_t r = 0; r < check->count; r++)
            if ((int)check->row[r].coll == i)
                widen(&want, &check->row[r]);
        if (want.comm_size_lo != hull.comm_size_lo ||
            want.comm_size_hi != hull.comm_size_hi ||
            want.n_lo != hull.n_lo || want.n_hi != hull.n_hi)
            return chorale_fail(msg, CHORALE_DATA, "%s is decided at P = %d "
                                "... %d, n = %llu ... %llu, but the file has "
                                "another range; no file was written, report it",
                                chorale_coll_info((enum chorale_coll)i)->name,
                                want.comm_size_lo, want.comm_size_hi,
                                want.n_lo, want.n_hi);
    }
    return CHORALE_OK;
}

enum chorale_err chorale_emit_check_compiled(
    const struct chorale_emit_check *check, const struct chorale_table *table,
    struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_emit_check(check, ask_compiled, table, msg);

    return err == CHORALE_OK ? check_hulls(check, table, msg) : err;
}
