/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_cells.c - write the cells that the options of a plan select. */
#include "db/byte_buffer.h"
#include "tuner/plan/plan_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/dtypes.h"
#include "tuner/decide/classes.h"
#include "tuner/model/network.h"
#include "tuner/plan/candidates.h"
#include "tuner/base/units.h"

/* The largest number of arrival patterns of a point: the words of --arrival, of
 * which `robust` stands for three patterns and `traced` for two. */
enum { MAX_PATTERNS = CHORALE_PLAN_ARRIVALS + 3 };

long chorale_planned_siblings(const struct planner *p, const char *word,
                              long procs)
{
    if (strcmp(word, "all") == 0)
        return p->proc[p->nproc - 1] / procs;
    return strcmp(word, "alone") == 0 ? 1 : strtol(word, NULL, 10);
}

const char *chorale_planned_shape(const struct planner *p, long procs)
{
    long ppn = p->plan->ppn > 0 ? p->plan->ppn : p->sys.simulated ? 1 : procs;

    if (procs <= ppn)
        return "single-node";
    if (ppn == 1)
        return "one-per-node";
    return procs % ppn == 0 ? "block" : "irregular";
}

/* srun distributes ranks evenly and gives the remainder to the first nodes.
 * That fills the nodes as planned only if the last one lacks at most one
 * rank. */
enum chorale_err chorale_plan_even(const struct planner *p)
{
    const struct chorale_plan *plan = p->plan;
    int alone = strcmp(plan->siblings, "alone") == 0;

    for (size_t i = 0; strcmp(plan->launcher, "srun") == 0 &&
                       plan->ppn > 0 && !plan->from_trace && i < p->nproc;
         i++) {
        long last = p->proc[i] % plan->ppn;

        if (p->proc[i] > plan->ppn && last != 0 &&
            !(alone && last + 1 == plan->ppn))
            return chorale_fail(p->msg, CHORALE_USAGE,
                                "-P %ld: srun spreads them evenly over %ld "
                                "nodes, instead of %ld on each but the last; "
                                "say multiples of --ppn %ld, or --launcher "
                                "mpiexec", p->proc[i],
                                (p->proc[i] + plan->ppn - 1) / plan->ppn,
                                plan->ppn, plan->ppn);
    }
    return CHORALE_OK;
}

long chorale_planner_ppn(const struct planner *p, long procs)
{
    long ppn = p->plan->ppn > 0 ? p->plan->ppn : p->sys.simulated ? 1 : procs;

    return ppn < procs ? ppn : procs;
}

struct point {
    enum chorale_coll coll;
    long msg_size, procs;
    int dtype, op;
    const char *arrival, *siblings, *root;
};

/* By default short messages stay in the caches, as usual in applications; long
 * ones do not. */
static const char *buffer_policy(const struct planner *p,
                                 const struct point *pt)
{
    if (strcmp(p->plan->buffers, "auto") != 0)
        return p->plan->buffers;
    return !p->sys.simulated && pt->msg_size >= CHORALE_NET_COLD_FROM
               ? "rotate"
               : "warm";
}

/* part: as in schema.sql; "": measured with the other cells of its point. */
static enum chorale_err put_cell(struct planner *p, const struct point *pt,
                                 const char *provider, const char *variant,
                                 const char *params, const char *part)
{
    const struct chorale_coll_info *info = chorale_coll_info(pt->coll);
    const size_t n = chorale_coll_n(pt->coll, (size_t)pt->msg_size,
                                    (int)pt->procs);
    const long ppn = chorale_planner_ppn(p, pt->procs);
    const char *shape = chorale_planned_shape(p, pt->procs);
    char uuid[CHORALE_UUID_SIZE];

    chorale_uuid(uuid);
    p->ncell++;
    return chorale_store_put(
        p->store, p->insert, 1,
        CHORALE_FIELDS(uuid, provider, variant, params, info->name, shape,
                       chorale_dtype(pt->dtype)->name,
                       pt->op >= 0 ? chorale_opkind(pt->op)->name : "",
                       pt->op >= 0 ? "builtin" : "",
                       info->rooted ? pt->root : "none", p->campaign_id,
                       p->sys.id, pt->msg_size, n, pt->procs, ppn,
                       p->plan->launches, buffer_policy(p, pt), pt->arrival,
                       pt->siblings, p->plan->metric, part), p->msg);
}

/* Write the cell of a variant, or gather it for an adaptive plan. alg NULL: the
 * library's default. */
static enum chorale_err put_config(struct planner *p, const struct point *pt,
                                   const struct chorale_alg_config *config)
{
    const struct chorale_alg *alg = config->alg;
    struct chorale_adapt_cell cell = {
        .coll = pt->coll, .msg_size = pt->msg_size,
        .n = chorale_coll_n(pt->coll, (size_t)pt->msg_size, (int)pt->procs),
        .comm_size = (int)pt->procs,
        .ppn = (int)chorale_planner_ppn(p, pt->procs),
        .dtype = pt->dtype, .op = pt->op,
        .shape = chorale_planned_shape(p, pt->procs), .config = *config,
        .log_late = p->decide.arrivals == CHORALE_ARRIVALS_SYNC ? 0 : NAN,
    };

    if (p->gathering)
        return chorale_plan_gather(p, &cell);
    if (alg != NULL)
        chorale_alg_params_format(alg, config->value, cell.params,
                                  sizeof(cell.params));
    return put_cell(p, pt, alg != NULL ? "chorale" : "library",
                    alg != NULL ? alg->name : "default", cell.params, "");
}

/* The candidates of a point. */
struct list {
    struct planner *p;
    const struct chorale_alg *alg; /* of those being added */
    struct chorale_alg_config *config;
    size_t n;
};

static enum chorale_err add_choice(void *arg, const long *value)
{
    struct list *list = arg;
    struct chorale_alg_config config = { .alg = list->alg };
    void *more = chorale_array_grow(list->config, list->n, sizeof(config));

    if (more == NULL)
        return chorale_fail_memory(list->p->msg, NULL);
    memcpy(config.value, value, (size_t)config.alg->nparam * sizeof(*value));
    list->config = more;
    list->config[list->n++] = config;
    return CHORALE_OK;
}

static struct chorale_point problem(const struct planner *p,
                                    const struct point *pt)
{
    return (struct chorale_point){
        .comm_size = (int)pt->procs,
        .msg_size = (size_t)pt->msg_size,
        .n = chorale_coll_n(pt->coll, (size_t)pt->msg_size, (int)pt->procs),
        .type_size = chorale_dtype(pt->dtype)->size,
        .commutative = 1,
        .ppn = (int)chorale_planner_ppn(p, pt->procs),
    };
}

static enum chorale_err add_variant(struct list *list, const struct point *pt,
                                    const struct chorale_alg *alg,
                                    enum chorale_set set)
{
    const struct chorale_point at = problem(list->p, pt);

    list->alg = alg;
    return chorale_candidates(alg, set, &at, add_choice, list, list->p->msg);
}

/* Write the native algorithms: all, or the named ones; other values of their
 * parameters than the library's only for all values. SimGrid forces one
 * algorithm for a whole launch, and a library may read a parameter at the start
 * only. If several are forced in one launch, the library's default is also
 * measured in a launch without forcing. */
static enum chorale_err put_natives(struct planner *p, const struct point *pt)
{
    const int values = chorale_set_find(p->plan->set) == CHORALE_SET_ALL;
    enum chorale_err err = CHORALE_OK;
    int any = 0;

    for (int i = 0; i < p->natives.count && err == CHORALE_OK; i++) {
        const struct chorale_native_name *native = &p->natives.row[i];
        char full[128];

        if (native->coll != pt->coll ||
            (native->params[0] != '\0' && !values))
            continue;
        snprintf(full, sizeof(full), "%s:%s",
                 chorale_coll_info(pt->coll)->name, native->name);
        if (chorale_spec_listed(p->plan->variants, native->name) ||
            chorale_spec_listed(p->plan->variants, full)) {
            err = put_cell(p, pt, "native", native->name, native->params,
                           p->sys.simulated ? full : native->part);
            any = 1;
        }
    }
    if (err == CHORALE_OK && any && !p->sys.simulated)
        err = put_cell(p, pt, "library", "untouched", "", "untouched");
    return err;
}

enum chorale_err chorale_plan_put(struct planner *p,
                                  const struct chorale_adapt_cell *cell)
{
    struct point pt = {
        .coll = cell->coll, .msg_size = cell->msg_size,
        .procs = cell->comm_size, .dtype = cell->dtype, .op = cell->op,
        .siblings = "alone", .root = p->plan->root,
    };
    char list[64 * MAX_PATTERNS], word[64], arrival[CHORALE_ARRIVAL_SIZE];
    enum chorale_err err = CHORALE_OK;

    chorale_arrival_expand(p->plan->arrival, "", list, sizeof(list));
    for (size_t i = 0; err == CHORALE_OK &&
                       chorale_spec_word(list, i, word, sizeof(word)) == 1;
         i++) {
        chorale_arrival_spell(word, arrival);
        pt.arrival = arrival;
        err = put_config(p, &pt, &cell->config);
    }
    pt.arrival = "sync";
    return err == CHORALE_OK && cell->config.alg == NULL ? put_natives(p, &pt)
                                                         : err;
}

/* Selects the cells of a line, of all sizes, under the conditions of this plan;
 * bound by bind_line(). */
#define LINE                                                                 \
    "system_id = ?1 AND coll = ?2 AND comm_size = ?3 AND ppn = ?4 AND"       \
    " shape = ?5 AND dtype = ?6 AND op = ?7 AND root_policy = ?8 AND"        \
    " arrival = ?9 AND siblings = ?10 AND metric = ?11 AND"                  \
    " provider <> 'table'"

static enum chorale_err bind_line(struct planner *p, const struct point *pt,
                                  sqlite3_stmt *s)
{
    const struct chorale_coll_info *info = chorale_coll_info(pt->coll);

    return chorale_store_bind(
        p->store, s, 1,
        CHORALE_FIELDS(p->sys.id, info->name, pt->procs,
                       chorale_planner_ppn(p, pt->procs),
                       chorale_planned_shape(p, pt->procs),
                       chorale_dtype(pt->dtype)->name,
                       pt->op >= 0 ? chorale_opkind(pt->op)->name : "",
                       info->rooted ? pt->root : "none", pt->arrival,
                       pt->siblings, p->plan->metric, pt->msg_size),
        p->msg);
}

/* Plan the candidates of the point again: those with a cell at the point, or
 * else those with a cell at the next sizes. */
static enum chorale_err put_again(struct planner *p, const struct point *pt)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_prepare(
        p->store, "SELECT DISTINCT provider, variant, params, part FROM cell"
        " WHERE " LINE " AND msg_size IN"
        " (SELECT max(msg_size) FROM cell WHERE " LINE
        "  AND msg_size <= ?12 UNION"
        "  SELECT min(msg_size) FROM cell WHERE " LINE
        "  AND msg_size >= ?12) ORDER BY 1, 2, 3", &s, p->msg);

    if (err == CHORALE_OK)
        err = bind_line(p, pt, s);
    while (chorale_store_next(p->store, s, &err, p->msg))
        err = put_cell(p, pt, chorale_text(s, 0), chorale_text(s, 1),
                       chorale_text(s, 2), chorale_text(s, 3));
    sqlite3_finalize(s);
    return err;
}

/* Add the variants of --set, or those of --variants. */
static enum chorale_err add_variants(struct list *list, const struct point *pt,
                                     enum chorale_set set)
{
    const struct planner *p = list->p;
    const char *coll = chorale_coll_info(pt->coll)->name;
    enum chorale_err err = CHORALE_OK;

    for (int i = 0; chorale_algs[i] != NULL && err == CHORALE_OK; i++) {
        const struct chorale_alg *alg = chorale_algs[i];
        char full[128];

        if (alg->coll != pt->coll)
            continue;
        snprintf(full, sizeof(full), "%s:%s", coll, alg->name);
        if (p->plan->variants == NULL) {
            if (set != CHORALE_SET_CORE ||
                chorale_alg_core(alg, (int)pt->procs,
                                 (int)chorale_planner_ppn(p, pt->procs)))
                err = add_variant(list, pt, alg, set);
        } else if (chorale_spec_listed(p->plan->variants, alg->name) ||
                   chorale_spec_listed(p->plan->variants, full)) {
            err = add_variant(list, pt, alg, p->plan->all_values
                                                 ? CHORALE_SET_ALL : set);
        }
    }
    return err;
}

/* Mark the candidates to plan: of each class those that have a cell, or else
 * the simplest. A failed candidate does not stand for its class, since equal
 * messages may carry other data. known: NULL, or the grid's cells. */
static enum chorale_err mark_classes(const struct planner *p,
                                     const struct point *pt,
                                     const struct chorale_alg_config *config,
                                     const struct chorale_adapt_cell *known,
                                     size_t n, unsigned char *keep)
{
    struct chorale_class_point at = {
        .pt = problem(p, pt), .shape = chorale_planned_shape(p, pt->procs),
        .policy = pt->root,
    };
    size_t *first = malloc((n + 1) * sizeof(*first));
    size_t *best = malloc((n + 1) * sizeof(*best));
    int bad = first == NULL || best == NULL ||
              chorale_classes_find(&at, config, n, first) != 0;

    for (size_t i = 0; i < n && !bad; i++)
        best[i] = SIZE_MAX;
    for (size_t i = 0; i < n && !bad; i++)
        if ((known == NULL || !known[i].known) &&
            (best[first[i]] == SIZE_MAX ||
             chorale_alg_config_place(&config[i]) <
                 chorale_alg_config_place(&config[best[first[i]]])))
            best[first[i]] = i;
    for (size_t i = 0; i < n && !bad && known != NULL; i++)
        if (known[i].known && !known[i].failed)
            best[first[i]] = SIZE_MAX;
    for (size_t i = 0; i < n && !bad; i++)
        keep[i] = best[first[i]] == i || (known != NULL && known[i].known);
    free(first);
    free(best);
    return bad ? chorale_fail_memory(p->msg, NULL) : CHORALE_OK;
}

/* Write the candidates of a point. One rank has nothing to communicate, and
 * equal candidates have equal times, but those of --variants are planned as
 * named. */
static enum chorale_err put_variants(struct planner *p, const struct point *pt,
                                     enum chorale_set set)
{
    const int all = p->plan->variants != NULL;
    /* When contenders are chosen, equal ones are dropped afterwards. */
    const int later = p->gathering && chorale_plan_predicts(p);
    struct list list = { .p = p };
    unsigned char *keep = NULL;
    enum chorale_err err = CHORALE_OK;

    if ((all && !p->gathering) || pt->procs > 1)
        err = add_variants(&list, pt, set);
    if (err == CHORALE_OK && (keep = malloc(list.n + 1)) == NULL)
        err = chorale_fail_memory(p->msg, NULL);
    if (err == CHORALE_OK) {
        memset(keep, 1, list.n + 1);
        if (!all && !later)
            err = mark_classes(p, pt, list.config, NULL, list.n, keep);
    }
    for (size_t i = 0; i < list.n && err == CHORALE_OK; i++)
        if (keep[i])
            err = put_config(p, pt, &list.config[i]);
    free(keep);
    free(list.config);
    return err;
}

/* Of the cells from first on, after the library's, keep those that may be the
 * best. */
static enum chorale_err keep_contenders(struct planner *p,
                                        const struct point *pt, size_t first)
{
    enum chorale_err err = chorale_plan_contend(p, first);
    struct chorale_adapt_cell *cell = p->grid.cell + first + 1;
    size_t n = p->grid.ncell - first - 1, kept = 0;
    struct chorale_alg_config *config;
    unsigned char *keep;

    if (err != CHORALE_OK || p->plan->variants != NULL)
        return err;
    config = malloc((n + 1) * sizeof(*config));
    keep = malloc(n + 1);
    if (config == NULL || keep == NULL)
        err = chorale_fail_memory(p->msg, NULL);
    for (size_t i = 0; i < n && err == CHORALE_OK; i++)
        config[i] = cell[i].config;
    if (err == CHORALE_OK)
        err = mark_classes(p, pt, config, cell, n, keep);
    for (size_t i = 0; i < n && err == CHORALE_OK; i++)
        if (keep[i])
            cell[kept++] = cell[i];
    if (err == CHORALE_OK)
        p->grid.ncell = first + 1 + kept;
    free(config);
    free(keep);
    return err;
}

static enum chorale_err put_point(struct planner *p, const struct point *pt)
{
    const size_t first = p->grid.ncell;
    enum chorale_set set = (enum chorale_set)chorale_set_find(p->plan->set);
    const struct chorale_alg_config library = { .alg = NULL };
    const int predicts = p->gathering && chorale_plan_predicts(p);
    enum chorale_err err;

    if (p->plan->again)
        return put_again(p, pt);
    if (set == CHORALE_SET_MODEL && !predicts)
        set = CHORALE_SET_CORE; /* to calibrate the model */
    p->npoint++;
    err = put_config(p, pt, &library);
    if (err == CHORALE_OK && !p->gathering)
        err = put_natives(p, pt);
    if (err == CHORALE_OK && chorale_spec_listed(p->plan->providers, "chorale"))
        err = put_variants(p, pt, set);
    return err == CHORALE_OK && predicts ? keep_contenders(p, pt, first) : err;
}

enum chorale_err chorale_plan_gather_at(struct planner *p,
                                        const struct chorale_adapt_cell *like,
                                        long procs)
{
    const struct point pt = {
        .coll = like->coll, .msg_size = like->msg_size, .procs = procs,
        .dtype = like->dtype, .op = like->op, .arrival = "sync",
        .siblings = "alone", .root = p->plan->root,
    };
    const long npoint = p->npoint;
    enum chorale_err err;

    p->gathering = 1;
    err = put_point(p, &pt);
    p->gathering = 0;
    p->npoint = npoint;
    return err;
}

/* Write the point in one arrival pattern for each number of siblings. */
static enum chorale_err put_siblings(struct planner *p,
                                     const struct point *plain)
{
    char siblings[32];
    struct point pt = *plain;
    enum chorale_err err = CHORALE_OK;

    pt.siblings = siblings;
    for (size_t j = 0; err == CHORALE_OK &&
                       chorale_spec_word(p->plan->siblings, j, siblings,
                                         sizeof(siblings)) == 1; j++) {
        long count = chorale_planned_siblings(p, siblings, pt.procs);

        if (strcmp(siblings, "alone") != 0)
            snprintf(siblings, sizeof(siblings), "%ld", count);
        if ((count > 1 && pt.procs > 1) || strcmp(siblings, "alone") == 0)
            err = put_point(p, &pt);
    }
    return err;
}

/* Write the point once for each arrival pattern and number of siblings. traced:
 * the pattern of the point in the traces; "": unknown. `traced` and `robust`
 * also include pattern sync. */
static enum chorale_err put_conditions(struct planner *p,
                                       const struct point *plain,
                                       const char *traced)
{
    struct point at = *plain;
    char list[64 * MAX_PATTERNS], done[MAX_PATTERNS][CHORALE_ARRIVAL_SIZE];
    char word[64];
    enum chorale_err err = CHORALE_OK;
    int ndone = 0;

    chorale_arrival_expand(p->gathering ? "sync" : p->plan->arrival, traced,
                           list, sizeof(list));
    for (size_t i = 0; err == CHORALE_OK && ndone < MAX_PATTERNS &&
                       chorale_spec_word(list, i, word, sizeof(word)) == 1;
         i++) {
        int k = 0;

        if (!chorale_arrival_spell(word, done[ndone]))
            continue; /* an invalid pattern of a foreign database */
        while (strcmp(done[k], done[ndone]) != 0)
            k++;
        if (k < ndone)
            continue;
        at.arrival = done[ndone++];
        err = put_siblings(p, &at);
    }
    return err;
}

static enum chorale_err put_wanted(struct planner *p)
{
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < p->nwant && err == CHORALE_OK; i++) {
        const struct chorale_trace_target *w = &p->want[i];
        struct point pt = { .coll = w->coll, .msg_size = w->msg_size,
                            .procs = w->procs, .dtype = w->dtype,
                            .op = w->op, .root = w->root };

        err = put_conditions(p, &pt, w->arrival);
    }
    return err;
}

enum chorale_err chorale_plan_cells(struct planner *p)
{
    enum chorale_err err = CHORALE_OK;

    if (p->plan->from_trace)
        return put_wanted(p);
    for (int c = 0; c < CHORALE_NCOLL && err == CHORALE_OK; c++) {
        struct point pt = { .coll = (enum chorale_coll)c,
                            .root = p->plan->root };
        const struct chorale_coll_info *info = chorale_coll_info(pt.coll);

        if (!chorale_spec_listed(p->plan->collectives, info->name))
            continue;
        err = chorale_plan_kinds(p->plan, info, &pt.dtype, &pt.op, p->msg);
        for (size_t i = 0; i < p->nproc && err == CHORALE_OK; i++) {
            long last = -1, size = (long)chorale_dtype(pt.dtype)->size;

            pt.procs = p->proc[i];
            for (size_t j = 0; j < p->nsize && err == CHORALE_OK; j++) {
                pt.msg_size = info->dataless
                                  ? 0
                                  : (p->size[j] + size - 1) / size * size;
                if (pt.msg_size != last)
                    err = put_conditions(p, &pt, "");
                last = pt.msg_size;
            }
        }
    }
    return err;
}

