/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - the verb `report`: one page about one system. */
#include "plots/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plots/figures.h"
#include "tuner/base/output.h"
#include "tuner/base/process.h"
#include "tuner/base/verb.h"

struct opts {
    const char *output, *system;
    int anonymize, quiet;
};

static const struct chorale_opt rows[] = {
    { "output", 'o', CHORALE_OPT_TEXT, offsetof(struct opts, output), "FILE",
      "the page to write, replaced when all is written (default: the "
      "database's name with -report.html for .db)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "the system, where there are several", 0, 0 },
    { "anonymize", 0, CHORALE_OPT_FLAG, offsetof(struct opts, anonymize), NULL,
      "leave out or replace hosts, users, accounts, paths, command lines and "
      "names of systems and programs", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, quiet), NULL,
      "do not print the page's name", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

/* As told, or the database's name with -report.html for .db; NULL: out of
 * memory. */
static char *output_path(const struct opts *opts, const char *db_path)
{
    static const char suffix[] = "-report.html";
    size_t len = strlen(db_path);
    char *path;

    if (opts->output != NULL)
        return strdup(opts->output);
    if (len > 3 && strcmp(db_path + len - 3, ".db") == 0)
        len -= 3;
    path = malloc(len + sizeof(suffix));
    if (path != NULL) {
        memcpy(path, db_path, len);
        memcpy(path + len, suffix, sizeof(suffix));
    }
    return path;
}

/* The output is a file, and not the database. */
static enum chorale_err check_output(const char *output, const char *db_path,
                                     struct chorale_errmsg *msg)
{
    struct stat st, db;

    if (output[0] == '\0')
        return chorale_fail(msg, CHORALE_USAGE, "-o: the name is empty; name "
                            "a file to write");
    if (stat(output, &st) != 0)
        return CHORALE_OK;
    if (!S_ISREG(st.st_mode))
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: is not a file; name a "
                            "file to write", output);
    if (stat(db_path, &db) == 0 && db.st_dev == st.st_dev &&
        db.st_ino == st.st_ino)
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: is the database "
                            "itself; name another file", output);
    return CHORALE_OK;
}

/* Something was measured of it. */
static enum chorale_err check_measured(struct chorale_report *report)
{
    sqlite3_int64 count = 0;
    char sql[120];
    enum chorale_err err;

    snprintf(sql, sizeof(sql), "SELECT count(*) FROM v_summary WHERE system_id"
             " = %lld", (long long)report->system.id);
    err = chorale_store_int(report->store, sql, 0, &count, report->msg);
    if (err == CHORALE_OK && count == 0)
        err = chorale_fail(report->msg, CHORALE_DATA, "%s: nothing measured "
                           "yet; `chorale run %s` does",
                           chorale_store_path(report->store),
                           chorale_store_path(report->store));
    return err;
}

/* The name that the page says: the system's, or what stands for it. */
static void take_name(struct chorale_report *report, sqlite3_stmt *stmt,
                      void *arg)
{
    const char *text[1] = { NULL };
    char **name = arg;

    if (report->anon != NULL)
        chorale_anonymous_row(report->anon, stmt, text);
    free(*name);
    *name = strdup(text[0] != NULL ? text[0] : chorale_text(stmt, 0));
}

static enum chorale_err load(struct chorale_report *report,
                             const struct opts *opts)
{
    sqlite3_int64 npoint = 0, imported = 0;
    char sql[128];
    enum chorale_err err;

    err = chorale_store_system(report->store, opts->system, &report->system.id,
                               &report->system.simulated, report->msg);
    if (err == CHORALE_OK)
        err = check_measured(report);
    if (err == CHORALE_OK && opts->anonymize)
        err = chorale_anonymous_new(report->store, &report->anon, report->msg);
    if (err == CHORALE_OK)
        err = chorale_report_query(report, "SELECT name AS system FROM system "
                                   "WHERE system_id = ?1", take_name,
                                   &report->system.name);
    if (err == CHORALE_OK && report->system.name == NULL)
        err = chorale_fail_memory(report->msg, NULL);
    snprintf(sql, sizeof(sql), "SELECT signature GLOB 'imported*' FROM system"
             " WHERE system_id = %lld", (long long)report->system.id);
    if (err == CHORALE_OK)
        err = chorale_store_int(report->store, sql, 0, &imported, report->msg);
    report->system.imported = imported != 0;
    if (err == CHORALE_OK)
        err = chorale_figures_proofs(report->store, &report->system,
                                     &report->proofs, &report->validated,
                                     report->msg);
    if (err == CHORALE_OK)
        err = chorale_store_int(report->store, "SELECT count(*) FROM "
                                "trace_point", 0, &npoint, report->msg);
    report->traced = npoint > 0;
    return err;
}

static enum chorale_err write_page(struct chorale_report *report,
                                   const char *path)
{
    struct chorale_output out = { NULL, NULL, NULL };
    char dir[PATH_MAX];
    enum chorale_err err = chorale_folder_make(dir, report->msg);

    if (err != CHORALE_OK)
        return err;
    report->dir = dir;
    err = chorale_output_open(&out, path, "", report->msg);
    if (err == CHORALE_OK) {
        report->out = out.stream;
        err = chorale_report_page(report);
    }
    if (err == CHORALE_OK)
        err = chorale_output_close(&out, report->msg);
    if (err == CHORALE_OK)
        err = chorale_output_commit(&out, report->msg);
    chorale_output_release(&out);
    chorale_folder_remove(dir);
    return err;
}

static enum chorale_err report_to(const char *db_path, const char *path,
                                  const struct opts *opts,
                                  struct chorale_errmsg *msg)
{
    const char *base = strrchr(db_path, '/');
    struct chorale_report report = { .msg = msg };
    enum chorale_err err;

    report.path = opts->anonymize ? "results.db" : db_path;
    report.database = opts->anonymize ? "results.db"
                      : base != NULL ? base + 1 : db_path;
    err = chorale_store_open(db_path, CHORALE_STORE_READ, &report.store, msg);
    if (err == CHORALE_OK)
        err = load(&report, opts);
    if (err == CHORALE_OK)
        err = write_page(&report, path);
    chorale_proofs_release(&report.proofs);
    chorale_anonymous_free(report.anon);
    free(report.system.name);
    chorale_store_close(report.store);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .output = NULL };
    char *path;
    int nword;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    path = output_path(&opts, argv[1]);
    if (path == NULL)
        return chorale_fail_memory(msg, NULL);
    err = check_output(path, argv[1], msg);
    if (err == CHORALE_OK) {
        chorale_stop_catch();
        err = report_to(argv[1], path, &opts, msg);
    }
    if (err == CHORALE_OK && !opts.quiet)
        printf("%s\n", path);
    free(path);
    return err;
}

const struct chorale_verb chorale_verb_report = {
    .name = "report",
    .args = "results.db",
    .summary = "write one HTML page that shows a system's result",
    .detail =
        "The page is one file that asks for nothing else: pictures are in it, "
        "and its policy lets a browser load nothing. It has what was won over "
        "the library's default, with intervals, and where that number is from; "
        "the table's choices over n and P and where they change; the speed-up "
        "over n and P; the time of every variant against n; the fitted model "
        "and how well it fits; messages and bytes as counted against what the "
        "algorithm sends; noise and what speaks against the numbers; what an "
        "imported trace could win; the environment; and the commands that made "
        "it. Every picture has its numbers in a table. Sections can be "
        "filtered by collective and by P; without scripts all is shown.\n"
        "What was won is as validated where `chorale validate` has measured "
        "the table that there is, else as in the launches of the campaign that "
        "confirmed the table's choices; the page says which.\n"
        "The same database gives the same page. Without gnuplot the page has "
        "tables only, and says so. With --anonymize the system is s1, and of "
        "the environment only what is known to tell nothing of the place "
        "stays.",
    .example = "chorale report results.db -o report.html\n"
               "chorale report results.db --anonymize -o public.html",
    .opt = rows,
    .run = run,
};
