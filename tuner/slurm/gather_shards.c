/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_shards.c - merges shards into a database and makes a table. */
#include "config.h"

#include "tuner/slurm/gather_shards.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/merge_shards.h"
#include "tuner/decide/decide_tables.h"
#include "tuner/emit/generate.h"
#include "tuner/model/fit.h"
#include "tuner/slurm/slurm.h"
#include "tuner/base/output.h"
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

/* Load the last job and the system's name of the submission with that folder,
 * or that id if folder is NULL. Returns CHORALE_OK also without such a
 * submission. */
static enum chorale_err ask(struct chorale_store *store, const char *folder,
                            sqlite3_int64 submission, char job[32],
                            char system[128], struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int have = 0;
    enum chorale_err err = chorale_store_prepare(
        store, "SELECT gather_job, name FROM submission JOIN system"
        " USING (system_id) WHERE folder = ?1 OR submission_id = ?2", &stmt,
        msg);

    job[0] = system[0] = '\0';
    if (err != CHORALE_OK)
        return err;
    sqlite3_bind_text(stmt, 1, folder, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 2, submission);
    err = chorale_store_step(store, stmt, &have, msg);
    if (err == CHORALE_OK && have) {
        snprintf(job, 32, "%s", chorale_text(stmt, 0));
        snprintf(system, 128, "%s", chorale_text(stmt, 1));
    }
    sqlite3_finalize(stmt);
    return err;
}

/* Set *is to 1 if this process is the submission's last job, which Slurm starts
 * after all others. */
static enum chorale_err is_last_job(const char *path, const char *folder,
                                    int *is, struct chorale_errmsg *msg)
{
    const char *own = getenv("SLURM_JOB_ID");
    struct chorale_store *store = NULL;
    char job[32], system[128];
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_READ,
                                              &store, msg);

    if (err == CHORALE_OK)
        err = ask(store, folder, 0, job, system, msg);
    *is = err == CHORALE_OK && own != NULL && *own != '\0' &&
          strcmp(own, job) == 0;
    chorale_store_close(store);
    return err;
}

/* Set *ended to 1 if the element's job has ended, as far as is known: a queue
 * lists only this user's jobs on one cluster. */
static enum chorale_err has_ended(struct chorale_store *store,
                                  const struct chorale_gather_from *from,
                                  const struct chorale_element *e,
                                  const char *shard, int *ended,
                                  struct chorale_errmsg *msg)
{
    char job[32], system[128], state[160];
    struct stat st;
    enum chorale_err err = CHORALE_OK;

    *ended = from->ended;
    if (from->ended || from->system == NULL || from->queue == NULL ||
        e->job_id[0] == '\0' || stat(shard, &st) != 0 ||
        st.st_uid != geteuid())
        return CHORALE_OK;
    err = ask(store, NULL, e->submission, job, system, msg);
    *ended = err == CHORALE_OK && strcmp(system, from->system) == 0 &&
             !chorale_slurm_state(from->queue, e->job_id, e->task, state,
                                  sizeof(state));
    return err;
}

/* Collect the published shards in shards[1] if their jobs have ended, else in
 * shards[0]. */
static enum chorale_err find_shards(struct chorale_store *store,
                                    const struct chorale_gather_from *from,
                                    const struct chorale_element *list,
                                    size_t count, struct shards shards[2],
                                    struct chorale_errmsg *msg)
{
    char path[PATH_MAX], said[PATH_MAX];
    enum chorale_err err = CHORALE_OK;

    for (int i = 0; i < 2; i++)
        if ((shards[i].path = calloc(count + 1, sizeof(char *))) == NULL)
            return chorale_fail_memory(msg, NULL);
    for (size_t i = 0; i < count && err == CHORALE_OK; i++) {
        const struct chorale_element *e = &list[i];
        int ended = 0;
        char **name;

        if (from->folder != NULL && strcmp(from->folder, e->folder) != 0)
            continue;
        chorale_element_files(e->folder, e->element, path, said, sizeof(path));
        if (access(path, F_OK) != 0)
            continue;
        err = has_ended(store, from, e, path, &ended, msg);
        name = &shards[ended].path[shards[ended].count++];
        if (err == CHORALE_OK && (*name = strdup(path)) == NULL)
            err = chorale_fail_memory(msg, NULL);
    }
    return err;
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

enum chorale_err chorale_gather_shards(const char *path,
                                       const struct chorale_gather_from *from,
                                       struct chorale_errmsg *msg)
{
    struct shards shards[2] = { { NULL, 0 }, { NULL, 0 } };
    struct chorale_merge_opts opts = { .quiet = 1 };
    struct chorale_store *store = NULL;
    struct chorale_element *list = NULL;
    size_t count = 0;
    enum chorale_err err, refused; /* refused shards have been reported */

    err = chorale_store_open(path, CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_elements_load(store, 0, &list, &count, msg);
    if (err == CHORALE_OK)
        err = find_shards(store, from, list, count, shards, msg);
    chorale_store_close(store);
    /* Ended and running elements separately, as their options differ. */
    for (int ended = 1; ended >= 0 && err == CHORALE_OK; ended--) {
        opts.ended = ended;
        if (shards[ended].count > 0)
            err = chorale_shards_merge(path, shards[ended].path,
                                       shards[ended].count, &opts, &refused,
                                       msg);
    }
    forget(&shards[0]);
    forget(&shards[1]);
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
    struct chorale_gather_from from = { .folder = folder };
    sqlite3_int64 missing = 0;
    char system[128];
    enum chorale_err made = CHORALE_OK;
    enum chorale_err err;

    wait_for(path);
    err = is_last_job(path, folder, &from.ended, msg);
    if (err == CHORALE_OK)
        err = chorale_gather_shards(path, &from, msg);
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
                           "%s: %lld runs are missing%s; repeat `chorale "
                           "submit` to submit them", path, (long long)missing,
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
