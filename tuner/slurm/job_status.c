/* SPDX-License-Identifier: BSD-3-Clause */
/* job_status.c - prints the progress of campaigns and of their batch jobs. */
#include "config.h"

#include "tuner/slurm/job_status.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "db/remarks.h"
#include "tuner/base/rows.h"
#include "tuner/slurm/slurm.h"
#include "tuner/slurm/submission.h"
#include "tuner/summary/campaign_status.h"

/* State kept between displays. */
struct watch {
    struct chorale_slurm_queue queue;
    struct timespec asked;   /* when squeue was asked */
    char *ended;             /* output of sacct; NULL: not asked */
    struct timespec ended_asked; /* when sacct was asked */
    long waiting;            /* elements that lack runs and are in the queue */
    size_t nelement;         /* number of elements */
};

struct look {
    struct chorale_store *store;
    struct watch *watch;
    const struct chorale_element *element;
    size_t nelement;
    struct chorale_rows rows;
    sqlite3_int64 done, total;
    double left, longest;    /* s of work left, in all and in one element */
    struct chorale_errmsg *msg;
};

static const char columns[] =
    "submission=submission|element=element|job=job|nodes|=nodes|=ppn|"
    "done=done|total=total|left|=left_s|state|=state|=said";

/* Count an element's runs, and the seconds of work left: by the mean time of
 * its finished runs, else as planned. */
static enum chorale_err count(struct look *look,
                              const struct chorale_element *e,
                              sqlite3_int64 *done, sqlite3_int64 *total,
                              double *left)
{
    double each = 0;
    enum chorale_err err = chorale_element_done(look->store, e, done, total,
                                                &each, look->msg);

    *left = 0;
    if (err != CHORALE_OK || *done >= *total)
        return err;
    if (!(each > 0))
        each = e->seconds / (double)*total;
    *left = each * (double)(*total - *done);
    return CHORALE_OK;
}

/* Load the queue, at most once in CHORALE_SLURM_POLL seconds. Other commands
 * use the cached answer. */
static void ask(struct watch *watch, const char *folder)
{
    char all[PATH_MAX];
    const char *slash = strrchr(folder, '/');
    struct chorale_errmsg why;

    if (slash == NULL || chorale_slurm_recent(&watch->asked))
        return;
    clock_gettime(CLOCK_REALTIME, &watch->asked);
    chorale_slurm_queue_free(&watch->queue);
    snprintf(all, sizeof(all), "%.*s", (int)(slash - folder), folder);
    if (chorale_slurm_squeue(all, &watch->queue, &why) != CHORALE_OK)
        fprintf(stderr, "chorale: the states of jobs are not known: %s\n",
                why.text);
}

/* The final state of a job that left the queue, by sacct if available. It is
 * asked once for all jobs, and as rarely as squeue. */
static void ended(struct look *look, const char *job, char *text, size_t size)
{
    const struct chorale_element *e = look->element;
    struct watch *watch = look->watch;
    char list[4096] = "";
    size_t len = 0;

    if (!chorale_slurm_recent(&watch->ended_asked)) {
        for (size_t i = 0; i < look->nelement; i++)
            if (e[i].job_id[0] != '\0' &&
                len + sizeof(e->job_id) < sizeof(list) &&
                (i == 0 || strcmp(e[i].job_id, e[i - 1].job_id) != 0))
                len += (size_t)snprintf(list + len, sizeof(list) - len,
                                        "%s%s", len > 0 ? "," : "",
                                        e[i].job_id);
        free(watch->ended);
        watch->ended = chorale_slurm_sacct(list);
        clock_gettime(CLOCK_REALTIME, &watch->ended_asked);
    }
    if (watch->ended != NULL)
        chorale_slurm_end_state(watch->ended, job, text, size);
}

/* The last message of the element, without its newline. */
static void read_last_message(const char *file, char *text, size_t size)
{
    FILE *in = fopen(file, "r");

    text[0] = '\0';
    if (in == NULL)
        return;
    if (fgets(text, (int)size, in) == NULL)
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    fclose(in);
}

/* Format remaining work: 90 s, 12 min, 3.5 h. */
static const char *time_left(double seconds, char text[32])
{
    if (seconds <= 0)
        snprintf(text, 32, "-");
    else if (seconds < 120)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 7200)
        snprintf(text, 32, "%.0f min", seconds / 60);
    else
        snprintf(text, 32, "%.1f h", seconds / 3600);
    return text;
}

static enum chorale_err show(struct look *look,
                             const struct chorale_element *e)
{
    char shard[PATH_MAX], words[PATH_MAX], job[64], state[192], said[512];
    char shape[32], held[256] = "", text[1024];
    sqlite3_int64 done = 0, total = 0;
    double left = 0;
    char length[32];
    enum chorale_err err;

    chorale_element_files(e->folder, e->element, shard, words, sizeof(shard));
    err = count(look, e, &done, &total, &left);
    if (err != CHORALE_OK)
        return err;
    read_last_message(words, said, sizeof(said));
    snprintf(job, sizeof(job), "%s_%ld", e->job_id, e->task);
    if (done < total)
        ask(look->watch, e->folder);
    if (chorale_slurm_state(&look->watch->queue, e->job_id, e->task, state,
                            sizeof(state))) {
        look->watch->waiting += done < total;
    } else {
        snprintf(state, sizeof(state), "%s", done >= total ? "complete"
                 : e->job_id[0] == '\0' ? "not submitted"
                 : look->watch->queue.text != NULL ? "not in the queue"
                                                   : "unknown");
        if (done < total && e->job_id[0] != '\0' &&
            look->watch->queue.text != NULL)
            ended(look, job, state, sizeof(state));
    }
    look->done += done;
    look->total += total;
    look->left += left;
    look->longest = left > look->longest ? left : look->longest;
    snprintf(shape, sizeof(shape), "%dx%d", e->nodes, e->ppn);
    if (chorale_slurm_held(state))
        snprintf(held, sizeof(held), "; %s is held: repair its cause, then run "
                 "`scontrol release %s`", job, job);
    snprintf(text, sizeof(text), "%s%s%s%s", state, held,
             said[0] != '\0' ? "; " : "", said);
    chorale_rows_add(
        &look->rows,
        CHORALE_FIELDS(e->submission, e->element, job, shape, e->nodes, e->ppn,
                       done, total, time_left(left, length), left, text, state,
                       said));
    return CHORALE_OK;
}

/* Print a line for each element: runs done, remaining work, the job's state in
 * Slurm, and its last message. If list is not NULL, append objects to it
 * instead. Slurm is not asked if all runs are done. A failing Slurm is reported
 * once. */
static enum chorale_err show_jobs(struct chorale_store *store, json_t *list,
                                  struct watch *watch,
                                  struct chorale_errmsg *msg)
{
    struct look look = { .store = store, .watch = watch,
                         .rows = { .columns = columns }, .msg = msg };
    struct chorale_element *element = NULL;
    char all[32], longest[32];
    enum chorale_err err = chorale_elements_load(store, 0, &element,
                                                 &look.nelement, msg);

    watch->waiting = 0;
    watch->nelement = look.nelement;
    look.element = element;
    for (size_t i = 0; err == CHORALE_OK && i < look.nelement; i++)
        err = show(&look, &element[i]);
    if (list == NULL && look.rows.nrow > 0)
        printf("\nbatch jobs: runs of each element, its job's state, its last "
               "message\n");
    if (chorale_rows_show(&look.rows, list) != 0 && err == CHORALE_OK)
        err = chorale_fail_utf8(msg, chorale_store_path(store));
    if (err == CHORALE_OK && list == NULL && look.left > 0)
        printf("%lld of %lld runs; about %s of work is left, %s of it in one "
               "element\n", (long long)look.done, (long long)look.total,
               time_left(look.left, all), time_left(look.longest, longest));
    free(element);
    return err;
}

/* Print once everything that the options select. */
static enum chorale_err show_once(const char *path,
                                  const struct chorale_status_opts *opts,
                                  struct watch *watch,
                                  struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    char loaded[CHORALE_LOADED_TEXT] = "";
    json_t *list = opts->json ? json_array() : NULL;
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_READ, &store,
                                              msg);

    if (err == CHORALE_OK && !opts->rounds && !opts->jobs)
        err = chorale_campaigns_show(store, list, msg);
    if (err == CHORALE_OK && !opts->rounds && !opts->jobs && list == NULL)
        err = chorale_loaded_runs(store, 0, loaded, msg);
    if (loaded[0] != '\0')
        printf("%s\n", loaded);
    if (err == CHORALE_OK && (opts->rounds || (list == NULL && !opts->jobs)))
        err = chorale_rounds_show(store, opts->rounds, list, msg);
    if (err == CHORALE_OK && (opts->jobs || (list == NULL && !opts->rounds)))
        err = show_jobs(store, list, watch, msg);
    if (err == CHORALE_OK && opts->jobs && list == NULL &&
        watch->nelement == 0)
        printf("no batch jobs; run `chorale submit`\n");
    if (err == CHORALE_OK && list != NULL)
        chorale_json_print(json_incref(list));
    json_decref(list);
    chorale_store_close(store);
    return err;
}

enum chorale_err chorale_status_show(const char *path,
                                     const struct chorale_status_opts *opts,
                                     struct chorale_errmsg *msg)
{
    struct watch watch = { .ended = NULL };
    struct timespec pause = { opts->watch > 0 ? (time_t)opts->watch : 0, 0 };
    char now[32];
    enum chorale_err err;

    if (opts->watch > 0)
        chorale_stop_catch();
    for (;;) {
        err = show_once(path, opts, &watch, msg);
        if (err != CHORALE_OK || !(opts->watch > 0) || watch.waiting == 0 ||
            chorale_stop_requested())
            break;
        fflush(stdout);
        nanosleep(&pause, NULL);
        if (chorale_stop_requested())
            break;
        chorale_time_now(now);
        printf("\n%s\n", now);
    }
    chorale_slurm_queue_free(&watch.queue);
    free(watch.ended);
    return err;
}
