/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_load.c - loads the two sides of a comparison from their databases. */
#include "algorithms/mpi_name.h"
#include "db/byte_buffer.h"
#include "tuner/compare/comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "db/systems.h"
#include "db/foreign_db.h"
#include "tuner/base/process.h"
#include "tuner/base/units.h"

#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

void chorale_comparison_note(struct chorale_comparison *cmp,
                             const char *format, ...)
{
    va_list ap;

    if (cmp->nnote == sizeof(cmp->note) / sizeof(cmp->note[0]))
        return;
    va_start(ap, format);
    vsnprintf(cmp->note[cmp->nnote++], sizeof(cmp->note[0]), format, ap);
    va_end(ap);
}

static int by_id(const void *a, const void *b)
{
    sqlite3_int64 x = ((const struct chorale_side_launch *)a)->id;
    sqlite3_int64 y = ((const struct chorale_side_launch *)b)->id;

    return (x > y) - (x < y);
}

const struct chorale_side_launch *
chorale_side_launch_of(const struct chorale_side *side, sqlite3_int64 id)
{
    struct chorale_side_launch key = { .id = id };

    return side->nlaunch == 0
               ? NULL
               : bsearch(&key, side->launch, side->nlaunch, sizeof(key),
                         by_id);
}

int chorale_side_first(const struct chorale_side *side,
                       struct chorale_points *points)
{
    points->row = malloc((side->points.count + 1) * sizeof(*points->row));
    points->count = 0;
    points->pool = NULL;
    points->wiring = side->points.wiring;
    if (points->row == NULL)
        return -1;
    for (size_t i = 0; i < side->points.count; i++) {
        const struct chorale_side_launch *l =
            chorale_side_launch_of(side, side->points.row[i].launch_id);

        if (l != NULL && l->in && !l->again)
            points->row[points->count++] = side->points.row[i];
    }
    return 0;
}

/* The log of a recorded time; NAN if it is missing. */
static double log_of(sqlite3_stmt *stmt, int column)
{
    double x = sqlite3_column_double(stmt, column);

    return x > 0 && isfinite(x) ? log(x) : NAN;
}

static const char launch_sql[] =
    "SELECT l.launch_id, k.again, l.comm_size, l.ppn, l.shape, l.started,"
    " (SELECT value FROM environment e WHERE e.launch_id = l.launch_id"
    "   AND key = 'message_alpha_s'),"
    " (SELECT value FROM environment e WHERE e.launch_id = l.launch_id"
    "   AND key = 'message_beta_s'),"
    " EXISTS (SELECT 1 FROM baseline b WHERE b.name = ?2"
    "   AND b.system_id = l.system_id AND b.campaign_id = l.campaign_id),"
    " ?3 IS NULL OR k.label = ?3,"
    " (SELECT value FROM environment e WHERE e.launch_id = l.launch_id"
    "   AND key = 'copy_beta_s')"
    " FROM launch l JOIN campaign k USING (campaign_id)"
    " WHERE l.system_id = ?1 ORDER BY l.launch_id";

static void read_launch(const struct chorale_side *side, sqlite3_stmt *stmt,
                        struct chorale_side_launch *l)
{
    int marked = sqlite3_column_int(stmt, 8);

    *l = (struct chorale_side_launch){
        .id = sqlite3_column_int64(stmt, 0),
        .again = sqlite3_column_int(stmt, 1),
        .comm_size = sqlite3_column_int(stmt, 2),
        .ppn = sqlite3_column_int(stmt, 3),
        .alpha = log_of(stmt, 6), .beta = log_of(stmt, 7),
        .copy = log_of(stmt, 10),
    };
    l->in = side->baseline == NULL || marked == !side->not_baseline;
    /* A second measurement is a campaign of its own. If both sides share a
     * database it belongs to head. */
    if (l->again && side->baseline != NULL)
        l->in = side->not_baseline || !side->shared;
    l->in &= sqlite3_column_int(stmt, 9);
    COPY(l->shape, chorale_text(stmt, 4));
    COPY(l->started, chorale_text(stmt, 5));
}

static enum chorale_err load_launches(struct chorale_side *side,
                                      struct chorale_store *store,
                                      struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, launch_sql,
        CHORALE_FIELDS(side->system_id, side->baseline, side->label), &stmt,
        msg);
    while (chorale_store_next(store, stmt, &err, msg)) {
        struct chorale_side_launch *more =
            chorale_array_grow(side->launch, side->nlaunch, sizeof(*more));

        if (more == NULL) {
            err = chorale_fail_memory(msg, "compare");
            break;
        }
        side->launch = more;
        read_launch(side, stmt, &side->launch[side->nlaunch++]);
    }
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err check_baseline(const struct chorale_side *side,
                                       struct chorale_errmsg *msg)
{
    for (size_t i = 0; i < side->nlaunch; i++)
        if (side->launch[i].in)
            return CHORALE_OK;
    if (side->label != NULL)
        return chorale_fail(msg, CHORALE_USAGE, "--label %s: %s has no launch "
                            "of a campaign with this label; name the "
                            "--label of its `chorale plan`", side->label,
                            side->path);
    if (side->baseline == NULL)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_USAGE, "--baseline %s: %s has %s of "
                        "system %s; `chorale baseline list %s` lists them",
                        side->baseline, side->path,
                        side->not_baseline ? "no other launches"
                                           : "no such baseline, or no launch",
                        side->system, side->path);
}

/* Load the system's row, and count the cells that are not compared. */
static enum chorale_err load_system(struct chorale_side *side,
                                    struct chorale_store *store,
                                    struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT name, mpi_library, (SELECT count(*) FROM cell c"
        "  WHERE c.system_id = y.system_id AND (metric <> 'duration'"
        "   OR arrival <> 'sync' OR siblings <> 'alone'"
        "   OR variant = 'untouched' OR provider = 'table')),"
        " signature GLOB 'imported*' FROM system y WHERE system_id = ?1",
        CHORALE_FIELDS(side->system_id), &stmt, msg);

    if (chorale_store_next(store, stmt, &err, msg)) {
        chorale_safe_text(side->system, sizeof(side->system),
                          chorale_text(stmt, 0));
        chorale_safe_text(side->mpi, sizeof(side->mpi), chorale_text(stmt, 1));
        side->nother = sqlite3_column_int64(stmt, 2);
        side->imported = sqlite3_column_int(stmt, 3);
    }
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err load_side(struct chorale_side *side,
                                  const char *system,
                                  struct chorale_errmsg *msg)
{
    struct chorale_store *store = chorale_shard_store(side->shard);
    enum chorale_err err = chorale_store_system(store, system,
                                                &side->system_id,
                                                &side->simulated, msg);

    if (err == CHORALE_OK)
        err = load_system(side, store, msg);
    if (err == CHORALE_OK)
        err = load_launches(side, store, msg);
    if (err == CHORALE_OK)
        err = check_baseline(side, msg);
    if (err == CHORALE_OK)
        err = chorale_points_load(store, side->system_id, &side->points, msg);
    return err;
}

/* The system that both databases have, allocated. NULL if each has just one
 * system, of any name. */
static enum chorale_err common_system(struct chorale_comparison *cmp,
                                      char **name_p,
                                      struct chorale_errmsg *msg)
{
    struct chorale_system_row *a = NULL, *b = NULL;
    size_t na = 0, nb = 0, both = 0;
    enum chorale_err err =
        chorale_systems_load(chorale_shard_store(cmp->base.shard), NULL, &a,
                             &na, msg);

    if (err == CHORALE_OK)
        err = chorale_systems_load(chorale_shard_store(cmp->head.shard), NULL,
                                   &b, &nb, msg);
    for (size_t i = 0; err == CHORALE_OK && i < na; i++)
        for (size_t k = 0; k < nb; k++)
            if (strcmp(a[i].name, b[k].name) == 0 && both++ == 0)
                *name_p = strdup(a[i].name);
    if (err == CHORALE_OK && both > 0 && *name_p == NULL)
        err = chorale_fail_memory(msg, NULL);
    if (err == CHORALE_OK && both != 1 && (na > 1 || nb > 1))
        err = chorale_fail(msg, CHORALE_USAGE,
                           "%s and %s have %zu systems in common; name one "
                           "with --system (`chorale status` lists them)",
                           cmp->base.path, cmp->head.path, both);
    chorale_systems_free(a, na);
    chorale_systems_free(b, nb);
    return err;
}

/* Text of an environment fact in the launches of one side. Differences between
 * the sides are reported. */
static enum chorale_err facts_of(struct chorale_side *side, const char *key,
                                 char text[160], struct chorale_errmsg *msg)
{
    struct chorale_store *store = chorale_shard_store(side->shard);
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT e.launch_id, value FROM environment e JOIN launch"
        " USING (launch_id) WHERE system_id = ?1 AND key = ?2"
        " ORDER BY value", CHORALE_FIELDS(side->system_id, key), &stmt, msg);
    size_t len = 0;
    char last[128] = "";

    text[0] = '\0';
    while (chorale_store_next(store, stmt, &err, msg)) {
        const struct chorale_side_launch *l =
            chorale_side_launch_of(side, sqlite3_column_int64(stmt, 0));
        char value[128];

        chorale_safe_text(value, sizeof(value), chorale_text(stmt, 1));
        if (l == NULL || !l->in || strcmp(value, last) == 0)
            continue;
        COPY(last, value);
        if (len < 120)
            len += (size_t)snprintf(text + len, 160 - len, "%s%.36s",
                                    len > 0 ? " and " : "", value);
    }
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err compare_facts(struct chorale_comparison *cmp,
                                      struct chorale_errmsg *msg)
{
    static const char *const key[] = { "cpu_model", "kernel", "transport",
                                       "nodes", "binding:0", "compiler",
                                       "tool_revision" };
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < sizeof(key) / sizeof(key[0]) && err == CHORALE_OK;
         i++) {
        char a[160], b[160];

        err = facts_of(&cmp->base, key[i], a, msg);
        if (err == CHORALE_OK)
            err = facts_of(&cmp->head, key[i], b, msg);
        if (err == CHORALE_OK && a[0] != '\0' && b[0] != '\0' &&
            strcmp(a, b) != 0)
            chorale_comparison_note(cmp, "%s differs: %s in base, %s in head",
                                    key[i], a, b);
    }
    return err;
}

/* Append a setting of the MPI library, "mpi:NAME" or "env:NAME", to text if it
 * differs between the sides. The library then behaves differently, which may be
 * the purpose of the comparison. */
static enum chorale_err compare_setting(struct chorale_comparison *cmp,
                                        const char *key, char *text,
                                        size_t size,
                                        struct chorale_errmsg *msg)
{
    char a[160], b[160], name[64];
    size_t len = strlen(text);
    enum chorale_err err = facts_of(&cmp->base, key, a, msg);

    if (err == CHORALE_OK)
        err = facts_of(&cmp->head, key, b, msg);
    if (err != CHORALE_OK || strcmp(a, b) == 0)
        return err;
    chorale_safe_text(name, sizeof(name), key + 4);
    snprintf(text + len, size - len, "%s%s: %.40s in base, %.40s in head",
             len > 0 ? "; " : "", name, a[0] != '\0' ? a : "not set",
             b[0] != '\0' ? b : "not set");
    cmp->settings_differ++;
    return CHORALE_OK;
}

/* Compare the settings of one side; for the second side only those that the
 * first lacks. */
static enum chorale_err settings_of(struct chorale_comparison *cmp,
                                    const struct chorale_side *side,
                                    char *text, size_t size,
                                    struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int row = 0;
    enum chorale_err err = chorale_store_query(
        chorale_shard_store(side->shard),
        "SELECT DISTINCT key FROM environment JOIN launch USING (launch_id)"
        " WHERE system_id = ?1 AND (key GLOB 'mpi:*' OR key GLOB 'env:*')"
        " AND key NOT GLOB 'env:SLURM_*' AND key NOT GLOB 'env:CHORALE_*'"
        " ORDER BY key", CHORALE_FIELDS(side->system_id), &stmt, msg);
    while (err == CHORALE_OK &&
           (err = chorale_store_step(chorale_shard_store(side->shard), stmt,
                                     &row, msg)) == CHORALE_OK &&
           row) {
        char base[160] = "";

        if (side == &cmp->head)
            err = facts_of(&cmp->base, chorale_text(stmt, 0), base, msg);
        if (err == CHORALE_OK && base[0] == '\0')
            err = compare_setting(cmp, chorale_text(stmt, 0), text, size, msg);
    }
    sqlite3_finalize(stmt);
    return err;
}

/* base, head: receive the sides' libraries in short form. */
static int same_library(const struct chorale_comparison *cmp,
                        char base[CHORALE_MPI_NAME],
                        char head[CHORALE_MPI_NAME])
{
    chorale_mpi_name(cmp->base.mpi, base);
    chorale_mpi_name(cmp->head.mpi, head);
    return strcmp(base, head) == 0;
}

static enum chorale_err compare_settings(struct chorale_comparison *cmp,
                                         struct chorale_errmsg *msg)
{
    char text[300] = "", base[CHORALE_MPI_NAME], head[CHORALE_MPI_NAME];
    enum chorale_err err = CHORALE_OK;

    /* Other libraries have other variables. */
    if (!same_library(cmp, base, head))
        return CHORALE_OK;
    err = settings_of(cmp, &cmp->base, text, sizeof(text), msg);
    if (err == CHORALE_OK)
        err = settings_of(cmp, &cmp->head, text, sizeof(text), msg);
    if (err == CHORALE_OK && cmp->settings_differ > 0)
        chorale_comparison_note(cmp, "%d setting%s: %s",
                                cmp->settings_differ,
                                cmp->settings_differ == 1 ? " differs"
                                                          : "s differ", text);
    return err;
}

static void note_differences(struct chorale_comparison *cmp)
{
    char base[CHORALE_MPI_NAME], head[CHORALE_MPI_NAME];

    if (strcmp(cmp->base.system, cmp->head.system) != 0)
        chorale_comparison_note(cmp, "two systems: %s in base, %s in head; "
                                "they may cause the differences",
                                cmp->base.system, cmp->head.system);
    if (!same_library(cmp, base, head))
        chorale_comparison_note(cmp, "two MPI libraries: %s in base, %s in "
                                "head", base, head);
    if (cmp->base.nother + cmp->head.nother > 0)
        chorale_comparison_note(cmp, "not compared: %lld cell%s of base and "
                                "%lld of head, with late ranks, siblings, "
                                "throughput or tables",
                                (long long)cmp->base.nother,
                                chorale_plural((long long)cmp->base.nother),
                                (long long)cmp->head.nother);
}

enum chorale_err chorale_comparison_load(struct chorale_comparison *cmp,
                                         const char *system,
                                         struct chorale_errmsg *msg)
{
    char *name = NULL;
    enum chorale_err err = chorale_shard_open(cmp->base.path,
                                              chorale_stop_requested,
                                              &cmp->base.shard, msg);

    if (err == CHORALE_OK)
        err = chorale_shard_open(cmp->head.path, chorale_stop_requested,
                                 &cmp->head.shard, msg);
    if (err == CHORALE_OK && system == NULL) {
        err = common_system(cmp, &name, msg);
        system = name;
    }
    if (err == CHORALE_OK)
        err = load_side(&cmp->base, system, msg);
    if (err == CHORALE_OK)
        err = load_side(&cmp->head, system, msg);
    free(name);
    if (err == CHORALE_OK && cmp->base.simulated != cmp->head.simulated)
        err = chorale_fail(msg, CHORALE_DATA,
                           "%s is %s and %s is %s, which cannot be "
                           "compared; name two of one kind",
                           cmp->base.path,
                           cmp->base.simulated ? "simulated" : "measured",
                           cmp->head.path,
                           cmp->head.simulated ? "simulated" : "measured");
    if (err == CHORALE_OK) {
        cmp->opts.exact = cmp->base.simulated;
        note_differences(cmp);
        err = compare_facts(cmp, msg);
    }
    if (err == CHORALE_OK)
        err = compare_settings(cmp, msg);
    if (err == CHORALE_OK && cmp->unlike && !cmp->opts.exact)
        chorale_comparison_note(cmp, "the sides differ in more than code, "
                                "so canaries cannot detect a change of the "
                                "machine; launches in turn can");
    return err;
}

static void release_side(struct chorale_side *side)
{
    chorale_points_release(&side->points);
    free(side->launch);
    chorale_shard_close(side->shard);
    side->shard = NULL;
    side->launch = NULL;
    side->nlaunch = 0;
}

static void free_texts(void *texts)
{
    char **list = texts;

    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

void chorale_comparison_release(struct chorale_comparison *cmp)
{
    release_side(&cmp->base);
    release_side(&cmp->head);
    free(cmp->cell);
    free(cmp->judged);
    free(cmp->guideline);
    free(cmp->rechoice);
    free_texts(cmp->choice_texts);
    free(cmp->pool);
    memset(cmp, 0, sizeof(*cmp));
}
