/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - from options to cells: the verb `plan`, and the first step of
 * `tune`. */
#include "config.h"

#include "tuner/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/alg.h"
#include "algorithms/kinds.h"
#include "tuner/candidates.h"
#include "tuner/launcher.h"
#include "tuner/natives.h"
#include "tuner/spec.h"
#include "tuner/system.h"

#define LOCAL_MAX 16 /* ranks a processor, on this node */
#define ROTATE_FROM 65536 /* bytes: from there caches matter */

struct planner {
    struct chorale_plan *plan;
    struct chorale_store *store;
    struct chorale_system sys;
    struct chorale_natives natives;
    long *size, *proc;
    size_t nsize, nproc;
    sqlite3_int64 campaign_id;
    sqlite3_stmt *insert;
    long ncell, npoint;
    struct chorale_errmsg *msg;
};

void chorale_command_text(int argc, char **argv, char *text, size_t size)
{
    size_t len = 0;

    text[0] = '\0';
    for (int i = 0; i < argc && len < size; i++)
        len += (size_t)snprintf(text + len, size - len, "%s%s",
                                i > 0 ? " " : "", argv[i]);
}

/* A word of --siblings as a number; all is as many as the largest of --procs
 * has ranks for. */
static long count_siblings(const struct planner *p, const char *word,
                           long procs)
{
    if (strcmp(word, "all") == 0)
        return p->proc[p->nproc - 1] / procs;
    return strcmp(word, "alone") == 0 ? 1 : strtol(word, NULL, 10);
}

/* Ranks of the largest launch. */
static long largest_launch(const struct planner *p)
{
    long top = 0;
    char word[32];

    for (size_t i = 0; i < p->nproc; i++)
        for (size_t j = 0; chorale_spec_word(p->plan->siblings, j, word,
                                             sizeof(word)) == 1; j++) {
            long ranks = p->proc[i] *
                         count_siblings(p, word, p->proc[i]);

            top = ranks > top ? ranks : top;
        }
    return top;
}

static const char *planned_shape(const struct planner *p, long procs)
{
    long ppn = p->plan->ppn > 0 ? p->plan->ppn : p->sys.simulated ? 1 : procs;

    if (procs <= ppn)
        return "single-node";
    if (ppn == 1)
        return "one-per-node";
    return procs % ppn == 0 ? "block" : "irregular";
}

static long planned_ppn(const struct planner *p, long procs)
{
    long ppn = p->plan->ppn > 0 ? p->plan->ppn : p->sys.simulated ? 1 : procs;

    return ppn < procs ? ppn : procs;
}

struct point {
    enum chorale_coll coll;
    long msg_size, procs;
    int dtype, op;
    const char *arrival, *siblings;
};

/* The default keeps small data where applications mostly have them, in the
 * caches, and long data out of them. */
static const char *buffer_policy(const struct planner *p,
                                 const struct point *pt)
{
    if (strcmp(p->plan->buffers, "auto") != 0)
        return p->plan->buffers;
    return !p->sys.simulated && pt->msg_size >= ROTATE_FROM ? "rotate"
                                                            : "warm";
}

/* part: as of schema.sql, "" for what is measured side by side. */
static enum chorale_err put_cell(struct planner *p, const struct point *pt,
                                 const char *provider, const char *variant,
                                 const char *params, const char *part)
{
    const struct chorale_coll_info *info = chorale_coll_info(pt->coll);
    sqlite3_stmt *s = p->insert;
    char uuid[CHORALE_UUID_SIZE];
    const char *text[] = {
        uuid, provider, variant, params, info->name,
        planned_shape(p, pt->procs), chorale_dtype(pt->dtype)->name,
        pt->op >= 0 ? chorale_opkind(pt->op)->name : "",
        pt->op >= 0 ? "builtin" : "", info->rooted ? p->plan->root : "none",
    };
    const char *condition[] = { buffer_policy(p, pt), pt->arrival,
                                pt->siblings, p->plan->metric };

    chorale_uuid(uuid);
    for (int i = 0; i < 4; i++)
        sqlite3_bind_text(s, 18 + i, condition[i], -1, SQLITE_TRANSIENT);
    for (int i = 0; i < 10; i++)
        sqlite3_bind_text(s, 1 + i, text[i], -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(s, 11, p->campaign_id);
    sqlite3_bind_int64(s, 12, p->sys.id);
    sqlite3_bind_int64(s, 13, pt->msg_size);
    sqlite3_bind_int64(s, 14,
                       (sqlite3_int64)chorale_coll_n(pt->coll,
                                                     (size_t)pt->msg_size,
                                                     (int)pt->procs));
    sqlite3_bind_int64(s, 15, pt->procs);
    sqlite3_bind_int64(s, 16, planned_ppn(p, pt->procs));
    sqlite3_bind_int64(s, 17, p->plan->launches);
    sqlite3_bind_text(s, 22, part, -1, SQLITE_TRANSIENT);
    p->ncell++;
    return chorale_store_step(p->store, s, NULL, p->msg);
}

static enum chorale_err put_params(struct planner *p, const struct point *pt,
                                   const struct chorale_alg *alg,
                                   const long *value)
{
    char params[256];

    chorale_alg_params_format(alg, value, params, sizeof(params));
    return put_cell(p, pt, "chorale", alg->name, params, "");
}

/* One choice of a variant's parameters is one cell. */
struct choice {
    struct planner *p;
    const struct point *pt;
    const struct chorale_alg *alg;
};

static enum chorale_err put_choice(void *arg, const long *value)
{
    const struct choice *choice = arg;

    return put_params(choice->p, choice->pt, choice->alg, value);
}

static enum chorale_err put_variant(struct planner *p, const struct point *pt,
                                    const struct chorale_alg *alg,
                                    enum chorale_set set)
{
    const struct chorale_point at = {
        .comm_size = (int)pt->procs,
        .msg_size = (size_t)pt->msg_size,
        .n = chorale_coll_n(alg->coll, (size_t)pt->msg_size, (int)pt->procs),
        .type_size = chorale_dtype(pt->dtype)->size,
        .commutative = 1,
        .ppn = (int)planned_ppn(p, pt->procs),
    };
    struct choice choice = { p, pt, alg };

    return chorale_candidates(alg, set, &at, put_choice, &choice, p->msg);
}

/* The library's own algorithms: all of them, or those that are named. SimGrid
 * forces one for a whole launch. Where several are forced in one, the library's
 * default is measured in a launch without that, too, for comparison. */
static enum chorale_err put_natives(struct planner *p, const struct point *pt)
{
    enum chorale_err err = CHORALE_OK;
    int any = 0;

    for (int i = 0; i < p->natives.count && err == CHORALE_OK; i++) {
        const struct chorale_native_name *native = &p->natives.row[i];
        char full[128];

        if (native->coll != pt->coll)
            continue;
        snprintf(full, sizeof(full), "%s:%s",
                 chorale_coll_info(pt->coll)->name, native->name);
        if (chorale_spec_listed(p->plan->variants, native->name) ||
            chorale_spec_listed(p->plan->variants, full)) {
            err = put_cell(p, pt, "native", native->name, "",
                           p->sys.simulated ? full : "");
            any = 1;
        }
    }
    if (err == CHORALE_OK && any && !p->sys.simulated)
        err = put_cell(p, pt, "library", "untouched", "", "untouched");
    return err;
}

static enum chorale_err put_point(struct planner *p, const struct point *pt)
{
    const char *coll = chorale_coll_info(pt->coll)->name;
    enum chorale_set set = (enum chorale_set)chorale_set_find(p->plan->set);
    enum chorale_err err = put_cell(p, pt, "library", "default", "", "");

    p->npoint++;
    if (err == CHORALE_OK)
        err = put_natives(p, pt);
    if (!chorale_spec_listed(p->plan->providers, "chorale"))
        return err;
    for (int i = 0; chorale_algs[i] != NULL && err == CHORALE_OK; i++) {
        const struct chorale_alg *alg = chorale_algs[i];
        char full[128];

        if (alg->coll != pt->coll)
            continue;
        snprintf(full, sizeof(full), "%s:%s", coll, alg->name);
        if (p->plan->variants == NULL) {
            if (alg->core || set != CHORALE_SET_CORE)
                err = put_variant(p, pt, alg, set);
        } else if (chorale_spec_listed(p->plan->variants, alg->name) ||
                   chorale_spec_listed(p->plan->variants, full)) {
            err = put_variant(p, pt, alg, CHORALE_SET_ALL);
        }
    }
    return err;
}

/* As it is stored: with its factor, written in one way. */
static void spell_arrival(char *word, size_t size)
{
    size_t name = strcspn(word, ":");
    double factor = word[name] == ':' ? strtod(word + name + 1, NULL) : 1;

    if (strcmp(word, "sync") != 0)
        snprintf(word + name, size - name, ":%.6g", factor);
}

/* The point under each arrival pattern and with each number of siblings. */
static enum chorale_err put_conditions(struct planner *p, struct point *pt)
{
    char arrival[32], siblings[32];
    enum chorale_err err = CHORALE_OK;

    pt->arrival = arrival;
    pt->siblings = siblings;
    for (size_t i = 0; err == CHORALE_OK &&
                       chorale_spec_word(p->plan->arrival, i, arrival,
                                         sizeof(arrival)) == 1; i++) {
        spell_arrival(arrival, sizeof(arrival));
        for (size_t j = 0; err == CHORALE_OK &&
                           chorale_spec_word(p->plan->siblings, j, siblings,
                                             sizeof(siblings)) == 1; j++) {
            long count = count_siblings(p, siblings, pt->procs);

            if (strcmp(siblings, "alone") != 0)
                snprintf(siblings, sizeof(siblings), "%ld", count);
            if ((count > 1 && pt->procs > 1) || strcmp(siblings, "alone") == 0)
                err = put_point(p, pt);
        }
    }
    return err;
}

static enum chorale_err put_points(struct planner *p)
{
    enum chorale_err err = CHORALE_OK;

    for (int c = 0; c < CHORALE_NCOLL && err == CHORALE_OK; c++) {
        struct point pt = { .coll = (enum chorale_coll)c };
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
                    err = put_conditions(p, &pt);
                last = pt.msg_size;
            }
        }
    }
    return err;
}

/* A simulated campaign is what its plan says, so its name is too: repeated
 * from scratch it gives the same table to the byte. A real one is an event. */
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
    if (out == NULL || fclose(out) != 0 || text == NULL) {
        free(text);
        return chorale_fail(p->msg, CHORALE_ENV, "out of memory");
    }
    chorale_uuid_of(text, uuid);
    free(text);
    return CHORALE_OK;
}

static enum chorale_err put_campaign(struct planner *p, const char *command)
{
    const struct chorale_plan *plan = p->plan;
    char uuid[CHORALE_UUID_SIZE], now[32];
    sqlite3_stmt *s = NULL;
    enum chorale_err err;

    err = chorale_store_prepare(
        p->store,
        "INSERT OR IGNORE INTO campaign (uuid, system_id, created, command,"
        " seed, launches, nrep_min, nrep_max, nwarmup, target_width,"
        " cell_seconds,"
        " max_memory, sync, counters, launcher, launcher_cmd, platform,"
        " network, tau, sim_selector, batch, racing)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        &s, p->msg);
    if (err != CHORALE_OK)
        return err;
    err = name_campaign(p, uuid);
    if (err != CHORALE_OK) {
        sqlite3_finalize(s);
        return err;
    }
    chorale_now(now);
    sqlite3_bind_text(s, 1, uuid, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, p->sys.id);
    sqlite3_bind_text(s, 3, now, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 4, command, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 5, plan->seed);
    sqlite3_bind_int64(s, 6, plan->launches);
    sqlite3_bind_int64(s, 7, plan->nrep_min);
    sqlite3_bind_int64(s, 8, plan->nrep_max);
    sqlite3_bind_int64(s, 9, plan->nwarmup);
    sqlite3_bind_double(s, 10, plan->width);
    sqlite3_bind_double(s, 11, plan->cell_seconds);
    sqlite3_bind_int64(s, 12, plan->max_memory);
    sqlite3_bind_text(s, 13, plan->sync, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 14, plan->counters, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 15, plan->launcher, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 16,
                      plan->launcher_cmd != NULL ? plan->launcher_cmd : "",
                      -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 17, p->sys.simulated ? p->sys.platform : "", -1,
                      SQLITE_STATIC);
    sqlite3_bind_text(s, 18, p->sys.simulated ? plan->network : "", -1,
                      SQLITE_STATIC);
    sqlite3_bind_double(s, 19, p->sys.simulated ? plan->tau : 0);
    sqlite3_bind_text(s, 20, p->sys.simulated ? plan->sim_selector : "", -1,
                      SQLITE_STATIC);
    sqlite3_bind_int64(s, 21, plan->batch);
    sqlite3_bind_int(s, 22, !plan->no_racing);
    err = chorale_store_step(p->store, s, NULL, p->msg);
    sqlite3_finalize(s);
    s = NULL;
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            p->store, "SELECT campaign_id FROM campaign WHERE uuid = ?1", &s,
            p->msg);
    if (err == CHORALE_OK) {
        sqlite3_bind_text(s, 1, uuid, -1, SQLITE_STATIC);
        err = chorale_store_step(p->store, s, NULL, p->msg);
        p->campaign_id = sqlite3_column_int64(s, 0);
    }
    sqlite3_finalize(s);
    return err;
}

static enum chorale_err write_all(struct planner *p, const char *command)
{
    enum chorale_err err = chorale_store_begin(p->store, p->msg);

    if (err == CHORALE_OK)
        err = chorale_system_store(p->store, &p->sys, p->msg);
    if (err == CHORALE_OK)
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
        err = put_points(p);
    sqlite3_finalize(p->insert);
    if (err == CHORALE_OK)
        err = chorale_plan_alike(p->store, p->campaign_id, p->msg);
    if (err == CHORALE_OK && !p->plan->dry_run)
        err = chorale_store_commit(p->store, p->msg);
    else
        chorale_store_rollback(p->store);
    return err;
}

/* Ranks that send nothing have no siblings that could be in their way, and
 * there must be a second communicator for someone. */
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
            any |= p->proc[i] > 1 && count_siblings(p, word, p->proc[i]) > 1;
    }
    return any ? CHORALE_OK
               : chorale_fail(p->msg, CHORALE_USAGE,
                              "--siblings %s: no P of -P %s leaves room for a "
                              "second communicator beside it; add a larger "
                              "one, or write a number instead of all",
                              p->plan->siblings, procs);
}

/* What the launcher decides: processes, launches, memory. */
static enum chorale_err fill_defaults(struct planner *p)
{
    struct chorale_plan *plan = p->plan;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
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
    if (err == CHORALE_OK)
        err = chorale_spec_list("-m", plan->sizes, 0, &p->size, &p->nsize,
                                p->msg);
    if (err == CHORALE_OK)
        err = check_siblings(p);
    if (err != CHORALE_OK)
        return err;
    long top = p->proc[p->nproc - 1];
    long most_ranks = largest_launch(p);
    if (most_ranks > 1 << 24)
        return chorale_fail(p->msg, CHORALE_USAGE,
                            "-P %s: more processes than any system has",
                            plan->procs);
    if (p->sys.simulated &&
        (top + planned_ppn(p, top) - 1) / planned_ppn(p, top) > p->sys.nhost)
        return chorale_fail(p->msg, CHORALE_USAGE,
                            "-P %s: the platform has %d hosts; use at most "
                            "%ld processes or a larger --ppn", plan->procs,
                            p->sys.nhost, p->sys.nhost * planned_ppn(p, top));
    if (strcmp(plan->launcher, "mpiexec") == 0 && plan->ppn == 0 &&
        most_ranks > LOCAL_MAX * cores)
        return chorale_fail(p->msg, CHORALE_USAGE,
                            "-P %s: %ld ranks on the %ld processors of this "
                            "node; for several nodes say --ppn, else stay "
                            "below %ld", plan->procs, most_ranks, cores,
                            LOCAL_MAX * cores + 1);
    if (strcmp(plan->launcher, "mpiexec") == 0 && most_ranks > cores &&
        plan->ppn == 0)
        fprintf(stderr, "chorale: %ld ranks on %ld processors are "
                        "oversubscribed: such cells are tagged and decide "
                        "nothing\n", most_ranks, cores);
    return CHORALE_OK;
}

/* The library's algorithms, and whether the words of --variants that the
 * catalogue does not know are some of them. */
static enum chorale_err find_natives(struct planner *p)
{
    const struct chorale_plan *plan = p->plan;
    char word[128];
    enum chorale_err err;

    if (!chorale_spec_listed(plan->providers, "native"))
        return CHORALE_OK;
    err = p->sys.simulated
              ? chorale_natives_simulated(&p->natives, plan->collectives,
                                          p->msg)
              : chorale_natives_load(&p->natives, p->msg);
    if (err == CHORALE_OK && p->natives.count == 0)
        err = chorale_fail(p->msg, CHORALE_ENV,
                           "--providers %s: %.100s lets none of its "
                           "algorithms be forced",
                           plan->providers, p->sys.mpi_library);
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
                               "`chorale list --%s` show what there is",
                               word, p->sys.simulated ? "simulated"
                                                      : "native");
    }
    return err;
}

/* A dry run of a database that is not there plans into a file of its own,
 * whose name goes to scratch; SQLite wants it to stay until it is closed. */
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
        enum chorale_err err = chorale_fail(p->msg, CHORALE_ENV, "%s: %s",
                                            scratch, strerror(errno));

        scratch[0] = '\0';
        return err;
    }
    close(fd);
    return chorale_store_open(scratch, CHORALE_STORE_CREATE, &p->store,
                              p->msg);
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
        err = chorale_system_describe(plan, &p.sys, msg);
    if (err == CHORALE_OK)
        err = find_natives(&p);
    if (err == CHORALE_OK)
        err = fill_defaults(&p);
    if (err == CHORALE_OK)
        err = open_store(&p, path, scratch);
    if (err == CHORALE_OK)
        err = chorale_store_lock(p.store, CHORALE_LOCK_CAMPAIGN, 0, msg);
    if (err == CHORALE_OK)
        err = write_all(&p, command);
    if (err == CHORALE_OK) {
        snprintf(system, 128, "%s", p.sys.name);
        *campaign_p = p.campaign_id;
        if (!quiet) {
            printf("%s: %s %ld cells at %ld %s on system %s, %ld %s "
                   "each\n", path, plan->dry_run ? "would plan" : "planned",
                   p.ncell, p.npoint, p.npoint == 1 ? "point" : "points",
                   p.sys.name, plan->launches,
                   plan->launches == 1 ? "launch" : "launches");
            if (!p.sys.simulated)
                chorale_plan_say_launches(plan->launches);
        }
    }
    chorale_store_close(p.store);
    if (scratch[0] != '\0')
        unlink(scratch);
    chorale_system_release(&p.sys);
    chorale_natives_free(&p.natives);
    free(p.proc);
    free(p.size);
    return err;
}

struct plan_opts {
    struct chorale_plan plan;
    int quiet;
};

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct plan_opts opts = { .plan = CHORALE_PLAN_DEFAULTS };
    char command[1024], system[128];
    sqlite3_int64 campaign;
    enum chorale_err err;
    int nword;

    chorale_command_text(argc, argv, command, sizeof(command));
    err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    return chorale_plan_write(&opts.plan, argv[1], command, opts.quiet,
                              system, &campaign, msg);
}

static const struct chorale_opt options[] = {
    CHORALE_PLAN_OPTS(struct plan_opts, plan),
    { "dry-run", 0, CHORALE_OPT_FLAG, offsetof(struct plan_opts, plan.dry_run),
      NULL, "say what would be planned and write nothing", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct plan_opts, quiet), NULL,
      "print nothing", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_plan = {
    .name = "plan",
    .args = "results.db",
    .summary = "write the cells to measure into a database",
    .detail =
        "A cell is one variant of a collective at one message size, "
        "communicator size, datatype and root policy on one system. The "
        "database is made if it is missing; planning again adds what is new "
        "and raises the number of launches, and forgets nothing: launches "
        "that are still to be made of a cell that is planned again follow the "
        "new plan, those of other cells the old one. --sync and --batch "
        "say what a time means, so one point of one database has one choice "
        "of them, and another one is refused. `chorale "
        "run` then executes what is pending.\n"
        "Provider native is the MPI library's own algorithms, each forced by "
        "the library's control variables, where it has such: MPICH's and Open "
        "MPI's do. Their parameters stay at the library's defaults. They are "
        "measured beside the others and never chosen by `chorale decide`. The "
        "library's default is then measured once more, as variant untouched, "
        "in launches in which nothing is forced. In simulation they are "
        "SimGrid's, each forced for a launch of its own.\n"
        "Counters: of each run one call more is counted, outside the timed "
        "repetitions, and stored in the table counter: for our own variants "
        "always the events chorale::messages, bytes_sent, bytes_reduced, "
        "rounds (steps in which a rank completes messages before it goes on; "
        "of the busiest rank) and wait_ns (in the calls that complete them), "
        "and what --counters names, by PAPI's names: presets (PAPI_TOT_CYC), "
        "native events of any component (net:::eth0:tx:bytes; what is of the "
        "whole node is read by one rank a node) and our own "
        "(sde:::chorale::rounds). Values are of one call, added up over the "
        "ranks. Events that do not exist are named once and stored as absent "
        "(NULL). More events than the processor has counters take turns in "
        "calls of their own. Bytes per message, and cycles per byte where "
        "--counters PAPI_TOT_CYC was given:\n"
        "SELECT c.coll, c.variant, c.msg_size, b.value / m.value FROM cell c "
        "JOIN run r USING (cell_id) JOIN counter b ON b.run_id = r.run_id AND "
        "b.event = 'chorale::bytes_sent' JOIN counter m ON m.run_id = "
        "r.run_id AND m.event = 'chorale::messages'\n"
        "SELECT c.coll, c.variant, c.msg_size, k.value / b.value FROM cell c "
        "JOIN run r USING (cell_id) JOIN counter k ON k.run_id = r.run_id AND "
        "k.event = 'PAPI_TOT_CYC' JOIN counter b ON b.run_id = r.run_id AND "
        "b.event = 'chorale::bytes_sent'\n"
        "A simulated system (--launcher smpirun --platform FILE.xml) is a "
        "system of its own: decisions never mix it with a real one.",
    .example = "chorale plan results.db -m 8:1M -P 2:64 --ppn 8 --launcher "
               "srun\n"
               "chorale plan results.db -P 2 --counters "
               "PAPI_TOT_CYC,PAPI_TOT_INS\n"
               "chorale plan results.db -c bcast,allreduce -m 8:64K -P 16 "
               "--launcher smpirun --platform cluster.xml",
    .opt = options,
    .run = run,
};
