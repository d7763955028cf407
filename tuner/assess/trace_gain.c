/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_gain.c - applies measured ratios of a table's choices to traced
 * times. */
#include "config.h"

#include "db/byte_buffer.h"
#include "tuner/assess/trace_gain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/assess/evaluate.h"

/* Type and operation matter for reductions only; other collectives move bytes.
 * A mean block may be rounded up to whole elements. */
static int same_point(const struct chorale_run_point *p, const char *shape,
                      const struct chorale_gain_point *g)
{
    const struct chorale_coll_info *info = chorale_coll_info(p->coll);
    const long long size = (long long)chorale_run_type_size(p);

    if (strcmp(info->name, g->coll) != 0 || p->comm_size != g->comm_size
        || strcmp(p->shape, shape) != 0
        || (long long)p->msg_size != (g->msg_size + size - 1) / size * size)
        return 0;
    return !info->reduces
        || (strcmp(p->dtype, g->dtype) == 0 && strcmp(p->op, g->op) == 0);
}

static void judge(struct chorale_gain_point *g, const char *shape,
                  const struct chorale_verdict *v, size_t count)
{
    g->ratio = 1;
    if (g->kind == CHORALE_GAIN_TUNED)
        return;
    for (size_t i = 0; i < count; i++) {
        if (!same_point(v[i].point, shape, g) || !isfinite(v[i].seconds))
            continue;
        snprintf(g->choice, sizeof(g->choice), "%s", v[i].choice);
        g->kind = v[i].tuned ? CHORALE_GAIN_TABLE : CHORALE_GAIN_LIBRARY;
        if (v[i].tuned)
            g->ratio = v[i].seconds / v[i].library_seconds;
        return;
    }
}

static enum chorale_err append(struct chorale_gain *gain,
                               const struct chorale_gain_point *point,
                               struct chorale_errmsg *msg)
{
    void *more = chorale_array_grow(gain->point, gain->count, sizeof(*point));

    if (more == NULL)
        return chorale_fail_memory(msg, NULL);
    gain->point = more;
    gain->point[gain->count++] = *point;
    gain->seconds += point->seconds;
    gain->won += point->won;
    if (point->kind == CHORALE_GAIN_TABLE
        || point->kind == CHORALE_GAIN_LIBRARY)
        gain->covered += point->seconds;
    return CHORALE_OK;
}

#define TRACED                                                               \
    "SELECT p.coll, p.dtype, p.op, p.ran, p.n, p.msg_size, p.comm_size,"     \
    "       sum(p.seconds / t.ranks), p.shape"                               \
    "  FROM trace_point p JOIN trace t USING (trace_id)"                     \
    " GROUP BY p.coll, p.dtype, p.op, p.ran = 'library', p.n, p.msg_size,"   \
    "          p.comm_size, p.shape"                                         \
    " ORDER BY 8 DESC, 1, 7, 5"

static enum chorale_err add_points(struct chorale_store *store,
                                   const struct chorale_verdict *verdict,
                                   size_t count, struct chorale_gain *gain,
                                   struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_prepare(store, TRACED, &s, msg);

    while (chorale_store_next(store, s, &err, msg)) {
        struct chorale_gain_point g = { .kind = CHORALE_GAIN_UNKNOWN };

        snprintf(g.coll, sizeof(g.coll), "%s", chorale_text(s, 0));
        snprintf(g.dtype, sizeof(g.dtype), "%s", chorale_text(s, 1));
        snprintf(g.op, sizeof(g.op), "%s", chorale_text(s, 2));
        snprintf(g.choice, sizeof(g.choice), "%s", chorale_text(s, 3));
        if (strcmp(g.choice, "library") != 0)
            g.kind = CHORALE_GAIN_TUNED;
        g.n = sqlite3_column_int64(s, 4);
        g.msg_size = sqlite3_column_int64(s, 5);
        g.comm_size = sqlite3_column_int(s, 6);
        g.seconds = sqlite3_column_double(s, 7);
        judge(&g, chorale_text(s, 8), verdict, count);
        g.won = g.seconds * (1 - g.ratio);
        err = append(gain, &g, msg);
    }
    sqlite3_finalize(s);
    return err;
}

static enum chorale_err load_wall(struct chorale_store *store, double *wall,
                                  struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_prepare(
        store, "SELECT total(wall_mean) FROM trace", &s, msg);

    if (chorale_store_next(store, s, &err, msg))
        *wall = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return err;
}

enum chorale_err chorale_gain_load(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   struct chorale_gain *gain,
                                   struct chorale_errmsg *msg)
{
    struct chorale_points points = { .row = NULL };
    struct chorale_verdict *verdict = NULL;
    struct chorale_emit_table table;
    size_t count = 0;
    enum chorale_err err;

    memset(gain, 0, sizeof(*gain));
    memset(&table, 0, sizeof(table));
    err = chorale_emit_load(store, system_id, &table, msg);
    if (err == CHORALE_OK)
        err = chorale_points_load(store, system_id, &points, msg);
    if (err == CHORALE_OK)
        err = chorale_evaluate(&table, &points, 1, &verdict, &count, msg);
    if (err == CHORALE_OK)
        err = add_points(store, verdict, count, gain, msg);
    if (err == CHORALE_OK)
        err = load_wall(store, &gain->wall, msg);
    if (err == CHORALE_OK && gain->count == 0)
        err = chorale_fail(msg, CHORALE_DATA, "%s: it has no traced point; "
                           "run `chorale import` to read a trace",
                           chorale_store_path(store));
    free(verdict);
    chorale_points_release(&points);
    chorale_emit_release(&table);
    return err;
}

void chorale_gain_release(struct chorale_gain *gain)
{
    free(gain->point);
    gain->point = NULL;
    gain->count = 0;
}
