/* SPDX-License-Identifier: BSD-3-Clause */
/* ab_interleave.c - measures two databases in turn. */
#include "tuner/compare/ab_interleave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/run/run.h"

struct said {
    char *text;
    size_t size;
};

/* Keep the last line of standard error, which explains how a program ended. */
static int keep_last(void *arg, const char *line, int is_err)
{
    struct said *said = arg;

    if (is_err && line[0] != '\0')
        snprintf(said->text, said->size, "%s",
                 strncmp(line, "chorale: ", 9) == 0 ? line + 9 : line);
    return 0;
}

enum chorale_err chorale_side_call(const struct chorale_ab_side *how,
                                   char *const *words, int *code_p,
                                   char *text, size_t size,
                                   struct chorale_errmsg *msg)
{
    const double patience = 1e9; /* it has its own time limits */
    struct chorale_args args = { .count = 0 };
    struct said said = { text, size };
    struct chorale_child child;
    enum chorale_ending ending = CHORALE_ENDED;
    enum chorale_err err = chorale_ab_side_args(how, &args, msg);
    int status = 0;

    text[0] = '\0';
    for (; err == CHORALE_OK && *words != NULL; words++)
        chorale_args_add(&args, "%s", *words);
    if (err == CHORALE_OK)
        err = chorale_spawn(&args, NULL, &child, msg);
    chorale_args_free(&args);
    if (err != CHORALE_OK)
        return err;
    ending = chorale_child_wait(&child, &patience, keep_last, &said, &status);
    if (ending == CHORALE_ENDED_STOPPED)
        return chorale_fail(msg, CHORALE_STOPPED,
                            "stopped; repeat the command to continue");
    if (!WIFEXITED(status))
        return chorale_fail(msg, CHORALE_ENV, "%s: ended by signal %d; run it "
                            "by hand to see why, then repeat the command",
                            how->text, WTERMSIG(status));
    *code_p = WEXITSTATUS(status);
    return CHORALE_OK;
}

/* 1 if a side's chorale has the option; an older one binds no ranks itself. */
static int knows_no_bind(const struct chorale_ab_side *how)
{
    char *words[] = { "run", "--no-bind", "--help", NULL }, text[8];
    struct chorale_errmsg msg;
    int code = -1;

    return chorale_side_call(how, words, &code, text, sizeof(text), &msg) ==
               CHORALE_OK && code == CHORALE_OK;
}

/* Run one launch with another chorale; *more_p is set if launches are
 * pending. */
static enum chorale_err run_other(const struct chorale_interleave *t, int side,
                                  int *more_p, struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char text[512];
    int code = 0;
    enum chorale_err err;

    chorale_args_add(&args, "run");
    if (t->no_bind && knows_no_bind(t->how[side]))
        chorale_args_add(&args, "--no-bind");
    chorale_args_add(&args, "--quiet");
    chorale_args_add(&args, "--max-launches=1");
    if (t->system != NULL)
        chorale_args_add(&args, "--system=%s", t->system);
    if (t->launcher_cmd != NULL)
        chorale_args_add(&args, "--launcher-cmd=%s", t->launcher_cmd);
    chorale_args_add(&args, "%s", t->path[side]);
    err = chorale_side_call(t->how[side], args.word, &code, text, sizeof(text),
                            msg);
    chorale_args_free(&args);
    *more_p = err == CHORALE_OK && code == CHORALE_STOPPED;
    if (err == CHORALE_OK && code != CHORALE_OK && code != CHORALE_STOPPED)
        err = chorale_fail(msg, CHORALE_ENV, "%s run %s: exit code %d: "
                           "%.400s; repair that, then repeat the command",
                           t->how[side]->text, t->path[side], code,
                           text[0] != '\0' ? text : "no message");
    return err;
}

static enum chorale_err run_ours(const struct chorale_interleave *t, int side,
                                 int *more_p, struct chorale_errmsg *msg)
{
    struct chorale_run_opts opts = CHORALE_RUN_DEFAULTS;
    const struct chorale_ab_side *how = t->how[side];
    enum chorale_err err;

    opts.system = t->system;
    opts.launcher_cmd = t->launcher_cmd;
    opts.no_bind = t->no_bind;
    opts.max_launches = 1;
    opts.quiet = 1;
    if (how != NULL && how->kind == CHORALE_SIDE_TABLE) {
        opts.module = how->table;
        opts.served = 1;
    }
    err = chorale_run(t->path[side], &opts, msg);
    *more_p = err == CHORALE_STOPPED;
    if (err == CHORALE_STOPPED && !chorale_stop_requested()) {
        msg->text[0] = '\0';
        err = CHORALE_OK;
    }
    return err;
}

static enum chorale_err launch(const struct chorale_interleave *t, int side,
                               int *more_p, struct chorale_errmsg *msg)
{
    const struct chorale_ab_side *how = t->how[side];

    if (how == NULL || how->kind == CHORALE_SIDE_THIS ||
        how->kind == CHORALE_SIDE_TABLE)
        return run_ours(t, side, more_p, msg);
    return run_other(t, side, more_p, msg);
}

/* Count the finished launches. */
static enum chorale_err count(const struct chorale_interleave *t, int side,
                              sqlite3_int64 *made_p,
                              struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    enum chorale_err err = chorale_store_open(
        t->path[side], CHORALE_STORE_READ, &store, msg);

    if (err == CHORALE_OK)
        err = chorale_store_find(
            store, "SELECT count(*) FROM launch l JOIN campaign"
            " USING (campaign_id) WHERE l.status = 'done' AND again = ?1",
            CHORALE_FIELDS(t->again != 0), 0, made_p, msg);
    chorale_store_close(store);
    return err;
}

/* The next side: the one that is behind. If both are equal, the first side of a
 * round alternates. */
static int choose(const int *more, const sqlite3_int64 *made)
{
    if (!more[0] || !more[1])
        return more[0] ? 0 : 1;
    if (made[0] != made[1])
        return made[0] < made[1] ? 0 : 1;
    return made[0] % 2 == 0 ? 0 : 1;
}

enum chorale_err chorale_interleave_run(const struct chorale_interleave *t,
                                        struct chorale_errmsg *msg)
{
    sqlite3_int64 made[2] = { 0, 0 };
    int more[2] = { t->path[0] != NULL, 1 };
    enum chorale_err err = CHORALE_OK;

    for (int side = 0; side < 2 && err == CHORALE_OK; side++)
        if (t->path[side] != NULL)
            err = count(t, side, &made[side], msg);
    /* A stop leaves a difference of at most one; more is from earlier runs. */
    if (llabs(made[0] - made[1]) > 1)
        made[0] = made[1];
    while (err == CHORALE_OK && (more[0] || more[1])) {
        int side = choose(more, made);

        made[side]++;
        err = launch(t, side, &more[side], msg);
        if (err == CHORALE_OK && chorale_stop_requested())
            err = chorale_fail(msg, CHORALE_STOPPED, "stopped; repeat the "
                               "command to continue");
    }
    return err;
}
