/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_write.c - write a campaign and its cells to the database. */
#include "config.h"

#include "algorithms/mpi_name.h"
#include "tuner/plan/plan_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/environment.h"
#include "db/systems.h"
#include "tuner/run/runner_query.h"
#include "tuner/base/units.h"

#define MOST_RANKS (1 << 24) /* of any plan */
#define LOCAL_MAX 16 /* most ranks per processor on this node */

/* UUID of a campaign. A simulated one is derived from the plan, so that a rerun
 * gives the same table to the byte. A real one is random. */
static enum chorale_err name_campaign(const struct planner *p,
                                      char uuid[CHORALE_UUID_SIZE])
{
    const struct chorale_plan *plan = p->plan;
    const char *const word[] = {
        p->sys.signature, plan->sizes,     plan->procs,
        plan->collectives, plan->variants, plan->set,
        plan->providers,  plan->dtype,     plan->op,
        plan->root,       plan->sync,      plan->counters,
        plan->sim_selector, plan->buffers, plan->arrival,
        plan->siblings,   plan->metric,
    };
    size_t nword = sizeof(word) / sizeof(word[0]), len = 0;
    char *text = NULL;
    FILE *out;

    if (!p->sys.simulated) {
        chorale_uuid(uuid);
        return CHORALE_OK;
    }
    out = open_memstream(&text, &len);
    for (size_t i = 0; out != NULL && i < nword; i++)
        fprintf(out, "%s|", word[i] != NULL ? word[i] : "");
    if (out != NULL)
        fprintf(out, "%ld %ld %ld %ld %ld %ld %ld %.17g %.17g %ld",
                plan->ppn, plan->launches, plan->nrep_min, plan->nrep_max,
                plan->nwarmup, plan->seed, plan->max_memory, plan->width,
                plan->cell_seconds, plan->batch);
    if (out != NULL && plan->rounds)
        fprintf(out, " round %d of %s to %.17g", p->round.round,
                plan->adaptive ? plan->budget : "all", plan->goal);
    for (size_t i = 0; out != NULL && i < p->nwant; i++)
        fprintf(out, " %d %ld %ld %d %d %s", (int)p->want[i].coll,
                p->want[i].msg_size, p->want[i].procs, p->want[i].dtype,
                p->want[i].op, p->want[i].root);
    if (out != NULL && p->label[0] != '\0')
        fprintf(out, " of %s", p->label);
    if (out == NULL || fclose(out) != 0 || text == NULL) {
        free(text);
        return chorale_fail_memory(p->msg, NULL);
    }
    chorale_uuid_of(text, uuid);
    free(text);
    return CHORALE_OK;
}

static enum chorale_err put_campaign(struct planner *p, const char *command)
{
    const struct chorale_plan *plan = p->plan;
    const int simulated = p->sys.simulated;
    char uuid[CHORALE_UUID_SIZE], now[32];
    enum chorale_err err = name_campaign(p, uuid);

    if (err != CHORALE_OK)
        return err;
    chorale_time_now(now);
    err = chorale_store_run(
        p->store,
        "INSERT OR IGNORE INTO campaign (uuid, system_id, created, command,"
        " seed, launches, nrep_min, nrep_max, nwarmup, target_width,"
        " cell_seconds, max_memory, sync, counters, launcher, launcher_cmd,"
        " platform, network, tau, sim_selector, batch, racing, round, budget,"
        " budget_unit, spent, foreseen, regret, label)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        CHORALE_FIELDS(
            uuid, p->sys.id, now, command, plan->seed, plan->launches,
            plan->nrep_min, plan->nrep_max, plan->nwarmup, plan->width,
            plan->cell_seconds, plan->max_memory, plan->sync, plan->counters,
            plan->launcher,
            plan->launcher_cmd != NULL ? plan->launcher_cmd : "",
            simulated ? p->sys.platform : "", simulated ? plan->network : "",
            simulated ? plan->tau : 0, simulated ? plan->sim_selector : "",
            plan->batch, !plan->no_racing, p->round.round, p->budget,
            !plan->rounds ? ""
            : p->nodes    ? "node-s"
                          : "s",
            p->spent, p->round.foreseen,
            plan->rounds ? p->round.regret : NAN, p->label), p->msg);
    if (err == CHORALE_OK)
        err = chorale_store_find(
            p->store, "SELECT campaign_id FROM campaign WHERE uuid = ?1",
            CHORALE_FIELDS(uuid), 0, &p->campaign_id, p->msg);
    return err;
}

static enum chorale_err write_all(struct planner *p, const char *command)
{
    enum chorale_err err = chorale_store_begin(p->store, p->msg);
    sqlite3_int64 pending = 0;

    if (err == CHORALE_OK)
        err = chorale_system_store(p->store, &p->sys, p->msg);
    if (err == CHORALE_OK && p->plan->rounds)
        err = chorale_plan_choose(p, &pending);
    if (err == CHORALE_OK && pending != 0 && p->plan->estimate)
        err = chorale_plan_estimate(p, pending);
    if (err != CHORALE_OK || pending != 0) {
        chorale_store_rollback(p->store);
        p->campaign_id = pending;
        return err;
    }
    err = put_campaign(p, command);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            p->store,
            "INSERT INTO cell (uuid, provider, variant, params, coll, shape,"
            " dtype, op, op_class, root_policy, campaign_id, system_id,"
            " msg_size, n, comm_size, ppn, launches, buffers, arrival,"
            " siblings, metric, part)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
            " ON CONFLICT DO UPDATE SET"
            " launches = max(launches, excluded.launches),"
            " campaign_id = excluded.campaign_id",
            &p->insert, p->msg);
    if (err == CHORALE_OK)
        err = chorale_plan_before(p->store, p->msg);
    if (err == CHORALE_OK)
        err = p->plan->rounds ? chorale_plan_chosen(p)
                              : chorale_plan_cells(p);
    sqlite3_finalize(p->insert);
    if (err == CHORALE_OK)
        err = chorale_plan_alike(p->store, p->campaign_id, p->msg);
    if (err == CHORALE_OK)
        err = chorale_plan_say_changed(p->store, p->campaign_id, p->msg);
    if (err == CHORALE_OK && p->plan->estimate)
        err = chorale_plan_estimate(p, p->campaign_id);
    if (err == CHORALE_OK && !p->plan->dry_run)
        err = chorale_store_commit(p->store, p->msg);
    else
        chorale_store_rollback(p->store);
    return err;
}

/* Number of ranks of the largest launch. */
static long largest_launch(const struct planner *p)
{
    long top = 0;
    char word[32];

    for (size_t i = 0; i < p->nproc; i++)
        for (size_t j = 0; chorale_spec_word(p->plan->siblings, j, word,
                                             sizeof(word)) == 1; j++) {
            long ranks = p->proc[i] *
                         chorale_planned_siblings(p, word, p->proc[i]);

            top = ranks > top ? ranks : top;
        }
    return top;
}

/* Check --siblings: a communicator of one rank cannot disturb others, and at
 * least one process count must leave room for a second communicator. */
static enum chorale_err check_siblings(const struct planner *p)
{
    const char *procs = p->plan->procs != NULL ? p->plan->procs
                                               : "(all processors)";
    char word[32];
    int any = 0;

    for (size_t j = 0; chorale_spec_word(p->plan->siblings, j, word,
                                         sizeof(word)) == 1; j++) {
        int all = strcmp(word, "all") == 0;

        if (!all && strcmp(word, "alone") != 0 && p->proc[0] == 1)
            return chorale_fail(p->msg, CHORALE_USAGE,
                                "--siblings %s: a communicator of one rank "
                                "sends nothing that others could be in the "
                                "way of; leave 1 out of -P, or plan it apart",
                                word);
        any |= !all;
        for (size_t i = 0; all && i < p->nproc; i++)
            any |= p->proc[i] > 1 &&
                   chorale_planned_siblings(p, word, p->proc[i]) > 1;
    }
    return any ? CHORALE_OK
               : chorale_fail(p->msg, CHORALE_USAGE,
                              "--siblings %s: no P of -P %s leaves room for a "
                              "second communicator beside it; add a larger "
                              "one, or write a number instead of all",
                              p->plan->siblings, procs);
}

/* The number of processors of this node that a CPU quota lets it use. */
static long usable_processors(void)
{
    struct chorale_cpu_quota quota;
    long online = sysconf(_SC_NPROCESSORS_ONLN);

    chorale_cpu_quota(&quota);
    return quota.processors < (double)online
               ? (long)fmax(1, floor(quota.processors)) : online;
}

static int is_power_of_two(long p)
{
    return p > 0 && (p & (p - 1)) == 0;
}

/* Add to successive process counts that are powers of two one count between
 * them, 6 or 12 or 24 ...: libraries and variants treat other counts
 * differently, so that tables cannot be interpolated between powers of two. It
 * is left out below 6 and where it would fill a node partly. */
static enum chorale_err add_between(struct planner *p)
{
    const struct chorale_plan *plan = p->plan;
    long *proc = malloc((2 * p->nproc + 1) * sizeof(*proc));
    size_t n = 0;

    if (proc == NULL)
        return chorale_fail_memory(p->msg, NULL);
    for (size_t i = 0; i < p->nproc; i++) {
        long a = i > 0 ? p->proc[i - 1] : 0, b = p->proc[i], middle = 6;
        int powers = b <= MOST_RANKS && is_power_of_two(a) &&
                     is_power_of_two(b);

        while (powers && middle * middle < a * b)
            middle *= 2;
        if (powers && a < middle && middle < b &&
            (plan->ppn <= 1 || middle < plan->ppn ||
             middle % plan->ppn == 0))
            proc[n++] = middle;
        proc[n++] = b;
    }
    free(p->proc);
    p->proc = proc;
    p->nproc = n;
    return CHORALE_OK;
}

/* Fill in defaults that depend on the launcher: processes, launches, memory. */
static enum chorale_err fill_defaults(struct planner *p, const char *path)
{
    struct chorale_plan *plan = p->plan;
    long cores = usable_processors();
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    long most = p->sys.simulated ? p->sys.nhost : cores;
    char text[64];
    enum chorale_err err;

    if (plan->launches == 0)
        plan->launches = p->sys.simulated ? 1 : 6;
    if (plan->max_memory == 0)
        plan->max_memory = pages / 2 * page;
    snprintf(text, sizeof(text), "%d:%ld", most >= 2 ? 2 : 1,
             most >= 2 ? most : 1);
    err = chorale_spec_list("-P", plan->procs != NULL ? plan->procs : text, 1,
                            &p->proc, &p->nproc, p->msg);
    if (err == CHORALE_OK && plan->rounds && !plan->from_trace)
        err = add_between(p);
    if (err == CHORALE_OK)
        err = chorale_spec_list("-m", plan->sizes, 0, &p->size, &p->nsize,
                                p->msg);
    if (err == CHORALE_OK && plan->from_trace)
        err = chorale_plan_traced(p, path);
    if (err == CHORALE_OK)
        err = check_siblings(p);
    if (err == CHORALE_OK)
        err = chorale_plan_even(p);
    if (err != CHORALE_OK)
        return err;
    long top = p->proc[p->nproc - 1];
    long most_ranks = largest_launch(p);
    const char *procs = plan->procs != NULL ? plan->procs : text;
    long ppn = chorale_planner_ppn(p, top);
    if (plan->procs == NULL)
        snprintf(text, sizeof(text), "%ld", top);
    if (most_ranks > MOST_RANKS)
        return chorale_fail(p->msg, CHORALE_USAGE, "-P %s: more processes "
                            "than any system has; ask for fewer", procs);
    if (p->sys.simulated && (top + ppn - 1) / ppn > p->sys.nhost)
        return chorale_fail(p->msg, CHORALE_USAGE,
                            "-P %s: the platform has %d host%s; use at most "
                            "%ld process%s or a larger --ppn", procs,
                            p->sys.nhost, chorale_plural(p->sys.nhost),
                            p->sys.nhost * ppn,
                            p->sys.nhost * ppn == 1 ? "" : "es");
    if (strcmp(plan->launcher, "mpiexec") == 0 && plan->ppn == 0 &&
        most_ranks > LOCAL_MAX * cores)
        return chorale_fail(p->msg, CHORALE_USAGE,
                            "-P %s: %ld ranks on the %ld processor%s of this "
                            "node; for several nodes say --ppn, else stay "
                            "below %ld", procs, most_ranks, cores,
                            chorale_plural(cores),
                            LOCAL_MAX * cores + 1);
    if (strcmp(plan->launcher, "mpiexec") == 0 && most_ranks > cores &&
        plan->ppn == 0)
        fprintf(stderr, "chorale: %ld ranks on %ld processor%s are "
                        "oversubscribed: such cells are tagged and not used "
                        "for decisions; use -P up to %ld\n", most_ranks,
                cores, chorale_plural(cores), cores);
    return CHORALE_OK;
}

/* Load the native algorithms and check the words of --variants that are not in
 * the catalogue. */
static enum chorale_err find_natives(struct planner *p)
{
    const struct chorale_plan *plan = p->plan;
    char word[128], library[CHORALE_MPI_NAME];
    enum chorale_err err;

    if (!chorale_spec_listed(plan->providers, "native"))
        return CHORALE_OK;
    err = p->sys.simulated
              ? chorale_natives_simulated(&p->natives, plan->collectives,
                                          p->msg)
              : chorale_natives_load(&p->natives, p->msg);
    chorale_mpi_name(p->sys.mpi_library, library);
    if (err == CHORALE_OK && p->natives.count == 0)
        err = chorale_fail(p->msg, CHORALE_ENV, "--providers %s: %.100s has "
                           "no algorithm that can be forced; leave native "
                           "out", plan->providers, library);
    for (size_t k = 0; err == CHORALE_OK && plan->variants != NULL &&
                       chorale_spec_word(plan->variants, k, word,
                                         sizeof(word)) == 1; k++) {
        int known = chorale_plan_variant(plan, word);

        for (int i = 0; i < p->natives.count; i++)
            known |= chorale_spec_listed(
                         plan->collectives,
                         chorale_coll_info(p->natives.row[i].coll)->name) &&
                     chorale_native_is(&p->natives.row[i], word);
        if (!known)
            err = chorale_fail(p->msg, CHORALE_USAGE,
                               "--variants %s: neither the catalogue nor the "
                               "MPI library has it; `chorale list` and "
                               "`chorale list --%s` show their variants",
                               word, p->sys.simulated ? "simulated"
                                                      : "native");
    }
    return err;
}

/* Warn about events that cannot be counted on this machine; the compute nodes
 * may differ. */
static enum chorale_err ask_counters(const struct planner *p)
{
    char text[4096], *save = NULL;
    const char *list = p->plan->counters;
    enum chorale_err err;

    if (list[0] == '\0')
        return CHORALE_OK;
    if (p->sys.simulated) {
        fprintf(stderr, "chorale: --counters %.200s: simulated ranks count "
                        "only events of Chorale (sde:::chorale::); others "
                        "will be absent\n", list);
        return CHORALE_OK;
    }
    err = chorale_runner_query("--counters", list, text, sizeof(text), p->msg);
    for (char *line = err == CHORALE_OK ? strtok_r(text, "\n", &save) : NULL;
         line != NULL; line = strtok_r(NULL, "\n", &save))
        fprintf(stderr, "chorale: --counters, on this machine: %s\n", line);
    return err;
}

/* Open the database. A dry run without one uses a temporary file, whose name is
 * stored in scratch; SQLite needs it until it is closed. */
static enum chorale_err open_store(struct planner *p, const char *path,
                                   char scratch[64])
{
    int fd;

    if (!p->plan->dry_run || access(path, F_OK) == 0)
        return chorale_store_open(path, CHORALE_STORE_CREATE, &p->store,
                                  p->msg);
    snprintf(scratch, 64, "%s", P_tmpdir "/chorale-XXXXXX");
    fd = mkstemp(scratch);
    if (fd < 0) {
        enum chorale_err err = chorale_fail_written(p->msg, scratch, errno);

        scratch[0] = '\0';
        return err;
    }
    close(fd);
    return chorale_store_open(scratch, CHORALE_STORE_CREATE, &p->store,
                              p->msg);
}

/* Print the round of a plan in rounds. */
static enum chorale_err print_round(const struct planner *p, const char *path,
                                    int quiet)
{
    const char *unit = p->nodes ? "node-s" : "s";

    if (p->round.round == 0) {
        if (!quiet)
            printf("%s: the last round is not measured yet%s\n", path,
                   p->plan->carried_on ? "" : "; `chorale run` does that");
        return CHORALE_OK;
    }
    if (p->round.ncell == 0 && !p->plan->adaptive)
        return chorale_fail(p->msg, CHORALE_NO, "%s: no further round on "
                            "system %s: %s", path, p->sys.name, p->round.why);
    if (p->round.ncell == 0)
        return chorale_fail(p->msg, CHORALE_NO, "%s: no further round on "
                            "system %s: %s; %.3g of %.3g %s are spent, and a "
                            "larger --budget or a smaller --goal goes on",
                            path, p->sys.name, p->round.why, p->spent,
                            p->budget, unit);
    if (quiet)
        return CHORALE_OK;
    printf("%s: %s %zu cell%s at %zu %s%s on system %s, round %d, for about "
           "%.3g %s", path,
           p->plan->dry_run ? "would plan" : "planned", p->round.ncell,
           chorale_plural((long long)p->round.ncell),
           p->round.npoint, p->round.npoint == 1 ? "point" : "points",
           p->decide.arrivals == CHORALE_ARRIVALS_ROBUST
               ? ", in 3 arrival patterns," : "",
           p->sys.name, p->round.round, p->round.foreseen, unit);
    if (p->plan->adaptive)
        printf("; %.3g of %.3g %s are spent", p->spent, p->budget, unit);
    else if (!p->plan->carried_on)
        printf("; after `chorale run`, plan again for the next");
    if (p->round.regret >= 0)
        printf(", expected regret %.2f %%", 100 * p->round.regret);
    printf("\n");
    return CHORALE_OK;
}

/* Report a range that stops before its end: the table covers measured sizes
 * only. */
static void warn_short_range(const char *option, const char *text,
                             const long *value,
                             size_t count)
{
    struct chorale_spec_range range;
    const char *at = text != NULL
                         ? chorale_spec_short(text, value, count, &range)
                         : NULL;

    if (at != NULL)
        printf("%s %.*s stops at %ld; write %s %s,%.*s to have %.*s measured, "
               "too\n", option, range.len, at, range.last, option, text,
               range.end_len, range.end, range.end_len, range.end);
}

static enum chorale_err print_plan(const struct planner *p, const char *path,
                                   int quiet)
{
    const struct chorale_plan *plan = p->plan;

    if (plan->rounds)
        return print_round(p, path, quiet);
    if (quiet)
        return CHORALE_OK;
    printf("%s: %s %ld cell%s at %ld %s on system %s, %ld %s each: %ld "
           "run%s\n", path, plan->dry_run ? "would plan" : "planned",
           p->ncell, chorale_plural(p->ncell), p->npoint,
           p->npoint == 1 ? "point" : "points", p->sys.name, plan->launches,
           plan->launches == 1 ? "launch" : "launches",
           p->ncell * plan->launches,
           chorale_plural(p->ncell * plan->launches));
    if (!p->sys.simulated)
        chorale_plan_say_launches(plan->launches);
    if (!plan->from_trace) {
        warn_short_range("-m", plan->sizes, p->size, p->nsize);
        warn_short_range("-P", plan->procs, p->proc, p->nproc);
    }
    return CHORALE_OK;
}

enum chorale_err chorale_plan_write(struct chorale_plan *plan,
                                    const char *path, const char *command,
                                    int quiet, char system[128],
                                    sqlite3_int64 *campaign_p,
                                    struct chorale_errmsg *msg)
{
    struct planner p = { .plan = plan, .msg = msg };
    enum chorale_err err = chorale_plan_check(plan, msg);
    char scratch[64] = "";

    if (err == CHORALE_OK)
        err = chorale_plan_label(plan->label, p.label, msg);
    if (err == CHORALE_OK)
        err = chorale_system_describe(plan, &p.sys, msg);
    if (err == CHORALE_OK)
        err = find_natives(&p);
    if (err == CHORALE_OK)
        err = fill_defaults(&p, path);
    if (err == CHORALE_OK)
        err = ask_counters(&p);
    if (err == CHORALE_OK)
        err = open_store(&p, path, scratch);
    if (err == CHORALE_OK)
        err = chorale_store_lock(p.store, CHORALE_LOCK_CAMPAIGN,
                                 CHORALE_LOCK_PATIENCE, msg);
    if (err == CHORALE_OK)
        err = write_all(&p, command);
    if (err == CHORALE_OK) {
        snprintf(system, 128, "%s", p.sys.name);
        *campaign_p = p.campaign_id;
        err = print_plan(&p, path, quiet || plan->json);
        if (err == CHORALE_OK && plan->estimate && !quiet)
            err = chorale_plan_show_estimate(&p);
    }
    chorale_store_close(p.store);
    if (scratch[0] != '\0')
        unlink(scratch);
    chorale_system_release(&p.sys);
    chorale_natives_free(&p.natives);
    chorale_plan_release(&p);
    chorale_estimate_release(&p.estimate);
    free(p.want);
    free(p.proc);
    free(p.size);
    return err;
}

