/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_verdict.c - loads the runs that validated a table and judges
 * them. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/assess/evaluate.h"
#include "tuner/assess/validate.h"

#define FAMILY_ERROR 0.05    /* P(any false "slower" point) */
#define EXACT 1e-9           /* smallest log difference in simulation */

/* Each planned point and launch: both times, or the reason why one is
 * missing. */
static const char proof_sql[] =
    "SELECT coll, comm_size, ppn, shape, dtype, op, root_policy, buffers,"
    " msg_size, n, choice, ordinal, seconds, library_seconds, reason"
    " FROM v_proof WHERE system_id = ?1 AND part = ?2 AND metric = ?3"
    " ORDER BY coll, comm_size, ppn, shape, dtype, op, root_policy, msg_size,"
    "  buffers, cell_id, ordinal";

#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

/* The proof of this row: the last one, or a new one after it. NULL if out of
 * memory. */
static struct chorale_proof *find(struct chorale_proofs *proofs,
                                  sqlite3_stmt *stmt)
{
    struct chorale_proof p = { .coll = CHORALE_NCOLL }, *last, *more;
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
    if (last != NULL && last->coll == p.coll &&
        last->comm_size == p.comm_size && last->ppn == p.ppn &&
        last->msg_size == p.msg_size && strcmp(last->shape, p.shape) == 0 &&
        strcmp(last->dtype, p.dtype) == 0 && strcmp(last->op, p.op) == 0 &&
        strcmp(last->root, p.root) == 0 &&
        strcmp(last->buffers, p.buffers) == 0)
        return last;
    more = realloc(proofs->row, (proofs->count + 1) * sizeof(*more));
    if (more == NULL)
        return NULL;
    proofs->row = more;
    p.ratio = malloc((proofs->nordinal + 1) * sizeof(*p.ratio));
    if (p.ratio == NULL)
        return NULL;
    for (size_t i = 0; i < proofs->nordinal; i++)
        p.ratio[i] = NAN;
    p.seconds = p.library_seconds = p.mean = p.half = p.p = p.best = NAN;
    proofs->row[proofs->count] = p;
    return &proofs->row[proofs->count++];
}

/* Add one launch; seconds and library_seconds hold sums until judged. */
static void take(struct chorale_proofs *proofs, struct chorale_proof *p,
                 sqlite3_stmt *stmt)
{
    sqlite3_int64 ordinal = sqlite3_column_int64(stmt, 11);
    double mine, library;

    if (chorale_text(stmt, 14)[0] != '\0')
        COPY(p->note, chorale_text(stmt, 14));
    if (sqlite3_column_type(stmt, 12) == SQLITE_NULL || ordinal < 0 ||
        (size_t)ordinal >= proofs->nordinal || isfinite(p->ratio[ordinal]))
        return;
    mine = log(sqlite3_column_double(stmt, 12));
    library = log(sqlite3_column_double(stmt, 13));
    p->ratio[ordinal] = library - mine;
    p->seconds = p->nlaunch == 0 ? mine : p->seconds + mine;
    p->library_seconds = p->nlaunch == 0 ? library
                                         : p->library_seconds + library;
    p->nlaunch++;
}

static double student(double level, double df)
{
    return gsl_cdf_tdist_Pinv(0.5 + level / 2, df);
}

static void judge_one(const struct chorale_proofs *proofs,
                      struct chorale_proof *p)
{
    double n = (double)p->nlaunch, sum = 0, square = 0, error;

    if (p->nlaunch == 0)
        return;
    p->seconds = exp(p->seconds / n);
    p->library_seconds = exp(p->library_seconds / n);
    for (size_t i = 0; i < proofs->nordinal; i++)
        if (isfinite(p->ratio[i]))
            sum += p->ratio[i];
    p->mean = sum / n;
    if (proofs->simulated) {
        p->half = 0;
        p->slower = p->mean < -log1p(proofs->threshold) - EXACT;
        return;
    }
    if (p->nlaunch < 2)
        return;
    for (size_t i = 0; i < proofs->nordinal; i++)
        if (isfinite(p->ratio[i]))
            square += (p->ratio[i] - p->mean) * (p->ratio[i] - p->mean);
    error = sqrt(proofs->overlap * square / (n - 1) / n);
    p->half = student(0.95, n - 1) * error;
    sum = p->mean + log1p(proofs->threshold);
    p->p = error > 0 ? gsl_cdf_tdist_P(sum / error, n - 1) : sum < 0 ? 0 : 1;
}

static int by_p(const void *a, const void *b)
{
    double x = (*(struct chorale_proof *const *)a)->p;
    double y = (*(struct chorale_proof *const *)b)->p;

    return (x > y) - (x < y);
}

/* Holm's step-down: the k-th smallest p of N is compared with error / (N -
 * k). */
static int holm(struct chorale_proofs *proofs)
{
    struct chorale_proof **rank = malloc((proofs->count + 1) * sizeof(*rank));
    size_t n = 0;

    if (rank == NULL)
        return -1;
    for (size_t i = 0; i < proofs->count; i++)
        if (isfinite(proofs->row[i].p))
            rank[n++] = &proofs->row[i];
    if (n > 0)
        qsort(rank, n, sizeof(*rank), by_p);
    for (size_t k = 0; k < n && rank[k]->p <= FAMILY_ERROR / (double)(n - k);
         k++)
        rank[k]->slower = 1;
    free(rank);
    return 0;
}

/* Set the best possible speed-up at the points that the campaign measured. */
static enum chorale_err find_best(struct chorale_proofs *proofs,
                                  const struct chorale_emit_table *table,
                                  const struct chorale_points *points,
                                  struct chorale_errmsg *msg)
{
    struct chorale_verdict *v = NULL;
    size_t count = 0;
    enum chorale_err err = chorale_evaluate(table, points, 0, &v, &count, msg);

    for (size_t i = 0; i < proofs->count && err == CHORALE_OK; i++) {
        struct chorale_proof *p = &proofs->row[i];

        for (size_t k = 0; k < count; k++) {
            const struct chorale_run_point *at = v[k].point;

            if (at->coll == p->coll && at->comm_size == p->comm_size &&
                at->ppn == p->ppn && at->n == p->n &&
                strcmp(at->shape, p->shape) == 0 &&
                strcmp(at->dtype, p->dtype) == 0 &&
                strcmp(at->op, p->op) == 0)
                p->best = log(v[k].library_seconds / v[k].best_seconds);
        }
    }
    free(v);
    return err;
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

enum chorale_err chorale_proofs_judge(struct chorale_proofs *proofs,
                                      const struct chorale_emit_table *table,
                                      const struct chorale_points *points,
                                      struct chorale_errmsg *msg)
{
    for (size_t i = 0; i < proofs->count; i++) {
        struct chorale_proof *p = &proofs->row[i];

        judge_one(proofs, p);
        if (p->coll < CHORALE_NCOLL)
            chorale_served_kind_instead(&table->kind[p->coll], p->dtype, p->op,
                                        "", p->rows_of);
    }
    if (holm(proofs) != 0)
        return chorale_fail_memory(msg, "validate");
    return proofs->count > 0 && points != NULL
               ? find_best(proofs, table, points, msg) : CHORALE_OK;
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
    loop->count = 0;
    proofs->loop = loop;
    err = load_rows(store, system_id, "throughput", loop, msg);
    if (err == CHORALE_OK)
        err = chorale_proofs_judge(loop, table, NULL, msg);
    if (err == CHORALE_OK && loop->count == 0) {
        free(loop);
        proofs->loop = NULL;
    }
    return err;
}

enum chorale_err chorale_proofs_load(struct chorale_store *store,
                                     sqlite3_int64 system_id, int simulated,
                                     const struct chorale_emit_table *table,
                                     const struct chorale_points *points,
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
        err = chorale_proofs_judge(proofs, table, points, msg);
    return err == CHORALE_OK ? load_loop(store, system_id, table, proofs, msg)
                             : err;
}

void chorale_proofs_release(struct chorale_proofs *proofs)
{
    if (proofs->loop != NULL)
        chorale_proofs_release(proofs->loop);
    free(proofs->loop);
    proofs->loop = NULL;
    for (size_t i = 0; i < proofs->count; i++)
        free(proofs->row[i].ratio);
    free(proofs->row);
    proofs->row = NULL;
    proofs->count = 0;
}

enum chorale_err chorale_proofs_current(struct chorale_store *store,
                                        sqlite3_int64 system_id, int simulated,
                                        struct chorale_proofs *proofs,
                                        struct chorale_errmsg *msg)
{
    struct chorale_points points = { .row = NULL };
    struct chorale_emit_table table;
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
        err = chorale_points_load(store, system_id, &points, msg);
    if (err == CHORALE_OK && !simulated)
        chorale_points_dispatched(&points, CHORALE_DISPATCH_SECONDS);
    if (err == CHORALE_OK)
        err = chorale_proofs_load(store, system_id, simulated, &table, &points,
                                  0.03, proofs, msg);
    chorale_points_release(&points);
    chorale_emit_release(&table);
    return err;
}

/* The interval over launch numbers. It uses deviations from each point's own
 * mean, so that a point missing in one launch does not shift it. */
static double interval(const struct chorale_proofs *proofs,
                       enum chorale_coll coll, size_t npoint)
{
    double square = 0, n = 0;

    if (proofs->simulated)
        return 0;
    for (size_t k = 0; k < proofs->nordinal; k++) {
        double sum = 0;
        int any = 0;

        for (size_t i = 0; i < proofs->count; i++) {
            const struct chorale_proof *p = &proofs->row[i];

            if ((coll != CHORALE_NCOLL && p->coll != coll) ||
                !isfinite(p->ratio[k]))
                continue;
            sum += p->ratio[k] - p->mean;
            any = 1;
        }
        square += sum * sum;
        n += any;
    }
    return n < 2 ? NAN
                 : student(0.95, n - 1) *
                       sqrt(proofs->overlap * square / (n - 1) / n) /
                       (double)npoint;
}

void chorale_proofs_total(const struct chorale_proofs *proofs,
                          enum chorale_coll coll,
                          struct chorale_proof_total *total)
{
    double sum = 0, gain = 0, most = 0;

    *total = (struct chorale_proof_total){ .mean = NAN, .half = NAN,
                                           .captured = NAN };
    for (size_t i = 0; i < proofs->count; i++) {
        const struct chorale_proof *p = &proofs->row[i];

        if (coll != CHORALE_NCOLL && p->coll != coll)
            continue;
        if (p->nlaunch == 0) {
            total->nunknown++;
            continue;
        }
        total->npoint++;
        total->nslower += p->slower != 0;
        sum += p->mean;
        if (fabs(p->mean) > p->half) {
            if (total->worst == NULL || p->mean < total->worst->mean)
                total->worst = p;
            if (total->best == NULL || p->mean > total->best->mean)
                total->best = p;
        }
        if (isfinite(p->best)) {
            gain += p->mean;
            most += p->best;
        }
    }
    if (total->npoint == 0)
        return;
    total->mean = sum / (double)total->npoint;
    total->half = interval(proofs, coll, total->npoint);
    total->captured = most > 0 ? gain / most : NAN;
}
