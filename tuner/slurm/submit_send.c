/* SPDX-License-Identifier: BSD-3-Clause */
/* submit_send.c - submits scripts to Slurm and waits for their jobs. */
#include "config.h"

#include "tuner/slurm/submit.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tuner/slurm/gather_shards.h"

/* Submit the job of elements first ... last, or with first 0 the last job,
 * which depends on the others. */
static enum chorale_err send_script(struct chorale_submit *s, const char *file,
                                    long first, long last, int again,
                                    char job_id[32])
{
    struct chorale_args words = { .count = 0 };
    enum chorale_err err;

    if (first == 0 && s->depends.count > 0) {
        char text[64 + 24 * CHORALE_MAX_ARGS] = "--dependency=afterany";
        size_t len = strlen(text);

        for (int i = 0; i < s->depends.count; i++)
            len += (size_t)snprintf(text + len, sizeof(text) - len, ":%s",
                                    s->depends.word[i]);
        chorale_args_add(&words, "%s", text);
    }
    if (again) /* the first may have had too little time */
        chorale_args_add(&words, "--time=%.0f", ceil(s->opts->seconds / 60));
    chorale_args_add(&words, "%s", file);
    err = chorale_slurm_submit(&words, job_id, s->msg);
    chorale_args_free(&words);
    if (err == CHORALE_OK)
        err = chorale_submission_job(s->store, s->submission, first, last,
                                     job_id, s->msg);
    return err;
}

/* Print a script, or write and submit it; job_id is set to its job's id. */
static enum chorale_err one_script(struct chorale_submit *s, const char *name,
                                   const struct chorale_scripts_array *array,
                                   char job_id[32])
{
    long first = array != NULL ? array->first : 0;
    char file[sizeof(s->folder) + 64];
    FILE *out = stdout;

    snprintf(file, sizeof(file), "%s/%s", s->folder, name);
    if (s->opts->dry_run)
        printf("\n# %s\n", file);
    else
        out = fopen(file, "wx");
    if (out == NULL)
        return chorale_fail_written(s->msg, file, errno);
    if (array != NULL)
        chorale_scripts_array(&s->scripts, out, array);
    else
        chorale_scripts_gather(&s->scripts, out);
    if (s->opts->dry_run)
        return CHORALE_OK;
    if (fclose(out) != 0)
        return chorale_fail_written(s->msg, file, errno);
    return send_script(s, file, first, array != NULL ? array->last : 0, 0,
                       job_id);
}

size_t chorale_submit_array(const struct chorale_submit *s, size_t from)
{
    const struct chorale_pack_launch *l = &s->launch[from];
    size_t to = from;

    while (to < s->nlaunch && s->launch[to].nodes == l->nodes &&
           s->launch[to].ppn == l->ppn && s->launch[to].set == l->set &&
           s->launch[to].element - l->element < s->slurm.max_array)
        to++;
    return to;
}

/* Submit the array of launches from ... to - 1. */
static enum chorale_err one_array(struct chorale_submit *s, size_t from,
                                  size_t to)
{
    const struct chorale_pack_launch *l = &s->launch[from];
    struct chorale_scripts_array array = {
        .nodes = l->nodes, .ppn = l->ppn, .first = l->element,
        .last = s->launch[to - 1].element,
    };
    char name[64], job_id[32];
    enum chorale_err err;

    if (s->depends.count + 1 == CHORALE_MAX_ARGS)
        return chorale_fail(s->msg, CHORALE_ENV, "more than %d job "
                            "arrays; submit fewer process counts at once",
                            CHORALE_MAX_ARGS - 1);
    snprintf(name, sizeof(name), "%dx%d-from%ld.sh", l->nodes, l->ppn,
             l->element);
    err = chorale_submit_excluded_nodes(s, l, &array.exclude);
    if (err == CHORALE_OK)
        err = one_script(s, name, &array, job_id);
    if (err == CHORALE_OK && !s->opts->dry_run)
        chorale_args_add(&s->depends, "%s", job_id);
    free(array.exclude);
    return err;
}

/* Submit all arrays, then the merging job. */
static enum chorale_err all_scripts(struct chorale_submit *s)
{
    enum chorale_err err = CHORALE_OK;
    size_t from = 0, to;

    for (; err == CHORALE_OK && from < s->nlaunch; from = to) {
        to = chorale_submit_array(s, from);
        err = one_array(s, from, to);
    }
    if (err == CHORALE_OK)
        err = one_script(s, "gather.sh", NULL, s->gather_job);
    return err;
}

/* Cancel a partial submission, which no job would merge, and forget its
 * jobs. */
static void cancel_submission(struct chorale_submit *s)
{
    struct chorale_errmsg why;

    for (int i = 0; i < s->depends.count; i++)
        chorale_slurm_cancel(s->depends.word[i]);
    if (!s->opts->dry_run &&
        chorale_submission_job(s->store, s->submission, 1, LONG_MAX, "",
                               &why) != CHORALE_OK)
        fprintf(stderr, "chorale: submit: `chorale status` still lists "
                        "cancelled jobs: %s\n", why.text);
}

/* Add the jobs to squeue's cached answer. */
static void cache_submitted_jobs(struct chorale_submit *s)
{
    struct chorale_element *list = NULL;
    struct chorale_errmsg why;
    size_t count = 0, size = 0;
    char *text = NULL;
    FILE *lines = open_memstream(&text, &size);

    if (lines == NULL)
        return;
    if (chorale_elements_load(s->store, s->submission, &list, &count, &why) !=
        CHORALE_OK)
        count = 0;
    for (size_t i = 0; i < count; i++)
        fprintf(lines, "%s %ld PENDING Submitted\n", list[i].job_id,
                list[i].task);
    fprintf(lines, "%s N/A PENDING Submitted\n", s->gather_job);
    free(list);
    if (fclose(lines) == 0)
        chorale_slurm_submitted(s->base, text);
    free(text);
}

/* Write a line for each launch, for people. */
static enum chorale_err write_table(const struct chorale_submit *s)
{
    char file[sizeof(s->folder) + 16];
    FILE *out = stdout;

    snprintf(file, sizeof(file), "%s/elements.txt", s->folder);
    if (s->opts->dry_run)
        printf("\n# %s\n", file);
    else
        out = fopen(file, "w");
    if (out == NULL)
        return chorale_fail_written(s->msg, file, errno);
    fprintf(out, "%7s %5s %4s %6s %7s %5s %8s %s\n", "element", "nodes", "ppn",
            "P", "launch", "cells", "seconds", "part");
    for (size_t i = 0; i < s->nlaunch; i++) {
        const struct chorale_pack_launch *l = &s->launch[i];

        fprintf(out, "%7ld %5d %4d %6d %7d %5lld %8.0f %s\n", l->element,
                l->nodes, l->ppn, l->p.comm_size, l->p.ordinal,
                (long long)l->p.ncell, l->seconds,
                l->p.part[0] != '\0' ? l->p.part : "-");
    }
    if (!s->opts->dry_run && fclose(out) != 0)
        return chorale_fail_written(s->msg, file, errno);
    return CHORALE_OK;
}

static enum chorale_err make_folder(const struct chorale_submit *s)
{
    if (s->opts->dry_run)
        return CHORALE_OK;
    if ((mkdir(s->base, 0777) != 0 && errno != EEXIST) ||
        mkdir(s->folder, 0777) != 0)
        return chorale_fail_written(s->msg, s->folder, errno);
    return CHORALE_OK;
}

enum chorale_err chorale_submit_all(struct chorale_submit *s,
                                    const char *command)
{
    char plan[sizeof(s->folder) + 16];
    enum chorale_err err;

    err = chorale_submission_put(s->store, s->system_id, command, s->base,
                                 s->launch, s->nlaunch, &s->submission,
                                 s->folder, sizeof(s->folder), s->msg);
    s->scripts = (struct chorale_scripts){
        .site = &s->site, .program = s->program, .folder = s->folder,
        .database = s->path, .seconds = s->opts->seconds,
        .kill_seconds = s->slurm.kill_seconds,
        .attempts = s->opts->attempts, .at_once = s->opts->at_once,
        .threshold = s->opts->threshold, .one_per_p = s->opts->one_per_p,
    };
    if (err == CHORALE_OK)
        err = make_folder(s);
    if (err == CHORALE_OK)
        err = write_table(s);
    snprintf(plan, sizeof(plan), "%s/plan.db", s->folder);
    if (err == CHORALE_OK && !s->opts->dry_run)
        err = chorale_submission_plan(s->store, s->submission, plan, s->msg);
    if (err == CHORALE_OK) {
        err = all_scripts(s);
        if (err != CHORALE_OK)
            cancel_submission(s);
        else if (!s->opts->dry_run)
            cache_submitted_jobs(s);
    }
    return err;
}

void chorale_submit_warn_held(struct chorale_submit *s,
                              const struct chorale_element *element,
                              const char *state, long *held)
{
    if (!chorale_slurm_held(state) || ++*held <= s->nheld_reported)
        return;
    s->nheld_reported = *held;
    chorale_progress_clear(&s->bar);
    fprintf(stderr, "chorale: submit: job %s_%ld is %s; repair its cause, "
            "then run `scontrol release %s_%ld`\n", element->job_id,
            element->task, state, element->job_id, element->task);
}

/* Count the runs of the submission's elements, and describe their jobs. */
static enum chorale_err look(struct chorale_submit *s, sqlite3_int64 *done_p,
                             sqlite3_int64 *total_p, char *what, size_t size)
{
    struct chorale_store *store = NULL;
    struct chorale_element *list = NULL;
    long running = 0, waiting = 0, held = 0;
    size_t count = 0;
    enum chorale_err err = chorale_store_open(s->path, CHORALE_STORE_READ,
                                              &store, s->msg);

    *done_p = *total_p = 0;
    if (err == CHORALE_OK)
        err = chorale_elements_load(store, s->submission, &list, &count,
                                    s->msg);
    for (size_t i = 0; err == CHORALE_OK && i < count; i++) {
        sqlite3_int64 done = 0, total = 0;
        char state[128];
        double each;

        err = chorale_element_done(store, &list[i], &done, &total, &each,
                                   s->msg);
        *done_p += done;
        *total_p += total;
        if (!chorale_slurm_state(&s->queue, list[i].job_id, list[i].task,
                                 state, sizeof(state)))
            continue;
        chorale_submit_warn_held(s, &list[i], state, &held);
        if (strncmp(state, "RUNNING", 7) == 0)
            running++;
        else
            waiting++;
    }
    if (running + waiting > 0)
        snprintf(what, size, "%ld of %zu elements run, %ld wait", running,
                 count, waiting);
    else
        snprintf(what, size, "merging job %s", s->gather_job);
    free(list);
    chorale_store_close(store);
    return err;
}

/* Show progress. While the last job writes the database, a look may fail. */
static void show(struct chorale_submit *s, int first)
{
    sqlite3_int64 done, total;
    char what[96];

    if (look(s, &done, &total, what, sizeof(what)) != CHORALE_OK ||
        s->opts->quiet)
        return;
    if (first)
        chorale_progress_start(&s->bar, 0, s->opts->verbose, (long)done,
                               (long)total);
    else
        chorale_progress_to(&s->bar, (long)done, what);
}

/* Set *there_p to whether the merging job is in the queue. A failing squeue is
 * reported once and tolerated for ten minutes. */
static enum chorale_err look_again(struct chorale_submit *s,
                                   long long *since_p, int *there_p)
{
    char state[128];
    long long before = *since_p;
    enum chorale_err err;

    chorale_slurm_queue_free(&s->queue);
    err = chorale_slurm_squeue(s->base, &s->queue, s->msg);
    if (err == CHORALE_OK)
        *there_p = chorale_slurm_state(&s->queue, s->gather_job, -1, state,
                                       sizeof(state));
    if (!chorale_slurm_may_retry(err, (long long)time(NULL), since_p))
        return err;
    if (before == 0 && *since_p != 0 && !s->opts->quiet) {
        chorale_progress_clear(&s->bar);
        fprintf(stderr, "chorale: %s; asked again for %d minutes\n",
                s->msg->text, CHORALE_SLURM_PATIENCE / 60);
    }
    return CHORALE_OK;
}

/* Sleep until squeue may be asked again. Returns 1 once the last job has left
 * its result; that file is checked each second, as this does not load Slurm. */
static int wait_for_verdict(const struct chorale_submit *s)
{
    char file[sizeof(s->folder) + 16];

    snprintf(file, sizeof(file), "%s/gather.txt", s->folder);
    for (int i = 0; i < CHORALE_SLURM_POLL && !chorale_stop_requested(); i++) {
        if (access(file, F_OK) == 0)
            return 1;
        nanosleep(&(struct timespec){ 1, 0 }, NULL);
    }
    return 0;
}

/* Wait until the last job has left its result or is gone. */
enum chorale_err chorale_submit_wait(struct chorale_submit *s)
{
    long long since = 0;
    enum chorale_err err = CHORALE_OK;
    int there = 1;

    chorale_stop_catch();
    show(s, 1);
    while (err == CHORALE_OK && there && !wait_for_verdict(s)) {
        if (chorale_stop_requested()) {
            err = chorale_fail(s->msg, CHORALE_STOPPED,
                               "merging job %s is still in the queue; "
                               "repeat the command to wait for it",
                               s->gather_job);
            break;
        }
        err = look_again(s, &since, &there);
        if (err == CHORALE_OK && there)
            show(s, 0);
    }
    chorale_progress_clear(&s->bar);
    return err == CHORALE_OK ? chorale_gather_verdict(s->folder, s->msg) : err;
}

/* Load the latest submission into s. Returns 0 if its last job is unknown. */
static int find_last(struct chorale_submit *s, enum chorale_err *err_p)
{
    sqlite3_stmt *stmt = NULL;
    int row;

    *err_p = chorale_store_query(
        s->store, "SELECT gather_job, folder, submission_id FROM submission"
        " WHERE system_id = ?1 ORDER BY submission_id DESC LIMIT 1",
        CHORALE_FIELDS(s->system_id), &stmt, s->msg);
    row = chorale_store_next(s->store, stmt, err_p, s->msg);
    if (row) {
        snprintf(s->gather_job, sizeof(s->gather_job), "%s",
                 chorale_text(stmt, 0));
        snprintf(s->folder, sizeof(s->folder), "%s", chorale_text(stmt, 1));
        s->submission = sqlite3_column_int64(stmt, 2);
    }
    sqlite3_finalize(stmt);
    return row && s->gather_job[0] != '\0';
}

/* List the submission's job arrays in the queue, for the dependency. */
static enum chorale_err find_queued(struct chorale_submit *s)
{
    struct chorale_element *list = NULL;
    char state[128];
    size_t count = 0;
    enum chorale_err err = chorale_elements_load(s->store, s->submission,
                                                 &list, &count, s->msg);

    for (size_t i = 0; i < count; i++) {
        const int n = s->depends.count;

        if (chorale_slurm_state(&s->queue, list[i].job_id, list[i].task, state,
                                sizeof(state)) &&
            (n == 0 || strcmp(s->depends.word[n - 1], list[i].job_id) != 0) &&
            n + 1 < CHORALE_MAX_ARGS)
            chorale_args_add(&s->depends, "%s", list[i].job_id);
    }
    free(list);
    return err;
}

/* Submit the last job again after it was cancelled, lost, or made no table. */
static enum chorale_err gather_again(struct chorale_submit *s)
{
    char file[sizeof(s->folder) + 16], verdict[sizeof(file)];
    enum chorale_err err = find_queued(s);

    snprintf(file, sizeof(file), "%s/gather.sh", s->folder);
    if (err == CHORALE_OK && access(file, R_OK) != 0)
        return chorale_fail_read(s->msg, file, errno);
    snprintf(verdict, sizeof(verdict), "%s/gather.txt", s->folder);
    unlink(verdict); /* else waiting commands would read the old result */
    if (err == CHORALE_OK)
        err = send_script(s, file, 0, 0, 1, s->gather_job);
    if (err != CHORALE_OK)
        return err;
    cache_submitted_jobs(s);
    if (!s->opts->quiet)
        printf("submitted merging job %s again: the previous one made no "
               "complete table\n", s->gather_job);
    return CHORALE_OK;
}

enum chorale_err chorale_submit_last(struct chorale_submit *s)
{
    struct chorale_errmsg why;
    char state[128];
    enum chorale_err err = CHORALE_OK;

    if (!find_last(s, &err))
        return err;
    if (!chorale_slurm_state(&s->queue, s->gather_job, -1, state,
                             sizeof(state))) {
        if (chorale_gather_verdict(s->folder, &why) == CHORALE_OK)
            return CHORALE_OK;
        err = gather_again(s);
    }
    chorale_store_close(s->store);
    s->store = NULL;
    return err == CHORALE_OK && s->opts->wait ? chorale_submit_wait(s) : err;
}
