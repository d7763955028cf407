/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluate.c - the verb `evaluate`: computes the regret of a table's
 * choices. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "db/systems.h"
#include "tuner/assess/evaluate.h"
#include "tuner/assess/gain_show.h"
#include "tuner/assess/leave_out.h"
#include "tuner/base/rows.h"
#include "tuner/base/units.h"
#include "tuner/base/verb.h"
#include "tuner/decide/decide_tables.h"
#include "tuner/decide/policy.h"
#include "tuner/decide/smooth.h"

enum { NAME_SIZE = 128 };

struct opts {
    const char *oracle, *system, *oracle_system;
    const char *leave_out, *by;
    struct chorale_policy policy; /* threshold, launch_noise, accept_mean */
    int points, json, allow_patented, trace, rules;
};

static enum chorale_err name_of(struct chorale_store *store, sqlite3_int64 id,
                                char name[NAME_SIZE],
                                struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT name FROM system WHERE system_id = ?1",
        CHORALE_FIELDS(id), &stmt, msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(store, stmt, NULL, msg);
    if (err == CHORALE_OK)
        snprintf(name, NAME_SIZE, "%s", chorale_text(stmt, 0));
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err load_oracle(const char *path, const char *system,
                                    char name[NAME_SIZE],
                                    struct chorale_points *points,
                                    struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 id;
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_READ, &store,
                                              msg);

    if (err == CHORALE_OK)
        err = chorale_store_system(store, system, &id, NULL, msg);
    if (err == CHORALE_USAGE)
        err = chorale_fail(msg, CHORALE_USAGE, "--oracle %s: it has several "
                           "systems; name one with --oracle-system (`chorale "
                           "status` lists them)", path);
    if (err == CHORALE_OK)
        err = name_of(store, id, name, msg);
    if (err == CHORALE_OK)
        err = chorale_points_load(store, id, points, msg);
    chorale_store_close(store);
    return err;
}

static const char point_columns[] =
    "collective=coll|n=n:B|P=comm_size|=ppn|placement=shape|=dtype|=op|"
    "choice=choice|time=seconds:s|best=best|time=best_seconds:s|"
    "=library_seconds|regret:%.2f %%|speed-up:x%.3f";

static struct chorale_rows list_points(const struct chorale_verdict *v,
                                       size_t count)
{
    struct chorale_rows rows = { .columns = point_columns };

    for (size_t i = 0; i < count; i++) {
        const struct chorale_run_point *p = v[i].point;

        chorale_rows_add(
            &rows,
            CHORALE_FIELDS(chorale_coll_info(p->coll)->name, p->n, p->comm_size,
                           p->ppn, p->shape, p->dtype, p->op, v[i].choice,
                           v[i].seconds, v[i].best, v[i].best_seconds,
                           v[i].library_seconds,
                           v[i].seconds / v[i].best_seconds - 1,
                           v[i].library_seconds / v[i].seconds));
    }
    return rows;
}

static const char score_columns[] =
    "collective=coll|points=points|=unknown|=slower_than_library|"
    "=modelled_slower|=worse_than_library|regret=regret:%.2f %%|"
    "p99=p99:%.2f %%|worst=worst:%.2f %%|=speedup|captured=captured:%.1f %%|"
    "speed-up:%.3f|"
    "slower|m. slower|unknown|over 3 %|worst at";

static void add_score(struct chorale_rows *rows, const char *name,
                      const struct chorale_score *s)
{
    char n[32], where[128] = "";

    if (s->worst_at != NULL && s->worst > 0)
        snprintf(where, sizeof(where), "%s, n = %s, P = %d",
                 chorale_coll_info(s->worst_at->point->coll)->name,
                 chorale_human_bytes((double)s->worst_at->point->n, n),
                 s->worst_at->point->comm_size);
    chorale_rows_add(rows,
                     CHORALE_FIELDS(name, s->npoint, s->nunknown, s->nslower,
                                    s->nguessed, s->nworse, s->regret, s->p99,
                                    s->worst,
                                    s->speedup, s->captured, s->speedup,
                                    s->nslower, s->nguessed, s->nunknown,
                                    s->nworse, where));
}

/* A judged table. */
struct judged {
    struct chorale_verdict *verdict;
    size_t count;
};

static struct chorale_rows list_scores(const struct judged *j)
{
    struct chorale_rows scores = { .columns = score_columns };

    for (int c = 0; c <= CHORALE_NCOLL; c++) {
        struct chorale_score s;

        if (chorale_evaluate_score(j->verdict, j->count, (enum chorale_coll)c,
                                   &s) != 0)
            scores.bad = 1;
        else if (s.npoint > 0)
            add_score(&scores, c < CHORALE_NCOLL
                                   ? chorale_coll_info((enum chorale_coll)c)
                                         ->name
                                   : "all", &s);
    }
    return scores;
}

/* Add the members "scores" and "points" to an object. */
static int add_json(json_t *object, const struct judged *j, int with_points)
{
    struct chorale_rows points = list_points(j->verdict,
                                             with_points ? j->count : 0);
    struct chorale_rows scores = list_scores(j);
    int bad = json_object_set_new(object, "scores",
                                  chorale_rows_json(&scores));
    json_t *list = chorale_rows_json(&points);

    if (with_points)
        return bad | json_object_set_new(object, "points", list);
    json_decref(list);
    return bad;
}

static int print_text(const struct judged *j, int with_points)
{
    struct chorale_rows points = list_points(j->verdict,
                                             with_points ? j->count : 0);
    struct chorale_rows scores = list_scores(j);

    return chorale_rows_print(&points, 0, stdout) |
           chorale_rows_print(&scores, 0, stdout);
}

/* Show the verdicts on a table, and those on the table for rules files if they
 * are judged as well (rules->count > 0). mark: why the system's table is
 * exploratory, or "". */
static int show(const struct judged *table, const struct judged *rules,
                const char *mark, const struct opts *opts)
{
    json_t *root, *more;
    int bad;

    if (!opts->json) {
        bad = print_text(table, opts->points);
        if (rules->count == 0)
            return bad;
        printf("\nFor rule files of the library, its own algorithms:\n");
        return bad | print_text(rules, opts->points);
    }
    root = json_object();
    more = json_object();
    bad = root == NULL || more == NULL || add_json(root, table, opts->points) ||
          (mark[0] != '\0' && json_object_set_new(root, "exploratory",
                                                  json_string(mark)) != 0) ||
          (rules->count > 0 &&
           (add_json(more, rules, opts->points) != 0 ||
            json_object_set(root, "rules", more) != 0));
    json_decref(more);
    if (!bad)
        return chorale_json_print(root);
    json_decref(root);
    return -1;
}

/* Load the mark of an exploratory table, or "", and print it. */
static enum chorale_err load_mark(struct chorale_store *store, const char *path,
                                  sqlite3_int64 id,
                                  char mark[CHORALE_EXPLORATORY_TEXT],
                                  struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_exploratory(store, id, mark, msg);

    if (err == CHORALE_OK && mark[0] != '\0')
        fprintf(stderr, "chorale: %s: %s\n", path, mark);
    return err;
}

/* Output failed, in JSON by a non-UTF-8 name. */
static enum chorale_err unshown(const struct opts *opts, const char *path,
                                struct chorale_errmsg *msg)
{
    return opts->json
               ? chorale_fail_utf8(msg, path)
               : chorale_fail_memory(msg, "evaluate");
}

/* Print the table's gain for the traced applications. */
static enum chorale_err run_trace(const char *path, const struct opts *opts,
                                  struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    struct chorale_gain gain = {0};
    sqlite3_int64 id;
    enum chorale_err err;

    if (opts->oracle != NULL)
        return chorale_fail(msg, CHORALE_USAGE, "evaluate: --oracle and"
                            " --trace compute different results; give"
                            " only one");
    err = chorale_store_open(path, CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, opts->system, &id, NULL, msg);
    if (err == CHORALE_OK)
        err = chorale_gain_load(store, id, &gain, msg);
    if (err == CHORALE_OK
        && chorale_gain_show(&gain, opts->points, opts->json) != 0)
        err = unshown(opts, path, msg);
    chorale_gain_release(&gain);
    chorale_store_close(store);
    return err;
}

/* Cross-validate a choice within one database. */
static enum chorale_err run_leave_out(const char *path,
                                      const struct opts *opts,
                                      struct chorale_errmsg *msg)
{
    static const char *const leave[] = { "P", "n", "launch" };
    static const char *const by[] = { "smooth", "nearest" };
    struct chorale_leave_opts how = {
        .threshold = opts->policy.threshold, .noise = opts->policy.launch_noise,
        .allow_patented = opts->allow_patented,
    };
    struct chorale_points points = { .row = NULL };
    struct judged judged = { NULL, 0 };
    struct chorale_store *store = NULL;
    char mark[CHORALE_EXPLORATORY_TEXT];
    int simulated = 0;
    sqlite3_int64 id;
    size_t i = 0, k = 0;
    enum chorale_err err;

    while (i < 3 && strcasecmp(opts->leave_out, leave[i]) != 0)
        i++;
    while (k < 2 && opts->by != NULL && strcmp(opts->by, by[k]) != 0)
        k++;
    if (opts->oracle != NULL || i == 3 || k == 2)
        return chorale_fail(msg, CHORALE_USAGE, "evaluate: %s",
                            i == 3   ? "--leave-out: give P, n or launch"
                            : k == 2 ? "--by: give smooth or nearest"
                                     : "give either --oracle or --leave-out");
    how.leave = (enum chorale_leave)i;
    how.chooser = (enum chorale_chooser)k;
    err = chorale_store_open(path, CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, opts->system, &id, &simulated, msg);
    if (err == CHORALE_OK)
        err = chorale_points_load(store, id, &points, msg);
    if (err == CHORALE_OK && !opts->policy.accept_mean)
        chorale_points_remove_means(&points);
    if (err == CHORALE_OK && isnan(how.threshold))
        how.threshold = simulated ? 0 : CHORALE_SMOOTH_THRESHOLD;
    if (err == CHORALE_OK && isnan(how.noise))
        how.noise = CHORALE_LAUNCH_NOISE;
    if (err == CHORALE_OK)
        err = chorale_leave_out(&points, &how, &judged.verdict, &judged.count,
                                msg);
    if (err == CHORALE_OK)
        err = load_mark(store, path, id, mark, msg);
    if (err == CHORALE_OK && show(&judged, &(struct judged){ NULL, 0 }, mark,
                                  opts) != 0)
        err = unshown(opts, path, msg);
    free(judged.verdict);
    chorale_points_release(&points);
    chorale_store_close(store);
    return err;
}

static int has_natives(const struct chorale_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (strcmp(points->row[i].provider, "native") == 0)
            return 1;
    return 0;
}

/* Judge the dispatch table, and the one for rules files if the oracle measured
 * the library's own algorithms. If it measured no variant of the catalogue,
 * those algorithms stand for the variants of the same name, as in decisions;
 * catalogue is that copy of the oracle, whose rows the caller frees. */
static enum chorale_err judge_tables(const struct chorale_emit_table *table,
                                     struct chorale_store *store,
                                     sqlite3_int64 id, int has_rules,
                                     const struct chorale_points *oracle,
                                     struct chorale_points *catalogue,
                                     int allow_patented, struct judged *judged,
                                     struct judged *rules,
                                     struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    if (chorale_points_by_catalogue(oracle, catalogue) != 0)
        return chorale_fail_memory(msg, "evaluate");
    err = chorale_evaluate(table, catalogue->row != NULL ? catalogue : oracle,
                           allow_patented, &judged->verdict, &judged->count,
                           msg);
    if (err == CHORALE_OK)
        err = chorale_evaluate_confirmed(store, id, judged->verdict,
                                         judged->count, msg);
    if (err == CHORALE_OK && has_rules && has_natives(oracle))
        err = chorale_evaluate_rules(store, id, oracle, &rules->verdict,
                                     &rules->count, msg);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .policy = CHORALE_POLICY_DEFAULTS };
    struct chorale_points oracle = { .row = NULL }, catalogue = oracle;
    struct judged judged = { NULL, 0 }, rules = judged;
    struct chorale_store *store = NULL;
    struct chorale_emit_table table;
    char name[NAME_SIZE] = "", judge[NAME_SIZE] = "";
    char mark[CHORALE_EXPLORATORY_TEXT];
    sqlite3_int64 id = 0, decided = 0;
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    if (opts.trace)
        return run_trace(argv[1], &opts, msg);
    if (opts.leave_out != NULL)
        return run_leave_out(argv[1], &opts, msg);
    if (opts.oracle == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "evaluate: --oracle"
                            " exhaustive.db is missing: the database whose"
                            " measurements judge the table; or --leave-out"
                            " P; or --trace");
    memset(&table, 0, sizeof(table));
    err = chorale_store_open(argv[1], CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, opts.system, &id, NULL, msg);
    if (err == CHORALE_OK)
        err = name_of(store, id, name, msg);
    if (err == CHORALE_OK && !opts.rules)
        err = chorale_emit_load(store, id, &table, msg);
    if (err == CHORALE_OK)
        err = load_oracle(opts.oracle, opts.oracle_system, judge, &oracle,
                          msg);
    if (err == CHORALE_OK && !opts.policy.accept_mean)
        chorale_points_remove_means(&oracle);
    if (err == CHORALE_OK)
        err = chorale_store_find(store, "SELECT count(*) FROM decision WHERE"
                                 " system_id = ?1 AND target = 'rules'",
                                 CHORALE_FIELDS(id), 0, &decided, msg);
    if (err == CHORALE_OK && opts.rules)
        err = chorale_evaluate_rules(store, id, &oracle, &judged.verdict,
                                     &judged.count, msg);
    else if (err == CHORALE_OK)
        err = judge_tables(&table, store, id, decided > 0, &oracle, &catalogue,
                           opts.allow_patented, &judged, &rules, msg);
    if (err == CHORALE_OK && judged.count == 0)
        err = chorale_fail(msg, CHORALE_DATA, "%s: no point at which the"
                           " library's default was measured properly; `chorale"
                           " run` measures", opts.oracle);
    if (err == CHORALE_OK && strcmp(name, judge) != 0)
        fprintf(stderr, "chorale: the table is of system %s, and what judges "
                "it was measured on system %s\n", name, judge);
    if (err == CHORALE_OK)
        err = load_mark(store, argv[1], id, mark, msg);
    if (err == CHORALE_OK && show(&judged, &rules, mark, &opts) != 0)
        err = unshown(&opts, opts.oracle, msg);
    free(judged.verdict);
    free(rules.verdict);
    free(catalogue.row);
    chorale_points_release(&oracle);
    chorale_emit_release(&table);
    chorale_store_close(store);
    return err;
}

static const struct chorale_opt rows[] = {
    { "oracle", 0, CHORALE_OPT_TEXT, offsetof(struct opts, oracle), "FILE",
      "database whose measurements judge the table", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "system whose table to judge, if there are several", 0, 0 },
    { "oracle-system", 0, CHORALE_OPT_TEXT,
      offsetof(struct opts, oracle_system), "NAME",
      "system of the oracle, if there are several", 0, 0 },
    { "trace", 0, CHORALE_OPT_FLAG, offsetof(struct opts, trace), NULL,
      "instead of the regret: how much of the time of the imported traces the"
      " table wins", 0, 0 },
    { "rules", 0, CHORALE_OPT_FLAG, offsetof(struct opts, rules), NULL,
      "judge only the table for rules files",
      0, 0 },
    { "leave-out", 0, CHORALE_OPT_TEXT, offsetof(struct opts, leave_out),
      "WHAT", "instead of a table: choose without some of the measurements of "
      "this database, and judge by them: each P, every third n, or all but one "
      "launch", 0, 0 },
    { "by", 0, CHORALE_OPT_TEXT, offsetof(struct opts, by), "HOW",
      "with --leave-out: smooth, by times smoothed over n and P; nearest, the "
      "fastest at the next smaller P or n (default: smooth)", 0, 0 },
    { "threshold", 0, CHORALE_OPT_PERCENT,
      offsetof(struct opts, policy.threshold), "GAIN",
      "with --leave-out: keep the library below this gain (default: 1%, 0 in "
      "simulation)", 0, 0 },
    CHORALE_POLICY_NOISE_OPT(struct opts, policy),
    { "accept-mean", 0, CHORALE_OPT_FLAG,
      offsetof(struct opts, policy.accept_mean), NULL,
      "use means over the ranks of rooted collectives, too", 0, 0 },
    { "points", 0, CHORALE_OPT_FLAG, offsetof(struct opts, points), NULL,
      "list each point", 0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG,
      offsetof(struct opts, allow_patented), NULL,
      "the best may be a patented variant", 0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, offsetof(struct opts, json), NULL,
      "print JSON", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_evaluate = {
    .name = "evaluate",
    .args = "table.db",
    .summary = "compute the regret of a table's choices by an oracle",
    .detail =
        "Looks up every point of the oracle in the decisions of table.db, as "
        "the generated dispatch table would. Compares the oracle's time of "
        "that choice with its times of the best variant and of the library's "
        "default. Regret is seconds(choice) / seconds(best) - 1: of the "
        "geometric means, the 99th percentile and the worst point. Captured "
        "is log(library / choice) / log(library / best) of the sums. Slower "
        "counts points where a variant was chosen that is slower than the "
        "library although the table's database measured it there. m. slower "
        "(modelled) counts those where it was not measured. unknown counts "
        "points where the oracle did not measure the choice; they are in no "
        "other figure.\n"
        "If the oracle measured the library's own algorithms, the table for "
        "rules files is judged as well; among those algorithms the best is the "
        "fastest. Where it measured no variant of the catalogue, they stand "
        "for the variants of the same name.\n"
        "Where some rank does not know n (gatherv, scatterv, alltoallv), one "
        "choice serves all sizes. The best is then the fastest on average that "
        "is nowhere more than 3 % slower than the library.\n"
        "The oracle may have other points than the table was decided from: "
        "other sizes and process counts show the quality of interpolation.\n"
        "With --leave-out the measurements of one database choose and judge, "
        "but never the same one: each process count but the first and last is "
        "left out in turn, or every third size, or all launches but one. The "
        "others choose among all measured algorithms, those of the library and "
        "imported ones included. over 3 % counts choices that are more than "
        "3 % slower than the library.\n"
        "With --trace the time of each traced point is multiplied by 1 - "
        "seconds(choice) / seconds(library), as table.db measured them at "
        "that point. Points without a measurement count as no gain and are "
        "reported.",
    .example = "chorale evaluate table.db --oracle exhaustive.db --points\n"
               "chorale evaluate results.db --leave-out P\n"
               "chorale evaluate results.db --trace",
    .opt = rows,
    .run = run,
};
