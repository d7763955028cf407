/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_rows.c - load times of operations in memory, as rows of the fit. */
#include "tuner/model/memory_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char rows_sql[] =
    "SELECT key, ordinal, value FROM environment JOIN launch USING (launch_id)"
    " WHERE system_id = ?1 AND status <> 'failed' AND key GLOB 'memory_*_s:*'"
    " ORDER BY ordinal, uuid";

static const char *const prefix[CHORALE_MEMORY_KINDS] = {
    "memory_message_s:", "memory_exchange_s:", "memory_copy_s:",
};

/* Parse a key of table environment and its value. Returns 1, or 0 if they are
 * not such a time. */
static int parse(const char *key, const char *value,
                 struct chorale_memory_row *row)
{
    int kind = 0;
    char *end = NULL;

    while (kind < CHORALE_MEMORY_KINDS &&
           strncmp(key, prefix[kind], strlen(prefix[kind])) != 0)
        kind++;
    if (kind == CHORALE_MEMORY_KINDS)
        return 0;
    row->kind = (enum chorale_memory_kind)kind;
    row->bytes = strtoull(key + strlen(prefix[kind]), &end, 10);
    if (*end != '\0' || row->bytes == 0)
        return 0;
    row->seconds = strtod(value, NULL);
    return row->seconds > 0 && isfinite(row->seconds);
}

/* By kind, size and ordinal. Equal rows are ordered by seconds, so that one
 * database gives one order. */
static int by_size(const void *va, const void *vb)
{
    const struct chorale_memory_row *a = va, *b = vb;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->ordinal != b->ordinal)
        return a->ordinal < b->ordinal ? -1 : 1;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

enum chorale_err chorale_memory_rows_load(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          struct chorale_memory_row **row_p,
                                          size_t *count_p,
                                          struct chorale_errmsg *msg)
{
    struct chorale_memory_row *row = NULL, *more, one;
    sqlite3_stmt *stmt = NULL;
    size_t n = 0, room = 0;
    enum chorale_err err = chorale_store_query(
        store, rows_sql, CHORALE_FIELDS(system_id), &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        const char *key = (const char *)sqlite3_column_text(stmt, 0);
        const char *value = (const char *)sqlite3_column_text(stmt, 2);

        if (key == NULL || value == NULL || !parse(key, value, &one))
            continue;
        one.ordinal = sqlite3_column_int(stmt, 1);
        if (n == room) {
            room = room > 0 ? 2 * room : 64;
            more = realloc(row, room * sizeof(*row));
            if (more == NULL) {
                err = chorale_fail_memory(msg, chorale_store_path(store));
                break;
            }
            row = more;
        }
        row[n++] = one;
    }
    sqlite3_finalize(stmt);
    if (err != CHORALE_OK) {
        free(row);
        return err;
    }
    if (n > 0)
        qsort(row, n, sizeof(*row), by_size);
    *row_p = row;
    *count_p = n;
    return CHORALE_OK;
}

/* --- regimes ---------------------------------------------------------- */

/* Sum of the relative errors of the best line alpha + beta n, alpha and beta
 * >= 0, by least squares of relative errors. */
static double line_error(const double *bytes, const double *seconds, size_t n)
{
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0, a, b, sum = 0, det;

    for (size_t i = 0; i < n; i++) {
        double w = 1 / (seconds[i] * seconds[i]);

        s += w;
        sx += w * bytes[i];
        sxx += w * bytes[i] * bytes[i];
        sy += w * seconds[i];
        sxy += w * bytes[i] * seconds[i];
    }
    det = s * sxx - sx * sx;
    b = det > 0 ? (s * sxy - sx * sy) / det : 0;
    a = (sy - b * sx) / s;
    if (b < 0) {
        b = 0;
        a = sy / s;
    }
    if (a < 0) {
        a = 0;
        b = sxy / sxx;
    }
    for (size_t i = 0; i < n; i++)
        sum += fabs((a + b * bytes[i]) / seconds[i] - 1);
    return sum;
}

int chorale_memory_regimes(const double *bytes, const double *seconds,
                           size_t n, double *upto)
{
    /* By dynamic programming: least[j] is the sum for the first j sizes, whose
     * last regime begins at size from[j]. */
    double least[CHORALE_NET_REGIMES + 1] = { 0 };
    size_t from[CHORALE_NET_REGIMES + 1] = { 0 };
    int k = 0, r;

    if (n < 2 || n > CHORALE_NET_REGIMES)
        return 0;
    for (size_t j = 1; j <= n; j++) {
        least[j] = HUGE_VAL;
        for (size_t i = 0; i + 2 <= j; i++) {
            double sum = least[i] + CHORALE_MEMORY_WORTH +
                         line_error(bytes + i, seconds + i, j - i);

            if (sum < least[j]) {
                least[j] = sum;
                from[j] = i;
            }
        }
    }
    for (size_t j = n; j > 0; j = from[j])
        k++;
    r = k;
    for (size_t j = n; j > 0; j = from[j])
        upto[--r] = j < n ? floor(sqrt(bytes[j - 1] * bytes[j])) : HUGE_VAL;
    return k;
}
