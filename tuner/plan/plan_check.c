/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_check.c - check a plan's options before any program is started. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/dtypes.h"
#include "tuner/plan/candidates.h"
#include "tuner/plan/plan.h"
#include "tuner/run/smpi.h"
#include "tuner/base/suggest.h"
#include "tuner/base/units.h"
#include "tuner/base/arrival.h"

/* Makes a remedy for an unknown word, as in suggest.h. */
typedef const char *suggest_function(const char *word, const char *otherwise,
                                     char text[CHORALE_SUGGEST_SIZE]);

/* Check that every word of the option is known: to the function known, or with
 * NULL listed in words. suggest NULL: the words are suggested. */
static enum chorale_err check_words(const char *option, const char *list,
                                    int (*known)(const char *word),
                                    const char *words,
                                    suggest_function *suggest,
                                    const char *remedy,
                                    struct chorale_errmsg *msg)
{
    char item[128], text[CHORALE_SUGGEST_SIZE];
    int more, good;

    for (size_t k = 0; list != NULL; k++) {
        more = chorale_spec_word(list, k, item, sizeof(item));
        if (more == 0)
            break;
        good = more > 0 && (known != NULL ? known(item)
                                          : chorale_spec_listed(words, item));
        if (more > 0 && item[0] == '\0' && !good)
            return chorale_fail(msg, CHORALE_USAGE, "%s '%s': a word is "
                                "missing; %s", option, list, remedy);
        if (good)
            continue;
        if (more > 0)
            remedy = suggest != NULL
                         ? suggest(item, remedy, text)
                         : chorale_suggest_listed(item, words, remedy, text);
        return chorale_fail(msg, CHORALE_USAGE, "%s %s: unknown%s%s; %s",
                            option, list, more > 0 ? " " : "",
                            more > 0 ? item : " word", remedy);
    }
    return CHORALE_OK;
}

static int known_coll(const char *word)
{
    return chorale_coll_find(word) >= 0;
}

static int known_variant(const char *word)
{
    for (int i = 0; chorale_algs[i] != NULL; i++) {
        const struct chorale_alg *alg = chorale_algs[i];
        char full[128];

        snprintf(full, sizeof(full), "%s:%s",
                 chorale_coll_info(alg->coll)->name, alg->name);
        if (strcmp(word, alg->name) == 0 || strcmp(word, full) == 0)
            return 1;
    }
    return 0;
}

/* Any name: native algorithms are checked later (plan_write.c). */
static int any_variant(const char *word)
{
    return word[0] != '\0';
}

static int known_set(const char *word)
{
    return chorale_set_find(word) >= 0;
}

static int known_arrival(const char *word)
{
    char text[CHORALE_ARRIVAL_SIZE];

    return strcmp(word, "traced") == 0 || strcmp(word, "robust") == 0 ||
           chorale_arrival_spell(word, text);
}

static int known_siblings(const char *word)
{
    char *rest;
    long count;

    if (strcmp(word, "alone") == 0 || strcmp(word, "all") == 0)
        return 1;
    count = strtol(word, &rest, 10);
    return rest != word && *rest == '\0' && count >= 2 && count <= 1024;
}

static int known_network(const char *word)
{
    return chorale_network_find(word) != NULL;
}

static int known_dtype(const char *word)
{
    return chorale_dtype_find(word) >= 0;
}

static int known_op(const char *word)
{
    return chorale_opkind_find(word) >= 0;
}

int chorale_plan_variant(const struct chorale_plan *plan, const char *word)
{
    int used = 0;

    for (int i = 0; chorale_algs[i] != NULL; i++) {
        const char *coll = chorale_coll_info(chorale_algs[i]->coll)->name;
        char full[128];

        snprintf(full, sizeof(full), "%s:%s", coll, chorale_algs[i]->name);
        used |= chorale_spec_listed(plan->collectives, coll) &&
                (strcmp(word, chorale_algs[i]->name) == 0 ||
                 strcmp(word, full) == 0);
    }
    return used;
}

/* Check that every word of --variants is a variant of a planned collective. */
static enum chorale_err check_variants(const struct chorale_plan *plan,
                                       struct chorale_errmsg *msg)
{
    char word[128];

    if (chorale_spec_listed(plan->providers, "native"))
        return CHORALE_OK; /* may be a native algorithm: see plan_write.c */
    for (size_t k = 0; plan->variants != NULL &&
                       chorale_spec_word(plan->variants, k, word,
                                         sizeof(word)) == 1; k++)
        if (!chorale_plan_variant(plan, word))
            return chorale_fail(msg, CHORALE_USAGE,
                                "--variants %s: none of --collectives %s has "
                                "it; `chorale list` shows which do", word,
                                plan->collectives);
    return CHORALE_OK;
}

/* Check the form of event names; only PAPI knows which exist. */
static enum chorale_err check_counters(const char *list,
                                       struct chorale_errmsg *msg)
{
    size_t n = strlen(list);
    int bad = n > 0 && (list[0] == ',' || list[n - 1] == ',' ||
                        strstr(list, ",,") != NULL);

    for (const char *p = list; *p != '\0'; p++)
        bad |= *p <= ' ' || *p > '~';
    if (bad)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--counters '%.200s': not a list of PAPI events, "
                            "as in PAPI_TOT_CYC,sde:::chorale::wait_ns; "
                            "`papi_native_avail` lists some", list);
    if (n >= CHORALE_COUNTERS_MAX)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--counters: %zu bytes, and %d are the most; name "
                            "fewer events", n, CHORALE_COUNTERS_MAX - 1);
    return CHORALE_OK;
}

/* Check the words of all options that take words. */
static enum chorale_err check_all_words(const struct chorale_plan *plan,
                                        struct chorale_errmsg *msg)
{
    const struct {
        const char *option, *value;
        int (*known)(const char *); /* NULL: the words */
        const char *words, *remedy;
        int single;
        suggest_function *suggest;
    } row[] = {
        { "--collectives", plan->collectives, known_coll, "",
          "`chorale list` names them", 0, chorale_suggest_coll },
        { "--variants", plan->variants,
          chorale_spec_listed(plan->providers, "native") ? any_variant
                                                         : known_variant,
          "", "`chorale list` names them", 0, chorale_suggest_variant },
        { "--providers", plan->providers, NULL, "chorale,native,library",
          "there are chorale, native and library", 0, NULL },
        { "--set", plan->set, known_set, "core,model,all",
          "there are core, model, all", 1, NULL },
        { "--root", plan->root, NULL, "first,middle,last,rotate",
          "there are first, middle, last, rotate", 1, NULL },
        { "--sync", plan->sync, NULL, "roundtime,window,barrier",
          "there are roundtime, window, barrier", 1, NULL },
        { "--buffers", plan->buffers, NULL, "warm,rotate,cold",
          "there are warm, rotate, cold", 1, NULL },
        { "--metric", plan->metric, NULL, "duration,throughput",
          "there are duration, throughput", 1, NULL },
        { "--arrival", plan->arrival, known_arrival,
          "sync,first,last,random,ascending,traced,robust",
          "write sync, first, last, random or ascending, and by how many "
          "durations or what time: last:0.5, last:50us; or traced, robust", 0,
          NULL },
        { "--siblings", plan->siblings, known_siblings, "alone,all",
          "write alone, all, or a number of communicators from 2 on", 0, NULL },
        { "--launcher", plan->launcher, NULL, "mpiexec,srun,smpirun,custom",
          "there are mpiexec, srun, smpirun, custom", 1, NULL },
        { "--network", plan->network, known_network, "hockney,loggp,smpi",
          "there are hockney, loggp, smpi", 1, NULL },
        { "--type", plan->dtype, known_dtype, "byte,int,int64,float,double",
          "there are byte, int, int64, float, double", 1, NULL },
        { "--op", plan->op, known_op, "sum,prod,min,max,band,bor,bxor",
          "there are sum, prod, min, max, band, bor, bxor", 1, NULL },
    };
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]) && err == CHORALE_OK;
         i++) {
        err = check_words(row[i].option, row[i].value, row[i].known,
                          row[i].words, row[i].suggest, row[i].remedy, msg);
        if (err == CHORALE_OK && row[i].single && row[i].value != NULL &&
            strchr(row[i].value, ',') != NULL)
            err = chorale_fail(msg, CHORALE_USAGE, "%s %s: several words; give "
                               "one", row[i].option, row[i].value);
    }
    return err;
}

/* Refuse options without an effect in simulation. */
static enum chorale_err check_simulated(const struct chorale_plan *plan,
                                        struct chorale_errmsg *msg)
{
    const struct {
        const char *option;
        int given;
    } row[] = {
        { "--iterations", plan->nrep_max > 0 },
        { "--min-iterations", plan->nrep_min > 0 },
        { "--warmup", plan->nwarmup >= 0 },
        { "--width", plan->width >= 0 },
        { "--cell-time", plan->cell_seconds > 0 },
        { "--no-racing", plan->no_racing },
        { "--sync", plan->sync != NULL &&
                        strcmp(plan->sync, "barrier") != 0 },
        { "--buffers", plan->buffers != NULL &&
                           strcmp(plan->buffers, "warm") != 0 },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].given)
            return chorale_fail(msg, CHORALE_USAGE,
                                "%s: has no effect in simulation, where ranks "
                                "start at once, data is not cached and two "
                                "repetitions must be equal; leave it out",
                                row[i].option);
    if (plan->platform == NULL)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--launcher smpirun: name the platform file with "
                            "--platform FILE.xml");
    if (chorale_spec_listed(plan->providers, "native") &&
        strcmp(plan->arrival, "sync") != 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--arrival %s: simulated native algorithms have "
                            "launches of their own; plan them separately, with "
                            "--arrival sync",
                            plan->arrival);
    return CHORALE_OK;
}

/* Refuse options without an effect on a real system. */
static enum chorale_err check_real(const struct chorale_plan *plan,
                                   struct chorale_errmsg *msg)
{
    const struct {
        const char *option;
        int given;
    } row[] = {
        { "--platform", plan->platform != NULL },
        { "--network", plan->network != NULL },
        { "--charge-tau", plan->tau >= 0 },
        { "--sim-selector", plan->sim_selector != NULL },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].given)
            return chorale_fail(msg, CHORALE_USAGE,
                                "%s: only for simulations; add --launcher "
                                "smpirun",
                                row[i].option);
    return CHORALE_OK;
}

static enum chorale_err check_launcher(struct chorale_plan *plan,
                                       struct chorale_errmsg *msg)
{
    if (plan->launcher_cmd != NULL && plan->launcher != NULL &&
        strcmp(plan->launcher, "custom") != 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--launcher %s: --launcher-cmd is another one; "
                            "give one of the two", plan->launcher);
    if (plan->launcher == NULL)
        plan->launcher = plan->launcher_cmd != NULL ? "custom" : "mpiexec";
    if (strcmp(plan->launcher, "custom") == 0 && plan->launcher_cmd == NULL)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--launcher custom: give the command with "
                            "--launcher-cmd 'CMD -n {P}'");
    return strcmp(plan->launcher, "smpirun") == 0 ? check_simulated(plan, msg)
                                                  : check_real(plan, msg);
}

/* Skewed arrival and cold caches affect only the first call of a batch. */
static enum chorale_err check_batch(const struct chorale_plan *plan,
                                    struct chorale_errmsg *msg)
{
    int through = strcmp(plan->metric, "throughput") == 0;
    int late = strcmp(plan->arrival, "sync") != 0;
    int cold = plan->buffers != NULL && strcmp(plan->buffers, "cold") == 0;
    const char *option = late ? "--arrival" : "--buffers";
    const char *word = late ? plan->arrival : plan->buffers;
    const char *what = late ? "late ranks" : "cold caches";
    const char *remedy = late ? "--arrival sync" : "--buffers warm";

    if (through && plan->batch == 1)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--batch 1: --metric throughput is of calls back "
                            "to back; write --batch 2 or more");
    if ((!late && !cold) || (!through && plan->batch <= 1))
        return CHORALE_OK;
    if (through)
        return chorale_fail(msg, CHORALE_USAGE,
                            "%s %s: --metric throughput is of calls back to "
                            "back, of which only the first would meet %s; "
                            "plan it with %s", option, word, what, remedy);
    return chorale_fail(msg, CHORALE_USAGE,
                        "%s %s: only the first of --batch %ld calls would "
                        "meet %s; leave --batch out, or plan it with %s",
                        option, word, plan->batch, what, remedy);
}

static void fill_in(struct chorale_plan *plan)
{
    int simulated = strcmp(plan->launcher, "smpirun") == 0;

    if (!plan->limits_kept) {
        plan->limit_sizes = plan->sizes;
        plan->limit_op = plan->op;
        plan->limit_root = plan->root;
        plan->all_values = plan->variants != NULL && plan->set == NULL;
        plan->limits_kept = 1;
    }
    if (plan->policy.arrival == NULL)
        plan->policy.arrival =
            chorale_spec_listed(plan->arrival, "robust")   ? "robust"
            : chorale_spec_listed(plan->arrival, "traced") ? "traced" : NULL;
    if (plan->sizes == NULL)
        plan->sizes = "8:1M";
    if (plan->op == NULL)
        plan->op = "sum";
    if (plan->root == NULL)
        plan->root = "rotate";
    if (plan->set == NULL)
        plan->set = plan->adaptive ? "model" : "core";
    plan->rounds = plan->adaptive || strcmp(plan->set, "model") == 0;
    if (plan->network == NULL)
        plan->network = "loggp";
    if (plan->sim_selector == NULL)
        plan->sim_selector = "mpich";
    if (plan->tau < 0)
        plan->tau = 1e-10;
    if (plan->sync == NULL)
        plan->sync = simulated ? "barrier" : "roundtime";
    if (plan->buffers == NULL)
        plan->buffers = "auto";
    if (plan->nrep_max == 0)
        plan->nrep_max =
            !plan->adaptive ? 100
            : plan->nrep_min > CHORALE_PLAN_ADAPTIVE_ITERATIONS
                ? plan->nrep_min
                : CHORALE_PLAN_ADAPTIVE_ITERATIONS;
    if (plan->nrep_min == 0)
        plan->nrep_min = plan->nrep_max < 10 ? plan->nrep_max : 10;
    if (plan->nwarmup < 0)
        plan->nwarmup = 2;
    if (plan->width < 0)
        plan->width = 0.05;
    if (!(plan->cell_seconds > 0))
        plan->cell_seconds = 0.5;
}

/* Warn about options that affect none of these collectives. It is no error,
 * since scripts plan different collectives with the same options. */
static void warn_unused_options(const struct chorale_plan *plan)
{
    int rooted = 0, reduces = 0, data = 0;

    for (int c = 0; c < CHORALE_NCOLL; c++) {
        const struct chorale_coll_info *info =
            chorale_coll_info((enum chorale_coll)c);

        if (!chorale_spec_listed(plan->collectives, info->name))
            continue;
        rooted |= info->rooted;
        reduces |= info->reduces;
        data |= !info->dataless;
    }

    const struct {
        const char *option, *value;
        int meant;
        const char *what;
    } row[] = {
        { "-m", plan->sizes, data, "moves data" },
        { "--type", plan->dtype, data, "moves data" },
        { "--op", plan->op, reduces, "reduces" },
        { "--root", plan->root, rooted, "has a root" },
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].value != NULL && !row[i].meant)
            fprintf(stderr, "chorale: %s %s has no effect: none of "
                            "--collectives %s %s\n", row[i].option,
                    row[i].value, plan->collectives, row[i].what);
}

static enum chorale_err check_options(struct chorale_plan *plan,
                                      struct chorale_errmsg *msg)
{
    enum chorale_err err = check_all_words(plan, msg);
    char word[64];

    if (err == CHORALE_OK &&
        chorale_spec_word(plan->arrival, CHORALE_PLAN_ARRIVALS, word,
                          sizeof(word)) == 1)
        err = chorale_fail(msg, CHORALE_USAGE, "--arrival: at most %d patterns; "
                           "measure %.40s in a further plan",
                           CHORALE_PLAN_ARRIVALS, word);
    if (err == CHORALE_OK && plan->sim_selector != NULL &&
        !chorale_selector_ok(plan->sim_selector))
        err = chorale_fail(msg, CHORALE_USAGE,
                           "--sim-selector %s: write mpich, ompi, mvapich2 "
                           "or impi, and after it, if wanted, algorithms to "
                           "force: mpich,bcast:ompi_pipeline",
                           plan->sim_selector);
    if (err == CHORALE_OK)
        err = check_launcher(plan, msg);
    if (err == CHORALE_OK)
        err = check_batch(plan, msg);
    if (err != CHORALE_OK)
        return err;
    warn_unused_options(plan);
    fill_in(plan);
    if (plan->nrep_min > plan->nrep_max)
        return chorale_fail(msg, CHORALE_USAGE, "--min-iterations %ld: more "
                            "than --iterations %ld; lower it, or raise that",
                            plan->nrep_min, plan->nrep_max);
    err = check_counters(plan->counters, msg);
    if (err == CHORALE_OK)
        err = chorale_plan_check_trace(plan, msg);
    if (err == CHORALE_OK)
        err = chorale_plan_check_adaptive(plan, msg);
    if (err == CHORALE_OK)
        err = chorale_plan_check_estimate(plan, msg);
    return err == CHORALE_OK ? check_variants(plan, msg) : err;
}

enum chorale_err chorale_plan_kinds(const struct chorale_plan *plan,
                                    const struct chorale_coll_info *info,
                                    int *dtype, int *op,
                                    struct chorale_errmsg *msg)
{
    const struct chorale_dtype *type;

    *dtype = chorale_dtype_find(plan->dtype != NULL ? plan->dtype
                                : info->reduces     ? "double"
                                                    : "byte");
    *op = info->reduces ? chorale_opkind_find(plan->op) : -1;
    type = chorale_dtype(*dtype);
    if (*op >= 0 && (chorale_opkind(*op)->bitwise ? !type->integer
                                                  : !type->arithmetic))
        return chorale_fail(msg, CHORALE_USAGE,
                            "--op %s: not defined on type %s; bitwise "
                            "operations want byte, int or int64, the others "
                            "want numbers", plan->op, type->name);
    return CHORALE_OK;
}

/* Check that type and operation are defined for all collectives. */
static enum chorale_err check_kinds(const struct chorale_plan *plan,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    int dtype, op;

    for (int c = 0; c < CHORALE_NCOLL && err == CHORALE_OK; c++) {
        const struct chorale_coll_info *info =
            chorale_coll_info((enum chorale_coll)c);

        if (chorale_spec_listed(plan->collectives, info->name))
            err = chorale_plan_kinds(plan, info, &dtype, &op, msg);
    }
    return err;
}

enum chorale_err chorale_plan_check(struct chorale_plan *plan,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err = check_options(plan, msg);
    long *list = NULL;
    size_t count;

    if (err == CHORALE_OK && plan->procs != NULL) {
        err = chorale_spec_list("-P", plan->procs, 1, &list, &count, msg);
        free(list);
        list = NULL;
    }
    if (err == CHORALE_OK)
        err = chorale_spec_list("-m", plan->sizes, 0, &list, &count, msg);
    free(list);
    return err == CHORALE_OK ? check_kinds(plan, msg) : err;
}
