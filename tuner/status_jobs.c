/* SPDX-License-Identifier: BSD-3-Clause */
/* status_jobs.c - batch jobs, seen from outside: see status_jobs.h. */
#include "config.h"

#include "tuner/status_jobs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/submission.h"

struct look {
    struct chorale_store *store;
    struct chorale_slurm_queue queue;
    char folder[PATH_MAX];   /* that the queue was asked for */
    int asked, first;
    json_t *list;
    struct chorale_errmsg *msg;
};

/* Runs of an element: merged ones, or those of its shard if it has more. */
static enum chorale_err count(struct look *look,
                              const struct chorale_element *e,
                              const char *shard, sqlite3_int64 *done,
                              sqlite3_int64 *total)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 more, all;
    struct chorale_errmsg why;
    enum chorale_err err = chorale_element_count(
        look->store, e->submission, e->element, done, total, look->msg);

    if (err != CHORALE_OK || *done >= *total || access(shard, R_OK) != 0)
        return err;
    if (chorale_store_open(shard, CHORALE_STORE_READ, &store, &why) ==
            CHORALE_OK &&
        chorale_element_count(store, e->submission, e->element, &more, &all,
                              &why) == CHORALE_OK &&
        more > *done)
        *done = more;
    chorale_store_close(store);
    return CHORALE_OK;
}

/* The queue, asked once a command: the file beside the folders of submissions
 * keeps others from asking too. */
static void ask(struct look *look, const char *folder)
{
    char file[PATH_MAX + 16];
    const char *slash = strrchr(folder, '/');
    struct chorale_errmsg why;

    if (look->asked || slash == NULL)
        return;
    look->asked = 1;
    snprintf(file, sizeof(file), "%.*s/squeue.txt", (int)(slash - folder),
             folder);
    if (chorale_slurm_look(file, &look->queue, &why) != CHORALE_OK)
        fprintf(stderr, "chorale: the states of jobs are not known: %s\n",
                why.text);
}

/* What the element said last, without its newline. */
static void last_words(const char *file, char *text, size_t size)
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

static enum chorale_err show(struct look *look,
                             const struct chorale_element *e)
{
    char shard[PATH_MAX], words[PATH_MAX], job[64], state[128], said[512];
    sqlite3_int64 done = 0, total = 0;
    enum chorale_err err;

    chorale_element_files(e->folder, e->element, shard, words, sizeof(shard));
    err = count(look, e, shard, &done, &total);
    if (err != CHORALE_OK)
        return err;
    last_words(words, said, sizeof(said));
    if (done < total)
        ask(look, e->folder);
    if (!chorale_slurm_state(&look->queue, e->job_id, e->task, state,
                             sizeof(state)))
        snprintf(state, sizeof(state), "%s", done >= total ? "complete"
                 : e->job_id[0] == '\0' ? "not submitted"
                 : look->queue.text != NULL ? "not in the queue"
                                            : "unknown");
    snprintf(job, sizeof(job), "%s_%ld", e->job_id, e->task);
    if (look->list != NULL) {
        json_array_append_new(
            look->list,
            json_pack("{s:I, s:I, s:s, s:i, s:i, s:I, s:I, s:s, s:s}",
                      "submission", (json_int_t)e->submission, "element",
                      (json_int_t)e->element, "job", job, "nodes", e->nodes,
                      "ppn", e->ppn, "done", (json_int_t)done, "total",
                      (json_int_t)total, "state", state, "said", said));
        return CHORALE_OK;
    }
    if (look->first)
        printf("\nbatch jobs: runs of each element, its job's state, what it "
               "said last\n%10s %7s %-14s %7s %8s %8s  %s\n", "submission",
               "element", "job", "nodes", "done", "total", "state");
    look->first = 0;
    printf("%10lld %7ld %-14s %4dx%-2d %8lld %8lld  %s%s%s\n",
           (long long)e->submission, e->element, job, e->nodes, e->ppn,
           (long long)done, (long long)total, state,
           said[0] != '\0' ? "; " : "", said);
    return CHORALE_OK;
}

enum chorale_err chorale_status_jobs(struct chorale_store *store,
                                     json_t *list,
                                     struct chorale_errmsg *msg)
{
    struct look look = { .store = store, .first = 1, .list = list,
                         .msg = msg };
    struct chorale_element *element = NULL;
    size_t n = 0;
    enum chorale_err err = chorale_elements_load(store, 0, &element, &n, msg);

    for (size_t i = 0; err == CHORALE_OK && i < n; i++)
        err = show(&look, &element[i]);
    chorale_slurm_forget(&look.queue);
    free(element);
    return err;
}
