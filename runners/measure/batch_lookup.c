/* SPDX-License-Identifier: BSD-3-Clause */
/* batch_lookup.c - number of calls in a repetition, from earlier launches of a
 * point. */
#include "runners/measure/runner.h"

/* The batch of the first run with samples at the point of cell ?1. */
#define BATCH                                                               \
    "SELECT r.batch FROM cell a JOIN cell b"                                \
    "    ON b.system_id = a.system_id AND b.coll = a.coll"                  \
    "   AND b.comm_size = a.comm_size AND b.msg_size = a.msg_size"          \
    "   AND b.ppn = a.ppn AND b.shape = a.shape AND b.dtype = a.dtype"      \
    "   AND b.op = a.op AND b.root_policy = a.root_policy"                  \
    "   AND b.buffers = a.buffers AND b.arrival = a.arrival"                \
    "   AND b.siblings = a.siblings AND b.metric = a.metric"                \
    "  JOIN run r ON r.cell_id = b.cell_id JOIN run_summary USING (run_id)" \
    " WHERE a.cell_id = ?1 ORDER BY r.run_id LIMIT 1"

enum chorale_err chorale_worklist_recall(struct chorale_store *store,
                                         struct chorale_worklist *work,
                                         struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(store, BATCH, &stmt, msg);

    for (int t = 0; t < work->ntask && err == CHORALE_OK; t++) {
        struct chorale_task *task = &work->task[t];

        err = chorale_store_bind(
            store, stmt, 1, CHORALE_FIELDS(work->cand[task->first].cell_id),
            msg);
        if (chorale_store_next(store, stmt, &err, msg))
            task->batch = sqlite3_column_int(stmt, 0);
    }
    sqlite3_finalize(stmt);
    return err;
}
