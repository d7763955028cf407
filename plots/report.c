/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - the stage `report`: writes one page about one system. */
#include "plots/report.h"

#include <stdlib.h>
#include <string.h>

#include "plots/figures.h"
#include "plots/stages.h"
#include "tuner/base/output.h"
#include "tuner/base/process.h"

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
                             const struct chorale_page_opts *opts)
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
        err = chorale_figures_speedups(report->store, &report->system,
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
                                  const struct chorale_page_opts *opts,
                                  struct chorale_errmsg *msg)
{
    struct chorale_report report = { .msg = msg };
    enum chorale_err err;

    report.path = opts->anonymize ? "results.db" : db_path;
    report.database = opts->anonymize ? "results.db"
                                       : chorale_output_base(db_path);
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

enum chorale_err chorale_report_make(const char *path,
                                     const struct chorale_page_opts *opts,
                                     struct chorale_errmsg *msg)
{
    char base[PATH_MAX], page[PATH_MAX + 16];
    const char *output = opts->output != NULL ? opts->output : page;
    enum chorale_err err;

    chorale_output_prefix(path, base, sizeof(base));
    snprintf(page, sizeof(page), "%s-report.html", base);
    if (output[0] == '\0')
        return chorale_fail(msg, CHORALE_USAGE, "-o: the name is empty; name "
                            "a file to write");
    err = chorale_output_file(output, path, msg);
    if (err == CHORALE_OK) {
        chorale_stop_catch();
        err = report_to(path, output, opts, msg);
    }
    if (err == CHORALE_OK && !opts->quiet)
        printf("%s\n", output);
    return err;
}
