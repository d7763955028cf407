/* SPDX-License-Identifier: BSD-3-Clause */
/* verb_import.c - `chorale import`: traces of applications into a database. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tuner/plan.h"
#include "tuner/trace_read.h"
#include "tuner/trace_show.h"
#include "tuner/verb.h"

struct opts {
    const char *label;
    int quiet;
};

/* The row of a trace that is there already, else 0. */
static enum chorale_err find(struct chorale_store *store, const char *uuid,
                             sqlite3_int64 *id_p, char what[400],
                             struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    int row = 0;
    enum chorale_err err = chorale_store_prepare(
        store, "SELECT trace_id, imported || iif(label = '', '', ' as ' ||"
               " label) FROM trace WHERE uuid = ?1", &s, msg);

    *id_p = 0;
    if (err == CHORALE_OK) {
        sqlite3_bind_text(s, 1, uuid, -1, SQLITE_STATIC);
        err = chorale_store_step(store, s, &row, msg);
    }
    if (err == CHORALE_OK && row) {
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
    const char *text[] = { t->uuid, label, now, t->program, t->mpi_library,
                           t->started, t->part };
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_prepare(
        store,
        "INSERT INTO trace (uuid, label, imported, program, mpi_library,"
        " started, part, comm_size, ranks, part_rank, wall_mean, wall_max,"
        " unlisted_calls, unlisted_seconds)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &s, msg);

    if (err != CHORALE_OK)
        return err;
    chorale_now(now);
    for (int i = 0; i < 7; i++)
        sqlite3_bind_text(s, 1 + i, text[i], -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(s, 8, t->comm_size);
    sqlite3_bind_int(s, 9, t->ranks);
    if (t->part_rank >= 0)
        sqlite3_bind_int(s, 10, t->part_rank);
    sqlite3_bind_double(s, 11, t->wall_mean);
    sqlite3_bind_double(s, 12, t->wall_max);
    sqlite3_bind_int64(s, 13, t->unlisted);
    sqlite3_bind_double(s, 14, t->unlisted_seconds);
    err = chorale_store_step(store, s, NULL, msg);
    *id_p = sqlite3_last_insert_rowid(chorale_store_db(store));
    sqlite3_finalize(s);
    return err;
}

static enum chorale_err put_point(struct chorale_store *store,
                                  sqlite3_stmt *s, sqlite3_int64 id,
                                  const struct chorale_traced *p,
                                  struct chorale_errmsg *msg)
{
    const char *text[] = { chorale_coll_info(p->coll)->name, p->shape,
                           p->dtype, p->op, p->root, p->ran };

    sqlite3_bind_int64(s, 1, id);
    for (int i = 0; i < 6; i++)
        sqlite3_bind_text(s, 2 + i, text[i], -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(s, 8, p->n);
    sqlite3_bind_int64(s, 9, p->msg_size);
    sqlite3_bind_int(s, 10, p->comm_size);
    sqlite3_bind_int64(s, 11, p->rank_calls);
    sqlite3_bind_double(s, 12, p->calls);
    sqlite3_bind_double(s, 13, p->seconds);
    sqlite3_bind_double(s, 14, p->max_seconds);
    return chorale_store_step(store, s, NULL, msg);
}

/* In a transaction of the caller's. */
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
        " max_seconds) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &s, msg);

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
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    if (err != CHORALE_OK)
        chorale_store_rollback(store);
    return err;
}

static enum chorale_err import_one(struct chorale_store *store,
                                   const char *path,
                                   const struct chorale_trace_text *t,
                                   const char *label, int quiet,
                                   struct chorale_errmsg *msg)
{
    char what[400];
    sqlite3_int64 id;
    enum chorale_err err = find(store, t->uuid, &id, what, msg);

    if (err == CHORALE_OK && id != 0) {
        fprintf(stderr, "chorale: %s: imported already, %s\n", path, what);
        return CHORALE_OK;
    }
    if (err == CHORALE_OK)
        err = put(store, t, label, &id, msg);
    if (err != CHORALE_OK || quiet)
        return err;
    printf("%s: imported\n", path);
    return chorale_trace_show(store, id, msg);
}

/* All files are read before the first is stored: a bad one costs nothing. */
static enum chorale_err import_all(const char *database, char **path, int n,
                                   struct chorale_trace_text *trace,
                                   const struct opts *opts,
                                   struct chorale_errmsg *msg)
{
    char label[CHORALE_LABEL_SIZE];
    struct chorale_store *store = NULL;
    enum chorale_err err = chorale_plan_label(opts->label, label, msg);

    for (int i = 0; i < n && err == CHORALE_OK; i++)
        err = chorale_trace_read(path[i], &trace[i], msg);
    if (err == CHORALE_OK)
        err = chorale_store_open(database, CHORALE_STORE_CREATE, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_lock(store, CHORALE_LOCK_CAMPAIGN, 0, msg);
    for (int i = 0; i < n && err == CHORALE_OK; i++)
        err = import_one(store, path[i], &trace[i], label, opts->quiet, msg);
    chorale_store_close(store);
    return err;
}

enum { MAX_FILES = 64 };

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    static struct chorale_trace_text trace[MAX_FILES];
    struct opts opts = { NULL, 0 };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 2,
                                              1 + MAX_FILES, &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    err = import_all(argv[1], argv + 2, nword - 1, trace, &opts, msg);
    for (int i = 0; i < MAX_FILES; i++)
        chorale_trace_release(&trace[i]);
    return err;
}

static const struct chorale_opt rows[] = {
    { "label", 0, CHORALE_OPT_TEXT, offsetof(struct opts, label), "TEXT",
      "what the application or its input is called; git: what git describe "
      "says here", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, quiet), NULL,
      "print nothing", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_import = {
    .name = "import",
    .args = "results.db app.trace...",
    .summary = "read which collectives an application calls",
    .detail =
        "A trace is what CHORALE_TRACE=FILE makes of a run under the shim, or"
        " of a program that calls libchorale: rank 0 writes FILE in"
        " MPI_Finalize. It says how often each collective was called with"
        " which n, number of ranks, placement, type, operation and root, what"
        " ran it, and how long the calls took. The database, which is made if"
        " it is missing, keeps it in the tables trace and trace_point, and the"
        " view v_trace shows what matters most; `chorale plan --from-trace`"
        " plans it, `chorale evaluate --trace` says what a table wins there.\n"
        "CHORALE_TRACE_SIGNAL=12 lets a process that gets SIGUSR2 write its"
        " own part so far, FILE.rank3, at its next call. A rank that calls"
        " MPI_Abort writes such a part too, and rank 0 of a program that ends"
        " without MPI_Finalize. Calls on inter-communicators are not traced.\n"
        "The file is text. Its heading says the format's version, the MPI"
        " library, the program, when it started, comm_size of MPI_COMM_WORLD,"
        " ranks, of which the sums are, part if it is one rank's only,"
        " wall_seconds from MPI_Init to MPI_Finalize (mean over ranks, and the"
        " longest), unlisted calls (wrong arguments, no memory) and their"
        " time. Then there is a row for all calls that are alike: coll, n in"
        " bytes (of gatherv, scatterv, alltoallv the mean, as no rank knows"
        " one call's), comm_size, shape, type, op, root (first, middle, last),"
        " ran, rank_calls and seconds summed over the ranks, calls (of the"
        " whole communicator), max_seconds of the rank that spent most; and"
        " the last line counts the rows.",
    .example = "CHORALE_TRACE=app.trace LD_PRELOAD=libchorale_pmpi.so mpiexec"
               " -n 4 ./app\n"
               "chorale import results.db app.trace --label app-small",
    .opt = rows,
    .run = run,
};
