/* SPDX-License-Identifier: BSD-3-Clause */
/* table_config.c - resolves settings and table against the catalogue. One
 * digest of all three lets ranks compare eight bytes instead of files. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "algorithms/dispatch/table/fingerprint.h"
#include "algorithms/dispatch/table/site.h"
#include "algorithms/dispatch/table/table_load.h"
#include "algorithms/dispatch/table/table_config.h"
#include "algorithms/fnv1a.h"

typedef void warn_fn(const char *line);

static uint64_t fold_text(uint64_t hash, const char *text)
{
    return chorale_fnv1a(hash, text, strlen(text) + 1);
}

static uint64_t fold_long(uint64_t hash, long value)
{
    return chorale_fnv1a(hash, &value, sizeof(value));
}

static uint64_t fold_alg(uint64_t hash, const struct chorale_alg *alg)
{
    if (alg == NULL)
        return fold_text(hash, "library");
    hash = fold_text(hash, chorale_coll_info(alg->coll)->name);
    hash = fold_text(hash, alg->name);
    hash = fold_long(hash, (long)alg->needs);
    for (int i = 0; i < alg->nparam; i++) {
        hash = fold_text(hash, alg->param[i].name);
        hash = fold_long(hash, alg->param[i].def);
        hash = fold_long(hash, alg->param[i].min);
        hash = fold_long(hash, alg->param[i].max);
    }
    return hash;
}

static uint64_t digest(const struct chorale_tuning *t)
{
    const struct chorale_settings *set = &t->set;
    uint64_t hash = fold_text(CHORALE_FNV1A_START, PACKAGE_VERSION);

    for (int i = 0; chorale_algs[i] != NULL; i++)
        hash = fold_alg(hash, chorale_algs[i]);
    hash = fold_text(hash, t->table->digest);
    hash = chorale_fnv1a(hash, &t->content, sizeof(t->content));
    for (int i = 0; i < t->table->nchoice; i++) {
        hash = fold_text(hash, t->table->choice[i].provider);
        hash = fold_text(hash, t->table->choice[i].variant);
        hash = fold_text(hash, t->table->choice[i].params);
    }
    for (int i = 0; i < t->table->nselector; i++) {
        const struct chorale_hull *hull = &t->table->selector[i].hull;

        hash = fold_text(hash, t->table->selector[i].coll);
        hash = chorale_fnv1a(hash, hull, sizeof(*hull));
    }
    hash = fold_long(hash, set->check);
    hash = fold_long(hash, set->deterministic);
    hash = fold_long(hash, (long)set->max_scratch);
    hash = fold_long(hash, (long)set->max_comms);
    hash = fold_long(hash, (long)set->disabled);
    hash = fold_long(hash, (long)set->forced);
    for (int coll = 0; coll < CHORALE_NCOLL; coll++) {
        if (!(set->forced & 1u << coll))
            continue;
        hash = fold_alg(hash, set->force[coll].alg);
        hash = chorale_fnv1a(hash, set->force[coll].param,
                             sizeof(set->force[coll].param));
    }
    return hash;
}

/* Resolve one choice for one collective. Returns 0, or -1 and a line in why. */
static int resolve(enum chorale_coll coll, const struct chorale_choice *c,
                   struct chorale_plan *plan, char *why, size_t why_size)
{
    const char *never;

    if (strcmp(c->provider, "chorale") != 0)
        return 0; /* natives need CVARs, which belong to the application */
    plan->alg = chorale_alg_find(coll, c->variant);
    if (plan->alg == NULL)
        return 0; /* perhaps another collective's: see known() */
    never = chorale_alg_unselectable(plan->alg, 1);
    if (never != NULL)
        snprintf(why, why_size, "%s %s is never selected: %s",
                 chorale_coll_info(coll)->name, c->variant, never);
    else if (chorale_alg_params_parse(plan->alg, c->params, plan->param, why,
                                      why_size) == 0)
        return 0;
    plan->alg = NULL;
    return -1;
}

/* 1 if any collective of the catalogue has a variant of that name. */
static int known(const struct chorale_choice *c)
{
    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (strcmp(chorale_algs[i]->name, c->variant) == 0)
            return 1;
    return 0;
}

static void warn_choice(const struct chorale_tuning *t, int i,
                        const char *why, const char *source, warn_fn *warn)
{
    const struct chorale_choice *c = &t->table->choice[i];
    char line[PATH_MAX + 512];

    snprintf(line, sizeof(line), "%s: choice '%.60s%s%.60s' is left to the "
             "library: %s", source, c->variant, c->params[0] ? ":" : "",
             c->params, why);
    if (warn != NULL)
        warn(line);
}

/* Resolve all choices; warn about the first one that cannot be served. */
static void resolve_all(struct chorale_tuning *t, const char *source,
                        warn_fn *warn)
{
    int bad = 0;

    for (int i = 0; i < t->table->nchoice; i++) {
        const struct chorale_choice *c = &t->table->choice[i];
        char why[256] = "this version of Chorale has no such variant";
        int wrong = strcmp(c->provider, "chorale") == 0 && !known(c);
        int served = 0;

        for (int coll = 0; coll < CHORALE_NCOLL; coll++) {
            struct chorale_plan *plan = &t->plan[coll * t->table->nchoice + i];

            if (resolve((enum chorale_coll)coll, c, plan, why,
                        sizeof(why)) != 0)
                wrong = 1;
            served |= plan->alg != NULL;
        }
        if (wrong && !served && bad++ == 0)
            warn_choice(t, i, why, source, warn);
    }
}

static void index_selectors(struct chorale_tuning *t)
{
    for (int i = 0; i < t->table->nselector; i++) {
        int coll = chorale_coll_find(t->table->selector[i].coll);

        if (coll >= 0)
            t->selector[coll] = &t->table->selector[i];
    }
}

/* 1 if the table or a forced variant may be chosen for a collective, if
 * MPI_COMM_WORLD has size ranks. */
static int is_served(const struct chorale_tuning *t, int coll, int size)
{
    if (t->set.disabled & 1u << coll)
        return 0;
    if (t->set.forced & 1u << coll)
        return t->set.force[coll].alg != NULL;
    if (t->selector[coll] == NULL
        || t->selector[coll]->hull.comm_size_lo > size)
        return 0;
    for (int i = 0; i < t->table->nchoice; i++)
        if (t->plan[coll * t->table->nchoice + i].alg != NULL)
            return 1;
    return 0;
}

static void find_served(struct chorale_tuning *t)
{
    int size;

    if (PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS)
        size = INT_MAX;
    for (int coll = 0; coll < CHORALE_NCOLL; coll++)
        t->serves |= (unsigned)is_served(t, coll, size) << coll;
    /* CHORALE_CHECK compares arguments even where only the library is
     * chosen. */
    t->idle = t->serves == 0 && !t->set.check;
}

/* Path of the table: the argument, CHORALE_DISPATCH, or the site's; "" if
 * there is no such file, or in a set-user-id process. */
static void find_path(const struct chorale_tuning *t, const char *path,
                      char *text, size_t size, warn_fn *warn)
{
    char library[256], mpi[64];

    text[0] = '\0';
    if (t->set.secure)
        return;
    if (path == NULL)
        path = t->set.dispatch;
    if (path != NULL) {
        snprintf(text, size, "%s", path);
        return;
    }
    chorale_fingerprint_library(library, sizeof(library));
    chorale_site_mpi(library, mpi, sizeof(mpi));
    chorale_site_find(t->set.site, getenv("SLURM_CLUSTER_NAME"),
                      getenv("SLURM_JOB_PARTITION"), mpi, text, size, warn);
}

/* Load the table at path, unless it was measured on another system. */
static int load(struct chorale_tuning *t, const char *path, char *why,
                size_t why_size)
{
    const struct chorale_table *table;
    uint64_t content;

    if (chorale_table_load(path, &table, &content, why, why_size) != 0)
        return -1;
    if (!t->set.any_system &&
        chorale_fingerprint_differs(table, why, why_size))
        return -1;
    t->table = table;
    t->content = content;
    return 0;
}

/* Set t->table and its path in source. Falls back to the compiled-in table
 * with source "". */
static void find_table(struct chorale_tuning *t, const char *path,
                       char *source, size_t size, warn_fn *warn, int *ok_p)
{
    char why[512], line[PATH_MAX + sizeof(why) + 64];

    t->table = &chorale_default_table;
    find_path(t, path, source, size, warn);
    if (source[0] == '\0' || load(t, source, why, sizeof(why)) == 0)
        return;
    snprintf(line, sizeof(line), "%s: %s (all is left to the library)",
             source, why);
    if (warn != NULL)
        warn(line);
    source[0] = '\0';
    *ok_p = 0;
}

void chorale_tuning_load(struct chorale_tuning *t, const char *path,
                         warn_fn *warn, int *ok_p)
{
    char source[PATH_MAX];
    int ok = 1;

    memset(t, 0, sizeof(*t));
    chorale_settings_read(&t->set, warn);
    find_table(t, path, source, sizeof(source), warn, &ok);
    t->plan = calloc(CHORALE_NCOLL * (size_t)t->table->nchoice,
                     sizeof(*t->plan));
    if (t->plan == NULL) {
        t->table = &chorale_default_table;
        t->set.forced = 0;
        ok = 0;
    } else if (source[0] != '\0') {
        resolve_all(t, source, warn);
        index_selectors(t);
    }
    find_served(t);
    t->digest = digest(t);
    if (ok_p != NULL)
        *ok_p = ok;
}

const struct chorale_plan *chorale_tuning_plan(const struct chorale_tuning *t,
                                               enum chorale_coll coll, int i)
{
    if (i < 0 || i >= t->table->nchoice)
        i = 0;
    return &t->plan[(int)coll * t->table->nchoice + i];
}
