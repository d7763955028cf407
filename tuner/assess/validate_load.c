/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_load.c - loads the runs that validated a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/assess/validate_rows.h"

/* Each planned point and launch: both times, or the reason why one is
 * missing. */
static const char proof_sql[] =
    "SELECT coll, comm_size, ppn, shape, dtype, op, root_policy, buffers,"
    " msg_size, n, choice, ordinal, seconds, library_seconds, reason, arrival,"
    " skew FROM v_proof WHERE system_id = ?1 AND part = ?2 AND metric = ?3"
    " ORDER BY coll, comm_size, ppn, shape, dtype, op, root_policy, msg_size,"
    "  buffers, arrival <> 'sync', arrival, cell_id, ordinal";

#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

/* The proof of this row: the last one, or a new one after it. NULL if out of
 * memory. */
static struct chorale_proof *find(struct chorale_proofs *proofs,
                                  sqlite3_stmt *stmt)
{
    struct chorale_proof p = { .coll = CHORALE_NCOLL }, *last;
    int coll = chorale_coll_find(chorale_text(stmt, 0));

    last = proofs->count > 0 ? &proofs->row[proofs->count - 1] : NULL;
    p.coll = coll >= 0 ? (enum chorale_coll)coll : CHORALE_NCOLL;
    p.comm_size = sqlite3_column_int(stmt, 1);
    p.ppn = sqlite3_column_int(stmt, 2);
    COPY(p.shape, chorale_text(stmt, 3));
    COPY(p.dtype, chorale_text(stmt, 4));
    COPY(p.op, chorale_text(stmt, 5));
    COPY(p.root, chorale_text(stmt, 6));
    COPY(p.buffers, chorale_text(stmt, 7));
    p.msg_size = (size_t)sqlite3_column_int64(stmt, 8);
    p.n = (size_t)sqlite3_column_int64(stmt, 9);
    COPY(p.choice, chorale_text(stmt, 10));
    COPY(p.arrival, chorale_text(stmt, 15));
    return last != NULL && chorale_proof_same_point(last, &p) &&
                   strcmp(last->arrival, p.arrival) == 0
               ? last : chorale_proofs_append(proofs, &p);
}

/* Add one launch. */
static void take(struct chorale_proofs *proofs, struct chorale_proof *p,
                 sqlite3_stmt *stmt)
{
    sqlite3_int64 ordinal = sqlite3_column_int64(stmt, 11);

    if (chorale_text(stmt, 14)[0] != '\0')
        COPY(p->note, chorale_text(stmt, 14));
    if (sqlite3_column_type(stmt, 12) == SQLITE_NULL || ordinal < 0 ||
        (size_t)ordinal >= proofs->nordinal || isfinite(p->ratio[ordinal]))
        return;
    if (sqlite3_column_type(stmt, 16) != SQLITE_NULL)
        p->skew = sqlite3_column_double(stmt, 16);
    chorale_proof_add_launch(proofs, p, (size_t)ordinal,
                             sqlite3_column_double(stmt, 12),
                             sqlite3_column_double(stmt, 13));
}

static enum chorale_err load_rows(struct chorale_store *store,
                                  sqlite3_int64 system_id,
                                  const char *metric,
                                  struct chorale_proofs *proofs,
                                  struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3_int64 most = 0;
    char part[32];
    enum chorale_err err;

    snprintf(part, sizeof(part), "table-%s", proofs->digest);
    err = chorale_store_int(store, "SELECT max(ordinal) + 1 FROM launch"
                            " WHERE part LIKE 'table-%'", 0, &most, msg);
    if (err == CHORALE_OK && (most < 0 || most > 1000000))
        return chorale_fail(msg, CHORALE_DATA, "%s: a launch has the invalid "
                            "number %lld; restore a copy",
                            chorale_store_path(store), (long long)most - 1);
    proofs->nordinal = (size_t)most;
    if (err == CHORALE_OK)
        err = chorale_store_query(store, proof_sql,
                                  CHORALE_FIELDS(system_id, part, metric),
                                  &stmt, msg);
    if (err != CHORALE_OK)
        return err;
    while (chorale_store_next(store, stmt, &err, msg)) {
        struct chorale_proof *p = find(proofs, stmt);

        if (p == NULL) {
            err = chorale_fail_memory(msg, "validate");
            break;
        }
        take(proofs, p, stmt);
    }
    sqlite3_finalize(stmt);
    return err;
}

/* Load and judge the calls back to back. The campaign's best is of durations,
 * so it stays unknown here. */
static enum chorale_err load_loop(struct chorale_store *store,
                                  sqlite3_int64 system_id,
                                  const struct chorale_emit_table *table,
                                  struct chorale_proofs *proofs,
                                  struct chorale_errmsg *msg)
{
    struct chorale_proofs *loop = malloc(sizeof(*loop));
    enum chorale_err err;

    if (loop == NULL)
        return chorale_fail_memory(msg, "validate");
    *loop = *proofs;
    loop->row = NULL;
    loop->patterns = NULL;
    loop->count = 0;
    proofs->loop = loop;
    err = load_rows(store, system_id, "throughput", loop, msg);
    if (err == CHORALE_OK)
        chorale_proofs_drop_late(proofs, loop);
    if (err == CHORALE_OK)
        err = chorale_proofs_judge(loop, table, NULL, msg);
    if (err == CHORALE_OK && loop->count == 0) {
        chorale_proofs_release(loop);
        free(loop);
        proofs->loop = NULL;
    }
    return err;
}

enum chorale_err chorale_proofs_load(struct chorale_store *store,
                                     sqlite3_int64 system_id, int simulated,
                                     const struct chorale_emit_table *table,
                                     const struct chorale_proof_basis *basis,
                                     double threshold,
                                     struct chorale_proofs *proofs,
                                     struct chorale_errmsg *msg)
{
    enum chorale_err err;

    *proofs = (struct chorale_proofs){ .simulated = simulated, .overlap = 1,
                                       .threshold = threshold };
    err = chorale_emit_digest(table, proofs->digest, msg);
    if (err == CHORALE_OK)
        err = load_rows(store, system_id, "duration", proofs, msg);
    if (err == CHORALE_OK)
        err = chorale_proofs_reduce(proofs, basis, msg);
    if (err == CHORALE_OK)
        err = chorale_proofs_judge(proofs, table, &basis->points, msg);
    return err == CHORALE_OK ? load_loop(store, system_id, table, proofs, msg)
                             : err;
}

enum chorale_err chorale_proof_basis_load(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          int simulated,
                                          struct chorale_proof_basis *basis,
                                          struct chorale_errmsg *msg)
{
    struct chorale_policy policy = CHORALE_POLICY_DEFAULTS;
    enum chorale_err err;

    memset(basis, 0, sizeof(*basis));
    err = chorale_policy_load(store, system_id, &policy, msg);
    policy.objective = NULL; /* validations are judged by medians */
    policy.dispatch_cost = NAN;
    basis->decide = chorale_policy_decide(&policy, simulated);
    if (err == CHORALE_OK)
        err = chorale_policy_points(store, system_id, simulated, &policy,
                                    &basis->points, NULL, NULL, msg);
    if (err == CHORALE_OK)
        err = chorale_points_load_by(store, system_id,
                                     CHORALE_OBJECTIVE_MEDIAN,
                                     basis->decide.arrivals, &basis->runs, msg);
    if (err == CHORALE_OK && !simulated)
        chorale_points_dispatched(&basis->runs, CHORALE_DISPATCH_SECONDS);
    return err;
}

void chorale_proof_basis_release(struct chorale_proof_basis *basis)
{
    chorale_points_release(&basis->points);
    chorale_points_release(&basis->runs);
}

enum chorale_err chorale_proofs_current(struct chorale_store *store,
                                        sqlite3_int64 system_id, int simulated,
                                        struct chorale_proofs *proofs,
                                        struct chorale_errmsg *msg)
{
    struct chorale_proof_basis basis = { .points = { .row = NULL } };
    struct chorale_proof_point *point = NULL;
    struct chorale_emit_table table;
    size_t npoint = 0;
    sqlite3_int64 ndecision = 0, ncell = 0;
    enum chorale_err err = chorale_store_find(
        store, "SELECT count(*) FROM decision WHERE system_id = ?1"
        " AND target = 'dispatch'", CHORALE_FIELDS(system_id), 0, &ndecision,
        msg);

    memset(&table, 0, sizeof(table));
    memset(proofs, 0, sizeof(*proofs));
    if (err == CHORALE_OK)
        err = chorale_store_find(
            store, "SELECT count(*) FROM cell WHERE system_id = ?1"
            " AND provider = 'table'", CHORALE_FIELDS(system_id), 0, &ncell,
            msg);
    if (err != CHORALE_OK || ndecision == 0 || ncell == 0)
        return err;
    err = chorale_emit_load(store, system_id, &table, msg);
    if (err == CHORALE_OK)
        err = chorale_proof_basis_load(store, system_id, simulated, &basis,
                                       msg);
    if (err == CHORALE_OK)
        err = chorale_proofs_load(store, system_id, simulated, &table, &basis,
                                  0.03, proofs, msg);
    if (err == CHORALE_OK)
        err = chorale_proof_points(&table, &basis, 0, &point, &npoint, msg);
    proofs->npoint = npoint;
    free(point);
    chorale_proof_basis_release(&basis);
    chorale_emit_release(&table);
    return err;
}
