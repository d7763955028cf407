/* SPDX-License-Identifier: BSD-3-Clause */
/* timings_store.c - store timings of named algorithms. */
#include "config.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/output.h"
#include "tuner/exchange/timings.h"

/* A launch, shared by the rows of one rep. */
struct launch {
    const struct chorale_timing *row; /* the first of them */
    sqlite3_int64 id;
    int is_new;
    char uuid[CHORALE_UUID_SIZE];
};

enum { FIND_CELL, PUT_CELL, FIND_RUN, PUT_RUN, PUT_SUMMARY, NSTATEMENT };

static const char *const sql[NSTATEMENT] = {
    [FIND_CELL] =
        "SELECT cell_id FROM cell WHERE system_id = ?1 AND comm_size = ?2"
        " AND msg_size = ?3 AND ppn = ?4 AND coll = ?5 AND shape = ?6"
        " AND dtype = ?7 AND op = ?8 AND root_policy = ?9 AND buffers = ?10"
        " AND metric = ?11 AND provider = ?12 AND variant = ?13"
        " AND params = ?14 AND arrival = 'sync' AND siblings = 'alone'",
    [PUT_CELL] =
        "INSERT INTO cell (system_id, comm_size, msg_size, ppn, coll, shape,"
        " dtype, op, root_policy, buffers, metric, provider, variant, params,"
        " uuid, campaign_id, n, op_class, launches)"
        " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,"
        " iif(?8 = '', '', 'builtin'), 0)",
    [FIND_RUN] =
        "SELECT s.median FROM run r JOIN run_summary s USING (run_id)"
        " WHERE r.cell_id = ?1 AND r.launch_id = ?2",
    [PUT_RUN] =
        "INSERT INTO run (uuid, cell_id, launch_id, status, validity,"
        " first_call) VALUES (?1,?2,?3,'ok',?4,?5)",
    [PUT_SUMMARY] =
        "INSERT INTO run_summary (run_id, nrep, nlate, median, lo, hi, mean,"
        " min, q25, q75, p95, p99, max)"
        " VALUES (?1,?2,0,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
};

/* The import of one file. */
struct put {
    struct chorale_store *store;
    const char *path;
    const struct chorale_timings *t;
    const struct chorale_import_as *as;
    struct chorale_imported *got;
    struct chorale_errmsg *msg;
    sqlite3_stmt *stmt[NSTATEMENT];
    void *launches;          /* a tree of struct launch */
    sqlite3_int64 system_id, campaign_id, cell_id;
    char started[32];
};

static const char *shape_of(const struct chorale_import_as *as,
                            const struct chorale_timing *row)
{
    if (row->comm_size <= row->ppn)
        return "single-node";
    if (as->shape != NULL)
        return as->shape;
    if (row->irregular || row->comm_size % row->ppn != 0)
        return "irregular";
    return row->ppn == 1 ? "one-per-node" : "block";
}

static int compare_launches(const void *x, const void *y)
{
    const struct chorale_timing *a = ((const struct launch *)x)->row;
    const struct chorale_timing *b = ((const struct launch *)y)->row;
    int d = strcmp(a->system, b->system);

    d = d != 0 ? d : strcmp(a->mpi, b->mpi);
    d = d != 0 ? d : (int)a->coll - (int)b->coll;
    d = d != 0 ? d : a->comm_size - b->comm_size;
    d = d != 0 ? d : a->ppn - b->ppn;
    d = d != 0 ? d : a->irregular - b->irregular;
    return d != 0 ? d : strcmp(a->rep, b->rep);
}

static enum chorale_err put_facts(struct put *p, sqlite3_int64 launch,
                                  const struct chorale_timing *row)
{
    const char *const fact[][2] = {
        { "import:file", chorale_output_base(p->path) },
        { "import:format", p->t->kind },
        { "import:launch", row->rep },
        { "import:seconds", p->t->seconds_text },
        { "import:missing", "samples, counters, placement, clocks" },
    };
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < sizeof(fact) / sizeof(fact[0]) &&
                       err == CHORALE_OK; i++)
        err = chorale_import_fact(p->store, launch, fact[i][0], fact[i][1],
                                  p->msg);
    return err;
}

/* The launch's number: its name, if that is a number, else the next one. */
static enum chorale_err ordinal_of(struct put *p,
                                   const struct chorale_timing *row,
                                   sqlite3_int64 *ordinal)
{
    const size_t n = strspn(row->rep, "0123456789");

    if (n > 0 && n < 10 && row->rep[n] == '\0') {
        *ordinal = strtoll(row->rep, NULL, 10);
        return CHORALE_OK;
    }
    return chorale_store_find(
        p->store, "SELECT coalesce(max(ordinal) + 1, 0) FROM launch"
        " WHERE system_id = ?1", CHORALE_FIELDS(p->system_id), 0, ordinal,
        p->msg);
}

static enum chorale_err insert_launch(struct put *p, struct launch *launch)
{
    const struct chorale_timing *row = launch->row;
    sqlite3_int64 ordinal = 0;
    enum chorale_err err = ordinal_of(p, row, &ordinal);

    if (err == CHORALE_OK && p->campaign_id == 0)
        err = chorale_import_campaign(p->store, p->system_id, p->as,
                                      &p->campaign_id, p->msg);
    if (err == CHORALE_OK)
        err = chorale_store_insert(
            p->store, "INSERT INTO launch (uuid, campaign_id, system_id,"
            " ordinal, comm_size, ppn, shape, seed, started, finished, status)"
            " VALUES (?,?,?,?,?,?,?,0,?8,?8,'done')",
            CHORALE_FIELDS(launch->uuid, p->campaign_id, p->system_id, ordinal,
                           row->comm_size, row->ppn, shape_of(p->as, row),
                           p->started), &launch->id, p->msg);
    p->got->launches++;
    return err == CHORALE_OK ? put_facts(p, launch->id, row) : err;
}

/* Add this file to a launch that another file began. */
static enum chorale_err join_launch(struct put *p, sqlite3_int64 launch,
                                    const struct chorale_timing *row)
{
    sqlite3_int64 same = 0;
    enum chorale_err err = chorale_store_find(
        p->store, "SELECT count(*) FROM environment WHERE launch_id = ?1"
        " AND key = 'import:seconds' AND value = ?2",
        CHORALE_FIELDS(launch, p->t->seconds_text), 0, &same, p->msg);

    if (err == CHORALE_OK && same == 0)
        return chorale_fail(p->msg, CHORALE_DATA, "%s: launch %.20s of system "
                            "%.40s has times that are another statistic than "
                            "the %s; give another --system, or the same "
                            "--statistic", p->path, row->rep, row->system,
                            p->t->seconds_text);
    if (err != CHORALE_OK)
        return err;
    return chorale_store_run(
        p->store, "UPDATE environment SET value = iif(length(value) > 200,"
        " rtrim(value, '. ') || ' ...', value || ', ' || ?2)"
        " WHERE launch_id = ?1 AND key = 'import:file'"
        " AND instr(', ' || value || ',', ', ' || ?2 || ',') = 0",
        CHORALE_FIELDS(launch, chorale_output_base(p->path)), p->msg);
}

/* Find or add the launch of a row. */
static enum chorale_err put_launch(struct put *p,
                                   const struct chorale_timing *row,
                                   const struct launch **launch_p)
{
    struct launch key = { .row = row }, *launch;
    struct launch *const *found = tfind(&key, &p->launches, compare_launches);
    char text[700];
    enum chorale_err err;

    if (found != NULL) {
        *launch_p = *found;
        return CHORALE_OK;
    }
    launch = calloc(1, sizeof(*launch));
    if (launch == NULL)
        return chorale_fail_memory(p->msg, p->path);
    launch->row = row;
    if (tsearch(launch, &p->launches, compare_launches) == NULL) {
        free(launch);
        return chorale_fail_memory(p->msg, p->path);
    }
    snprintf(text, sizeof(text), "timings\n%s\n%s\n%s %d %d %s\n%s",
             row->system, row->mpi, chorale_coll_info(row->coll)->name,
             row->comm_size, row->ppn, shape_of(p->as, row), row->rep);
    chorale_uuid_of(text, launch->uuid);
    err = chorale_store_find(
        p->store, "SELECT launch_id FROM launch WHERE uuid = ?1",
        CHORALE_FIELDS(launch->uuid), 0, &launch->id, p->msg);
    launch->is_new = launch->id == 0;
    if (err == CHORALE_OK)
        err = launch->is_new ? insert_launch(p, launch)
                             : join_launch(p, launch->id, row);
    *launch_p = launch;
    return err;
}

/* Find or add the cell of a row. */
static enum chorale_err put_cell(struct put *p,
                                 const struct chorale_timing *row)
{
    const char *shape = shape_of(p->as, row);
    const char *coll = chorale_coll_info(row->coll)->name;
    char uuid[CHORALE_UUID_SIZE];
    int found = 0;
    enum chorale_err err = chorale_store_bind(
        p->store, p->stmt[FIND_CELL], 1,
        CHORALE_FIELDS(p->system_id, row->comm_size, row->msg_size, row->ppn,
                       coll, shape, row->dtype, row->op, row->root,
                       row->buffers, row->metric, row->provider, row->variant,
                       row->params), p->msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(p->store, p->stmt[FIND_CELL], &found, p->msg);
    if (err == CHORALE_OK && found)
        p->cell_id = sqlite3_column_int64(p->stmt[FIND_CELL], 0);
    sqlite3_reset(p->stmt[FIND_CELL]);
    if (err != CHORALE_OK || found)
        return err;
    chorale_uuid(uuid);
    err = chorale_store_put(
        p->store, p->stmt[PUT_CELL], 1,
        CHORALE_FIELDS(p->system_id, row->comm_size, row->msg_size, row->ppn,
                       coll, shape, row->dtype, row->op, row->root,
                       row->buffers, row->metric, row->provider, row->variant,
                       row->params, uuid, p->campaign_id,
                       chorale_coll_n(row->coll, (size_t)row->msg_size,
                                      row->comm_size)), p->msg);
    p->cell_id = sqlite3_last_insert_rowid(chorale_store_db(p->store));
    return err;
}

/* Look for a run of the cell in a launch that was stored before. *there_p: it
 * has the same time. */
static enum chorale_err check_run(struct put *p, const struct launch *launch,
                                  const struct chorale_timing *row,
                                  int *there_p)
{
    double other = 0;
    int found = 0;
    enum chorale_err err = chorale_store_bind(
        p->store, p->stmt[FIND_RUN], 1,
        CHORALE_FIELDS(p->cell_id, launch->id), p->msg);

    *there_p = 0;
    if (err == CHORALE_OK)
        err = chorale_store_step(p->store, p->stmt[FIND_RUN], &found, p->msg);
    if (err == CHORALE_OK && found)
        other = sqlite3_column_double(p->stmt[FIND_RUN], 0);
    sqlite3_reset(p->stmt[FIND_RUN]);
    if (err != CHORALE_OK || !found)
        return err;
    *there_p = fabs(other - row->seconds) <= 1e-12 * other;
    return *there_p ? CHORALE_OK
                    : chorale_fail(
                          p->msg, CHORALE_DATA, "%s:%d: %s %s of %lld bytes at "
                          "P = %d takes %.4g us, and %.4g us in the database "
                          "in that launch (%.20s); give another launch or "
                          "--system", p->path, row->line,
                          chorale_coll_info(row->coll)->name, row->variant,
                          row->msg_size, row->comm_size, row->seconds * 1e6,
                          other * 1e6, row->rep);
}

static enum chorale_err put_summary(struct put *p, sqlite3_int64 run,
                                    const struct chorale_timing *row)
{
    const double t = row->seconds;
    const struct chorale_summary one = {
        .median = t, .lo = NAN, .hi = NAN, .mean = t, .min = t, .q25 = t,
        .q75 = t, .p95 = t, .p99 = t, .max = t,
    };
    const struct chorale_summary *s =
        row->calls >= 0 ? &p->t->calls[row->calls].summary : &one;

    return chorale_store_put(
        p->store, p->stmt[PUT_SUMMARY], 1,
        CHORALE_FIELDS(run, s->nrep, s->median, s->lo, s->hi, s->mean, s->min,
                       s->q25, s->q75, s->p95, s->p99, s->max), p->msg);
}

static enum chorale_err put_run(struct put *p, const struct launch *launch,
                                const struct chorale_timing *row)
{
    char text[600], uuid[CHORALE_UUID_SIZE];
    enum chorale_err err;

    snprintf(text, sizeof(text), "%s %lld %s %s %s %s %s %s %s %s",
             launch->uuid, row->msg_size, row->provider, row->variant,
             row->params, row->dtype, row->op, row->root, row->buffers,
             row->metric);
    chorale_uuid_of(text, uuid);
    err = chorale_store_put(
        p->store, p->stmt[PUT_RUN], 1,
        CHORALE_FIELDS(uuid, p->cell_id, launch->id,
                       chorale_imported_validity(row->coll, p->t->statistic),
                       row->calls >= 0 ? p->t->calls[row->calls].first_call
                                       : NAN), p->msg);
    p->got->runs++;
    return err == CHORALE_OK
               ? put_summary(p, sqlite3_last_insert_rowid(
                                    chorale_store_db(p->store)), row)
               : err;
}

/* Rows are sorted by system, then by cell. */
static enum chorale_err put_row(struct put *p, size_t i)
{
    const struct chorale_timing *row = &p->t->row[i];
    const int new_system = i == 0 || row->system != row[-1].system ||
                           row->mpi != row[-1].mpi;
    const struct launch *launch = NULL;
    sqlite3_int64 defaults = 0;
    int there = 0;
    enum chorale_err err = CHORALE_OK;

    if (new_system) {
        p->system_id = p->campaign_id = 0;
        err = chorale_import_system(p->store, row->system, row->mpi,
                                    &p->system_id, p->msg);
        p->got->systems++;
        if (err == CHORALE_OK)
            err = chorale_store_find(
                p->store, "SELECT count(*) FROM cell WHERE system_id = ?1"
                " AND provider = 'library'", CHORALE_FIELDS(p->system_id), 0,
                &defaults, p->msg);
    }
    p->got->defaults += defaults + (strcmp(row->provider, "library") == 0);
    if (err == CHORALE_OK)
        err = put_launch(p, row, &launch);
    if (err == CHORALE_OK && p->campaign_id == 0) /* it may own new cells */
        err = chorale_import_campaign(p->store, p->system_id, p->as,
                                      &p->campaign_id, p->msg);
    if (err == CHORALE_OK && (i == 0 || chorale_timings_compare(row, &row[-1])))
        err = put_cell(p, row);
    if (err == CHORALE_OK && !launch->is_new)
        err = check_run(p, launch, row, &there);
    p->got->there += there;
    return err == CHORALE_OK && !there ? put_run(p, launch, row) : err;
}

enum chorale_err chorale_timings_store(struct chorale_store *store,
                                       const char *path,
                                       const struct chorale_timings *t,
                                       const struct chorale_import_as *as,
                                       struct chorale_imported *got,
                                       struct chorale_errmsg *msg)
{
    struct put p = { .store = store, .path = path, .t = t, .as = as,
                     .got = got, .msg = msg };
    enum chorale_err err = CHORALE_OK;

    chorale_import_time(path, p.started);
    for (int i = 0; i < NSTATEMENT && err == CHORALE_OK; i++)
        err = chorale_store_prepare(store, sql[i], &p.stmt[i], msg);
    for (size_t i = 0; i < t->nrow && err == CHORALE_OK; i++)
        err = put_row(&p, i);
    for (int i = 0; i < NSTATEMENT; i++)
        sqlite3_finalize(p.stmt[i]);
    while (p.launches != NULL) {
        struct launch *launch = *(struct launch **)p.launches;

        tdelete(launch, &p.launches, compare_launches);
        free(launch);
    }
    return err;
}
