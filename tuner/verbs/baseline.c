/* SPDX-License-Identifier: BSD-3-Clause */
/* baseline.c - the verb `baseline`: names measurements to compare later ones
 * with. */
#include <stdio.h>
#include <string.h>

#include "db/systems.h"
#include "tuner/compare/comparison.h"
#include "tuner/base/verb.h"

struct opts {
    const char *system, *label;
};

/* Campaigns with runs, except validations and second measurements. */
static const char set_sql[] =
    "INSERT INTO baseline (name, system_id, campaign_id, created)"
    " SELECT ?2, ?1, campaign_id, ?4 FROM campaign k WHERE system_id = ?1"
    " AND NOT validates AND NOT again AND (?3 IS NULL OR label = ?3)"
    " AND EXISTS (SELECT 1 FROM launch l JOIN run USING (launch_id)"
    "  WHERE l.campaign_id = k.campaign_id)";

static enum chorale_err execute(struct chorale_store *store, const char *sql,
                                sqlite3_int64 system, const char *name,
                                const char *label, int *changed_p,
                                struct chorale_errmsg *msg)
{
    char now[32];
    enum chorale_err err;

    chorale_time_now(now);
    err = chorale_store_run(store, sql,
                            CHORALE_FIELDS(system, name, label, now), msg);
    if (changed_p != NULL)
        *changed_p = sqlite3_changes(chorale_store_db(store));
    return err;
}

/* Replace a baseline, or remove it if set is 0. */
static enum chorale_err change(const char *path, const char *name, int set,
                               const struct opts *opts,
                               struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 system;
    int gone = 0, count = 0;
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_WRITE,
                                              &store, msg);

    if (err == CHORALE_OK)
        err = chorale_store_lock(store, CHORALE_LOCK_CAMPAIGN,
                                 CHORALE_LOCK_PATIENCE, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, opts->system, &system, NULL, msg);
    if (err == CHORALE_OK)
        err = chorale_store_begin(store, msg);
    if (err == CHORALE_OK)
        err = execute(store, "DELETE FROM baseline WHERE system_id = ?1"
                      " AND name = ?2", system, name, NULL, &gone, msg);
    if (err == CHORALE_OK && set)
        err = execute(store, set_sql, system, name, opts->label, &count, msg);
    if (err == CHORALE_OK && set && count == 0)
        err = chorale_fail(msg, CHORALE_DATA, "%s: no campaign%s%s has "
                           "measured anything; run `chorale run`", path,
                           opts->label != NULL ? " of label " : "",
                           opts->label != NULL ? opts->label : "");
    if (err == CHORALE_OK && !set && gone == 0)
        err = chorale_fail(msg, CHORALE_USAGE, "%s: no baseline %s; `chorale "
                           "baseline list %s` lists them", path, name, path);
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    if (err == CHORALE_OK && set)
        printf("%s: baseline %s is %d %s%s\n", path, name, count,
               count == 1 ? "campaign" : "campaigns",
               gone > 0 ? ", replacing an earlier one" : "");
    if (err != CHORALE_OK && store != NULL)
        chorale_store_rollback(store);
    chorale_store_close(store);
    return err;
}

static enum chorale_err list(const char *path, struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_READ, &store,
                                              msg);

    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            store,
            "SELECT b.name, y.name, min(b.created), count(*),"
            " group_concat(DISTINCT nullif(k.label, ''))"
            " FROM baseline b JOIN campaign k USING (campaign_id)"
            " JOIN system y ON y.system_id = b.system_id"
            " GROUP BY b.name, b.system_id ORDER BY 1, 2", &stmt, msg);
    while (chorale_store_next(store, stmt, &err, msg)) {
        char name[128], system[128], label[256], made[32];

        chorale_safe_text(name, sizeof(name), chorale_text(stmt, 0));
        chorale_safe_text(system, sizeof(system), chorale_text(stmt, 1));
        chorale_safe_text(made, sizeof(made), chorale_text(stmt, 2));
        chorale_safe_text(label, sizeof(label), chorale_text(stmt, 4));
        printf("%-20s system %s, set %s, %lld %s%s%s\n", name, system, made,
               (long long)sqlite3_column_int64(stmt, 3),
               sqlite3_column_int64(stmt, 3) == 1 ? "campaign" : "campaigns",
               label[0] != '\0' ? ", label " : "", label);
    }
    sqlite3_finalize(stmt);
    chorale_store_close(store);
    return err;
}

static int good_name(const char *name)
{
    return name[0] != '\0' && strlen(name) < 100 &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                        "0123456789_.,:@%+=/-") == strlen(name);
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { NULL, NULL };
    int nword = 0, set;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 2, 3,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    if (nword == 2 && strcmp(argv[1], "list") == 0)
        return list(argv[2], msg);
    set = strcmp(argv[1], "set") == 0;
    if (nword != 3 || (!set && strcmp(argv[1], "remove") != 0))
        return chorale_fail(msg, CHORALE_USAGE, "baseline %s: set NAME "
                            "results.db, remove NAME results.db, or list "
                            "results.db", argv[1]);
    if (!good_name(argv[2]))
        return chorale_fail(msg, CHORALE_USAGE, "baseline %s %s: invalid name; "
                            "use letters, digits and _.,:@%%+=/-", argv[1],
                            argv[2]);
    return change(argv[3], argv[2], set, &opts, msg);
}

static const struct chorale_opt rows[] = {
    { "label", 0, CHORALE_OPT_TEXT, offsetof(struct opts, label), "TEXT",
      "only campaigns planned with this --label (default: all that have "
      "measured so far)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "system, if the database has several", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_baseline = {
    .name = "baseline",
    .args = "set|remove|list [NAME] results.db",
    .summary = "name measurements to compare with",
    .detail =
        "set gives a name to the campaigns in a database; `chorale compare "
        "--baseline NAME` then compares with their launches. Setting a name "
        "again replaces it. Accept a change in this way: later measurements "
        "are compared with the present ones.\n"
        "A long-lived database gets the measurements of each run by `chorale "
        "merge perf.db run.db`; launches outside the baseline are compared "
        "with it. To accept a change there, use --label; otherwise earlier "
        "measurements stay in the baseline. To measure again in turn, keep "
        "base and head in two databases.",
    .example = "chorale baseline set v1.2 perf.db\n"
               "chorale baseline set good perf.db --label 3f2c1a0\n"
               "chorale compare perf.db --baseline v1.2",
    .opt = rows,
    .run = run,
};
