/* SPDX-License-Identifier: BSD-3-Clause */
/* system.c - identify the system that a plan measures, and store it. */
#include "config.h"

#include "tuner/plan/system.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/fnv1a.h"
#include "db/environment.h"
#include "tuner/base/output.h"
#include "tuner/run/launcher.h"

#define PLATFORM_MAX (16 << 20)

enum chorale_err chorale_platform_read(const char *path, char **text_p,
                                       struct chorale_errmsg *msg)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t len = 0;
    enum chorale_err err = CHORALE_OK;

    if (in == NULL)
        return chorale_fail(msg, CHORALE_ENV, "--platform %s: %s; name a "
                            "platform file of SimGrid", path, strerror(errno));
    text = malloc(PLATFORM_MAX);
    if (text == NULL)
        err = chorale_fail_memory(msg, NULL);
    else
        len = fread(text, 1, PLATFORM_MAX, in);
    if (err == CHORALE_OK && ferror(in))
        err = chorale_fail_read(msg, path, errno);
    else if (err == CHORALE_OK && len == PLATFORM_MAX)
        err = chorale_fail(msg, CHORALE_DATA, "--platform %s: larger than 16 "
                           "MiB; name a platform file of SimGrid", path);
    fclose(in);
    if (err != CHORALE_OK) {
        free(text);
        return err;
    }
    text[len] = '\0';
    *text_p = text;
    return CHORALE_OK;
}

static enum chorale_err describe_simulated(const struct chorale_plan *plan,
                                           struct chorale_system *sys,
                                           struct chorale_errmsg *msg)
{
    const char *base = chorale_output_base(plan->platform);
    char version[64] = "?", **host = NULL;
    struct chorale_errmsg why;
    enum chorale_err err;
    int len;

    err = chorale_platform_read(plan->platform, &sys->platform, msg);
    if (err != CHORALE_OK)
        return err;
    err = chorale_sim_hosts(sys->platform, plan->network, &host, &sys->nhost,
                            version, &why);
    if (err != CHORALE_OK)
        return chorale_fail(msg, err, "--platform %s: %.900s", plan->platform,
                            why.text);
    chorale_sim_hosts_free(host, sys->nhost);
    len = (int)strcspn(base, ".");
    sys->simulated = 1;
    snprintf(sys->name, sizeof(sys->name), "%.*s-%s%s%s", len > 60 ? 60 : len,
             base, plan->network,
             strcmp(plan->sim_selector, "mpich") != 0 ? "-" : "",
             strcmp(plan->sim_selector, "mpich") != 0 ? plan->sim_selector
                                                      : "");
    snprintf(sys->mpi_library, sizeof(sys->mpi_library),
             "SimGrid SMPI %s, %s selector", version, plan->sim_selector);
    snprintf(sys->signature, sizeof(sys->signature),
             "simulated|platform %016llx|network %s|tau %.9g|%s",
             (unsigned long long)chorale_fnv1a(CHORALE_FNV1A_START,
                                               sys->platform,
                                               strlen(sys->platform)),
             plan->network, plan->tau, sys->mpi_library);
    return CHORALE_OK;
}

/* Add the network fabric to the signature, if known: two fabrics of one
 * cluster, or one used in two ways, are two systems. */
static void add_fabric(char *signature, size_t size)
{
    size_t len = strlen(signature);
    char text[512];

    chorale_fabric_describe(text, sizeof(text));
    if (text[0] != '\0' && len < size)
        len += (size_t)snprintf(signature + len, size - len, "|fabric %s",
                                text);
    chorale_fabric_choice(text, sizeof(text));
    if (text[0] != '\0' && len < size)
        snprintf(signature + len, size - len, "|by %s", text);
}

static enum chorale_err describe_real(const struct chorale_plan *plan,
                                      struct chorale_system *sys,
                                      struct chorale_errmsg *msg)
{
    const char *cluster = plan->cluster, *partition = plan->partition;
    char host[128] = "host";
    enum chorale_err err;

    err = chorale_runner_probe(sys->mpi_library, sizeof(sys->mpi_library),
                               msg);
    if (err != CHORALE_OK)
        return err;
    if (cluster == NULL) {
        cluster = getenv("SLURM_CLUSTER_NAME");
        partition = getenv("SLURM_JOB_PARTITION");
    }
    gethostname(host, sizeof(host) - 1);
    if (cluster != NULL)
        snprintf(sys->name, sizeof(sys->name), "%.60s%s%.60s", cluster,
                 partition != NULL ? "-" : "",
                 partition != NULL ? partition : "");
    else
        snprintf(sys->name, sizeof(sys->name), "%s", host);
    snprintf(sys->signature, sizeof(sys->signature), "real|%s|%s",
             sys->name, sys->mpi_library);
    add_fabric(sys->signature, sizeof(sys->signature));
    return CHORALE_OK;
}

enum chorale_err chorale_system_describe(const struct chorale_plan *plan,
                                         struct chorale_system *sys,
                                         struct chorale_errmsg *msg)
{
    enum chorale_err err;

    memset(sys, 0, sizeof(*sys));
    if (strcmp(plan->launcher, "smpirun") == 0)
        err = describe_simulated(plan, sys, msg);
    else
        err = describe_real(plan, sys, msg);
    if (err == CHORALE_OK && plan->system != NULL) {
        snprintf(sys->name, sizeof(sys->name), "%s", plan->system);
        sys->named = 1;
    }
    return err;
}

void chorale_system_release(struct chorale_system *sys)
{
    free(sys->platform);
    sys->platform = NULL;
}

/* Find the system with that signature and its stored name; id 0: not found. */
static enum chorale_err find(struct chorale_store *store,
                             struct chorale_system *sys,
                             struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err;

    sys->id = 0;
    err = chorale_store_query(
        store, "SELECT system_id, name FROM system WHERE signature = ?1",
        CHORALE_FIELDS(sys->signature), &stmt, msg);
    if (err != CHORALE_OK)
        return err;
    if (chorale_store_next(store, stmt, &err, msg)) {
        if (sys->named && sys->id == 0 &&
            strcmp(sys->name,
                   (const char *)sqlite3_column_text(stmt, 1)) != 0)
            err = chorale_fail(msg, CHORALE_USAGE,
                               "--system %s: this system is already in %s, as "
                               "'%s'; use that name, or another database",
                               sys->name, chorale_store_path(store),
                               (const char *)sqlite3_column_text(stmt, 1));
        sys->id = sqlite3_column_int64(stmt, 0);
        snprintf(sys->name, sizeof(sys->name), "%s",
                 (const char *)sqlite3_column_text(stmt, 1));
    }
    sqlite3_finalize(stmt);
    return err;
}

/* Refuse the name of an imported system: runs of this machine must not mix with
 * those of another. */
static enum chorale_err check_name(struct chorale_store *store,
                                   const struct chorale_system *sys,
                                   struct chorale_errmsg *msg)
{
    sqlite3_int64 imported = 0;
    enum chorale_err err = CHORALE_OK;

    if (sys->named)
        err = chorale_store_find(
            store, "SELECT system_id FROM system WHERE name = ?1"
            " AND signature GLOB 'imported*'", CHORALE_FIELDS(sys->name), 0,
            &imported, msg);
    if (err != CHORALE_OK || imported == 0)
        return err;
    return chorale_fail(msg, CHORALE_USAGE, "--system %s: the system of that "
                        "name in %s was imported and cannot be measured; give "
                        "another name", sys->name, chorale_store_path(store));
}

enum chorale_err chorale_system_store(struct chorale_store *store,
                                      struct chorale_system *sys,
                                      struct chorale_errmsg *msg)
{
    char uuid[CHORALE_UUID_SIZE], now[32], name[160];
    enum chorale_err err = check_name(store, sys, msg);

    if (err == CHORALE_OK)
        err = find(store, sys, msg);
    if (err != CHORALE_OK || sys->id != 0)
        return err;
    chorale_uuid(uuid);
    chorale_time_now(now);
    snprintf(name, sizeof(name), "%s", sys->name);
    /* If another system has that name, append a number. */
    for (int i = 2; err == CHORALE_OK; i++) {
        err = chorale_store_run(
            store, "INSERT INTO system (uuid, name, kind, signature,"
            " mpi_library, created) SELECT ?1, ?2, ?3, ?4, ?5, ?6"
            " WHERE NOT EXISTS (SELECT 1 FROM system WHERE name = ?2)",
            CHORALE_FIELDS(uuid, name, sys->simulated ? "simulated" : "real",
                           sys->signature, sys->mpi_library, now), msg);
        if (sqlite3_changes(chorale_store_db(store)) > 0)
            break;
        snprintf(name, sizeof(name), "%.120s-%d", sys->name, i);
    }
    return err == CHORALE_OK ? find(store, sys, msg) : err;
}
