/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - the verb `report`: writes one page about one system. */
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
      "page to write, replaced when complete (default: the database's name "
      "with -report.html instead of .db)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "system, if there are several", 0, 0 },
    { "anonymize", 0, CHORALE_OPT_FLAG, offsetof(struct opts, anonymize), NULL,
      "leave out or replace hosts, users, accounts, paths, command lines and "
      "names of systems and programs", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, quiet), NULL,
      "do not print the page's name", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

/* The output: as given, or the database's name with -report.html for .db. NULL
 * if out of memory. */
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

/* Check that the output is a file other than the database. */
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
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: not a file; name a "
                            "file to write", output);
    if (stat(db_path, &db) == 0 && db.st_dev == st.st_dev &&
        db.st_ino == st.st_ino)
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: it is the database "
                            "itself; name another file", output);
    return CHORALE_OK;
}

/* Check that the system has measurements. */
static enum chorale_err check_measured(struct chorale_report *report)
{
    sqlite3_int64 count = 0;
    enum chorale_err err = chorale_store_find(
        report->store, "SELECT count(*) FROM v_summary WHERE system_id = ?1",
        CHORALE_FIELDS(report->system.id), 0, &count, report->msg);

    if (err == CHORALE_OK && count == 0)
        err = chorale_fail(report->msg, CHORALE_DATA, "%s: nothing measured "
                           "yet; run `chorale run %s`",
                           chorale_store_path(report->store),
                           chorale_store_path(report->store));
    return err;
}

/* Take the name for the page: the system's, or its replacement. */
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
    if (err == CHORALE_OK)
        err = chorale_store_find(
            report->store, "SELECT signature GLOB 'imported*' FROM system"
            " WHERE system_id = ?1", CHORALE_FIELDS(report->system.id), 0,
            &imported, report->msg);
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
    .summary = "write one HTML page with a system's results",
    .detail =
        "The page is a single file: it contains its pictures, and its policy "
        "forbids the browser to load anything else. It shows the gain over "
        "the library's default, with intervals and their origin; the table's "
        "choices over n and P and their crossovers; the speed-up over n and "
        "P; the time of every variant over n; the fitted model and its "
        "errors; counted messages and bytes compared with the algorithm's; "
        "noise and problems of the numbers; the predicted gain for an "
        "imported trace; the environment; and the commands that made it. "
        "Every picture has its numbers in a table. Sections can be filtered "
        "by collective and by P; without scripts everything is visible.\n"
        "The gain is as validated if `chorale validate` has measured the "
        "present table, else of the campaign's launches that confirmed the "
        "table's choices; the page names the source.\n"
        "The same database gives the same page. Without gnuplot the page has "
        "only tables and notes it. With --anonymize the system is s1, and of "
        "the environment only values stay that do not identify the site.",
    .example = "chorale report results.db -o report.html\n"
               "chorale report results.db --anonymize -o public.html",
    .opt = rows,
    .run = run,
};
