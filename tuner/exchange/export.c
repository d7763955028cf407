/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c - the stage `export`: writes a database's contents as CSV or JSON,
 * row by row. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/coll.h"
#include "db/snapshot.h"
#include "db/systems.h"
#include "tuner/exchange/export.h"
#include "tuner/base/suggest.h"
#include "tuner/base/output.h"
#include "tuner/base/process.h"
#include "tuner/base/units.h"

/* ?1: collectives, ?2: numbers of ranks, each as ",a,b," or NULL for all; ?3:
 * system or NULL. `system` is an expression for the system's name. */
#define WANTED_PROCS(coll, procs, system)                                   \
    " WHERE (?1 IS NULL OR instr(?1, ',' || " coll " || ',') > 0)"          \
    " AND (?2 IS NULL OR " procs ") AND (?3 IS NULL OR " system " = ?3)"
#define WANTED(coll, comm_size, system)                                     \
    WANTED_PROCS(coll, "instr(?2, ',' || " comm_size " || ',') > 0", system)
/* 1 if a wanted number of ranks is in the range of a row. A forged range is cut
 * off after 65536. */
#define IN_RANGE                                                            \
    "EXISTS (WITH RECURSIVE p(n) AS (SELECT d.comm_size UNION ALL"          \
    " SELECT n + 1 FROM p WHERE n < d.comm_size_hi LIMIT 65536)"            \
    " SELECT 1 FROM p WHERE instr(?2, ',' || n || ',') > 0)"
#define WANTED_CELL WANTED("c.coll", "c.comm_size", "y.name")
#define WANTED_VIEW WANTED("coll", "comm_size", "system") " ORDER BY cell_id"
#define POINT                                                               \
    "y.name AS system, c.coll, c.msg_size, c.n, c.comm_size, c.ppn,"        \
    " c.shape, c.provider, c.variant, c.params, c.dtype, c.op,"             \
    " c.root_policy, c.buffers, c.arrival, c.siblings, c.metric"
#define CELL "cell c ON c.cell_id = r.cell_id"
/* 1 if the system's table is exploratory. */
#define MARK(system_id)                                                     \
    "EXISTS (SELECT 1 FROM policy m WHERE m.system_id = " system_id         \
    " AND m.exploratory <> '') AS exploratory"
#define SYSTEM "system y ON y.system_id = c.system_id"
/* In order of launches, and of runs within each: merging does not change it. */
#define RUNS                                                                \
    " FROM launch l NOT INDEXED CROSS JOIN run r"                           \
    " ON r.launch_id = l.launch_id CROSS JOIN " CELL " CROSS JOIN " SYSTEM

struct dataset {
    const char *name;
    const char *sql;
    int no_coll;             /* -c does not apply */
};

static const struct dataset datasets[] = {
    { "summary", "SELECT * FROM v_summary" WANTED_VIEW, 0 },
    { "samples",
      "SELECT " POINT ", l.uuid AS launch, l.ordinal, r.uuid AS run, s.rep,"
      " s.seconds, s.first_in, s.last_in, s.root_out, s.root, s.flags" RUNS
      " CROSS JOIN sample s ON s.run_id = r.run_id" WANTED_CELL
      " ORDER BY l.launch_id, r.run_id, s.rep", 0 },
    { "speedup", "SELECT *, " MARK("v.system_id") " FROM v_speedup v"
      WANTED_VIEW, 0 },
    { "best", "SELECT *, " MARK("v.system_id") " FROM v_best v"
      WANTED_VIEW, 0 },
    { "runs",
      "SELECT " POINT ", l.uuid AS launch, l.ordinal, l.started,"
      " r.uuid AS run, r.status, r.reason, r.stop_reason, r.validity,"
      " r.first_call, r.sync, r.batch, r.separator, r.clock_error, r.skew,"
      " u.nrep, u.nlate, u.median, u.lo, u.hi, u.mean, u.min, u.q25, u.q75,"
      " u.p95, u.p99, u.max" RUNS
      " LEFT JOIN run_summary u ON u.run_id = r.run_id" WANTED_CELL
      " ORDER BY l.launch_id, r.run_id", 0 },
    { "counters",
      "SELECT " POINT ", l.uuid AS launch, l.ordinal, r.uuid AS run, k.rank,"
      " k.event, k.value" RUNS
      " CROSS JOIN counter k ON k.run_id = r.run_id" WANTED_CELL
      " ORDER BY l.launch_id, r.run_id, k.event, k.rank", 0 },
    { "environment",
      "SELECT y.name AS system, l.uuid AS launch, l.ordinal, l.started,"
      " l.comm_size, l.ppn, l.shape, e.key, e.value FROM launch l NOT INDEXED"
      " CROSS JOIN system y ON y.system_id = l.system_id"
      " CROSS JOIN environment e ON e.launch_id = l.launch_id"
      WANTED("'x'", "l.comm_size", "y.name")
      " ORDER BY l.launch_id, e.key", 1 },
    { "decisions",
      "SELECT y.name AS system, d.coll, d.comm_size,"
      " max(d.comm_size, d.comm_size_hi) AS comm_size_hi, d.ppn, d.shape,"
      " d.dtype, d.op, d.n_lo, d.n_hi, d.provider, d.variant, d.params,"
      " d.basis, d.seconds, d.library_seconds, d.speedup, d.speedup_lo,"
      " d.speedup_hi, d.regret, d.reason, d.arrival, " MARK("d.system_id")
      " FROM decision d"
      " CROSS JOIN system y ON y.system_id = d.system_id"
      " AND d.target = 'dispatch'" /* as v_decision has them */
      WANTED_PROCS("d.coll", IN_RANGE, "y.name") " ORDER BY d.decision_id", 0 },
    { "cells",
      "SELECT " POINT ", c.op_class, c.launches, c.part,"
      " c.uuid AS cell,"
      " p.uuid AS campaign FROM cell c NOT INDEXED"
      " CROSS JOIN system y ON y.system_id = c.system_id"
      " CROSS JOIN campaign p ON p.campaign_id = c.campaign_id" WANTED_CELL
      " ORDER BY c.cell_id", 0 },
};

#define NDATASET (sizeof(datasets) / sizeof(datasets[0]))

static const struct chorale_export_format *const formats[] = {
    &chorale_export_csv, &chorale_export_json,
};

/* State of one call. */
struct job {
    const struct chorale_export_opts *opts;
    const struct dataset *data;
    const struct chorale_export_format *format;
    struct chorale_store *store;
    struct chorale_anonymous *anon; /* NULL: not anonymized */
    char *collectives, *procs;      /* ",a,b,"; NULL: all */
    struct chorale_errmsg *msg;
};

/* Check that every word of --collectives is a collective. */
static enum chorale_err check_collectives(struct job *job)
{
    const char *list = job->opts->collectives;
    char word[32], text[CHORALE_SUGGEST_SIZE];
    int got = 0;

    if (list == NULL)
        return CHORALE_OK;
    if (job->data->no_coll)
        return chorale_fail(job->msg, CHORALE_USAGE, "--collectives: %s has no"
                            " collectives; leave it out", job->data->name);
    for (size_t k = 0; (got = chorale_spec_word(list, k, word,
                                                sizeof(word))) == 1; k++)
        if (chorale_coll_find(word) < 0)
            return chorale_fail(job->msg, CHORALE_USAGE, "--collectives: '%s' "
                                "is no collective; %s", word,
                                chorale_suggest_coll(
                                    word, "see `chorale list`", text));
    if (got < 0)
        return chorale_fail(job->msg, CHORALE_USAGE, "--collectives: a word "
                            "of '%s' is too long; see `chorale list`", list);
    job->collectives = sqlite3_mprintf(",%s,", list);
    return job->collectives != NULL
               ? CHORALE_OK
               : chorale_fail_memory(job->msg, NULL);
}

static enum chorale_err check_procs(struct job *job)
{
    sqlite3_str *text;
    long *value = NULL;
    size_t count = 0;
    enum chorale_err err;

    if (job->opts->procs == NULL)
        return CHORALE_OK;
    err = chorale_spec_list("-P", job->opts->procs, 1, &value, &count,
                            job->msg);
    if (err != CHORALE_OK)
        return err;
    text = sqlite3_str_new(NULL);
    for (size_t i = 0; i < count; i++)
        sqlite3_str_appendf(text, ",%ld", value[i]);
    sqlite3_str_appendall(text, ",");
    job->procs = sqlite3_str_finish(text);
    free(value);
    return job->procs != NULL
               ? CHORALE_OK
               : chorale_fail_memory(job->msg, NULL);
}

static enum chorale_err check_words(struct job *job)
{
    const struct chorale_export_opts *opts = job->opts;
    const char *format = opts->json ? "json" : "csv";
    char names[200] = "";
    size_t used = 0;

    for (size_t i = 0; i < NDATASET; i++)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
                                 i > 0 ? "," : "", datasets[i].name);
    for (size_t i = 0; i < NDATASET; i++)
        if (strcmp(datasets[i].name, opts->what) == 0)
            job->data = &datasets[i];
    if (job->data == NULL)
        return chorale_word_check("--what", opts->what, names, job->msg);
    if (opts->csv + opts->json + (opts->format != NULL) > 1)
        return chorale_fail(job->msg, CHORALE_USAGE, "export: --csv, --json "
                            "and --format each name a format; give one");
    if (opts->format != NULL)
        format = opts->format;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i]->name, format) == 0)
            job->format = formats[i];
    if (job->format == NULL)
        return chorale_word_check("--format", format, "csv,json", job->msg);
    return CHORALE_OK;
}

/* Copy a database that is being measured. A reader blocks commits, and the
 * consumer of the rows may be slow. */
static enum chorale_err take_copy(struct job *job, const char *path)
{
    struct chorale_copy copy = { "", "" };
    sqlite3_int64 count;
    enum chorale_err err;

    err = chorale_store_exec(job->store, "BEGIN", job->msg);
    if (err == CHORALE_OK)
        err = chorale_store_int(job->store,
                                "SELECT count(*) FROM sqlite_master", 0,
                                &count, job->msg);
    if (err == CHORALE_OK)
        err = chorale_copy_make(&copy, path, 0, job->msg);
    chorale_store_close(job->store);
    job->store = NULL;
    if (err == CHORALE_OK)
        err = chorale_store_open(copy.file, CHORALE_STORE_READ, &job->store,
                                 job->msg);
    if (err != CHORALE_OK)
        chorale_copy_rename(&copy, path, job->msg);
    chorale_copy_remove(&copy);
    return err;
}

static enum chorale_err open_store(struct job *job, const char *path)
{
    sqlite3_int64 id;
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_READ,
                                              &job->store, job->msg);

    if (err == CHORALE_OK && job->opts->system != NULL)
        err = chorale_store_system(job->store, job->opts->system, &id, NULL,
                                   job->msg);
    if (err == CHORALE_OK &&
        (chorale_store_locked(job->store, CHORALE_LOCK_CAMPAIGN) ||
         chorale_store_locked(job->store, CHORALE_LOCK_RUNNER)))
        err = take_copy(job, path);
    if (err == CHORALE_OK)
        chorale_store_stop(job->store, chorale_stop_requested);
    if (err == CHORALE_OK && job->opts->anonymize)
        err = chorale_anonymous_new(job->store, &job->anon, job->msg);
    return err;
}

static enum chorale_err write_fail(const struct chorale_output *out, int error,
                                   struct chorale_errmsg *msg)
{
    if (out->path != NULL)
        return chorale_output_fail(out, error, msg);
    if (error == EPIPE)
        return chorale_fail(msg, CHORALE_ENV, "standard output: %s, as its "
                            "reader ended before all was written; read all, "
                            "or name a file with -o", strerror(error));
    return chorale_fail(msg, CHORALE_ENV, "standard output: %s, and the output "
                        "is incomplete; free some space, and repeat the "
                        "command", strerror(error));
}

/* Write the rows, until the first error of reading or writing. */
static enum chorale_err write_rows(struct job *job, sqlite3_stmt *stmt,
                                   const struct chorale_output *out)
{
    size_t columns = (size_t)sqlite3_column_count(stmt);
    const char **text = calloc(columns, sizeof(*text));
    FILE *stream = out->stream;
    enum chorale_err err = CHORALE_OK;
    long long n = 0;
    int row = 0;

    if (text == NULL)
        return chorale_fail_memory(job->msg, NULL);
    errno = 0;
    job->format->begin(stream, stmt);
    while (err == CHORALE_OK && !ferror(stream) &&
           !chorale_stop_requested() &&
           (err = chorale_store_step(job->store, stmt, &row, job->msg)) ==
               CHORALE_OK && row)
        if (job->anon == NULL ||
            chorale_anonymous_row(job->anon, stmt, text)) {
            errno = 0;
            job->format->row(stream, stmt, text, n++);
        }
    if (err == CHORALE_OK && chorale_stop_requested())
        err = CHORALE_STOPPED;
    if (err == CHORALE_OK && !ferror(stream)) {
        errno = 0;
        job->format->end(stream);
    }
    if (err == CHORALE_OK && (ferror(stream) || fflush(stream) != 0))
        err = write_fail(out, errno != 0 ? errno : EIO, job->msg);
    free(text);
    return err;
}

static enum chorale_err export_rows(struct job *job,
                                    const struct chorale_output *out)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        job->store, job->data->sql,
        CHORALE_FIELDS(job->collectives, job->procs, job->opts->system), &stmt,
        job->msg);

    if (err == CHORALE_OK)
        err = write_rows(job, stmt, out);
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err export_to(struct job *job, const char *path)
{
    struct chorale_output out = { NULL, NULL, NULL };
    enum chorale_err err = open_store(job, path);

    if (err == CHORALE_OK && job->opts->output == NULL) {
        /* A closed pipe is reported as an ordinary error. */
        signal(SIGPIPE, SIG_IGN);
        out.stream = stdout;
        err = export_rows(job, &out);
        out.stream = NULL;
    } else if (err == CHORALE_OK) {
        err = chorale_output_open(&out, job->opts->output, "", job->msg);
        if (err == CHORALE_OK)
            err = export_rows(job, &out);
        if (err == CHORALE_OK)
            err = chorale_output_close(&out, job->msg);
        if (err == CHORALE_OK)
            err = chorale_output_commit(&out, job->msg);
    }
    chorale_output_release(&out);
    return err;
}

enum chorale_err chorale_database_export(const char *path,
                                         const struct chorale_export_opts *opts,
                                         struct chorale_errmsg *msg)
{
    struct job job = { .opts = opts, .msg = msg };
    enum chorale_err err = check_words(&job);

    if (err == CHORALE_OK)
        err = check_collectives(&job);
    if (err == CHORALE_OK)
        err = check_procs(&job);
    if (err == CHORALE_OK && opts->output != NULL)
        err = chorale_output_file(opts->output, path, msg);
    if (err == CHORALE_OK) {
        chorale_stop_catch();
        err = export_to(&job, path);
    }
    if (err != CHORALE_OK && chorale_stop_requested())
        err = chorale_fail(msg, CHORALE_STOPPED, "export: stopped before the "
                           "end%s%s; repeat the command to start again",
                           opts->output != NULL ? ", without writing " : "",
                           opts->output != NULL ? opts->output : "");
    chorale_anonymous_free(job.anon);
    chorale_store_close(job.store);
    sqlite3_free(job.collectives);
    sqlite3_free(job.procs);
    return err;
}
