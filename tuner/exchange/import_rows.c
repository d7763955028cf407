/* SPDX-License-Identifier: BSD-3-Clause */
/* import_rows.c - store tables of other benchmarks in the database. */
#include "config.h"

#include "tuner/exchange/import_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "db/remarks.h"
#include "tuner/base/output.h"

/* The import of one file. */
struct put {
    struct chorale_store *store;
    const char *path;
    const struct chorale_foreign *f;
    const struct chorale_import_as *as;
    struct chorale_imported *got;
    char started[32];
    struct chorale_errmsg *msg;
};

static long procs_of(const struct chorale_import_as *as,
                     const struct chorale_foreign_row *row)
{
    return row->comm_size > 0 ? row->comm_size : as->procs;
}

static const char *shape_of(const struct chorale_import_as *as, long procs)
{
    if (procs <= as->ppn)
        return "single-node";
    if (as->shape != NULL)
        return as->shape;
    return as->ppn == 1 ? "one-per-node"
                        : procs % as->ppn == 0 ? "block" : "irregular";
}

static long ppn_of(const struct chorale_import_as *as, long procs)
{
    return procs < as->ppn ? procs : as->ppn;
}

static double seconds_of(const struct chorale_import_as *as,
                         const struct chorale_foreign_row *row)
{
    return as->slowest ? row->max : isfinite(row->p50) ? row->p50 : row->avg;
}

static enum chorale_statistic statistic_of(const struct chorale_import_as *as)
{
    return as->slowest ? CHORALE_STATISTIC_MAX : CHORALE_STATISTIC_MEAN;
}

/* The statistic over the calls. Few versions of OSU print percentiles. */
static const char *over_calls(const struct put *p)
{
    for (size_t i = 0; i < p->f->nrow && !p->as->slowest; i++)
        if (isfinite(p->f->row[i].p50))
            return "p50";
    return "mean";
}

static int far_apart(double a, double b)
{
    return a > CHORALE_IMPORT_FACTOR * b || b > CHORALE_IMPORT_FACTOR * a;
}

/* Refuse a row: the named file has a very different time, other [s], for the
 * same point. */
static enum chorale_err refuse_time(const char *path,
                                    const struct chorale_import_as *as,
                                    const struct chorale_foreign_row *row,
                                    double other, const char *file,
                                    struct chorale_errmsg *msg)
{
    return chorale_fail(
        msg, CHORALE_DATA, "%s:%d: %s of %lld bytes at P = %ld takes "
        "%.4g us, and %.4g us in %s; import each placement with its "
        "--ppn, else add --label", path, row->line,
        chorale_coll_info(row->coll)->name, row->msg_size, procs_of(as, row),
        seconds_of(as, row) * 1e6, other * 1e6, file);
}

/* Compare the times that a file has for one point. */
static enum chorale_err check_repeats(const char *path,
                                      const struct chorale_foreign *f,
                                      const struct chorale_import_as *as,
                                      struct chorale_errmsg *msg)
{
    for (size_t i = 0; i < f->nrow && as->label[0] == '\0'; i++)
        for (size_t k = 0; k < i && f->row[i].pass > 0; k++) {
            const double other = seconds_of(as, &f->row[k]);

            if (chorale_foreign_same_point(&f->row[i], &f->row[k]) &&
                far_apart(seconds_of(as, &f->row[i]), other))
                return refuse_time(path, as, &f->row[i], other,
                                   chorale_output_base(path), msg);
        }
    return CHORALE_OK;
}

enum chorale_err chorale_import_check(const char *path,
                                      const struct chorale_foreign *f,
                                      const struct chorale_import_as *as,
                                      struct chorale_errmsg *msg)
{
    if (as->statistic >= 0)
        return chorale_fail(msg, CHORALE_USAGE, "--statistic: the heading of %s "
                            "states what a time is; use --time", path);
    if (as->ppn == 0 && as->procs == 0 && f->nrow > 0 &&
        f->row[0].comm_size == 0)
        return chorale_fail(msg, CHORALE_USAGE, "%s: neither the number of "
                            "ranks nor that of ranks per node is known; add "
                            "-P N --ppn N", path);
    if (as->ppn == 0)
        return chorale_fail(msg, CHORALE_USAGE, "%s: the number of ranks per "
                            "node is unknown; add --ppn N", path);
    for (size_t i = 0; i < f->nrow; i++) {
        const struct chorale_foreign_row *row = &f->row[i];

        if (row->comm_size == 0 && as->procs == 0)
            return chorale_fail(msg, CHORALE_USAGE, "%s: %s does not print "
                                "the number of ranks; add -P N",
                                path, f->kind);
        if (row->comm_size > 0 && as->procs > 0)
            return chorale_fail(msg, CHORALE_USAGE, "-P %ld: %s contains the "
                                "number of ranks; leave -P out",
                                as->procs, path);
        if (as->slowest && !isfinite(row->max))
            return chorale_fail(msg, CHORALE_USAGE, "--time slowest: %s:%d "
                                "has only the mean; run the benchmark with "
                                "-f, or leave --time out", path, row->line);
        if (!(seconds_of(as, row) > 0))
            return chorale_fail(msg, CHORALE_DATA, "%s:%d: the time is 0, "
                                "below the printed resolution; remove the line",
                                path, row->line);
    }
    return check_repeats(path, f, as, msg);
}

enum chorale_err chorale_import_system(struct chorale_store *store,
                                       const char *name, const char *mpi,
                                       sqlite3_int64 *id_p,
                                       struct chorale_errmsg *msg)
{
    char signature[600], uuid[CHORALE_UUID_SIZE], now[32];
    sqlite3_int64 named = 0;
    enum chorale_err err;

    snprintf(signature, sizeof(signature), "imported\nname %s\nmpi %s", name,
             mpi);
    err = chorale_store_find(
        store, "SELECT system_id FROM system WHERE signature = ?1",
        CHORALE_FIELDS(signature), 0, id_p, msg);
    if (err != CHORALE_OK || *id_p != 0)
        return err;
    err = chorale_store_find(
        store, "SELECT system_id FROM system WHERE name = ?1",
        CHORALE_FIELDS(name), 0, &named, msg);
    if (err == CHORALE_OK && named != 0)
        return chorale_fail(msg, CHORALE_USAGE, "--system %s: %s has a "
                            "system of that name that was measured, or "
                            "imported with another --mpi; give another name",
                            name, chorale_store_path(store));
    if (err != CHORALE_OK)
        return err;
    chorale_uuid_of(signature, uuid);
    chorale_time_now(now);
    return chorale_store_insert(
        store, "INSERT INTO system (uuid, name, kind, signature,"
        " mpi_library, created) VALUES (?,?,'real',?,?,?)",
        CHORALE_FIELDS(uuid, name, signature, mpi, now), id_p, msg);
}

enum chorale_err chorale_import_campaign(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         const struct chorale_import_as *as,
                                         sqlite3_int64 *id_p,
                                         struct chorale_errmsg *msg)
{
    char uuid[CHORALE_UUID_SIZE], now[32];

    chorale_uuid(uuid);
    chorale_time_now(now);
    return chorale_store_insert(
        store, "INSERT INTO campaign (uuid, system_id, created, command,"
        " seed, launches, nrep_min, nrep_max, nwarmup, target_width,"
        " cell_seconds, max_memory, sync, racing, launcher, label)"
        " VALUES (?,?,?,?,0,1,1,1,0,0,0,0,'barrier',0,'custom',?)",
        CHORALE_FIELDS(uuid, system_id, now, as->command, as->label), id_p,
        msg);
}

enum chorale_err chorale_import_fact(struct chorale_store *store,
                                     sqlite3_int64 launch, const char *key,
                                     const char *value,
                                     struct chorale_errmsg *msg)
{
    if (value == NULL || value[0] == '\0')
        return CHORALE_OK;
    return chorale_store_run(
        store, "INSERT INTO environment (launch_id, key, value)"
        " VALUES (?,?,?)", CHORALE_FIELDS(launch, key, value), msg);
}

void chorale_import_time(const char *path, char text[32])
{
    struct stat st;
    struct tm tm;

    /* Few benchmarks print the date. */
    chorale_time_now(text);
    if (stat(path, &st) == 0 && gmtime_r(&st.st_mtime, &tm) != NULL)
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static const char *system_of(const struct chorale_import_as *as)
{
    return as->system != NULL ? as->system : CHORALE_IMPORT_SYSTEM;
}

static const char *mpi_of(const struct chorale_import_as *as)
{
    return as->mpi != NULL ? as->mpi : CHORALE_IMPORT_MPI;
}

/* Document in the environment where the numbers come from. */
static enum chorale_err put_facts(struct put *p, sqlite3_int64 launch)
{
    const struct chorale_foreign *f = p->f;
    char format[64], seconds[96];
    const char *const fact[][2] = {
        { "import:file", chorale_output_base(p->path) },
        { "import:format", format },
        { "import:command", f->command },
        { "import:date", f->date },
        { "import:seconds", seconds },
        { "import:missing", "samples, intervals within a launch, counters, "
              "placement, clocks; q25, q75, p95 and p99 repeat the time "
              "unless p99 was printed; min and max are of means of ranks" },
    };
    enum chorale_err err = CHORALE_OK;

    snprintf(seconds, sizeof(seconds), "%s, %s over calls",
             chorale_statistic_text(statistic_of(p->as)), over_calls(p));
    snprintf(format, sizeof(format), "%s%s%s", f->kind,
             f->version[0] != '\0' ? " " : "", f->version);
    for (size_t i = 0; i < sizeof(fact) / sizeof(fact[0]) &&
                       err == CHORALE_OK; i++)
        err = chorale_import_fact(p->store, launch, fact[i][0], fact[i][1],
                                  p->msg);
    return err;
}

static enum chorale_err insert_launch(struct put *p, const char *uuid,
                                      long procs, sqlite3_int64 ordinal,
                                      sqlite3_int64 *launch_p)
{
    return chorale_store_insert(
        p->store, "INSERT INTO launch (uuid, campaign_id, system_id, ordinal,"
        " comm_size, ppn, shape, seed, started, finished, status)"
        " VALUES (?,?,?,?,?,?,?,0,?8,?8,'done')",
        CHORALE_FIELDS(uuid, p->got->campaign_id, p->got->system_id, ordinal,
                       procs, ppn_of(p->as, procs), shape_of(p->as, procs),
                       p->started), launch_p, p->msg);
}

/* The launch of one pass with procs ranks. *there_p: it was imported before. */
static enum chorale_err put_launch(struct put *p, long procs, int pass,
                                   sqlite3_int64 *launch_p, int *there_p)
{
    char text[900], uuid[CHORALE_UUID_SIZE];
    sqlite3_int64 ordinal = 0;
    enum chorale_err err;

    snprintf(text, sizeof(text), "%s %s\n%s\n%ld %ld %s %d %d", p->f->uuid,
             system_of(p->as), mpi_of(p->as), procs, p->as->ppn,
             shape_of(p->as, procs), pass, p->as->slowest);
    chorale_uuid_of(text, uuid);
    err = chorale_store_find(
        p->store, "SELECT launch_id FROM launch WHERE uuid = ?1",
        CHORALE_FIELDS(uuid), 0, launch_p, p->msg);
    *there_p = err == CHORALE_OK && *launch_p != 0;
    if (err != CHORALE_OK || *there_p)
        return err;
    if (p->got->campaign_id == 0) /* one for all files of a command */
        err = chorale_import_campaign(p->store, p->got->system_id, p->as,
                                      &p->got->campaign_id, p->msg);
    if (err == CHORALE_OK)
        err = chorale_store_find(
            p->store, "SELECT coalesce(max(ordinal) + 1, 0) FROM launch"
            " WHERE system_id = ?1", CHORALE_FIELDS(p->got->system_id), 0,
            &ordinal, p->msg);
    if (err == CHORALE_OK)
        err = insert_launch(p, uuid, procs, ordinal, launch_p);
    return err == CHORALE_OK ? put_facts(p, *launch_p) : err;
}

static enum chorale_err put_cell(struct put *p,
                                 const struct chorale_foreign_row *row,
                                 sqlite3_int64 *cell_p)
{
    const long procs = procs_of(p->as, row);
    const char *coll = chorale_coll_info(row->coll)->name;
    char uuid[CHORALE_UUID_SIZE];
    enum chorale_err err = chorale_store_find(
        p->store, "SELECT cell_id FROM cell WHERE system_id = ?1"
        " AND comm_size = ?2 AND msg_size = ?3 AND ppn = ?4 AND coll = ?5"
        " AND shape = ?6 AND dtype = ?7 AND op = ?8 AND root_policy = ?9"
        " AND buffers = ?10 AND metric = ?11 AND provider = 'library'"
        " AND arrival = 'sync' AND siblings = 'alone'"
        " AND variant = 'default' AND params = ''",
        CHORALE_FIELDS(p->got->system_id, procs, row->msg_size,
                       ppn_of(p->as, procs), coll, shape_of(p->as, procs),
                       row->dtype, row->op, row->root, row->buffers,
                       row->metric), 0, cell_p, p->msg);

    if (err != CHORALE_OK || *cell_p != 0)
        return err;
    chorale_uuid(uuid);
    return chorale_store_insert(
        p->store, "INSERT INTO cell (system_id, comm_size, msg_size, ppn,"
        " coll, shape, dtype, op, root_policy, buffers, metric, uuid,"
        " campaign_id, n, provider, variant, op_class, launches)"
        " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,'library',"
        " 'default', iif(?8 = '', '', 'builtin'), 0)",
        CHORALE_FIELDS(p->got->system_id, procs, row->msg_size,
                       ppn_of(p->as, procs), coll, shape_of(p->as, procs),
                       row->dtype, row->op, row->root, row->buffers,
                       row->metric, uuid, p->got->campaign_id,
                       chorale_coll_n(row->coll, (size_t)row->msg_size,
                                      (int)procs)), cell_p, p->msg);
}

static enum chorale_err put_summary(struct put *p, sqlite3_int64 run,
                                    const struct chorale_foreign_row *row)
{
    const double t = seconds_of(p->as, row);

    return chorale_store_run(
        p->store, "INSERT INTO run_summary (run_id, nrep, nlate, median, mean,"
        " min, q25, q75, p95, p99, max) VALUES (?1,?2,0,?3,?4,?5,?3,?3,?3,?6,"
        " ?7)",
        CHORALE_FIELDS(run, row->nrep, t, row->avg,
                       isfinite(row->min) ? row->min : t,
                       isfinite(row->p99) ? row->p99 : t,
                       isfinite(row->max) ? row->max : t), p->msg);
}

/* Compare a time with those that the cell has already. */
static enum chorale_err check_times(struct put *p, sqlite3_int64 cell,
                                    const struct chorale_foreign_row *row)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err;

    if (p->as->label[0] != '\0')
        return CHORALE_OK;
    err = chorale_store_query(
        p->store, "SELECT s.median, e.value FROM run r"
        " JOIN run_summary s USING (run_id) LEFT JOIN environment e"
        " ON e.launch_id = r.launch_id AND e.key = 'import:file'"
        " WHERE r.cell_id = ?1 AND (s.median > ?2 * ?3 OR s.median * ?3 < ?2)"
        " LIMIT 1", CHORALE_FIELDS(cell, seconds_of(p->as, row),
                                   CHORALE_IMPORT_FACTOR), &s, p->msg);
    if (chorale_store_next(p->store, s, &err, p->msg))
        err = refuse_time(p->path, p->as, row, sqlite3_column_double(s, 0),
                          chorale_text(s, 1), p->msg);
    sqlite3_finalize(s);
    return err;
}

static enum chorale_err put_run(struct put *p, sqlite3_int64 cell,
                                sqlite3_int64 launch,
                                const struct chorale_foreign_row *row)
{
    char uuid[CHORALE_UUID_SIZE];
    sqlite3_int64 run = 0;
    enum chorale_err err;

    chorale_uuid(uuid);
    err = chorale_store_insert(
        p->store, "INSERT INTO run (uuid, cell_id, launch_id, status,"
        " validity, sync) VALUES (?,?,?,'ok',?,?)",
        CHORALE_FIELDS(uuid, cell, launch,
                       chorale_imported_validity(row->coll,
                                                 statistic_of(p->as)),
                       strcmp(row->metric, "duration") == 0 ? "barrier" : ""),
        &run, p->msg);
    p->got->runs++;
    return err == CHORALE_OK ? put_summary(p, run, row) : err;
}

/* Store all rows of one pass with equally many ranks, from row `first` on. */
static enum chorale_err put_pass(struct put *p, size_t first)
{
    const struct chorale_foreign_row *a = &p->f->row[first];
    const long procs = procs_of(p->as, a);
    sqlite3_int64 launch = 0, cell = 0;
    int there = 0;
    enum chorale_err err = put_launch(p, procs, a->pass, &launch, &there);

    if (err != CHORALE_OK || there) {
        p->got->there += there;
        return err;
    }
    p->got->launches++;
    for (size_t i = first; i < p->f->nrow && err == CHORALE_OK; i++) {
        const struct chorale_foreign_row *row = &p->f->row[i];

        if (row->pass != a->pass || procs_of(p->as, row) != procs)
            continue;
        err = put_cell(p, row, &cell);
        if (err == CHORALE_OK)
            err = check_times(p, cell, row);
        if (err == CHORALE_OK)
            err = put_run(p, cell, launch, row);
    }
    return err;
}

static int is_first(const struct put *p, size_t i)
{
    const struct chorale_foreign_row *row = p->f->row;

    for (size_t k = 0; k < i; k++)
        if (row[k].pass == row[i].pass &&
            procs_of(p->as, &row[k]) == procs_of(p->as, &row[i]))
            return 0;
    return 1;
}

enum chorale_err chorale_import_rows(struct chorale_store *store,
                                     const char *path,
                                     const struct chorale_foreign *f,
                                     const struct chorale_import_as *as,
                                     struct chorale_imported *got,
                                     struct chorale_errmsg *msg)
{
    struct put p = { .store = store, .path = path, .f = f, .as = as,
                     .got = got, .msg = msg };
    enum chorale_err err = chorale_import_system(
        store, system_of(as), mpi_of(as), &got->system_id, msg);

    chorale_import_time(path, p.started);
    for (size_t i = 0; i < f->nrow && err == CHORALE_OK; i++)
        if (is_first(&p, i))
            err = put_pass(&p, i);
    return err;
}
