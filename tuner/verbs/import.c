/* SPDX-License-Identifier: BSD-3-Clause */
/* import.c - the verb `import`: reads traces of applications, and tables of
 * other benchmarks, into a database. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tuner/exchange/import_rows.h"
#include "tuner/plan/plan.h"
#include "tuner/exchange/trace_read.h"
#include "tuner/exchange/trace_show.h"
#include "tuner/base/verb.h"

struct opts {
    const char *label, *system, *mpi, *shape, *time;
    long procs, ppn;
    int quiet;
};

/* One file to import: a trace, or benchmark tables. */
struct source {
    int tables;
    struct chorale_trace_text trace;
    struct chorale_foreign foreign;
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

    chorale_now(now);
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
    return chorale_store_put(
        store, s, 1,
        CHORALE_FIELDS(id, chorale_coll_info(p->coll)->name, p->shape, p->dtype,
                       p->op, p->root, p->ran, p->n, p->msg_size, p->comm_size,
                       p->rank_calls, p->calls, p->seconds, p->max_seconds),
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
    return chorale_store_end(store, err, msg);
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

/* Read the options that apply to tables. */
static enum chorale_err read_as(const struct opts *opts,
                                struct chorale_import_as *as,
                                struct chorale_errmsg *msg)
{
    static const char *const shapes[] = { "single-node", "one-per-node",
                                          "block", "cyclic", "irregular" };
    const char *const names[] = { opts->system, opts->mpi };
    int known = opts->shape == NULL;

    for (size_t i = 0; !known && i < sizeof(shapes) / sizeof(shapes[0]); i++)
        known = strcmp(shapes[i], opts->shape) == 0;
    if (!known)
        return chorale_fail(msg, CHORALE_USAGE, "--shape %s: unknown; use "
                            "single-node, one-per-node, block, cyclic and "
                            "irregular", opts->shape);
    if (strcmp(opts->time, "mean") != 0 && strcmp(opts->time, "slowest") != 0)
        return chorale_fail(msg, CHORALE_USAGE, "--time %s: unknown; use mean "
                            "or slowest", opts->time);
    for (int i = 0; i < 2; i++)
        if (names[i][0] == '\0' || strlen(names[i]) > 100)
            return chorale_fail(msg, CHORALE_USAGE, "--%s: has %zu "
                                "characters; use 1 to 100",
                                i == 0 ? "system" : "mpi", strlen(names[i]));
    if (opts->procs > 0 && opts->ppn > opts->procs)
        return chorale_fail(msg, CHORALE_USAGE, "--ppn %ld: -P %ld has fewer "
                            "ranks; give how many of them a node "
                            "had", opts->ppn, opts->procs);
    as->system = opts->system;
    as->mpi = opts->mpi;
    as->procs = opts->procs;
    as->ppn = opts->ppn;
    as->shape = opts->shape;
    as->slowest = strcmp(opts->time, "slowest") == 0;
    return CHORALE_OK;
}

static enum chorale_err read_source(const char *path, struct source *source,
                                    const struct chorale_import_as *as,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_foreign_read(path, &source->tables,
                                                &source->foreign, msg);

    if (err != CHORALE_OK)
        return err;
    return source->tables
               ? chorale_import_check(path, &source->foreign, as, msg)
               : chorale_trace_read(path, &source->trace, msg);
}

static void show_tables(const char *path, const struct chorale_foreign *f,
                        const struct chorale_imported *got)
{
    printf("%s: %ld run%s of %s%s%s in %ld launch%s\n", path, got->runs,
           got->runs == 1 ? "" : "s", f->kind,
           f->version[0] != '\0' ? " " : "", f->version, got->launches,
           got->launches == 1 ? "" : "es");
    for (int i = 0; i < f->nnote; i++)
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
                path, as->system);
    if (!quiet && got.launches > 0)
        show_tables(path, f, &got);
    return CHORALE_OK;
}

static enum chorale_err store_all(struct chorale_store *store, char **path,
                                  int n, const struct source *source,
                                  const struct chorale_import_as *as,
                                  int quiet, struct chorale_errmsg *msg)
{
    struct chorale_imported all = { 0 };
    enum chorale_err err = CHORALE_OK;

    for (int i = 0; i < n && err == CHORALE_OK; i++)
        err = source[i].tables
                  ? import_tables(store, path[i], &source[i].foreign, as,
                                  &all, quiet, msg)
                  : import_one(store, path[i], &source[i].trace, as->label,
                               quiet, msg);
    return err;
}

/* Read all files before storing any, so that a bad file changes nothing. */
static enum chorale_err import_all(const char *database, char **path, int n,
                                   struct source *source,
                                   const struct opts *opts,
                                   const char *command,
                                   struct chorale_errmsg *msg)
{
    char label[CHORALE_LABEL_SIZE];
    struct chorale_import_as as = { .label = label, .command = command };
    struct chorale_store *store = NULL;
    enum chorale_err err = chorale_plan_label(opts->label, label, msg);

    if (err == CHORALE_OK)
        err = read_as(opts, &as, msg);
    for (int i = 0; i < n && err == CHORALE_OK; i++)
        err = read_source(path[i], &source[i], &as, msg);
    if (err == CHORALE_OK)
        err = chorale_store_open(database, CHORALE_STORE_CREATE, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_lock(store, CHORALE_LOCK_CAMPAIGN,
                                 CHORALE_LOCK_PATIENCE, msg);
    if (err == CHORALE_OK)
        err = store_all(store, path, n, source, &as, opts->quiet, msg);
    chorale_store_close(store);
    return err;
}

enum { MAX_FILES = 64 };

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    static struct source source[MAX_FILES];
    struct opts opts = { .system = "imported", .mpi = "not known",
                         .time = "mean" };
    char command[1024];
    int nword = 0;
    enum chorale_err err;

    chorale_command_text(argc, argv, command, sizeof(command));
    err = chorale_opts_parse(verb, argc, argv, &opts, 2, 1 + MAX_FILES,
                             &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    err = import_all(argv[1], argv + 2, nword - 1, source, &opts, command,
                     msg);
    for (int i = 0; i < MAX_FILES; i++) {
        chorale_trace_release(&source[i].trace);
        chorale_foreign_release(&source[i].foreign);
    }
    return err;
}

static const struct chorale_opt rows[] = {
    { "label", 0, CHORALE_OPT_TEXT, offsetof(struct opts, label), "TEXT",
      "name of the application, its input or the measurement; git: the output "
      "of git describe", 0, 0 },
    { "procs", 'P', CHORALE_OPT_INT, offsetof(struct opts, procs), "N",
      "for OSU tables, which lack it: number of ranks", 1,
      1 << 24 },
    { "ppn", 0, CHORALE_OPT_INT, offsetof(struct opts, ppn), "N",
      "for tables: ranks a node", 1, 1 << 20 },
    { "shape", 0, CHORALE_OPT_TEXT, offsetof(struct opts, shape), "SHAPE",
      "for tables: placement of ranks on several nodes, one-per-node, block, "
      "cyclic or irregular (default: block where possible)", 0, 0 },
    { "time", 0, CHORALE_OPT_TEXT, offsetof(struct opts, time), "WHICH",
      "for tables: mean, over ranks and calls, which all tables have; "
      "slowest, the rank that took longest, which is closer to a duration "
      "here and which IMB and OSU's -f print (default: mean)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "for tables: name of the new system (default: imported)", 0, 0 },
    { "mpi", 0, CHORALE_OPT_TEXT, offsetof(struct opts, mpi), "TEXT",
      "for tables: the MPI library and its version, which tables lack "
      "(default: unknown)", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, quiet), NULL,
      "print nothing", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_import = {
    .name = "import",
    .args = "results.db FILE...",
    .summary = "read traces of applications, and tables of OSU and IMB",
    .detail =
        "A trace is the file that a run under the shim, or a program that "
        "calls libchorale, writes with CHORALE_TRACE=FILE; rank 0 writes it "
        "in MPI_Finalize. It lists how often each collective was called with "
        "which n, number of ranks, placement, type, operation and root, which "
        "variant ran, and how long the calls took. The database is made if it "
        "is missing. It keeps the trace in the tables trace and trace_point; "
        "view v_trace lists the most important points. `chorale plan "
        "--from-trace` plans it, and `chorale evaluate --trace` predicts the "
        "gain of a table.\n"
        "With CHORALE_TRACE_SIGNAL=12 a process that gets SIGUSR2 writes its "
        "own part so far, FILE.rank3, at its next call. A rank that calls "
        "MPI_Abort writes such a part too, and so does rank 0 of a program "
        "that ends without MPI_Finalize. Calls on inter-communicators are not "
        "traced.\n"
        "The file is text. Its heading has the format's version, the MPI "
        "library, the program, its start time, comm_size of MPI_COMM_WORLD, "
        "the number of ranks in the sums, part if the file is of one rank "
        "only, wall_seconds from MPI_Init to MPI_Finalize (mean over ranks, "
        "and the longest), unlisted calls (wrong arguments, no memory) and "
        "their time. Each further row is for all calls that are alike: coll, "
        "n in bytes (for gatherv, scatterv, alltoallv the mean, as no rank "
        "knows it for one call), comm_size, shape, type, op, root (first, "
        "middle, last), ran, rank_calls and seconds summed over the ranks, "
        "calls (of the whole communicator), max_seconds of the rank that "
        "spent most. The last line counts the rows.\n"
        "A FILE may also be the output of the OSU Micro-Benchmarks (osu_bcast "
        "etc., with -f or without) or of IMB-MPI1, including surrounding "
        "lines of a log. Barrier, bcast, reduce, allreduce, "
        "reduce_scatter_block, gather, scatter, allgather and alltoall become "
        "runs of the library's default in a separate system, so that they are "
        "never mixed with measurements here. A file that has a point several "
        "times gives as many launches. `chorale compare`, `plot`, `export` "
        "and the views treat them like others; their validity is imported. "
        "Tables of other benchmarks, of v-collectives and of "
        "MPI_Reduce_scatter, whose blocks are equal there and not here, are "
        "left out with a message.\n"
        "Values that such tables lack are not invented: there are no samples, "
        "no interval within a launch, no counters. The time of a run is p50 "
        "if printed, else the mean; missing quantiles repeat it; "
        "run_summary.nrep is 0 if the number of calls is not printed. IMB "
        "before 2017 calls back to back; its metric is throughput, which is "
        "never decided upon or compared. The launch's rows of environment "
        "whose keys begin with import: record this, and the file's name.",
    .example = "CHORALE_TRACE=app.trace LD_PRELOAD=libchorale_pmpi.so mpiexec"
               " -n 4 ./app\n"
               "chorale import results.db app.trace --label app-small\n"
               "chorale import old.db osu-*.txt -P 64 --ppn 32 --label before\n"
               "chorale import old.db imb.log --ppn 32 --mpi 'MPICH 4.0.2'",
    .opt = rows,
    .run = run,
};
