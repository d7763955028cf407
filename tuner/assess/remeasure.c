/* SPDX-License-Identifier: BSD-3-Clause */
/* remeasure.c - measures points again where a table proved slower. */
#include "tuner/assess/remeasure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/systems.h"
#include "tuner/assess/validate.h"

enum { LAUNCHES = 6, MOST = 1000 }; /* defaults, see --help */

/* Load the proofs and the launches that the cells of each point have; the
 * caller frees *launches_p. */
static enum chorale_err load(const char *path, const char *system,
                             struct chorale_proofs *proofs, long **launches_p,
                             struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 system_id = 0;
    int simulated = 0;
    enum chorale_err err = chorale_store_open_system(
        path, system, &store, &system_id, &simulated, msg);

    if (err == CHORALE_OK)
        err = chorale_proofs_current(store, system_id, simulated, proofs, msg);
    *launches_p = calloc(proofs->count + 1, sizeof(**launches_p));
    if (err == CHORALE_OK && *launches_p == NULL)
        err = chorale_fail_memory(msg, NULL);
    for (size_t i = 0; err == CHORALE_OK && i < proofs->count; i++) {
        const struct chorale_proof *at = &proofs->row[i];
        sqlite3_int64 most = 0;

        err = chorale_store_find(
            store, "SELECT coalesce(max(launches), 0) FROM cell"
            " WHERE system_id = ?1 AND coll = ?2 AND msg_size = ?3"
            " AND comm_size = ?4 AND ppn = ?5 AND provider <> 'table'",
            CHORALE_FIELDS(system_id, chorale_coll_info(at->coll)->name,
                           at->msg_size, at->comm_size, at->ppn), 0, &most,
            msg);
        (*launches_p)[i] = (long)most;
    }
    chorale_store_close(store);
    return err;
}

static int slower_by_choice(const struct chorale_proof *p)
{
    return p->slower && strcmp(p->choice, "library") != 0;
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
    if (plan.adaptive && plan.nrep_max == 0)
        plan.nrep_max = CHORALE_PLAN_ADAPTIVE_ITERATIONS;
    plan.set = "core"; /* not in rounds */
    plan.adaptive = 0;
    plan.budget = NULL;
    plan.goal = -1;
    plan.again = 1;
    plan.launches = again->launches < MOST ? again->launches : MOST;
    err = chorale_plan_write(&plan, path, run.command, 1, system,
                             &run.campaign, msg);
    run.system = system;
    return err == CHORALE_OK ? chorale_run(path, &run, msg) : err;
}

/* Measure a point in twice the launches that it has or that are asked for. */
static enum chorale_err measure(const char *path,
                                const struct chorale_plan *plan,
                                const struct chorale_run_opts *run,
                                const struct chorale_proof *at, long launches,
                                struct chorale_errmsg *msg)
{
    char size[32];
    struct chorale_again again = {
        .coll = at->coll, .sizes = size, .comm_size = at->comm_size,
        .ppn = at->ppn, .dtype = at->dtype, .op = at->op,
        .launches = plan->launches > 0 ? plan->launches : LAUNCHES,
    };

    snprintf(size, sizeof(size), "%zu", at->msg_size);
    again.launches = 2 * (launches > again.launches ? launches
                                                    : again.launches);
    return chorale_sizes_remeasure(path, plan, run, &again, msg);
}

enum chorale_err chorale_remeasure(const char *path, const char *system,
                                   const struct chorale_plan *plan,
                                   const struct chorale_run_opts *run,
                                   size_t *count_p, struct chorale_errmsg *msg)
{
    struct chorale_proofs proofs = { .row = NULL };
    long *launches = NULL;
    enum chorale_err err = load(path, system, &proofs, &launches, msg);

    *count_p = 0;
    for (size_t i = 0; err == CHORALE_OK && i < proofs.count; i++)
        *count_p += (size_t)slower_by_choice(&proofs.row[i]);
    if (err == CHORALE_OK && *count_p > 0 && !run->quiet)
        printf("%s: the table is slower than the library at %zu point%s; "
               "measuring %s and deciding again\n", path, *count_p,
               *count_p == 1 ? "" : "s", *count_p == 1 ? "it" : "them");
    for (size_t i = 0; err == CHORALE_OK && i < proofs.count; i++)
        if (slower_by_choice(&proofs.row[i]))
            err = measure(path, plan, run, &proofs.row[i], launches[i], msg);
    free(launches);
    chorale_proofs_release(&proofs);
    return err;
}
