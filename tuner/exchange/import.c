/* SPDX-License-Identifier: BSD-3-Clause */
/* import.c - import traces, tables and timings into a database. */
#include "config.h"

#include "tuner/exchange/import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/exchange/timings.h"
#include "tuner/exchange/trace_read.h"
#include "tuner/exchange/trace_show.h"
#include "tuner/base/arrival.h"
#include "tuner/base/units.h"

/* One file to import: a trace, benchmark tables, or timings of algorithms. */
struct source {
    int left_out;            /* its text is invalid, or the database has
                              * contradicting times */
    int tables, named;       /* named: timings */
    struct chorale_trace_text trace;
    struct chorale_foreign foreign;
    struct chorale_timings timings;
};

/* Find a trace that was already imported; *id_p is its row, or 0. */
static enum chorale_err find(struct chorale_store *store, const char *uuid,
                             sqlite3_int64 *id_p, char what[400],
                             struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT trace_id, imported || iif(label = '', '', ' as ' ||"
        " label) FROM trace WHERE uuid = ?1", CHORALE_FIELDS(uuid), &s, msg);

    *id_p = 0;
    if (chorale_store_next(store, s, &err, msg)) {
        *id_p = sqlite3_column_int64(s, 0);
        snprintf(what, 400, "%s", chorale_text(s, 1));
    }
    sqlite3_finalize(s);
    return err;
}

static enum chorale_err put_trace(struct chorale_store *store,
                                  const struct chorale_trace_text *t,
                                  const char *label, sqlite3_int64 *id_p,
                                  struct chorale_errmsg *msg)
{
    char now[32];

    chorale_time_now(now);
    return chorale_store_insert(
        store,
        "INSERT INTO trace (uuid, label, imported, program, mpi_library,"
        " started, part, comm_size, ranks, part_rank, wall_mean, wall_max,"
        " unlisted_calls, unlisted_seconds)"
        " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,nullif(?10, -1),?11,?12,?13,?14)",
        CHORALE_FIELDS(t->uuid, label, now, t->program, t->mpi_library,
                       t->started, t->part, t->comm_size, t->ranks,
                       t->part_rank, t->wall_mean, t->wall_max, t->unlisted,
                       t->unlisted_seconds), id_p, msg);
}

static enum chorale_err put_point(struct chorale_store *store,
                                  sqlite3_stmt *s, sqlite3_int64 id,
                                  const struct chorale_traced *p,
                                  struct chorale_errmsg *msg)
{
    char arrival[CHORALE_ARRIVAL_SIZE] = "";

    if (p->comm_size >= 2 && !isnan(p->skew))
        chorale_arrival_of_trace(p->comm_size, p->skew, p->late, p->trend,
                                 p->latest,
                                 p->seconds / (double)p->rank_calls, arrival);
    return chorale_store_put(
        store, s, 1,
        CHORALE_FIELDS(id, chorale_coll_info(p->coll)->name, p->shape, p->dtype,
                       p->op, p->root, p->ran, p->n, p->msg_size, p->comm_size,
                       p->rank_calls, p->calls, p->seconds, p->max_seconds,
                       p->skew, p->late, p->trend,
                       p->latest < 0 ? NAN : (double)p->latest, arrival),
        msg);
}

/* Insert the points, in a transaction of the caller. */
static enum chorale_err put_points(struct chorale_store *store,
                                   const struct chorale_trace_text *t,
                                   sqlite3_int64 id,
                                   struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_prepare(
        store,
        "INSERT INTO trace_point (trace_id, coll, shape, dtype, op,"
        " root, ran, n, msg_size, comm_size, rank_calls, calls, seconds,"
        " max_seconds, skew, late, trend, latest, arrival)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &s, msg);

    for (size_t i = 0; i < t->npoint && err == CHORALE_OK; i++)
        err = put_point(store, s, id, &t->point[i], msg);
    sqlite3_finalize(s);
    return err;
}

static enum chorale_err put(struct chorale_store *store,
                            const struct chorale_trace_text *t,
                            const char *label, sqlite3_int64 *id_p,
                            struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_begin(store, msg);

    if (err == CHORALE_OK)
        err = put_trace(store, t, label, id_p, msg);
    if (err == CHORALE_OK)
        err = put_points(store, t, *id_p, msg);
    return chorale_store_end(store, err, msg);
}

/* Store a trace. *id_p: its row, or 0 if it was imported before. */
static enum chorale_err import_trace(struct chorale_store *store,
                                     const char *path,
                                     const struct chorale_trace_text *t,
                                     const char *label, sqlite3_int64 *id_p,
                                     struct chorale_errmsg *msg)
{
    char what[400];
    enum chorale_err err = find(store, t->uuid, id_p, what, msg);

    if (err == CHORALE_OK && *id_p != 0) {
        fprintf(stderr, "chorale: %s: imported already, %s\n", path, what);
        *id_p = 0;
        return CHORALE_OK;
    }
    return err == CHORALE_OK ? put(store, t, label, id_p, msg) : err;
}

static enum chorale_err read_source(const char *path, struct source *source,
                                    const struct chorale_import_as *as,
                                    struct chorale_errmsg *msg)
{
    const int named = chorale_timings_named(path, as);
    enum chorale_err err = chorale_timings_read(path, as, &source->named,
                                                &source->timings, msg);

    if (err != CHORALE_OK || source->named)
        return err;
    err = chorale_foreign_read(path, named, &source->tables, &source->foreign,
                               msg);
    if (err == CHORALE_OK && source->tables && named) {
        source->named = 1;
        return chorale_timings_of_tables(path, &source->foreign, as,
                                         &source->timings, msg);
    }
    if (err == CHORALE_OK && source->tables)
        err = chorale_timings_refuse_forced(path, &source->foreign, msg);
    if (err != CHORALE_OK)
        return err;
    return source->tables
               ? chorale_import_check(path, &source->foreign, as, msg)
               : chorale_trace_read(path, &source->trace, msg);
}

static void show_timings(const char *path, const struct chorale_timings *t,
                         const struct chorale_imported *got)
{
    printf("%s: %ld run%s of %s in %ld new launch%s of %ld system%s; a time is "
           "the %s\n", path, got->runs, got->runs == 1 ? "" : "s", t->kind,
           got->launches, got->launches == 1 ? "" : "es", got->systems,
           chorale_plural(got->systems), t->seconds_text);
    for (size_t i = 0; i < t->nnote; i++)
        printf("  note: %s\n", t->note[i]);
    if (got->defaults == 0 && strcmp(t->kind, "CSV") == 0)
        printf("  note: no row is of the library's default, with which "
               "decisions compare; --default NAME names it\n");
}

static enum chorale_err import_timings(struct chorale_store *store,
                                       const char *path,
                                       const struct chorale_timings *t,
                                       const struct chorale_import_as *as,
                                       int quiet, struct chorale_errmsg *msg)
{
    struct chorale_imported got = { 0 };
    enum chorale_err err = chorale_store_begin(store, msg);

    if (err == CHORALE_OK)
        err = chorale_timings_store(store, path, t, as, &got, msg);
    err = chorale_store_end(store, err, msg);
    if (err != CHORALE_OK)
        return err;
    if (got.there > 0)
        fprintf(stderr, "chorale: %s: %ld row%s imported already\n", path,
                got.there, got.there == 1 ? " was" : "s were");
    if (!quiet && got.runs > 0)
        show_timings(path, t, &got);
    return CHORALE_OK;
}

static void show_tables(const char *path, const struct chorale_foreign *f,
                        const struct chorale_imported *got)
{
    printf("%s: %ld run%s of %s%s%s in %ld launch%s\n", path, got->runs,
           got->runs == 1 ? "" : "s", f->kind,
           f->version[0] != '\0' ? " " : "", f->version, got->launches,
           got->launches == 1 ? "" : "es");
    for (size_t i = 0; i < f->nnote; i++)
        printf("  left out or assumed: %s\n", f->note[i]);
}

static enum chorale_err import_tables(struct chorale_store *store,
                                      const char *path,
                                      const struct chorale_foreign *f,
                                      const struct chorale_import_as *as,
                                      struct chorale_imported *all, int quiet,
                                      struct chorale_errmsg *msg)
{
    struct chorale_imported got = { .campaign_id = all->campaign_id };
    enum chorale_err err = chorale_store_begin(store, msg);

    if (err == CHORALE_OK)
        err = chorale_import_rows(store, path, f, as, &got, msg);
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    if (err != CHORALE_OK) {
        chorale_store_rollback(store);
        return err;
    }
    all->campaign_id = got.campaign_id;
    if (got.there > 0)
        fprintf(stderr, "chorale: %s: imported already into system %s\n",
                path, as->system != NULL ? as->system
                                         : CHORALE_IMPORT_SYSTEM);
    if (!quiet && got.launches > 0)
        show_tables(path, f, &got);
    return CHORALE_OK;
}

/* Whether a file may be left out while others are stored. */
static int is_files_fault(enum chorale_err err)
{
    return err == CHORALE_DATA;
}

/* Name a file that is left out; in *why the message of the first one. */
static void leave_out(struct source *source, const struct chorale_errmsg *msg,
                      int count, struct chorale_errmsg *why)
{
    source->left_out = 1;
    if (why->text[0] == '\0')
        *why = *msg;
    if (count > 1)
        fprintf(stderr, "chorale: left out: %s\n", msg->text);
}

/* Store the files that were read, each in its own transaction. A file whose
 * times contradict the database is left out. */
static enum chorale_err store_all(struct chorale_store *store,
                                  char *const *path, int n,
                                  struct source *source,
                                  const struct chorale_import_as *as,
                                  int quiet, struct chorale_errmsg *why,
                                  struct chorale_errmsg *msg)
{
    struct chorale_imported all = { 0 };
    enum chorale_err err = CHORALE_OK;

    for (int i = 0; i < n && err == CHORALE_OK; i++) {
        sqlite3_int64 trace = 0;

        if (source[i].left_out)
            continue;
        err = source[i].named
                  ? import_timings(store, path[i], &source[i].timings, as,
                                   quiet, msg)
              : source[i].tables
                  ? import_tables(store, path[i], &source[i].foreign, as,
                                  &all, quiet, msg)
                  : import_trace(store, path[i], &source[i].trace, as->label,
                                 &trace, msg);
        if (is_files_fault(err)) {
            leave_out(&source[i], msg, n, why);
            err = CHORALE_OK;
        } else if (err == CHORALE_OK && trace != 0 && !quiet) {
            /* The file is stored; an error of this output does not undo
             * that. */
            printf("%s: imported\n", path[i]);
            err = chorale_trace_show(store, trace, msg);
        }
    }
    return err;
}

/* Read all files. A file with invalid text is left out, and of several files
 * one that cannot be opened. A missing option ends the import. */
static enum chorale_err read_all(char *const *path, int n,
                                 struct source *source,
                                 const struct chorale_import_as *as,
                                 struct chorale_errmsg *why,
                                 struct chorale_errmsg *msg)
{
    for (int i = 0; i < n; i++) {
        enum chorale_err err = read_source(path[i], &source[i], as, msg);

        if (is_files_fault(err) ||
            (err == CHORALE_ENV && n > 1 && access(path[i], R_OK) != 0))
            leave_out(&source[i], msg, n, why);
        else if (err != CHORALE_OK)
            return err;
    }
    return CHORALE_OK;
}

static int count_left_out(const struct source *source, int n)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        count += source[i].left_out;
    return count;
}

enum chorale_err chorale_files_import(const char *path, char *const *file,
                                      int count,
                                      const struct chorale_import_as *as,
                                      int quiet, struct chorale_errmsg *msg)
{
    struct source *source = calloc((size_t)count, sizeof(*source));
    struct chorale_store *store = NULL;
    struct chorale_errmsg why = { "" };
    enum chorale_err err;
    int out;

    if (source == NULL)
        return chorale_fail_memory(msg, "import");
    err = read_all(file, count, source, as, &why, msg);
    if (err == CHORALE_OK && count_left_out(source, count) < count) {
        err = chorale_store_open(path, CHORALE_STORE_CREATE, &store, msg);
        if (err == CHORALE_OK)
            err = chorale_store_lock(store, CHORALE_LOCK_CAMPAIGN,
                                     CHORALE_LOCK_PATIENCE, msg);
        if (err == CHORALE_OK)
            err = store_all(store, file, count, source, as, quiet, &why, msg);
        chorale_store_close(store);
    }
    out = count_left_out(source, count);
    if (err == CHORALE_OK && out == 1 && count == 1) {
        *msg = why;
        err = CHORALE_DATA;
    } else if (err == CHORALE_OK && out > 0) {
        err = chorale_fail(msg, out < count ? CHORALE_NO : CHORALE_DATA,
                           "%s: %d of %d file%s left out; the lines above say "
                           "why", path, out, count, chorale_plural(count));
    }
    for (int i = 0; i < count; i++) {
        chorale_trace_release(&source[i].trace);
        chorale_foreign_release(&source[i].foreign);
        chorale_timings_release(&source[i].timings);
    }
    free(source);
    return err;
}
