/* SPDX-License-Identifier: BSD-3-Clause */
/* provenance.c - loads the system and environment of a decision table. */
#include "config.h"

#include "algorithms/dispatch/table/table.h"
#include "tuner/emit/provenance.h"
#include "db/remarks.h"
#include "tuner/decide/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char system_sql[] =
    "SELECT y.name, y.kind, y.mpi_library, coalesce((SELECT c.uuid"
    "  FROM campaign c WHERE c.system_id = y.system_id"
    "   AND NOT c.validates"
    "  ORDER BY c.created DESC, c.campaign_id DESC LIMIT 1), '')"
    " FROM system y WHERE y.system_id = ?1";

/* The launches of a system that count: done, or with at least one run. */
#define USED_LAUNCHES                                                        \
    "WITH mine AS (SELECT l.launch_id, l.started,"                           \
    "  coalesce(l.finished, l.started) AS finished"                          \
    "  FROM launch l JOIN campaign c USING (campaign_id)"                    \
    "  WHERE l.system_id = ?1 AND NOT c.validates"                           \
    "   AND (l.status = 'done'"                                              \
    "    OR l.launch_id IN (SELECT launch_id FROM run)))"

/* The facts by which a reader can compare a machine with the measured one. A
 * simulated system does not depend on the machine or date, so these keys are
 * left out for it. */
static const char environment_sql[] =
    USED_LAUNCHES ", fact AS (SELECT DISTINCT key, value FROM environment"
    "  JOIN mine USING (launch_id)"
    "  WHERE ((SELECT kind FROM system WHERE system_id = ?1) = 'real'"
    "   OR key NOT IN ('cpu_model', 'cpu_governor', 'cpu_turbo', 'smt',"
    "    'fabric', 'kernel', 'processors', 'ranks_per_node', 'oversubscribed',"
    "    'virtual_machine', 'transport'))"
    "  AND (key IN ('transport', 'cpu_model', 'cpu_governor', 'cpu_turbo',"
    "   'fabric', 'smt', 'kernel', 'processors', 'nodes', 'ranks',"
    "   'ranks_per_node',"
    "   'oversubscribed', 'virtual_machine', 'tool_version', 'tool_revision')"
    "  OR key GLOB 'env:MPIR_CVAR_*' OR key GLOB 'env:MPICH_*'"
    "  OR key GLOB 'env:UCX_*' OR key GLOB 'env:FI_*'"
    "  OR key GLOB 'env:OMPI_MCA_*' OR key GLOB 'mpi:*')"
    "  ORDER BY key, length(value), value)"
    " SELECT 'launches', count(*) || ', ' || min(started) || ' ... ' ||"
    "  max(finished) FROM mine WHERE (SELECT kind FROM system"
    "   WHERE system_id = ?1) = 'real' GROUP BY 1"
    " UNION ALL SELECT replace(key, char(10), ' '),"
    "  replace(group_concat(value, ', '), char(10), ' ') FROM fact"
    "  GROUP BY key";

/* The value of a fact that all launches of a real system have in common: ''
 * if no launch recorded it, NULL if launches differ. Only launches that
 * recorded their tool_version are considered. */
static const char alike_sql[] =
    USED_LAUNCHES " SELECT CASE WHEN count(DISTINCT coalesce(e.value, '')) = 1"
    "  THEN max(coalesce(e.value, '')) END"
    " FROM mine JOIN environment t"
    "  ON t.launch_id = mine.launch_id AND t.key = 'tool_version'"
    " LEFT JOIN environment e"
    "  ON e.launch_id = mine.launch_id AND e.key = ?2"
    " WHERE (SELECT kind FROM system WHERE system_id = ?1) = 'real'";

static const char *const variable[] = {
#define X(name) #name,
    CHORALE_TABLE_VARIABLES(X)
#undef X
};

int chorale_origin_line(char **lines, const char *key, const char *value,
                        const char *more)
{
    char *old = *lines;
    int rc = asprintf(lines, "%s%.80s: %.200s%s%.80s\n",
                      old != NULL ? old : "", key, value,
                      *more != '\0' ? " " : "", more);

    if (rc < 0)
        *lines = NULL;
    free(old);
    return rc < 0 ? -1 : 0;
}

static enum chorale_err load_system(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    struct chorale_origin *origin,
                                    struct chorale_errmsg *msg)
{
    char **const field[] = { &origin->system, &origin->kind,
                             &origin->mpi_library, &origin->campaign };
    sqlite3_stmt *stmt = NULL;
    int got = 0;
    enum chorale_err err = chorale_store_query(
        store, system_sql, CHORALE_FIELDS(system_id), &stmt, msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(store, stmt, &got, msg);
    for (int i = 0; i < 4 && err == CHORALE_OK; i++)
        if ((*field[i] = strdup(got ? chorale_text(stmt, i) : "")) == NULL)
            err = chorale_fail_memory(msg, NULL);
    sqlite3_finalize(stmt);
    return err;
}

/* Append the arrival patterns that decided, unless all ranks entered
 * together. */
static enum chorale_err load_arrivals(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      struct chorale_origin *origin,
                                      struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT group_concat(arrival, '; ') FROM (SELECT DISTINCT"
        " arrival FROM decision WHERE system_id = ?1 AND arrival <> ''"
        " AND target = 'dispatch'"
        " ORDER BY arrival)", CHORALE_FIELDS(system_id), &stmt, msg);

    if (chorale_store_next(store, stmt, &err, msg) &&
        *chorale_text(stmt, 0) != '\0' &&
        chorale_origin_line(&origin->environment, "arrival of ranks",
                            chorale_text(stmt, 0), "") != 0)
        err = chorale_fail_memory(msg, NULL);
    sqlite3_finalize(stmt);
    return err;
}

/* Append the options of `chorale decide` that differ from their defaults. */
static enum chorale_err load_policy(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    struct chorale_origin *origin,
                                    struct chorale_errmsg *msg)
{
    struct chorale_policy policy = CHORALE_POLICY_DEFAULTS;
    char words[CHORALE_POLICY_TEXT], tuned[CHORALE_LOADED_TEXT];
    enum chorale_err err = chorale_policy_load(store, system_id, &policy, msg);

    if (err != CHORALE_OK)
        return err;
    if (chorale_policy_arrivals(&policy) != CHORALE_ARRIVALS_SYNC)
        err = load_arrivals(store, system_id, origin, msg);
    if (err != CHORALE_OK)
        return err;
    if (policy.exploratory[0] != '\0' &&
        chorale_origin_line(&origin->environment, "table", policy.exploratory,
                            "") != 0)
        return chorale_fail_memory(msg, NULL);
    err = chorale_self_tuning(store, system_id, tuned, msg);
    if (err != CHORALE_OK)
        return err;
    if (tuned[0] != '\0' && chorale_origin_line(&origin->environment, "default",
                                                tuned, "") != 0)
        return chorale_fail_memory(msg, NULL);
    chorale_policy_words(&policy, words, sizeof(words));
    if (*words != '\0' &&
        chorale_origin_line(&origin->environment, "decided by", words,
                            "") != 0)
        return chorale_fail_memory(msg, NULL);
    return CHORALE_OK;
}

static enum chorale_err load_environment(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         struct chorale_origin *origin,
                                         struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, environment_sql, CHORALE_FIELDS(system_id), &stmt, msg);

    if (err != CHORALE_OK)
        return err;
    while (chorale_store_next(store, stmt, &err, msg))
        if (chorale_origin_line(&origin->environment, chorale_text(stmt, 0),
                                chorale_text(stmt, 1), "") != 0) {
            err = chorale_fail_memory(msg, NULL);
            break;
        }
    sqlite3_finalize(stmt);
    return err;
}

/* The value that all launches have in common; *value_p stays NULL if they
 * differ or no launch recorded its environment. */
static enum chorale_err load_alike(struct chorale_store *store,
                                   sqlite3_int64 system_id, const char *key,
                                   char **value_p,
                                   struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int got = 0;
    enum chorale_err err = chorale_store_query(
        store, alike_sql, CHORALE_FIELDS(system_id, key), &stmt, msg);

    if (err == CHORALE_OK)
        err = chorale_store_step(store, stmt, &got, msg);
    if (err == CHORALE_OK && got &&
        sqlite3_column_type(stmt, 0) != SQLITE_NULL &&
        (*value_p = strdup(chorale_text(stmt, 0))) == NULL)
        err = chorale_fail_memory(msg, NULL);
    sqlite3_finalize(stmt);
    return err;
}

/* The environment key that records a variable. Values of Open MPI's variables
 * were read from the library, the others from the process environment. */
static void key_of(const char *name, char *key, size_t size)
{
    static const char ompi[] = "OMPI_MCA_";
    const size_t n = sizeof(ompi) - 1;

    if (strncmp(name, ompi, n) == 0)
        snprintf(key, size, "mpi:%s", name + n);
    else
        snprintf(key, size, "env:%s", name);
}

/* "NAME=value NAME=value"; NULL if launches differ in one of them. */
static enum chorale_err load_variables(struct chorale_store *store,
                                       sqlite3_int64 system_id,
                                       struct chorale_origin *origin,
                                       struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    char *text = strdup("");
    size_t i;

    for (i = 0; i < sizeof(variable) / sizeof(variable[0]); i++) {
        char key[64], *value = NULL, *more = NULL;

        key_of(variable[i], key, sizeof(key));
        err = load_alike(store, system_id, key, &value, msg);
        if (err != CHORALE_OK || value == NULL || text == NULL)
            break;
        if (*value != '\0' &&
            asprintf(&more, "%s%s%s=%s", text, *text != '\0' ? " " : "",
                     variable[i], value) < 0)
            more = NULL;
        if (*value != '\0') {
            free(text);
            text = more;
        }
        free(value);
    }
    if (err == CHORALE_OK && text == NULL)
        err = chorale_fail_memory(msg, NULL);
    if (i == sizeof(variable) / sizeof(variable[0]))
        origin->variables = text;
    else
        free(text);
    return err;
}

/* The values that the shim compares with those of its own machine. */
static enum chorale_err load_fingerprint(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         struct chorale_origin *origin,
                                         struct chorale_errmsg *msg)
{
    enum chorale_err err = load_alike(store, system_id, "transport",
                                      &origin->transport, msg);

    if (err == CHORALE_OK)
        err = load_alike(store, system_id, "cpu_model", &origin->cpu_model,
                         msg);
    return err == CHORALE_OK
               ? load_variables(store, system_id, origin, msg)
               : err;
}

enum chorale_err chorale_origin_load(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     struct chorale_origin *origin,
                                     struct chorale_errmsg *msg)
{
    enum chorale_err err;

    memset(origin, 0, sizeof(*origin));
    err = load_system(store, system_id, origin, msg);
    if (err == CHORALE_OK)
        err = load_fingerprint(store, system_id, origin, msg);
    if (err == CHORALE_OK)
        err = load_environment(store, system_id, origin, msg);
    return err == CHORALE_OK
               ? load_policy(store, system_id, origin, msg)
               : err;
}

void chorale_origin_release(struct chorale_origin *origin)
{
    free(origin->system);
    free(origin->kind);
    free(origin->mpi_library);
    free(origin->campaign);
    free(origin->environment);
    free(origin->transport);
    free(origin->cpu_model);
    free(origin->variables);
    memset(origin, 0, sizeof(*origin));
}
