/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture.c - a database of simulated measurements for unit tests. */
#include "tests/unit/tuner/fixture.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/coll.h"
#include "tuner/base/verb.h"

#define MAX_WORDS 16

static void check(int ok, const char *what)
{
    if (ok)
        return;
    printf("Bail out! %s\n", what);
    exit(1);
}

/* Prepare a statement, bind the texts and step once. */
static void execute(struct fixture *f, const char *sql, int n,
                    const char *const *text)
{
    struct chorale_errmsg msg = { "" };
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_prepare(f->store, sql, &stmt, &msg);

    for (int i = 0; i < n && err == CHORALE_OK; i++)
        sqlite3_bind_text(stmt, i + 1, text[i], -1, SQLITE_TRANSIENT);
    if (err == CHORALE_OK)
        err = chorale_store_step(f->store, stmt, NULL, &msg);
    sqlite3_finalize(stmt);
    check(err == CHORALE_OK, msg.text);
}

void fixture_open(struct fixture *f, const char *system, int simulated)
{
    const char *text[] = { system, simulated ? "simulated" : "real" };
    struct chorale_errmsg msg = { "" };

    snprintf(f->dir, sizeof(f->dir), "unit-fixture-XXXXXX");
    check(mkdtemp(f->dir) != NULL, "cannot make a folder");
    snprintf(f->path, sizeof(f->path), "%s/results.db", f->dir);
    check(chorale_store_open(f->path, CHORALE_STORE_CREATE, &f->store, &msg) ==
              CHORALE_OK, msg.text);
    fixture_exec(f, "PRAGMA synchronous = OFF"); /* the file is temporary */
    execute(f, "INSERT INTO system (system_id, uuid, name, kind, signature,"
            " mpi_library, created) VALUES (1, 'system-1', ?1, ?2, 's',"
            " 'An MPI 1.0', '2026-01-01T00:00:00Z')", 2, text);
    fixture_exec(f, "INSERT INTO campaign (campaign_id, uuid, system_id,"
                 " created, command, seed, launches, nrep_min, nrep_max,"
                 " nwarmup, target_width, cell_seconds, max_memory, sync,"
                 " launcher) VALUES (1,"
                 " '01234567-89ab-cdef-0123-456789abcdef', 1,"
                 " '2026-01-01T00:00:00Z', 'chorale plan', 1, 4, 5, 50, 1,"
                 " 0.05, 1, 1000000, 'roundtime', 'mpiexec')");
}

static void add_summary(struct fixture *f, const char *uuid, double seconds)
{
    char value[40];
    const char *text[] = { uuid, value };

    snprintf(value, sizeof(value), "%.17g", seconds);
    execute(f, "INSERT INTO run_summary (run_id, nrep, nlate, median, mean,"
            " min, q25, q75, p95, p99, max) SELECT run_id, 9, 0,"
            " CAST(?2 AS REAL), CAST(?2 AS REAL), CAST(?2 AS REAL),"
            " CAST(?2 AS REAL), CAST(?2 AS REAL), CAST(?2 AS REAL),"
            " CAST(?2 AS REAL), CAST(?2 AS REAL) FROM run WHERE uuid = ?1",
            2, text);
}

void fixture_add(struct fixture *f, const struct fixture_run *r)
{
    int coll = chorale_coll_find(r->coll);
    const char *shape = r->shape != NULL ? r->shape : "one-per-node";
    const char *status = r->status != NULL ? r->status : "ok";
    const char *dtype = r->dtype != NULL ? r->dtype : "byte";
    const char *op = r->op != NULL ? r->op : "";
    char p[16], ppn[16], m[24], n[24], ordinal[16];
    char cell[256], launch[128], run[400];
    const char *cells[] = { cell, r->provider, r->variant, r->params, r->coll,
                            m, n, p, ppn, shape, dtype, op };
    const char *launches[] = { launch, ordinal, p, ppn, shape };
    const char *runs[] = { run, cell, launch, status };

    check(coll >= 0, "no such collective");
    snprintf(p, sizeof(p), "%d", r->comm_size);
    snprintf(ppn, sizeof(ppn), "%d", r->ppn);
    snprintf(m, sizeof(m), "%ld", r->m);
    snprintf(n, sizeof(n), "%zu", chorale_coll_n((enum chorale_coll)coll,
                                                 (size_t)r->m, r->comm_size));
    snprintf(ordinal, sizeof(ordinal), "%d", r->ordinal);
    snprintf(launch, sizeof(launch), "l %s %s %s %s", p, ppn, shape, ordinal);
    snprintf(cell, sizeof(cell), "c %s %s %s %s %s %s %s %s %s %s", r->coll,
             r->provider, r->variant, r->params, m, p, ppn, shape, dtype, op);
    snprintf(run, sizeof(run), "%s %s", cell, launch);
    execute(f, "INSERT OR IGNORE INTO cell (uuid, campaign_id, system_id,"
            " provider, variant, params, coll, msg_size, n, comm_size, ppn,"
            " shape, dtype, op, root_policy, buffers, launches) VALUES"
            " (?1, 1, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
            " 'rotate', 'warm', 4)", 12, cells);
    execute(f, "INSERT OR IGNORE INTO launch (uuid, campaign_id, system_id,"
            " ordinal, comm_size, ppn, shape, seed, started, status) VALUES"
            " (?1, 1, 1, ?2, ?3, ?4, ?5, 1, '', 'done')", 5, launches);
    execute(f, "INSERT INTO run (uuid, cell_id, launch_id, status) SELECT"
            " ?1, (SELECT cell_id FROM cell WHERE uuid = ?2),"
            " (SELECT launch_id FROM launch WHERE uuid = ?3), ?4", 4, runs);
    if (strcmp(status, "ok") == 0)
        add_summary(f, run, r->seconds);
}

void fixture_exec(struct fixture *f, const char *sql)
{
    struct chorale_errmsg msg = { "" };

    check(chorale_store_exec(f->store, sql, &msg) == CHORALE_OK, msg.text);
}

const char *fixture_text(struct fixture *f, const char *sql)
{
    static char value[8192];
    struct chorale_errmsg msg = { "" };
    sqlite3_stmt *stmt = NULL;
    int row = 0;

    value[0] = '\0';
    check(chorale_store_prepare(f->store, sql, &stmt, &msg) == CHORALE_OK &&
          chorale_store_step(f->store, stmt, &row, &msg) == CHORALE_OK,
          msg.text);
    if (row && sqlite3_column_text(stmt, 0) != NULL)
        snprintf(value, sizeof(value), "%s", sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return value;
}

/* Redirect standard output to out.txt; returns the saved descriptor. */
static int redirect(struct fixture *f)
{
    char path[160];
    int fd, saved;

    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    snprintf(path, sizeof(path), "%s/out.txt", f->dir);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    check(saved >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0,
          "cannot redirect");
    close(fd);
    return saved;
}

enum chorale_err fixture_verb(struct fixture *f,
                              const struct chorale_verb *verb,
                              struct chorale_errmsg *msg, ...)
{
    char name[32], text[MAX_WORDS][160], *argv[MAX_WORDS + 1];
    const char *word;
    enum chorale_err err;
    int argc = 1, saved;
    va_list ap;

    snprintf(name, sizeof(name), "%s", verb->name);
    argv[0] = name;
    va_start(ap, msg);
    while (argc < MAX_WORDS && (word = va_arg(ap, const char *)) != NULL) {
        if (strcmp(word, "@db") == 0)
            snprintf(text[argc], sizeof(text[argc]), "%s", f->path);
        else if (strncmp(word, "@dir/", 5) == 0)
            snprintf(text[argc], sizeof(text[argc]), "%s/%s", f->dir,
                     word + 5);
        else
            snprintf(text[argc], sizeof(text[argc]), "%s", word);
        argv[argc] = text[argc];
        argc++;
    }
    va_end(ap);
    argv[argc] = NULL;
    msg->text[0] = '\0';
    saved = redirect(f);
    err = verb->run(verb, argc, argv, msg);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    return err;
}

int fixture_output_has(const struct fixture *f, const char *text)
{
    char path[160], line[1024];
    int found = 0;
    FILE *in;

    snprintf(path, sizeof(path), "%s/out.txt", f->dir);
    in = fopen(path, "r");
    check(in != NULL, "no output");
    while (!found && fgets(line, sizeof(line), in) != NULL)
        found = strstr(line, text) != NULL;
    fclose(in);
    return found;
}

const char *fixture_file(const struct fixture *f, const char *name)
{
    static char text[256 * 1024];
    char path[160];
    size_t got = 0;
    FILE *in;

    snprintf(path, sizeof(path), "%s/%s", f->dir, name);
    in = fopen(path, "r");
    if (in != NULL) {
        got = fread(text, 1, sizeof(text) - 1, in);
        fclose(in);
    }
    text[got] = '\0';
    return text;
}

void fixture_close(struct fixture *f)
{
    char command[96];

    chorale_store_close(f->store);
    snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
    if (system(command) != 0)
        printf("# cannot remove %s\n", f->dir);
}
