/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluate.c - the verb `evaluate`: computes the regret of a table's
 * choices. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/systems.h"
#include "tuner/assess/evaluate.h"
#include "tuner/assess/show_gain.h"
#include "tuner/base/units.h"
#include "tuner/base/verb.h"

enum { NAME_SIZE = 128 };

struct opts {
    const char *oracle, *system, *oracle_system;
    int points, json, allow_patented, trace;
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

static double percent(double ratio)
{
    return 100 * ratio;
}

static void print_points(const struct chorale_verdict *v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct chorale_run_point *p = v[i].point;
        char n[32], seconds[32] = "unknown", best[32];

        if (isfinite(v[i].seconds))
            chorale_human_seconds(v[i].seconds, seconds);
        printf("%-20s n = %-10s P = %-5d %-12s %-32s %10s  best %-32s %10s",
               chorale_coll_info(p->coll)->name,
               chorale_human_bytes((double)p->n, n), p->comm_size, p->shape,
               v[i].choice, seconds, v[i].best,
               chorale_human_seconds(v[i].best_seconds, best));
        if (isfinite(v[i].seconds))
            printf("  regret %6.2f %%  x%.3f",
                   percent(v[i].seconds / v[i].best_seconds - 1),
                   v[i].library_seconds / v[i].seconds);
        putchar('\n');
    }
}

/* Format a ratio as a percentage with so many decimals, or "-". */
static const char *percentage(double ratio, int decimals, char text[32])
{
    if (!isfinite(ratio))
        return "-";
    snprintf(text, 32, "%.*f %%", decimals, percent(ratio));
    return text;
}

static void print_score(const char *name, const struct chorale_score *s)
{
    char n[32], where[128] = "", regret[32], p99[32], worst[32], captured[32];
    char speedup[32] = "-";

    if (s->worst_at != NULL && s->worst > 0)
        snprintf(where, sizeof(where), "%s, n = %s, P = %d",
                 chorale_coll_info(s->worst_at->point->coll)->name,
                 chorale_human_bytes((double)s->worst_at->point->n, n),
                 s->worst_at->point->comm_size);
    if (isfinite(s->speedup))
        snprintf(speedup, sizeof(speedup), "%.3f", s->speedup);
    printf("%-20s %6zu %10s %10s %10s %10s %8s %7zu %9zu %7zu  %s\n", name,
           s->npoint, percentage(s->regret, 2, regret),
           percentage(s->p99, 2, p99), percentage(s->worst, 2, worst),
           percentage(s->captured, 1, captured), speedup, s->nslower,
           s->nguessed, s->nunknown, where);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *score_json(const char *name, const struct chorale_score *s)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}",
                     "coll", name, "points", (json_int_t)s->npoint,
                     "unknown", (json_int_t)s->nunknown,
                     "slower_than_library", (json_int_t)s->nslower,
                     "modelled_slower", (json_int_t)s->nguessed,
                     "regret", number(s->regret), "p99", number(s->p99),
                     "worst", number(s->worst), "speedup", number(s->speedup),
                     "captured", number(s->captured));
}

static json_t *point_json(const struct chorale_verdict *v)
{
    const struct chorale_run_point *p = v->point;

    return json_pack("{s:s, s:I, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:o,"
                     " s:o}",
                     "coll", chorale_coll_info(p->coll)->name,
                     "n", (json_int_t)p->n, "comm_size", p->comm_size,
                     "ppn", p->ppn, "shape", p->shape, "dtype", p->dtype,
                     "op", p->op, "choice", v->choice, "best", v->best,
                     "seconds", number(v->seconds),
                     "best_seconds", number(v->best_seconds),
                     "library_seconds", number(v->library_seconds));
}

/* Print, or append to list, the scores of each collective and of all. */
static int scores(const struct chorale_verdict *v, size_t count, json_t *list)
{
    int bad = 0;

    for (int c = 0; c <= CHORALE_NCOLL; c++) {
        const char *name = c < CHORALE_NCOLL
                               ? chorale_coll_info((enum chorale_coll)c)->name
                               : "all";
        struct chorale_score s;

        if (chorale_evaluate_score(v, count, (enum chorale_coll)c, &s) != 0)
            return -1;
        if (s.npoint > 0 && list == NULL)
            print_score(name, &s);
        else if (s.npoint > 0)
            bad |= json_array_append_new(list, score_json(name, &s)) != 0;
    }
    return bad;
}

static int print_json(const struct chorale_verdict *v, size_t count,
                      int points)
{
    json_t *root = json_object(), *list = json_array(), *each = json_array();
    int bad = scores(v, count, list);

    for (size_t i = 0; points && i < count; i++)
        bad |= json_array_append_new(each, point_json(&v[i])) != 0;
    bad |= json_object_set_new(root, "scores", list) != 0;
    if (points)
        bad |= json_object_set_new(root, "points", each) != 0;
    else
        json_decref(each);
    if (bad == 0) {
        json_dumpf(root, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(root);
    return bad;
}

static int show(const struct chorale_verdict *v, size_t count,
                const struct opts *opts)
{
    if (opts->json)
        return print_json(v, count, opts->points);
    if (opts->points)
        print_points(v, count);
    printf("%-20s %6s %10s %10s %10s %10s %8s %7s %9s %7s  %s\n", "", "points",
           "regret", "p99", "worst", "captured", "speed-up", "slower",
           "m. slower", "unknown", "worst at");
    return scores(v, count, NULL);
}

/* JSON needs UTF-8 names: report names that are not. */
static enum chorale_err unshown(const struct opts *opts, const char *path,
                                struct chorale_errmsg *msg)
{
    return opts->json
               ? chorale_fail(msg, CHORALE_DATA, "%s: names in it are not "
                              "UTF-8; use the table instead of --json", path)
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

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { NULL, NULL, NULL, 0, 0, 0, 0 };
    struct chorale_points oracle = { .row = NULL };
    struct chorale_verdict *verdict = NULL;
    struct chorale_store *store = NULL;
    struct chorale_emit_table table;
    char name[NAME_SIZE] = "", judge[NAME_SIZE] = "";
    sqlite3_int64 id = 0;
    size_t count = 0;
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    if (opts.trace)
        return run_trace(argv[1], &opts, msg);
    if (opts.oracle == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "evaluate: --oracle"
                            " exhaustive.db is missing: the database whose"
                            " measurements judge the table; or --trace");
    memset(&table, 0, sizeof(table));
    err = chorale_store_open(argv[1], CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, opts.system, &id, NULL, msg);
    if (err == CHORALE_OK)
        err = name_of(store, id, name, msg);
    if (err == CHORALE_OK)
        err = chorale_emit_load(store, id, &table, msg);
    if (err == CHORALE_OK)
        err = load_oracle(opts.oracle, opts.oracle_system, judge, &oracle,
                          msg);
    if (err == CHORALE_OK)
        err = chorale_evaluate(&table, &oracle, opts.allow_patented, &verdict,
                               &count, msg);
    if (err == CHORALE_OK)
        err = chorale_evaluate_confirmed(store, id, verdict, count, msg);
    if (err == CHORALE_OK && count == 0)
        err = chorale_fail(msg, CHORALE_DATA, "%s: no point at which the"
                           " library's default was measured properly; `chorale"
                           " run` measures", opts.oracle);
    if (err == CHORALE_OK && strcmp(name, judge) != 0)
        fprintf(stderr, "chorale: the table is of system %s, and what judges "
                "it was measured on system %s\n", name, judge);
    if (err == CHORALE_OK && show(verdict, count, &opts) != 0)
        err = unshown(&opts, opts.oracle, msg);
    free(verdict);
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
        "The oracle may have other points than the table was decided from: "
        "other sizes and process counts show the quality of interpolation.\n"
        "With --trace the time of each traced point is multiplied by 1 - "
        "seconds(choice) / seconds(library), as table.db measured them at "
        "that point. Points without a measurement count as no gain and are "
        "reported.",
    .example = "chorale evaluate table.db --oracle exhaustive.db --points\n"
               "chorale evaluate results.db --trace",
    .opt = rows,
    .run = run,
};
