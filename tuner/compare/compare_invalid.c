/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_invalid.c - finds cells that one side ran without usable times, and
 * counts runs and cells that are not compared. */
#include "tuner/compare/comparison.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/units.h"

#define HAS(flag) "instr(',' || validity || ',', '," flag ",') > 0"

/* Returns 1 if launches of that side ran the cell correctly but no run counts.
 * Reasons are unsynchronised clocks, more ranks than processors, or an
 * impossibly short time at its point. Returns 0 otherwise, -1 on an error. */
static int has_only_unusable(const struct chorale_side *side,
                             const struct chorale_run_point *run,
                             sqlite3_stmt *stmt, struct chorale_errmsg *msg)
{
    struct chorale_store *store = chorale_shard_store(side->shard);
    int right = 0, wrong = 0;
    enum chorale_err err = chorale_store_bind(
        store, stmt, 1,
        CHORALE_FIELDS(side->system_id, run->comm_size, run->ppn, run->msg_size,
                       chorale_coll_info(run->coll)->name, run->shape,
                       run->dtype, run->op, run->provider, run->variant,
                       run->params), msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        const struct chorale_side_launch *l =
            chorale_side_launch_of(side, sqlite3_column_int64(stmt, 0));

        if (l == NULL || !l->in)
            continue;
        right |= sqlite3_column_int(stmt, 1);
        wrong |= !sqlite3_column_int(stmt, 1);
    }
    return err == CHORALE_OK ? right && !wrong : -1;
}

/* A cell that a side did run is neither gone nor new, even if its times are not
 * usable. */
static enum chorale_err mark_unusable(struct chorale_comparison *cmp,
                                      const struct chorale_side *side,
                                      enum chorale_verdict_kind verdict,
                                      struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(
        chorale_shard_store(side->shard),
        "SELECT launch_id, status = 'ok' FROM cell JOIN run USING (cell_id)"
        " WHERE system_id = ?1 AND comm_size = ?2 AND ppn = ?3"
        " AND msg_size = ?4 AND coll = ?5 AND shape = ?6 AND dtype = ?7"
        " AND op = ?8 AND provider = ?9 AND variant = ?10 AND params = ?11"
        " AND metric = 'duration' AND arrival = 'sync'"
        " AND siblings = 'alone' AND status <> 'inapplicable'", &stmt, msg);

    for (size_t i = 0; i < cmp->count && err == CHORALE_OK; i++) {
        int doubted = 0;

        if (cmp->judged[i].verdict == verdict)
            doubted = has_only_unusable(side, &cmp->cell[i].at, stmt, msg);
        if (doubted > 0) {
            cmp->judged[i].verdict = CHORALE_TOO_FEW;
            cmp->cell[i].failed = 0;
        }
        err = doubted < 0 ? CHORALE_DATA : CHORALE_OK;
    }
    sqlite3_finalize(stmt);
    return err;
}

/* Append "N word" to a list. */
static void list_count(char *text, size_t size, sqlite3_int64 n,
                       const char *word)
{
    const size_t len = strlen(text);

    if (n > 0)
        snprintf(text + len, size - len, "%s%lld %s", len > 0 ? ", " : "",
                 (long long)n, word);
}

enum chorale_err chorale_comparison_left_out(
    const struct chorale_comparison *cmp, char *text, size_t size,
    struct chorale_errmsg *msg)
{
    static const char *const word[] = { "oversubscribed", "clock",
                                        "suspicious", "wrong or failed" };
    const struct chorale_side *side[] = { &cmp->base, &cmp->head };
    sqlite3_int64 n[4] = { 0 }, all = 0, out = 0;
    char list[160] = "";
    enum chorale_err err = CHORALE_OK;

    for (int s = 0; s < (cmp->base.shared ? 1 : 2) && err == CHORALE_OK; s++) {
        sqlite3_stmt *stmt = NULL;

        err = chorale_store_query(
            chorale_shard_store(side[s]->shard),
            "SELECT count(*), sum(" HAS("oversubscribed") "),"
            " sum(" HAS("clock") "), sum(" HAS("suspicious") "),"
            " sum(status <> 'ok'), sum(status <> 'ok' OR "
            HAS("oversubscribed") " OR " HAS("clock") " OR "
            HAS("suspicious") ") FROM run JOIN cell USING (cell_id)"
            " WHERE system_id = ?1 AND status <> 'inapplicable'"
            " AND metric = 'duration' AND arrival = 'sync'"
            " AND siblings = 'alone'",
            CHORALE_FIELDS(side[s]->system_id), &stmt, msg);
        if (chorale_store_next(chorale_shard_store(side[s]->shard), stmt, &err,
                               msg)) {
            all += sqlite3_column_int64(stmt, 0);
            for (int i = 0; i < 4; i++)
                n[i] += sqlite3_column_int64(stmt, 1 + i);
            out += sqlite3_column_int64(stmt, 5);
        }
        sqlite3_finalize(stmt);
    }
    for (int i = 0; i < 4; i++)
        list_count(list, sizeof(list), n[i], word[i]);
    text[0] = '\0';
    if (out > 0)
        snprintf(text, size, "%lld of %lld run%s %s left out (%s)",
                 (long long)out, (long long)all, chorale_plural(all),
                 out == 1 ? "is" : "are", list);
    return err;
}

enum chorale_err chorale_cells_uncompared(struct chorale_store *store,
                                          sqlite3_int64 system_id, char *text,
                                          size_t size,
                                          struct chorale_errmsg *msg)
{
    static const char *const word[] = { "of throughput", "with late ranks",
                                        "with siblings", "of tables" };
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT sum(metric <> 'duration'),"
        " sum(metric = 'duration' AND arrival <> 'sync'),"
        " sum(metric = 'duration' AND arrival = 'sync'"
        "  AND siblings <> 'alone'),"
        " sum(metric = 'duration' AND arrival = 'sync' AND siblings = 'alone'"
        "  AND (variant = 'untouched' OR provider = 'table'))"
        " FROM cell c WHERE system_id = ?1"
        " AND EXISTS (SELECT 1 FROM run r WHERE r.cell_id = c.cell_id)",
        CHORALE_FIELDS(system_id), &stmt, msg);

    text[0] = '\0';
    if (chorale_store_next(store, stmt, &err, msg))
        for (int i = 0; i < 4; i++)
            list_count(text, size, sqlite3_column_int64(stmt, i), word[i]);
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_comparison_invalid(struct chorale_comparison *cmp,
                                            struct chorale_errmsg *msg)
{
    enum chorale_err err = mark_unusable(cmp, &cmp->head, CHORALE_GONE, msg);

    return err == CHORALE_OK
               ? mark_unusable(cmp, &cmp->base, CHORALE_NEW, msg) : err;
}
