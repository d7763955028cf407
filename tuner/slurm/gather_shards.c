/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_shards.c - merges shards into a database and makes a table. */
#include "config.h"

#include "tuner/slurm/gather_shards.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/merge_shards.h"
#include "tuner/base/output.h"
#include "tuner/decide/decide_tables.h"
#include "tuner/emit/generate.h"
#include "tuner/fit/fit.h"
#include "tuner/slurm/submission.h"
#include "tuner/summary/summary.h"

/* Paths of shards, allocated. */
struct shards {
    char **path;
    int count;
};

#define PATIENCE 600.0 /* s to wait for others to close the database */

static void forget(struct shards *shards)
{
    for (int i = 0; i < shards->count; i++)
        free(shards->path[i]);
    free(shards->path);
}

/* Collect the published shards of elements, of all submissions if folder is
 * NULL. */
static enum chorale_err find_shards(const char *folder,
                                    const struct chorale_element *list,
                                    size_t count, struct shards *shards,
                                    struct chorale_errmsg *msg)
{
    char path[PATH_MAX], said[PATH_MAX];

    shards->path = calloc(count + 1, sizeof(*shards->path));
    if (shards->path == NULL)
        return chorale_fail_memory(msg, NULL);
    for (size_t i = 0; i < count; i++) {
        if (folder != NULL && strcmp(folder, list[i].folder) != 0)
            continue;
        chorale_element_files(list[i].folder, list[i].element, path, said,
                              sizeof(path));
        if (access(path, F_OK) != 0)
            continue;
        shards->path[shards->count] = strdup(path);
        if (shards->path[shards->count++] == NULL)
            return chorale_fail_memory(msg, NULL);
    }
    return CHORALE_OK;
}

/* Wait while another command, as the last job of another submission, holds the
 * database; a batch job that failed for this would not be repeated. After
 * PATIENCE the step that needs the database reports the holder. */
static void wait_for(const char *path)
{
    struct chorale_store *store = NULL;
    struct chorale_errmsg why;

    if (chorale_store_open(path, CHORALE_STORE_READ, &store, &why) ==
        CHORALE_OK)
        chorale_store_lock(store, CHORALE_LOCK_CAMPAIGN, PATIENCE, &why);
    chorale_store_close(store);
}

enum chorale_err chorale_gather_shards(const char *path, const char *folder,
                                       struct chorale_errmsg *msg)
{
    struct shards shards = { NULL, 0 };
    const struct chorale_merge_opts opts = { .quiet = 1 };
    struct chorale_store *store = NULL;
    struct chorale_element *list = NULL;
    size_t count = 0;
    enum chorale_err err, refused; /* refused shards have been reported */

    err = chorale_store_open(path, CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_elements_load(store, 0, &list, &count, msg);
    chorale_store_close(store);
    if (err == CHORALE_OK)
        err = find_shards(folder, list, count, &shards, msg);
    if (err == CHORALE_OK && shards.count > 0)
        err = chorale_shards_merge(path, shards.path, shards.count, &opts,
                                   &refused, msg);
    forget(&shards);
    free(list);
    return err;
}

/* Load the system's name into name[128] and print what each element lacks. */
static enum chorale_err judge(const char *folder, const char *path,
                              char name[128], sqlite3_int64 *missing,
                              struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    struct chorale_element *list = NULL;
    sqlite3_stmt *stmt = NULL;
    sqlite3_int64 done, total;
    size_t count = 0;
    int row = 0;
    enum chorale_err err;

    *missing = 0;
    err = chorale_store_open(path, CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            store,
            "SELECT name, submission_id FROM submission"
            " JOIN system USING (system_id) WHERE folder = ?1", &stmt, msg);
    if (err == CHORALE_OK) {
        sqlite3_bind_text(stmt, 1, folder, -1, SQLITE_STATIC);
        err = chorale_store_step(store, stmt, &row, msg);
    }
    if (err == CHORALE_OK && !row)
        err = chorale_fail(msg, CHORALE_DATA, "%s: it has no submission with "
                           "folder %s; run `chorale submit`", path,
                           folder);
    if (err == CHORALE_OK) {
        snprintf(name, 128, "%s", chorale_text(stmt, 0));
        err = chorale_elements_load(store, sqlite3_column_int64(stmt, 1),
                                    &list, &count, msg);
    }
    for (size_t i = 0; err == CHORALE_OK && i < count; i++) {
        err = chorale_element_count(store, list[i].submission,
                                    list[i].element, list[i].cells,
                                    &done, &total, msg);
        if (err == CHORALE_OK && done < total)
            printf("element %ld (%d x %d): %lld of %lld runs are missing\n",
                   list[i].element, list[i].nodes, list[i].ppn,
                   (long long)(total - done), (long long)total);
        *missing += err == CHORALE_OK ? total - done : 0;
    }
    sqlite3_finalize(stmt);
    free(list);
    chorale_store_close(store);
    return err;
}

/* Fit, decide and write the table; a table does not require a model. */
static enum chorale_err make_table(const char *path, const char *system,
                                   double threshold,
                                   struct chorale_errmsg *msg)
{
    char prefix[PATH_MAX - 32], source[PATH_MAX], summary[PATH_MAX];
    const struct chorale_fit_opts fit = {
        .each = { .system = system, .quiet = 1 }, .no_bar = 1,
    };
    struct chorale_tables_opts tables = CHORALE_TABLES_DEFAULTS;
    const struct chorale_generate_opts generate = {
        .output = source, .system = system, .quiet = 1,
    };
    struct chorale_errmsg why;
    enum chorale_err err;

    chorale_output_prefix(path, prefix, sizeof(prefix));
    snprintf(source, sizeof(source), "%s-dispatch.c", prefix);
    snprintf(summary, sizeof(summary), "%s-summary.md", prefix);
    if (chorale_models_fit(path, &fit, &why) != CHORALE_OK)
        fprintf(stderr, "chorale: no model: %s\n", why.text);
    tables.each = fit.each;
    tables.as_before = 1;
    if (threshold >= 0)
        tables.policy.threshold = threshold;
    err = chorale_tables_decide(path, &tables, msg);
    if (err == CHORALE_OK)
        err = chorale_table_generate(path, &generate, msg);
    if (err == CHORALE_OK)
        err = chorale_summary_report(path, system, summary, msg);
    return err;
}

static void keep_verdict(const char *folder, enum chorale_err err,
                         const char *text)
{
    char name[PATH_MAX], file[PATH_MAX];
    FILE *out;

    snprintf(name, sizeof(name), "%s/gather.txt.new", folder);
    snprintf(file, sizeof(file), "%s/gather.txt", folder);
    out = fopen(name, "w");
    if (out == NULL)
        return;
    fprintf(out, "%d %s\n", (int)err, text);
    if (fclose(out) == 0)
        rename(name, file);
}

enum chorale_err chorale_gather(const char *folder, const char *path,
                                double threshold, struct chorale_errmsg *msg)
{
    sqlite3_int64 missing = 0;
    char system[128];
    enum chorale_err made = CHORALE_OK;
    enum chorale_err err;

    wait_for(path);
    err = chorale_gather_shards(path, folder, msg);
    if (err == CHORALE_OK)
        err = judge(folder, path, system, &missing, msg);
    if (err == CHORALE_OK) {
        wait_for(path);
        made = make_table(path, system, threshold, msg);
        err = made;
    }
    /* Missing runs are the main error; they may prevent a table. */
    if (made != CHORALE_OK && missing > 0)
        fprintf(stderr, "chorale: no table yet: %s\n", msg->text);
    if (missing > 0 && err == made)
        err = chorale_fail(msg, CHORALE_STOPPED,
                           "%s: %lld run%s missing%s; repeat `chorale submit` "
                           "for the rest", path, (long long)missing,
                           missing == 1 ? " is" : "s are",
                           made == CHORALE_OK ? ", and the table lacks them"
                                              : "");
    keep_verdict(folder, err, err == CHORALE_OK ? "complete" : msg->text);
    return err;
}

enum chorale_err chorale_gather_verdict(const char *folder,
                                        struct chorale_errmsg *msg)
{
    char file[PATH_MAX], line[CHORALE_ERRMSG_SIZE] = "", *rest = line;
    long code = -1;
    FILE *in;

    snprintf(file, sizeof(file), "%s/gather.txt", folder);
    in = fopen(file, "r");
    if (in != NULL && fgets(line, sizeof(line), in) != NULL)
        code = strtol(line, &rest, 10);
    if (in != NULL)
        fclose(in);
    rest[strcspn(rest, "\n")] = '\0';
    switch (code) {
    case CHORALE_OK:
    case CHORALE_NO:
    case CHORALE_USAGE:
    case CHORALE_ENV:
    case CHORALE_DATA:
    case CHORALE_STOPPED:
        chorale_fail(msg, CHORALE_OK, "%s", rest + strspn(rest, " "));
        return (enum chorale_err)code;
    default:
        return chorale_fail(msg, CHORALE_ENV,
                            "%s/gather.txt: the last job left no result; "
                            "read %s/gather.log", folder, folder);
    }
}
