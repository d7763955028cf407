/* SPDX-License-Identifier: BSD-3-Clause */
/* remeasure.c - further launches of chosen points. */
#include "tuner/assess/remeasure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/systems.h"
#include "tuner/assess/validate.h"

enum { LAUNCHES = 6, MOST = 1000 }; /* default, see --help; and limit */

/* Load the proofs, and for each whether its point has cells; the caller frees
 * *measured_p. */
static enum chorale_err load(const char *path, const char *system,
                             struct chorale_proofs *proofs, int **measured_p,
                             struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 system_id = 0;
    int simulated = 0;
    enum chorale_err err = chorale_store_open_system(
        path, system, &store, &system_id, &simulated, msg);

    if (err == CHORALE_OK)
        err = chorale_proofs_current(store, system_id, simulated, proofs, msg);
    *measured_p = calloc(proofs->count + 1, sizeof(**measured_p));
    if (err == CHORALE_OK && *measured_p == NULL)
        err = chorale_fail_memory(msg, NULL);
    for (size_t i = 0; err == CHORALE_OK && i < proofs->count; i++) {
        const struct chorale_proof *at = &proofs->row[i];
        sqlite3_int64 ncell = 0;

        err = chorale_store_find(
            store, "SELECT count(*) FROM cell"
            " WHERE system_id = ?1 AND coll = ?2 AND msg_size = ?3"
            " AND comm_size = ?4 AND ppn = ?5 AND provider <> 'table'",
            CHORALE_FIELDS(system_id, chorale_coll_info(at->coll)->name,
                           at->msg_size, at->comm_size, at->ppn), 0, &ncell,
            msg);
        (*measured_p)[i] = ncell > 0;
    }
    chorale_store_close(store);
    return err;
}

static int slower_by_choice(const struct chorale_proof *p)
{
    return p->slower && strcmp(p->choice, "library") != 0;
}

static size_t count_slower(const struct chorale_proofs *proofs)
{
    size_t count = 0;

    for (size_t i = 0; i < proofs->count; i++)
        count += (size_t)slower_by_choice(&proofs->row[i]);
    return count;
}

/* Returns 1 if all of the interval shows a loss above the threshold. */
static int interval_below(const struct chorale_proofs *proofs,
                          const struct chorale_proof *p)
{
    return p->nlaunch > 1 && p->mean < -log1p(proofs->threshold) &&
           p->mean + p->half < 0;
}

static int same_point(const struct chorale_proof *a,
                      const struct chorale_proof *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->msg_size == b->msg_size &&
           strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->op, b->op) == 0 &&
           strcmp(a->root, b->root) == 0 &&
           strcmp(a->buffers, b->buffers) == 0;
}

/* Returns 1 if the table's variant takes longer than the library at p by the
 * interval of a comparison. Among hundreds of points this may be chance, so that
 * it is a reason to measure, not a verdict. */
static int seems_slower(const struct chorale_proofs *proofs,
                        const struct chorale_proof *p)
{
    if (proofs->simulated || chorale_proof_is_library(p))
        return 0;
    if (interval_below(proofs, p))
        return 1;
    for (size_t i = 0; proofs->loop != NULL && i < proofs->loop->count; i++)
        if (same_point(&proofs->loop->row[i], p))
            return interval_below(proofs->loop, &proofs->loop->row[i]);
    return 0;
}

enum chorale_err chorale_sizes_remeasure(const char *path,
                                         const struct chorale_plan *asked,
                                         const struct chorale_run_opts *as,
                                         const struct chorale_again *again,
                                         struct chorale_errmsg *msg)
{
    struct chorale_plan plan = *asked;
    struct chorale_run_opts run = *as;
    int dataless = chorale_coll_info(again->coll)->dataless;
    int simulated = plan.launcher != NULL && /* launches are equal */
                    strcmp(plan.launcher, "smpirun") == 0;
    char procs[16], system[128];
    enum chorale_err err;

    snprintf(procs, sizeof(procs), "%d", again->comm_size);
    plan.collectives = chorale_coll_info(again->coll)->name;
    plan.sizes = dataless ? NULL : again->sizes;
    plan.procs = procs;
    plan.ppn = again->ppn;
    plan.dtype = dataless ? NULL : again->dtype;
    plan.op = again->op[0] != '\0' ? again->op : NULL;
    plan.from_trace = 0;
    plan.trace = NULL;
    if (plan.adaptive && plan.nrep_max == 0 && !simulated)
        plan.nrep_max = CHORALE_PLAN_ADAPTIVE_ITERATIONS;
    plan.set = "core"; /* not in rounds */
    plan.adaptive = 0;
    plan.budget = NULL;
    plan.goal = -1;
    plan.again = 1;
    plan.launches = simulated ? 1
                    : again->launches < MOST ? again->launches : MOST;
    err = chorale_plan_write(&plan, path, run.command, 1, system,
                             &run.campaign, msg);
    run.system = system;
    run.as_step = 1;
    return err == CHORALE_OK ? chorale_run(path, &run, msg) : err;
}

/* Measure the candidates at a point. */
static enum chorale_err measure(const char *path,
                                const struct chorale_plan *plan,
                                const struct chorale_run_opts *run,
                                const struct chorale_proof *at,
                                struct chorale_errmsg *msg)
{
    char size[32];
    const struct chorale_again again = {
        .coll = at->coll, .sizes = size, .comm_size = at->comm_size,
        .ppn = at->ppn, .dtype = at->dtype, .op = at->op,
        .launches = plan->launches > 0 ? plan->launches : LAUNCHES,
    };

    snprintf(size, sizeof(size), "%zu", at->msg_size);
    return chorale_sizes_remeasure(path, plan, run, &again, msg);
}

enum chorale_err chorale_remeasure(const char *path, const char *system,
                                   const struct chorale_plan *plan,
                                   const struct chorale_run_opts *run,
                                   size_t *count_p, struct chorale_errmsg *msg)
{
    struct chorale_proofs proofs = { .row = NULL };
    int *measured = NULL;
    enum chorale_err err = load(path, system, &proofs, &measured, msg);
    size_t count = count_slower(&proofs), nseem = 0;

    if (err == CHORALE_OK && proofs.loop != NULL)
        count += count_slower(proofs.loop);
    for (size_t i = 0; err == CHORALE_OK && i < proofs.count; i++)
        nseem += !measured[i] && !proofs.row[i].slower &&
                 seems_slower(&proofs, &proofs.row[i]);
    if (err == CHORALE_OK && count > 0 && !run->quiet)
        printf("%s: the table is slower than the library in %zu comparison%s; "
               "deciding again without these choices\n", path, count,
               count == 1 ? "" : "s");
    if (err == CHORALE_OK && nseem > 0 && !run->quiet)
        printf("%s: measuring %zu size%s where the table seems slower\n", path,
               nseem, nseem == 1 ? "" : "s");
    for (size_t i = 0; err == CHORALE_OK && i < proofs.count; i++)
        if (!measured[i] && (slower_by_choice(&proofs.row[i]) ||
                             seems_slower(&proofs, &proofs.row[i])))
            err = measure(path, plan, run, &proofs.row[i], msg);
    *count_p = count + nseem;
    free(measured);
    chorale_proofs_release(&proofs);
    return err;
}
