/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_consistency.c - check a plan against the existing cells, and its number
 * of launches. */
#include "tuner/decide/decide.h"
#include "tuner/plan/plan.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 6           /* default on real systems */

/* Cells at the points of campaign ?1, with the campaigns by which they were
 * planned or measured. In simulation --sync has no effect. */
#define OTHERS                                                               \
    "WITH now AS (SELECT * FROM campaign WHERE campaign_id = ?1),"           \
    " c AS (SELECT c.* FROM cell n JOIN cell c"                              \
    "    ON c.system_id = n.system_id AND c.coll = n.coll"                   \
    "   AND c.comm_size = n.comm_size AND c.msg_size = n.msg_size"           \
    "   AND c.ppn = n.ppn AND c.shape = n.shape AND c.dtype = n.dtype"       \
    "   AND c.op = n.op AND c.root_policy = n.root_policy"                   \
    "   AND c.buffers = n.buffers AND c.arrival = n.arrival"                 \
    "   AND c.siblings = n.siblings AND c.metric = n.metric"                 \
    "  WHERE n.campaign_id = ?1 AND n.provider = 'library'"                  \
    "    AND n.variant = 'default'),"                                        \
    " w AS (SELECT c.coll, c.msg_size, c.comm_size, c.campaign_id,"          \
    "              'planned' AS state FROM c"                                \
    "  UNION ALL"                                                            \
    "  SELECT c.coll, c.msg_size, c.comm_size, l.campaign_id, 'measured'"    \
    "    FROM c JOIN run r USING (cell_id) JOIN launch l USING (launch_id)"  \
    "   WHERE r.status = 'ok')"                                              \
    "SELECT w.coll, w.msg_size, w.comm_size, w.state, k.sync, k.batch"       \
    "  FROM w JOIN campaign k ON k.campaign_id = w.campaign_id, now"         \
    " WHERE k.batch <> now.batch"                                            \
    "    OR (k.sync <> now.sync AND now.launcher <> 'smpirun') LIMIT 1"

enum chorale_err chorale_plan_before(struct chorale_store *store,
                                     struct chorale_errmsg *msg)
{
    return chorale_store_exec(store, "CREATE TEMP TABLE plan_before AS"
                                     " SELECT cell_id, campaign_id FROM cell",
                              msg);
}

enum chorale_err chorale_plan_alike(struct chorale_store *store,
                                    sqlite3_int64 campaign,
                                    struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_query(
        store, OTHERS, CHORALE_FIELDS(campaign), &s, msg);

    if (chorale_store_next(store, s, &err, msg)) {
        long long batch = sqlite3_column_int64(s, 5);
        char calls[48] = "without --batch";

        if (batch > 0)
            snprintf(calls, sizeof(calls), "--batch %lld", batch);
        err = chorale_fail(msg, CHORALE_USAGE,
                           "%s: %s of %lld bytes on %lld ranks is %s there "
                           "with --sync %s and %s; use the same options, or "
                           "plan into another database",
                           chorale_store_path(store),
                           (const char *)sqlite3_column_text(s, 0),
                           sqlite3_column_int64(s, 1),
                           sqlite3_column_int64(s, 2),
                           (const char *)sqlite3_column_text(s, 3),
                           (const char *)sqlite3_column_text(s, 4), calls);
    }
    sqlite3_finalize(s);
    return err;
}

/* The settings of campaign ?1 and of the previous campaign of its cells: how,
 * and how long, a cell is measured, and which events are counted. */
#define SETTINGS(k)                                                          \
    #k ".cell_seconds, " #k ".target_width, " #k ".nrep_max, "               \
    #k ".nrep_min, " #k ".nwarmup, " #k ".racing, " #k ".counters, "         \
    #k ".sync, " #k ".batch"
#define CHANGED                                                              \
    "SELECT " SETTINGS(was) ", " SETTINGS(now) " FROM campaign was,"         \
    " campaign now WHERE now.campaign_id = ?1 AND was.campaign_id ="         \
    " (SELECT max(b.campaign_id) FROM plan_before b JOIN cell c"             \
    "   USING (cell_id) WHERE c.campaign_id = ?1"                            \
    "   AND b.campaign_id <> ?1)"
enum { WIDTH = 1, RACING = 5, COUNTERS, SYNC, BATCH, NSETTING };

/* Append an option and its value at text[*len]. */
static void append_option(char *text, size_t size, size_t *len, int k,
                          const char *value)
{
    static const char *const option[NSETTING] = {
        "--cell-time", "--width", "--iterations", "--min-iterations",
        "--warmup", "", "--counters", "--sync", "--batch",
    };
    const char *gap = *len > 0 ? " " : "";
    char *to = text + *len;
    size_t room = *len < size ? size - *len : 0;

    if (k == RACING)
        *len += (size_t)snprintf(to, room, "%s%s", gap, value[0] == '1'
                                     ? "racing" : "--no-racing");
    else if (k == WIDTH)
        *len += (size_t)snprintf(to, room, "%s%s %g%%", gap, option[k],
                                 100 * strtod(value, NULL));
    else if ((k == COUNTERS && value[0] == '\0') ||
             (k == BATCH && strcmp(value, "0") == 0))
        *len += (size_t)snprintf(to, room, "%sno %s", gap, option[k]);
    else
        *len += (size_t)snprintf(to, room, "%s%s %.200s", gap, option[k],
                                 value);
}

enum chorale_err chorale_plan_say_changed(struct chorale_store *store,
                                          sqlite3_int64 campaign,
                                          struct chorale_errmsg *msg)
{
    char was[1024] = "", now[1024] = "";
    size_t was_len = 0, now_len = 0;
    sqlite3_stmt *s = NULL;
    int row = 0;
    enum chorale_err err = chorale_store_query(
        store, CHANGED, CHORALE_FIELDS(campaign), &s, msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(store, s, &row, msg);
    for (int k = 0; err == CHORALE_OK && row && k < NSETTING; k++) {
        const char *old = (const char *)sqlite3_column_text(s, k);
        const char *new = (const char *)sqlite3_column_text(s, k + NSETTING);

        if (strcmp(old, new) == 0)
            continue;
        append_option(was, sizeof(was), &was_len, k, old);
        append_option(now, sizeof(now), &now_len, k, new);
    }
    if (was_len > 0)
        fprintf(stderr, "chorale: %s: cells that were planned with %s have %s "
                        "from now on; what was measured before stays\n",
                chorale_store_path(store), was, now);
    sqlite3_finalize(s);
    return err;
}

/* Half width of a 95 % interval over that many launches, in standard
 * deviations. */
static double half_width(long launches)
{
    return gsl_cdf_tdist_Pinv(0.975, (double)(launches - 1)) /
           sqrt((double)launches);
}

void chorale_plan_say_launches(long launches)
{
    if (launches >= LAUNCHES)
        return;
    if (launches == 1)
        printf("one launch has no 95 %% interval");
    else
        printf("%ld launches give 95 %% intervals %.1f times as wide as the "
               "default of %d", launches,
               half_width(launches) / half_width(LAUNCHES), LAUNCHES);
    printf("; planning again with --launches %d adds to them\n", LAUNCHES);
    if (launches < CHORALE_DECIDE_LAUNCHES)
        fprintf(stderr, "chorale: --launches %ld: no table can come of it, as "
                        "`chorale decide` needs %d launches; plan again with "
                        "--launches %d\n", launches,
                CHORALE_DECIDE_LAUNCHES, LAUNCHES);
}
