/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_show.c - prints proofs, converts them to JSON, and stores them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/rows.h"
#include "tuner/base/units.h"
#include "tuner/assess/validate.h"

int chorale_proof_is_library(const struct chorale_proof *proof)
{
    return strcmp(proof->choice, "library") == 0;
}

static const char *coll_name(enum chorale_coll coll, const char *otherwise)
{
    return coll < CHORALE_NCOLL ? chorale_coll_info(coll)->name : otherwise;
}

void chorale_proof_where(const struct chorale_proof *proof, char *text,
                         size_t size)
{
    const int differs = proof->rows_of[0] != '\0';
    const int late = proof->arrival[0] != '\0' &&
                     strcmp(proof->arrival, "sync") != 0;
    char n[32];

    snprintf(text, size, "%s%s%s%s%s, n = %s, P = %d%s%s",
             coll_name(proof->coll, "?"),
             differs ? " of " : "", differs ? proof->dtype : "",
             differs && proof->op[0] != '\0' ? " " : "",
             differs ? proof->op : "",
             chorale_exact_bytes((double)proof->n, n), proof->comm_size,
             late ? ", arrival " : "", late ? proof->arrival : "");
}

/* "x1.234 [1.200, 1.260]" from logarithms; without the interval if it is
 * unknown or zero. */
static const char *speedup(double mean, double half, char *text, size_t size)
{
    if (!isfinite(mean))
        snprintf(text, size, "unknown");
    else if (half > 0)
        snprintf(text, size, "x%.3f [%.3f, %.3f]", exp(mean), exp(mean - half),
                 exp(mean + half));
    else
        snprintf(text, size, "x%.3f", exp(mean));
    return text;
}

static const char point_columns[] =
    "point|placement|choice|time:s|library:s|speed-up|";

/* Print all points, or those that are slower or have a note. */
static void print_points(const struct chorale_proofs *proofs, int all)
{
    struct chorale_rows rows = { .columns = point_columns };

    for (size_t i = 0; i < proofs->count; i++) {
        const struct chorale_proof *p = &proofs->row[i];
        char where[128], gain[96] = "not measured", choice[420], note[224];

        if (!all && !p->slower && p->note[0] == '\0')
            continue;
        chorale_proof_where(p, where, sizeof(where));
        snprintf(choice, sizeof(choice), "%s%s%s%s", p->choice,
                 p->rows_of[0] != '\0' ? " (row of " : "", p->rows_of,
                 p->rows_of[0] != '\0' ? ")" : "");
        snprintf(note, sizeof(note), "%s%s%s", p->slower ? "SLOWER" : "",
                 p->slower && p->note[0] != '\0' ? "  " : "", p->note);
        if (p->nlaunch > 0)
            speedup(p->mean, p->half, gain, sizeof(gain));
        chorale_rows_add(
            &rows,
            CHORALE_FIELDS(where, p->shape, choice,
                           p->nlaunch > 0 ? p->seconds : NAN,
                           p->nlaunch > 0 ? p->library_seconds : NAN, gain,
                           note));
    }
    chorale_rows_print(&rows, 0, stdout);
}

/* "x0.950 at bcast, n = 8 B, P = 4", or "". */
static const char *name_worst(const struct chorale_proof_total *t, char *text,
                              size_t size)
{
    char worst[96], where[160];

    text[0] = '\0';
    if (t->worst == NULL)
        return text;
    chorale_proof_where(t->worst, where, sizeof(where));
    snprintf(text, size, "%s at %s",
             speedup(t->worst->mean, t->worst->half, worst, sizeof(worst)),
             where);
    return text;
}

static const char total_columns[] =
    "collective|points|speed-up|captured:%.1f %%|slower|unknown|worst";

static void add_total(struct chorale_rows *rows,
                      const struct chorale_proofs *proofs,
                      enum chorale_coll coll)
{
    struct chorale_proof_total t;
    char gain[96], at[256];

    chorale_proofs_total(proofs, coll, &t);
    if (t.npoint + t.nunknown == 0)
        return;
    chorale_rows_add(rows, CHORALE_FIELDS(coll_name(coll, "all"), t.npoint,
                                          speedup(t.mean, t.half, gain,
                                                  sizeof(gain)),
                                          t.captured, t.nslower, t.nunknown,
                                          name_worst(&t, at, sizeof(at))));
}

/* Returns 1 if row i has the first proof in its pattern. */
static int is_first(const struct chorale_proofs *proofs, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(proofs->row[k].arrival, proofs->row[i].arrival) == 0)
            return 0;
    return 1;
}

/* Print what the largest losses are made of, a line for each pattern. */
static void print_patterns(const struct chorale_proofs *proofs, int points)
{
    struct chorale_rows rows = { .columns = "arrival|points|speed-up|unknown|"
                                            "worst" };

    printf("by arrival pattern, at points that are judged by the largest loss "
           "over them:\n");
    if (points)
        print_points(proofs, 1);
    for (size_t i = 0; i < proofs->count; i++) {
        const char *arrival = proofs->row[i].arrival;
        char gain[96], at[256];
        struct chorale_proof_total t;

        if (!is_first(proofs, i))
            continue;
        chorale_proofs_pattern_total(proofs, arrival, &t);
        chorale_rows_add(&rows,
                         CHORALE_FIELDS(arrival, t.npoint,
                                        speedup(t.mean, t.half, gain,
                                                sizeof(gain)),
                                        t.nunknown,
                                        name_worst(&t, at, sizeof(at))));
    }
    chorale_rows_print(&rows, 0, stdout);
}

void chorale_proofs_print(const struct chorale_proofs *proofs, int points)
{
    struct chorale_rows rows = { .columns = total_columns };

    if (points)
        print_points(proofs, 1);
    for (int c = 0; c <= CHORALE_NCOLL; c++)
        add_total(&rows, proofs, (enum chorale_coll)c);
    chorale_rows_print(&rows, 0, stdout);
    if (!points)
        print_points(proofs, 0);
    if (proofs->patterns != NULL)
        print_patterns(proofs->patterns, points);
    if (proofs->loop != NULL) {
        printf("calls back to back, where the table chooses a variant:\n");
        chorale_proofs_print(proofs->loop, points);
    }
}

static json_t *point_json(const struct chorale_proof *p)
{
    return json_pack(
        "{s:s, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:I,"
        " s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:s}",
        "coll", coll_name(p->coll, ""),
        "comm_size", p->comm_size, "ppn", p->ppn, "shape", p->shape,
        "dtype", p->dtype, "op", p->op, "root_policy", p->root,
        "buffers", p->buffers, "arrival", p->arrival,
        "msg_size", (json_int_t)p->msg_size,
        "n", (json_int_t)p->n, "choice", p->choice, "rows_of", p->rows_of,
        "launches", (json_int_t)p->nlaunch,
        "seconds", chorale_json(p->seconds),
        "library_seconds", chorale_json(p->library_seconds),
        "speedup", chorale_json(exp(p->mean)),
        "speedup_lo", chorale_json(exp(p->mean - p->half)),
        "speedup_hi", chorale_json(exp(p->mean + p->half)),
        "p_slower", chorale_json(p->p), "slower", p->slower,
        "best_speedup", chorale_json(exp(p->best)), "note", p->note);
}

static json_t *total_json(enum chorale_coll coll,
                          const struct chorale_proof_total *t)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}",
                     "coll", coll_name(coll, "all"),
                     "points", (json_int_t)t->npoint,
                     "unknown", (json_int_t)t->nunknown,
                     "slower", (json_int_t)t->nslower,
                     "speedup", chorale_json(exp(t->mean)),
                     "speedup_lo", chorale_json(exp(t->mean - t->half)),
                     "speedup_hi", chorale_json(exp(t->mean + t->half)),
                     "captured", chorale_json(t->captured),
                     "worst", t->worst != NULL ? point_json(t->worst)
                                               : json_null());
}

static json_t *patterns_json(const struct chorale_proofs *proofs)
{
    json_t *list = json_array();
    int bad = list == NULL;

    for (size_t i = 0; i < proofs->count && !bad; i++)
        bad = json_array_append_new(list, point_json(&proofs->row[i])) != 0;
    if (bad)
        json_decref(list);
    return bad ? NULL : list;
}

json_t *chorale_proofs_json(const struct chorale_proofs *proofs, int points)
{
    json_t *root = json_pack("{s:s, s:f, s:[], s:[]}", "digest",
                             proofs->digest, "threshold", proofs->threshold,
                             "totals", "points");
    int bad = root == NULL;

    for (int c = 0; c <= CHORALE_NCOLL && !bad; c++) {
        struct chorale_proof_total t;

        chorale_proofs_total(proofs, (enum chorale_coll)c, &t);
        if (t.npoint + t.nunknown > 0)
            bad = json_array_append_new(
                json_object_get(root, "totals"),
                total_json((enum chorale_coll)c, &t)) != 0;
    }
    for (size_t i = 0; i < proofs->count && !bad; i++)
        if (points || proofs->row[i].slower)
            bad = json_array_append_new(json_object_get(root, "points"),
                                        point_json(&proofs->row[i])) != 0;
    if (proofs->loop != NULL && !bad)
        bad = json_object_set_new(root, "back_to_back",
                                  chorale_proofs_json(proofs->loop,
                                                      points)) != 0;
    if (proofs->patterns != NULL && points && !bad)
        bad = json_object_set_new(root, "patterns", patterns_json(
                                                        proofs->patterns)) != 0;
    if (bad) {
        json_decref(root);
        return NULL;
    }
    return root;
}

static const char insert_sql[] =
    "INSERT INTO validation (system_id, digest, coll, comm_size, ppn, shape,"
    " dtype, op, root_policy, buffers, msg_size, n, choice, launches, seconds,"
    " library_seconds, speedup, speedup_lo, speedup_hi, p_slower, slower,"
    " best_speedup, note, metric, arrival)"
    " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

static enum chorale_err insert(struct chorale_store *store, sqlite3_stmt *stmt,
                               sqlite3_int64 system_id, const char *metric,
                               const struct chorale_proofs *proofs,
                               struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < proofs->count && err == CHORALE_OK; i++) {
        const struct chorale_proof *p = &proofs->row[i];

        err = chorale_store_put(
            store, stmt, 1,
            CHORALE_FIELDS(system_id, proofs->digest, coll_name(p->coll, ""),
                           p->comm_size, p->ppn, p->shape, p->dtype, p->op,
                           p->root, p->buffers, p->msg_size, p->n, p->choice,
                           p->nlaunch, p->seconds, p->library_seconds,
                           exp(p->mean), exp(p->mean - p->half),
                           exp(p->mean + p->half), p->p, p->slower,
                           exp(p->best), p->note, metric,
                           p->arrival), msg);
    }
    return err;
}

enum chorale_err chorale_proofs_store(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      const struct chorale_proofs *proofs,
                                      struct chorale_errmsg *msg)
{
    static const char drop_sql[] =
        "DELETE FROM validation WHERE system_id = ?1 AND digest = ?2";
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_begin(store, msg);

    if (err == CHORALE_OK)
        err = chorale_store_run(store, drop_sql,
                                CHORALE_FIELDS(system_id, proofs->digest), msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(store, insert_sql, &stmt, msg);
    if (err == CHORALE_OK)
        err = insert(store, stmt, system_id, "duration", proofs, msg);
    if (err == CHORALE_OK && proofs->loop != NULL)
        err = insert(store, stmt, system_id, "throughput", proofs->loop, msg);
    if (err == CHORALE_OK && proofs->patterns != NULL)
        err = insert(store, stmt, system_id, "duration", proofs->patterns, msg);
    sqlite3_finalize(stmt);
    return chorale_store_end(store, err, msg);
}
