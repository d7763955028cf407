/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_adaptive.c - one round of a plan in rounds, adaptive or of the set
 * model: collect the cells of the grid, and let adaptive.h choose from them. */
#include "config.h"

#include "db/byte_buffer.h"
#include "tuner/plan/plan_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dtypes.h"
#include "tuner/base/process.h"
#include "tuner/decide/inherit_runs.h"
#include "tuner/model/observations.h"
#include "tuner/model/predict.h"
#include "tuner/plan/param_values.h"
#include "tuner/base/units.h"

#define ROBUST_PATTERNS 3 /* of CHORALE_ARRIVAL_ROBUST */
#define REPLAYED 4e5   /* schedule events replayed for a round, per second of a
                        * budget by the clock: about a tenth of it */
#define LONGEST 0.0015 /* share of them that one schedule may have; the times of
                        * longer ones are those of their formulas */
#define GOAL_REAL 0.03 /* a table ignores smaller gains (policy.h) */

enum chorale_err chorale_plan_budget(const char *text, double *seconds_p,
                                     int *nodes_p, int *each_p,
                                     struct chorale_errmsg *msg)
{
    static const char per[] = "/coll";
    size_t len = strlen(text);
    char plain[32];
    double seconds;
    enum chorale_err err;
    int each = len > sizeof(per) - 1 &&
               strcmp(text + len - (sizeof(per) - 1), per) == 0;
    int nodes;

    if (each)
        len -= sizeof(per) - 1;
    nodes = len > 2 && text[len - 2] == 'n';
    if (len == 0 || len >= sizeof(plain))
        return chorale_fail(msg, CHORALE_USAGE, "--budget %.40s: write a time "
                            "such as 10m or 2h, of nodes 30nm or 2nh, for "
                            "each collective 0.5nh/coll", text);
    memcpy(plain, text, len);
    plain[len] = '\0';
    if (nodes) { /* parse "2nh" as "2h" */
        plain[len - 2] = text[len - 1];
        plain[len - 1] = '\0';
    }
    err = chorale_spec_seconds("--budget", plain, &seconds, msg);
    if (err != CHORALE_OK)
        err = chorale_fail(msg, CHORALE_USAGE, "--budget %.40s: write a time "
                           "such as 10m or 2h, of nodes 30nm or 2nh, for each "
                           "collective 0.5nh/coll", text);
    if (err == CHORALE_OK && !(seconds > 0))
        err = chorale_fail(msg, CHORALE_USAGE, "--budget %s: nothing can be "
                           "measured in no time; write a time such as 10m or "
                           "2nh", text);
    if (err == CHORALE_OK) {
        *seconds_p = seconds;
        *nodes_p = nodes;
        *each_p = each;
    }
    return err;
}

/* Check the options of plans in rounds. */
enum chorale_err chorale_plan_check_adaptive(struct chorale_plan *plan,
                                             struct chorale_errmsg *msg)
{
    const char *name = plan->adaptive ? "--adaptive" : "--set model";
    double seconds;
    int nodes, each;

    if (!plan->adaptive && plan->budget != NULL)
        return chorale_fail(msg, CHORALE_USAGE, "--budget: only for adaptive "
                            "plans; add --adaptive");
    if (!plan->rounds && plan->goal >= 0)
        return chorale_fail(msg, CHORALE_USAGE, "--goal: only for plans in "
                            "rounds; add --adaptive or --set model");
    if (!plan->rounds)
        return CHORALE_OK;
    if (plan->adaptive && plan->budget == NULL)
        return chorale_fail(msg, CHORALE_USAGE, "--adaptive: give what it may "
                            "cost, as in --budget 10m or --budget 2nh");
    if (plan->adaptive && chorale_spec_listed(plan->providers, "native"))
        return chorale_fail(msg, CHORALE_USAGE, "--adaptive: chooses among "
                            "Chorale's variants; plan --providers native "
                            "without it");
    if (chorale_plan_conditions(plan))
        return chorale_fail(msg, CHORALE_USAGE, "%s: requires arrival sync or "
                            "robust, no siblings, metric duration; leave out "
                            "--arrival, --siblings and --metric", name);
    if (plan->goal < 0)
        plan->goal = plan->adaptive                             ? 0.005
                     : strcmp(plan->launcher, "smpirun") == 0 ? 0.001
                                                              : GOAL_REAL;
    return plan->adaptive ? chorale_plan_budget(plan->budget, &seconds, &nodes,
                                                &each, msg)
                          : CHORALE_OK;
}

/* 1 if the arrival patterns are those of a policy for which rounds can plan. */
static int decides_by_rounds(const struct chorale_plan *plan)
{
    return strcmp(plan->arrival, "sync") == 0 ||
           strcmp(plan->arrival, "robust") == 0;
}

int chorale_plan_conditions(const struct chorale_plan *plan)
{
    return !decides_by_rounds(plan) ||
           strcmp(plan->siblings, "alone") != 0 ||
           strcmp(plan->metric, "duration") != 0;
}

enum chorale_err chorale_plan_gather(struct planner *p,
                                     const struct chorale_adapt_cell *cell)
{
    struct chorale_adapt_cell *more =
        chorale_array_grow(p->grid.cell, p->grid.ncell, sizeof(*more));

    if (more == NULL)
        return chorale_fail_memory(p->msg, NULL);
    p->grid.cell = more;
    p->grid.cell[p->grid.ncell++] = *cell;
    return CHORALE_OK;
}

void chorale_plan_release(struct planner *p)
{
    free(p->grid.cell);
    p->grid.cell = NULL;
    p->grid.ncell = 0;
    chorale_adapt_evidence_release(&p->evidence);
    chorale_points_release(&p->points);
    chorale_points_release(&p->decided);
}

int chorale_plan_predicts(const struct planner *p)
{
    return strcmp(p->plan->set, "model") == 0 && p->evidence.model != NULL;
}

static int in_point(const struct chorale_run_point *row,
                    const struct chorale_adapt_cell *at)
{
    return row->coll == at->coll &&
           row->comm_size == at->comm_size && row->n == at->n &&
           row->ppn == at->ppn && row->type == chorale_dtype(at->dtype) &&
           strcmp(row->shape, at->shape) == 0 &&
           strcmp(row->op, at->op >= 0 ? chorale_opkind(at->op)->name
                                       : "") == 0;
}

static int at_point(const struct chorale_run_point *row,
                    const struct chorale_adapt_cell *at)
{
    return row->config.alg != NULL && in_point(row, at);
}

/* Mean log seconds of a candidate's usable runs at the point of row, which is a
 * run of it, among these points; NAN: not measured. */
static double mean_at(const struct chorale_points *points,
                      const struct chorale_run_point *row)
{
    double sum = 0, n = 0;

    for (size_t i = 0; i < points->count; i++) {
        const struct chorale_run_point *run = &points->row[i];

        if (!run->ok || run->coll != row->coll || run->n != row->n ||
            run->comm_size != row->comm_size || run->ppn != row->ppn ||
            strcmp(run->shape, row->shape) != 0 ||
            strcmp(run->dtype, row->dtype) != 0 ||
            strcmp(run->op, row->op) != 0 ||
            strcmp(run->provider, row->provider) != 0 ||
            strcmp(run->variant, row->variant) != 0 ||
            strcmp(run->params, row->params) != 0)
            continue;
        sum += log(run->seconds);
        n++;
    }
    return n > 0 ? sum / n : NAN;
}

/* Set log_late of the library's cell of a point, if it is measured. */
static void find_library_late(const struct planner *p,
                              struct chorale_adapt_cell *cell)
{
    for (size_t i = 0; i < p->points.count && isnan(cell->log_late); i++) {
        const struct chorale_run_point *row = &p->points.row[i];

        if (strcmp(row->provider, "library") == 0 && in_point(row, cell))
            cell->log_late = mean_at(&p->decided, row) -
                             mean_at(&p->points, row);
    }
}

/* Mark the candidates of a point that were measured, and add those that are no
 * candidates. */
static enum chorale_err add_measured(struct planner *p, size_t first)
{
    const struct chorale_adapt_cell at = p->grid.cell[first];
    const struct chorale_points *points = &p->points;
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < points->count && err == CHORALE_OK; i++) {
        const struct chorale_run_point *row = &points->row[i];
        struct chorale_adapt_cell cell = at;
        size_t c = first + 1;

        if (!at_point(row, &at) ||
            (i > 0 && chorale_adapt_same_cell(row - 1, row)))
            continue;
        while (c < p->grid.ncell &&
               (p->grid.cell[c].config.alg != row->config.alg ||
                memcmp(p->grid.cell[c].config.value, row->config.value,
                       (size_t)row->config.alg->nparam *
                           sizeof(*row->config.value)) != 0))
            c++;
        cell.config = row->config;
        if (c == p->grid.ncell)
            err = chorale_plan_gather(p, &cell);
        if (err != CHORALE_OK)
            break;
        p->grid.cell[c].known = p->grid.cell[c].failed = 1;
        if (p->decided.count > 0)
            p->grid.cell[c].log_late = mean_at(&p->decided, row) -
                                       mean_at(&p->points, row);
        for (size_t k = i; k < points->count &&
                           chorale_adapt_same_cell(row, &points->row[k]); k++)
            p->grid.cell[c].failed &= !points->row[k].ok;
    }
    return err;
}

enum chorale_err chorale_plan_contend(struct planner *p, size_t first)
{
    enum chorale_err err = add_measured(p, first);
    size_t kept;

    if (err != CHORALE_OK)
        return err;
    if (chorale_stop_requested()) /* predictions take the time of a plan */
        return chorale_fail(p->msg, CHORALE_STOPPED, "plan: stopped before it "
                            "was written; repeat the command to continue");
    if (p->decided.count > 0)
        find_library_late(p, &p->grid.cell[first]);
    kept = chorale_adapt_contenders(&p->evidence, &p->decide,
                                    p->grid.cell + first,
                                    p->grid.ncell - first);
    p->grid.ncell = first + (kept < SIZE_MAX ? kept : 0);
    return kept < SIZE_MAX ? CHORALE_OK : chorale_fail_memory(p->msg, NULL);
}

/* A planned cell is known: pending launches will measure it. The result is 1
 * if it was measured and no run was ok. */
#define KNOWN                                                                \
    "SELECT EXISTS (SELECT 1 FROM run r WHERE r.cell_id = cell.cell_id) AND" \
    " NOT EXISTS (SELECT 1 FROM run r WHERE r.cell_id = cell.cell_id AND"    \
    "             r.status = 'ok')"                                          \
    " FROM cell WHERE system_id = ?1 AND coll = ?2 AND"                      \
    " comm_size = ?3 AND msg_size = ?4 AND ppn = ?5 AND shape = ?6 AND"      \
    " dtype = ?7 AND op = ?8 AND arrival = 'sync' AND siblings = 'alone'"    \
    " AND metric = 'duration' AND provider = ?9 AND variant = ?10 AND"       \
    " params = ?11 AND (NOT ?12 OR EXISTS (SELECT 1 FROM cell l WHERE"       \
    "  l.arrival = 'last:1' AND (l.system_id, l.coll, l.comm_size,"          \
    "  l.msg_size, l.ppn, l.shape, l.dtype, l.op, l.siblings, l.metric,"     \
    "  l.provider, l.variant, l.params) = (cell.system_id, cell.coll,"       \
    "  cell.comm_size, cell.msg_size, cell.ppn, cell.shape, cell.dtype,"     \
    "  cell.op, cell.siblings, cell.metric, cell.provider, cell.variant,"    \
    "  cell.params)))"

/* Set the texts of parameters, and whether a cell is planned and failed. */
static enum chorale_err find_known(struct planner *p)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_query(
        p->store, KNOWN, CHORALE_FIELDS(p->sys.id), &s, p->msg);

    for (size_t i = 0; i < p->grid.ncell && err == CHORALE_OK; i++) {
        struct chorale_adapt_cell *cell = &p->grid.cell[i];
        const struct chorale_alg *alg = cell->config.alg;

        if (alg != NULL)
            chorale_alg_params_format(alg, cell->config.value, cell->params,
                                      sizeof(cell->params));
        err = chorale_store_bind(
            p->store, s, 2,
            CHORALE_FIELDS(chorale_coll_info(cell->coll)->name,
                           cell->comm_size, cell->msg_size, cell->ppn,
                           cell->shape, chorale_dtype(cell->dtype)->name,
                           cell->op >= 0 ? chorale_opkind(cell->op)->name : "",
                           alg != NULL ? "chorale" : "library",
                           alg != NULL ? alg->name : "default", cell->params,
                           p->decide.arrivals == CHORALE_ARRIVALS_ROBUST),
            p->msg);
        cell->known = chorale_store_next(p->store, s, &err, p->msg);
        cell->failed = cell->known && alg != NULL && sqlite3_column_int(s, 0);
    }
    sqlite3_finalize(s);
    return err;
}

/* Find the number of the next round, and the campaign of a round with missing
 * runs (or 0). An earlier round without cells is deleted. */
static enum chorale_err find_round(struct planner *p,
                                   sqlite3_int64 *pending_p)
{
    sqlite3_int64 last = 0;
    enum chorale_err err = chorale_store_find(
        p->store, "SELECT max(c.campaign_id) FROM cell c JOIN campaign k"
        " USING (campaign_id) WHERE c.system_id = ?1 AND k.round > 0"
        " AND c.launches > (SELECT count(DISTINCT l.ordinal) FROM run r"
        " JOIN launch l USING (launch_id) WHERE r.cell_id = c.cell_id)",
        CHORALE_FIELDS(p->sys.id), 0, pending_p, p->msg);

    if (err == CHORALE_OK && *pending_p == 0)
        err = chorale_store_run(
            p->store, "DELETE FROM campaign WHERE system_id = ?1 AND round > 0"
            " AND campaign_id NOT IN (SELECT campaign_id FROM cell)"
            " AND campaign_id NOT IN (SELECT campaign_id FROM launch)"
            " AND campaign_id NOT IN (SELECT campaign_id FROM baseline)",
            CHORALE_FIELDS(p->sys.id), p->msg);
    if (err == CHORALE_OK)
        err = chorale_store_find(
            p->store, "SELECT max(round) FROM campaign WHERE system_id = ?1",
            CHORALE_FIELDS(p->sys.id), 0, &last, p->msg);
    if (err == CHORALE_OK && *pending_p == 0)
        p->round.round = (int)last + 1;
    return err;
}

/* Number of collectives in the grid or in earlier rounds, whose cost counts as
 * well. */
static enum chorale_err find_ncoll(struct planner *p, int *ncoll_p)
{
    int seen[CHORALE_NCOLL] = { 0 };
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_query(
        p->store, "SELECT DISTINCT c.coll FROM cell c"
        " JOIN campaign k USING (campaign_id) WHERE c.system_id = ?1"
        " AND k.round > 0", CHORALE_FIELDS(p->sys.id), &s, p->msg);

    for (size_t i = 0; i < p->grid.ncell; i++)
        seen[p->grid.cell[i].coll] = 1;
    while (chorale_store_next(p->store, s, &err, p->msg))
        for (int c = 0; c < CHORALE_NCOLL; c++)
            seen[c] |= strcmp(chorale_coll_info((enum chorale_coll)c)->name,
                              chorale_text(s, 0)) == 0;
    sqlite3_finalize(s);
    *ncoll_p = 0;
    for (int c = 0; c < CHORALE_NCOLL; c++)
        *ncoll_p += seen[c];
    return err;
}

/* Find the costs: of launches, and what is already spent. */
static enum chorale_err find_costs(struct planner *p,
                                   struct chorale_adapt_opts *opts)
{
    struct chorale_adapt_spent spent;
    enum chorale_err err = CHORALE_OK;
    int each = 0, ncoll = 1;

    if (p->plan->adaptive)
        err = chorale_plan_budget(p->plan->budget, &p->budget, &p->nodes,
                                  &each, p->msg);
    if (err == CHORALE_OK && each)
        err = find_ncoll(p, &ncoll);
    p->budget *= ncoll;
    if (err == CHORALE_OK)
        err = chorale_adapt_spent(p->store, p->sys.id, -1, &spent, p->msg);
    if (err == CHORALE_OK && !p->sys.simulated)
        err = chorale_adapt_start_up(p->store, p->sys.id, &opts->start_up,
                                     p->msg);
    if (err != CHORALE_OK)
        return err;
    p->spent = p->nodes ? spent.node_seconds : spent.seconds;
    if (p->plan->spent_before < 0)
        p->plan->spent_before = p->spent;
    p->budget += p->plan->spent_before;
    if (opts->by_clock) /* simulations take longer than what they simulate */
        p->spent = fmax(p->spent, p->plan->spent_before + p->plan->planned);
    opts->budget = p->budget;
    opts->spent = p->spent;
    opts->nodes = p->nodes;
    return CHORALE_OK;
}

/* 1 if cells b and a differ in size only. */
static int same_line(const struct chorale_adapt_cell *a,
                     const struct chorale_adapt_cell *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->dtype == b->dtype && a->op == b->op;
}

/* Choose cell c at another size of its line, whose library cell is at. */
static enum chorale_err choose_at(struct planner *p, size_t c, size_t at)
{
    struct chorale_adapt_cell cell = p->grid.cell[at];

    for (size_t i = 0; i < p->grid.ncell; i++) {
        struct chorale_adapt_cell *other = &p->grid.cell[i];

        if (other->config.alg == p->grid.cell[c].config.alg &&
            other->n == cell.n && same_line(other, &cell) &&
            strcmp(other->params, p->grid.cell[c].params) == 0) {
            other->chosen = !other->known;
            return CHORALE_OK;
        }
    }
    cell.config = p->grid.cell[c].config;
    cell.known = 0;
    cell.chosen = 1;
    memcpy(cell.params, p->grid.cell[c].params, sizeof(cell.params));
    return chorale_plan_gather(p, &cell);
}

/* Where some rank does not know n, one choice serves all sizes of a process
 * count. So a chosen candidate is measured at all of them; in adaptive plans
 * at those at which the library is measured. */
static enum chorale_err choose_lines(struct planner *p, int every)
{
    const size_t ncell = p->grid.ncell;
    enum chorale_err err = CHORALE_OK;

    for (size_t c = 0; c < ncell && err == CHORALE_OK; c++) {
        if (!p->grid.cell[c].chosen || p->grid.cell[c].config.alg == NULL ||
            !chorale_decide_is_blind(p->grid.cell[c].coll))
            continue;
        for (size_t at = 0; at < ncell && err == CHORALE_OK; at++) {
            const struct chorale_adapt_cell *cell = &p->grid.cell[at];

            if (cell->config.alg == NULL &&
                (every || cell->known || cell->chosen) &&
                cell->n != p->grid.cell[c].n &&
                same_line(cell, &p->grid.cell[c]))
                err = choose_at(p, c, at);
        }
    }
    p->round.ncell = 0;
    for (size_t c = 0; c < p->grid.ncell; c++)
        p->round.ncell += (size_t)p->grid.cell[c].chosen;
    return err;
}

/* Load the measurements and fit the model to them. */
static enum chorale_err find_evidence(struct planner *p)
{
    struct chorale_policy policy = p->plan->policy;
    enum chorale_err err = chorale_policy_inherit(p->store, p->sys.id, &policy,
                                                  p->msg);

    if (err != CHORALE_OK)
        return err;
    p->decide = chorale_policy_decide(&policy, p->sys.simulated);
    p->decide.arrivals = strcmp(p->plan->arrival, "robust") == 0
                             ? CHORALE_ARRIVALS_ROBUST : CHORALE_ARRIVALS_SYNC;
    err = chorale_points_load_by(p->store, p->sys.id,
                                 chorale_policy_objective(&policy),
                                 CHORALE_ARRIVALS_SYNC, &p->points, p->msg);
    if (err == CHORALE_OK &&
        chorale_adapt_evidence_init(&p->evidence, &p->points,
                                    p->plan->root,
                                    (int)p->proc[p->nproc - 1]) != 0)
        err = chorale_fail_memory(p->msg, NULL);
    if (err == CHORALE_OK)
        chorale_points_dispatched(
            &p->points, chorale_policy_cost(&policy, p->sys.simulated));
    policy.arrival = "robust";
    if (err == CHORALE_OK && p->decide.arrivals == CHORALE_ARRIVALS_ROBUST)
        err = chorale_policy_points(p->store, p->sys.id, p->sys.simulated,
                                    &policy, &p->decided, NULL, NULL, p->msg);
    return err;
}

/* Limit the events that are replayed from now on; half of them for the choice of
 * contenders. 0: do not. */
static void limit_replays(struct planner *p, double events)
{
    const double done = chorale_predict_work(p->evidence.model);

    if (events > 0) {
        p->evidence.work = done + events / 2;
        chorale_predict_limit(p->evidence.model, done + events,
                              LONGEST * events);
    }
}

enum chorale_err chorale_plan_choose(struct planner *p,
                                     sqlite3_int64 *pending_p)
{
    const struct chorale_plan *plan = p->plan;
    struct chorale_adapt_opts opts = {
        .every = !plan->adaptive, .goal = plan->goal,
        .start_up = CHORALE_ADAPT_START_UP,
        .launches = plan->launches, .nrep_min = plan->nrep_min,
        .nrep_max = plan->nrep_max, .nwarmup = plan->nwarmup,
        .cell_seconds = plan->cell_seconds, .seed = plan->seed,
        .by_clock = plan->clock > 0 && p->sys.simulated,
        .alpha = TYPICAL_ALPHA, .beta = TYPICAL_BETA,
    };
    double tau;
    enum chorale_err err = find_round(p, pending_p);

    p->plan->regret = NAN;
    if (err == CHORALE_OK && *pending_p == 0)
        err = find_evidence(p);
    if (err == CHORALE_OK && *pending_p != 0) {
        err = find_costs(p, &opts);
        p->plan->spent = p->spent;
        p->plan->foreseen = 0;
    }
    if (err != CHORALE_OK || *pending_p != 0)
        return err;
    opts.decide = p->decide;
    (void)chorale_predict_flat(p->evidence.model, "", "", "", &opts.alpha,
                               &opts.beta, &tau); /* else typical ones */
    if (!(opts.alpha > 0))
        opts.alpha = TYPICAL_ALPHA;
    limit_replays(p, REPLAYED * plan->clock);
    p->gathering = 1;
    err = chorale_plan_cells(p);
    p->gathering = 0;
    if (err == CHORALE_OK)
        err = find_known(p);
    if (err == CHORALE_OK)
        err = find_costs(p, &opts);
    if (err == CHORALE_OK && (chorale_points_inherit(&p->points) != 0 ||
                              chorale_points_inherit(&p->decided) != 0))
        err = chorale_fail_memory(p->msg, NULL);
    if (p->decide.arrivals == CHORALE_ARRIVALS_ROBUST) {
        opts.decided = &p->decided;
        opts.patterns = ROBUST_PATTERNS;
    }
    if (err == CHORALE_OK)
        err = chorale_adapt_choose(&p->grid, &p->points, &p->evidence, &opts,
                                   &p->round, p->msg);
    if (err == CHORALE_OK)
        err = choose_lines(p, opts.every);
    if (err == CHORALE_OK && p->round.ncell == 0 && chorale_plan_predicts(p) &&
        (opts.every || p->spent < p->budget))
        err = chorale_plan_between(p, &opts);
    p->plan->spent = p->spent;
    p->plan->foreseen = p->round.foreseen;
    p->plan->regret = p->round.regret;
    return err;
}

enum chorale_err chorale_plan_chosen(struct planner *p)
{
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < p->grid.ncell && err == CHORALE_OK; i++)
        if (p->grid.cell[i].chosen)
            err = chorale_plan_put(p, &p->grid.cell[i]);
    return err;
}
