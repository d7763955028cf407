/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_verdict.c - loads the runs that validated a table and judges
 * them. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/assess/evaluate.h"
#include "tuner/assess/validate.h"
#include "tuner/decide/decide_arrival.h"

#define FAMILY_ERROR 0.05    /* P(any false "slower" point) */
#define EXACT 1e-9           /* smallest log difference in simulation */

/* Each planned point and launch: both times, or the reason why one is
 * missing. */
static const char proof_sql[] =
    "SELECT coll, comm_size, ppn, shape, dtype, op, root_policy, buffers,"
    " msg_size, n, choice, ordinal, seconds, library_seconds, reason, arrival,"
    " skew FROM v_proof WHERE system_id = ?1 AND part = ?2 AND metric = ?3"
    " ORDER BY coll, comm_size, ppn, shape, dtype, op, root_policy, msg_size,"
    "  buffers, arrival <> 'sync', arrival, cell_id, ordinal";

#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

/* 1 if two proofs differ at most in the arrival pattern. */
static int same_point(const struct chorale_proof *a,
                      const struct chorale_proof *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->msg_size == b->msg_size &&
           strcmp(a->shape, b->shape) == 0 && strcmp(a->dtype, b->dtype) == 0 &&
           strcmp(a->op, b->op) == 0 && strcmp(a->root, b->root) == 0 &&
           strcmp(a->buffers, b->buffers) == 0;
}

static void discard(struct chorale_proof *p)
{
    free(p->ratio);
    free(p->times);
}

/* Append a proof without results. NULL if out of memory. */
static struct chorale_proof *append(struct chorale_proofs *proofs,
                                    const struct chorale_proof *like)
{
    struct chorale_proof p = *like, *more;

    more = realloc(proofs->row, (proofs->count + 1) * sizeof(*more));
    if (more == NULL)
        return NULL;
    proofs->row = more;
    p.nlaunch = 0;
    p.ratio = malloc((proofs->nordinal + 1) * sizeof(*p.ratio));
    p.times = malloc((2 * proofs->nordinal + 1) * sizeof(*p.times));
    proofs->row[proofs->count++] = p;
    if (p.ratio == NULL || p.times == NULL)
        return NULL;
    for (size_t i = 0; i < proofs->nordinal; i++)
        p.ratio[i] = NAN;
    more += proofs->count - 1;
    more->seconds = more->library_seconds = 0;
    more->mean = more->half = more->p = more->best = NAN;
    return more;
}

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
    return last != NULL && same_point(last, &p) &&
                   strcmp(last->arrival, p.arrival) == 0
               ? last : append(proofs, &p);
}

/* Set the times of one launch. seconds and library_seconds hold sums until
 * judged. */
static void set_times(struct chorale_proofs *proofs, struct chorale_proof *p,
                      size_t ordinal, double seconds, double library)
{
    p->times[ordinal] = seconds;
    p->times[proofs->nordinal + ordinal] = library;
    p->ratio[ordinal] = log(library) - log(seconds);
    p->seconds += log(seconds);
    p->library_seconds += log(library);
    p->nlaunch++;
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
    set_times(proofs, p, (size_t)ordinal, sqlite3_column_double(stmt, 12),
              sqlite3_column_double(stmt, 13));
}

static double student(double level, double df)
{
    return gsl_cdf_tdist_Pinv(0.5 + level / 2, df);
}

static void judge_one(const struct chorale_proofs *proofs,
                      struct chorale_proof *p)
{
    double n = (double)p->nlaunch, sum = 0, square = 0, error;

    if (p->nlaunch == 0) {
        p->seconds = p->library_seconds = NAN;
        return;
    }
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

static void name_rows(struct chorale_proof *p,
                      const struct chorale_emit_table *table)
{
    if (p->coll < CHORALE_NCOLL)
        chorale_served_kind_instead(&table->kind[p->coll], p->dtype, p->op, "",
                                    p->rows_of);
}

enum chorale_err chorale_proofs_judge(struct chorale_proofs *proofs,
                                      const struct chorale_emit_table *table,
                                      const struct chorale_points *points,
                                      struct chorale_errmsg *msg)
{
    for (size_t i = 0; i < proofs->count; i++) {
        struct chorale_proof *p = &proofs->row[i];

        judge_one(proofs, p);
        name_rows(p, table);
    }
    if (holm(proofs) != 0)
        return chorale_fail_memory(msg, "validate");
    return proofs->count > 0 && points != NULL
               ? find_best(proofs, table, points, msg) : CHORALE_OK;
}

/* 1 if a table of that policy is judged in the pattern, at points that have it
 * or, for pattern sync, at points without another one. */
static int counts(enum chorale_arrival_policy policy, const char *arrival)
{
    if (strcmp(arrival, "sync") == 0)
        return 1;
    if (policy == CHORALE_ARRIVALS_ROBUST)
        return strncmp(arrival, "last:", 5) == 0 ||
               strncmp(arrival, "ascending:", 10) == 0;
    return policy == CHORALE_ARRIVALS_TRACED &&
           strstr(arrival, "us") != NULL; /* other delays are factors */
}

/* Subtract the skew of a traced pattern from all times, if that is possible. */
static void subtract_skew(struct chorale_proofs *proofs,
                          struct chorale_proof *p)
{
    const size_t n = proofs->nordinal;

    for (size_t i = 0; i < 2 * n; i++)
        if (isfinite(p->ratio[i % n]) &&
            !chorale_arrival_subtracts(p->arrival, p->times[i], p->skew))
            return;
    p->nlaunch = 0;
    p->seconds = p->library_seconds = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(p->ratio[i]))
            set_times(proofs, p, i, p->times[i] - p->skew,
                      p->times[n + i] - p->skew);
}

/* The campaign's best difference to the library in a proof's pattern. */
static double lead_at(const struct chorale_proof_basis *basis,
                      const struct chorale_proof *p)
{
    const struct chorale_run_point at = {
        .coll = p->coll, .comm_size = p->comm_size, .ppn = p->ppn,
        .n = p->n, .shape = p->shape, .dtype = p->dtype, .op = p->op,
    };

    return chorale_arrival_lead(&basis->runs, &basis->decide, &at, p->arrival);
}

/* Fill `to` with the largest losses over the n patterns of row. */
static void combine(struct chorale_proofs *proofs, struct chorale_proof *to,
                    const struct chorale_proof *row, size_t n,
                    const struct chorale_proof_basis *basis)
{
    double lead[CHORALE_PROOF_PATTERNS];

    COPY(to->arrival, "robust");
    for (size_t k = 0; k < n; k++) {
        lead[k] = lead_at(basis, &row[k]);
        if (row[k].note[0] != '\0')
            COPY(to->note, row[k].note);
    }
    for (size_t i = 0; i < proofs->nordinal; i++) {
        double least = 0, loss[2] = { 0, 0 };
        size_t known = 0;

        for (size_t k = 0; k < n; k++) {
            const double *times = row[k].times;
            double mine, library, best;

            if (!isfinite(row[k].ratio[i]))
                break;
            mine = times[i];
            library = times[proofs->nordinal + i];
            best = fmin(mine, library + lead[k]);
            if (k == 0)
                least = best;
            loss[0] = fmax(loss[0], mine - best);
            loss[1] = fmax(loss[1], library - best);
            known++;
        }
        if (known == n)
            set_times(proofs, to, i, least + loss[0], least + loss[1]);
    }
}

/* Append a row, or discard it if out of memory. */
static int push(struct chorale_proofs *proofs, struct chorale_proof *p)
{
    struct chorale_proof *more =
        realloc(proofs->row, (proofs->count + 1) * sizeof(*more));

    if (more == NULL) {
        discard(p);
        return -1;
    }
    proofs->row = more;
    more[proofs->count++] = *p;
    return 0;
}

/* Add the judged row of a point from its n rows that count, sync first. Takes
 * over the rows. */
static int add_judged(struct chorale_proofs *proofs, struct chorale_proof *row,
                      size_t n, const struct chorale_proof_basis *basis)
{
    struct chorale_proof *to;
    int bad = 0;

    if (basis->decide.arrivals == CHORALE_ARRIVALS_ROBUST && n > 1) {
        to = append(proofs, row);
        if (to != NULL)
            combine(proofs, to, row, n, basis);
        for (size_t k = 0; k < n; k++)
            bad |= push(proofs->patterns, &row[k]);
        return to == NULL || bad ? -1 : 0;
    }
    for (; n > 1; n--)
        discard(row++);
    if (n == 1 && strcmp(row->arrival, "sync") != 0)
        subtract_skew(proofs, row);
    return n == 1 ? push(proofs, row) : 0;
}

/* Reduce the rows of each point, which differ in the pattern, to the one that
 * is judged. If several count, as for a robust table, that is a row of the
 * largest losses, and proofs->patterns keeps them. Rows in other patterns are
 * of a table with the same choices. */
static enum chorale_err by_pattern(struct chorale_proofs *proofs,
                                   const struct chorale_proof_basis *basis,
                                   struct chorale_errmsg *msg)
{
    struct chorale_proofs in = *proofs;
    size_t end;
    int bad;

    proofs->row = NULL;
    proofs->count = 0;
    proofs->patterns = malloc(sizeof(*proofs->patterns));
    if (proofs->patterns == NULL) {
        *proofs = in;
        return chorale_fail_memory(msg, "validate");
    }
    *proofs->patterns = *proofs;
    proofs->patterns->patterns = NULL;
    bad = 0;
    for (size_t i = 0; i < in.count; i = end) {
        struct chorale_proof *row = &in.row[i];
        const struct chorale_proof first = *row;
        size_t n = 0;

        for (end = i; end < in.count && same_point(&first, &in.row[end]); end++)
            if (counts(basis->decide.arrivals, in.row[end].arrival) &&
                n < CHORALE_PROOF_PATTERNS)
                row[n++] = in.row[end];
            else
                discard(&in.row[end]);
        bad |= add_judged(proofs, row, n, basis);
    }
    free(in.row);
    if (proofs->patterns->count == 0) {
        chorale_proofs_release(proofs->patterns);
        free(proofs->patterns);
        proofs->patterns = NULL;
    }
    return bad ? chorale_fail_memory(msg, "validate") : CHORALE_OK;
}

/* Compute the means of the rows of single patterns, without a verdict. */
static void describe_patterns(struct chorale_proofs *proofs,
                              const struct chorale_emit_table *table)
{
    for (size_t i = 0; proofs->patterns != NULL &&
                       i < proofs->patterns->count; i++) {
        judge_one(proofs->patterns, &proofs->patterns->row[i]);
        name_rows(&proofs->patterns->row[i], table);
        proofs->patterns->row[i].slower = 0;
        proofs->patterns->row[i].p = NAN;
    }
}

/* Drop the rows at points that other patterns than sync decided. */
static void drop_late(const struct chorale_proofs *proofs,
                      struct chorale_proofs *loop)
{
    size_t kept = 0;

    for (size_t i = 0; i < loop->count; i++) {
        int late = 0;

        for (size_t k = 0; k < proofs->count; k++)
            late |= same_point(&proofs->row[k], &loop->row[i]) &&
                    strcmp(proofs->row[k].arrival, "sync") != 0;
        if (late)
            discard(&loop->row[i]);
        else
            loop->row[kept++] = loop->row[i];
    }
    loop->count = kept;
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
        drop_late(proofs, loop);
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
        err = by_pattern(proofs, basis, msg);
    if (err == CHORALE_OK)
        err = chorale_proofs_judge(proofs, table, &basis->points, msg);
    if (err != CHORALE_OK)
        return err;
    describe_patterns(proofs, table);
    return load_loop(store, system_id, table, proofs, msg);
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

void chorale_proofs_release(struct chorale_proofs *proofs)
{
    struct chorale_proofs **part[] = { &proofs->loop, &proofs->patterns };

    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        if (*part[i] != NULL)
            chorale_proofs_release(*part[i]);
        free(*part[i]);
        *part[i] = NULL;
    }
    for (size_t i = 0; i < proofs->count; i++)
        discard(&proofs->row[i]);
    free(proofs->row);
    proofs->row = NULL;
    proofs->count = 0;
}

enum chorale_err chorale_proofs_current(struct chorale_store *store,
                                        sqlite3_int64 system_id, int simulated,
                                        struct chorale_proofs *proofs,
                                        struct chorale_errmsg *msg)
{
    struct chorale_proof_basis basis = { .points = { .row = NULL } };
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
        err = chorale_proof_basis_load(store, system_id, simulated, &basis,
                                       msg);
    if (err == CHORALE_OK)
        err = chorale_proofs_load(store, system_id, simulated, &table, &basis,
                                  0.03, proofs, msg);
    chorale_proof_basis_release(&basis);
    chorale_emit_release(&table);
    return err;
}

/* 1 if the proof is of the collective (CHORALE_NCOLL: any) and of the arrival
 * pattern (NULL: any). */
static int is_part(const struct chorale_proof *p, enum chorale_coll coll,
                   const char *arrival)
{
    return (coll == CHORALE_NCOLL || p->coll == coll) &&
           (arrival == NULL || strcmp(p->arrival, arrival) == 0);
}

/* The interval over launch numbers. It uses deviations from each point's own
 * mean, so that a point missing in one launch does not shift it. */
static double interval(const struct chorale_proofs *proofs,
                       enum chorale_coll coll, const char *arrival,
                       size_t npoint)
{
    double square = 0, n = 0;

    if (proofs->simulated)
        return 0;
    for (size_t k = 0; k < proofs->nordinal; k++) {
        double sum = 0;
        int any = 0;

        for (size_t i = 0; i < proofs->count; i++) {
            const struct chorale_proof *p = &proofs->row[i];

            if (!is_part(p, coll, arrival) || !isfinite(p->ratio[k]))
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

static void find_total(const struct chorale_proofs *proofs,
                       enum chorale_coll coll, const char *arrival,
                       struct chorale_proof_total *total)
{
    double sum = 0, gain = 0, most = 0;

    *total = (struct chorale_proof_total){ .mean = NAN, .half = NAN,
                                           .captured = NAN };
    for (size_t i = 0; i < proofs->count; i++) {
        const struct chorale_proof *p = &proofs->row[i];

        if (!is_part(p, coll, arrival))
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
    total->half = interval(proofs, coll, arrival, total->npoint);
    total->captured = most > 0 ? gain / most : NAN;
}

void chorale_proofs_total(const struct chorale_proofs *proofs,
                          enum chorale_coll coll,
                          struct chorale_proof_total *total)
{
    find_total(proofs, coll, NULL, total);
}

void chorale_proofs_pattern_total(const struct chorale_proofs *proofs,
                                  const char *arrival,
                                  struct chorale_proof_total *total)
{
    find_total(proofs, CHORALE_NCOLL, arrival, total);
}
