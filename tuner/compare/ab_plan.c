/* SPDX-License-Identifier: BSD-3-Clause */
/* ab_plan.c - checks the options of `chorale ab` and plans both sides. */
#include "tuner/compare/ab.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/store.h"
#include "tuner/compare/comparison.h"
#include "tuner/compare/ab_interleave.h"
#include "tuner/base/verb.h"

#define LABEL_HEAD 100       /* characters of a long side before its digest */

static const char *const names[2] = { "base", "head" };

/* The plan's options, as rows of `chorale plan`. */
static const struct chorale_opt rows[] = {
    CHORALE_PLAN_OPTS(struct chorale_ab, plan),
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

static enum chorale_err refuse(const struct chorale_plan *plan,
                               struct chorale_errmsg *msg)
{
    const struct {
        const char *option;
        int given;
        const char *why;
    } row[] = {
        { "--adaptive", plan->adaptive, "both sides measure the same cells" },
        { "--set model", plan->set != NULL && strcmp(plan->set, "model") == 0,
          "both sides measure the same cells" },
        { "--budget", plan->budget != NULL, "it requires --adaptive" },
        { "--goal", plan->goal >= 0, "it requires --adaptive" },
        { "--from-trace", plan->from_trace || plan->trace != NULL,
          "name the points by -c, -m and -P" },
        { "--label", plan->label != NULL, "a side's label is its SIDE text" },
        { "--metric", strcmp(plan->metric, "duration") != 0,
          "only durations are compared" },
        { "--arrival", strcmp(plan->arrival, "sync") != 0,
          "only synchronised arrival is compared" },
        { "--siblings", strcmp(plan->siblings, "alone") != 0,
          "only siblings alone is compared" },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].given)
            return chorale_fail(msg, CHORALE_USAGE, "ab: %s: %s; leave it out",
                                row[i].option, row[i].why);
    return CHORALE_OK;
}

enum chorale_err chorale_ab_check(struct chorale_ab *ab,
                                  struct chorale_errmsg *msg)
{
    struct chorale_plan *plan = &ab->plan;
    int simulated = plan->launcher != NULL &&
                    strcmp(plan->launcher, "smpirun") == 0;
    int table = ab->how[0].kind == CHORALE_SIDE_TABLE ||
                ab->how[1].kind == CHORALE_SIDE_TABLE;
    int cold = plan->buffers != NULL && strcmp(plan->buffers, "cold") == 0;
    enum chorale_err err = refuse(plan, msg);

    if (err != CHORALE_OK)
        return err;
    if (table && simulated)
        return chorale_fail(msg, CHORALE_USAGE, "ab: no table can be preloaded "
                            "in a simulation; leave --launcher smpirun out, "
                            "or use `chorale validate`");
    if (table && (plan->variants != NULL || plan->set != NULL))
        return chorale_fail(msg, CHORALE_USAGE, "ab: a table changes only an "
                            "application's calls, and variants are equal on "
                            "both sides; leave --variants and --set "
                            "out");
    if (table)
        plan->providers = "library";
    if (!simulated && !cold && plan->batch == 0)
        plan->batch = CHORALE_AB_BATCH;
    return CHORALE_OK;
}

/* Make a label of a side; long texts are shortened with a digest. */
static void label_of(const struct chorale_ab_side *how,
                     char label[CHORALE_LABEL_SIZE])
{
    char uuid[CHORALE_UUID_SIZE];

    if (strlen(how->text) < CHORALE_LABEL_SIZE) {
        snprintf(label, CHORALE_LABEL_SIZE, "%s", how->text);
        return;
    }
    chorale_uuid_of(how->text, uuid);
    snprintf(label, CHORALE_LABEL_SIZE, "%.*s... %.12s", LABEL_HEAD, how->text,
             uuid);
}

/* The first campaign's command line, or "" without a campaign. */
static enum chorale_err planned(const char *path, char *text, size_t size,
                                struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err;

    text[0] = '\0';
    if (access(path, F_OK) != 0)
        return CHORALE_OK;
    err = chorale_store_open(path, CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(store, "SELECT command FROM campaign"
                                    " ORDER BY campaign_id LIMIT 1", &stmt,
                                    msg);
    if (chorale_store_next(store, stmt, &err, msg))
        snprintf(text, size, "%s", chorale_text(stmt, 0));
    sqlite3_finalize(stmt);
    chorale_store_close(store);
    return err;
}

/* Check that the side's chorale uses this schema version. Otherwise planning a
 * second measurement would migrate the database, and its own chorale could not
 * read it any more. */
static enum chorale_err check_schema(const struct chorale_ab *ab, int side,
                                     struct chorale_errmsg *msg)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    int version = -1;

    if (sqlite3_open_v2(ab->path[side], &db, SQLITE_OPEN_READONLY, NULL) ==
            SQLITE_OK &&
        sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &stmt, NULL) ==
            SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        version = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    if (version == CHORALE_SCHEMA_VERSION)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_DATA, "%s: --%s %s uses schema version "
                        "%d, this chorale %d; use two builds of one schema "
                        "version, and ab of the newer one",
                        ab->path[side], names[side], ab->how[side].text,
                        version, CHORALE_SCHEMA_VERSION);
}

static enum chorale_err call_plan(const struct chorale_ab *ab, int side,
                                  struct chorale_args *args,
                                  struct chorale_errmsg *msg)
{
    char text[600];
    int code = 0;
    enum chorale_err err = chorale_side_call(&ab->how[side], args->word, &code,
                                             text, sizeof(text), msg);

    if (err != CHORALE_OK)
        return err;
    if (code == CHORALE_OK && access(ab->path[side], F_OK) != 0)
        return chorale_fail(msg, CHORALE_ENV, "--%s %s: it succeeded without "
                            "planning anything; name a chorale, or a command "
                            "that runs its arguments", names[side],
                            ab->how[side].text);
    /* Both sides print the same about their plans: show it once. */
    if (code == CHORALE_OK && side == 0 && text[0] != '\0')
        fprintf(stderr, "chorale: %s\n", text);
    if (code == CHORALE_OK)
        return check_schema(ab, side, msg);
    return chorale_fail(msg, code == CHORALE_USAGE || code == CHORALE_DATA
                                 ? (enum chorale_err)code
                                 : CHORALE_ENV,
                        "--%s %s: %s", names[side], ab->how[side].text,
                        text[0] != '\0' ? text
                                        : "its plan failed without a message"
                                          "; run it by hand");
}

/* Append the words of a side's `chorale plan`, without the database. */
static void plan_words(struct chorale_ab *ab, int side,
                       struct chorale_args *args)
{
    static const struct chorale_ab none = { .plan = CHORALE_PLAN_DEFAULTS };
    char label[CHORALE_LABEL_SIZE];

    label_of(&ab->how[side], label);
    ab->plan.label = label;
    chorale_args_add(args, "plan");
    chorale_args_add(args, "--quiet");
    chorale_opts_words(rows, ab, &none, args);
    ab->plan.label = NULL;
}

void chorale_ab_prefix(struct chorale_ab *ab, char prefix[CHORALE_AB_PREFIX])
{
    struct chorale_args args = { .count = 0 };
    char text[8192], uuid[CHORALE_UUID_SIZE];

    for (int side = 0; side < 2; side++)
        plan_words(ab, side, &args);
    chorale_command_text(args.count, args.word, text, sizeof(text));
    chorale_uuid_of(text, uuid);
    snprintf(prefix, CHORALE_AB_PREFIX, "ab-%.8s", uuid);
    chorale_args_free(&args);
}

static enum chorale_err plan_side(struct chorale_ab *ab, int side,
                                  struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char command[1024], before[1024];
    enum chorale_err err;

    plan_words(ab, side, &args);
    chorale_args_add(&args, "%s", ab->path[side]);
    chorale_command_text(args.count, args.word, command, sizeof(command));
    err = planned(ab->path[side], before, sizeof(before), msg);
    if (err == CHORALE_OK && before[0] == '\0')
        err = call_plan(ab, side, &args, msg);
    else if (err == CHORALE_OK && strcmp(before, command) != 0)
        err = chorale_fail(msg, CHORALE_USAGE, "%s: it has another plan (%s) "
                           "than now (%s); name another prefix, or remove it",
                           ab->path[side], before, command);
    chorale_args_free(&args);
    return err;
}

enum chorale_err chorale_ab_plan(struct chorale_ab *ab,
                                 struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    for (int side = 0; side < 2 && err == CHORALE_OK; side++)
        err = plan_side(ab, side, msg);
    return err;
}

enum chorale_err chorale_ab_pending(const struct chorale_ab *ab,
                                    sqlite3_int64 *left_p,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    *left_p = 0;
    for (int side = 0; side < 2 && err == CHORALE_OK; side++) {
        struct chorale_store *store = NULL;
        sqlite3_int64 left = 0;

        err = chorale_store_open(ab->path[side], CHORALE_STORE_READ, &store,
                                 msg);
        if (err == CHORALE_OK)
            err = chorale_store_int(store, "SELECT total(planned - done) FROM"
                                    " v_progress", 0, &left, msg);
        chorale_store_close(store);
        *left_p += left;
    }
    return err;
}

enum chorale_err chorale_ab_again(const struct chorale_ab *ab, int *again_p,
                                  struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 again = 0;
    enum chorale_err err = chorale_store_open(ab->path[0], CHORALE_STORE_READ,
                                              &store, msg);

    if (err == CHORALE_OK)
        err = chorale_store_int(store, "SELECT count(*) FROM campaign WHERE"
                                " again", 0, &again, msg);
    chorale_store_close(store);
    *again_p = again > 0;
    return err;
}
